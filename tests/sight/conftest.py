"""Tests that need the extra `reading` run when they are asked for: pytest -m reading."""

from __future__ import annotations

import pytest


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "reading: needs the extra `reading` (opt-in)")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if "reading" in config.getoption("markexpr"):
        return
    asked = [item for item in items if item.get_closest_marker("reading") is None]
    config.hook.pytest_deselected(items=[item for item in items if item not in asked])
    items[:] = asked

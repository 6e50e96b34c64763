"""Runs the coroutine tests of the screen, each in a loop of its own."""

from __future__ import annotations

import asyncio
import inspect
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.ui.pictures import Compare, comparing


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    names = pyfuncitem._fixtureinfo.argnames
    asyncio.run(pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in names}))
    return True


@pytest.fixture(autouse=True)
def no_user_themes(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """The themes of whoever runs the tests must not show in the pictures."""
    monkeypatch.setattr("parlor_tui.ui.themes.user_folder", lambda: tmp_path_factory.mktemp("no-themes"))


@pytest.fixture
def pictures(snapshot: SnapshotAssertion, tmp_path: Path) -> Compare:
    """Compares the screen in several themes; `--snapshot-update` takes what it shows for right."""
    return comparing(snapshot, tmp_path)

"""A link that is cut, or goes dead, is made anew; the core with its models is kept. Real models."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.talk_in_trouble import Talking, happens, talking

PROXY = Path(__file__).parent.parent / "link" / "behind_proxy.py"


@pytest.fixture(scope="module")
def control(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("control") / "control"


@pytest.fixture(scope="module")
def proxied(tmp_path_factory: pytest.TempPathFactory, control: Path) -> Iterator[Talking]:
    with talking(tmp_path_factory.mktemp("proxied"), sys.executable, str(PROXY), str(control)) as running:
        yield running


@pytest.mark.parametrize(("wish", "words"), [("cut", "the link to the core was lost"), ("freeze", "did not answer")])
def test_a_link_that_is_cut_or_goes_dead_is_made_anew_and_the_core_is_kept(
    proxied: Talking, control: Path, wish: str, words: str
) -> None:
    def fault() -> None:
        with control.open("a") as file:
            file.write(f"{wish}\n")

    pid = proxied.core_pid
    notice, done = happens(proxied, fault, f"link: {wish}")
    assert words in notice.text
    assert notice.text.endswith("linking again, the talk goes on")
    assert proxied.core_pid == pid
    assert done.status == "completed"

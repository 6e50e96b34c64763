"""A journal as a whole, for tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from parlor_tui.observe.journal import Follower


def raw_lines(path: Path) -> Iterator[bytes]:
    """Every line of the journal at `path`, oldest first."""
    newest = Follower(path)
    yield from newest.earlier()
    yield from newest.fresh(rest=True)

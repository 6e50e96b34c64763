"""Date and time of day for what is kept: the one clock of events has neither."""

from __future__ import annotations

from datetime import datetime, timedelta

from parlor_tui.events import now_s


def wall_time(at_s: float) -> datetime:
    """What it was at `at_s`, a moment ago, with its zone: right also after a sleep, which `now_s` may not count."""
    return datetime.now().astimezone() - timedelta(seconds=now_s() - at_s)

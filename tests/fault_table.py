"""What becomes of each fault, measured by the tests and printed at the end of a run, in the columns of the README."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

NOTICED_S = 6.0
"""A fault is to be noticed after two seconds at most; a busy machine adds to that."""
PROPERTY = "fault"
_FOLDERS = re.compile(r"(?<!\S)/\S*/")
"""The folders of a path: those of a test are gone when it is read."""


class Fault(StrEnum):
    """The rows of the README's table, by their first column."""

    CORE_DIES = "the core crashes, or is killed"
    CORE_STANDS_STILL = "the core stands still"
    LINK = "the link is cut, or goes dead without a word"
    CORE_BUSY = "the core computes and answers nobody"
    NEVER_LOADED = "the models never load"
    CORE_DIES_AS_ONE_SPEAKS = "the core dies while you speak"
    CORE_DOWN = "the core will not stay up"
    MICROPHONE_LOST = "microphone unplugged, or its recording moved to the speaker's monitor"
    MICROPHONE_MUTED = "microphone muted in the system"
    SPEAKER = "speaker unplugged, or muted"
    SERVER_HANGS = "the sound server hangs"
    SERVER_DIES = "the sound server dies and comes back"
    CAMERA = "camera unplugged or hung"
    DISK_FULL = "the disk is full"
    ASLEEP = "the machine slept, the terminal was stopped, the clock was set"
    HOT = "hot (85 °C), throttled, short of memory, or over 5 s for one inference"
    TOO_MUCH = "a file that decodes to gigabytes, a message that is none, a client that forgets its audio"


@dataclass(frozen=True, slots=True)
class Row:
    """One fault that a test produced: `how`, what was `seen` of it, and what was `lost`.

    `noticed_s` counts from the fault, `recovered_s` from `since`; None: there is nothing to notice, or to wait for.
    """

    fault: Fault
    how: str
    seen: str = ""
    noticed_s: float | None = None
    recovered_s: float | None = None
    since: str = ""
    lost: str = "nothing"
    within_s: float = NOTICED_S

    def check(self) -> None:
        """Raises AssertionError if it was noticed too late."""
        if self.noticed_s is not None:
            assert 0 <= self.noticed_s < self.within_s, f"{self.how}: noticed after {self.noticed_s:.2f} s"

    def columns(self) -> tuple[str, ...]:
        """The cells of the table."""
        recovered = _ms(self.recovered_s) + (f" after {self.since}" if self.recovered_s is not None else "")
        seen = f'"{_FOLDERS.sub("…/", self.seen)}"' if self.seen else ""
        return f"{self.fault}: {self.how}", _ms(self.noticed_s), seen, recovered, self.lost


RecordRow = Callable[[Row], None]


def recorder(record_property: Callable[[str, object], None]) -> RecordRow:
    """Keeps rows with the report of the test that produced them, and checks them."""

    def record(row: Row) -> None:
        record_property(PROPERTY, json.dumps(asdict(row)))
        row.check()

    return record


def rows_of(reports: Iterable[Any]) -> list[Row]:
    """The rows of these reports, in the README's order. Of a fault that was produced twice the last one."""
    found: dict[tuple[Fault, str], Row] = {}
    for report in reports:
        for name, value in getattr(report, "user_properties", ()) if getattr(report, "when", "") == "call" else ():
            if name == PROPERTY:
                fields = json.loads(value)
                row = Row(**{**fields, "fault": Fault(fields["fault"])})
                found[row.fault, row.how] = row
    order = list(Fault)
    return sorted(found.values(), key=lambda row: order.index(row.fault))


def as_markdown(rows: Iterable[Row]) -> list[str]:
    """The table, line by line."""
    head = ("fault", "noticed after", "what you see", "recovered after", "lost")
    lines = [head, ("---",) * len(head), *(row.columns() for row in rows)]
    return [f"| {' | '.join(cell.replace('|', '/') for cell in line)} |" for line in lines]


def _ms(seconds: float | None) -> str:
    return "" if seconds is None else f"{seconds * 1000:.0f} ms"

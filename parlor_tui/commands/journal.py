"""`parlor-tui journal`: show, follow, filter and sum up how the turns went."""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import get_args

from parlor_tui.conversations.export import plain
from parlor_tui.events import TurnStatus
from parlor_tui.observe.journal import KINDS, Entry, Follower, parse
from parlor_tui.observe.journal_figures import JournalFigures, summary
from parlor_tui.observe.stages import VOICE_TO_VOICE
from parlor_tui.settings import Settings, journal_beside, log_file

DONE = 0
STATUSES = get_args(TurnStatus)
_UNITS_S = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
_LOOK_S = 0.25
_SHOWN_BEFORE = 10


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the words of `parlor-tui journal`."""
    add = parser.add_argument
    add(
        "action",
        nargs="?",
        choices=("show", "summary"),
        default="show",
        metavar="ACTION",
        help="show, the default: a line for each turn, the newest last; summary: counts and times",
    )
    add("--since", type=_since, metavar="T", help="only what is newer: 90s, 30m, 2h, 3d, 1w, or a date and time")
    add("--kind", choices=KINDS, help="only turns, what became of cores, or notices of trouble")
    add("--status", choices=STATUSES, help="only turns that ended so")
    add("--slower-than", type=_ms, metavar="MS", help="only turns that took longer, from voice to voice")
    add("--last", type=_count, metavar="N", help="only the last so many")
    add("--follow", action="store_true", help="go on with what is added, until Ctrl-C")
    add("--json", action="store_true", help="print the lines as they are kept, or the summary as one JSON object")


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    """Do what was asked for. Raises OSError, UsageError."""
    path = journal_beside(log_file())
    if arguments.action == "summary":
        if arguments.follow:
            from parlor_tui.commands.options import UsageError

            raise UsageError("--follow goes with show, not with summary")
        entries = [entry for _, entry in _chosen(_lines(Follower(path)), arguments)]
        figures = summary(entries[-arguments.last :] if arguments.last else entries)
        sys.stdout.write(json.dumps(figures.as_json()) + "\n" if arguments.json else _summed_up(figures))
        if not entries:
            _say_why(path, settings)
        return DONE
    newest = Follower(path)
    last = arguments.last or (_SHOWN_BEFORE if arguments.follow else None)
    chosen = deque(_chosen(_lines(newest, whole=arguments.follow), arguments), maxlen=last)
    _print(chosen, as_json=arguments.json)
    if not chosen:
        _say_why(path, settings)
    while arguments.follow:
        sys.stdout.flush()
        time.sleep(_LOOK_S)
        _print(_chosen(newest.fresh(), arguments), as_json=arguments.json)
    return DONE


def _lines(newest: Follower, *, whole: bool = False) -> Iterator[bytes]:
    """All lines there are; `whole`: but for a last one that is still being written."""
    yield from newest.earlier()
    yield from newest.fresh(rest=not whole)


def _chosen(lines: Iterable[bytes], wanted: argparse.Namespace) -> Iterator[tuple[bytes, Entry]]:
    for raw in lines:
        entry = parse(raw)
        if entry is not None and _is_wanted(entry, wanted):
            yield raw, entry


def _is_wanted(entry: Entry, wanted: argparse.Namespace) -> bool:
    if wanted.since is not None and entry.at < wanted.since:
        return False
    if wanted.kind is not None and entry.kind != wanted.kind:
        return False
    if wanted.status is not None and (entry.kind != "turn" or entry.text("status") != wanted.status):
        return False
    return wanted.slower_than is None or (entry.kind == "turn" and (entry.total_ms or 0.0) > wanted.slower_than)


def _print(chosen: Iterable[tuple[bytes, Entry]], *, as_json: bool) -> None:
    for raw, entry in chosen:
        sys.stdout.write(raw.decode().rstrip("\n") + "\n" if as_json else f"{told(entry)}\n")


def told(entry: Entry) -> str:
    """An entry as one line to be read."""
    match entry.kind:
        case "turn":
            parts = _turn(entry)
        case "core":
            parts = [f"core   {entry.text('what')}", entry.text("reason") or entry.text("model")]
        case _:
            parts = [f"notice {entry.text('severity')}", entry.text("text") or f"over: {entry.text('key')}"]
    line = f"{entry.at:%Y-%m-%d %H:%M:%S}  {'  '.join(filter(None, parts))}"
    return " ".join(plain(line).split("\n"))


def _turn(entry: Entry) -> list[str]:
    number, tokens, played_ms = (entry.number(name) for name in ("turn", "tokens", "played_ms"))
    total_ms = entry.total_ms
    stages = ", ".join(f"{name} {ms:.0f}" for name, ms in entry.stages_ms.items() if name != VOICE_TO_VOICE)
    by = entry.text("interrupted_by")
    heat_c = max(filter(None, map(_number_in(entry), ("gpu_temperature_c", "cpu_temperature_c"))), default=None)
    return [
        f"turn   {'?' if number is None else int(number)}",
        f"{entry.text('source'):<5} {entry.text('status')}" + (f" by {by}" if by else ""),
        f"{total_ms:.0f} ms ({stages})" if total_ms is not None else "",
        f"{tokens:.0f} tokens" if tokens else "",
        "eager" if entry.fields.get("eager") is True else "",
        f"played {played_ms / 1000:.1f} s" if played_ms is not None else "",
        f"{heat_c:.0f} °C" if heat_c is not None else "",
        "throttled" if entry.group("health").get("throttled") is True else "",
        *(f"{name} {value}" for name, value in entry.group("tuning").items()),
        f"you: {entry.text('said')}" if entry.text("said") else "",
        f"parlor: {entry.text('reply')}" if entry.text("reply") else "",
    ]


def _number_in(entry: Entry) -> Callable[[str], float | None]:
    return Entry(entry.at, entry.kind, entry.group("health")).number


def _summed_up(figures: JournalFigures) -> str:
    if figures.first is None or figures.last is None:
        return ""
    lines = [f"from {figures.first:%Y-%m-%d %H:%M} to {figures.last:%Y-%m-%d %H:%M}"]
    ends = ", ".join(f"{count} {status}" for status, count in figures.status.most_common())
    sources = ", ".join(f"{count} {source}" for source, count in figures.source.most_common())
    lines.append(f"turns     {figures.turns}" + (f": {ends}; {sources}" if figures.turns else ""))
    if figures.error_rate is not None:
        lines.append(f"errors    {figures.error_rate * 100:.1f} % of the turns that wanted an answer")
    if figures.interrupted_by:
        lines.append("cut off   " + ", ".join(f"{count} by {by}" for by, count in figures.interrupted_by.most_common()))
    lines.append(f"written   {figures.tokens} tokens; {figures.eager} replies begun at a pause")
    lines.append(f"core      {_times(figures.deaths)} died, {_times(figures.restarts)} restarted")
    notices = ", ".join(f"{count} {severity}" for severity, count in figures.notices.most_common() if count)
    lines.append(f"notices   {notices or 'none'}")
    lost = ", ".join(f"{count} {what.replace('_', ' ')}" for what, count in figures.lost.most_common())
    lines.append(f"counted   {lost or 'no losses'}")
    if figures.stages_ms:
        lines.append(f"{'stage':<16}{'turns':>7}{'p50 ms':>9}{'p95 ms':>9}")
        lines += [
            f"{name:<16}{took.turns:>7}{took.p50:>9.0f}{took.p95:>9.0f}" for name, took in figures.stages_ms.items()
        ]
    return "\n".join(map(plain, lines)) + "\n"


def _times(count: int) -> str:
    return "never" if count == 0 else f"{count} times" if count > 1 else "once"


def _say_why(path: Path, settings: Settings) -> None:
    off = "" if settings.journal.enabled else "; it is off: set journal.enabled = true"
    sys.stderr.write(f"parlor-tui: {path}: there is nothing of that kind in the journal{off}\n")


def _since(text: str) -> datetime:
    """A time of day: so long ago, or a date with or without a time, of this time zone if it names none."""
    ago = re.fullmatch(r"(\d{1,9})([smhdw])", text.strip())
    try:
        if ago is not None:
            return datetime.now().astimezone() - timedelta(seconds=int(ago[1]) * _UNITS_S[ago[2]])
        return datetime.fromisoformat(text.strip()).astimezone()
    except (ValueError, OverflowError, OSError):
        raise argparse.ArgumentTypeError(
            f"{text!r} is no time: 90s, 30m, 2h, 3d, 1w, or a date such as 2026-11-30 or 2026-11-30T14:00"
        ) from None


def _ms(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 9):
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number of ms")
    return int(text)


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 9 and int(text)):
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number above 0")
    return int(text)

"""Entries of the talk as wrapped lines of text. Pure: an entry and a width in, lines out; never reads markup."""

from __future__ import annotations

from textual.content import Content

from parlor_tui.ui.spoken import split_heard
from parlor_tui.ui.text import clipped
from parlor_tui.ui.transcript import Entry, LineEntry, TurnEntry

YOU, PARLOR = "you", "parlor"
LABEL_CELLS = 8
FULL_TIME_CELLS = 8
NARROWEST_TEXT_CELLS = 8
RAIL_FIRST, RAIL, RAIL_LAST = "╭ ", "│ ", "╰ "
"""Before the text of turns that are answered together."""
FLASH_STYLE = "bold $error reverse"
"""Of what is being cut off, for a moment; then it is struck through."""
SEVERITY_LOOK = {
    "info": ("·", "dim"),
    "warning": ("▲ warning:", "$text-warning"),
    "error": ("✗ error:", "$text-error"),
}


def entry_lines(entry: Entry, width: int, time: str, shown: str = "", *, flash: bool = False) -> list[Content]:
    """The lines of `entry` in `width` cells. `time` is its time of day, empty where there is no room for one; with
    seconds in it the lines below a turn have figures as well.

    `shown` is the time at which the model had looked at a picture; `flash`: the reply is being cut off just now.
    """
    time = f"{time}  " if time else ""
    indent = LABEL_CELLS + len(time)
    if width < indent + NARROWEST_TEXT_CELLS:
        time, indent = "", LABEL_CELLS
    stamp = Content.styled(time, "dim")
    if isinstance(entry, LineEntry) and entry.rule:
        return _rule(entry.text, width)
    if isinstance(entry, LineEntry):
        symbol, style = SEVERITY_LOOK[entry.severity]
        head = stamp + Content.styled(f"{symbol} ", style)
        return _hung(head, Content.styled(clipped(entry.text), style), width, head.cell_length)
    lines = _hung(stamp + _label(YOU), _user(entry), width, indent)
    user_lines = len(lines)
    reply = _reply(entry, flash)
    if reply:
        lines += _hung(Content(" " * (indent - LABEL_CELLS)) + _label(PARLOR), reply, width, indent)
    if marks := _marks(entry, shown, width - indent, full=len(time) >= FULL_TIME_CELLS, flash=flash):
        lines += _hung(Content(" " * indent), marks, width, indent)
    if entry.earlier:
        lines = [line.stylize("dim") for line in lines]
    return _railed(entry, lines, user_lines, indent)


def _rule(text: str, width: int) -> list[Content]:
    """`text` in a line across the whole talk."""
    head = f"── {text} "
    return (
        [Content.styled(head + "─" * (width - len(head)), "dim")]
        if len(head) < width
        else _hung(Content(""), Content.styled(text, "dim"), width, 0)
    )


def _railed(entry: TurnEntry, lines: list[Content], user_lines: int, indent: int) -> list[Content]:
    """`lines` with a rail from the first line of a joined turn to the last words of the one that joins it."""
    joined = entry.status == "joined"
    count = len(lines) if joined else user_lines if entry.follows_joined else 0
    rails = [RAIL] * count
    if joined and not entry.follows_joined:
        rails[0] = RAIL_FIRST
    if rails and not joined:
        rails[-1] = RAIL_LAST
    drawn = [
        line[: indent - len(rail)] + Content.styled(rail, "dim") + line[indent:]
        for line, rail in zip(lines, rails, strict=False)
    ]
    return drawn + lines[count:]


def _label(who: str) -> Content:
    return Content.styled(f"{who:<{LABEL_CELLS}}", "bold" if who == YOU else "bold $state-speaking")


def _hung(head: Content, body: Content, width: int, indent: int) -> list[Content]:
    """`body` wrapped, `head` before its first line and as many blanks before the others."""
    wrapped = body.wrap(max(width - indent, 1)) or [Content("")]
    blank = Content(" " * indent)
    return [head + wrapped[0], *(blank + line for line in wrapped[1:])]


def _user(entry: TurnEntry) -> Content:
    if not entry.caption:
        return Content.styled("(no words)" if entry.settled else "…", "dim")
    text = clipped(entry.caption)
    return Content(text) if entry.settled and entry.turn is not None else Content.styled(text, "dim")


def _reply(entry: TurnEntry, flash: bool) -> Content | None:
    """The reply as far as it goes: what is still to be heard is dim, what never will be struck through.

    Of a joined turn nothing was heard: the reply to the next one takes its place.
    """
    if entry.status == "joined":
        return None
    if not entry.reply:
        waits = entry.committed and not entry.reply_final and entry.cut_by is None
        return Content.styled("…", "dim") if waits else None
    heard, unheard, style = _parts(entry)
    if flash and "strike" in style:
        style = FLASH_STYLE
    return Content.assemble(clipped(heard), (clipped(unheard), style))


def _parts(entry: TurnEntry) -> tuple[str, str, str]:
    """What was heard of the reply, the rest, and how that is drawn."""
    reply, has_sound = entry.reply, entry.spoken.has_sound
    if entry.heard is not None:
        return *split_heard(reply, entry.heard), "dim strike"
    if entry.cut_by is not None and has_sound:
        return *split_heard(reply, entry.sounded), "dim strike"
    if entry.status == "failed":
        return "", reply, "dim"
    if entry.status is None and entry.cut_by is None and (has_sound or not entry.reply_final):
        return *split_heard(reply, entry.sounded), "dim"
    return reply, "", ""


def _marks(entry: TurnEntry, shown: str, room: int, *, full: bool, flash: bool) -> Content:
    """The line below a turn that says how it went. Numbers only in the `full` form; why it ended, if that fits too."""
    marks: list[Content] = []
    if entry.refused:
        marks.append(Content.styled("✗ not sent", "$text-error"))
    elif entry.turn is None:
        marks.append(Content.styled("waits until it can be sent", "dim"))
    if entry.status == "joined":
        marks.append(Content.styled("you went on: answered together, below", "dim"))
    elif entry.cut_by is not None or entry.status == "interrupted":
        marks.append(Content.styled(_cut(entry), FLASH_STYLE if flash else "$text-error"))
    elif entry.status == "failed":
        marks.append(Content.styled("✗ no reply", "$text-error"))
    if entry.shown:
        marks.append(Content.styled(f"▣ shown {shown}" if full and shown else "▣ shown", "dim"))
    elif full and entry.unseen and entry.status is not None:
        marks.append(Content.styled("▢ no new picture", "dim"))
    if full and entry.voice_to_voice_ms is not None:
        marks.append(Content.styled(f"{entry.voice_to_voice_ms / 1000:.2f} s", "dim"))
    if full and entry.output_tokens:
        marks.append(Content.styled(f"{entry.output_tokens} tokens", "dim"))
    separator = Content.styled(" · ", "dim")
    if full and entry.ended:
        whole = separator.join([*marks, Content.styled(f"turn {entry.ended}", "dim")])
        if whole.cell_length <= room or not marks:
            return whole
    return separator.join(marks)


def _cut(entry: TurnEntry) -> str:
    by = {"voice": " by your voice", "key": " with Esc", "turn": " by your next turn", None: ""}[entry.cut_by]
    if not entry.played_ms:
        return f"⊘ cut off{by} before a word was heard"
    return f"⊘ cut off{by} after {entry.played_ms / 1000:.1f} s"

"""`parlor-tui replay`: a kept conversation through today's models and settings, and what differs."""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from parlor_tui.settings import Settings, conversations_folder

if TYPE_CHECKING:
    from parlor_tui.commands.replay_parts import Outcome, Replayed, Talk

DONE, FAILED, STOPPED = 0, 4, 130
LARGEST_FILE_BYTES = 512 * 1024 * 1024
"""It is read as a whole, which takes four times its size."""
_PIPE_COLUMNS = 120
_VOICE = "voice_to_voice"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `parlor-tui replay`."""
    parser.add_argument(
        "file", metavar="FILE", help="an id as `conversations` prints it, `last`, a conversation's folder, or its JSON"
    )
    parser.add_argument("--fast", action="store_true", help="as fast as the models can: no microphone, nothing played")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of a table")


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    """Replay and print; 0 if anything was answered, 3 if something is missing, else 4; 130 after Ctrl-C.

    Raises ConversationError, CoreClientError and BenchError.
    """
    from parlor_tui.commands.replay_parts import Outcome
    from parlor_tui.logfile import noise_into
    from parlor_tui.settings import log_file

    talk = open_talk(arguments.file, settings)
    outcome = Outcome()
    with noise_into(log_file()):
        try:
            if arguments.fast:
                from parlor_tui.commands.replay_fast import replay
            else:
                from parlor_tui.commands.replay_live import replay
            replay(talk, settings, arguments.config, outcome, _tell)
        except KeyboardInterrupt:
            outcome.stopped = True
    told = summary(talk, outcome, fast=arguments.fast)
    if arguments.json:
        sys.stdout.write(json.dumps(told) + "\n")
    else:
        print_table(told, outcome)
    if outcome.stopped:
        return STOPPED
    return DONE if any(turn.now is not None for turn in outcome.turns) else FAILED


def open_talk(text: str, settings: Settings) -> Talk:
    """What `text` means: a folder, an exported JSON file, or a name in the folder of the settings.

    Raises ConversationError, also if there is nothing in it to be said again.
    """
    from parlor_tui.commands.replay_parts import Talk
    from parlor_tui.conversations.export import from_json, picture_in, sounds_in
    from parlor_tui.conversations.record import ConversationError
    from parlor_tui.conversations.store import Store, load_folder

    path = Path(text).expanduser()
    if path.is_file():
        try:
            if path.stat().st_size > LARGEST_FILE_BYTES:
                raise ConversationError(f"{path}: larger than 512 MB: replay the conversation's folder")
            conversation, sounds = from_json(str(path), path.read_text("utf-8"))
        except UnicodeDecodeError:
            raise ConversationError(f"{path}: no conversation that parlor-tui exported as JSON") from None
        talk = Talk(conversation, sounds, lambda _: None)
    else:
        store = Store(conversations_folder(settings))
        folder = path if path.is_dir() else store.folder / store.find(text)
        talk = Talk(load_folder(folder), sounds_in(folder), lambda number: picture_in(folder, number))
    if not any(turn.said or talk.sounds(turn.number, "user") for turn in talk.conversation.turns):
        raise ConversationError(f"{text}: nobody said anything in it")
    return talk


def summary(talk: Talk, outcome: Outcome, *, fast: bool) -> dict[str, Any]:
    """All of it as one JSON object."""
    return {
        "conversation": talk.conversation.name,
        "mode": "fast" if fast else "real time",
        "stopped": outcome.stopped,
        "then": {"profile": talk.conversation.profile, "model": talk.conversation.model},
        "now": {"profile": outcome.profile, "model": outcome.model},
        "turns": [asdict(turn) for turn in outcome.turns],
        f"median_{_VOICE}_ms": {"then": _median(outcome, "then"), "now": _median(outcome, "now")},
        "notes": list(dict.fromkeys(outcome.notes)),
    }


def print_table(told: dict[str, Any], outcome: Outcome) -> None:
    """Then and now side by side, turn by turn."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Column, Table
    from rich.text import Text

    console = Console(width=None if sys.stdout.isatty() else _PIPE_COLUMNS, highlight=False)
    heads = [" · ".join(filter(None, (when, told[when]["profile"], told[when]["model"]))) for when in ("then", "now")]
    table = Table("", *(Column(Text(head), ratio=1) for head in heads), box=SIMPLE_HEAD, expand=True, pad_edge=False)
    for turn in outcome.turns:
        for index, row in enumerate(_rows(turn)):
            table.add_row(*map(Text, row), end_section=False, style="bold" if index == 0 else "")
        table.add_section()
    console.print(Text(f"{told['conversation']}, {told['mode']}"))
    console.print(table)
    medians = told[f"median_{_VOICE}_ms"]
    if medians["then"] is not None or medians["now"] is not None:
        console.print(Text(f"voice to voice, median: then {_ms(medians['then'])}, now {_ms(medians['now'])}"))
    for note in told["notes"]:
        console.print(Text(f"note: {note}"))
    if outcome.stopped:
        console.print(Text("stopped before its end"))


def _rows(turn: Replayed) -> list[tuple[str, str, str]]:
    """The rows of one turn: its number, both sides' words, and each stage that is known of one of them."""
    from parlor_tui.conversations.export import plain

    now = turn.now
    stages = dict.fromkeys([*turn.then.stages_ms, *(now.stages_ms if now is not None else ())])
    return [
        (f"turn {turn.number}", "spoken" if turn.spoken else "typed", "" if now is not None else "no answer"),
        ("you", plain(turn.then.said), plain(now.said) if now is not None else ""),
        ("parlor", plain(turn.then.reply), plain(now.reply) if now is not None else ""),
        *(
            (name, _ms(turn.then.stages_ms.get(name)), _ms(now.stages_ms.get(name)) if now is not None else "")
            for name in stages
        ),
    ]


def _ms(value: float | None) -> str:
    return "–" if value is None else f"{value:.0f} ms"


def _median(outcome: Outcome, when: str) -> float | None:
    answers = [turn.then if when == "then" else turn.now for turn in outcome.turns]
    known = [answer.stages_ms[_VOICE] for answer in answers if answer is not None and _VOICE in answer.stages_ms]
    return round(statistics.median(known), 1) if known else None


def _tell(text: str) -> None:
    sys.stderr.write(f"parlor-tui: {text}\n")
    sys.stderr.flush()

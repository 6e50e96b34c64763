"""`parlor-tui conversations`: list, search, show, delete and export what was kept."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from parlor_tui.conversations.export import FORMS, Form, in_order, plain, told_of, write
from parlor_tui.conversations.forms import pieces
from parlor_tui.conversations.record import Conversation, Mark
from parlor_tui.conversations.store import Store, Summary, found
from parlor_tui.settings import Settings, conversations_folder

DONE, USAGE = 0, 2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the words of `parlor-tui conversations`."""
    actions = parser.add_subparsers(dest="conversations_action", metavar="ACTION")
    listing = actions.add_parser("list", help="every conversation, the newest first")
    search = actions.add_parser("search", help="those in which all of these words were said")
    search.add_argument("words", nargs="+", metavar="WORD", help="a word, or a date such as 2026-11-30")
    show = actions.add_parser("show", help="print one")
    for one in (listing, search, show):
        one.add_argument("--json", action="store_true", help="print one JSON object")
    delete = actions.add_parser("delete", help="delete one with its sound; asks before")
    delete.add_argument("--yes", action="store_true", help="do not ask")
    export = actions.add_parser("export", help="write one as Markdown, JSON or a page with sound")
    export.add_argument("--format", choices=FORMS, help="md, json or html; by default what --out ends in, else md")
    export.add_argument("--out", type=Path, metavar="FILE", help="where to; without it, the standard output")
    for one in (show, delete, export):
        one.add_argument("name", metavar="ID", help="its id as `list` prints it, the beginning of it, or `last`")


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    """Do what was asked for. Raises ConversationError."""
    store = Store(conversations_folder(settings))
    match arguments.conversations_action:
        case "show":
            return _show(store.load(store.find(arguments.name)), as_json=arguments.json)
        case "delete":
            return _delete(store, store.find(arguments.name), sure=arguments.yes)
        case "export":
            return _export(store, store.find(arguments.name), arguments.format, arguments.out)
        case "search":
            return _list(store, " ".join(arguments.words), as_json=arguments.json)
        case _:
            return _list(store, "", as_json=getattr(arguments, "json", False))


def _list(store: Store, wanted: str, *, as_json: bool) -> int:
    summaries = store.summaries()
    listed = found(summaries, wanted)
    if as_json:
        _print([json.dumps({"folder": str(store.folder), "conversations": [_told(one) for one in listed]}), "\n"])
    elif listed:
        _print(
            f"{one.name:<22} {one.turns:>4} turns  {'sound' if one.has_sound else '     '}  {plain(one.title)}\n"
            for one in listed
        )
    elif summaries:
        sys.stderr.write(f"parlor-tui: no conversation in {store.folder} holds all of these words\n")
    else:
        hint = "set conversations.record to text or text+audio, or switch it on in the screen's palette"
        sys.stderr.write(f"parlor-tui: nothing is kept in {store.folder}; {hint}\n")
    return DONE


def _told(one: Summary) -> dict[str, Any]:
    return {
        "id": one.name,
        "day": one.day,
        "time": one.time,
        "turns": one.turns,
        "sound": one.has_sound,
        "title": one.title,
    }


def _show(conversation: Conversation, *, as_json: bool) -> int:
    if as_json:
        _print(pieces(conversation, None, "json"))
        return DONE
    lines: list[str] = [f"{conversation.name}  {conversation.profile} {conversation.model}".rstrip()]
    for entry in in_order(conversation):
        if isinstance(entry, Mark):
            lines.append(f"          · {told_of(entry)}")
            continue
        lines.append(f"{entry.at[11:19]:<9} you     {_hung(entry.said or '(no words)')}")
        if entry.reply:
            heard, unheard = entry.heard_reply, entry.unheard_reply
            cut = f" [not heard: {unheard}]" if unheard else ""
            lines.append(f"          parlor  {_hung((heard + cut).strip())}")
    if conversation.unread_lines:
        lines.append(f"({conversation.unread_lines} lines of it cannot be read)")
    _print(f"{plain(line)}\n" for line in lines)
    return DONE


def _hung(text: str) -> str:
    return text.replace("\n", "\n" + " " * 18)


def _delete(store: Store, name: str, *, sure: bool) -> int:
    if not sure:
        if not sys.stdin.isatty():
            sys.stderr.write(f"parlor-tui: {name} is not deleted: nobody can be asked here; give --yes\n")
            return USAGE
        sys.stderr.write(f"Delete {name} ({plain(store.load(name).title)}) with its sound, for good? [y/N] ")
        sys.stderr.flush()
        if sys.stdin.readline().strip().casefold() not in ("y", "yes"):
            sys.stderr.write("Nothing was deleted.\n")
            return DONE
    store.delete(name)
    return DONE


def _export(store: Store, name: str, form: str | None, out: Path | None) -> int:
    suffix = out.suffix.lower().lstrip(".") if out is not None else ""
    suffix = {"markdown": "md", "htm": "html"}.get(suffix, suffix)
    chosen: Form = next((known for known in FORMS if known == (form or suffix)), "md")
    text = pieces(store.load(name), store.folder / name, chosen)
    if out is None:
        _print(text)
    else:
        print(write(out.expanduser(), text))
    return DONE


def _print(texts: Iterable[str] | Sequence[str]) -> None:
    for text in texts:
        sys.stdout.write(text)

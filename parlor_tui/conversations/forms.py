"""The forms in which a conversation is handed on, chosen by name."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from parlor_tui.conversations.export import Form, as_json, markdown, no_sounds, picture_in, sounds_in
from parlor_tui.conversations.html import page
from parlor_tui.conversations.record import Conversation


def pieces(conversation: Conversation, folder: Path | None, form: Form) -> Iterable[str]:
    """The conversation as text, in pieces; with the sounds and pictures that `folder` keeps of it, if there is one."""
    sounds = no_sounds if folder is None else sounds_in(folder)
    match form:
        case "md":
            return (markdown(conversation),)
        case "json":
            return as_json(conversation, sounds)
        case "html":
            return page(conversation, sounds, lambda number: None if folder is None else picture_in(folder, number))

"""Messages as LiteRT-LM takes them. Pure."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Sequence
from typing import Any

from parlor_tui.engines.base import Message, merged

Content = list[Mapping[str, Any]]


_MARK = re.compile(r"<(?=[^<>\s]{1,40}>)")
"""The beginning of what may be one of a model's own marks, such as <|image|> or <turn|>."""


def text_part(text: str) -> Mapping[str, Any]:
    """Words. A model's own marks in them become plain words: it would look for the picture that one announces."""
    return {"type": "text", "text": _MARK.sub("< ", text)}


def sound_part(wav: bytes) -> Mapping[str, Any]:
    """Sound, as a WAV file."""
    return {"type": "audio", "blob": base64.b64encode(wav).decode()}


def picture_part(jpeg: bytes) -> Mapping[str, Any]:
    """A picture, as a JPEG or PNG file."""
    return {"type": "image", "blob": base64.b64encode(jpeg).decode()}


def turn_content(note: str, turn: Sequence[Message]) -> Content:
    """The turn without its pictures: what happened before it, then its words; of the last spoken message the sound."""
    spoken = [message for message in turn if message.audio_wav is not None]
    content: Content = [text_part(note)] if note else []
    for message in turn:
        if message.audio_wav is not None and message is spoken[-1]:
            content.append(sound_part(message.audio_wav))
        elif message.text:
            content.append(text_part(message.text))
    return content


def history(messages: Sequence[Message]) -> list[Mapping[str, Any]]:
    """What was: words, and the pictures that are still there; neighbours of one role are one message."""
    joined: list[Mapping[str, Any]] = []
    for message in messages:
        content: Content = [picture_part(message.image_jpeg)] if message.image_jpeg is not None else []
        content += [text_part(words.text) for words in merged([message])]
        if content and joined and joined[-1]["role"] == message.role:
            joined[-1] = {"role": message.role, "content": [*joined[-1]["content"], *content]}
        elif content:
            joined.append({"role": message.role, "content": content})
    return joined

"""A conversation as one self-contained page: words, sounds and pictures, and nothing that runs.

The page says by its own policy that no script, no network and no style but its own is allowed. Sounds play on click.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Iterator
from html import escape

from parlor_tui.conversations.export import Sounds, in_order, plain, told_of
from parlor_tui.conversations.record import Conversation, Mark, Turn, Who, day_and_time

Pictures = Callable[[int], bytes | None]
_STYLE = """
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 44rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; margin-bottom: 0; }
.about, .mark, time { opacity: .65; font-size: .85rem; }
.turn { margin: 1.4rem 0; }
.said, .reply { margin: .3rem 0; padding: .5rem .8rem; border-radius: .6rem; overflow-wrap: anywhere; }
.said { border: 1px solid #8886; }
.reply { background: #8882; margin-left: 1.5rem; }
.words { white-space: pre-wrap; margin: 0; }
.who { font-weight: 600; margin-right: .6rem; }
audio { display: block; width: 100%; height: 2rem; margin-top: .4rem; }
img { display: block; max-width: 20rem; margin-top: .4rem; border-radius: .4rem; }
"""
_HASH = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode("ascii")
POLICY = (
    f"default-src 'none'; style-src 'sha256-{_HASH}'; media-src data:; img-src data:; base-uri 'none'; "
    "form-action 'none'"
)


def page(conversation: Conversation, sounds: Sounds, pictures: Pictures) -> Iterator[str]:
    """The page, in pieces, so that hours of sound need not be held at once."""
    title = _text(conversation.title or "A conversation")
    about = " · ".join(filter(None, (day_and_time(conversation.began), conversation.profile, conversation.model)))
    yield (
        f'<!doctype html>\n<html lang="und">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(POLICY)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>{title}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        f'<h1>{title}</h1>\n<p class="about">{_text(about)}</p>\n'
    )
    for entry in in_order(conversation):
        if isinstance(entry, Mark):
            yield f'<p class="mark">{_text(told_of(entry))}</p>\n'
        else:
            yield from _turn(entry, sounds, pictures)
    yield "</body>\n</html>\n"


def _turn(turn: Turn, sounds: Sounds, pictures: Pictures) -> Iterator[str]:
    time = f"<time>{_text(turn.at[11:19])}</time>" if turn.at else ""
    yield '<section class="turn">\n'
    yield f'<div class="said"><span class="who">you</span>{time}<p class="words">{_text(turn.said or "(no words)")}</p>'
    picture = pictures(turn.number)
    if picture is not None:
        yield f'<img alt="shown to the model" src="data:image/jpeg;base64,{_base64(picture)}">'
    yield _player(sounds, turn.number, "user") + "</div>\n"
    if turn.reply:
        heard, unheard = turn.heard_reply, turn.unheard_reply
        rest = f" <s>{_text(unheard)}</s>" if unheard else ""
        took_ms = turn.stages_ms.get("voice_to_voice")
        took = f"<time>{took_ms / 1000:.2f} s</time>" if took_ms is not None else ""
        yield f'<div class="reply"><span class="who">parlor</span>{took}<p class="words">{_text(heard)}{rest}</p>'
        yield _player(sounds, turn.number, "reply") + "</div>\n"
    yield "</section>\n"


def _player(sounds: Sounds, number: int, who: Who) -> str:
    sound = sounds(number, who)
    if sound is None:
        return ""
    return f'<audio controls preload="none" src="data:audio/wav;base64,{_base64(sound)}"></audio>'


def _text(text: str) -> str:
    return escape(plain(text))


def _base64(content: bytes) -> str:
    return base64.b64encode(content).decode("ascii")

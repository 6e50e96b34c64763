"""Which key does what: the keys that a terminal really sends, and that typing never presses."""

from __future__ import annotations

import re
import string
from collections.abc import Collection
from dataclasses import dataclass, fields

from parlor_tui.settings.declare import key

SENT_AS = {
    "ctrl+m": "Enter",
    "ctrl+i": "Tab",
    "ctrl+h": "Backspace",
    "ctrl+j": "a line break",
    "ctrl+[": "Esc",
    "ctrl+left_square_bracket": "Esc",
}
"""Keys that arrive as another one."""
USABLE = frozenset(
    [
        "escape",
        "insert",
        *(f"f{number}" for number in range(1, 13)),
        *(f"ctrl+{letter}" for letter in string.ascii_lowercase if f"ctrl+{letter}" not in SENT_AS),
    ]
)
EDITING = frozenset(
    ["enter", "tab", "backspace", "delete", "up", "down", "left", "right", "home", "end", "pageup", "pagedown"]
)
"""Keys without which one cannot type, or look around in the talk."""
_OTHER_NAMES = {"esc": "escape", "return": "enter", "del": "delete", "ins": "insert"}
_THERE_ARE = "there are f1 to f12, ctrl with a letter other than h, i, j and m, escape and insert"


def normal_keys(text: str) -> str:
    """`text`, key names with commas between them, as it is kept: small letters, no spaces, none twice; "" is none.

    Raises ValueError with what is wrong in words.
    """
    names = [name.strip() for name in text.split(",")]
    if names == [""]:
        return ""
    return ",".join(dict.fromkeys(_normal_key(name) for name in names))


def _normal_key(name: str) -> str:
    """One key's name. Raises ValueError."""
    small = re.sub(r"^(\^|(control|ctrl)[-+])(?=.)", "ctrl+", name.lower())
    small = _OTHER_NAMES.get(small, small)
    if small in USABLE:
        return small
    if not small:
        raise ValueError('a key is missing between the commas; "" alone is no key at all')
    if small in SENT_AS:
        raise ValueError(f"terminals send {small} as {SENT_AS[small]}; {_THERE_ARE}")
    if len(name) == 1 or small in ("space", "shift+space") or small.removeprefix("shift+") in string.printable:
        raise ValueError(f"{name!r} would be set off by typing; {_THERE_ARE}")
    if small in EDITING:
        raise ValueError(f"{small} is needed for typing; {_THERE_ARE}")
    if small.startswith("alt+"):
        raise ValueError(f"terminals send {small} as Esc and a second key; {_THERE_ARE}")
    raise ValueError(f"{name!r} is no key that every terminal sends; {_THERE_ARE}")


def _keys(default: str, does: str) -> str:
    """Declare the keys of one action; `does` is what it does, in one plain line."""
    declared: str = key(default, "keys", does, form=normal_keys)
    return declared


@dataclass(frozen=True, slots=True)
class Keys:
    """Which keys do what; several keys with commas between them, "" for none. F1 on the screen lists them."""

    interrupt: str = _keys("escape", "stop the reply")
    mute: str = _keys("ctrl+t,f8", "close or open the microphone")
    talk_key: str = _keys("f7", "begin a turn or end it, if the microphone is not always open")
    repeat: str = _keys("f5", "say the last reply again")
    tune: str = _keys("f2", "open or close the panel that tunes hearing, answers and voice")
    history: str = _keys("f3", "show where the time of each turn went")
    theme: str = _keys("f4", "look different: the next one of the themes")
    camera: str = _keys("f6", "open or close the camera")
    devices: str = _keys("f9", "choose microphone, speaker and camera")
    new_conversation: str = _keys("ctrl+n", "forget the talk so far, and begin anew")
    conversations: str = _keys("ctrl+o", "open, search or delete conversations that were kept")
    export: str = _keys("ctrl+e", "write this conversation into a file")
    copy: str = _keys("ctrl+y", "put the last reply, as text, where other programs can paste it")
    help: str = _keys("f1", "show every key, and how talking works")
    commands: str = _keys("ctrl+p", "list everything that can be done, and search it")
    get_model: str = _keys("ctrl+g", "download the model that is offered")
    no_model: str = _keys("ctrl+x", "answer `not now` to the offer, or stop its download")
    leave: str = _keys("ctrl+q,ctrl+c", "end parlor-tui")


NEEDED = frozenset({"leave"})
"""Actions that cannot be without a key."""


def trouble(keys: Keys, explicit: Collection[str]) -> tuple[str, str] | None:
    """The first action whose keys cannot be, and why in words: a key of two actions, or none where one is needed.

    Of two actions with the same key it is the one of which a person chose the keys: `explicit` holds `keys.action`.
    """
    owners: dict[str, str] = {}
    for action in (item.name for item in fields(keys)):
        names = list(filter(None, getattr(keys, action).split(",")))
        if not names and action in NEEDED:
            return action, "it cannot be without a key"
        for name in names:
            other = owners.setdefault(name, action)
            if other != action:
                chosen, kept = (action, other) if f"keys.{action}" in explicit else (other, action)
                return chosen, f'{name} is a key of {kept} already; give that another one, or "" for none'
    return None

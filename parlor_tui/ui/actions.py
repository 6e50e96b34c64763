"""Everything that a key can do, in one table. Bindings, the keys' bar, the help and the palette are derived from it.

The keys and what they do are declared in `settings/keys.py`, under the same id, so that they can be changed in the
settings file. What an action does is the method `action_<id>` of the app.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Literal

from textual.binding import Binding

from parlor_tui.settings import Keys

Group = Literal["Talking", "Looking", "Keeping", "Program"]

GROUPS: tuple[Group, ...] = ("Talking", "Looking", "Keeping", "Program")
"""In the order of the help."""
NO_KEY = "no-key"
"""Stands in a keymap for an action without a key: textual takes an empty text for `as it was`."""


@dataclass(frozen=True, slots=True)
class Action:
    """One thing that the user can do.

    `label` is what the keys' bar calls it, `title` the palette and the help. `rank`: 1 is the last to leave a bar that
    is too narrow for all; 0 is never in it. `anywhere`: also while another screen lies over the talk. One that is not
    `listed` is in the palette only when it makes sense, under a name that says more.
    """

    id: str
    label: str
    title: str
    group: Group
    rank: int = 0
    anywhere: bool = False
    listed: bool = True

    @property
    def keys(self) -> str:
        """Its keys where nobody chose others, with commas between them."""
        return str(_DECLARED[self.id].default)

    @property
    def does(self) -> str:
        """What it does, in one plain line."""
        words = str(_DECLARED[self.id].metadata["why"])
        return f"{words[0].upper()}{words[1:]}"


_DECLARED = {item.name: item for item in fields(Keys)}

ACTIONS: tuple[Action, ...] = (
    Action("interrupt", "interrupt", "Interrupt", "Talking", rank=1, anywhere=True),
    Action("mute", "mute", "Mute", "Talking", rank=3, anywhere=True),
    Action("talk_key", "talk", "Talk key", "Talking", rank=8, anywhere=True),
    Action("repeat", "repeat", "Repeat the last reply", "Talking", rank=14),
    Action("tune", "tune", "Tune", "Looking", rank=6),
    Action("history", "history", "History of turns", "Looking", rank=7),
    Action("camera", "camera", "Camera on or off", "Looking", rank=9),
    Action("devices", "devices", "Microphone, speaker, camera", "Looking", rank=10),
    Action("theme", "theme", "Next theme", "Looking", rank=11),
    Action("new_conversation", "new", "New conversation", "Keeping", rank=12),
    Action("conversations", "conversations", "Conversations", "Keeping", rank=13),
    Action("copy", "copy", "Copy the last reply", "Keeping", rank=15),
    Action("export", "export", "Export this conversation", "Keeping", rank=16),
    Action("help", "help", "Help", "Program", rank=4),
    Action("commands", "commands", "Commands", "Program", rank=5, listed=False),
    Action("get_model", "get the model", "Get the offered model", "Program", listed=False),
    Action("no_model", "not now", "Refuse the offered model", "Program", listed=False),
    Action("leave", "quit", "Quit", "Program", rank=2, anywhere=True),
)
"""In the order in which the keys' bar shows them, and the help lists them within their group.

Each has its keys, and what it does, in `settings/keys.py`.
"""

BY_ID = {action.id: action for action in ACTIONS}


def bindings() -> list[Binding]:
    """The app's bindings. They come before those of the focused widget: the input line has many keys for editing.

    Interrupting has a second one that comes after them: what is open may want Esc for itself while nothing sounds, and
    `interrupt_first` then lets it pass.
    """
    made = [
        Binding(action.keys, action.id, action.label, show=False, priority=action.id != "interrupt", id=action.id)
        for action in ACTIONS
    ]
    esc = BY_ID["interrupt"]
    return [*made, Binding(esc.keys, "interrupt_first", esc.label, show=False, priority=True, id=esc.id)]


def keymap(keys: Keys) -> dict[str, str]:
    """What differs from the bindings' own keys: for `App.set_keymap`."""
    chosen = {action.id: str(getattr(keys, action.id)) for action in ACTIONS}
    return {action.id: chosen[action.id] or NO_KEY for action in ACTIONS if chosen[action.id] != action.keys}


def may_run(action: str, covered: bool) -> bool:
    """Whether `action` may run; `covered`: another screen lies over the talk. What is none of ours always may."""
    known = BY_ID.get(action)
    return known is None or known.anywhere or not covered


def keys_of(action: str, keys: Keys) -> list[str]:
    """The keys of `action` as a person reads them: `esc`, `^t`, `f8`."""
    return [shown_key(name) for name in str(getattr(keys, action)).split(",") if name]


def first_key(action: str, keys: Keys) -> str:
    """The key of `action` to name in a sentence; "" if it has none."""
    return next(iter(keys_of(action, keys)), "")


def shown_key(name: str) -> str:
    """`ctrl+t` as `^t`, `escape` as `esc`."""
    return {"escape": "esc", "insert": "ins"}.get(name, name.replace("ctrl+", "^"))

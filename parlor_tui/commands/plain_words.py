"""What is typed to `parlor-tui --plain`: a turn, or a command that begins with a stroke."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Callable, Mapping
from typing import Any, Protocol

COMMANDS: Mapping[str, str] = {
    "mute": "close or open the microphone",
    "stop": "stop the reply",
    "set": "change a setting: /set section.key value, such as /set speaking.speed 1.2",
    "new": "begin a new conversation; the one so far is forgotten",
    "get": "download the model that is offered",
    "later": "refuse the offered model; it is not offered again",
    "cancel": "stop the download; what came is kept",
    "help": "list these commands",
    "quit": "leave",
}
HELP = ["type, and press Enter; a line that begins with / is a command, with // a turn that begins with /"]


class Talking(Protocol):
    """What can be asked of the assistant here, from any thread. Answers and refusals arrive as events."""

    def say(self, text: str) -> None:
        """Take a typed turn."""

    def interrupt(self) -> None:
        """Stop the reply."""

    def set_muted(self, muted: bool) -> None:
        """Close or open the microphone."""

    def tune(self, values: Mapping[str, Any]) -> None:
        """Change settings, `{"section.key": value}`."""

    def new_conversation(self) -> None:
        """Forget the talk so far."""

    def get_model(self) -> None:
        """Get the model that was offered."""

    def cancel_model(self) -> None:
        """Stop getting it."""

    def decline_model(self) -> None:
        """Not now."""


class TypedLines:
    """Does what the typed lines say, one after the other. `quit` is called once to leave."""

    def __init__(self, assistant: Talking, quit: Callable[[], None]) -> None:  # noqa: A002
        self._assistant = assistant
        self._quit = quit
        self._muted = False

    def take(self, line: str) -> list[str]:
        """Do what `line` says; the lines to print in answer, most often none."""
        line = line.strip()
        if not line.startswith("/") or line.startswith("//"):
            text = line.removeprefix("/")
            if text:
                self._assistant.say(text)
            return []
        name, _, rest = line[1:].partition(" ")
        rest = rest.strip()
        if name not in COMMANDS:
            near = difflib.get_close_matches(name, COMMANDS, n=1)
            return [f"error: unknown command /{name}; {f'did you mean /{near[0]}?' if near else '/help lists them'}"]
        if rest and name != "set":
            return [f"error: /{name} takes nothing behind it; leave {rest!r} out"]
        return self._do(name, rest)

    def _do(self, name: str, rest: str) -> list[str]:
        match name:
            case "mute":
                self._muted = not self._muted
                self._assistant.set_muted(self._muted)
                return ["the microphone is closed" if self._muted else "the microphone is open"]
            case "stop":
                self._assistant.interrupt()
            case "set":
                return self._set(rest)
            case "new":
                self._assistant.new_conversation()
            case "get":
                self._assistant.get_model()
            case "later":
                self._assistant.decline_model()
            case "cancel":
                self._assistant.cancel_model()
            case "help":
                return [*HELP, *(f"/{command}: {does}" for command, does in COMMANDS.items())]
            case "quit":
                self._quit()
        return []

    def _set(self, rest: str) -> list[str]:
        key, _, value = rest.partition(" ")
        key, value = key.rstrip("="), value.strip().removeprefix("=").strip()
        if not value or "." not in key:
            return ["error: /set needs a key and a value: /set speaking.speed 1.2; `parlor-tui config` lists the keys"]
        self._assistant.tune({key: typed_value(value)})
        return []


def typed_value(text: str) -> Any:
    """`text` as the settings file would read it; what it would not read is text, so that quotes can be left out."""
    try:
        value = tomllib.loads(f"value = {text}")["value"]
    except (ValueError, RecursionError):  # no TOML, or too long or too deep to be read
        return text
    return value if isinstance(value, bool | int | float | str) else text

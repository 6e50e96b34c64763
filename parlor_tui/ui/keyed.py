"""The app's keys: how they reach their actions, and the actions that need nothing but the talk."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from textual.app import App, SystemCommand
from textual.driver import Driver
from textual.events import Event, Key

from parlor_tui.events import State
from parlor_tui.settings import Keys
from parlor_tui.ui.actions import keymap, keys_of, may_run
from parlor_tui.ui.choices import Choices
from parlor_tui.ui.control import AssistantControl
from parlor_tui.ui.escape import both_keys, quick_driver
from parlor_tui.ui.looks import Remember
from parlor_tui.ui.palette import each_of, list_of, listed_actions, palette, title_of
from parlor_tui.ui.screens.help import HelpScreen
from parlor_tui.ui.transcript import Entry, Transcript, TurnEntry
from parlor_tui.ui.widgets.prompt import Prompt
from parlor_tui.ui.widgets.status import Status
from parlor_tui.ui.widgets.talk import Talk
from parlor_tui.ui.widgets.tune_panel import TunePanel

_STOPPABLE = (State.SPEAKING, State.THINKING)
VOICE = "speaking.voice"
_SHOWN_CHARS = 40


class KeyedApp(App[int], inherit_bindings=False):
    """An app with the actions of `ui/actions.py`. What it works on is set by the whole app, before it is mounted."""

    ENABLE_COMMAND_PALETTE = False  # it is opened by an action of ours, with keys that can be changed

    _keys: Keys
    _config: Path
    _assistant: AssistantControl
    _transcript: Transcript
    _status: Status
    _choices: Choices
    _remember: Remember

    def get_driver_class(self) -> type[Driver]:
        """What reads the terminal's keys."""
        return quick_driver(super().get_driver_class())

    def on_mount(self) -> None:
        """Use the keys of the settings."""
        self.set_keymap(keymap(self._keys))

    async def on_event(self, event: Event) -> None:
        """A terminal may send Esc and the next key as one."""
        if not isinstance(event, Key) or event.is_forwarded:
            await super().on_event(event)
            return
        keys = both_keys(event, self._status.state in _STOPPABLE)
        for key in keys:
            await super().on_event(event if keys == [event] else key)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Whether `action` may run now: what is open over the talk has the keys, but for a few."""
        if action == "interrupt_first":
            in_talk = self.focused is None or isinstance(self.focused, Prompt | Talk)
            return self._status.state is State.SPEAKING or (in_talk and len(self.screen_stack) == 1)
        return super().check_action(action, parameters) and may_run(action, len(self.screen_stack) > 1)

    def commands_of_actions(self) -> Iterable[SystemCommand]:
        """The palette's entries for what keys do."""
        for action in listed_actions():
            yield SystemCommand(title_of(action, self._keys), action.does, getattr(self, f"action_{action.id}"))

    def commands_of_choices(self) -> Iterable[SystemCommand]:
        """The palette's entries for all that can be chosen."""
        there_is, ask = self._choices, self._assistant
        for kind, choices, choose in (
            ("voice", there_is.voices(), lambda name: ask.tune({VOICE: name})),
            ("preset", there_is.presets(), ask.use_preset),
            ("profile", there_is.profiles(), self._use_profile),
        ):
            if choices:
                yield list_of(kind, choices, choose, self.push_screen)
                yield from each_of(kind, choices, choose)
        if changed := there_is.changed:
            undo = dict.fromkeys(changed)
            yield SystemCommand("Save what was tuned", "It is the same at the next start", ask.save_tuning)
            yield SystemCommand("Undo what was tuned", "All of it is as it was saved", lambda: ask.tune(undo))

    def _use_profile(self, name: str) -> None:
        """The core loads its models when it starts: put the profile into the settings file."""
        self._remember({"core.profile": name})
        self._choices.profile_chosen(name)
        self._say(f"The profile {name} needs a new start: it is used from then on.")

    # --- the actions --------------------------------------------------------------------------------------------------

    def action_interrupt(self) -> None:
        """Stop the reply; where there is none, close the panel, wherever the cursor is."""
        self._assistant.interrupt()
        panel = self.query_one(TunePanel)
        if panel.display and self._status.state not in _STOPPABLE:
            panel.action_close()

    def action_interrupt_first(self) -> None:
        """Stop the reply, before anything that is open gets the key."""
        self.action_interrupt()

    def action_talk_key(self) -> None:
        """Begin to talk, or end it."""
        if self._status.microphone:
            self._assistant.talk_key()
        else:
            keys = " or ".join(keys_of("devices", self._keys)) or "the palette"
            self._say(f"There is no microphone to talk into; {keys} chooses one.")

    def action_help(self) -> None:
        """Show every key."""
        self.push_screen(HelpScreen(self._keys, self._config))

    def action_commands(self) -> None:
        """Open the palette."""
        self.push_screen(palette())

    def action_copy(self) -> None:
        """Copy the last reply."""
        if reply := last_reply(self._transcript.entries):
            self.copy_to_clipboard(reply)
            self._say(f"Copied: {_beginning(reply)}")
        else:
            self._say("There is no reply to copy yet.")

    def action_repeat(self) -> None:
        """Say the last reply again."""
        if reply := last_reply(self._transcript.entries):
            self._assistant.speak(reply)
        else:
            self._say("There is no reply to repeat yet.")

    def _say(self, text: str) -> None:
        """Say in a corner what became of a key."""
        self.clear_notifications()
        self.notify(text, timeout=3.0, markup=False)


def last_reply(entries: Sequence[Entry]) -> str:
    """The newest reply of the talk, as far as it has come; "" if there is none."""
    replies = (entry.reply for entry in reversed(entries) if isinstance(entry, TurnEntry))
    return next((reply.strip() for reply in replies if reply.strip()), "")


def _beginning(text: str) -> str:
    """The first words of `text`, in one line."""
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN_CHARS else f"{line[: _SHOWN_CHARS - 1].rstrip()}…"

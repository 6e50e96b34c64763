"""The app's conversations: begun anew, taken up again, kept if that is switched on, and exported."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from datetime import datetime
from pathlib import Path

from textual.app import App, SystemCommand
from textual.content import Content
from textual.message import Message

from parlor_tui.conversations.export import Form, fresh_file, write
from parlor_tui.conversations.forms import pieces
from parlor_tui.conversations.record import Conversation, ConversationError
from parlor_tui.conversations.store import Store, has_sound
from parlor_tui.events import ConversationBegun, CoreFound, Event, Ready, RecordingChanged, now_s
from parlor_tui.settings import Keys, Settings, conversations_folder
from parlor_tui.ui.control import AssistantControl
from parlor_tui.ui.screens.conversations import ConversationsScreen
from parlor_tui.ui.shown_talk import conversation_of
from parlor_tui.ui.transcript import Transcript
from parlor_tui.ui.wall_clock import WallClock
from parlor_tui.ui.widgets.prompt import Prompt
from parlor_tui.ui.widgets.talk import Talk, TalkFrame

RECORD_COMMANDS = {
    "off": ("Keep nothing of the talk", "Stop recording; what was kept so far stays"),
    "text": ("Keep the words of the talk", "Record text from the next turn on, until you leave"),
    "text+audio": ("Keep words and sound of the talk", "Record both sides from the next turn on, until you leave"),
}
_FOR_GOOD = "the setting conversations.record does so at every start"


class KeepingApp(App[int], inherit_bindings=False):
    """An app with the actions of conversations. What it works on is set by the whole app, before it is mounted."""

    _assistant: AssistantControl
    _transcript: Transcript
    _keys: Keys
    _wall: WallClock

    class NewWanted(Message):
        """The user wants a new conversation."""

    class Told(Message):
        """What became of work on the disk."""

        def __init__(self, text: str, *, failed: bool = False) -> None:
            super().__init__()
            self.text = text
            self.failed = failed

    def keep_in(self, settings: Settings) -> None:
        """Look for conversations where `settings` have them."""
        self._folder = conversations_folder(settings)
        self._recording = RecordingChanged(at_s=now_s(), record="off")
        self._model = ("", "")

    def keeping_event(self, event: Event) -> None:
        """Take one event over."""
        match event:
            case CoreFound(profile=profile, model=model) | Ready(profile=profile, model=model):
                self._model = profile, model
            case RecordingChanged():
                self._recording = event
                self.query_one(TalkFrame).border_title = talk_title(event.record)
            case ConversationBegun():
                self.query_one(Talk).anchor()
            case _:
                pass

    def commands_of_keeping(self) -> Iterable[SystemCommand]:
        """The palette's entries for what is kept."""
        for record, (title, about) in RECORD_COMMANDS.items():
            if record != self._recording.record:
                more = "" if record == "off" else f"; {_FOR_GOOD}"
                yield SystemCommand(title, about + more, lambda wanted=record: self._assistant.set_recording(wanted))

    def action_new_conversation(self) -> None:
        """Begin a new conversation: after what was sent already, which goes the way of the input line's messages."""
        prompt = self.query_one(Prompt)
        prompt.call_later(lambda: prompt.post_message(self.NewWanted()))

    def on_keeping_app_new_wanted(self) -> None:
        """Now it is its turn."""
        self._assistant.new_conversation()

    def action_conversations(self) -> None:
        """List the conversations that were kept."""
        self.push_screen(ConversationsScreen(self._folder, self._export_kept, self._keys), self._chosen)

    def action_export(self) -> None:
        """Write the talk into a file: what is on the screen, or more if more is kept."""
        shown = conversation_of(self._transcript.entries, self._wall.at, *self._model)
        if not shown.turns:
            self.notify("There is nothing to export yet.", markup=False)
            return
        name = self._recording.name
        self._work(lambda: self._write(self._fuller(shown, name), None, "md"))

    def on_keeping_app_told(self, message: Told) -> None:
        """Say what became of it."""
        self.notify(message.text, severity="error" if message.failed else "information", markup=False, timeout=8.0)

    # --- inside -------------------------------------------------------------------------------------------------------

    def _chosen(self, name: str | None) -> None:
        if name is not None:
            self._assistant.reopen(name)

    def _export_kept(self, name: str) -> None:
        def work() -> str:
            folder = self._folder / name
            form: Form = "html" if has_sound(folder) else "md"
            return self._write(Store(self._folder).load(name), folder, form)

        self._work(work)

    def _work(self, work: Callable[[], str]) -> None:
        """Do what takes the disk's time on a thread, and tell what became of it."""

        def told() -> None:
            try:
                self.post_message(self.Told(work()))
            except ConversationError as error:
                self.post_message(self.Told(f"Not exported: {error}", failed=True))

        threading.Thread(target=told, name="export", daemon=True).start()

    def _fuller(self, shown: Conversation, name: str) -> Conversation:
        """What is kept of the talk if that is more than what is shown of it."""
        if name:
            try:
                kept = Store(self._folder).load(name)
            except ConversationError:
                return shown
            if len(kept.turns) >= len(shown.turns):
                return kept
        return shown

    def _write(self, conversation: Conversation, folder: Path | None, form: Form) -> str:
        out = write(fresh_file(exports_folder(), datetime.now(), form), pieces(conversation, folder, form))
        return f"Exported to {out}"


def talk_title(record: str) -> Content:
    """The title of the talk's frame: it says so while anything is kept."""
    if record == "off":
        return Content(TalkFrame.BORDER_TITLE)
    what = "text and sound" if record == "text+audio" else "text"
    return Content.assemble(f"{TalkFrame.BORDER_TITLE}  ", ("● rec", "bold $text-error"), f" {what}")


def exports_folder() -> Path:
    """Where exports go: the user's documents, or where the program was started if there are none."""
    import platformdirs

    documents = Path(platformdirs.user_documents_path())
    return documents if documents.is_dir() else Path.cwd()

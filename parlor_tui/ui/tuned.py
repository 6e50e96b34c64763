"""The app's side panel: it opens, closes, and leaves a mark in the talk for what was changed in it."""

from __future__ import annotations

from textual.app import App
from textual.events import Resize

from parlor_tui.events import Event, SpeechStarted, now_s
from parlor_tui.ui.transcript import Transcript
from parlor_tui.ui.widgets.prompt import Prompt
from parlor_tui.ui.widgets.talk import Talk
from parlor_tui.ui.widgets.tune_panel import TunePanel


class TunedApp(App[int], inherit_bindings=False):
    """An app with a `TunePanel`. The transcript is set by the whole app, before it is mounted."""

    _transcript: Transcript

    def tune_event(self, event: Event) -> None:
        """Take one event over, before it shows in the talk."""
        panel = self.query_one(TunePanel)
        if isinstance(event, SpeechStarted):
            self.mark_changes()
        panel.apply(event)

    def on_resize(self, event: Resize) -> None:
        """Give the panel its place."""
        self.query_one(TunePanel).fit(event.size.width, event.size.height)

    def mark_changes(self) -> None:
        """What was changed up to now stands in the talk before what comes next."""
        if line := self.query_one(TunePanel).take_mark():
            self._transcript.line(line, "info", now_s())

    def on_tune_panel_marked(self, _: TunePanel.Marked) -> None:
        """Say in the talk what was changed, as the talk goes on with it."""
        self.mark_changes()
        self.query_one(Talk).show_changes()

    def on_tune_panel_moved(self, _: TunePanel.Moved) -> None:
        """Once it is closed the keys are for the input line again."""
        if not self.query_one(TunePanel).display:
            self.query_one(Prompt).focus()

    def action_tune(self) -> None:
        """Open or close the panel."""
        self.query_one(TunePanel).toggle()

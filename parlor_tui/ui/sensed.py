"""The app's side of microphone, speaker and camera: what is used, what can be, and the picture beside the talk."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial

from textual.app import App, ComposeResult, SystemCommand
from textual.containers import Vertical
from textual.content import Content
from textual.events import Resize

from parlor_tui.events import CameraFrame, DeviceKind, DevicesChanged, DeviceUsed, Event
from parlor_tui.settings import Devices, Keys
from parlor_tui.ui import first_run
from parlor_tui.ui.actions import first_key
from parlor_tui.ui.camera import CameraPicture
from parlor_tui.ui.choices import device_choices
from parlor_tui.ui.control import AssistantControl
from parlor_tui.ui.device_choices import KINDS, DeviceChoices, news
from parlor_tui.ui.palette import each_of
from parlor_tui.ui.screens.devices import DevicesScreen
from parlor_tui.ui.screens.first_run import FirstRunScreen
from parlor_tui.ui.text import one_line
from parlor_tui.ui.transcript import Transcript
from parlor_tui.ui.widgets.camera_view import CameraView
from parlor_tui.ui.widgets.status import Status
from parlor_tui.ui.widgets.tune_panel import TunePanel

SIDE_FROM_COLUMNS = 100
"""A narrower screen has room for the talk alone."""
_PICKERS = {
    "microphone": "A list, and how loud the one in use is",
    "speaker": "A list, and a sound to try the one in use",
    "camera": "A list, and what the one in use sees",
}
"""What the palette says of the picker of each kind."""


class Side(Vertical):
    """What the camera sees, beside the talk; absent without a camera, and on a narrow screen."""

    DEFAULT_CSS = """
    Side {
        width: 36; height: 14; display: none;
        border: round $frame; border-title-color: $text-muted; border-subtitle-color: $text-muted;
    }
    """

    def compose(self) -> ComposeResult:
        """The picture alone."""
        self.border_title = "Camera"
        yield CameraView(id="side-camera")


class SensedApp(App[int], inherit_bindings=False):
    """An app with devices that change. What it works on is set by the whole app, before it is mounted.

    `first_run`: the command that checks the machine, if the steps of a first start are to be shown.
    """

    first_run: Sequence[str] = ()

    _assistant: AssistantControl
    _transcript: Transcript
    _status: Status
    _keys: Keys

    def use_devices(self, devices: Devices) -> None:
        """Begin with what the settings say."""
        self._device_choices = DeviceChoices.of(devices)
        self._picture = CameraPicture()
        self._camera_before = devices.camera if devices.camera != "none" else "default"
        self._camera_shown = False

    def device_event(self, event: Event) -> None:
        """Take one event over."""
        self._device_choices = self._device_choices.after(event)
        self._picture = self._picture.after(event)
        match event:
            case DevicesChanged() if told := news(event, first_key("devices", self._keys)):
                self._transcript.line(told, "info", event.at_s)
            case DeviceUsed(kind="camera", choice=choice):
                if choice != "none":
                    self._camera_before = choice
                self._status = replace(self._status, camera=bool(event.label))
                self.show_side()
            case CameraFrame():
                self.query_one("#side-camera", CameraView).picture = self._picture
        for screen in self.screen_stack:
            if isinstance(screen, DevicesScreen | FirstRunScreen):
                screen.happened(event, self._device_choices, self._picture)

    def show_side(self) -> None:
        """Show what the camera sees where there is room for it, and have it sent only while somebody sees it."""
        side = self.query_one(Side)
        columns = self.size.width - self.query_one(TunePanel).columns
        side.display = bool(self._picture.label) and columns >= SIDE_FROM_COLUMNS
        side.border_subtitle = Content(one_line(self._picture.label))
        wanted = side.display or isinstance(self.screen, DevicesScreen)
        if wanted != self._camera_shown:
            self._camera_shown = wanted
            self._assistant.show_camera(wanted)

    def on_resize(self, _: Resize) -> None:
        """There may be room now, or no more."""
        self.call_after_refresh(self.show_side)

    def on_tune_panel_moved(self, _: TunePanel.Moved) -> None:
        """The panel came, or went, and left room."""
        self.show_side()

    def commands_of_devices(self) -> Iterable[SystemCommand]:
        """The palette's entries for devices: a picker for each kind, and each device by its name."""
        for kind in KINDS:
            yield SystemCommand(f"Choose a {kind}", _PICKERS[kind], partial(self.action_devices, kind))
            known = device_choices(self._device_choices.of_kind(kind))
            yield from each_of(kind, known, partial(self._assistant.use_device, kind))

    def welcome(self, doctor: Sequence[str]) -> None:
        """Show the first start's steps; `doctor` is the command that makes its checks. Never again by itself."""
        audible = self._device_choices.chosen["speaker"] != "none"
        welcome = FirstRunScreen(self._assistant, doctor, self._keys, audible=audible)
        self.push_screen(welcome, lambda _: first_run.mark_done())

    # --- the actions --------------------------------------------------------------------------------------------------

    def action_devices(self, kind: DeviceKind = "microphone") -> None:
        """Choose what is listened, spoken and looked with."""
        self.push_screen(
            DevicesScreen(self._assistant, self._device_choices, self._picture, kind), lambda _: self.show_side()
        )
        self.call_after_refresh(self.show_side)

    def action_camera(self) -> None:
        """Open the camera, or close it."""
        used = self._device_choices.chosen.get("camera", "none")
        self._assistant.use_device("camera", "none" if used != "none" else self._camera_before, remember=False)

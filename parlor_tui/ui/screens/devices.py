"""F9: microphone, speaker and camera, each with what it hears, plays or sees now. What is chosen is used at once."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Button, ContentSwitcher, Input, OptionList, Static, Tab, Tabs
from textual.widgets.option_list import Option

from parlor_tui.events import DeviceKind, DeviceUsed, Event, Failed, MicLevel, now_s
from parlor_tui.ui.actions import BY_ID
from parlor_tui.ui.camera import CameraPicture
from parlor_tui.ui.control import AssistantControl
from parlor_tui.ui.device_choices import KINDS, DeviceChoices
from parlor_tui.ui.screens.over import OverScreen
from parlor_tui.ui.text import clean
from parlor_tui.ui.widgets.camera_view import CameraView
from parlor_tui.ui.widgets.level import LevelMeter
from parlor_tui.ui.widgets.lines import Lines

TITLES = {"microphone": "Microphone", "speaker": "Speaker", "camera": "Camera"}
FILE_HINTS = {
    "microphone": "or a sound file, or part of a name",
    "speaker": "or a .wav to record into",
    "camera": "or a picture, or a video",
}

TONE_REFUSED_S = 2.0
"""Why the notes cannot be played is told by then; what fails later is another thing."""


class DeviceList(Vertical):
    """What can be used as one kind of device; a list, and a line for what is in no list."""

    def __init__(self, kind: DeviceKind) -> None:
        super().__init__(id=f"list-{kind}", classes="device-list")
        self.kind: DeviceKind = kind
        self._names: list[str] = []
        self._words: list[str] = []

    def compose(self) -> ComposeResult:
        """The list above, the line below."""
        yield Lines(id=f"options-{self.kind}")
        yield Input(placeholder=FILE_HINTS[self.kind], id=f"other-{self.kind}", compact=True)

    def show(self, choices: DeviceChoices) -> None:
        """Bring the list up to date; the marked line stays."""
        options = self.query_one(OptionList)
        found = choices.of_kind(self.kind)
        words = [f"{'●' if one.used else ' '} {clean(one.words)}".replace("\n", " ") for one in found]
        if words == self._words:
            return
        first = not self._words
        at = options.highlighted
        marked = self._names[at] if at is not None and at < len(self._names) else None
        self._names, self._words = [one.name for one in found], words
        options.clear_options()
        options.add_options([Option(Content(line)) for line in words])
        used = next((number for number, one in enumerate(found) if one.used), 0)
        options.highlighted = self._names.index(marked) if not first and marked in self._names else used

    def name_at(self, index: int) -> str:
        """What the line stands for."""
        return self._names[index]


class DevicesScreen(OverScreen[None]):
    """Esc or its own key closes it; the talk goes on meanwhile."""

    DEFAULT_CSS = """
    DevicesScreen {
        align: center middle;
        background: $background 60%;
        #devices-frame {
            width: 84; max-width: 100%; height: 24; max-height: 100%;
            border: round $primary; border-title-color: $text; border-subtitle-color: $text-muted;
            background: $surface; padding: 0 1;
        }
        Tabs { height: 2; }
        #device-lists { width: 1fr; height: 1fr; }
        .device-list { height: 1fr; }
        OptionList { height: 1fr; border: none; padding: 0; background: $surface; scrollbar-size-vertical: 1; }
        OptionList:focus { border: none; background-tint: $foreground 0%; }
        Input { background: $panel; margin-top: 1; }
        #device-live { width: 36; height: 1fr; margin-left: 2; }
        #device-live > * { height: 1fr; }
        #live-speaker { height: auto; }
        #live-speaker Static, #live-microphone Static { height: auto; margin-bottom: 1; color: $text-muted; }
        #device-note { height: auto; max-height: 2; color: $text-muted; }
        #device-note.-trouble { color: $text-error; }
    }
    DevicesScreen.-narrow #device-live { width: 34; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss", "close", show=False),
        Binding(BY_ID["devices"].keys, "dismiss", "close", show=False, id="devices"),
        Binding("left", "kind(-1)", "the list before", show=False),
        Binding("right", "kind(1)", "the next list", show=False),
    ]

    def __init__(
        self, assistant: AssistantControl, choices: DeviceChoices, picture: CameraPicture, kind: DeviceKind
    ) -> None:
        super().__init__()
        self._assistant = assistant
        self._choices = choices
        self._picture = picture
        self._kind: DeviceKind = kind
        self._waiting: dict[DeviceKind, str] = {}
        self._played_at_s = -TONE_REFUSED_S

    def compose(self) -> ComposeResult:
        """The kinds on top; of one the list, and beside it what it does now; what became of a choice at the bottom."""
        with Vertical(id="devices-frame") as frame:
            frame.border_title = "Devices"
            frame.border_subtitle = "enter uses it · ← → or tab: more · esc closes"
            yield Tabs(*(Tab(TITLES[kind], id=kind) for kind in KINDS), active=self._kind)
            with Horizontal():
                with ContentSwitcher(id="device-lists", initial=f"list-{self._kind}"):
                    for kind in KINDS:
                        yield DeviceList(kind)
                with ContentSwitcher(id="device-live", initial=f"live-{self._kind}"):
                    with Vertical(id="live-microphone"):
                        yield Static("Say something: the bar moves with your voice, and turns bright once it is heard.")
                        yield LevelMeter(id="device-level")
                    with Vertical(id="live-speaker"):
                        yield Static("Two notes, to hear whether it plays:")
                        yield Button("Play", id="device-tone", compact=True)
                    with Vertical(id="live-camera"):
                        yield CameraView(id="device-camera")
            yield Static("", id="device-note", markup=False)

    def on_mount(self) -> None:
        """Have devices listed, and the microphone and the camera looked after while this is open."""
        self._assistant.watch_devices(True)
        self._show_choices()
        self.query_one(f"#options-{self._kind}").focus()

    def on_unmount(self) -> None:
        """Nobody chooses any more."""
        self._assistant.watch_devices(False)

    def happened(self, event: Event, choices: DeviceChoices, picture: CameraPicture) -> None:
        """Take one event; `choices` and `picture` are what it made of them."""
        if not self.query(CameraView):  # not composed yet: it begins with what they are by then
            self._choices, self._picture = choices, picture
            return
        match event:
            case MicLevel(dbfs=dbfs, speech_probability=probability):
                self.query_one(LevelMeter).level = (dbfs, probability)
            case DeviceUsed(kind=kind, choice=choice, label=label):
                self._became(kind, choice, label)
            case Failed(text=text, at_s=at_s) if self._waiting or 0.0 <= at_s - self._played_at_s < TONE_REFUSED_S:
                self._waiting.clear()
                self._played_at_s = -TONE_REFUSED_S
                self._note(text, trouble=True)
            case _:
                pass
        if choices != self._choices:
            self._choices = choices
            self._show_choices()
        if picture is not self._picture:
            self._picture = picture
            self.query_one(CameraView).picture = picture

    def _became(self, kind: DeviceKind, choice: str, label: str) -> None:
        if self._waiting.get(kind) == choice:
            del self._waiting[kind]
            self._note(f"{TITLES[kind]}: {label or choice}, from now on" if label or choice == "none" else "")

    def _show_choices(self) -> None:
        for one in self.query(DeviceList):
            one.show(self._choices)
        self.query_one(CameraView).picture = self._picture
        if not self._choices.listed:
            self._note("looking what there is ...")
        elif self._choices.trouble:
            self._note(self._choices.trouble, trouble=True)
        elif str(self.query_one("#device-note", Static).content).startswith("looking"):
            self._note("")

    def _note(self, text: str, *, trouble: bool = False) -> None:
        note = self.query_one("#device-note", Static)
        note.set_class(trouble, "-trouble")
        note.update(Content(clean(text).replace("\n", " ")))

    def on_tabs_tab_activated(self, event: Tabs.TabActivated) -> None:
        """Show another kind."""
        event.stop()
        kind = next(kind for kind in KINDS if kind == event.tab.id)
        if kind == self._kind:
            return
        self._kind = kind
        self.query_one("#device-lists", ContentSwitcher).current = f"list-{kind}"
        self.query_one("#device-live", ContentSwitcher).current = f"live-{kind}"
        if not isinstance(self.focused, Tabs):
            self.query_one(f"#options-{kind}").focus()

    def action_kind(self, by: int) -> None:
        """Show the next kind, or the one before."""
        at = (KINDS.index(self._kind) + by) % len(KINDS)
        self.query_one(Tabs).active = KINDS[at]

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Use it, whichever list shows by now."""
        event.stop()
        chosen = next(one for one in self.query(DeviceList) if event.option_list in one.children)
        self._use(chosen.kind, chosen.name_at(event.option_index))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Use what was typed."""
        event.stop()
        if name := clean(event.value).strip():
            event.input.clear()
            self._use(next(one.kind for one in self.query(DeviceList) if event.input in one.children), name)

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Play the notes."""
        event.stop()
        self._played_at_s = now_s()  # a refusal is to be read here
        self._assistant.play_tone()

    def _use(self, kind: DeviceKind, name: str) -> None:
        self._waiting[kind] = name
        self._note(f"{TITLES[kind]}: trying {name} ...")
        self._assistant.use_device(kind, name)

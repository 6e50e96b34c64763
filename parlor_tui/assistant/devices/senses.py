"""The devices of one assistant: chosen, opened, lost, found again; without one of them the talk goes on, and says so.

A device is opened on a thread of its own; until another one works, what was in use goes on.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import cast

from parlor_tui.assistant.devices.looking import Looking
from parlor_tui.assistant.devices.opening import Opened, Opening, stop_later
from parlor_tui.assistant.devices.routing import SOUND, Routing
from parlor_tui.assistant.devices.slots import Slot, aside, changed, is_gone, may_want_to_be_alone
from parlor_tui.assistant.devices.starting import Starter
from parlor_tui.assistant.inbox import (
    CameraGone,
    CameraSees,
    DevicesFound,
    Input,
    MicrophoneTrouble,
    OfSenses,
    ShowCamera,
    StreamsRouted,
    UseDevice,
    WatchDevices,
)
from parlor_tui.devices.base import Camera, Microphone, Speaker
from parlor_tui.devices.files import SOUND_SUFFIXES, means_file
from parlor_tui.devices.listing import Found
from parlor_tui.devices.select import Opener
from parlor_tui.devices.watch import Watcher
from parlor_tui.events import CameraFrame, DeviceKind, Event, Failed, now_s
from parlor_tui.settings import Devices
from parlor_tui.settings.saving import save_values

Notify = Callable[[str, str], None]
"""Called with a line for the user and the trouble's name; an empty line when it is over."""
_MORE = {"microphone": "", "speaker": " (replies are only shown)", "camera": ""}
_GONE = {
    "microphone": "the microphone is gone: {}",
    "speaker": "the speaker is gone, replies are only shown: {}",
    "camera": "the camera is gone: {}",
}


class Senses:
    """The devices of one assistant, used by its thread; what they bring is `put` into its inbox.

    `file` is the settings file that choices are written into.
    """

    def __init__(
        self,
        devices: Devices,
        opener: Opener,
        put: Callable[[Input], None],
        notify: Notify,
        emit: Callable[[Event], None],
        file: Path,
        watcher: Watcher | None = None,
    ) -> None:
        self._starter = Starter(devices, opener, put)
        self._notify = notify
        self._emit = emit
        self._file = file
        choices: dict[DeviceKind, str] = {
            "microphone": devices.microphone,
            "speaker": devices.speaker,
            "camera": devices.camera,
        }
        self._slots = {kind: Slot(kind, choice, Opening(kind, put)) for kind, choice in choices.items()}
        self._sound = [self._slots[kind] for kind in SOUND]
        self._found: Found | None = None
        self._loading = True
        self._watcher = watcher or Watcher(
            lambda found, came: put(DevicesFound(found, came)),
            on_routes=lambda routes, asked_at_s: put(StreamsRouted(routes, asked_at_s)),
        )
        self._routing = Routing(notify, emit, self.lost)
        self._looking = Looking(
            lambda frame: put(CameraSees(frame)), lambda reason, camera: put(CameraGone(reason, camera))
        )
        self.hurry = False
        """What is missing may be there again: it is to be tried now."""

    # --- what there is ------------------------------------------------------------------------------------------------

    @property
    def has_microphone(self) -> bool:
        """Is anything listened to."""
        return self._slots["microphone"].device is not None

    @property
    def microphone(self) -> Microphone | None:
        """What is listened to."""
        return cast("Microphone | None", self._slots["microphone"].device)

    @property
    def speaker(self) -> Speaker | None:
        """What plays."""
        return cast("Speaker | None", self._slots["speaker"].device)

    @property
    def speaker_coming(self) -> bool:
        """Will something play in a moment."""
        return self.is_opening("speaker") and self._slots["speaker"].choice != "none"

    @property
    def moves(self) -> int:
        """How often the sound server put a stream elsewhere, so that what was learnt of the room holds no more."""
        return self._routing.moves

    def is_opening(self, kind: DeviceKind) -> bool:
        """Is it being opened."""
        return self._slots[kind].at_work

    def frame_jpeg(self) -> bytes | None:
        """The camera's newest frame."""
        camera: Camera | None = self._slots["camera"].device
        newest = camera.newest_jpeg() if camera is not None else None
        return newest[0] if newest is not None else None

    def take(self, message: OfSenses) -> None:
        """Take what the user wants of the devices, and what became of them."""
        match message:
            case UseDevice(kind, choice, remember):
                self.use(kind, choice, remember=remember)
            case WatchDevices(wanted):
                self.watch(wanted)
            case ShowCamera(wanted):
                self._looking.show(wanted)
            case Opened():
                self._opened(message)
            case DevicesFound(found, came):
                self._found_now(found, came)
            case CameraGone(reason, device):
                self.ended("camera", reason, device)
            case MicrophoneTrouble(hint, device):
                if self._slots["microphone"].device is device:
                    self._routing.silent(hint)
            case StreamsRouted():
                self.hurry = self.hurry or any(slot.due for slot in self._sound)
                for slot in self._sound:
                    self._routing.take(message, slot)
            case CameraSees(frame):
                if self._slots["camera"].device is not None:
                    self._emit(frame)

    # --- what is wanted -----------------------------------------------------------------------------------------------

    def open(self, kind: DeviceKind) -> None:
        """Use what was chosen from now on; `opened` is told what came of it. In use, or on its way: nothing happens."""
        slot = self._slots[kind]
        if slot.device is None and not slot.at_work:
            self._begin(slot, slot.choice)

    def reopen(self, kind: DeviceKind) -> None:
        """What was chosen is to be opened anew: another one may be meant by it now."""
        slot = self._slots[kind]
        if slot.device is not None:
            stop_later(slot.device)
            slot.device = None
        self._begin(slot, slot.choice)

    def use(self, kind: DeviceKind, choice: str, *, remember: bool) -> None:
        """The user wants another one. What is in use goes on until that works."""
        slot = self._slots[kind]
        slot.tried, slot.remember, slot.alone = choice.strip() or "default", remember, False
        self._begin(slot, slot.tried)

    def watch(self, wanted: bool) -> None:
        """Somebody is choosing: list what there is, often."""
        self._watcher.start()
        self._watcher.choosing(wanted)
        if self._found is not None:
            self._emit(changed(self._found, ()))
        for slot in self._slots.values():
            self._tell_used(slot)
        microphone = self._slots["microphone"]
        if wanted and not means_file(microphone.choice, SOUND_SUFFIXES):  # which begins to play when it is opened
            self.open("microphone")

    def ready(self) -> None:
        """The models are loaded: from now on what is lost is told at once, and what is plugged in is noticed."""
        self._loading = False
        self._watcher.start()
        self.retry(idle=True)

    def retry(self, *, idle: bool) -> None:
        """Try what is missing again. `idle`: nothing is played, the streams may be opened anew."""
        self.hurry = False
        for slot in self._slots.values():
            if not slot.due or slot.at_work:
                continue
            alone = slot.renew == 1 and idle and slot.kind in SOUND
            if slot.renew > 1 or alone:
                slot.renew -= 1
            self._begin(slot, slot.choice, alone=alone)

    def close_inputs(self) -> None:
        """Stop microphone and camera, and open nothing any more; bounded."""
        for slot in self._slots.values():
            slot.opening.close()
        self._watcher.stop(0.1)
        self._stop("microphone", 0.3)
        self._stop("camera", 0.3)

    def close(self) -> None:
        """Stop all devices that are left, input first; bounded."""
        self.close_inputs()
        self._stop("speaker", 0.5)
        self._looking.close()

    def _stop(self, kind: DeviceKind, within_s: float) -> None:
        slot = self._slots[kind]
        device, slot.device = slot.device, None
        if device is not None:
            device.stop(within_s)

    # --- what happened ------------------------------------------------------------------------------------------------

    def _opened(self, opened: Opened) -> None:
        slot = self._slots[opened.kind]
        if opened.attempt != slot.opening.newest:
            if opened.device is not None:
                stop_later(opened.device)
            return
        slot.at_work = False
        if opened.trouble:
            self._failed(slot, opened.trouble)
        else:
            self._swap(slot, opened)
        if opened.forgotten:
            self._emit(Failed(at_s=now_s(), text=f"used, but not remembered: {opened.forgotten}"))
        if not slot.at_work:
            self._back_from_aside()

    def ended(self, kind: DeviceKind, reason: str, device: object) -> None:
        """`device` says that it is lost. What an earlier one says means nothing any more."""
        slot = self._slots[kind]
        if slot.device is device:
            self.lost(kind, reason)
        elif slot.at_work:
            slot.ended = device, reason

    def lost(self, kind: DeviceKind, reason: str) -> None:
        """It went away: say so, and try again at once, and then from time to time."""
        slot = self._slots[kind]
        self.hurry = True
        if slot.device is not None:
            stop_later(slot.device)
            slot.device = None
        if slot.at_work and slot.tried is None:
            slot.opening.forget()
            slot.at_work = False
        slot.due = True
        if kind == "camera":
            self._looking.at(None)
        self._routing.forget(kind)
        if kind == "speaker" and self._loading:
            return  # a machine that loads models may be too busy for sound; told if it stays away
        self._notify(_GONE[kind].format(reason), kind)
        self._tell_used(slot)

    def _found_now(self, found: Found, came: tuple[str, ...]) -> None:
        before, self._found = self._found, found
        awaited = {slot.choice for slot in self._slots.values() if slot.due}
        for slot in self._slots.values():
            slot.renew = 2 if slot.due else 0
        self.hurry = self.hurry or bool(awaited)
        self._emit(changed(found, tuple(name for name in came if name not in awaited)))
        for slot in self._slots.values():
            if before is not None and is_gone(slot, before, found):
                self.lost(slot.kind, f"{slot.device.label} is there no more: plug it in again or choose another one")

    # --- inside -------------------------------------------------------------------------------------------------------

    def _begin(self, slot: Slot, choice: str, *, alone: bool = False) -> None:
        """Open `choice`. `alone`: with every stream closed first, as a system of sound may want it."""
        slot.at_work = True
        first = aside(self._sound, slot) if alone and slot.opening.has_room else []  # without, nobody would close them
        start = partial(self._starter.start, slot.kind, choice, first)
        keep = slot.tried is not None and slot.remember
        values = {f"devices.{slot.kind}": choice}
        slot.opening.begin(start, partial(save_values, self._file, values) if keep else None)

    def _swap(self, slot: Slot, opened: Opened) -> None:
        old, slot.device = slot.device, opened.device
        if slot.tried is not None:
            slot.choice, slot.tried = slot.tried, None
        slot.due, slot.renew = False, 0
        if old is not None:
            stop_later(old)
        self._notify("", slot.kind)
        slot.since_s = now_s()
        self._routing.forget(slot.kind)
        if slot.kind == "camera":
            self._looking.at(slot.device)
        else:
            self._watcher.look_at_routes()
        self._tell_used(slot)
        ended, slot.ended = slot.ended, None
        if ended is not None and slot.device is not None and ended[0] is slot.device:
            self.lost(slot.kind, ended[1])

    def _failed(self, slot: Slot, trouble: str) -> None:
        if slot.tried is None:
            slot.due = True
            self._notify(trouble + _MORE[slot.kind], slot.kind)
            self._tell_used(slot)
            return
        if slot.kind in SOUND and not slot.alone and may_want_to_be_alone(self._sound, slot, self._found):
            slot.alone = True
            self._begin(slot, slot.tried, alone=True)
            return
        slot.tried = None
        label = slot.device.label if slot.device is not None else ""
        going_on = f"; going on with {label}" if label else ""
        self._emit(Failed(at_s=now_s(), text=trouble + going_on))
        if slot.device is None and slot.choice != "none":
            self._begin(slot, slot.choice)
        self._tell_used(slot)

    def _back_from_aside(self) -> None:
        for slot in self._slots.values():
            if slot.aside:
                slot.aside = False
                self.open(slot.kind)

    def _tell_used(self, slot: Slot) -> None:
        self._emit(slot.used)
        if slot.kind == "camera" and slot.device is None:
            self._emit(CameraFrame(at_s=now_s()))

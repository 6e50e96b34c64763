"""Checks of what parlor-tui hears, speaks, looks and thinks with: sound, camera, models."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from parlor_tui.commands.checks.base import Check, Status
from parlor_tui.commands.checks.packages import KILLED, load_faults
from parlor_tui.settings import Settings, models_folder

SOUND_MODULE = "sounddevice"
SPARE_BYTES = 200_000_000
"""Room for unpacking beside the models themselves."""


def check_sound(settings: Settings) -> Iterator[Check]:
    """PortAudio, and the microphone and speaker that the settings ask for."""
    from parlor_tui.devices import sound_system
    from parlor_tui.devices.base import DeviceError

    wanted: dict[sound_system.Kind, str] = {
        "microphone": settings.devices.microphone,
        "speaker": settings.devices.speaker,
    }
    needed = any(choice != "none" for choice in wanted.values())
    fault = load_faults([SOUND_MODULE]).get(SOUND_MODULE, "")
    if KILLED in fault:  # as ALSA's library does when it cannot read its own configuration
        advice = "mend the sound system first; on Linux see ~/.asoundrc, /etc/asound.conf and /usr/share/alsa/alsa.conf"
        yield Check("Sound", "PortAudio", "missing", fault, advice)
        return
    try:
        version = str(sound_system.load().get_portaudio_version()[1]).partition(",")[0]
        yield Check("Sound", "PortAudio", "ok", version.removeprefix("PortAudio "))
    except DeviceError as error:
        yield Check("Sound", "PortAudio", "missing" if needed else "ok", "not found", str(error) if needed else "")
        return
    for kind, choice in wanted.items():
        yield _sound_device(kind, choice)


def _sound_device(kind: str, choice: str) -> Check:
    from parlor_tui.devices import sound_system
    from parlor_tui.devices.base import DeviceError
    from parlor_tui.devices.files import SOUND_SUFFIXES, means_file

    if choice == "none":
        return Check("Sound", kind, "ok", "none, as the settings say")
    try:
        if means_file(choice, SOUND_SUFFIXES):
            return _sound_file(kind, Path(choice))
        device = sound_system.choose("microphone" if kind == "microphone" else "speaker", choice)
    except DeviceError as error:
        return Check("Sound", kind, "missing", f"{choice}: cannot be used", str(error))
    return Check("Sound", kind, "ok", f"{device.number} {device.name}, {device.host}, {device.rate_hz} Hz")


def _sound_file(kind: str, path: Path) -> Check:
    """A file in place of the device: one that is read must be there, one that is written must have a folder."""
    from parlor_tui.devices.files import regular_file

    if kind == "microphone":
        return Check("Sound", kind, "ok", f"the file {regular_file(path, 'a sound file')}")
    if not path.expanduser().absolute().parent.is_dir():
        return Check("Sound", kind, "missing", f"{path}: no such folder", "give a .wav in a folder that exists")
    return Check("Sound", kind, "ok", f"recorded into {path}")


def check_camera(settings: Settings) -> Iterator[Check]:
    """The camera that the settings ask for; it is not switched on."""
    from parlor_tui.devices.base import DeviceError
    from parlor_tui.devices.camera import list_cameras
    from parlor_tui.devices.select import open_camera

    choice = settings.devices.camera
    known = list_cameras()
    there = "cameras are not listed on this system" if known is None else f"{len(known)} found"
    if choice == "none":
        yield Check("Camera", "camera", "ok", f"none, as the settings say; {there}")
        return
    try:
        camera = open_camera(choice)
    except DeviceError as error:
        yield Check("Camera", "camera", "missing", f"{choice}: cannot be used", str(error))
        return
    yield Check("Camera", "camera", "ok", f"{camera.label if camera else choice}; {there}")


def check_models(settings: Settings) -> Iterator[Check]:
    """The models of the profile, and room for those that are missing."""
    from parlor_tui.core.profiles import choose
    from parlor_tui.models import catalogue, needs
    from parlor_tui.models.base import ModelError, in_words
    from parlor_tui.models.local import local_model
    from parlor_tui.models.store import store_of

    folder = models_folder(settings)
    store = store_of(settings)
    profile = choose(settings).name
    try:
        names = needs.needed(profile, settings)
        if profile == "gemma" and isinstance(file := needs.answering(settings), Path):
            size_bytes = local_model(file).size_bytes
            yield Check("Models", file.name, "ok", f"answers, {in_words(size_bytes)}: {file}")
    except ModelError as error:
        yield Check("Models", settings.core.model, "missing", "cannot be used", str(error))
        return
    absent = store.missing(names, needs.chosen(settings))
    for name in names:
        model = catalogue.find(store.stand_in(name))
        words = f"{model.purpose}, {in_words(model.size_bytes)}"
        if name in absent:
            status: Status = "warning" if name in catalogue.OPTIONAL else "missing"
            yield Check("Models", name, status, f"{words}: not in {folder}", f"parlor-tui models get {name}")
        else:
            yield Check("Models", name, "ok", words if model.name == name else f"{model.name} in its place: {words}")
    yield disk(folder, sum(catalogue.find(name).size_bytes for name in absent))


def disk(folder: Path, wanted_bytes: int) -> Check:
    """Whether `wanted_bytes` more fit where `folder` is or will be; they need as much again while they are unpacked."""
    from parlor_tui.models.base import in_words

    place = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    free_bytes = shutil.disk_usage(place).free
    needed_bytes = 2 * wanted_bytes + SPARE_BYTES if wanted_bytes else 0
    found = f"{in_words(free_bytes)} free for {folder}"
    if free_bytes < needed_bytes:
        advice = f"{in_words(needed_bytes)} are needed: free some, or set models.folder to another disk"
        return Check("Models", "disk", "missing", found, advice)
    return Check("Models", "disk", "ok", found)

"""`parlor-tui devices`: what can be listened, spoken and looked with."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from parlor_tui.settings import Settings

if TYPE_CHECKING:
    from parlor_tui.devices.camera import CameraDevice
    from parlor_tui.devices.sound_system import Kind, SoundDevice

DONE, MISSING = 0, 3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the command."""
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of lists to read")


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    """List microphones, speakers and cameras. 3: there is no sound system, or neither microphone nor speaker."""
    from parlor_tui.devices.camera import list_cameras

    sound, trouble = _sound()
    cameras = list_cameras()
    report = _report(sound, trouble, cameras)
    if arguments.json:
        print(json.dumps(report, ensure_ascii=True))
    else:
        _print_lists(report, settings)
        if trouble:
            print(trouble, file=sys.stderr)
    return MISSING if trouble else DONE


def _sound() -> tuple[list[SoundDevice], str]:
    from parlor_tui.devices import sound_system
    from parlor_tui.devices.base import DeviceError

    try:
        found = sound_system.devices()
    except DeviceError as error:
        return [], str(error)
    if any(device.channels("microphone") or device.channels("speaker") for device in found):
        return found, ""
    return [], (
        "no microphone and no speaker found: plug one in or start the sound server (Linux: pipewire or pulseaudio); "
        "over SSH there is none, and typing works"
    )


def _report(sound: list[SoundDevice], trouble: str, cameras: list[CameraDevice] | None) -> dict[str, Any]:
    def of(kind: Kind) -> list[dict[str, Any]]:
        return [
            {
                "number": device.number,
                "name": device.name,
                "host": device.host,
                "channels": device.channels(kind),
                "rate_hz": device.rate_hz,
                "default": device.is_default(kind),
            }
            for device in sound
            if device.channels(kind)
        ]

    from parlor_tui.devices.listing import served

    return {
        "microphones": of("microphone"),
        "speakers": of("speaker"),
        "served": {"microphones": served("microphone", sound) or [], "speakers": served("speaker", sound) or []},
        "cameras": None if cameras is None else [asdict(camera) for camera in cameras],
        "trouble": trouble,
    }


def _print_lists(report: dict[str, Any], settings: Settings) -> None:
    lines: list[str] = []
    for title, chosen in (("microphones", settings.devices.microphone), ("speakers", settings.devices.speaker)):
        lines.append(f"{title} (setting: {chosen})")
        lines += [
            f"  {'*' if one['default'] else ' '} {one['number']:3} {one['name']}, {one['host']}, "
            f"{one['channels']} channels, {one['rate_hz']} Hz"
            for one in report[title]
        ] or ["    none"]
        lines += [f"      {name}, through the sound server" for name in report["served"][title]]
    lines.append(f"cameras (setting: {settings.devices.camera})")
    if report["cameras"] is None:
        lines.append("    not listed on this system: try --camera 0, 1, ...")
    else:
        lines += [
            f"    {one['number']:3} {one['name']}, {one['path']}" + ("" if one["allowed"] else ", not allowed")
            for one in report["cameras"]
        ] or ["    none"]
    if report["microphones"] or report["speakers"]:
        lines.append("* is the system's default")
    encoding = sys.stdout.encoding or "utf-8"
    text = "\n".join(lines)
    print(text.encode(encoding, "replace").decode(encoding))

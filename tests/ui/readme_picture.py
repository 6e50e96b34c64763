"""Draws the pictures of the README: `python -m tests.ui.readme_picture themes`."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import replace
from pathlib import Path
from typing import cast

from parlor_tui.events import Caption, Event, TurnCommitted, TurnDone, TurnStatus
from tests.ui import machines, stand_in

PICTURES: dict[str, tuple[tuple[int, int], str]] = {
    "screenshot": ((132, 42), "f2"),
    "history": ((132, 34), "f3"),
    "small": ((80, 24), ""),
}
"""Size in cells, and the key that is pressed after the talk."""


QUESTIONS = (
    ("Which metal is liquid at room temperature?", "Mercury is liquid at room temperature.", 1240, "completed"),
    ("How far away is the moon?", "About three hundred and eighty thousand kilometres.", 1130, "completed"),
    ("Say that in miles.", "Roughly two hundred and forty thousand miles.", 760, "completed"),
    ("Who painted the Mona Lisa?", "Leonardo da Vinci painted it, from 1503 on.", 1310, "interrupted"),
    ("And where does it hang?", "It hangs in the Louvre, in Paris.", 980, "completed"),
    ("How many bones has a hand?", "A hand has twenty-seven bones.", 1190, "completed"),
)
"""Asked and answered before the talk that is seen; voice to voice in ms, in the measure of the demo models."""


def earlier() -> list[Event]:
    """Turns for the history, numbered on from 10."""
    events: list[Event] = []
    for turn, (asked, answer, whole_ms, status) in enumerate(QUESTIONS, 10):
        at_s = 6.0 + (turn - 10) * 0.5
        parts = {"endpoint": 0.72, "hear": 0.02, "first_token": 0.03, "first_sentence": 0.04, "first_audio": 0.15}
        stages = {name: round(share * whole_ms, 1) for name, share in parts.items()} | {"playout": 0.04 * whole_ms}
        done = stand_in.done(turn=turn, at_s=at_s, reply=answer)
        events += [
            TurnCommitted(at_s=at_s, turn=turn, last_speech_at_s=at_s - 0.3),
            Caption(at_s=at_s, turn=turn, text=asked, final=True),
            *stand_in.speaking(turn=turn, at_s=at_s, reply=answer),
            *[
                replace(
                    event,
                    stages_ms=stages | {"voice_to_voice": float(whole_ms)},
                    status=cast("TurnStatus", status),
                    heard=asked,
                    writing_ms=290.0,
                )
                if isinstance(event, TurnDone)
                else event
                for event in done
            ],
        ]
    return events


async def picture(size: tuple[int, int], key: str) -> str:
    """What is on the screen after a scripted talk, as SVG."""
    app, assistant = stand_in.make_app()
    async with app.run_test(size=size) as pilot:
        talk = stand_in.readme_talk()
        ready = len(stand_in.ready())
        assistant.replay([*machines.minute(machines.NVIDIA), *talk[:ready], *earlier(), *talk[ready:]])
        app.drain()
        await pilot.pause()
        if key:
            await pilot.press(key)
        await pilot.pause()
        await pilot.pause()
        return app.export_screenshot(title="parlor-tui")


def main() -> None:
    if len(sys.argv) != 2 or not Path(sys.argv[1]).is_dir():
        raise SystemExit("usage: python -m tests.ui.readme_picture FOLDER")
    for name, (size, key) in PICTURES.items():
        Path(sys.argv[1], f"{name}.svg").write_text(asyncio.run(picture(size, key)), encoding="utf-8")


if __name__ == "__main__":
    main()

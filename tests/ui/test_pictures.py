"""Pictures of every state at three sizes and in three themes, compared with ones that were looked at."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from textual.pilot import Pilot

from parlor_tui.events import Event, Notice, State, StateChanged
from tests.ui import machines, stand_in
from tests.ui.pictures import SIZES, Compare

MICROPHONE_GONE = "the microphone was unplugged; plug it in again, or choose another with --mic"

SPOKEN: list[Event] = [
    *stand_in.ready(),
    *stand_in.hearing(),
    *stand_in.thinking(),
    *stand_in.speaking(),
    *stand_in.spoken_so_far(),
    stand_in.eager(),
]

SCENES: dict[str, list[Event]] = {
    "loading": stand_in.loading(),
    "listening": stand_in.ready(),
    "hearing": [*stand_in.ready(), *stand_in.hearing()],
    "thinking": [*stand_in.ready(), *stand_in.hearing(), *stand_in.thinking()],
    "speaking": SPOKEN,
    "interrupted": [
        *stand_in.ready(),
        *stand_in.hearing(),
        *stand_in.thinking(),
        *stand_in.speaking(),
        *stand_in.interrupted(),
    ],
    "pausing": [*stand_in.ready(), *stand_in.hearing(), *stand_in.pausing()],
    "finished": [*stand_in.ready(), *stand_in.hearing(), *stand_in.finished()],
    "dipped": [*SPOKEN, *stand_in.making_way("dipped")],
    "held": [*SPOKEN, *stand_in.making_way("held")],
    "resumed": [*SPOKEN, *stand_in.making_way("resumed")],
    "joined": [*stand_in.ready(), *stand_in.joined()],
    "eager": [*SPOKEN, *stand_in.done(eager_ms=352.0)],
    "muted": [*stand_in.ready(), StateChanged(at_s=9.0, state=State.MUTED)],
    "error": [
        *stand_in.whole_talk(),
        Notice(at_s=50.0, text=MICROPHONE_GONE, severity="warning", key="mic"),
        Notice(at_s=51.0, text="the core stopped; it is being started again", severity="error", key="core"),
        StateChanged(at_s=51.0, state=State.ERROR),
    ],
    "talk": stand_in.whole_talk(),
    "offered": [*stand_in.whole_talk(), stand_in.offered()],
    "offered-again": [*stand_in.ready(), stand_in.offered(came_bytes=1_190_000_000)],
    "offered-without-room": [*stand_in.ready(), stand_in.offered(fits=False)],
    "coming": [*stand_in.whole_talk(), stand_in.offered(), stand_in.coming()],
}


async def play(pilot: Pilot[int], assistant: stand_in.StandIn, scene: str) -> None:
    """Bring the scene onto the screen, beside a machine that is not idle."""
    app: Any = pilot.app
    assistant.replay([*machines.minute(machines.NVIDIA), *SCENES[scene]])
    app.drain()
    await pilot.pause()


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("scene", SCENES)
async def test_picture(scene: str, size: str, pictures: Compare) -> None:
    app, assistant = stand_in.make_app(stand_in.with_camera())
    app.animation_level = "none"
    async with app.run_test(size=SIZES[size]) as pilot:
        await play(pilot, assistant, scene)
        await pictures(pilot, "")


@pytest.mark.parametrize("scene", ["error", "held"])
def test_picture_without_colour(scene: str, monkeypatch: pytest.MonkeyPatch, snap_compare: Callable[..., bool]) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app, assistant = stand_in.make_app(stand_in.with_camera())

    async def playing(pilot: Pilot[int]) -> None:
        await play(pilot, assistant, scene)

    assert snap_compare(app, terminal_size=(80, 24), run_before=playing)

"""Pictures of every state at three sizes and in three themes, compared with ones that were looked at."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from textual.pilot import Pilot

from parlor_tui.events import Event, Notice, State, StateChanged
from parlor_tui.ui.cockpit import ParlorApp
from tests.ui import machines, stand_in

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


SIZES = [(80, 24), (120, 40), (200, 60)]


def play(
    app: ParlorApp, assistant: stand_in.StandIn, scene: str, theme: str
) -> Callable[[Pilot[Any]], Awaitable[None]]:
    """What brings the scene onto the screen, beside a machine that is not idle."""

    async def playing(pilot: Pilot[Any]) -> None:
        app.theme = theme
        assistant.replay([*machines.minute(machines.NVIDIA), *SCENES[scene]])
        app.drain()
        await pilot.pause()

    return playing


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "120x40", "200x60"])
@pytest.mark.parametrize("scene", SCENES)
def test_picture(scene: str, size: tuple[int, int], snap_compare: Callable[..., bool]) -> None:
    app, assistant = stand_in.make_app(stand_in.with_camera())
    assert snap_compare(app, terminal_size=size, run_before=play(app, assistant, scene, "parlor"))


@pytest.mark.parametrize("theme", ["parlor-light", "high-contrast"])
@pytest.mark.parametrize("scene", SCENES)
def test_picture_in_other_themes(scene: str, theme: str, snap_compare: Callable[..., bool]) -> None:
    app, assistant = stand_in.make_app(stand_in.with_camera())
    assert snap_compare(app, terminal_size=(120, 40), run_before=play(app, assistant, scene, theme))


@pytest.mark.parametrize("scene", ["error", "held"])
def test_picture_without_colour(scene: str, monkeypatch: pytest.MonkeyPatch, snap_compare: Callable[..., bool]) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app, assistant = stand_in.make_app(stand_in.with_camera())

    assert snap_compare(app, terminal_size=(80, 24), run_before=play(app, assistant, scene, "parlor"))

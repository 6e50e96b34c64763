"""Fast hands: keys, actions and sizes in any order, while a talk goes on and everything in it is as odd as can be."""

from __future__ import annotations

import random
import unicodedata
from dataclasses import replace
from pathlib import Path

import pytest
from textual.events import Key
from textual.pilot import Pilot

from parlor_tui.events import (
    Caption,
    ConversationBegun,
    CoreFound,
    DevicesChanged,
    DeviceUsed,
    EarlierTurn,
    Event,
    Failed,
    Loading,
    Notice,
    Ready,
    RecordingChanged,
    ReplyText,
    State,
    StateChanged,
    Tuned,
)
from parlor_tui.settings import Settings, Tuning
from parlor_tui.settings.presets import COME_ALONG
from parlor_tui.ui.actions import ACTIONS
from parlor_tui.ui.cockpit import ParlorApp
from parlor_tui.ui.widgets.prompt import Prompt
from parlor_tui.ui.widgets.tune_panel import TunePanel
from tests.ui import machines, stand_in, test_devices, test_history
from tests.ui.stand_in import StandIn
from tests.ui.test_camera import camera_on, frame
from tests.ui.test_conversations import keep

DIRECTING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
SIZES = ((80, 24), (120, 40), (200, 60), (40, 10), (20, 5), (1, 1), (3, 60), (300, 2))
ODD = {
    "endless": "W" * 10_000,
    "right to left": "\N{RIGHT-TO-LEFT OVERRIDE}abc שלום, מה שלומך? العربية \N{LEFT-TO-RIGHT ISOLATE}" * 20,
    "zalgo": "".join(c + "".join(chr(0x300 + (ord(c) + mark) % 112) for mark in range(40)) for c in "He comes"),
    "joined emoji": "👩‍👩‍👧‍👦🏳️‍🌈👨🏿‍🚀🇩🇪" * 30,
    "control": "".join(map(chr, range(32))) + "\x7f\x9b31m\x1b[2J\x1b]0;title\x07\ud800 \u2028\u2029\u200b\ufeff",
    "markup": "[bold][/bold][/][@click=app.leave]quit[/] [red]x[/red] \\[ [[ ]] $primary {} %s [link=x]",
    "blank": " \n\n\t \n ",
    "empty": "",
    "wide": "漢字かな交じり文" * 60,
}
SAVED = Tuning().values()


def odd_events(text: str, at_s: float = 60.0, turn: int = 30) -> list[Event]:
    """Everything that carries words, with `text` for all of them."""
    long_turn = [
        replace(event, text=text) if isinstance(event, Caption) else event
        for event in [*stand_in.hearing(turn, at_s), *stand_in.thinking(turn, at_s + 1)]
    ]
    return [
        CoreFound(at_s=at_s, profile=text, model=text, demo_grade=True),
        Loading(at_s=at_s, text=text, done_bytes=5, total_bytes=9),
        Ready(at_s=at_s, profile=text, model=text, load_ms=1.0, voices=("af_heart", text)),
        replace(stand_in.offered(), model=text, lines=(text, text)),
        replace(stand_in.coming(), text=text),
        stand_in.model_over("failed", text),
        replace(stand_in.offered(), model=text, lines=(text, text)),
        Notice(at_s=at_s, text=text or "x", severity="error", key="odd"),
        Notice(at_s=at_s, text=text, severity="warning"),
        Failed(at_s=at_s, text=text),
        DevicesChanged(
            at_s=at_s, microphones=(text, "USB"), speakers=(text,), cameras=(text,), came=(text,), trouble=text
        ),
        DeviceUsed(at_s=at_s, kind="microphone", choice=text, label=text),
        DeviceUsed(at_s=at_s, kind="camera", choice="0", label=text),
        Tuned(
            at_s=at_s,
            values=SAVED | {"speaking.voice": text, "hearing.echo": "headphones"},
            saved=SAVED,
            presets=(*COME_ALONG, text),
            preset=text,
        ),
        RecordingChanged(at_s=at_s, record="text", name=text),
        ConversationBegun(at_s=at_s, asked_at_s=at_s, name=text, earlier=(EarlierTurn(text, text, text, text[:16]),)),
        *long_turn,
        *[
            replace(event, delta=text, whole=text) if isinstance(event, ReplyText) and event.final else event
            for event in [*stand_in.speaking(turn, at_s + 2, text or "-"), *stand_in.done(turn, at_s + 3, text or "-")]
        ],
        *test_history.turn(turn + 1, said=text),
    ]


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Conversations with odd titles."""
    monkeypatch.setattr("parlor_tui.ui.keeping.exports_folder", lambda: tmp_path)
    said = [text.encode("utf-8", "replace").decode("utf-8") for text in ODD.values()]
    keep(tmp_path / "kept", {f"2026-11-{day:02d}-080000": (text,) for day, text in enumerate(said, 10)})
    return tmp_path / "kept"


def make(kept: Path) -> tuple[ParlorApp, StandIn]:
    app, assistant = stand_in.make_app(Settings().with_values({"conversations.folder": str(kept)}, "test"))
    app.animation_level = "none"
    return app, assistant


async def escaped(pilot: Pilot[int], app: ParlorApp) -> None:
    """Esc, a few times, leads back to the input line from everywhere, and then typing is typing."""
    app._bridge.put(StateChanged(at_s=99.0, state=State.LISTENING))
    app.drain()
    for _ in range(8):
        if len(app.screen_stack) == 1 and not app.query_one(TunePanel).display:
            break
        await pilot.press("escape")
        await pilot.pause()
    assert app.fault is None
    assert len(app.screen_stack) == 1, f"Esc does not close {app.screen!r}"
    assert not app.query_one(TunePanel).display, "Esc does not close the panel"


def key(name: str) -> Key:
    return Key(name, name if len(name) == 1 else {"space": " ", "enter": "\r", "tab": "\t"}.get(name))


HANDS = [
    *[one for action in ACTIONS if action.id != "leave" for one in action.keys.split(",")],
    *"aé7.[漢",
    "space",
    "enter",
    "enter",
    "enter",
    "tab",
    "shift+tab",
    "escape",
    "delete",
    "backspace",
    *["up", "down", "left", "right", "home", "end", "pageup", "pagedown", "shift+right", "ctrl+j"] * 2,
]


def talk() -> list[list[Event]]:
    """What may happen meanwhile."""
    return [
        stand_in.loading(),
        stand_in.ready(),
        stand_in.hearing(1, 20.0),
        stand_in.pausing(1),
        stand_in.thinking(1, 22.0),
        stand_in.speaking(1, 23.0),
        stand_in.spoken_so_far(1),
        stand_in.making_way("held", 1),
        stand_in.interrupted(1),
        stand_in.joined(),
        stand_in.done(1),
        stand_in.whole_talk(),
        [stand_in.offered()],
        [stand_in.coming()],
        [stand_in.model_over("got")],
        test_devices.USED,
        camera_on(),
        [frame()],
        camera_on("", "none"),
        test_history.TALK,
        machines.minute(machines.THROTTLED),
        [StateChanged(at_s=1.0, state=State.MUTED)],
        [StateChanged(at_s=1.0, state=State.ERROR), Notice(at_s=1.0, text="gone", severity="error", key="core")],
        [Notice(at_s=1.0, text="", key="core"), Notice(at_s=1.0, text="", key="odd")],
        *[odd_events(text[:200]) for text in ODD.values()],
    ]


async def steps(pilot: Pilot[int], app: ParlorApp, assistant: StandIn, rng: random.Random, count: int) -> list[str]:
    """What was done, in order."""
    done: list[str] = []
    happens = talk()
    for _ in range(count):
        match rng.choices(("keys", "action", "event", "size", "click"), (6, 3, 3, 1, 1))[0]:
            case "keys":
                burst = rng.choices(HANDS, k=rng.randint(1, 8))
                done.append(" ".join(burst))
                for name in burst:
                    app.post_message(key(name))
            case "action":
                action = rng.choice([one.id for one in ACTIONS if one.id != "leave"])
                done.append(f"action {action}")
                await app.run_action(f"app.{action}")
            case "event":
                number = rng.randrange(len(happens))
                done.append(f"event {number}")
                assistant.replay(happens[number])
                app.drain()
            case "size":
                size = rng.choice(SIZES)
                done.append(f"size {size}")
                await pilot.resize_terminal(*size)
            case "click":
                at = rng.randrange(app.size.width), rng.randrange(app.size.height)
                done.append(f"click {at}")
                await pilot.click(offset=at)
        await pilot.pause()
        assert app.fault is None, done
        assert app.is_running, done
    return done


@pytest.mark.parametrize("seed", range(3))
async def test_whatever_is_done_there_is_no_fault_and_esc_leads_back(seed: int, kept: Path) -> None:
    rng = random.Random(seed)
    app, assistant = make(kept)
    app.action_leave = lambda: None  # type: ignore[method-assign]
    async with app.run_test(size=rng.choice(SIZES), notifications=True) as pilot:
        for _ in range(3):
            done = await steps(pilot, app, assistant, rng, 16)
            try:
                await escaped(pilot, app)
            except AssertionError as error:
                raise AssertionError(f"{error} after {done}") from error


@pytest.mark.parametrize("size", [(80, 24), (1, 1)])
@pytest.mark.parametrize("opens", ["f9", "ctrl+p", "ctrl+o", "f3", "f1", "themes"])
async def test_every_list_takes_keys_before_it_is_drawn(opens: str, size: tuple[int, int], kept: Path) -> None:
    app, assistant = make(kept)
    async with app.run_test(size=size) as pilot:
        assistant.replay([*stand_in.whole_talk(), *test_devices.USED, StateChanged(at_s=9.0, state=State.LISTENING)])
        app.drain()
        if opens == "themes":
            app.action_themes()
        for name in (opens, "pagedown", "pageup", "end", "pageup", "home", "pagedown", "down", "up"):
            app.post_message(key(name))
        await pilot.pause()
        await pilot.press("pageup", "pagedown")
        await escaped(pilot, app)


@pytest.mark.parametrize("opens", ["ctrl+o", "ctrl+p", "f9", "themes", "welcome"])
async def test_enter_pressed_twice_ends_what_is_open_and_nothing_else(opens: str, kept: Path) -> None:
    app, assistant = make(kept)
    async with app.run_test(size=(80, 24)) as pilot:
        assistant.replay([*stand_in.whole_talk(), *test_devices.USED, StateChanged(at_s=9.0, state=State.LISTENING)])
        app.drain()
        if opens == "themes":
            app.action_themes()
        elif opens == "welcome":
            app.welcome(["true"])
        else:
            await pilot.press(opens)
        for _ in range(20):
            await pilot.pause(0.02)
        assistant.asked.clear()
        for _ in range(6):
            app.post_message(key("enter"))
        await pilot.pause()
        await pilot.pause()
        asked = [call for call, _ in assistant.asked if call in ("reopen", "interrupt")]
        assert len(asked) == (opens in ("ctrl+o", "ctrl+p")), "once, not for each Enter"
        await escaped(pilot, app)


def drawn(app: ParlorApp) -> list[tuple[str, int]]:
    """Each row, and how many cells it takes."""
    return [(strip.text, strip.cell_length) for strip in app.screen._compositor.render_strips()]


@pytest.mark.parametrize("text", ODD)
async def test_odd_words_are_drawn_everywhere_and_command_no_terminal(text: str, kept: Path) -> None:
    app, assistant = make(kept)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        assistant.replay([*stand_in.whole_talk(), *odd_events(ODD[text])])
        app.drain()
        app.notify(ODD[text], markup=False)
        commands = list(app.get_system_commands(app.screen))
        assert not [c for one in commands for c in one.title + one.help if unicodedata.category(c) == "Cc"]
        for opens in ("", "f2", "f9", "ctrl+o", "ctrl+p", "f3"):
            if opens:
                await pilot.press(opens)
            await pilot.pause(0.05)
            width, height = (20, 5) if opens == "f9" else (80, 24)
            if app.size != (width, height):
                await pilot.resize_terminal(width, height)
            rows = drawn(app)
            assert len(rows) == height, opens
            for row, cells in rows:
                assert cells == width, (opens, row)
                assert not [c for c in row if unicodedata.category(c) in ("Cc", "Cs") or c in DIRECTING], (opens, row)
            await escaped(pilot, app)


async def test_what_is_typed_stays_whatever_else_is_done(kept: Path) -> None:
    app, assistant = make(kept)
    app.action_leave = lambda: None  # type: ignore[method-assign]
    typed = "half a turn [/] שלום"
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await pilot.press(*typed)
        for number, (action, events) in enumerate(zip(ACTIONS, talk(), strict=False)):
            assistant.replay(events)
            app.drain()
            await app.run_action(f"app.{action.id}")
            await pilot.resize_terminal(*SIZES[number % len(SIZES)])
            await escaped(pilot, app)
            assert app.query_one(Prompt).text == typed, action.id
        assert app.focused is app.query_one(Prompt)
        await pilot.press("!", "enter")
        assert assistant.asked[-1] == ("say", f"{typed}!")

"""The table of actions: every key does what it says, also after it was changed, from where one types."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.pilot import Pilot

from parlor_tui.events import ReplyUnitReady, State, StateChanged
from parlor_tui.settings import Keys, Settings, SettingsError, parse
from parlor_tui.settings.keys import NEEDED, SENT_AS, USABLE, normal_keys, trouble
from parlor_tui.ui.actions import ACTIONS, BY_ID, GROUPS, Action, keymap, keys_of, shown_key
from parlor_tui.ui.cockpit import ParlorApp
from parlor_tui.ui.palette import Palette
from parlor_tui.ui.screens.conversations import ConversationsScreen
from parlor_tui.ui.screens.devices import DevicesScreen
from parlor_tui.ui.screens.help import HelpScreen
from parlor_tui.ui.screens.history import HistoryScreen
from parlor_tui.ui.widgets.key_bar import GAP, KeyBar, fitting, hints
from parlor_tui.ui.widgets.prompt import Prompt
from parlor_tui.ui.widgets.tune_panel import TunePanel
from tests.ui import stand_in
from tests.ui.stand_in import StandIn, make_app

LAST_REPLY = next(event.text for event in reversed(stand_in.whole_talk()) if isinstance(event, ReplyUnitReady))
OTHER_KEYS = {
    "interrupt": "ctrl+k",
    "mute": "f10",
    "talk_key": "ctrl+a",
    "repeat": "ctrl+w",
    "tune": "f8",
    "history": "f2",
    "camera": "ctrl+u,insert",
    "devices": "f7",
    "theme": "f6",
    "new_conversation": "ctrl+d",
    "conversations": "ctrl+v",
    "copy": "ctrl+z",
    "export": "f5",
    "help": "f3",
    "commands": "f12",
    "get_model": "f9",
    "no_model": "ctrl+e",
    "leave": "ctrl+b,ctrl+l",
}
"""Other keys for everything: those of other actions, and such as the input line has for editing."""


def the_last(name: str, told: object) -> Callable[[ParlorApp, StandIn], bool]:
    return lambda _, assistant: assistant.asked[-1:] == [(name, told)]


def shows(screen: type) -> Callable[[ParlorApp, StandIn], bool]:
    return lambda app, _: isinstance(app.screen, screen)


EFFECTS: dict[str, Callable[[ParlorApp, StandIn], bool]] = {
    "interrupt": the_last("interrupt", None),
    "mute": lambda app, assistant: assistant.asked[-1:] == [("set_muted", app._status.muted)],
    "talk_key": the_last("talk_key", None),
    "repeat": the_last("speak", (LAST_REPLY, "")),
    "tune": lambda app, _: app.query_one(TunePanel).display,
    "history": shows(HistoryScreen),
    "camera": the_last("use_device", ("camera", "default", False)),
    "devices": shows(DevicesScreen),
    "theme": lambda app, _: app.theme != "parlor",
    "new_conversation": the_last("new_conversation", None),
    "conversations": shows(ConversationsScreen),
    "copy": lambda app, _: app.clipboard == LAST_REPLY,
    "export": lambda app, _: any("Exported to" in str(note.message) for note in app._notifications),
    "help": shows(HelpScreen),
    "commands": shows(Palette),
    "get_model": the_last("get_model", None),
    "no_model": the_last("decline_model", None),
    "leave": lambda app, _: app.return_value == 0,
}
"""What shows that an action was done."""


def files(folder: Path) -> list[Path]:
    return list(folder.iterdir())


@pytest.fixture
def exports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("parlor_tui.ui.keeping.exports_folder", lambda: tmp_path)
    return tmp_path


async def becomes(pilot: Pilot[int], app: ParlorApp, assistant: StandIn, action: Action) -> bool:
    for _ in range(40):
        await pilot.pause(0.01)
        if EFFECTS[action.id](app, assistant):
            return True
    return False


async def to_the_talk(pilot: Pilot[int], app: ParlorApp, assistant: StandIn) -> None:
    """As it was: nothing open, the theme that there was, an offer, and the cursor where one types."""
    while len(app.screen_stack) > 1:
        app.pop_screen()
    app.query_one(TunePanel).display = False
    app.theme = "parlor"
    app.clear_notifications()
    app.copy_to_clipboard("")
    assistant.asked.clear()
    assistant.replay([stand_in.offered()])
    app.drain()
    app.query_one(Prompt).focus()
    await pilot.pause()


@pytest.mark.parametrize("chosen", [{}, OTHER_KEYS], ids=["default", "other"])
async def test_every_key_does_its_action_from_where_one_types(chosen: dict[str, str], exports: Path) -> None:
    settings = Settings().with_values({f"keys.{action}": keys for action, keys in chosen.items()}, "test")
    assert trouble(settings.keys, settings.explicit) is None
    app, assistant = make_app(settings)
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        assistant.replay([*stand_in.whole_talk(), StateChanged(at_s=60.0, state=State.LISTENING)])
        app.drain()
        await pilot.press(*"half a turn")
        for action in sorted(ACTIONS, key=lambda one: one.id == "leave"):
            for key in str(getattr(settings.keys, action.id)).split(","):
                await to_the_talk(pilot, app, assistant)
                assert not EFFECTS[action.id](app, assistant), f"{action.id} without {key}"
                await pilot.press(key)
                assert await becomes(pilot, app, assistant, action), f"{key} does not {action.id}"
                assert app.query_one(Prompt).text == "half a turn", f"{key} edited"
                if action.id == "leave":
                    break
    assert len(files(exports)) == 1


async def test_a_key_that_was_taken_away_does_nothing(exports: Path) -> None:
    free = {action.id: "" for action in ACTIONS if action.id not in NEEDED}
    app, assistant = make_app(Settings().with_values({f"keys.{action}": "" for action in free}, "test"))
    async with app.run_test(size=(120, 40)) as pilot:
        assistant.replay(stand_in.whole_talk())
        app.drain()
        await pilot.pause()
        before = list(assistant.asked)
        for action in free:
            await pilot.press(*BY_ID[action].keys.split(","))
        await pilot.pause(0.05)
        assert assistant.asked == before
        assert len(app.screen_stack) == 1
        assert [hint.action for hint in app.query_one(KeyBar).hints] == ["leave"]
    assert files(exports) == []


def test_the_table_is_whole() -> None:
    assert [action.id for action in ACTIONS] == list(BY_ID)
    assert sorted(BY_ID) == sorted(item.name for item in fields(Keys)) == sorted(EFFECTS)
    ranks = [action.rank for action in ACTIONS if action.rank]
    assert len(ranks) == len(set(ranks))
    for action in ACTIONS:
        assert callable(getattr(ParlorApp, f"action_{action.id}"))
        assert normal_keys(action.keys) == action.keys
        assert action.keys
        assert action.group in GROUPS
        assert action.does[0].isupper()
        assert not action.does.endswith(".")
    assert trouble(Keys(), ()) is None
    assert keymap(Keys()) == {}


CHOSEN = st.dictionaries(
    st.sampled_from(sorted(BY_ID)), st.lists(st.sampled_from(sorted(USABLE)), max_size=3).map(",".join)
)


@given(CHOSEN)
def test_no_two_actions_ever_have_the_same_key(chosen: dict[str, str]) -> None:
    text = "[keys]\n" + "".join(f'{action} = "{keys}"\n' for action, keys in chosen.items())
    keys = Settings().with_values({f"keys.{action}": keys for action, keys in chosen.items()}, "test").keys
    used = [key for action in BY_ID for key in str(getattr(keys, action)).split(",") if key]
    if len(used) == len(set(used)) and keys.leave:
        assert parse(text, "file.toml").keys == keys
        return
    with pytest.raises(SettingsError, match=r"^file\.toml:\d+: keys\.[^\n]*$") as refused:
        parse(text, "file.toml")
    _, line, _, told = str(refused.value).split(":")[:4]
    assert text.splitlines()[int(line) - 1].split()[0] in str(refused.value)
    assert "already" in told or "without a key" in told


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("ctrl+m", "terminals send ctrl+m as Enter"),
        ("Ctrl-I", "terminals send ctrl+i as Tab"),
        ("^h", "terminals send ctrl+h as Backspace"),
        ("ctrl+[", "terminals send ctrl+[ as Esc"),
        ("m", "'m' would be set off by typing"),
        ("?", "'?' would be set off by typing"),
        ("space", "'space' would be set off by typing"),
        ("shift+a", "'shift+a' would be set off by typing"),
        ("enter", "enter is needed for typing"),
        ("alt+k", "terminals send alt+k as Esc and a second key"),
        ("f13", "'f13' is no key that every terminal sends"),
        ("ctrl+shift+t", "'ctrl+shift+t' is no key that every terminal sends"),
        ("f4,,f6", "a key is missing between the commas"),
        ("f1", "f1 is a key of help already"),
        (3, "must be text in quotes"),
    ],
)
def test_keys_that_cannot_be_are_refused_with_their_line(written: object, said: str) -> None:
    text = f"[screen]\ntheme = 'nord'\n[keys]\nhistory = 'f11'\nmute = {written!r}\n"
    with pytest.raises(SettingsError, match=r"^my\.toml:5: keys\.mute[^\n]*$") as refused:
        parse(text, "my.toml")
    assert said in str(refused.value)


def test_keys_may_change_places_and_be_written_in_many_ways() -> None:
    keys = parse('[keys]\nhelp = "F8, Insert"\nmute = "f1,Control-K ,^w, ESC"\ninterrupt = ""\n', "my.toml").keys
    assert (keys.help, keys.mute, keys.interrupt) == ("f8,insert", "f1,ctrl+k,ctrl+w,escape", "")
    with pytest.raises(SettingsError, match=r"^my\.toml:2: keys\.leave: it cannot be without a key$"):
        parse("[keys]\nleave = ''", "my.toml")
    assert not USABLE & set(SENT_AS)


async def test_what_is_open_over_the_talk_keeps_its_keys_but_for_a_few() -> None:
    app, assistant = make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        assistant.replay([*stand_in.ready(), *stand_in.speaking()])
        app.drain()
        await pilot.press("f1", "f3", "f9", "ctrl+n", "ctrl+p", "f5")
        assert isinstance(app.screen, HelpScreen)
        assert assistant.asked == []
        await pilot.press("ctrl+t", "f7", "escape")
        assert assistant.asked == [("set_muted", True), ("talk_key", None), ("interrupt", None)]
        assert isinstance(app.screen, HelpScreen)
        assistant.replay([StateChanged(at_s=9.0, state=State.LISTENING)])
        app.drain()
        await pilot.press("escape")
        await pilot.pause()
        assert len(app.screen_stack) == 1
        assert len(assistant.asked) == 3


async def test_esc_leaves_the_panel_first_unless_a_reply_sounds() -> None:
    app, assistant = make_app()
    async with app.run_test(size=(120, 40)) as pilot:
        assistant.replay(stand_in.ready())
        app.drain()
        await pilot.press("f2", "escape")
        await pilot.pause()
        assert not app.query_one(TunePanel).display
        assert ("interrupt", None) not in assistant.asked
        await pilot.press("f2")
        assistant.replay([StateChanged(at_s=9.0, state=State.SPEAKING)])
        app.drain()
        await pilot.press("escape")
        assert assistant.asked[-1] == ("interrupt", None)
        assert app.query_one(TunePanel).display


async def test_without_a_reply_there_is_nothing_to_copy_or_repeat() -> None:
    app, assistant = make_app()
    async with app.run_test(notifications=True) as pilot:
        for key, word in (("ctrl+y", "copy"), ("f5", "repeat")):
            await pilot.press(key)
            assert [str(note.message) for note in app._notifications] == [f"There is no reply to {word} yet."]
        assert app.clipboard == ""
        assert assistant.asked == []


async def test_the_talk_key_without_a_microphone_says_what_to_do() -> None:
    app, assistant = make_app(Settings().with_values({"devices.microphone": "none", "keys.devices": "f11"}, "test"))
    async with app.run_test(notifications=True) as pilot:
        await pilot.press("f7")
        assert [str(note.message) for note in app._notifications] == [
            "There is no microphone to talk into; f11 chooses one."
        ]
        assert ("talk_key", None) not in assistant.asked


@pytest.mark.parametrize(
    ("columns", "row"),
    [
        (34, "esc interrupt ^t mute ^q quit"),
        (80, "esc interrupt ^t mute f2 tune f3 history f1 help ^p commands ^q quit"),
        (
            120,
            "esc interrupt ^t mute f7 talk f2 tune f3 history f6 camera f9 devices f4 theme "
            "f1 help ^p commands ^q quit",
        ),
    ],
)
async def test_the_bar_names_the_keys_that_are_wanted_most(columns: int, row: str) -> None:
    app, _ = make_app()
    async with app.run_test(size=(columns, 24)) as pilot:
        await pilot.pause()
        strips = app.screen._compositor.render_strips()
        assert " ".join(strips[23].text.split()) == row


@given(st.integers(0, 300), CHOSEN)
def test_the_bar_is_never_cut_and_drops_what_is_wanted_least(width: int, chosen: dict[str, str]) -> None:
    every = hints(Settings().with_values({f"keys.{action}": keys for action, keys in chosen.items()}, "test").keys)
    shown = fitting(every, width)
    assert sum(hint.cells for hint in shown) + GAP * max(len(shown) - 1, 0) <= width
    assert [hint for hint in every if hint in shown] == shown
    dropped = [hint.rank for hint in every if hint not in shown]
    assert all(hint.rank < min(dropped, default=99) for hint in shown)


def test_keys_are_shown_as_people_write_them() -> None:
    assert keys_of("leave", Keys()) == ["^q", "^c"]
    assert keys_of("interrupt", Keys(interrupt="")) == []
    assert [shown_key(name) for name in ("escape", "insert", "f12")] == ["esc", "ins", "f12"]

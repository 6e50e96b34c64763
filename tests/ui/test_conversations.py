"""Conversations on the screen: the list and its search, what is taken up again, deleted, exported, begun anew."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from textual.events import Key
from textual.pilot import Pilot
from textual.widgets import Static

from parlor_tui.conversations.record import head_line, turn_line
from parlor_tui.conversations.store import Store
from parlor_tui.events import ConversationBegun, EarlierTurn, Event, RecordingChanged
from parlor_tui.settings import Keys, Settings
from parlor_tui.ui.cockpit import ParlorApp
from parlor_tui.ui.lines import entry_lines
from parlor_tui.ui.looks import LooksApp
from parlor_tui.ui.screens.conversations import ConversationsScreen
from parlor_tui.ui.transcript import LineEntry, Transcript, TurnEntry
from tests.ui import stand_in

TALKS = {
    "2026-11-28-210455": ("Tell me about the tides.", "Why are there two a day?", "Thanks."),
    "2026-11-29-080000": (
        "Good morning. Will it rain in Bergen today, and do I need the big umbrella or the small one?",
    ),
    "2026-11-30-141852": ("How long does GREEN tea need to steep?", "[bold]Is this bold?[/]"),
}
EARLIER = (
    EarlierTurn("How long does tea need to steep?", "Green tea needs about", "two minutes.", "2026-11-29 14:18"),
    EarlierTurn("And black tea?", "Three to five.", "", "2026-11-29 14:19"),
)
REOPENED: list[Event] = [
    *stand_in.whole_talk()[:-20],
    ConversationBegun(at_s=50.0, asked_at_s=49.9, name="2026-11-29-141800", earlier=EARLIER),
    RecordingChanged(at_s=50.0, record="text+audio", name="2026-11-29-141800"),
    *stand_in.thinking(turn=9, at_s=60.0, words="Was there anything about milk?"),
]


def keep(into: Path, talks: Mapping[str, Sequence[str]]) -> None:
    """Write conversations with what was said in each."""
    for name, said in talks.items():
        folder = into / name
        folder.mkdir(parents=True)
        lines = [head_line(f"{name[:10]}T00:00:00+00:00", "lite", "small")]
        lines += [turn_line(number, said=text, reply="Yes.", status="completed") for number, text in enumerate(said, 1)]
        (folder / "talk.jsonl").write_bytes(b"".join(lines))


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """A folder with three conversations, the first with sound."""
    keep(tmp_path / "conversations", TALKS)
    (tmp_path / "conversations" / "2026-11-28-210455" / "0001-user.wav").write_bytes(b"RIFF")
    return tmp_path / "conversations"


@pytest.fixture
def documents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "documents"
    folder.mkdir()
    monkeypatch.setattr("parlor_tui.ui.keeping.exports_folder", lambda: folder)
    return folder


def make(kept: Path) -> tuple[ParlorApp, stand_in.StandIn]:
    return stand_in.make_app(Settings().with_values({"conversations.folder": str(kept)}, "test"))


async def wait(pilot: Pilot[Any], condition: Callable[[], bool]) -> None:
    for _ in range(200):
        await pilot.pause(0.01)
        if condition():
            return
    raise AssertionError("it did not come to that")


def text_of(folder: Path, pattern: str) -> str:
    (file,) = folder.glob(pattern)
    return file.read_text("utf-8")


def screen(app: ParlorApp) -> ConversationsScreen:
    assert isinstance(app.screen, ConversationsScreen)
    return app.screen


def listed(app: ParlorApp) -> list[str]:
    return [one.name for one in screen(app)._shown]


async def opened(pilot: Pilot[Any], app: ParlorApp) -> None:
    await pilot.press("ctrl+o")
    await wait(pilot, lambda: isinstance(app.screen, ConversationsScreen) and screen(app)._all is not None)


async def test_typing_searches_and_enter_takes_up_again(kept: Path) -> None:
    app, assistant = make(kept)
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot, app)
        assert listed(app) == sorted(TALKS, reverse=True)
        await pilot.press(*"bergen rain")
        assert listed(app) == ["2026-11-29-080000"]
        await pilot.press("ctrl+u", *"2026-11", "down", "down", "up", "enter")
        assert assistant.asked == [("reopen", "2026-11-29-080000")]
        assert not isinstance(app.screen, ConversationsScreen)
        await opened(pilot, app)
        await pilot.press(*"nowhere", "enter", "delete")
        assert listed(app) == []
        assert str(screen(app).query_one("#empty", Static).content) == "None of them holds all of these words."
        await pilot.press("escape")
        assert not isinstance(app.screen, ConversationsScreen)
        assert len(assistant.asked) == 1


async def test_deleting_asks_once(kept: Path) -> None:
    app, _ = make(kept)
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot, app)
        await pilot.press("delete", "enter", "escape", "delete", "down")
        assert len(Store(kept).names()) == 3
        await pilot.press("delete")
        keys = screen(app).query_one("#keys", Static)
        assert "for good" in str(keys.content)
        await pilot.press("delete")
        await wait(pilot, lambda: len(listed(app)) == 2)
        assert Store(kept).names() == ["2026-11-30-141852", "2026-11-28-210455"]
        assert "enter take up" in str(keys.content)


async def test_one_without_sound_is_exported_as_markdown_and_one_with_it_as_a_page(kept: Path, documents: Path) -> None:
    app, _ = make(kept)
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot, app)
        await pilot.press("ctrl+e")
        await wait(pilot, lambda: len(list(documents.glob("*.md"))) == 1)
        await pilot.press("pagedown", "ctrl+e")
        await wait(pilot, lambda: len(list(documents.glob("*.html"))) == 1)
        assert isinstance(app.screen, ConversationsScreen)
        await wait(pilot, lambda: len(app._notifications) == 2)
    assert "GREEN tea" in text_of(documents, "*.md")
    assert "<audio" in text_of(documents, "*.html")


async def test_keys_are_named_as_they_are_set(tmp_path: Path) -> None:
    keys = Keys(commands="f12", export="ctrl+k")
    app = Alone(tmp_path, keys)
    async with app.run_test(size=(80, 24)) as pilot:
        await wait(pilot, lambda: "f12, then" in str(screen(app).query_one("#empty", Static).content))
        assert "^k export" in str(screen(app).query_one("#keys", Static).content)


async def test_an_empty_or_unreadable_folder_says_so(tmp_path: Path) -> None:
    app, _ = make(tmp_path / "none")
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot, app)
        assert "Nothing is kept so far" in str(screen(app).query_one("#empty", Static).content)
    (tmp_path / "file").write_text("x")
    app, _ = make(tmp_path / "file")
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot, app)
        assert any("cannot be read" in note.message for note in app._notifications)


async def test_the_talk_on_the_screen_is_exported_from_its_last_beginning(kept: Path, documents: Path) -> None:
    app, assistant = make(kept)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("ctrl+e")
        assert [note.message for note in app._notifications] == ["There is nothing to export yet."]
        assistant.replay(REOPENED)
        app.drain()
        await pilot.press("ctrl+e")
        await wait(pilot, lambda: len(list(documents.iterdir())) == 1)
        await wait(pilot, lambda: any(str(documents) in note.message for note in app._notifications))
    text = text_of(documents, "parlor-*.md")
    assert "Green tea needs about ~~two minutes.~~" in text
    assert "Was there anything about milk?" in text
    assert "red mug" not in text


async def test_what_is_kept_of_the_talk_is_exported_if_it_is_more(kept: Path, documents: Path) -> None:
    app, assistant = make(kept)
    async with app.run_test(size=(80, 24)) as pilot:
        name = "2026-11-28-210455"
        assistant.replay([*stand_in.ready(), RecordingChanged(at_s=5.0, record="text", name=name), *stand_in.hearing()])
        app.drain()
        await pilot.press("ctrl+e")
        await wait(pilot, lambda: len(list(documents.iterdir())) == 1)
    assert "Why are there two a day?" in text_of(documents, "*")


async def test_keys_and_commands_reach_the_assistant_and_recording_shows(kept: Path) -> None:
    app, assistant = make(kept)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("ctrl+n", "ctrl+n")
        assert assistant.asked == [("new_conversation", None)] * 2
        titles = [command.title for command in app.commands_of_keeping()]
        assert titles == ["Keep the words of the talk", "Keep words and sound of the talk"]
        next(command for command in app.commands_of_keeping() if "sound" in command.title).callback()
        assert assistant.asked[-1] == ("set_recording", "text+audio")
        frame = app.query_one("#talk-frame")
        assert frame.border_title == "Talk"
        assistant.replay([RecordingChanged(at_s=5.0, record="text", name="x")])
        app.drain()
        assert "● rec" in str(frame.border_title)
        assert next(command.title for command in app.commands_of_keeping()) == "Keep nothing of the talk"
        assistant.replay([RecordingChanged(at_s=6.0, record="off")])
        app.drain()
        assert str(frame.border_title) == "Talk"


async def test_a_turn_sent_right_before_a_new_conversation_belongs_to_the_former(kept: Path) -> None:
    app, assistant = make(kept)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("h", "i")
        for name in ("enter", "ctrl+n"):  # as one batch, as a terminal sends what was pressed while the screen was busy
            app.post_message(Key(name, None))
        await wait(pilot, lambda: len(assistant.asked) == 2)
        assert assistant.asked == [("say", "hi"), ("new_conversation", None)]


def test_what_was_typed_before_a_new_conversation_is_not_sent_and_what_after_waits() -> None:
    transcript = Transcript()
    transcript.typed("before", 1.0)
    transcript.typed("after", 3.0)
    transcript.apply(ConversationBegun(at_s=4.0, asked_at_s=2.0))
    before, after, rule = transcript.entries
    assert isinstance(before, TurnEntry)
    assert isinstance(after, TurnEntry)
    assert (before.refused, after.refused) == (True, False)
    assert isinstance(rule, LineEntry)
    assert rule.rule


class Alone(LooksApp):
    """The list with nothing behind it."""

    VERTICAL_BREAKPOINTS = ParlorApp.VERTICAL_BREAKPOINTS

    def __init__(self, folder: Path, keys: Keys | None = None) -> None:
        super().__init__(Settings().screen, lambda _: None)
        self._folder = folder
        self._shown_keys = keys or Keys()

    def on_mount(self) -> None:
        self.push_screen(ConversationsScreen(self._folder, lambda _: None, self._shown_keys))


def test_what_is_taken_up_again_stands_dimmed_below_a_rule() -> None:
    transcript = Transcript()
    for event in REOPENED:
        transcript.apply(event)
    rule, first, second, new = transcript.entries[-4:]
    (line,) = entry_lines(rule, 60, "")
    assert line.plain == "── the talk of 2026-11-29 14:18 goes on ".ljust(60, "─")
    assert [line.plain for line in entry_lines(rule, 20, "")] == ["the talk of", "2026-11-29 14:18", "goes on"]
    assert [" ".join(line.plain.split()) for line in entry_lines(first, 70, "14:18")] == [
        "14:18 you How long does tea need to steep?",
        "parlor Green tea needs about two minutes.",
    ]
    assert all(any(span.style == "dim" for span in line.spans) for line in entry_lines(second, 70, ""))
    assert isinstance(new, TurnEntry)
    assert (new.earlier, new.turn) == (False, 9)

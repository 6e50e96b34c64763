"""Conversations handed on: nothing that was said becomes markup or runs, and what is exported can be read again."""

from __future__ import annotations

import base64
import re
import stat
import sys
from collections.abc import Iterator
from datetime import datetime
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from parlor_tui.conversations import html
from parlor_tui.conversations.export import (
    LARGEST_FILE_BYTES,
    as_json,
    fresh_file,
    from_json,
    markdown,
    no_sounds,
    picture_in,
    plain,
    sounds_in,
    write,
)
from parlor_tui.conversations.record import Conversation, ConversationError, Mark, Turn, Who
from parlor_tui.conversations.writer import wav

BUSY = settings(deadline=None)  # a machine that does much else is no fault
NASTY = """</p><script>alert(1)</script><img src=x onerror="alert(1)"> & ' " javascript:alert(1)"""
WAV = wav(b"\1\2" * 50, 16_000)
TALK = Conversation(
    "2026-11-30-141852",
    "2026-11-30T14:18:52+01:00",
    "lite",
    "SmolLM2-135M",
    (
        Turn(1, "2026-11-30T14:18:59+01:00", "voice", "How long does tea need?", "Two minutes. Or three.", None,
             "completed", {"voice_to_voice": 812.0}, 9),
        Turn(3, "2026-11-30T14:19:59+01:00", "typed", "And black tea?", "Three to five minutes.", "Three to",
             "interrupted"),
    ),
    (Mark(1, "2026-11-30T14:19:01+01:00", {"answering.temperature": 0.9}),),
)  # fmt: skip


def talk_of(said: str, reply: str) -> Conversation:
    return Conversation("x", turns=(Turn(1, said=said, reply=reply, status="completed"),))


def some_sound(number: int, who: Who) -> bytes | None:
    return WAV if (number, who) in ((1, "user"), (1, "reply")) else None


class Page(HTMLParser):
    """A page's tags with their attributes, and the words of what was said."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self._open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._open.append(tag)
        if tag == "p":
            self.words.append("")

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if "p" in self._open:
            self.words[-1] += data


@BUSY
@given(st.text(max_size=80), st.text(min_size=1, max_size=80))
@example(NASTY, NASTY)
def test_a_page_shows_words_as_words(said: str, reply: str) -> None:
    page = Page("".join(html.page(talk_of(said, reply), no_sounds, lambda _: None)))
    assert page.words[1:] == [plain(said or "(no words)"), plain(reply)]
    assert {tag for tag, _ in page.tags} <= set("html head meta title style body h1 p section div span".split())  # noqa: SIM905
    assert not [name for _, attributes in page.tags for name in attributes if name.startswith("on")]


def test_a_page_holds_all_it_needs_and_forbids_the_rest() -> None:
    text = "".join(html.page(TALK, some_sound, lambda number: b"\xff\xd8jpeg" if number == 1 else None))
    page = Page(text)
    policy = next(a["content"] or "" for tag, a in page.tags if a.get("http-equiv") == "Content-Security-Policy")
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy
    assert "script" not in text
    players = [attributes for tag, attributes in page.tags if tag == "audio"]
    assert len(players) == 2
    for player in players:
        assert (player["preload"], "autoplay" in player, "controls" in player) == ("none", False, True)
        assert base64.b64decode((player["src"] or "").removeprefix("data:audio/wav;base64,")) == WAV
    assert len([tag for tag, _ in page.tags if tag == "img"]) == 1
    assert not re.search(r"(src|href)=\"(?!data:)", text)
    assert "Three to <s>five minutes.</s>" in text
    assert "answering.temperature 0.9 from here on" in text
    assert "0.81 s" in text


@BUSY
@given(st.text(max_size=80), st.text(min_size=1, max_size=80))
@example(NASTY, "# no heading\n- no list\n1. no list\n***\n    no code\n[no](link) `code` ~~x~~ | a | b |\n&lt; $x$")
@example("one\n\n\ntwo", "http://example.org/a_b_c")
def test_markdown_shows_words_as_words(said: str, reply: str) -> None:
    page = Page(MarkdownIt("commonmark").enable("strikethrough").enable("table").render(markdown(talk_of(said, reply))))
    assert {tag for tag, _ in page.tags} <= {"h1", "p", "br", "strong"}
    shown = " ".join("".join(page.words).split())
    for text in (said, reply):
        assert " ".join(plain(text).split()) in shown


def test_markdown_tells_who_when_and_what_was_not_heard() -> None:
    text = markdown(TALK)
    assert text.startswith("# How long does tea need?\n\n2026-11-30 14:18 · lite · SmolLM2-135M\n")
    assert "**you** 14:18:59  \nHow long does tea need?\n\n**parlor**  \nTwo minutes. Or three.\n" in text
    assert "Three to ~~five minutes.~~" in text
    assert text.index("answering.temperature 0.9") < text.index("And black tea?")


@BUSY
@given(st.text(max_size=80), st.text(max_size=80), st.binary(max_size=20))
def test_json_is_read_again_as_it_was(said: str, reply: str, sound: bytes) -> None:
    talk = talk_of(said or "x", reply)
    text = "".join(as_json(talk, lambda _, who: sound if who == "user" else None))
    again, sounds = from_json("file", text)
    assert again == talk
    assert (sounds(1, "user"), sounds(1, "reply")) == (sound, None)


def test_json_keeps_marks_and_times() -> None:
    again, sounds = from_json("file", "".join(as_json(TALK, some_sound)))
    assert again == TALK
    assert sounds(1, "reply") == WAV


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", "7", '{"parlor_conversation": 2}', '{"parlor_conversation": 1, "turns": 3}', "[" * 100_000,
     '{"parlor_conversation":1,"name":"x","began":"","profile":"","model":"","marks":[{"a":1}],"turns":[]}',
     '{"parlor_conversation":1,"name":"x","began":"","profile":"","model":"","marks":[],"turns":[{"number":1,'
     '"said":"x","wav_base64":{"user":"%%%"}}]}'],
)  # fmt: skip
def test_other_json_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(ConversationError) as refused:
        from_json("talk.json", text)
    assert str(refused.value).startswith("talk.json: ")
    assert "\n" not in str(refused.value)


def test_sounds_and_pictures_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "0001-user.wav").write_bytes(WAV)
    (tmp_path / "0002-shown.jpg").write_bytes(b"\xff\xd8")
    sounds = sounds_in(tmp_path)
    assert (sounds(1, "user"), sounds(1, "reply"), sounds(2, "user")) == (WAV, None, None)
    assert (picture_in(tmp_path, 2), picture_in(tmp_path, 1)) == (b"\xff\xd8", None)


def test_a_file_is_written_whole_for_the_user_alone_or_not_at_all(tmp_path: Path) -> None:
    out = fresh_file(tmp_path, datetime(2026, 11, 30, 14, 18, 52), "md")
    assert write(out, ["half ", "\ud800", " character"]).read_text("utf-8") == "half ? character"
    assert out.name == "parlor-2026-11-30-141852.md"
    if sys.platform != "win32":
        assert stat.S_IMODE(out.stat().st_mode) == 0o600
    assert fresh_file(tmp_path, datetime(2026, 11, 30, 14, 18, 52), "md").name == "parlor-2026-11-30-141852-2.md"
    with pytest.raises(ConversationError, match="cannot be written") as refused:
        write(tmp_path / "nowhere" / "talk.md", ["x"])
    assert refused.value.missing
    (tmp_path / "folder.md").mkdir()
    with pytest.raises(ConversationError, match="cannot be written"):
        write(tmp_path / "folder.md", ["x"])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder.md", out.name]


@pytest.mark.parametrize("out", ["a-file/talk.md", f"{'long' * 100}.md", "."], ids=["in a file", "long", "."])
def test_a_place_that_cannot_be_written_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, out: str) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a-file").touch()
    with pytest.raises(ConversationError, match=r"^[^\n]*cannot be written[^\n]*$"):
        write(Path(out), ["words"])
    assert [file.name for file in tmp_path.iterdir()] == ["a-file"]


def test_no_link_that_waits_beside_a_file_is_followed(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("untouched")
    for name in (".talk.md.part", "talk.md.part", "talk.md"):
        (tmp_path / name).hardlink_to(victim)
    out = write(tmp_path / "talk.md", ["words"])
    assert out.read_text("utf-8") == "words"
    assert victim.read_text() == "untouched"


def test_what_breaks_off_leaves_nothing_behind(tmp_path: Path) -> None:
    def pieces() -> Iterator[str]:
        yield "half"
        raise ConversationError("the other half cannot be read")

    with pytest.raises(ConversationError):
        write(tmp_path / "talk.md", pieces())
    assert list(tmp_path.iterdir()) == []


def test_a_sound_beyond_all_measure_is_none(tmp_path: Path) -> None:
    for number, size in ((1, LARGEST_FILE_BYTES), (2, LARGEST_FILE_BYTES + 1)):
        with (tmp_path / f"{number:04d}-user.wav").open("wb") as file:
            file.truncate(size)
    sounds = sounds_in(tmp_path)
    assert len(sounds(1, "user") or b"") == LARGEST_FILE_BYTES
    assert sounds(2, "user") is None

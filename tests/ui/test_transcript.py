"""The talk as data, and as lines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlor_tui.events import (
    Caption,
    Event,
    Failed,
    HeardText,
    Notice,
    ReplyText,
    SpeechStarted,
    SpeechStopped,
    TurnCommitted,
    TurnDone,
)
from parlor_tui.ui.lines import entry_lines
from parlor_tui.ui.transcript import LineEntry, Transcript, TurnEntry, clean, clipped, split_heard
from tests.ui import stand_in


def talk(*events: Event, limit: int = 200) -> Transcript:
    transcript = Transcript(limit)
    for event in events:
        transcript.apply(event)
    return transcript


def turn_of(transcript: Transcript, index: int = 0) -> TurnEntry:
    turns = [entry for entry in transcript.entries if isinstance(entry, TurnEntry)]
    return turns[index]


def plain(transcript: Transcript, width: int = 80, time: str = "") -> list[str]:
    return [line.plain.rstrip() for entry in transcript.entries for line in entry_lines(entry, width, time)]


def struck(transcript: Transcript) -> str:
    lines = [line for entry in transcript.entries for line in entry_lines(entry, 200, "")]
    return "".join(
        line.plain[span.start : span.end] for line in lines for span in line.spans if "strike" in str(span.style)
    )


def test_a_caption_grows_in_place_and_settles() -> None:
    transcript = talk(SpeechStarted(at_s=1.0, turn=0))
    assert plain(transcript) == ["you     …"]
    number = turn_of(transcript).number
    for text, final in (("what", False), ("what is", False), ("What is this?", True)):
        transcript.apply(Caption(at_s=2.0, turn=0, text=text, final=final))
        assert plain(transcript) == [f"you     {text}"]
        dim = any("dim" in str(s.style) for s in entry_lines(turn_of(transcript), 80, "")[0].spans if s.start >= 8)
        assert dim is not final
    assert [entry.number for entry in transcript.entries] == [number]


def test_a_noise_leaves_nothing_and_a_turn_without_words_says_so() -> None:
    transcript = talk(
        SpeechStarted(at_s=1.0, turn=0), SpeechStopped(at_s=1.1, turn=0, last_speech_at_s=1.0, dropped=True)
    )
    assert transcript.entries == []
    transcript.apply(SpeechStarted(at_s=2.0, turn=0))
    transcript.apply(Caption(at_s=3.0, turn=0, text="", final=True))
    assert plain(transcript) == ["you     (no words)"]


def test_an_interrupted_reply_keeps_what_was_not_heard_struck_through() -> None:
    transcript = talk(*stand_in.hearing(), *stand_in.thinking(), *stand_in.speaking(), *stand_in.interrupted())
    assert plain(transcript) == [
        "you     What's on the table in front of me?",
        f"parlor  {stand_in.REPLY}",
        "        ⊘ cut off by your voice after 1.2 s · ▣ shown",
    ]
    assert struck(transcript) == "notebook. The pen is on the left."


def test_heard_text_after_the_end_still_counts_and_a_forgotten_turn_stays_forgotten() -> None:
    transcript = talk(*stand_in.hearing(), *stand_in.thinking(), *stand_in.speaking(), limit=2)
    for index in range(2):
        transcript.apply(Notice(at_s=20.0, text=f"notice {index}"))
    for event in (*stand_in.speaking(), *stand_in.interrupted(), HeardText(at_s=30.0, turn=0, heard="A")):
        transcript.apply(event)
    assert plain(transcript) == ["· notice 0", "· notice 1"]


def test_only_the_newest_entries_are_kept() -> None:
    transcript = talk(*[Caption(at_s=1.0, turn=turn, text=f"turn {turn}", final=True) for turn in range(250)])
    assert len(transcript.entries) == 200
    assert turn_of(transcript).turn == 50
    changes = transcript.take_changes()
    assert [entry.number for entry in changes.added] == [entry.number for entry in transcript.entries]
    assert not changes.removed
    transcript.apply(Caption(at_s=2.0, turn=250, text="one more", final=True))
    assert transcript.take_changes().removed == {changes.added[0].number}


def test_a_typed_turn_waits_visibly_until_it_is_taken_up() -> None:
    transcript = talk()
    transcript.typed("how are you", 1.0)
    assert plain(transcript) == ["you     how are you", "        waits until it can be sent"]
    transcript.apply(Caption(at_s=2.0, turn=3, text="how are you", final=True))
    transcript.apply(TurnCommitted(at_s=2.0, turn=3, last_speech_at_s=None))
    transcript.apply(ReplyText(at_s=3.0, turn=3, delta="Well."))
    assert plain(transcript) == ["you     how are you", "parlor  Well."]


def test_a_typed_turn_is_taken_up_by_its_commit_alone() -> None:
    transcript = talk()
    transcript.typed("one", 1.0)
    transcript.typed("two", 1.1)
    transcript.apply(TurnCommitted(at_s=2.0, turn=0, last_speech_at_s=None))
    assert [entry.turn for entry in transcript.entries if isinstance(entry, TurnEntry)] == [0, None]


def test_a_refused_turn_is_marked_and_the_reason_follows() -> None:
    transcript = talk()
    transcript.typed("too long", 1.0)
    transcript.apply(Failed(at_s=2.0, text="the turn is too long"))
    assert plain(transcript) == ["you     too long", "        ✗ not sent", "✗ error: the turn is too long"]


@pytest.mark.parametrize(
    ("status", "mark"),
    [
        ("joined", "you went on: answered together, below"),
        ("failed", "✗ no reply"),
        ("interrupted", "⊘ cut off before a word was heard"),
    ],
)
def test_how_a_turn_ended_is_said_in_words(status: str, mark: str) -> None:
    transcript = talk(Caption(at_s=1.0, turn=0, text="hi", final=True))
    ended = TurnDone(at_s=2.0, turn=0, status=status, heard="", reply="", stages_ms={}, output_tokens=0)  # type: ignore[arg-type]
    transcript.apply(ended)
    assert plain(transcript) == ["you     hi", f"        {mark}"]


def test_markup_and_control_characters_are_text() -> None:
    transcript = talk(
        Caption(at_s=1.0, turn=0, text="[red]hot[/] [/]", final=True),
        ReplyText(at_s=2.0, turn=0, delta="a \x1b[31mred\x07 [bold]x[/bold] \u202eevil \ud800"),
    )
    assert plain(transcript) == ["you     [red]hot[/] [/]", "parlor  a [31mred [bold]x[/bold] evil"]


@given(st.text(), st.text())
def test_clean_text_can_be_drawn_and_is_clean(text: str, more: str) -> None:
    cleaned = clean(text)
    assert clean(cleaned) == cleaned
    cleaned.encode("utf-8")
    assert not any(ord(c) < 32 and c != "\n" for c in cleaned)
    assert clipped(more, 5).startswith(more[:5])


@given(st.text(), st.integers(0, 50))
def test_what_was_heard_and_what_was_not_are_the_whole_reply(reply: str, length: int) -> None:
    heard, unheard = split_heard(reply, reply[:length])
    assert heard + unheard == reply
    assert "".join(heard.split()) == "".join(reply[:length].split())


@given(st.text(), st.text())
def test_any_heard_text_splits_somewhere(reply: str, heard: str) -> None:
    assert "".join(split_heard(reply, heard)) == reply


@given(st.text(max_size=300), st.text(max_size=300), st.integers(17, 130), st.booleans())
def test_lines_keep_to_the_width(caption: str, reply: str, width: int, timed: bool) -> None:
    transcript = talk(
        Caption(at_s=1.0, turn=0, text=caption, final=True),
        ReplyText(at_s=1.0, turn=0, delta=reply),
        Notice(at_s=1.0, text=reply, severity="warning"),
    )
    for entry in transcript.entries:
        for line in entry_lines(entry, width, "12:00:00" if timed else ""):
            assert line.cell_length <= width or width < 30
            assert "\n" not in line.plain


@given(st.lists(st.sampled_from(stand_in.whole_talk()), max_size=60), st.integers(1, 5))
def test_any_order_of_events_leaves_views_in_step(events: list[Event], limit: int) -> None:
    """Replaying the changes alone gives the same entries in the same order."""
    transcript = Transcript(limit)
    drawn: dict[int, TurnEntry | LineEntry] = {}
    for index, event in enumerate(events):
        transcript.apply(event)
        if index % 3 == 0:
            changes = transcript.take_changes()
            for number in changes.removed:
                del drawn[number]
            drawn.update({entry.number: entry for entry in changes.added})
            assert changes.changed <= drawn.keys()
            assert list(drawn.values()) == transcript.entries
            assert len(drawn) <= limit

"""The talk as data, and as lines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlor_tui.events import (
    AskedAgain,
    Caption,
    Event,
    Failed,
    HeardText,
    Interrupted,
    MediaTaken,
    Notice,
    Ready,
    ReplyAudioArrived,
    ReplyText,
    ReplyTimed,
    ReplyUnitReady,
    SpeakerLevel,
    SpeechStarted,
    SpeechStopped,
    State,
    StateChanged,
    TurnCommitted,
    TurnDone,
)
from parlor_tui.ui.lines import FLASH_STYLE, entry_lines
from parlor_tui.ui.spoken import Spoken, Unit, split_heard
from parlor_tui.ui.text import clean, clipped
from parlor_tui.ui.transcript import BANNERED, LineEntry, Transcript, TurnEntry
from parlor_tui.ui.widgets.progress import BANNER_LINES
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


def lit(transcript: Transcript) -> str:
    """The part of the reply that is not dim."""
    reply = next(line for entry in transcript.entries for line in entry_lines(entry, 200, "")[1:2])
    dim = {at for span in reply.spans if "dim" in str(span.style) for at in range(span.start, span.end)}
    return "".join(c for at, c in enumerate(reply.plain) if at >= 8 and at not in dim).strip()


def test_a_reply_lights_up_word_by_word_while_it_is_spoken() -> None:
    transcript = talk(*stand_in.hearing(), *stand_in.thinking(), *stand_in.speaking())
    assert lit(transcript) == ""
    transcript.take_changes()
    for played_ms, words in ((900.0, "A red mug and"), (1500.0, "A red mug and an open"), (3100.0, stand_in.REPLY)):
        transcript.apply(SpeakerLevel(at_s=13.0, turn=0, dbfs=-20.0, played_ms=played_ms))
        assert lit(transcript) == words
        assert transcript.take_changes().changed
    transcript.apply(SpeakerLevel(at_s=13.0, turn=0, dbfs=-20.0, played_ms=3100.0))
    assert not transcript.take_changes(), "nothing is drawn anew without a new word"


def test_an_interrupted_reply_is_struck_at_once_where_it_was_cut_and_corrected_by_the_core() -> None:
    transcript = talk(*stand_in.hearing(), *stand_in.thinking(), *stand_in.speaking())
    transcript.apply(Interrupted(at_s=14.0, turn=0, by="voice", played_ms=1500.0))
    said = "What's on the table in front of me?"
    cut = TurnDone(
        at_s=14.0, turn=0, status="interrupted", heard=said, reply=stand_in.REPLY, stages_ms={}, output_tokens=0
    )
    transcript.apply(cut)
    assert struck(transcript) == "notebook. The pen is on the left."
    transcript.apply(SpeakerLevel(at_s=14.0, turn=0, dbfs=-120.0, played_ms=3000.0))
    assert struck(transcript) == "notebook. The pen is on the left."
    transcript.apply(HeardText(at_s=14.1, turn=0, heard="A red mug"))
    assert struck(transcript) == "and an open notebook. The pen is on the left."


def test_a_reply_that_is_only_shown_is_read_and_never_struck() -> None:
    transcript = talk(
        Caption(at_s=1.0, turn=0, text="hi", final=True),
        TurnCommitted(at_s=1.0, turn=0, last_speech_at_s=None),
        ReplyText(at_s=2.0, turn=0, delta="Well, hello."),
        ReplyUnitReady(at_s=2.0, turn=0, text="Well, hello."),
        ReplyText(at_s=2.0, turn=0, delta="", final=True, whole="Well, hello."),
    )
    assert lit(transcript) == "Well, hello."
    transcript.apply(Interrupted(at_s=3.0, turn=0, by="key", played_ms=0.0))
    assert lit(transcript) == "Well, hello."
    assert struck(transcript) == ""


def test_turns_that_are_answered_together_are_joined_by_a_rail() -> None:
    assert plain(talk(*stand_in.joined())) == [
        "you   ╭ I would like to know how long tea",
        "      │ you went on: answered together, below",
        "you   ╰ needs to steep, if it is green tea and I do not like it bitter.",
        "parlor  …",
    ]


def test_what_was_begun_for_a_joined_turn_gives_way_and_its_caption_may_come_late() -> None:
    begun = ReplyText(at_s=12.3, turn=0, delta="You would like")
    joined = [event for event in stand_in.joined() if not (isinstance(event, Caption) and event.turn == 0)]
    transcript = talk(*joined[:3], begun, *joined[3:])
    assert plain(transcript)[:2] == ["you   ╭ …", "      │ you went on: answered together, below"]
    transcript.apply(Caption(at_s=16.0, turn=0, text="I would like to know", final=True))
    assert plain(transcript)[0] == "you   ╭ I would like to know"
    assert not any("You would like" in line for line in plain(transcript))


def test_a_rail_goes_through_three_turns_and_past_a_noise() -> None:
    def turn(number: int, status: str = "") -> list[Event]:
        said = Caption(at_s=1.0, turn=number, text=f"part {number}", final=True)
        done = [TurnDone(at_s=2.0, turn=number, status=status, heard="", reply="", stages_ms={}, output_tokens=0)]  # type: ignore[arg-type]
        return [SpeechStarted(at_s=1.0, turn=number), said, *(done if status else [])]

    noise: list[Event] = [
        SpeechStarted(at_s=3.0, turn=2),
        Caption(at_s=3.0, turn=2, text="m", final=False),
        SpeechStopped(at_s=3.2, turn=2, last_speech_at_s=3.1, dropped=True),
    ]
    transcript = talk(*turn(0, "joined"), *turn(1, "joined"), *noise, *turn(2), *turn(3))
    assert [line[:14] for line in plain(transcript)] == [
        "you   ╭ part 0",
        "      │ you we",
        "you   │ part 1",
        "      │ you we",
        "you   ╰ part 2",
        "you     part 3",
    ]


def test_a_voice_over_a_reply_moves_nothing_before_it_has_words_or_cuts_it() -> None:
    spoken = [*stand_in.hearing(), *stand_in.thinking(), *stand_in.speaking()]
    transcript = talk(*spoken, *stand_in.making_way("held"))
    assert len(transcript.entries) == 1
    for event in stand_in.interrupted():
        transcript.apply(event)
    assert [entry.turn for entry in transcript.entries if isinstance(entry, TurnEntry)] == [0, 1]
    resumed = talk(*spoken, *stand_in.making_way("resumed"), *stand_in.done())
    assert len(resumed.entries) == 1


def test_why_a_turn_ended_stands_below_it_where_there_is_room() -> None:
    transcript = talk(*stand_in.hearing(), *stand_in.finished())
    assert plain(transcript, width=110, time="12:40:10")[-1].strip() == "turn ended after 210 ms: finished"
    assert plain(transcript)[-1] == "parlor  …"


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


def test_what_was_typed_before_there_was_a_core_stands_below_what_loading_tells_until_it_is_answered() -> None:
    transcript = talk(StateChanged(at_s=0.0, state=State.LOADING))
    transcript.typed("early", 1.0)
    transcript.typed("and more", 1.1)
    transcript.apply(Notice(at_s=2.0, text="no camera", severity="warning", key="camera"))
    transcript.apply(Caption(at_s=3.0, turn=0, text="early", final=True))
    transcript.apply(TurnCommitted(at_s=3.0, turn=0, last_speech_at_s=None))
    transcript.apply(Ready(at_s=4.0, profile="lite", model="m", load_ms=1.0))
    transcript.line("ready", "info", 4.0)
    assert plain(transcript) == [
        "▲ warning: no camera",
        "· ready",
        "you     early",
        "parlor  …",
        "you     and more",
        "        waits until it can be sent",
    ]
    transcript.apply(ReplyText(at_s=5.0, turn=0, delta="The bird."))
    transcript.apply(Notice(at_s=6.0, text="later"))
    assert plain(transcript)[2:5] == ["you     early", "parlor  The bird.", "· later"]
    transcript.apply(Caption(at_s=6.5, turn=1, text="and more", final=True))
    transcript.apply(ReplyText(at_s=6.6, turn=1, delta="The worm."))
    transcript.typed("now", 7.0)
    transcript.apply(Notice(at_s=8.0, text="a notice"))
    assert plain(transcript)[-1] == "· a notice", "with a core there, lines stand where they happened"


def lasting(transcript: Transcript) -> list[str]:
    return [entry.text for entry in transcript.entries if isinstance(entry, LineEntry) and entry.lasts]


def test_a_line_knows_whether_a_banner_tells_the_same() -> None:
    def trouble(key: str, text: str) -> Notice:
        return Notice(at_s=1.0, text=text, severity="warning", key=key)

    transcript = talk(trouble("microphone", "gone"), trouble("microphone", "gone"))
    assert lasting(transcript) == ["gone"]
    assert len(transcript.entries) == 1
    transcript.take_changes()
    transcript.apply(trouble("microphone", ""))
    assert lasting(transcript) == []
    assert transcript.take_changes().changed, "it is drawn again, where it happened"
    transcript.apply(trouble("microphone", "gone"))
    assert lasting(transcript) == ["gone", "gone"], "the banner tells of both"
    transcript.apply(trouble("microphone", ""))
    for key in "abcd":
        transcript.apply(trouble(key, f"trouble {key}"))
    assert lasting(transcript) == ["trouble b", "trouble c", "trouble d"], "the banner has room for three"
    assert BANNERED == BANNER_LINES
    transcript.apply(trouble("c", "worse c"))
    assert lasting(transcript) == ["trouble b", "trouble d", "worse c"]


def test_a_failure_that_is_a_lasting_trouble_is_told_once_and_still_refuses_what_waits() -> None:
    transcript = talk(Notice(at_s=1.0, text="no model is here", severity="error", key="core"))
    transcript.typed("hello", 2.0)
    transcript.apply(Failed(at_s=3.0, text="no model is here"))
    assert plain(transcript) == ["✗ error: no model is here", "you     hello", "        ✗ not sent"]


@pytest.mark.parametrize(
    ("pictured", "sees", "taken", "mark"),
    [
        (True, True, True, "▣ shown 12:40:50 · 0.78 s · 24 tokens"),
        (True, True, False, "▢ no new picture · 0.78 s · 24 tokens"),
        (True, False, False, "0.78 s · 24 tokens"),
        (False, True, False, "0.78 s · 24 tokens"),
    ],
)
def test_what_the_model_was_shown_stands_below_the_turn(pictured: bool, sees: bool, taken: bool, mark: str) -> None:
    transcript = talk(
        Ready(at_s=1.0, profile="gemma", model="m", load_ms=1.0, sees=sees),
        Caption(at_s=50.0, turn=0, text="hi", final=True),
        TurnCommitted(at_s=50.0, turn=0, last_speech_at_s=49.8, pictured=pictured),
        *([MediaTaken(at_s=50.4, turn=0, kind="picture", took_ms=200.0)] if taken else []),
        TurnDone(
            at_s=52.0,
            turn=0,
            status="completed",
            heard="hi",
            reply="Hello.",
            stages_ms={"voice_to_voice": 780.0},
            output_tokens=24,
        ),
    )
    turn = turn_of(transcript)
    shown = stand_in.frozen_clock(turn.shown_s) if turn.shown_s is not None else ""
    assert entry_lines(turn, 100, "12:40:50", shown)[-1].plain.strip() == mark


def test_a_cut_flashes_and_is_struck_through_then() -> None:
    transcript = talk(*stand_in.hearing(), *stand_in.thinking(), *stand_in.speaking(), *stand_in.interrupted())
    turn = turn_of(transcript)
    flashing = entry_lines(turn, 200, "", flash=True)[1]
    (styled,) = [flashing.plain[s.start : s.end] for s in flashing.spans if str(s.style) == FLASH_STYLE]
    assert styled == "notebook. The pen is on the left."
    assert "strike" not in str(flashing.spans)
    assert struck(transcript) == styled


def test_a_refused_turn_is_marked_and_the_reason_follows() -> None:
    transcript = talk()
    transcript.typed("too long", 1.0)
    transcript.apply(Failed(at_s=2.0, text="the turn is too long"))
    assert plain(transcript) == ["you     too long", "        ✗ not sent", "✗ error: the turn is too long"]


def test_a_reply_of_which_nothing_was_heard_is_written_anew_when_it_is_asked_again() -> None:
    transcript = talk(
        Caption(at_s=1.0, turn=0, text="hi", final=True),
        ReplyText(at_s=1.1, turn=0, delta="Hello th"),
        AskedAgain(at_s=1.2, turn=0),
        ReplyText(at_s=1.3, turn=0, delta="Good day."),
    )
    assert plain(transcript) == ["you     hi", "parlor  Good day."]


@pytest.mark.parametrize(
    ("status", "mark"),
    [
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


@given(st.lists(st.tuples(st.text(max_size=30), st.integers(0, 50_000)), max_size=5), st.floats(0, 9000))
def test_what_was_heard_is_a_beginning_in_whole_words_and_only_grows(units: list[tuple[str, int]], ms: float) -> None:
    spoken = Spoken()
    for text, samples in units:
        spoken.add_unit(text)
        spoken.add_samples(samples)
    whole = " ".join(text for text, _ in units)
    heard = spoken.heard(ms)
    assert whole.startswith(heard)
    assert spoken.heard(ms + 100).startswith(heard)
    assert spoken.heard(sum(samples for _, samples in units) / 24 + 1) == whole


def test_words_light_up_when_they_have_been_said_once_that_is_known() -> None:
    spoken = Spoken([Unit("No.", 24_000, ((3, 900.0),)), Unit("A long one.", 24_000)])
    assert spoken.heard(899.0) == ""
    assert spoken.heard(900.0) == "No."
    assert spoken.heard(1500.0) == "No. A"
    spoken.add_words("A long one.", ((1, 1050.0), (6, 1480.0), (11, 1900.0)))
    assert spoken.heard(1500.0) == "No. A long"
    spoken.add_words("No.", ((3, 10.0),))
    assert spoken.heard(500.0) == "", "what is known is not told anew"


def test_times_of_words_reach_the_talk_and_take_nothing_back() -> None:
    transcript = talk(*stand_in.hearing(), *stand_in.thinking(), *stand_in.speaking(), *stand_in.spoken_so_far())
    assert lit(transcript) == "A red mug and an open"
    ends = tuple((len(stand_in.REPLY[: at + 1]), 200.0 * at) for at, c in enumerate(stand_in.REPLY) if c in " .")
    transcript.apply(ReplyTimed(at_s=14.0, turn=0, text=stand_in.REPLY, ends_ms=ends))
    transcript.apply(SpeakerLevel(at_s=14.1, turn=0, dbfs=-20.0, played_ms=1600.0))
    assert lit(transcript) == "A red mug and an open"
    transcript.apply(SpeakerLevel(at_s=14.2, turn=0, dbfs=-20.0, played_ms=3000.0))
    assert lit(transcript) == "A red mug and an open"


def test_scripts_without_spaces_light_up_by_character() -> None:
    spoken = Spoken([Unit("今日はいい天気です", 9 * 2400)])
    assert [len(spoken.heard(ms)) for ms in (0.0, 150.0, 450.0, 901.0)] == [0, 1, 4, 9]


WHOLE_TALK = [
    *stand_in.loading(),
    Notice(at_s=1.0, text="gone", key="microphone"),
    Notice(at_s=1.0, text="", key="microphone"),
    *stand_in.whole_talk(),
    *stand_in.joined(),
    *stand_in.finished(),
    *stand_in.spoken_so_far(),
    *stand_in.making_way("resumed"),
    ReplyAudioArrived(at_s=12.0, turn=1, samples=9000),
]


@given(st.lists(st.sampled_from(WHOLE_TALK), max_size=60), st.integers(1, 5))
def test_any_order_of_events_leaves_views_in_step(events: list[Event], limit: int) -> None:
    """Replaying the changes alone gives the same entries in the same order."""
    transcript = Transcript(limit)
    drawn: dict[int, TurnEntry | LineEntry] = {}
    for index, event in enumerate(events):
        transcript.apply(event)
        if index % 7 == 0:
            transcript.typed(stand_in.REPLY, 1.0)
        if index % 3 == 0:
            changes = transcript.take_changes()
            for number in changes.removed:
                del drawn[number]
            drawn.update({entry.number: entry for entry in changes.added})
            assert changes.changed <= drawn.keys()
            assert list(drawn.values()) == transcript.entries
            assert len(drawn) <= limit

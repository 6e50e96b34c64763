"""Turn-taking as data: what is said of a pause, of a reply that makes way, and when figures are shown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlor_tui.events import (
    AudioStarted,
    AudioStopped,
    EchoLevel,
    Event,
    Interrupted,
    MicLevel,
    PauseJudged,
    ReplyYields,
    SpeakerLevel,
    SpeechStarted,
    SpeechStopped,
    Tuned,
    TurnCommitted,
)
from parlor_tui.hearing.end_of_turn import Why
from parlor_tui.ui.exchange import NO_TURN, Exchange
from parlor_tui.ui.pauses import pause_words
from tests.ui import stand_in

SPEAKING: list[Event] = [AudioStarted(at_s=12.8, turn=0), *stand_in.spoken_so_far()]


def after(*events: Event) -> Exchange:
    exchange = Exchange(speech_probability=0.5)
    for event in events:
        exchange.apply(event)
    return exchange


def test_a_pause_says_what_it_waits_for_until_the_user_goes_on() -> None:
    exchange = after(*stand_in.hearing(), *stand_in.pausing())
    assert exchange.note == "pause: ends after 1800 ms: more must follow · sounds 7 % finished"
    assert exchange.lasts
    exchange.apply(MicLevel(at_s=11.8, dbfs=-50.0, speech_probability=0.4))
    assert exchange.lasts
    exchange.apply(MicLevel(at_s=11.9, dbfs=-20.0, speech_probability=0.9))
    assert (exchange.note, exchange.lasts) == ("", False)


def test_what_counts_as_going_on_follows_live_tuning() -> None:
    exchange = after(*stand_in.hearing(), *stand_in.pausing())
    exchange.apply(Tuned(at_s=11.7, values={"hearing.vad_threshold": 0.3}, saved={}))
    exchange.apply(MicLevel(at_s=11.8, dbfs=-50.0, speech_probability=0.4))
    assert (exchange.note, exchange.lasts) == ("", False)


def test_an_ended_turn_says_after_what_silence_and_why() -> None:
    exchange = after(*stand_in.hearing(), *stand_in.finished())
    assert (exchange.note, exchange.lasts) == ("ended after 210 ms: finished", False)
    exchange.apply(SpeechStarted(at_s=20.0, turn=1))
    assert exchange.note == ""


def test_what_was_judged_of_another_turn_does_not_count() -> None:
    stopped = SpeechStopped(at_s=9.0, turn=1, last_speech_at_s=8.4, dropped=False)
    assert after(PauseJudged(at_s=1.0, turn=0, wait_ms=200, why="finished"), stopped).note == "ended after 600 ms"


def test_a_turn_that_was_cut_at_its_longest_says_so() -> None:
    stopped = SpeechStopped(at_s=70.0, turn=0, last_speech_at_s=70.0, dropped=False)
    assert after(stopped).note == "ended at the longest length of a turn"


def test_a_noise_in_silence_is_called_no_turn_and_a_typed_turn_ends_all_notes() -> None:
    dropped = SpeechStopped(at_s=2.0, turn=0, last_speech_at_s=1.8, dropped=True)
    exchange = after(SpeechStarted(at_s=1.7, turn=0), dropped)
    assert exchange.note == NO_TURN
    exchange.apply(TurnCommitted(at_s=3.0, turn=0, last_speech_at_s=None))
    assert exchange.note == ""


@pytest.mark.parametrize(
    ("how", "yields", "note"),
    [
        ("dipped", "dipped", "quieter: somebody speaks"),
        ("held", "held", "held: listening to you; it goes on if this is no turn"),
        ("resumed", None, "goes on: that was no turn"),
    ],
)
def test_a_reply_that_makes_way_says_how(how: str, yields: str | None, note: str) -> None:
    exchange = after(*SPEAKING, *stand_in.making_way(how))  # type: ignore[arg-type]
    assert (exchange.yields, exchange.note, exchange.lasts) == (yields, note, yields is not None)
    exchange.apply(AudioStopped(at_s=16.0, turn=0, played_ms=3100.0))
    assert (exchange.yields, exchange.note, exchange.lasts) == (None, "", False)


def test_levels_are_there_only_while_the_reply_sounds() -> None:
    late = stand_in.spoken_so_far(at_s=16.1)
    assert after(*late).echo is None
    exchange = after(*SPEAKING)
    assert exchange.speaker_dbfs == -18.0
    assert exchange.echo is not None
    for ending in (AudioStopped(at_s=16.0, turn=0, played_ms=9.0), *stand_in.making_way("held")):
        exchange = after(*SPEAKING, *stand_in.making_way("dipped"), ending, *late)
        silent = isinstance(ending, AudioStopped) or (isinstance(ending, ReplyYields) and ending.how == "held")
        assert (exchange.speaker_dbfs is None) is silent
        assert (exchange.echo is None) is silent


def test_eagerness_is_counted() -> None:
    assert after(stand_in.eager()).eager == stand_in.eager()


turns = st.integers(0, 2)
at = st.just(1.0)
anything: st.SearchStrategy[Event] = st.one_of(
    st.builds(AudioStarted, at_s=at, turn=turns),
    st.builds(AudioStopped, at_s=at, turn=turns, played_ms=st.floats(0, 9)),
    st.builds(Interrupted, at_s=at, turn=turns, by=st.just("voice"), played_ms=st.floats(0, 9)),
    st.builds(ReplyYields, at_s=at, turn=turns, how=st.sampled_from(["dipped", "held", "resumed"])),
    st.builds(SpeakerLevel, at_s=at, turn=turns, dbfs=st.floats(-120, 0), played_ms=st.floats(0, 9)),
    st.builds(EchoLevel, at_s=at, dbfs=st.floats(-120, 0), suppressed_db=st.floats(0, 60)),
    st.builds(PauseJudged, at_s=at, turn=turns, wait_ms=st.integers(64, 5000), why=st.just("finished")),
    st.builds(MicLevel, at_s=at, dbfs=st.floats(-120, 0), speech_probability=st.floats(0, 1)),
    st.builds(SpeechStarted, at_s=at, turn=turns),
    st.builds(SpeechStopped, at_s=at, turn=turns, last_speech_at_s=st.floats(0, 1), dropped=st.booleans()),
)


@given(st.lists(anything, max_size=40))
def test_whatever_comes_a_reply_makes_way_only_while_it_sounds(events: list[Event]) -> None:
    exchange, playing = Exchange(0.5), None
    for event in events:
        exchange.apply(event)
        if isinstance(event, AudioStarted):
            playing = event.turn
        elif isinstance(event, AudioStopped | Interrupted) and event.turn == playing:
            playing = None
        if playing is None:
            assert exchange.yields is exchange.speaker_dbfs is exchange.echo is None
        if exchange.lasts:
            assert exchange.note


def test_every_reason_has_words_of_its_own_and_a_new_one_stands_as_it_is() -> None:
    """What the screen says of a pause keeps step with what can decide it."""
    for why in Why:
        told = pause_words(PauseJudged(at_s=1.0, turn=0, wait_ms=600, why=why))
        assert told.startswith("pause: ends after 600 ms: ")
        assert not told.endswith(f": {why}"), f"{why} has no words of its own"
        assert len(told) + len(" · sounds 100 % finished") <= 72, "the frame at 80 columns holds it"
    assert pause_words(PauseJudged(at_s=1.0, turn=0, wait_ms=600, why="mood")).endswith(": mood")

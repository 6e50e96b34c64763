"""The bridge merges what repeats, keeps every fact and its order, and never grows without limit."""

from __future__ import annotations

import threading

from hypothesis import given
from hypothesis import strategies as st

from parlor_tui.events import (
    Caption,
    EchoLevel,
    Event,
    Loading,
    MicLevel,
    ModelComing,
    Notice,
    ReplyAudioArrived,
    ReplyText,
    SpeakerLevel,
    SpeechStarted,
    TurnCommitted,
)
from parlor_tui.ui.bridge import Bridge, merged

turns = st.integers(0, 2)
texts = st.text(max_size=5)
repeating: st.SearchStrategy[Event] = st.one_of(
    st.builds(ReplyText, at_s=st.just(0.0), turn=turns, delta=texts, final=st.booleans()),
    st.builds(Caption, at_s=st.just(0.0), turn=turns, text=texts, final=st.booleans()),
    st.builds(ReplyAudioArrived, at_s=st.just(0.0), turn=turns, samples=st.integers(0, 100)),
    st.builds(Loading, at_s=st.just(0.0), text=texts),
    st.builds(ModelComing, at_s=st.just(0.0), name=st.just("m"), text=texts, done_bytes=st.integers(0, 9)),
)
meters: st.SearchStrategy[Event] = st.one_of(
    st.builds(MicLevel, at_s=st.just(0.0), dbfs=st.floats(-120, 0), speech_probability=st.floats(0, 1)),
    st.builds(SpeakerLevel, at_s=st.just(0.0), turn=turns, dbfs=st.floats(-120, 0), played_ms=st.floats(0, 9)),
    st.builds(EchoLevel, at_s=st.just(0.0), dbfs=st.floats(-120, 0), suppressed_db=st.floats(0, 60)),
)
facts: st.SearchStrategy[Event] = st.one_of(
    st.builds(Notice, at_s=st.just(0.0), text=texts),
    st.builds(SpeechStarted, at_s=st.just(0.0), turn=turns),
    st.builds(TurnCommitted, at_s=st.just(0.0), turn=turns, last_speech_at_s=st.none()),
)
MERGED_TYPES = (ReplyText, Caption, ReplyAudioArrived, Loading, ModelComing, MicLevel, SpeakerLevel, EchoLevel)


def reply_text(events: list[Event], turn: int) -> str:
    return "".join(e.delta for e in events if isinstance(e, ReplyText) and e.turn == turn)


@given(st.lists(st.one_of(repeating, meters, facts)), st.sets(st.integers(0, 40)))
def test_text_and_facts_survive_whenever_it_is_drained(events: list[Event], drain_after: set[int]) -> None:
    bridge = Bridge()
    out: list[Event] = []
    for index, event in enumerate(events):
        bridge.put(event)
        if index in drain_after:
            out += bridge.drain()
    out += bridge.drain()
    for turn in range(3):
        assert reply_text(out, turn) == reply_text(events, turn)
        assert sum(e.samples for e in out if isinstance(e, ReplyAudioArrived) and e.turn == turn) == sum(
            e.samples for e in events if isinstance(e, ReplyAudioArrived) and e.turn == turn
        )
        finals = [e for e in events if isinstance(e, Caption | ReplyText) and e.turn == turn and e.final]
        assert len([e for e in out if isinstance(e, Caption | ReplyText) and e.turn == turn and e.final]) == len(finals)
    assert [e for e in out if not isinstance(e, MERGED_TYPES)] == [e for e in events if not isinstance(e, MERGED_TYPES)]
    for kind in (MicLevel, SpeakerLevel, EchoLevel):
        put_in = [e for e in events if isinstance(e, kind)]
        assert [e for e in out if isinstance(e, kind)][-1:] == put_in[-1:]


@given(st.lists(repeating, min_size=2))
def test_merging_keeps_the_order_between_different_things(events: list[Event]) -> None:
    """What was put between two others comes out between them: only neighbours merge."""
    bridge = Bridge()
    for event in events:
        bridge.put(event)
    kinds = [(type(e), getattr(e, "turn", None)) for e in events]
    shrunk = [kind for index, kind in enumerate(kinds) if index == 0 or kinds[index - 1] != kind]
    out = [(type(e), getattr(e, "turn", None)) for e in bridge.drain()]
    assert [kind for index, kind in enumerate(out) if index == 0 or out[index - 1] != kind] == shrunk


def test_only_neighbours_of_the_same_turn_merge() -> None:
    first = ReplyText(at_s=1.0, turn=1, delta="a")
    assert merged(first, ReplyText(at_s=2.0, turn=1, delta="b")) == ReplyText(at_s=2.0, turn=1, delta="ab")
    assert merged(first, ReplyText(at_s=2.0, turn=2, delta="b")) is None
    assert merged(ReplyText(at_s=1.0, turn=1, delta="", final=True), first) is None
    assert (
        merged(Caption(at_s=1.0, turn=1, text="x", final=True), Caption(at_s=2.0, turn=1, text="y", final=False))
        is None
    )


def test_a_thousand_levels_are_one() -> None:
    bridge = Bridge()
    for index in range(1000):
        bridge.put(MicLevel(at_s=0.0, dbfs=-index / 10, speech_probability=0.0))
    assert bridge.drain() == [MicLevel(at_s=0.0, dbfs=-99.9, speech_probability=0.0)]
    assert bridge.drain() == []


def test_a_full_bridge_holds_the_sender_until_it_is_drained() -> None:
    bridge = Bridge(limit=2)
    bridge.drain()
    put_in = [Notice(at_s=float(index), text=str(index)) for index in range(3)]

    def send() -> None:
        for event in put_in:
            bridge.put(event)

    sender = threading.Thread(target=send, daemon=True)
    sender.start()
    sender.join(0.2)
    assert sender.is_alive()
    out = bridge.drain()
    assert out == put_in[:2]
    sender.join(5)
    assert not sender.is_alive()
    assert bridge.drain() == put_in[2:]


def test_the_drawing_thread_never_waits_for_itself() -> None:
    bridge = Bridge(limit=1)
    bridge.drain()
    put_in = [Notice(at_s=float(index), text=str(index)) for index in range(3)]
    for event in put_in:
        bridge.put(event)
    assert bridge.drain() == put_in


def test_closing_lets_senders_go_and_discards() -> None:
    bridge = Bridge(limit=1)
    sender = threading.Thread(
        target=lambda: [bridge.put(Notice(at_s=0.0, text=str(index))) for index in range(3)], daemon=True
    )
    sender.start()
    sender.join(0.2)
    assert sender.is_alive()
    bridge.close()
    sender.join(5)
    assert not sender.is_alive()
    bridge.put(MicLevel(at_s=0.0, dbfs=-1.0, speech_probability=0.0))
    assert bridge.drain() == []

"""What becomes of what was said, by the events of a talk; how a fault is noticed; what a new core is told."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlor_tui.bench.soak.kinds import KINDS
from parlor_tui.bench.soak.ledger import OUTCOMES, TO_A_TURN_S, Ledger
from parlor_tui.bench.soak.remembering import Remembering
from parlor_tui.bench.soak.trials import TOO_LATE_S, Trial
from parlor_tui.conversations.record import Turn
from parlor_tui.events import (
    CoreFound,
    DeviceUsed,
    Event,
    Failed,
    Interrupted,
    Notice,
    Ready,
    SpeechStarted,
    SpeechStopped,
    TurnCommitted,
    TurnDone,
)
from parlor_tui.link.client_events import CreateItem, CreateResponse, UpdateSession

T0_S = 100.0


def done(turn: int, status: str = "completed", at_s: float = T0_S + 5, reply: str = "So.", said: str = "Hm?") -> Event:
    return TurnDone(
        at_s=at_s,
        turn=turn,
        status=status,  # type: ignore[arg-type]
        heard=said,
        reply=reply,
        stages_ms={},
        output_tokens=1,
    )


def spoken(turn: int, at_s: float = T0_S + 0.2) -> list[Event]:
    return [
        SpeechStarted(at_s=at_s, turn=turn),
        SpeechStopped(at_s=at_s + 2, turn=turn, last_speech_at_s=at_s + 1.8, dropped=False),
        TurnCommitted(at_s=at_s + 2, turn=turn, last_speech_at_s=at_s + 1.8),
    ]


def outcome(events: Sequence[Event], fault: str = "", pressed: bool = False) -> str:
    """What becomes of an utterance of two seconds at T0, with `fault` from its beginning to its end."""
    ledger = Ledger()
    ledger.said("voice", "A question?", T0_S, T0_S + 2)
    if fault:
        ledger.fault_begins(KINDS[fault], T0_S + 1)
    if pressed:
        ledger.pressed(T0_S + 4)
    for event in events:
        ledger.take(event)
    ledger.fault_ends(T0_S + 6)
    (found,) = ledger.close()
    assert ledger.counts[found] == 1
    assert bool(ledger.losses) == (found == "lost")
    return found


def stopped(turn: int, by: str, at_s: float = T0_S + 4.5) -> list[Event]:
    return [Interrupted(at_s=at_s, turn=turn, by=by, played_ms=500), done(turn, "interrupted")]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("events", "fault", "pressed", "expected"),
    [
        ([*spoken(1), done(1)], "", False, "answered"),
        ([*spoken(1), done(1)], "mic-lost", False, "answered"),
        ([*spoken(1), *stopped(1, "key")], "", True, "interrupted"),
        ([*spoken(1), *stopped(1, "key")], "", False, "lost"),
        ([*spoken(1), *stopped(1, "key")], "speaker-lost", False, "interrupted"),
        ([*spoken(1), *stopped(1, "voice")], "", False, "interrupted"),
        ([*spoken(1), *stopped(1, "voice", T0_S + 60)], "", False, "lost"),
        ([*spoken(1), *stopped(1, "turn")], "", False, "interrupted"),
        ([*spoken(1), done(1, "joined"), *spoken(2), done(2)], "", False, "answered"),
        ([*spoken(1), done(1, "joined"), done(2)], "", False, "joined"),
        ([*spoken(1), done(1, "joined")], "", False, "lost"),
        ([*spoken(1), done(1, "failed")], "core-kill", False, "cut short"),
        ([*spoken(1), done(1, "failed")], "", False, "lost"),
        ([*spoken(1), done(1, "failed", reply="")], "core-kill", False, "lost"),
        ([*spoken(1), done(1, "no_words")], "", False, "lost"),
        ([*spoken(1), done(1, "no_words")], "mic-muted", False, "unheard"),
        ([*spoken(1), done(1, "no_words"), *spoken(2), done(2)], "", False, "answered"),
        (spoken(1), "", False, "lost"),
        ([], "", False, "lost"),
        ([], "core-kill", False, "lost"),
        ([], "suspend", False, "unheard"),
        ([*spoken(1)[:1], SpeechStopped(at_s=1, turn=1, last_speech_at_s=1, dropped=True)], "", False, "lost"),
    ],
)  # fmt: skip
def test_what_becomes_of_an_utterance(events: list[Event], fault: str, pressed: bool, expected: str) -> None:
    assert outcome(events, fault, pressed) == expected


def test_a_loss_says_what_was_lost_why_and_what_happened_meanwhile() -> None:
    ledger = Ledger()
    ledger.fault_begins(KINDS["mic-lost"], T0_S - 50)
    ledger.fault_ends(T0_S - 40)
    ledger.said("typed", "What?", T0_S, T0_S)
    ledger.fault_begins(KINDS["core-memory"], T0_S + 1)
    ledger.take(TurnCommitted(at_s=T0_S, turn=4, last_speech_at_s=None))
    ledger.take(Failed(at_s=T0_S + 2, text="no answer: out of memory"))
    ledger.take(done(4, "failed", reply=""))
    assert ledger.close() == ["lost"]
    (loss,) = ledger.losses
    assert (loss.said, loss.by, loss.why, loss.fault) == ("What?", "typed", "no answer: out of memory", "core-memory")


def test_it_waits_for_what_may_still_come_and_for_nothing_else() -> None:
    ledger = Ledger()
    assert not ledger.waits(T0_S)
    ledger.said("voice", "A question?", T0_S, T0_S + 2)
    assert ledger.waits(T0_S + 2 + TO_A_TURN_S - 0.1)
    assert not ledger.waits(T0_S + 2 + TO_A_TURN_S)
    for event in spoken(1):
        ledger.take(event)
    assert ledger.waits(T0_S + 60)
    ledger.take(done(1))
    assert not ledger.waits(T0_S + 60)
    ledger.said("typed", "More?", T0_S + 61, T0_S + 61)
    assert ledger.waits(T0_S + 600), "it waits for a core"
    ledger.take(TurnCommitted(at_s=T0_S + 601, turn=2, last_speech_at_s=None))
    ledger.take(done(2))
    assert not ledger.waits(T0_S + 602)
    assert ledger.close() == ["answered", "answered"]


def test_a_number_that_was_given_back_counts_for_the_next_and_turns_of_nobody_are_told() -> None:
    ledger = Ledger()
    ledger.said("voice", "First?", T0_S, T0_S + 2)
    ledger.take(SpeechStarted(at_s=T0_S + 0.1, turn=1))
    ledger.take(SpeechStopped(at_s=T0_S + 1, turn=1, last_speech_at_s=T0_S, dropped=True))
    ledger.said("voice", "Second?", T0_S + 20, T0_S + 22)
    for event in [*spoken(1, T0_S + 20.1), done(1), *spoken(2, T0_S + 40), done(2)]:
        ledger.take(event)
    assert ledger.close() == ["lost", "answered"]
    assert ledger.unsaid == 1


STATUSES = st.sampled_from(["completed", "interrupted", "joined", "no_words", "failed", ""])


@given(st.lists(st.tuples(st.booleans(), STATUSES, st.sampled_from(["", *KINDS])), max_size=12))
def test_everything_said_comes_to_exactly_one_end(talk: list[tuple[bool, str, str]]) -> None:
    ledger = Ledger()
    for turn, (aloud, status, fault) in enumerate(talk, 1):
        at_s = T0_S + 10 * turn
        ledger.said("voice" if aloud else "typed", f"{turn}", at_s, at_s + 2 * aloud)
        if fault:
            ledger.fault_begins(KINDS[fault], at_s + 1)
        events = spoken(turn, at_s) if aloud else [TurnCommitted(at_s=at_s, turn=turn, last_speech_at_s=None)]
        for event in events:
            ledger.take(event)
        if status:
            ledger.take(done(turn, status, at_s + 3, reply=""))
        ledger.fault_ends(at_s + 4)
    assert len(ledger.close()) == len(talk) == ledger.counts.total()
    assert set(ledger.counts) == set(OUTCOMES)
    never = sum(status in ("", "failed") for _, status, _ in talk)
    assert ledger.counts["lost"] >= never
    assert ledger.close() == []


def notice(after_s: float, key: str, text: str = "") -> Notice:
    return Notice(at_s=T0_S + after_s, key=key, text=text)


def test_a_fault_of_the_core_is_noticed_and_got_over() -> None:
    trial = Trial(KINDS["core-kill"], "thinks", T0_S)
    for event in (
        notice(-1, "core", "before"),
        notice(0.4, "microphone", "another"),
        notice(0.5, "core", "killed"),
        notice(6, "core"),
    ):
        trial.take(event)
    trial.undo(T0_S + 1)
    trial.take(Ready(at_s=T0_S + 6, profile="lite", model="M", load_ms=1))
    assert (trial.text, trial.noticed_s, trial.back_s, trial.faults) == ("killed", 0.5, 6.0, [])
    assert trial.new_core


def test_a_device_is_back_once_it_is_used_again_counted_from_when_it_can_be() -> None:
    trial = Trial(KINDS["mic-lost"], "idle", T0_S)
    trial.take(notice(0.1, "microphone", "gone"))
    trial.take(DeviceUsed(at_s=T0_S + 0.1, kind="microphone", choice="x", label=""))
    trial.take(DeviceUsed(at_s=T0_S + 0.2, kind="speaker", choice="x", label="S"))
    trial.undo(T0_S + 2)
    assert trial.faults == ["was not got over"]
    trial.take(DeviceUsed(at_s=T0_S + 2.5, kind="microphone", choice="x", label="M"))
    assert (trial.back_s, trial.faults) == (0.5, [])


def test_a_speaker_may_also_be_another_one_for_a_while() -> None:
    trial = Trial(KINDS["speaker-lost"], "speaks", T0_S)
    trial.take(notice(0.1, "", "the speaker S is gone: playing on T now"))
    trial.undo(T0_S + 2)
    trial.take(notice(2.2, "", "playing on S now"))
    assert (trial.noticed_s, trial.back_s, trial.faults) == (pytest.approx(0.1), pytest.approx(0.2), [])


def test_a_full_disk_can_be_known_of_from_the_first_write_on() -> None:
    trial = Trial(KINDS["disk-full"], "idle", T0_S)
    trial.take(TurnCommitted(at_s=T0_S + 9, turn=1, last_speech_at_s=None))
    trial.take(notice(9.2, "disk", "full"))
    trial.undo(T0_S + 10)
    trial.take(notice(11, "disk"))
    assert trial.noticed_s == pytest.approx(0.2)
    assert trial.back_s == pytest.approx(1.0)


def test_what_is_never_told_or_too_late_is_wrong_and_what_does_no_harm_is_not() -> None:
    silent = Trial(KINDS["link-cut"], "idle", T0_S)
    assert silent.faults == ["was not told", "was not got over"]
    late = Trial(KINDS["link-cut"], "idle", T0_S)
    late.take(notice(TOO_LATE_S + 1, "core", "lost"))
    late.take(notice(TOO_LATE_S + 2, "core"))
    assert late.faults == ["was told only after 9.0 s"]
    harmless = Trial(KINDS["core-memory"], "idle", T0_S)
    harmless.take(done(1, at_s=T0_S + 1))
    harmless.undo(T0_S + 2)
    assert harmless.faults == ["was not got over"]
    harmless.take(done(2, at_s=T0_S + 3))
    assert harmless.faults == []
    asleep = Trial(KINDS["suspend"], "idle", T0_S)
    asleep.take(done(1, at_s=T0_S + 8))
    assert asleep.faults == []


FOUND = CoreFound(at_s=T0_S, profile="lite", model="M", demo_grade=True)


def test_what_a_new_core_is_not_told_is_forgotten() -> None:
    talk = Remembering()
    talk.take(FOUND)
    for turn, said in enumerate(("My name is Anna.", "And yours?", "Yes."), 1):
        talk.take(done(turn, said=said))
    talk.take(FOUND)
    for event in (UpdateSession(16000, True, {}), CreateItem("user", "My name is Anna."), CreateItem("user", "Yes.")):
        talk.told(event)
    talk.told(CreateItem("assistant", "And yours?"))
    talk.told(CreateResponse(3))
    talk.finish()
    assert (talk.restored, talk.forgotten) == (1, ["And yours?"])


def test_a_turn_that_is_not_in_the_kept_conversation_is_told() -> None:
    talk = Remembering()
    for said, status in (("One.", "completed"), ("Two.", "completed"), ("Two.", "completed"), ("", "no_words")):
        talk.take(done(1, status, said=said))
    kept = [Turn(1, said="One.", status="completed"), Turn(2, said="Two.", status="interrupted")]
    assert talk.not_kept(kept) == ["Two.", "Two."]

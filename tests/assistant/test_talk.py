"""Turns as the terminal sees them: what it tells the core, whatever comes in whatever order."""

from __future__ import annotations

import numpy as np
import pytest

from parlor_tui.assistant.playback import Playback
from parlor_tui.assistant.talk import Talk
from parlor_tui.assistant.utterance import Heard
from parlor_tui.events import (
    AskedAgain,
    CaptionFinal,
    CoreError,
    CoreNotice,
    EagerCount,
    EagerDropped,
    Event,
    Failed,
    InputCommitted,
    Interrupted,
    Notice,
    ReplyAudio,
    ReplyCreated,
    ReplyDelta,
    ReplyDone,
    ReplyUnit,
    ReplyYields,
    SpeechOver,
    SpeechPiece,
    TurnCommitted,
    TurnDone,
    TurnJudged,
    Usage,
)
from parlor_tui.hearing.turn import Action, Begin, Commit, Confirm, Drop, Pause, ReplyPhase, Resume, Settle, Stir, Sure
from parlor_tui.link.client_events import (
    AppendAudio,
    CancelResponse,
    ClearAudio,
    ClientEvent,
    CommitAudio,
    CreateItem,
    CreateResponse,
    PauseAudio,
    ResumeAudio,
    SayAloud,
    StopSaying,
    TruncateItem,
)
from parlor_tui.observe.stages import LatencyObserver
from tests.assistant.loudspeaker import Loudspeaker


class Terminal:
    """A talk, with all that it said to the core and to its listeners; heard only with a loudspeaker."""

    def __init__(self, loudspeaker: Loudspeaker | None = None) -> None:
        self.sent: list[ClientEvent] = []
        self.events: list[Event] = []
        playback = Playback()
        playback.use(loudspeaker)
        self.talk = Talk(self.events.append, self.sent.append, playback, LatencyObserver())

    def hear(self, *actions: Action) -> None:
        self.talk.heard(Heard(-20.0, 0.9, actions, b"\0\0"), 1.0, lambda: None)

    def speak(self) -> None:
        for action in (Begin(), Confirm(), Sure(), Pause(1, 1.0), Commit(1.0)):
            self.hear(action)

    def begin_to_answer(self, turn: int, text: str, seconds: float = 1.0) -> None:
        response, item = f"resp_{turn}", f"item_{turn}"
        self.talk.core_said(ReplyCreated(response, item, turn))
        self.talk.core_said(ReplyDelta(response, item, text))
        self.talk.core_said(ReplyUnit(response, item, text))
        tone = 0.3 * np.sin(np.arange(int(seconds * 24_000)) / 5)
        self.talk.core_said(ReplyAudio(response, item, (tone * 32767).astype("<i2").tobytes()))
        self.talk.tick(hold=False)

    def yields(self) -> list[str]:
        return [event.how for event in self.events if isinstance(event, ReplyYields)]

    def answer(self, turn: int, text: str) -> None:
        response, item = f"resp_{turn}", f"item_{turn}"
        self.talk.core_said(ReplyCreated(response, item, turn))
        self.talk.core_said(ReplyDelta(response, item, text))
        self.talk.core_said(ReplyDone(response, item, turn, "completed", text))
        self.talk.tick(hold=False)

    def turns_done(self) -> list[tuple[int, str]]:
        return [(event.turn, event.status) for event in self.events if isinstance(event, TurnDone)]

    def requests(self) -> list[str]:
        kinds = (CreateResponse, CancelResponse, CommitAudio, CreateItem, PauseAudio, ResumeAudio, TruncateItem)
        return [type(event).__name__ for event in self.sent if isinstance(event, kinds)]


def test_a_turn_that_ends_over_a_reply_stops_it_first() -> None:
    terminal = Terminal()
    terminal.hear(Begin())
    terminal.hear(Confirm())
    terminal.talk.typed("Hello.", None)
    terminal.hear(Commit(1.0))
    assert terminal.requests() == ["CreateItem", "CreateResponse", "CancelResponse", "CommitAudio", "CreateResponse"]
    assert len(terminal.turns_done()) == 1


def test_every_turn_ends_exactly_once() -> None:
    terminal = Terminal()
    for _ in range(3):
        terminal.speak()
    terminal.talk.interrupt("key")
    terminal.talk.typed("Hi.", None)
    terminal.answer(4, "Hello.")
    assert [turn for turn, _ in terminal.turns_done()] == [1, 2, 3, 4]
    assert terminal.turns_done()[-1] == (4, "completed")


def test_an_interrupted_turn_is_not_answered_after_the_core_died() -> None:
    terminal = Terminal()
    terminal.speak()
    terminal.talk.interrupt("key")
    terminal.talk.core_lost()
    terminal.sent.clear()
    terminal.talk.core_back()
    assert terminal.sent == []


def test_a_turn_without_an_answer_is_asked_again_after_the_core_died() -> None:
    terminal = Terminal()
    terminal.speak()
    terminal.talk.core_lost()
    terminal.sent.clear()
    terminal.talk.core_back()
    assert terminal.requests() == ["CommitAudio", "CreateResponse"]
    terminal.talk.core_said(InputCommitted("item_x"))
    terminal.talk.core_said(CaptionFinal("item_x", "Hello?", 500.0))
    terminal.answer(1, "Hi.")
    assert terminal.turns_done() == [(1, "completed")]
    assert isinstance(terminal.events[-1], TurnDone)
    assert terminal.events[-1].heard == "Hello?"


def test_a_turn_over_which_core_after_core_dies_is_asked_no_more() -> None:
    terminal = Terminal()
    terminal.talk.typed("The end.", None)
    for _ in range(2):
        terminal.talk.core_lost()
        terminal.talk.core_back()
    asked = [event for event in terminal.sent if isinstance(event, CreateResponse)]
    assert len(asked) == 3
    terminal.talk.core_lost()
    assert [event.status for event in terminal.events if isinstance(event, TurnDone)] == ["failed"]
    before = len(terminal.sent)
    terminal.talk.core_back()
    assert terminal.sent[before:] == []


def test_the_talk_so_far_is_told_to_a_new_core() -> None:
    terminal = Terminal()
    terminal.talk.typed("One?", None)
    terminal.answer(1, "Two.")
    terminal.talk.core_lost()
    terminal.sent.clear()
    terminal.talk.core_back()
    assert terminal.sent == [CreateItem("user", "One?"), CreateItem("assistant", "Two.")]


def test_what_a_core_says_of_itself_is_not_told_again_by_the_next_one() -> None:
    terminal = Terminal()

    def told() -> list[str]:
        return [event.text for event in terminal.events if isinstance(event, Notice)]

    for _ in range(2):
        terminal.talk.core_said(CoreNotice("it cannot see"))
        terminal.talk.core_said(CoreNotice("a picture is broken"))
        terminal.talk.core_lost()
        terminal.talk.core_lost()
    assert told() == ["it cannot see", "a picture is broken"]
    terminal.talk.core_said(CoreNotice("it cannot see"))
    terminal.talk.core_said(CoreNotice("a picture is broken"))
    terminal.talk.core_said(CoreNotice("a picture is broken"))
    assert told()[2:] == ["a picture is broken"], "what happens anew is told anew"


def test_a_turn_tells_whether_a_picture_went_along_and_how_long_its_tokens_took() -> None:
    terminal = Terminal()
    for turn, (frame, usage) in enumerate([(b"jpeg", Usage(9, 5, 0, 140.5)), (None, Usage(9, 5, 0))], 1):
        terminal.talk.typed("One?", frame)
        terminal.talk.core_said(ReplyCreated("r", "i", turn))
        terminal.talk.core_said(ReplyDone("r", "i", turn, "completed", "Two.", usage=usage))
        terminal.talk.tick(hold=False)
    assert [event.pictured for event in terminal.events if isinstance(event, TurnCommitted)] == [True, False]
    assert [event.writing_ms for event in terminal.events if isinstance(event, TurnDone)] == [140.5, 0.0]


def test_without_any_core_to_come_nothing_waits() -> None:
    terminal = Terminal()
    terminal.speak()
    terminal.talk.core_lost()
    terminal.talk.give_up()
    assert terminal.turns_done() == [(1, "failed")]


def spoken_over(*, answer: str = "One two three four five.") -> tuple[Terminal, Loudspeaker]:
    """A reply of one second, 200 ms of which were heard."""
    loudspeaker = Loudspeaker()
    terminal = Terminal(loudspeaker)
    terminal.talk.typed("Count.", None)
    terminal.begin_to_answer(1, answer)
    loudspeaker.play(200)
    terminal.talk.tick(hold=False)
    terminal.sent.clear()
    return terminal, loudspeaker


def level(sound: np.ndarray) -> float:
    return float(np.abs(sound[len(sound) // 2 :]).max())


def test_a_voice_dips_the_reply_then_silences_it_and_words_end_it() -> None:
    terminal, loudspeaker = spoken_over()
    full = level(loudspeaker.play(60))
    terminal.hear(Begin())
    assert 0 < level(loudspeaker.play(60)) < full / 3
    terminal.hear(Confirm())
    assert level(loudspeaker.play(60)) == 0
    terminal.hear(Pause(4, 1.0))
    assert terminal.sent[-1] == PauseAudio(2, 4, answer=False)
    assert terminal.talk.judged(TurnJudged(2, 4, "Stop."))
    assert terminal.requests()[-3:] == ["CancelResponse", "TruncateItem", "PauseAudio"]
    assert terminal.sent[-1] == PauseAudio(2, 4, answer=True)
    assert terminal.turns_done() == [(1, "interrupted")]
    assert [event.by for event in terminal.events if isinstance(event, Interrupted)] == ["voice"]


@pytest.mark.parametrize("text", ["", "Mm-hmm.", "Uh-huh."])
def test_what_is_no_turn_lets_the_reply_go_on_from_where_it_was_held(text: str) -> None:
    terminal, loudspeaker = spoken_over()
    for action in (Begin(), Confirm(), Pause(4, 1.0)):
        terminal.hear(action)
    assert not terminal.talk.judged(TurnJudged(2, 4, text))
    held = loudspeaker.clock().played_samples
    assert level(loudspeaker.play(100)) == 0
    assert loudspeaker.clock().played_samples - held < 24_000 * 0.03
    terminal.hear(Drop(1.0))
    assert level(loudspeaker.play(100)) > 0.25
    assert terminal.yields() == ["dipped", "held", "resumed"]
    assert terminal.turns_done() == []
    assert "CancelResponse" not in terminal.requests()
    terminal.talk.core_said(ReplyDone("resp_1", "item_1", 1, "completed", "One two three four five."))
    loudspeaker.play(2000)
    terminal.talk.tick(hold=False)
    assert terminal.turns_done() == [(1, "completed")]


def test_a_voice_that_goes_on_ends_the_reply_before_it_pauses() -> None:
    terminal, _ = spoken_over()
    for action in (Begin(), Confirm(), Sure()):
        terminal.hear(action)
    assert terminal.turns_done() == [(1, "interrupted")]
    terminal.hear(Pause(1, 1.0))
    assert terminal.sent[-1] == PauseAudio(2, 1, answer=True)


def test_after_any_interruption_the_next_reply_is_heard_in_full_and_aloud() -> None:
    terminal, loudspeaker = spoken_over()
    terminal.speak()
    loudspeaker.play(100)
    terminal.begin_to_answer(2, "Yes, and here is more.", seconds=0.5)
    sound = loudspeaker.play(600)
    assert np.count_nonzero(np.abs(sound) > 0.01) > 0.45 * 24_000
    assert float(np.abs(sound).max()) > 0.25


@pytest.mark.parametrize("text", ["", "you", "Mm-hmm."])
def test_a_noise_while_it_thinks_does_not_lose_the_question(text: str) -> None:
    terminal = Terminal(Loudspeaker())
    terminal.talk.typed("Who are you?", None)
    for action in (Begin(), Confirm(), Sure(), Pause(1, 1.0)):
        terminal.hear(action)
    assert not terminal.talk.judged(TurnJudged(2, 1, text))
    terminal.hear(Drop(1.0))
    assert terminal.turns_done() == []
    assert terminal.requests() == ["CreateItem", "CreateResponse", "PauseAudio"]
    terminal.begin_to_answer(1, "I am Parlor.")
    assert [event.turn for event in terminal.events if isinstance(event, ReplyYields)] == []


def test_more_words_while_it_thinks_join_the_turn() -> None:
    terminal = Terminal(Loudspeaker())
    terminal.speak()
    terminal.sent.clear()
    for action in (Begin(), Confirm(), Pause(2, 1.0)):
        terminal.hear(action)
    assert terminal.talk.judged(TurnJudged(2, 2, "and in Spain?"))
    assert terminal.turns_done() == [(1, "joined")]
    terminal.hear(Commit(1.0))
    assert terminal.requests() == ["PauseAudio", "CancelResponse", "PauseAudio", "CommitAudio", "CreateResponse"]


def test_a_judgement_of_an_utterance_that_is_over_says_nothing() -> None:
    terminal, _ = spoken_over()
    assert terminal.talk.judged(TurnJudged(9, 1, "Stop."))
    assert terminal.turns_done() == []


def test_speech_that_goes_on_after_a_pause_is_told() -> None:
    terminal = Terminal()
    for action in (Begin(), Confirm(), Pause(1, 1.0), Resume(), Pause(2, 2.0), Commit(2.0)):
        terminal.hear(action)
    assert terminal.requests() == ["PauseAudio", "ResumeAudio", "PauseAudio", "CommitAudio", "CreateResponse"]


def test_what_eagerness_brought_and_cost_is_counted() -> None:
    terminal = Terminal()
    terminal.talk.core_said(EagerDropped(1, 120.0))
    terminal.speak()
    terminal.talk.core_said(ReplyCreated("resp_1", "item_1", 1, True, 350.0))
    terminal.talk.core_said(ReplyDone("resp_1", "item_1", 1, "completed", "Yes."))
    terminal.talk.tick(hold=False)
    counts = [event for event in terminal.events if isinstance(event, EagerCount)]
    assert (counts[-1].hits, counts[-1].dropped, counts[-1].saved_ms, counts[-1].wasted_ms) == (1, 1, 350.0, 120.0)
    (done,) = [event for event in terminal.events if isinstance(event, TurnDone)]
    assert done.eager_ms == 350.0


def test_a_voice_that_stirs_and_comes_to_nothing_leaves_the_reply_in_full() -> None:
    terminal, loudspeaker = spoken_over()
    terminal.hear(Stir())
    assert level(loudspeaker.play(60)) < 0.1
    terminal.hear(Settle())
    assert level(loudspeaker.play(60)) > 0.25
    assert terminal.yields() == ["dipped", "resumed"]


def test_a_reply_that_is_here_as_a_whole_is_not_made_again_after_the_core_died() -> None:
    terminal, loudspeaker = spoken_over()
    terminal.talk.core_said(ReplyDone("resp_1", "item_1", 1, "completed", "One two three four five."))
    terminal.talk.core_lost()
    terminal.talk.core_back()
    assert "CreateResponse" not in terminal.requests()
    loudspeaker.play(2000)
    terminal.talk.tick(hold=False)
    assert terminal.turns_done() == [(1, "completed")]
    terminal.sent.clear()
    terminal.talk.core_lost()
    terminal.talk.core_back()
    assert terminal.sent == [CreateItem("user", "Count."), CreateItem("assistant", "One two three four five.")]


@pytest.mark.parametrize(("played_ms", "again"), [(0, True), (10, True), (600, False)])
def test_a_reply_of_which_no_word_was_heard_is_made_again_after_the_core_died(played_ms: int, again: bool) -> None:
    loudspeaker = Loudspeaker()
    terminal = Terminal(loudspeaker)
    terminal.speak()
    terminal.begin_to_answer(1, "One two three four five.", seconds=2.0)
    loudspeaker.play(played_ms)
    terminal.talk.tick(hold=False)
    terminal.talk.core_lost()
    assert terminal.turns_done() == ([] if again else [(1, "failed")])
    assert [event.turn for event in terminal.events if isinstance(event, AskedAgain)] == ([1] if again else [])
    terminal.sent.clear()
    terminal.talk.core_back()
    assert terminal.requests() == (["CommitAudio", "CreateResponse"] if again else [])
    if again:
        terminal.begin_to_answer(1, "Six.", seconds=0.5)
        terminal.talk.core_said(ReplyDone("resp_1", "item_1", 1, "completed", "Six."))
        loudspeaker.play(1000)
        terminal.talk.tick(hold=False)
        assert terminal.turns_done() == [(1, "completed")]


def test_what_is_only_shown_of_a_reply_counts_as_read() -> None:
    terminal = Terminal()
    terminal.talk.typed("Count.", None)
    terminal.begin_to_answer(1, "One two three")
    terminal.talk.core_lost()
    assert terminal.turns_done() == [(1, "failed")]


def test_okay_is_an_answer_once_the_reply_has_said_it_all() -> None:
    terminal, loudspeaker = spoken_over(answer="Shall I go on?")
    terminal.talk.core_said(ReplyDone("resp_1", "item_1", 1, "completed", "Shall I go on?"))
    loudspeaker.play(650)  # of a second: the rest is hardly more than the silence behind the last word
    for action in (Begin(), Confirm(), Pause(4, 1.0)):
        terminal.hear(action)
    assert terminal.talk.judged(TurnJudged(2, 4, "Okay."))
    assert terminal.turns_done() == [(1, "interrupted")]


def tone(seconds: float) -> bytes:
    return (0.3 * np.sin(np.arange(int(seconds * 24_000)) / 5) * 32767).astype("<i2").tobytes()


def saying_aloud() -> tuple[Terminal, Loudspeaker]:
    """200 ms of a text that is said aloud were heard."""
    loudspeaker = Loudspeaker()
    terminal = Terminal(loudspeaker)
    terminal.talk.say_aloud("Here is my voice.", "am_adam")
    assert terminal.sent == [SayAloud(1, "Here is my voice.", "am_adam")]
    terminal.talk.core_said(SpeechPiece(1, tone(1.0)))
    terminal.talk.tick(hold=False)
    loudspeaker.play(200)
    terminal.talk.tick(hold=False)
    assert terminal.talk.phase is ReplyPhase.SPEAKING
    return terminal, loudspeaker


def test_what_is_said_aloud_is_heard_to_its_end_and_is_no_turn() -> None:
    terminal, loudspeaker = saying_aloud()
    terminal.talk.core_said(SpeechOver(1))
    loudspeaker.play(2000)
    terminal.talk.tick(hold=False)
    assert terminal.talk.phase is ReplyPhase.NONE
    assert terminal.turns_done() == []
    assert terminal.talk.memories.waiting_turns() == []
    terminal.talk.typed("Hello.", None)
    terminal.begin_to_answer(1, "Hi.")
    assert level(loudspeaker.play(200)) > 0.25


def test_a_voice_or_the_key_stops_what_is_said_aloud_and_nothing_of_it_is_remembered() -> None:
    for stop in ("voice", "key"):
        terminal, loudspeaker = saying_aloud()
        if stop == "key":
            terminal.talk.interrupt("key")
        else:
            for action in (Begin(), Confirm(), Sure()):
                terminal.hear(action)
        assert terminal.sent.count(StopSaying()) == 1
        assert TruncateItem not in map(type, terminal.sent)
        assert terminal.turns_done() == []
        loudspeaker.play(20)
        assert level(loudspeaker.play(100)) == 0
        terminal.talk.core_said(SpeechPiece(1, tone(0.5)))  # on its way when it was stopped
        terminal.talk.tick(hold=False)
        assert level(loudspeaker.play(100)) == 0


def test_saying_aloud_stops_a_reply_and_what_was_said_aloud_before() -> None:
    terminal, loudspeaker = spoken_over()
    terminal.talk.say_aloud("Once more.", "")
    assert terminal.turns_done() == [(1, "interrupted")]
    terminal.talk.say_aloud("And again.", "")
    terminal.talk.core_said(SpeechPiece(1, tone(0.5)))
    terminal.talk.tick(hold=False)
    loudspeaker.play(50)
    assert level(loudspeaker.play(100)) == 0
    terminal.talk.core_said(SpeechPiece(2, tone(0.5)))
    terminal.talk.tick(hold=False)
    assert level(loudspeaker.play(100)) > 0.25


def test_without_a_speaker_or_a_core_nothing_is_said_aloud_and_nothing_hangs() -> None:
    terminal = Terminal()
    terminal.talk.say_aloud("Hello.", "")
    assert terminal.sent == []
    assert [type(event) for event in terminal.events] == [Failed]
    terminal, _ = saying_aloud()
    terminal.talk.core_lost()
    assert terminal.talk.phase is ReplyPhase.NONE
    terminal, _ = saying_aloud()
    terminal.talk.core_said(SpeechOver(1, "the voice broke"))
    assert [event.text for event in terminal.events if isinstance(event, Failed)] == ["not said aloud: the voice broke"]


def sound_at_the_core(sent: list[ClientEvent]) -> bytes:
    """What a core holds of the turn after all that."""
    sound = b""
    for event in sent:
        match event:
            case AppendAudio(pcm16):
                sound += pcm16
            case ClearAudio():
                sound = b""
            case CommitAudio():
                break
    return sound


@pytest.mark.parametrize("ending", ["voice", "key"])
def test_what_the_core_let_go_of_while_this_process_stood_still_is_told_anew(ending: str) -> None:
    terminal = Terminal()
    words = [bytes([number, 0]) for number in range(6)]
    for number, word in enumerate(words[:3]):
        terminal.talk.heard(Heard(-20.0, 0.9, (Begin(),) if number == 0 else (), word), 1.0, lambda: None)
    terminal.sent.clear()
    terminal.talk.core_said(CoreError("input_timeout", "the audio was dropped"))
    for word in words[3:]:
        if ending == "voice":
            terminal.talk.heard(Heard(-20.0, 0.9, (), word), 1.0, lambda: None)
    terminal.talk.heard(Heard(actions=(Commit(1.0),)), 1.0, lambda: None)
    assert sound_at_the_core(terminal.sent) == b"".join(words if ending == "voice" else words[:3])
    assert terminal.sent.count(ClearAudio()) == 1
    assert [event for event in terminal.events if isinstance(event, Failed)] == []


def test_an_utterance_that_was_dropped_meanwhile_is_not_told_anew() -> None:
    terminal = Terminal()
    terminal.hear(Begin())
    terminal.talk.core_said(CoreError("input_timeout", "the audio was dropped"))
    terminal.talk.heard(Heard(actions=(Drop(1.0),)), 1.0, lambda: None)
    terminal.sent.clear()
    terminal.hear(Begin())
    assert [type(event) for event in terminal.sent] == [AppendAudio]

"""What the user does, one step after the other, and the fault that happens meanwhile. Used by one thread."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence

from parlor_tui.bench import analysis
from parlor_tui.bench.over_replies import LONG_ANSWERS, OVER_S
from parlor_tui.bench.sitting import Sitting
from parlor_tui.bench.soak.account import Account
from parlor_tui.bench.soak.deeds import CannotBeError, Deed
from parlor_tui.bench.soak.plan import Moment, Step
from parlor_tui.bench.soak.trials import Trial
from parlor_tui.bench.utterances import Utterance
from parlor_tui.events import AudioStarted, TurnCommitted, TurnDone, now_s
from parlor_tui.usage import psutil

_TOLD_S, _TOLD_AT_WRITE_S = 12.0, 40.0
_OVER_S = 120.0
"""A core that loads on a machine with other work takes its time."""
_ENDS_S = 90.0
_COMMITTED_S = 5.0
_SOUNDS_S = 30.0
_INTO_REPLY_S = 1.5
_LOOK_S = 0.05
_TAIL_S = 0.3
_TYPED = ("And what do you think about that?", "Tell me one more thing about the sea.", *LONG_ANSWERS[:2])
_AFTER = "Are you there?"


class Talker:
    """Sits with the assistant. `questions` and `pauses` are what it says; `answers_ms` when undisturbed, and how soon
    it was answered then, in ms from the last sound to the first.
    """

    def __init__(
        self,
        sitting: Sitting,
        account: Account,
        deeds: Mapping[str, Deed],
        questions: Sequence[Utterance],
        pauses: Sequence[Utterance],
    ) -> None:
        self._sitting = sitting
        self._account = account
        self._deeds = deeds
        self._questions = questions
        self._pauses = pauses
        self._pending: tuple[str, Moment] | None = None
        self._trial: Trial | None = None
        self._undo: Callable[[], None] | None = None
        self.answers_ms: list[tuple[float, float]] = []

    def take(self, step: Step, fault: str | None) -> Trial | None:
        """Do `step`, with `fault` in it; what came of the fault, if it happened. Raises BenchError."""
        self._pending, self._trial = (None if fault is None else (fault, step.moment)), None
        try:
            self._pause(step.gap_s)
            self._reach("idle")
            if self._trial is not None and self._trial.kind.deaf:
                self._get_over()
            began_s = self._act(step)
            self._reach(step.moment)  # where that moment never came
            self._get_over()
        finally:
            self._end_cause()
        self._come_to_an_end()
        if fault is None and step.act == "ask":
            self._measure(began_s)
        return self._trial

    # --- what is said -------------------------------------------------------------------------------------------------

    def _act(self, step: Step) -> float:
        """When it began."""
        mark, began_s = self._account.watch.mark(), now_s()
        match step.act:
            case "ask" | "pause" | "key":
                self._speak(self._line(step), step)
                if step.act == "key" and self._sounds(mark):
                    self._pause(step.share * _INTO_REPLY_S)
                    self._account.ask(lambda ledger: ledger.pressed(now_s()))
                    self._sitting.assistant.interrupt()
            case "type":
                self._type(_TYPED[step.line % len(_TYPED)])
            case "over":
                self._type(LONG_ANSWERS[step.line % len(LONG_ANSWERS)])
                if self._sounds(mark):
                    self._pause(OVER_S)
                self._speak(self._line(step), step)
        if self._pending is not None and step.moment in ("thinks", "speaks"):
            self._account.watch.wait(mark, TurnCommitted, _COMMITTED_S)
            self._reach("thinks")
            if self._pending is not None and self._sounds(mark):
                self._pause(step.share * _INTO_REPLY_S)
        return began_s

    def _line(self, step: Step) -> Utterance:
        lines = self._pauses if step.act == "pause" else self._questions
        return lines[step.line % len(lines)]

    def _speak(self, utterance: Utterance, step: Step) -> None:
        began_s = now_s()
        said = utterance.line.plain
        until_s = began_s + utterance.length_s + _LOOK_S
        self._account.ask(lambda ledger: ledger.said("voice", said, began_s, until_s))
        began_s = self._sitting.place.say(utterance.samples)
        if self._pending is not None and step.moment == "spoken":
            self._sitting.pause_until(began_s + step.share * utterance.length_s)
            self._reach("spoken")
        self._sitting.pause_until(began_s + utterance.length_s + _TAIL_S)

    def _type(self, text: str) -> None:
        at_s = now_s()
        self._account.ask(lambda ledger: ledger.said("typed", text, at_s, at_s))
        self._sitting.assistant.say(text)

    # --- the fault ----------------------------------------------------------------------------------------------------

    def _reach(self, moment: Moment) -> None:
        """It is the moment: the fault that is to happen in it does."""
        if self._pending is None or self._pending[1] != moment:
            return
        (name, _), self._pending = self._pending, None
        trial, deed = self._account.begin(name, moment), self._deeds[name]
        self._undo = deed.undo
        try:
            deed.do()
        except (CannotBeError, OSError, psutil().Error):
            self._end_cause()
            self._account.take_back()
            return
        self._trial = trial

    def _get_over(self) -> None:
        """Wait until the fault was told, end its cause, and wait until it is over."""
        trial = self._trial
        if trial is None or self._undo is None:
            return
        if trial.kind.key:
            self._until(lambda: trial.told_s is not None, _TOLD_AT_WRITE_S if trial.kind.at_write else _TOLD_S)
        self._pause(trial.at_s + trial.kind.held_s - now_s())
        self._end_cause()
        trial.undo(now_s())
        if not trial.kind.key or trial.kind.may_pass:  # only an answer shows that it is over
            self._until(lambda: trial.over_s is not None or not self._waits(), _ENDS_S)
            if trial.over_s is None:
                self._type(_AFTER)
        self._until(lambda: trial.over_s is not None, _OVER_S)
        self._account.end()

    def _end_cause(self) -> None:
        undo, self._undo = self._undo, None
        if undo is not None:
            with contextlib.suppress(CannotBeError, OSError, psutil().Error):
                undo()

    # --- waiting ------------------------------------------------------------------------------------------------------

    def _come_to_an_end(self) -> None:
        """Wait until something has become of all that was said, and note what."""
        self._until(lambda: not self._waits(), _ENDS_S)
        self._sitting.settle()
        self._account.ask(lambda ledger: ledger.close())

    def _waits(self) -> bool:
        return self._account.ask(lambda ledger: ledger.waits(now_s()))

    def _sounds(self, mark: int) -> bool:
        """Wait until a reply is heard; False if it is over without, or none comes."""
        watch, until_s = self._account.watch, now_s() + _SOUNDS_S
        while now_s() < until_s:
            if watch.wait(mark, AudioStarted, 0.2) is not None:
                return True
            if watch.wait(mark, TurnDone, 0.0) is not None:
                return False
            self._sitting.check()
        return False

    def _measure(self, began_s: float) -> None:
        heard = self._sitting.place.heard(began_s - 0.1, now_s())
        took_s = analysis.voice_to_voice_s(heard.user, heard.speaker, began_s - 0.05, heard.user.end_s)
        if took_s is not None:
            self.answers_ms.append((began_s, took_s * 1000))

    def _pause(self, seconds: float) -> None:
        self._sitting.pause_until(now_s() + max(0.0, seconds))

    def _until(self, over: Callable[[], bool], within_s: float) -> bool:
        until_s = now_s() + within_s
        while not over():
            if now_s() > until_s:
                return False
            self._pause(_LOOK_S)
        return True

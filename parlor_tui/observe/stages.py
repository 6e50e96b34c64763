"""Where a turn's time goes, read off the events. Stages never time themselves."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

from parlor_tui.events import (
    AskedAgain,
    AudioStarted,
    Caption,
    Event,
    MediaTaken,
    ReplyAudioArrived,
    ReplyText,
    ReplyUnitReady,
    TurnCommitted,
)

STAGES = ("endpoint", "hear", "see", "first_token", "first_sentence", "first_audio", "playout")
"""The parts of `voice_to_voice`, in the order in which they happen."""

VOICE_TO_VOICE = "voice_to_voice"

_KEPT_TURNS = 16


@dataclass(slots=True)
class _Marks:
    last_speech_s: float | None = None
    committed_s: float | None = None
    heard_s: float | None = None
    sound_s: float | None = None
    seen_s: float | None = None
    token_s: float | None = None
    unit_s: float | None = None
    audio_s: float | None = None
    audible_s: float | None = None


class LatencyObserver:
    """Listens to every event and knows the stages of the last few turns.

    Each stage runs from the end of the one before it to its own first result:

    - `endpoint`: last speech -> turn committed (spoken turns only)
    - `hear`: turn committed -> sound taken in by a model that hears, else final caption (0 if it was there before)
    - `see`: the same for the turn's last picture; `see` and `hear` in the order in which they ended
    - `first_token`: the last of these, or commit of a typed turn -> first piece of text
    - `first_sentence`: first piece of text -> first unit given to the voice
    - `first_audio`: that -> first block of speech
    - `playout`: that -> first audible sample
    - `voice_to_voice`: last speech -> first audible sample (for a typed turn: from its commit)
    """

    def __init__(self) -> None:
        self._turns: OrderedDict[int, _Marks] = OrderedDict()

    def on_event(self, event: Event) -> None:
        """Take one event in."""
        match event:
            case TurnCommitted(turn=turn, at_s=at_s, last_speech_at_s=last):
                marks = self._marks(turn)
                marks.committed_s, marks.last_speech_s = at_s, last
            case Caption(turn=turn, at_s=at_s, final=True):
                self._marks(turn).heard_s = at_s
            case MediaTaken(turn=turn, at_s=at_s, kind="sound"):
                self._marks(turn).sound_s = at_s
            case MediaTaken(turn=turn, at_s=at_s):
                self._marks(turn).seen_s = at_s
            case ReplyText(turn=turn, at_s=at_s, delta=delta) if delta:
                marks = self._marks(turn)
                marks.token_s = marks.token_s or at_s
            case ReplyUnitReady(turn=turn, at_s=at_s):
                marks = self._marks(turn)
                marks.unit_s = marks.unit_s or at_s
            case ReplyAudioArrived(turn=turn, at_s=at_s):
                marks = self._marks(turn)
                marks.audio_s = marks.audio_s or at_s
            case AudioStarted(turn=turn, at_s=at_s):
                self._marks(turn).audible_s = at_s
            case AskedAgain(turn=turn):
                marks = self._marks(turn)
                marks.token_s = marks.unit_s = marks.audio_s = marks.audible_s = None
            case _:
                pass

    def stages_ms(self, turn: int) -> dict[str, float]:
        """The stages of `turn` in ms, rounded to 0.1; a stage that did not happen is absent."""
        marks = self._turns.get(turn)
        if marks is None or marks.committed_s is None:
            return {}
        steps: list[tuple[str, float | None]] = []
        if marks.last_speech_s is not None:
            steps = [("endpoint", marks.committed_s)]
        heard_s = None if marks.last_speech_s is None else marks.sound_s or marks.heard_s
        taken = [(end, name) for name, end in (("hear", heard_s), ("see", marks.seen_s)) if end is not None]
        steps += [(name, end) for end, name in sorted(taken)]
        steps += [
            ("first_token", marks.token_s),
            ("first_sentence", marks.unit_s),
            ("first_audio", marks.audio_s),
            ("playout", marks.audible_s),
        ]
        before = began = marks.last_speech_s if marks.last_speech_s is not None else marks.committed_s
        stages: dict[str, float] = {}
        for name, end in steps:
            if end is not None:
                stages[name] = _ms(end - before)
                before = max(before, end)
        if marks.audible_s is not None:
            stages[VOICE_TO_VOICE] = _ms(marks.audible_s - began)
        return stages

    def _marks(self, turn: int) -> _Marks:
        if turn not in self._turns:
            self._turns[turn] = _Marks()
            while len(self._turns) > _KEPT_TURNS:
                self._turns.popitem(last=False)
        return self._turns[turn]


def _ms(seconds: float) -> float:
    return round(max(0.0, seconds) * 1000, 1)

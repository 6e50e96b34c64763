"""Somebody sits with the assistant: what can be done with it, and what was seen and heard of a turn."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Protocol

from parlor_tui.assistant import Assistant
from parlor_tui.bench import analysis
from parlor_tui.bench.report import Turn
from parlor_tui.bench.room import Heard
from parlor_tui.bench.sound import Colour, Echo, Sound
from parlor_tui.bench.utterances import BenchError, Utterance
from parlor_tui.bench.watching import Watch, first
from parlor_tui.events import (
    AudioStarted,
    Caption,
    Event,
    MediaTaken,
    PauseJudged,
    ReplyAudioArrived,
    ReplyText,
    ReplyUnitReady,
    SpeechStarted,
    SpeechStopped,
    State,
    TurnCommitted,
    TurnDone,
    now_s,
)

ANSWER_S = 20.0
"""Without a sound for this long a question counts as unanswered."""
_SETTLED_S = 0.8
_LONGEST_REPLY_S = 60.0
_AFTER_S = 0.3
_IDLE_S = 4.0
_LOOK_S = 0.02


class Place(Protocol):
    """Where it happens: the room, or real devices."""

    fault: str
    """What ended it before its time; empty while all is well."""
    missed_steps: int
    """How often the place itself, not the assistant, left 10 ms of a reply out."""

    def say(self, samples: Sound) -> float:
        """Speak `samples` (16 kHz) from now on; returns at once when that is."""

    def heard(self, from_s: float, until_s: float) -> Heard:
        """What was recorded between."""

    def set_echo(self, echo: Echo | None) -> None:
        """How the speaker gets into the microphone from now on."""

    def set_noise(self, dbfs: float | None, colour: Colour = "white") -> None:
        """Background noise at the microphone from now on."""


class Sitting:
    """One assistant in one place, used by one thread."""

    def __init__(self, assistant: Assistant, watch: Watch, place: Place) -> None:
        self.assistant = assistant
        self.watch = watch
        self.place = place

    def say(self, utterance: Utterance) -> float:
        """Speak it and wait until it is over; when its first sample was audible."""
        began_s = self.place.say(utterance.samples)
        self.pause_until(began_s + utterance.length_s + _AFTER_S)
        first_s = self.place.heard(began_s, now_s()).user.first_s(began_s)
        return began_s if first_s is None else first_s

    def pause_until(self, at_s: float) -> None:
        """Wait; raises BenchError if the place is no more."""
        while (left_s := at_s - now_s()) > 0:
            time.sleep(min(left_s, 0.2))
            self.check()

    def check(self) -> None:
        """Raises BenchError if nothing will come of waiting."""
        if self.place.fault:
            raise BenchError(self.place.fault)
        if self.watch.state is State.ERROR:
            raise BenchError("the assistant failed; its log says more")

    def first_sound(self, after_s: float, timeout_s: float = ANSWER_S) -> float | None:
        """When the speaker is first heard after `after_s`; None if it is not within `timeout_s`.

        An assistant that has only listened for some seconds is not waited for any longer.
        """
        silent_until_s = after_s
        while now_s() < after_s + timeout_s:
            speaker = self.place.heard(silent_until_s, now_s()).speaker
            found = speaker.first_s(after_s)
            if found is not None:
                return found
            silent_until_s = max(silent_until_s, speaker.end_s - _LOOK_S)  # looking costs time that others need
            idle_s = now_s() - max(after_s, self.watch.state_since_s)
            if self.watch.state is State.LISTENING and idle_s > _IDLE_S:
                return None
            time.sleep(_LOOK_S)
            self.check()
        return None

    def settle(self) -> None:
        """Wait until the assistant only listens and nothing sounds any more."""
        until_s = now_s() + _LONGEST_REPLY_S
        quiet_since_s = now_s()
        while now_s() < until_s and now_s() - quiet_since_s < _SETTLED_S:
            time.sleep(0.05)
            self.check()
            at_s = now_s()
            sounds = self.place.heard(at_s - 0.2, at_s).speaker.last_s() is not None
            if sounds or self.watch.state not in (State.LISTENING, State.MUTED):
                quiet_since_s = at_s

    def be_quiet(self) -> None:
        """Stop a reply by the key, and settle."""
        self.assistant.interrupt()
        self.settle()


def turn_of(scenario: str, utterance: Utterance, heard: Heard, events: Sequence[Event], began_s: float) -> Turn:
    """What came of `utterance`, said at `began_s`; one that was not even audible is unanswered.

    Several turns may have come of it: told is of the one that was answered, else of the first.
    """
    until_s = began_s + utterance.length_s + 1.0
    end_s = heard.user.last_s(began_s - 0.05, until_s)
    if end_s is None:
        end_s = began_s + utterance.length_s
    audible_s = heard.speaker.first_s(end_s)
    v2v_s = analysis.voice_to_voice_s(heard.user, heard.speaker, began_s - 0.05, until_s)
    answered = first(events, AudioStarted) or first(events, TurnCommitted) or first(events, SpeechStarted)
    number = answered.turn if answered is not None else -1
    caption = [event.text for event in events if isinstance(event, Caption) and event.turn == number and event.final]
    done = first(events, TurnDone, lambda event: event.turn == number)
    return Turn(
        scenario=scenario,
        number=number,
        utterance=utterance.line.name,
        said=utterance.line.plain,
        voice=utterance.line.voice,
        speech_ms=utterance.length_s * 1000,
        caption=caption[-1] if caption else "",
        reply=done.reply if done is not None else "",
        status=done.status if done is not None else "unanswered",
        voice_to_voice_ms=None if v2v_s is None else v2v_s * 1000,
        stages_ms=dict(done.stages_ms) if done is not None else {},
        marks_ms=_marks(events, number, end_s, audible_s),
        eager="hit" if done is not None and done.eager_ms > 0 else "",
    )


def _marks(events: Sequence[Event], number: int, end_s: float, audible_s: float | None) -> dict[str, float]:
    """The moments of turn `number`, in ms from `end_s`."""
    moments: dict[str, float | None] = {}
    for event in events:
        if getattr(event, "turn", None) != number:
            continue
        name = _name(event)
        if name in {"caption", "judged"} or (name and name not in moments):
            moments[name] = event.at_s
    moments["audible"] = audible_s
    return {name: (at_s - end_s) * 1000 for name, at_s in moments.items() if at_s is not None}


def _name(event: Event) -> str:
    """What the mark of `event` is called; empty for one that has none."""
    match event:
        case SpeechStarted():
            return "speech_started"
        case PauseJudged():
            return "judged"
        case SpeechStopped():
            return "speech_stopped"
        case TurnCommitted():
            return "committed"
        case Caption(final=True):
            return "caption"
        case MediaTaken(kind="sound"):
            return "sound_taken"
        case MediaTaken():
            return "picture_taken"
        case ReplyText(delta=delta) if delta:
            return "first_token"
        case ReplyUnitReady():
            return "first_unit"
        case ReplyAudioArrived():
            return "first_audio"
        case AudioStarted():
            return "audio_started"
        case _:
            return ""

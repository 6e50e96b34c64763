"""What is made of one trial: from recordings and events to an outcome, good or not, and its times. Pure.

What did not happen counts as what it is, a failure, and its time as the length of the window that was looked at.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from parlor_tui.bench import analysis
from parlor_tui.bench.room import Heard
from parlor_tui.bench.watching import first
from parlor_tui.events import (
    AudioStopped,
    Event,
    Interrupted,
    ReplyAudioArrived,
    SpeechStarted,
    TurnCommitted,
    TurnDone,
)
from parlor_tui.hearing.vad import FRAME_MS
from parlor_tui.link.wire import OUTPUT_RATE_HZ

RESUMED_S = 1.0
"""By then a reply that nobody meant to interrupt should be as loud again."""
STAYED_QUIET, ENDED, NO_REPLY, UNANSWERED = "stayed quiet", "ended the reply", "no reply", "unanswered"
_STOP_MARGIN_S = 0.1


@dataclass(frozen=True, slots=True)
class Verdict:
    """See `report.Trial`."""

    outcome: str
    good: bool
    values_ms: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Over:
    """Something that was audible over a reply from `onset_s` on, for `length_s`; the recordings end later.

    `events`: those since just before, where the watch's record stood at `mark`.
    """

    onset_s: float
    length_s: float
    heard: Heard
    events: Sequence[Event]
    mark: int = 0


def noise_over(over: Over, window_s: float) -> Verdict | None:
    """A sound that should stop nothing; the reply should be as loud again within a second.

    Looked at are `window_s` from its onset. None if the reply was over by itself before anything could be seen.
    """
    window_ms = window_s * 1000
    if first(over.events, Interrupted) is not None:
        return Verdict(ENDED, False, _dip(over, None) | {"resumed": window_ms})
    if _ended_by_itself(over.events, over.onset_s + over.length_s + RESUMED_S):
        return None
    resumed_s = _resumed_s(over.heard, over.onset_s, over.onset_s + window_s)
    if resumed_s is None:
        return Verdict("went on", True)
    if math.isfinite(resumed_s):
        return Verdict("went on", resumed_s <= RESUMED_S, _dip(over, None) | {"resumed": resumed_s * 1000})
    if _ended_by_itself(over.events, over.onset_s + window_s):
        return None
    return Verdict(STAYED_QUIET, False, _dip(over, None) | {"resumed": window_ms})


def voice_over(over: Over) -> Verdict | None:
    """A question that should stop the reply. None if no reply sounded, or it was over by itself."""
    stop_s = analysis.barge_stop_s(over.heard.user, over.heard.speaker, over.onset_s - 0.05)
    if stop_s is None:
        return None
    stopped = stop_s < over.length_s - _STOP_MARGIN_S
    if stopped and _ended_by_itself(over.events, over.onset_s + stop_s + 0.05):
        return None
    values = _dip(over, over.heard.speaker.end_s - over.onset_s) | {"stop": stop_s * 1000}
    return Verdict("stopped" if stopped else "went on", stopped, values)


def word_over(over: Over) -> Verdict | None:
    """A short word that should stop the reply. None if that was over by itself before it could."""
    stopped = first(over.events, Interrupted, lambda event: event.by == "voice")
    if stopped is None and _ended_by_itself(over.events, over.onset_s + over.length_s + 0.5):
        return None
    values = _dip(over, over.heard.speaker.end_s - over.onset_s)
    return Verdict("found" if stopped else "missed", stopped is not None, values)


def paused(heard: Heard, events: Sequence[Event], began_s: float, end_s: float, v2v_ms: float | None) -> Verdict:
    """A sentence with a pause inside, said from `began_s` to `end_s`: one turn, that is answered, should come of it."""
    committed = first(events, TurnCommitted)
    cut = committed is not None and committed.at_s < end_s
    joined = any(isinstance(event, TurnDone) and event.status == "joined" for event in events)
    values = {} if v2v_ms is None else {"voice_to_voice": v2v_ms}
    if analysis.spoke_early(heard.user, heard.speaker, began_s, end_s + 1):
        return Verdict("spoke into it", False, values)
    if cut:
        return Verdict("joined" if joined else "cut", False, values)
    return Verdict(UNANSWERED if v2v_ms is None else "kept together", v2v_ms is not None, values)


def clipped(
    events: Sequence[Event], began_s: float, length_s: float, pre_roll_ms: float, said: str, caption: str
) -> Verdict:
    """Speech that begins at once: how much of it the core did not get; all of it, if nothing was noticed."""
    started = first(events, SpeechStarted)
    if started is None:
        return Verdict("nothing noticed", False, {"clipped": length_s * 1000})
    clipped_ms = max(0.0, (started.at_s - began_s) * 1000 - FRAME_MS - pre_roll_ms)
    there = first_word(caption) == first_word(said)
    outcome = f"first word {'there' if there else f'taken for {first_word(caption)!r}'}"
    return Verdict(outcome, there and clipped_ms <= 0, {"clipped": clipped_ms})


def first_word(text: str) -> str:
    """The first word of `text` as it sounds: lower case, no marks."""
    words = re.findall(r"[a-z0-9]+(?:'[a-z]+)?", text.lower())
    return words[0] if words else ""


def heard_in_full_percent(events: Sequence[Event]) -> float:
    """How much of the speech that arrived for the last turn was played; 0 if there was no turn, or none arrived."""
    committed = [event.turn for event in events if isinstance(event, TurnCommitted)]
    turn = committed[-1] if committed else -1
    samples = sum(event.samples for event in events if isinstance(event, ReplyAudioArrived) and event.turn == turn)
    played = [event.played_ms for event in events if isinstance(event, AudioStopped) and event.turn == turn]
    if not samples:
        return 0.0
    return min(100.0, 100 * (played[-1] if played else 0.0) / (samples * 1000 / OUTPUT_RATE_HZ))


def _dip(over: Over, window_s: float | None) -> dict[str, float]:
    """When the reply was quieter. A reply that is silent at once is quieter, too.

    One that never was gives `window_s`, or nothing without it. Where nobody knows how loud the reply was to be its own
    syllables would pass for dips: there, none is told of.
    """
    if over.heard.intended is None:
        return {}
    speaker, onset_s = over.heard.speaker, over.onset_s
    dip_s = analysis.dip_s(speaker, onset_s, speaker.end_s, over.heard.intended)
    if dip_s is None and window_s is None:
        return {}
    stop_s = analysis.barge_stop_s(over.heard.user, speaker, onset_s - 0.05)
    return {"dip": 1000 * min(at_s for at_s in (dip_s, stop_s, window_s) if at_s is not None)}


def _resumed_s(heard: Heard, onset_s: float, until_s: float) -> float | None:
    """See `analysis.resumed_s`. Where nobody knows how loud it was to be: infinite if it is silent, None if not."""
    if heard.intended is not None:
        return analysis.resumed_s(heard.speaker, onset_s, until_s, heard.intended)
    return math.inf if heard.speaker.first_s(until_s - RESUMED_S, until_s) is None else None


def _ended_by_itself(events: Sequence[Event], before_s: float) -> bool:
    """Whether the reply was over, uninterrupted, before that: then nothing was tried."""
    fits = first(events, TurnDone, lambda event: event.status == "completed" and event.at_s < before_s)
    return fits is not None

"""What is tried with the assistant, in real time. Each scenario notes what it finds, one utterance after the other."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Sequence

from parlor_tui.bench import analysis
from parlor_tui.bench.findings import Findings
from parlor_tui.bench.report import Trial
from parlor_tui.bench.room import Heard
from parlor_tui.bench.sitting import Sitting, turn_of
from parlor_tui.bench.sound import Colour, Echo
from parlor_tui.bench.utterances import Utterance
from parlor_tui.bench.watching import first
from parlor_tui.events import (
    AudioStopped,
    Event,
    Interrupted,
    ReplyAudioArrived,
    SpeechStarted,
    SpeechStopped,
    TurnCommitted,
    TurnDone,
    now_s,
)
from parlor_tui.hearing.vad import FRAME_MS
from parlor_tui.link.wire import OUTPUT_RATE_HZ

LONG_ANSWERS = (
    "Tell me a long story about an old lighthouse by the sea.",
    "Tell me everything you know about trees and forests.",
    "Explain to me in detail how bread is made.",
    "Tell me about the life of a bee from the first day to the last.",
)
"""Typed, so that a reply sounds without anybody having spoken."""
OVER_S = 1.4
"""So long into a reply somebody speaks over it: past a first short clause, before the end of a short reply."""
_TRIES = 3
_COLOURS: tuple[Colour, ...] = ("pink", "babble")
_FOUND_S = 2.5
_WENT_ON_S = 2.2
_ECHO_GAP_S = 0.6


def talk(sitting: Sitting, findings: Findings, utterances: Sequence[Utterance], scenario: str, whole: bool) -> None:
    """Ask, and listen: to the whole reply, or to its first second and a half."""
    for utterance in utterances:
        mark, missed = sitting.watch.mark(), sitting.place.missed_steps
        began_s = sitting.say(utterance)
        sounds_s = sitting.first_sound(began_s + utterance.length_s)
        if sounds_s is not None and not whole:
            sitting.pause_until(sounds_s + 1.5)
        heard_until_s = now_s()
        if whole:
            sitting.settle()
            heard_until_s = now_s()
        else:
            sitting.be_quiet()
        heard = sitting.place.heard(began_s - 0.1, heard_until_s)
        turn = turn_of(scenario, utterance, heard, sitting.watch.since(mark), began_s)
        if turn is None:
            continue
        findings.turns.append(turn)
        early = analysis.spoke_early(heard.user, heard.speaker, began_s, began_s + utterance.length_s + 1)
        answered = turn.voice_to_voice_ms is not None
        outcome = "spoke early" if early else "answered" if answered else "unanswered"
        values = {"voice_to_voice": turn.voice_to_voice_ms} if turn.voice_to_voice_ms is not None else {}
        if sounds_s is not None and sitting.place.missed_steps == missed:  # else the room itself tore the reply
            gaps = analysis.gaps_s(heard.speaker, sounds_s, heard_until_s)
            values |= {"gaps": len(gaps), "longest_gap": max(gaps, default=0.0) * 1000}
            values["clicks"] = len(analysis.clicks_s(heard.speaker, sounds_s, heard_until_s))
        findings.add(scenario, utterance, outcome, answered and not early, values)


def talk_noise(sitting: Sitting, findings: Findings, utterances: Sequence[Utterance], dbfs: float) -> None:
    """The same in noise of the level `dbfs`: of a street, then of people, in turn."""
    colours = itertools.cycle(_COLOURS)
    for utterance in utterances:
        sitting.place.set_noise(dbfs, next(colours))
        try:
            talk(sitting, findings, [utterance], "talk_noise", whole=False)
        finally:
            sitting.place.set_noise(None)


def clipping(sitting: Sitting, findings: Findings, utterances: Sequence[Utterance], pre_roll_ms: float) -> None:
    """Speech that begins at once after silence: how much of it the core did not get, and the first word."""
    for utterance in utterances:
        sitting.pause_until(now_s() + 1.5)
        mark = sitting.watch.mark()
        began_s = sitting.say(utterance)
        sitting.first_sound(began_s + utterance.length_s)
        sitting.be_quiet()
        events = sitting.watch.since(mark)
        turn = turn_of("clipping", utterance, sitting.place.heard(began_s - 0.1, now_s()), events, began_s)
        started = first(events, SpeechStarted)
        if turn is None:
            continue
        clipped_ms = math.inf
        if started is not None:
            clipped_ms = max(0.0, (started.at_s - began_s) * 1000 - FRAME_MS - pre_roll_ms)
        there = first_word(turn.caption) == first_word(utterance.line.plain)
        said = f"first word {'there' if there else f'taken for {first_word(turn.caption)!r}'}"
        values = {"clipped": clipped_ms} if math.isfinite(clipped_ms) else {}
        findings.add("clipping", utterance, said, there and clipped_ms <= 0, values)


def pauses(sitting: Sitting, findings: Findings, utterances: Sequence[Utterance]) -> None:
    """Sentences with a pause inside: is the turn over before the user is."""
    for utterance in utterances:
        mark = sitting.watch.mark()
        began_s = sitting.say(utterance)
        sitting.first_sound(began_s + utterance.length_s)
        sounded_s = now_s()
        sitting.be_quiet()
        events = sitting.watch.since(mark)
        heard = sitting.place.heard(began_s - 0.1, sounded_s)
        turn = turn_of("pauses", utterance, heard, events, began_s)
        if turn is None:
            continue
        findings.turns.append(turn)
        end_s = began_s + utterance.length_s
        committed = first(events, TurnCommitted)
        cut = committed is not None and committed.at_s < end_s
        early = analysis.spoke_early(heard.user, heard.speaker, began_s, end_s + 1)
        values = {} if turn.voice_to_voice_ms is None else {"voice_to_voice": turn.voice_to_voice_ms}
        joined = any(isinstance(event, TurnDone) and event.status == "joined" for event in events)
        outcome = "spoke into it" if early else ("joined" if joined else "cut") if cut else "kept together"
        findings.add("pauses", utterance, outcome, not (cut or early), values)


def short_words(sitting: Sitting, findings: Findings, utterances: Sequence[Utterance]) -> None:
    """Words of 150-300 ms in silence: does a turn come of them."""
    for utterance in utterances:
        mark = sitting.watch.mark()
        sitting.say(utterance)
        found = sitting.watch.wait(mark, TurnCommitted, _FOUND_S)
        findings.add("short_words", utterance, "found" if found else "missed", found is not None)
        sitting.be_quiet()


def short_words_over(sitting: Sitting, findings: Findings, utterances: Sequence[Utterance]) -> None:
    """The same over a reply: does it stop."""
    for number, utterance in enumerate(utterances):
        for mark, onset_s, heard in _over_replies(sitting, utterance, number, _FOUND_S):
            events = sitting.watch.since(mark)
            stopped = first(events, Interrupted, lambda event: event.by == "voice")
            if stopped is None and _ended_by_itself(events, onset_s + utterance.length_s + 0.5):
                continue
            values = _barge_values(heard, onset_s)
            outcome = "found" if stopped is not None else "missed"
            findings.add("short_words_over", utterance, outcome, stopped is not None, values)
            break
        else:
            _not_tried(findings, "short_words_over", utterance)
        sitting.be_quiet()


def barge_in(sitting: Sitting, findings: Findings, utterances: Sequence[Utterance], echo: Echo | None = None) -> None:
    """A question over a reply: how soon is it quieter, how soon silent, and is the next reply heard in full."""
    scenario = "barge_in" if echo is None else "barge_in_echo"
    sitting.place.set_echo(echo)
    try:
        _barge_in(sitting, findings, utterances, scenario)
    finally:
        sitting.place.set_echo(None)


def _barge_in(sitting: Sitting, findings: Findings, utterances: Sequence[Utterance], scenario: str) -> None:
    for number, utterance in enumerate(utterances):
        for mark, onset_s, heard in _over_replies(sitting, utterance, number, 0.0):
            stop_s = analysis.barge_stop_s(heard.user, heard.speaker, onset_s - 0.05)
            if stop_s is None:
                continue
            stopped = stop_s < utterance.length_s - 0.1
            if stopped and _ended_by_itself(sitting.watch.since(mark), onset_s + stop_s + 0.05):
                continue
            sitting.settle()
            whole = _heard_in_full(sitting.watch.since(mark))
            values = _barge_values(heard, onset_s)
            values |= {"stop": stop_s * 1000, "next_heard_percent": whole}
            findings.add(scenario, utterance, "stopped" if stopped else "went on", stopped, values)
            break
        else:
            _not_tried(findings, scenario, utterance)
        sitting.be_quiet()


def false_barge_in(sitting: Sitting, findings: Findings, utterances: Sequence[Utterance]) -> None:
    """A hum, a cough, a click over a reply: it may be quieter, and goes on within a second."""
    for number, utterance in enumerate(utterances):
        for mark, onset_s, heard in _over_replies(sitting, utterance, number, _WENT_ON_S):
            events = sitting.watch.since(mark)
            ended = first(events, Interrupted) is not None
            if not ended and _ended_by_itself(events, onset_s + utterance.length_s + 1.0):
                continue
            values = _barge_values(heard, onset_s)
            if not ended and heard.intended is not None:
                resumed_s = analysis.resumed_s(heard.speaker, onset_s, onset_s + _WENT_ON_S, heard.intended)
                if math.isfinite(resumed_s):
                    values["resumed"] = resumed_s * 1000
            good = not ended and values.get("resumed", 0.0) <= 1000
            findings.add("false_barge_in", utterance, "ended the reply" if ended else "went on", good, values)
            break
        else:
            _not_tried(findings, "false_barge_in", utterance)
        sitting.be_quiet()


def echo_alone(sitting: Sitting, findings: Findings, echoes: Sequence[Echo], replies: int) -> None:
    """Replies that leak into the microphone, and nobody there: does the assistant stop or answer itself."""
    for echo, number in itertools.product(echoes, range(math.ceil(replies / len(echoes)))):
        sitting.place.set_echo(echo)
        try:
            mark, asked_s = sitting.watch.mark(), now_s()
            sitting.assistant.say(LONG_ANSWERS[number % len(LONG_ANSWERS)])
            if sitting.first_sound(asked_s) is None:
                findings.notes.append("echo_alone: a typed turn got no reply; given up")
                return
            sitting.settle()
        finally:
            sitting.place.set_echo(None)
        events = sitting.watch.since(mark)
        interruptions = sum(isinstance(event, Interrupted) for event in events)
        turns = sum(isinstance(event, SpeechStopped) and not event.dropped for event in events)
        triggers = sum(isinstance(event, SpeechStarted) for event in events)
        findings.alone_s += _sounding_s(sitting.place.heard(asked_s, now_s()).speaker)
        findings.alone_interruptions += interruptions
        findings.alone_turns += turns
        findings.alone_triggers += triggers
        outcome = "interrupted itself" if interruptions else "answered itself" if turns else "went on"
        where = f"echo {echo.level_db:g} dB, {echo.delay_ms:g} ms"
        good = not interruptions and not turns
        findings.trials.append(Trial("echo_alone", where, "", "", outcome, good, {"triggers": triggers}))


def first_word(text: str) -> str:
    """The first word of `text` as it sounds: lower case, no marks."""
    words = re.findall(r"[a-z0-9]+(?:'[a-z]+)?", text.lower())
    return words[0] if words else ""


def _over_replies(
    sitting: Sitting, utterance: Utterance, number: int, after_s: float
) -> Iterator[tuple[int, float, Heard]]:
    """Say `utterance` 1.4 s into a reply, again and again (three times) until the caller is content.

    Gives the place of the watch before, when it began, and what was recorded until `after_s` after it was over.
    """
    for attempt in range(_TRIES):
        asked_s = now_s()
        sitting.assistant.say(LONG_ANSWERS[(number + attempt) % len(LONG_ANSWERS)])
        sounds_s = sitting.first_sound(asked_s)
        if sounds_s is None:
            return
        sitting.pause_until(sounds_s + OVER_S)
        mark = sitting.watch.mark()
        onset_s = sitting.say(utterance)
        sitting.pause_until(onset_s + utterance.length_s + after_s)
        heard = sitting.place.heard(onset_s - 1.0, now_s())
        audible_s = heard.user.first_s(onset_s - 0.05)
        if audible_s is not None and heard.speaker.last_s(audible_s - analysis.STOPPED_S, audible_s) is not None:
            yield mark, audible_s, heard
        sitting.be_quiet()


def _not_tried(findings: Findings, scenario: str, utterance: Utterance) -> None:
    """Say so, where an untried trial would only make a smaller number of them."""
    findings.notes.append(f"{scenario}: {utterance.line.name} left out: no reply lasted long enough to be spoken over")


def _barge_values(heard: Heard, onset_s: float) -> dict[str, float]:
    """The dip, if there was one. A reply that is silent at once is quieter, too.

    Where nobody knows how loud the reply was to be its own syllables would pass for dips: there, none is told of.
    """
    if heard.intended is None:
        return {}
    dip_s = analysis.dip_s(heard.speaker, onset_s, heard.speaker.end_s, heard.intended)
    stop_s = analysis.barge_stop_s(heard.user, heard.speaker, onset_s - 0.05)
    times = [at_s for at_s in (dip_s, stop_s) if at_s is not None]
    return {"dip": min(times) * 1000} if dip_s is not None else {}


def _ended_by_itself(events: Sequence[Event], before_s: float) -> bool:
    """Whether the reply was over, uninterrupted, before that: then nothing was tried."""
    fits = first(events, TurnDone, lambda event: event.status == "completed" and event.at_s < before_s)
    return fits is not None


def _heard_in_full(events: Sequence[Event]) -> float:
    """How much of the speech that arrived for the last turn was played, in %; NaN if none arrived."""
    committed = [event.turn for event in events if isinstance(event, TurnCommitted)]
    turn = committed[-1] if committed else -1
    samples = sum(event.samples for event in events if isinstance(event, ReplyAudioArrived) and event.turn == turn)
    played = [event.played_ms for event in events if isinstance(event, AudioStopped) and event.turn == turn]
    if not samples:
        return math.nan
    return min(100.0, 100 * (played[-1] if played else 0.0) / (samples * 1000 / OUTPUT_RATE_HZ))


def _sounding_s(speaker: analysis.Track) -> float:
    """How long a reply sounds, its own pauses included."""
    times = speaker.audible_s()
    if not len(times):
        return 0.0
    steps = [float(step) for step in (times[1:] - times[:-1])]
    return sum(step for step in steps if step < _ECHO_GAP_S)

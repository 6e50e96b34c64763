"""What sounds over a reply, in real time, one utterance after the other; and replies that only hear themselves."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from parlor_tui.bench import analysis, verdicts
from parlor_tui.bench.findings import Findings
from parlor_tui.bench.report import Trial
from parlor_tui.bench.sitting import Sitting
from parlor_tui.bench.sound import Echo
from parlor_tui.bench.utterances import Utterance
from parlor_tui.bench.verdicts import Over, Verdict
from parlor_tui.events import Interrupted, SpeechStarted, SpeechStopped, now_s

LONG_ANSWERS = (
    "Tell me a long story about an old lighthouse by the sea.",
    "Tell me everything you know about trees and forests.",
    "Explain to me in detail how bread is made.",
    "Tell me about the life of a bee from the first day to the last.",
)
"""Typed, so that a reply sounds without anybody having spoken."""
OVER_S = 1.4
"""So long into a reply somebody speaks over it: past a first short clause, before the end of a short reply."""
WENT_ON_S = 2.2
_TRIES = 3
_FOUND_S = 2.5
_ECHO_GAP_S = 0.6


def short_words_over(sitting: Sitting, findings: Findings, utterances: Sequence[Utterance]) -> None:
    """Words of 150-300 ms over a reply: does it stop."""
    for number, utterance in enumerate(utterances):
        _over_reply(sitting, findings, "short_words_over", utterance, number, _FOUND_S, verdicts.word_over)


def barge_in(sitting: Sitting, findings: Findings, utterances: Sequence[Utterance], echo: Echo | None = None) -> None:
    """A question over a reply: how soon is it quieter, how soon silent, and is the next reply heard in full."""

    def judged(over: Over) -> Verdict | None:
        verdict = verdicts.voice_over(over)
        if verdict is None:
            return None
        sitting.first_sound(over.onset_s + over.length_s)
        sitting.settle()
        whole = verdicts.heard_in_full_percent(sitting.watch.since(over.mark))
        return Verdict(verdict.outcome, verdict.good, {**verdict.values_ms, "next_heard_percent": whole})

    scenario = "barge_in" if echo is None else "barge_in_echo"
    sitting.place.set_echo(echo)
    try:
        for number, utterance in enumerate(utterances):
            _over_reply(sitting, findings, scenario, utterance, number, 0.0, judged)
    finally:
        sitting.place.set_echo(None)


def false_barge_in(sitting: Sitting, findings: Findings, utterances: Sequence[Utterance]) -> None:
    """A hum, a cough, a click over a reply: it may be quieter, and goes on within a second."""

    def judged(over: Over) -> Verdict | None:
        return verdicts.noise_over(over, WENT_ON_S)

    for number, utterance in enumerate(utterances):
        _over_reply(sitting, findings, "false_barge_in", utterance, number, WENT_ON_S, judged)


def echo_alone(
    sitting: Sitting, findings: Findings, echoes: Sequence[Echo], replies: int, sounding_s: float = math.inf
) -> None:
    """Replies that leak into the microphone, and nobody there: does the assistant stop or answer itself.

    There are `replies` of them at most, fewer if they sounded for `sounding_s` before; each of `echoes` gets its share.
    """
    silent = 0
    for place, echo in enumerate(echoes, 1):
        for number in range(math.ceil(replies / len(echoes))):
            if findings.alone_s >= sounding_s * place / len(echoes):
                break
            silent = 0 if _alone(sitting, findings, echo, number) else silent + 1
            if silent == _TRIES:
                findings.notes.append(f"echo_alone: {silent} typed turns in a row got no reply; given up")
                return


def _alone(sitting: Sitting, findings: Findings, echo: Echo, number: int) -> bool:
    """One reply; False if none came."""
    where = f"echo {echo.level_db:g} dB, {echo.delay_ms:g} ms"
    sitting.place.set_echo(echo)
    try:
        mark, asked_s = sitting.watch.mark(), now_s()
        sitting.assistant.say(LONG_ANSWERS[number % len(LONG_ANSWERS)])
        if sitting.first_sound(asked_s) is None:
            sitting.be_quiet()
            findings.trials.append(Trial("echo_alone", where, "", "", verdicts.NO_REPLY, False))
            return False
        sitting.settle()
    finally:
        sitting.place.set_echo(None)
    events = sitting.watch.since(mark)
    interruptions = sum(isinstance(event, Interrupted) for event in events)
    turns = sum(isinstance(event, SpeechStopped) and not event.dropped for event in events)
    triggers = sum(isinstance(event, SpeechStarted) for event in events)
    sounded_s = _sounding_s(sitting.place.heard(asked_s, now_s()).speaker)
    findings.alone_s += sounded_s
    findings.alone_interruptions += interruptions
    findings.alone_turns += turns
    findings.alone_triggers += triggers
    outcome = "interrupted itself" if interruptions else "answered itself" if turns else "went on"
    values = {"triggers": triggers, "sounded": sounded_s * 1000}
    findings.trials.append(Trial("echo_alone", where, "", "", outcome, not interruptions and not turns, values))
    return True


def _over_reply(
    sitting: Sitting,
    findings: Findings,
    scenario: str,
    utterance: Utterance,
    number: int,
    after_s: float,
    judge: Callable[[Over], Verdict | None],
) -> None:
    """Say `utterance` 1.4 s into a reply, listen until `after_s` after its end, and note what `judge` makes of that.

    Where nothing could be tried (None) it is done again, with three replies at most.
    """
    for attempt in range(_TRIES):
        asked_s = now_s()
        sitting.assistant.say(LONG_ANSWERS[(number + attempt) % len(LONG_ANSWERS)])
        sounds_s = sitting.first_sound(asked_s)
        if sounds_s is None:
            sitting.be_quiet()
            findings.add(scenario, utterance, verdicts.NO_REPLY, False)
            return
        sitting.pause_until(sounds_s + OVER_S)
        mark = sitting.watch.mark()
        said_s = sitting.say(utterance)
        sitting.pause_until(said_s + utterance.length_s + after_s)
        heard = sitting.place.heard(said_s - 1.0, now_s())
        onset_s = heard.user.first_s(said_s - 0.05)
        verdict = None
        if onset_s is not None and heard.speaker.last_s(onset_s - analysis.STOPPED_S, onset_s) is not None:
            verdict = judge(Over(onset_s, utterance.length_s, heard, sitting.watch.since(mark), mark))
        sitting.be_quiet()
        if verdict is not None:
            findings.add(scenario, utterance, verdict.outcome, verdict.good, verdict.values_ms)
            return
    # An untried trial that nobody is told of would only make a smaller number of them.
    findings.notes.append(
        f"{scenario}: {utterance.line.name} left out: its replies were silent or over when they were to be spoken over"
    )


def _sounding_s(speaker: analysis.Track) -> float:
    """How long a reply sounds, its own pauses included."""
    times = speaker.audible_s()
    steps = np.diff(times)
    return float(steps[steps < _ECHO_GAP_S].sum())

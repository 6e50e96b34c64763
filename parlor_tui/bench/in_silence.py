"""What is said while the assistant is silent, in real time, one utterance after the other."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from parlor_tui.bench import analysis, verdicts
from parlor_tui.bench.findings import Findings
from parlor_tui.bench.sitting import Sitting, turn_of
from parlor_tui.bench.sound import Colour
from parlor_tui.bench.utterances import Utterance
from parlor_tui.events import TurnCommitted, now_s

_COLOURS: tuple[Colour, ...] = ("pink", "babble")
_FOUND_S = 2.5


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
        findings.turns.append(turn)
        early = analysis.spoke_early(heard.user, heard.speaker, began_s, began_s + utterance.length_s + 1)
        answered = turn.voice_to_voice_ms is not None
        outcome = "spoke early" if early else "answered" if answered else verdicts.UNANSWERED
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
        verdict = verdicts.clipped(
            events, began_s, utterance.length_s, pre_roll_ms, utterance.line.plain, turn.caption
        )  # fmt: skip
        findings.add("clipping", utterance, verdict.outcome, verdict.good, verdict.values_ms)


def pauses(sitting: Sitting, findings: Findings, utterances: Sequence[Utterance]) -> None:
    """Sentences with a pause inside: is the turn over before the user is."""
    for utterance in utterances:
        mark = sitting.watch.mark()
        began_s = sitting.say(utterance)
        end_s = began_s + utterance.length_s
        sitting.first_sound(end_s)
        sounded_s = now_s()
        sitting.be_quiet()
        events = sitting.watch.since(mark)
        heard = sitting.place.heard(began_s - 0.1, sounded_s)
        turn = turn_of("pauses", utterance, heard, events, began_s)
        findings.turns.append(turn)
        verdict = verdicts.paused(heard, events, began_s, end_s, turn.voice_to_voice_ms)
        findings.add("pauses", utterance, verdict.outcome, verdict.good, verdict.values_ms)


def short_words(sitting: Sitting, findings: Findings, utterances: Sequence[Utterance]) -> None:
    """Words of 150-300 ms in silence: does a turn come of them."""
    for utterance in utterances:
        mark = sitting.watch.mark()
        sitting.say(utterance)
        found = sitting.watch.wait(mark, TurnCommitted, _FOUND_S)
        findings.add("short_words", utterance, "found" if found else "missed", found is not None)
        sitting.be_quiet()

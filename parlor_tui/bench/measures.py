"""From what was found to figures, each with its target."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from parlor_tui.bench.findings import Findings
from parlor_tui.bench.plan import ALONE_S, PAUSES
from parlor_tui.bench.report import Measure, Source, Spread, Target, Trial, Turn
from parlor_tui.bench.verdicts import ENDED, NO_REPLY, STAYED_QUIET, UNANSWERED
from parlor_tui.observe.stages import STAGES, VOICE_TO_VOICE

LATE_MS = 1500.0
"""A finished question that is answered later than this was taken for unfinished, or the machine does not keep up."""
_LONG_MS = 5000.0
NEVER = Target(0, "value")


def voice_to_voice_target(profile: str, simulated: str, hearing: str) -> Target | None:
    """What `voice_to_voice` should be; None where nothing is promised (real models other than lite)."""
    if simulated:
        return Target(600 if hearing == "captions" else 800)
    return Target(900) if profile == "lite" else None


def measures(findings: Findings, target: Target | None) -> tuple[Measure, ...]:
    """Every figure that there are trials for. `target` is that of voice_to_voice."""
    return (
        *_talk(findings, target),
        *_noise(findings),
        *_barge_in(findings, "barge_in", "voice over a reply"),
        *_barge_in(findings, "barge_in_echo", "voice over its echo"),
        *_false_barge_in(findings),
        *_words(findings),
        *_pauses(findings),
        *_clipping(findings),
        *_echo(findings),
        *_eager(findings),
    )


def _talk(findings: Findings, target: Target | None) -> Iterable[Measure]:
    turns = [turn for turn in findings.turns if turn.scenario == "talk"]
    if not turns:
        return
    answered = [turn for turn in turns if turn.voice_to_voice_ms is not None]
    yield _spread(VOICE_TO_VOICE, "voice to voice", "talk", _v2v(answered), target)
    short = [turn for turn in answered if turn.speech_ms < _LONG_MS]
    if short and len(short) < len(answered):
        yield _spread("voice_to_voice_short", "  after 2-3 s of speech", "talk", _v2v(short), target)
        longer = [turn for turn in answered if turn.speech_ms >= _LONG_MS]
        yield _spread("voice_to_voice_long", "  after 8-9 s of speech", "talk", _v2v(longer), target)
    for stage in (*STAGES, VOICE_TO_VOICE):
        values = [turn.stages_ms[stage] for turn in answered if stage in turn.stages_ms]
        if values:
            told = stage == VOICE_TO_VOICE
            key, label = ("voice_to_voice_told", "by its own events") if told else (stage, stage)
            yield _spread(key, f"  {label.replace('_', ' ')}", "talk", values, source="events")
    trials = findings.of("talk")
    late = [turn for turn in answered if (turn.voice_to_voice_ms or 0.0) > LATE_MS]
    yield _count("unanswered", "unanswered", "talk", len(turns) - len(answered), len(turns), NEVER)
    yield _share("late_answers", "answered after over 1.5 s", "talk", len(late), len(turns))
    early = [trial for trial in trials if trial.outcome == "spoke early"]
    yield _count("spoke_early", "spoke too early", "talk", len(early), len(turns), NEVER)
    whole = [trial for trial in trials if "gaps" in trial.values_ms]
    if whole:
        yield _count("gaps", "gaps over 300 ms in replies", "talk", _sum(whole, "gaps"), len(whole), NEVER)
        yield _count("clicks", "clicks in replies", "talk", _sum(whole, "clicks"), len(whole), NEVER)


def _noise(findings: Findings) -> Iterable[Measure]:
    turns = [turn for turn in findings.turns if turn.scenario == "talk_noise"]
    if turns:
        answered = _v2v(turns)
        yield _spread("noise_voice_to_voice", "voice to voice in noise", "talk_noise", answered)
        yield _count("noise_unanswered", "  unanswered", "talk_noise", len(turns) - len(answered), len(turns), NEVER)
        early = sum(trial.outcome == "spoke early" for trial in findings.of("talk_noise"))
        yield _count("noise_spoke_early", "  spoke too early", "talk_noise", early, len(turns), NEVER)


def _barge_in(findings: Findings, scenario: str, label: str) -> Iterable[Measure]:
    """Keys are `barge_...` and `barge_echo_...`."""
    trials = findings.of(scenario)
    if trials:
        key = scenario.replace("_in", "")
        dips = _values(trials, "dip")
        if dips:
            yield _spread(f"{key}_dip", f"{label}: quieter", scenario, dips, Target(120))
        yield _spread(
            f"{key}_stop", "  silent" if dips else f"{label}: silent", scenario, _values(trials, "stop"), Target(250)
        )
        yield _count(f"{key}_missed", "  not stopped", scenario, _bad(trials), len(trials), NEVER)
        whole = _values(trials, "next_heard_percent")
        if whole:
            good = sum(value >= 98 for value in whole)
            name, label = f"{key}_next_heard", "  next reply heard in full"
            yield _share(name, label, scenario, good, len(whole), _at_least(100), source="events")
        yield from _no_reply(trials, scenario)


def _false_barge_in(findings: Findings) -> Iterable[Measure]:
    trials = findings.of("false_barge_in")
    if trials:
        label = "hum, cough, click: ended"
        ended, quiet = _outcomes(trials, ENDED), _outcomes(trials, STAYED_QUIET)
        yield _count("false_barge_ended", label, "false_barge_in", ended, len(trials), NEVER, source="events")
        yield _count("false_barge_quiet", "  never as loud again", "false_barge_in", quiet, len(trials), NEVER)
        resumed = _values(trials, "resumed")
        yield _spread("false_barge_resumed", "  as loud again", "false_barge_in", resumed, Target(1000, "max"))
        yield from _no_reply(trials, "false_barge_in")


def _words(findings: Findings) -> Iterable[Measure]:
    silence, over = findings.of("short_words"), findings.of("short_words_over")
    both = [*silence, *over]
    if not both:
        return
    label = "words of 150-300 ms found"
    good = len(both) - _bad(both)
    yield _share("short_words", label, "short_words", good, len(both), _at_least(95), source="events")
    for key, part, where in (("silence", silence, "in silence"), ("over", over, "over a reply")):
        if part:
            name, good = f"short_words_{key}", len(part) - _bad(part)
            yield _share(name, f"  {where}", "short_words", good, len(part), _at_least(95), source="events")
    yield from _no_reply(over, "short_words")


def _pauses(findings: Findings) -> Iterable[Measure]:
    trials = findings.of("pauses")
    if trials:
        few = f"only {len(trials)}: 5 % takes {PAUSES}" if len(trials) < PAUSES else ""
        label, bad = "pauses cut or unanswered", _bad(trials)
        yield _share("pauses_cut", label, "pauses", bad, len(trials), Target(5, "value"), source="both", note=few)
        mended, into, never = (_outcomes(trials, name) for name in ("joined", "spoke into it", UNANSWERED))
        yield _count("pauses_joined", "  of these, mended unheard", "pauses", mended, len(trials), source="events")
        yield _count("pauses_spoken_into", "  of these, spoken into", "pauses", into, len(trials))
        yield _count("pauses_unanswered", "  of these, unanswered", "pauses", never, len(trials))
        yield _spread("pauses_voice_to_voice", "  answered after", "pauses", _values(trials, "voice_to_voice"))


def _clipping(findings: Findings) -> Iterable[Measure]:
    trials = findings.of("clipping")
    if trials:
        clipped = _values(trials, "clipped")
        yield _spread("clipped", "lost at the beginning", "clipping", clipped, Target(0, "max"), source="events")
        there = _outcomes(trials, "first word there")
        yield _share("first_word", "  first word understood", "clipping", there, len(trials), source="events")


def _echo(findings: Findings) -> Iterable[Measure]:
    if findings.alone_s:
        yield from _echo_rates(findings)
    yield from _no_reply(findings.of("echo_alone"), "echo_alone")


def _echo_rates(findings: Findings) -> Iterable[Measure]:
    minutes = findings.alone_s / 60
    few = f"a whole run: {ALONE_S:.0f} s" if findings.alone_s < ALONE_S else ""
    yield Measure("alone_s", "replies under echo alone", "echo_alone", "s", value=findings.alone_s, note=few)
    for key, label, count, target in (
        ("alone_triggers", "  took itself for a voice", findings.alone_triggers, None),
        ("alone_interruptions", "  interrupted by itself", findings.alone_interruptions, NEVER),
        ("alone_turns", "  answered itself", findings.alone_turns, NEVER),
    ):
        yield Measure(key, label, "echo_alone", "per min", value=count / minutes, target=target, source="events")


def _eager(findings: Findings) -> Iterable[Measure]:
    eager = findings.eager
    if eager is None:
        return
    begun = eager.hits + eager.dropped
    yield _count("eager_hits", "begun at a pause: used", "eager", eager.hits, begun, source="events")
    yield _count("eager_dropped", "  dropped", "eager", eager.dropped, begun, source="events")
    for key, label, value in (
        ("eager_saved", "  time saved, in all", eager.saved_ms),
        ("eager_wasted", "  work wasted, in all", eager.wasted_ms),
    ):
        yield Measure(key, label, "eager", "ms", value=value, source="events")


def _no_reply(trials: Sequence[Trial], scenario: str) -> Iterable[Measure]:
    """Typed turns that got no reply, so that there was nothing to try; told of only if there are any."""
    count = _outcomes(trials, NO_REPLY)
    if count:
        yield _count(f"{scenario}_no_reply", "  typed turn without a reply", scenario, count, len(trials), NEVER)


def _v2v(turns: Sequence[Turn]) -> list[float]:
    return [turn.voice_to_voice_ms for turn in turns if turn.voice_to_voice_ms is not None]


def _values(trials: Sequence[Trial], name: str) -> list[float]:
    return [trial.values_ms[name] for trial in trials if name in trial.values_ms]


def _sum(trials: Sequence[Trial], name: str) -> int:
    return round(sum(_values(trials, name)))


def _outcomes(trials: Sequence[Trial], outcome: str) -> int:
    return sum(trial.outcome == outcome for trial in trials)


def _bad(trials: Sequence[Trial]) -> int:
    return sum(trial.good is False for trial in trials)


def _at_least(percent: float) -> Target:
    return Target(percent, "value", at_least=True)


def _spread(
    key: str,
    label: str,
    scenario: str,
    values: Iterable[float],
    target: Target | None = None,
    source: Source = "sound",
) -> Measure:
    return Measure(key, label, scenario, "ms", spread=Spread.of(values), target=target, source=source)


def _count(
    key: str,
    label: str,
    scenario: str,
    value: float,
    of: int,
    target: Target | None = None,
    source: Source = "sound",
) -> Measure:
    return Measure(key, label, scenario, "count", value=float(value), of=of, target=target, source=source)


def _share(
    key: str,
    label: str,
    scenario: str,
    part: int,
    of: int,
    target: Target | None = None,
    source: Source = "sound",
    note: str = "",
) -> Measure:
    return Measure(key, label, scenario, "%", value=100 * part / of, of=of, target=target, source=source, note=note)

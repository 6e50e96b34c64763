"""The bench's report as one HTML file that needs nothing else: no script, no network. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from itertools import groupby

from parlor_tui.bench import waterfall
from parlor_tui.bench.html_compare import comparison
from parlor_tui.bench.html_style import STYLE
from parlor_tui.bench.html_values import NONE, in_ms, in_unit, in_words
from parlor_tui.bench.markup import Markup, element, joined, table
from parlor_tui.bench.report import Measure, Report, Setup, Source, Spread, Trial, Turn, Unit
from parlor_tui.observe.stages import STAGES, VOICE_TO_VOICE

GOAL_MS = 900.0
"""The line in the pictures, where voice_to_voice has no target of its own."""

_SCENARIOS = {
    "talk": "Questions and answers",
    "barge_in": "Speaking over a reply",
    "false_barge_in": "A hum, a cough or a click over a reply",
    "echo_alone": "The assistant hears itself",
    "short_words": "Short words",
    "short_words_over": "Short words over a reply",
    "pauses": "Pauses inside a sentence",
    "clipping": "The first word",
    "eager": "Replies begun ahead",
}
_VERDICTS = {True: ("met", "✓ met"), False: ("missed", "✗ missed"), None: ("soft", "not measured")}
_UNITS: Mapping[str, Unit] = {"gaps": "count", "clicks": "count", "triggers": "count", "next_heard_percent": "%"}
"""Of a trial's values, those that are no times."""
_SOURCES: Mapping[Source, str] = {"sound": "sound", "events": "its own events", "both": "sound and events"}
_GOOD = {True: "✓", False: "✗", None: ""}


def render(report: Report) -> str:
    """`report` as a page."""
    setup = report.setup
    title = f"parlor-tui bench, {setup.began_utc}"
    body = joined(
        part
        for part in (
            *_top(report),
            _headline(report.measures),
            _latency(report),
            comparison(report, _scale(report).goal_ms) if setup.simulated else "",
            _stages(report.turns),
            *_scenarios(report),
            _machine(setup),
            _notes(report),
        )
        if part
    )
    head = joined(
        (
            element("meta", charset="utf-8"),
            element("meta", name="viewport", content="width=device-width, initial-scale=1"),
            element("title", title),
            element("style", Markup(STYLE)),
        )
    )
    return f"<!doctype html>\n{element('html', element('head', head), element('body', body), lang='en')}\n"


def _top(report: Report) -> Iterable[Markup]:
    setup = report.setup
    yield element("h1", "How soon it answers")
    told = f"parlor-tui {setup.version} · {setup.model} · hearing: {setup.hearing}"
    camera = "a frame in every turn" if setup.camera else "no camera"
    yield element("p", f"{told} · {camera} · {setup.began_utc} · {setup.machine}", class_="soft")
    if setup.simulated:
        words = (
            f"Simulated: the models only take the times of {setup.simulated}. What they say and understand is canned."
        )
        yield element("p", words, class_="banner")
    if report.stopped:
        yield element("p", "Stopped before its end: what follows was measured until then.", class_="banner")


def _headline(measures: Sequence[Measure]) -> Markup:
    aimed = [measure for measure in measures if measure.target is not None]
    if not aimed:
        return Markup()
    cards = [
        element(
            "div",
            element("span", _named(measure.scenario), class_="soft"),
            _label(measure),
            element("b", _main(measure)),
            element("span", *_verdict(measure)),
            class_="card",
        )
        for measure in aimed
    ]
    met = sum(measure.met is True for measure in aimed)
    return joined((element("h2", f"{met} of {len(aimed)} targets met"), element("div", *cards, class_="cards")))


def _verdict(measure: Measure) -> tuple[object, ...]:
    kind, words = _VERDICTS[measure.met]
    aim = measure.target.words(measure.unit) if measure.target is not None else ""
    return element("span", words, class_=kind), aim


def _latency(report: Report) -> Markup:
    turns = [turn for turn in report.turns if turn.stages_ms or turn.voice_to_voice_ms is not None]
    if not turns:
        return Markup()
    scale = _scale(report)
    unknown = not all(waterfall.Row.of(turn).is_accounted_for for turn in turns)
    parts: list[Markup] = [element("h2", "Where the time goes")]
    words = (
        f"From the user's last audible sample to the reply's first, one bar for each turn. The dashed line is the goal "
        f"of {scale.goal_ms:.0f} ms; ticks below a bar are moments of the turn. What is done ahead shows as no stage. "
        "A bar is as long as the recordings of both sides say; stages and moments are the assistant's own events. "
        "Grey is what the assistant does not count itself: it may take the speech to end sooner or later than it does. "
        "Point at anything to read it; the table below has every value."
    )
    parts += [
        element("p", words, class_="soft"),
        waterfall.legend([*STAGES, *([waterfall.UNKNOWN] if unknown else [])]),
    ]
    for scenario, group in groupby(turns, key=lambda turn: turn.scenario):
        parts += [
            element("h3", _named(scenario)),
            waterfall.rows([(_who(turn), waterfall.Row.of(turn)) for turn in group], scale),
        ]
    parts += [
        _distribution(report, scale),
        element("details", element("summary", "Every turn"), _turn_table(report.turns)),
    ]
    return joined(parts)


def _distribution(report: Report, scale: waterfall.Scale) -> Markup:
    measure = next((m for m in report.measures if m.key == VOICE_TO_VOICE and m.spread is not None), None)
    turns = [turn for turn in report.turns if measure is None or turn.scenario == measure.scenario]
    values = [turn.voice_to_voice_ms for turn in turns if turn.voice_to_voice_ms is not None]
    if not values:
        return Markup()
    spread = measure.spread if measure is not None and measure.spread is not None else Spread.of(values)
    told = f"p50 {in_ms(spread.p50)}, p90 {in_ms(spread.p90)}, max {in_ms(spread.max)}; {spread.n} turns"
    picture = element("div", waterfall.strip(turns, spread, scale), waterfall.axis(scale), class_="plot")
    return joined((element("h3", "All of them on one line"), element("p", told, class_="soft"), picture))


def _turn_table(turns: Sequence[Turn]) -> Markup:
    used = [stage for stage in STAGES if any(stage in turn.stages_ms for turn in turns)]
    head = ["turn", "said", "voice to voice", *(stage.replace("_", " ") for stage in used), "begun ahead", "status"]
    rows = [
        [
            f"{_named(turn.scenario)} {turn.number}",
            turn.said,
            in_ms(turn.voice_to_voice_ms),
            *(in_ms(turn.stages_ms.get(stage)) for stage in used),
            turn.eager or NONE,
            turn.status,
        ]
        for turn in turns
    ]
    return table(head, rows, numbers_from=2)


def _stages(turns: Sequence[Turn]) -> Markup:
    talk = [turn for turn in turns if turn.scenario == "talk"] or list(turns)
    rows: list[list[object]] = []
    for stage in (*STAGES, VOICE_TO_VOICE):
        spread = Spread.of(turn.stages_ms[stage] for turn in talk if stage in turn.stages_ms)
        if spread.n:
            label = "voice to voice, as it tells itself" if stage == VOICE_TO_VOICE else stage.replace("_", " ")
            rows.append([label, spread.n, in_ms(spread.p50), in_ms(spread.p90), in_ms(spread.max)])
    if not rows:
        return Markup()
    return joined((element("h2", "Stages"), table(["stage", "turns", "p50", "p90", "max"], rows), _ahead(talk)))


def _ahead(turns: Sequence[Turn]) -> Markup:
    begun = [turn.eager for turn in turns if turn.eager]
    if not begun:
        return Markup()
    hits = begun.count("hit")
    words = f"Replies begun ahead of the turn's end: {len(begun)}; used: {hits}, thrown away: {len(begun) - hits}."
    return element("p", words, class_="soft")


def _scenarios(report: Report) -> Iterable[Markup]:
    names = dict.fromkeys([*(m.scenario for m in report.measures), *(t.scenario for t in report.trials)])
    for name in names:
        yield element("h2", _named(name))
        measures = [measure for measure in report.measures if measure.scenario == name]
        if measures:
            head = ["figure", "p50 or value", "p90", "max", "of", "target", "", "read off"]
            yield table(head, [_measure_row(measure) for measure in measures])
        trials = [trial for trial in report.trials if trial.scenario == name]
        if trials:
            yield element("details", element("summary", f"{len(trials)} trials"), _trial_table(trials))


def _measure_row(measure: Measure) -> list[object]:
    spread, unit = measure.spread, measure.unit
    kind, words = _VERDICTS[measure.met]
    aim = measure.target.words(unit) if measure.target is not None else ""
    verdict = element("span", words, class_=kind) if measure.target is not None else ""
    label, source = _label(measure), _SOURCES[measure.source]
    if spread is None:
        return [label, in_unit(measure.value, unit), "", "", measure.of or "", aim, verdict, source]
    values = [in_unit(value, unit) for value in (spread.p50, spread.p90, spread.max)]
    return [label, *values, spread.n, aim, verdict, source]


def _label(measure: Measure) -> Markup:
    """What it is, and what must be known to read it."""
    note = f" ({measure.note})" if measure.note else ""
    return element("span", measure.label.strip(), element("span", note, class_="soft") if note else "")


def _trial_table(trials: Sequence[Trial]) -> Markup:
    names = list(dict.fromkeys(name for trial in trials for name in trial.values_ms))
    head = ["said", "voice", "outcome", "", *(name.replace("_", " ") for name in names)]
    rows = [
        [
            trial.said or trial.utterance,
            trial.voice or NONE,
            trial.outcome,
            _GOOD[trial.good],
            *(in_unit(trial.values_ms.get(name), _UNITS.get(name, "ms")) for name in names),
        ]
        for trial in trials
    ]
    return table(head, rows, numbers_from=4)


def _machine(setup: Setup) -> Markup:
    rows = [[item.name.replace("_", " "), in_words(getattr(setup, item.name))] for item in fields(setup)]
    return joined((element("h2", "What was measured, on what"), table(["", ""], rows, numbers_from=9)))


def _notes(report: Report) -> Markup:
    if not report.notes:
        return Markup()
    return joined((element("h2", "Notes"), element("ul", *(element("li", note) for note in report.notes))))


def _scale(report: Report) -> waterfall.Scale:
    aims = [m.target.limit for m in report.measures if m.key == VOICE_TO_VOICE and m.target is not None]
    return waterfall.Scale.of((waterfall.Row.of(turn).whole_ms for turn in report.turns), aims[0] if aims else GOAL_MS)


def _main(measure: Measure) -> str:
    if measure.spread is None:
        counted = f" of {measure.of}" if measure.unit == "count" and measure.of else ""
        return in_unit(measure.value, measure.unit) + counted
    which = measure.target.statistic if measure.target is not None else "p50"
    return in_unit(getattr(measure.spread, which), measure.unit)


def _who(turn: Turn) -> str:
    said = turn.said if len(turn.said) <= 42 else f"{turn.said[:40]}…"
    return f"{turn.number}. {said}"


def _named(scenario: str) -> str:
    return _SCENARIOS.get(scenario) or scenario.replace("_", " ").capitalize()

"""The figures of one core as Prometheus reads them. Seconds, bytes, ratios and degrees Celsius, as is the custom there.

The one module that imports prometheus_client. Nothing that was said is in any figure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, get_args

from parlor_tui import __version__
from parlor_tui.counts import OF_CORE, OF_TERMINAL, Count
from parlor_tui.events import (
    CoreError,
    CoreEvent,
    CoreGoverned,
    EagerDropped,
    MachineRead,
    ReplyCreated,
    ReplyDone,
    TurnStatus,
    Usage,
)
from parlor_tui.observe.stages import STAGES, VOICE_TO_VOICE
from parlor_tui.observe.terminal_totals import TerminalTotals
from parlor_tui.observe.turn_report import TerminalCounts, TurnReport

if TYPE_CHECKING:
    from prometheus_client.core import Metric

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
BUCKETS_S = (0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.65, 0.8, 1.0, 1.25, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 7.5, 10.0)
"""Close to each other around what a reply takes, with an edge at 4 s, from which on an alert is due."""

_REPLY_STATUSES = ("completed", "incomplete", "cancelled", "no_words", "failed")
_TURN_STATUSES = get_args(TurnStatus)
_TOKENS = ("input", "output", "cached")
_REPLY_FAILED = "reply"
_CORE_LOST = "core_lost"
_KINDS = (_REPLY_FAILED, "input_audio_transcription_failed", "input_audio_buffer_full")
"""Errors that are told as 0 before the first: a rate cannot be had of what begins with 1."""
_CROSSED = "response_cancel_not_active"
"""A cancel that crosses the end of its reply on the way: no error."""


@dataclass(frozen=True, slots=True)
class Levels:
    """How things stand at one moment. `counted` is what the core lost so far, by the names in `counts`."""

    profile: str
    model: str
    ready: bool
    uptime_s: float
    terminals: int = 0
    replying: int = 0
    queued: Mapping[str, int] = field(default_factory=dict)
    counted: Mapping[str, int] = field(default_factory=dict)
    machine: MachineRead | None = None


class Metrics:
    """Counts what the core and its terminals tell; to be used from one thread. `levels` is asked at each reading."""

    def __init__(self, levels: Callable[[], Levels]) -> None:
        from prometheus_client import CollectorRegistry, Histogram, disable_created_metrics
        from prometheus_client import Counter as Counting

        disable_created_metrics()  # type: ignore[no-untyped-call]  # when each series began: a line more for each, which nobody reads
        self._registry = CollectorRegistry()
        self._levels = levels
        self._terminals = TerminalTotals()
        self._errors: Counter[str] = Counter(dict.fromkeys(_KINDS, 0))
        self._tokens_per_s: float | None = None
        self._buffered_s: float | None = None
        self._governor_level = 0

        def count(name: str, told: str, label: str = "", known: tuple[str, ...] = ()) -> Counting:
            made = Counting(name, told, (label,) if label else (), registry=self._registry)
            for value in known:
                made.labels(value)
            return made

        self._stages = Histogram(
            "parlor_stage_seconds", "A part of a turn", ("stage",), buckets=BUCKETS_S, registry=self._registry
        )
        for stage in STAGES:
            self._stages.labels(stage)
        self._voice_to_voice = Histogram(
            "parlor_voice_to_voice_seconds",
            "From the user's last word (or the commit of a typed turn) to the first audible sample of the reply",
            buckets=BUCKETS_S,
            registry=self._registry,
        )
        self._requests = count("parlor_requests", "Replies that were asked for")
        self._replies = count("parlor_replies", "Replies that are over in the core", "status", _REPLY_STATUSES)
        self._turns = count("parlor_turns", "Turns that are over in a terminal", "status", _TURN_STATUSES)
        self._tokens = count("parlor_tokens", "Read (cached: of these, read before) and written", "kind", _TOKENS)
        self._eager = count(
            "parlor_eager_replies", "Begun at a pause, and used or dropped", "outcome", ("hit", "dropped")
        )
        self._barge_ins = count("parlor_barge_ins", "Replies that were stopped", "by", ("voice", "key", "turn"))
        self._false = count("parlor_false_interruptions", "Replies that fell silent for no voice, and went on")
        self._xruns = count("parlor_xruns", "Sound that was torn or lost", "device", ("speaker", "microphone"))
        self._registry.register(_Gauges(self))

    def core_said(self, event: CoreEvent) -> None:
        """Take what one session tells its client."""
        match event:
            case ReplyCreated():
                self._requests.inc()
                if event.eager_ms:
                    self._eager.labels("hit").inc()
            case ReplyDone():
                self._reply_done(event)
            case CoreGoverned(level):
                self._governor_level = level
            case EagerDropped():
                self._eager.labels("dropped").inc()
            case CoreError(code) if code != _CROSSED:
                self._errors[code] += 1
            case _:
                pass

    def turn_over(self, report: TurnReport) -> None:
        """Take what a terminal tells of a turn."""
        for stage, took_ms in report.stages_ms.items():
            took = self._voice_to_voice if stage == VOICE_TO_VOICE else self._stages.labels(stage)
            took.observe(took_ms / 1000)
        self._turns.labels(report.status).inc()
        if report.interrupted_by:
            self._barge_ins.labels(report.interrupted_by).inc()
        self._false.inc(report.false_interruptions)
        self._xruns.labels("speaker").inc(report.underruns)
        self._xruns.labels("microphone").inc(report.overruns)
        if report.buffered_ms is not None:
            self._buffered_s = report.buffered_ms / 1000

    def terminal_counted(self, told: TerminalCounts) -> None:
        """Take what a terminal has counted since it started."""
        self._terminals.told(told)

    def text(self) -> bytes:
        """All figures, in the text format of `CONTENT_TYPE`."""
        from prometheus_client import generate_latest

        return generate_latest(self._registry)

    def _reply_done(self, done: ReplyDone) -> None:
        self._replies.labels("no_words" if done.reason == "no_words" else done.status).inc()
        if done.status == "failed":
            self._errors[_REPLY_FAILED] += 1
        usage = done.usage
        for kind, tokens in zip(_TOKENS, (usage.input_tokens, usage.output_tokens, usage.cached_tokens), strict=True):
            self._tokens.labels(kind).inc(tokens)
        self._tokens_per_s = _tokens_per_s(usage) or self._tokens_per_s

    def gauges(self) -> Iterator[Metric]:
        """What is asked for at each reading: levels, and what others count; the unknown is left out, and never 0."""
        from prometheus_client.core import GaugeMetricFamily

        levels = self._levels()
        about = GaugeMetricFamily("parlor_info", "What runs here", labels=("version", "profile", "model"))
        about.add_metric((__version__, levels.profile, levels.model), 1)
        yield about
        yield from self._counted(levels.counted)
        queued = GaugeMetricFamily("parlor_queue_length", "What waits in a queue", labels=("queue",))
        for queue, length in levels.queued.items():
            queued.add_metric((queue,), length)
        yield queued
        plain: list[tuple[str, str, float | None]] = [
            ("parlor_ready", "Every model is loaded", float(levels.ready)),
            ("parlor_uptime_seconds", "Since the core started", levels.uptime_s),
            ("parlor_terminals", "That are connected", levels.terminals),
            ("parlor_concurrent_requests", "Replies that are being made", levels.replying),
            ("parlor_governor_level", "Steps that are taken to spare the machine", self._governor_level),
            ("parlor_tokens_per_second", "In which the last reply was written", self._tokens_per_s),
            ("parlor_jitter_buffer_seconds", "Speech that waited, on average of the last reply", self._buffered_s),
        ]
        for name, told, value in plain + _of_machine(levels.machine):
            if value is not None:
                yield GaugeMetricFamily(name, told, value=value)
        if levels.machine is not None:
            yield from _memory(levels.machine)

    def _counted(self, of_core: Mapping[str, int]) -> Iterator[Metric]:
        """Errors and losses. What terminals count is left out before the first told it.

        They count on from one core to the next: were it 0 in a new core until then, it would seem to grow once more.
        """
        from prometheus_client.core import CounterMetricFamily

        counted = {str(what): of_core.get(what, 0) for what in Count if what in OF_CORE}
        if (of_terminals := self._terminals.sums()) is not None:
            counted |= {str(what): of_terminals[what] for what in OF_TERMINAL}
        errors = CounterMetricFamily("parlor_errors", "Turns without an answer, and refused requests", labels=("kind",))
        lost = CounterMetricFamily("parlor_lost", "What found no room, or came to nothing", labels=("what",))
        for kind, times in self._errors.items():
            errors.add_metric((kind,), times)
        for what, times in counted.items():
            if what == Count.TURNS_LOST:
                errors.add_metric((_CORE_LOST,), times)
            elif what == Count.CORES_DIED:
                yield CounterMetricFamily("parlor_core_deaths", "Cores that died under their terminals", value=times)
            else:
                lost.add_metric((what,), times)
        yield from (errors, lost)


class _Gauges:
    """What the registry asks at each reading."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics

    def collect(self) -> Iterator[Metric]:
        """See prometheus_client.registry.Collector."""
        return self._metrics.gauges()


def _tokens_per_s(usage: Usage) -> float | None:
    """How fast a reply was written after its first token; None where that was not measured."""
    if usage.output_tokens < 2 or usage.writing_ms <= 0:
        return None
    return (usage.output_tokens - 1) * 1000 / usage.writing_ms


def _of_machine(machine: MachineRead | None) -> list[tuple[str, str, float | None]]:
    if machine is None:
        return []
    seen = machine.reading
    return [
        ("parlor_gpu_utilisation_ratio", "How busy the GPU is", _scaled(seen.gpu_busy_percent, 0.01)),
        ("parlor_gpu_memory_used_bytes", "Whoever uses it", _scaled(seen.gpu_memory_used_mb, 1e6)),
        ("parlor_gpu_memory_total_bytes", "What the GPU has", _scaled(seen.gpu_memory_total_mb, 1e6)),
        ("parlor_gpu_temperature_celsius", "Of the GPU", seen.gpu_temperature_c),
        ("parlor_gpu_power_watts", "That the GPU draws", seen.gpu_power_w),
        ("parlor_gpu_clock_hertz", "That the GPU runs at", _scaled(seen.gpu_clock_mhz, 1e6)),
        ("parlor_throttled", "The GPU is held back by heat or power", _scaled(seen.throttled, 1.0)),
        ("parlor_cpu_utilisation_ratio", "How busy all processors are", _scaled(seen.cpu_percent, 0.01)),
        ("parlor_cpu_temperature_celsius", "Of the processor", seen.cpu_temperature_c),
        ("parlor_memory_used_bytes", "Of the machine, whoever uses it", _scaled(seen.ram_used_mb, 1e6)),
        ("parlor_memory_total_bytes", "What the machine has", _scaled(seen.ram_total_mb, 1e6)),
        ("parlor_memory_budget_bytes", "What may be in use where models are", _scaled(machine.budget_mb, 1e6)),
    ]


def _scaled(value: float | None, factor: float) -> float | None:
    return None if value is None else value * factor


def _memory(machine: MachineRead) -> Iterator[Metric]:
    from prometheus_client.core import GaugeMetricFamily

    resident = GaugeMetricFamily("parlor_process_resident_bytes", "The core, and what it started", labels=("process",))
    for process, value_mb in (("core", machine.core_mb), ("children", machine.children_mb)):
        if value_mb is not None:
            resident.add_metric((process,), value_mb * 1e6)
    if resident.samples:
        yield resident

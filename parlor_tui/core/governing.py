"""The governor at work: what the machine and the engine show, and what follows from it for every session."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace

from parlor_tui.core.governor import IN_WORDS, PACE, STEPS, Caps, Pace, Signs, State, Step, decide
from parlor_tui.core.inference import InferenceCore
from parlor_tui.core.profiles import LITE, Parts
from parlor_tui.core.watching import Watching
from parlor_tui.events import CoreGoverned, MachineRead, now_s
from parlor_tui.settings import Core

_log = logging.getLogger(__name__)

Watcher = Callable[[CoreGoverned], None]


class Governing:
    """Caps what the sessions of `core` ask for while the machine is in trouble, and tells every watcher so.

    To be used from one event loop. While nobody watches, nothing is asked of the core, and nothing is decided.
    """

    def __init__(self, core: InferenceCore, watching: Watching, *, pace: Pace = PACE) -> None:
        self._core = core
        self._watching = watching
        self._pace = pace
        self._state = State()
        self._told = CoreGoverned(0)
        self._seen_s: float | None = None
        self._watchers: list[Watcher] = []
        self._end: Callable[[], None] | None = None

    def watch(self, watcher: Watcher) -> Callable[[], None]:
        """Tell `watcher` what is done without, if anything is, and each change of it. Returns the call that ends it."""
        self._watchers.append(watcher)
        if self._told.level:
            watcher(self._told)
        if self._end is None:
            self._core.on_inference.add(self._inferred)
            self._end = self._watching.watch(self._seen)

        def end() -> None:
            self._watchers.remove(watcher)
            if not self._watchers and self._end is not None:
                self._core.on_inference.discard(self._inferred)
                self._end()
                self._end = None

        return end

    def _seen(self, _event: MachineRead) -> None:
        at_s = now_s()
        if self._seen_s is not None and at_s - self._seen_s > self._watching.stale_s:
            self._decide(Signs(at_s, stale=True))  # what nobody saw was no calm
        self._seen_s = at_s
        self._look(None)

    def _inferred(self, took_s: float) -> None:
        self._look(took_s)

    def _look(self, inference_s: float | None) -> None:
        machine, parts = self._watching.latest, self._core.loaded
        if parts is not None:
            seen = signs(machine, now_s(), inference_s, on_gpu=parts.on_gpu)
            self._decide(replace(seen, stale=machine is None and self._seen_s is not None))

    def _decide(self, seen: Signs) -> None:
        parts = self._core.loaded
        if parts is None:
            return
        steps = steps_of(parts)
        before, self._state = self._state, decide(self._state, seen, len(steps), self._pace)
        if _shown(before) != _shown(self._state):
            self._apply(steps[: self._state.level], parts)

    def _apply(self, steps: tuple[Step, ...], parts: Parts) -> None:
        state = self._state
        self._core.caps = Caps(steps)
        self._told = CoreGoverned(
            state.level,
            tuple(reason.words for reason in state.reasons),
            tuple(IN_WORDS[step] for step in steps),
            advice(parts) if state.at_limit else "",
        )
        _log.info("governor: %s", self._told)
        for watcher in tuple(self._watchers):
            watcher(self._told)


def governing(settings: Core, core: InferenceCore, watching: Watching, pace: Pace = PACE) -> Governing | None:
    """The governor of `core`; None if the settings want none."""
    return Governing(core, watching, pace=pace) if settings.governor else None


def _shown(state: State) -> tuple[object, ...]:
    """What makes a difference to people; figures within a reason do not."""
    return state.level, state.at_limit, tuple(reason.kind for reason in state.reasons)


def steps_of(parts: Parts) -> tuple[Step, ...]:
    """The steps that make a difference to these models, in their order."""
    return tuple(step for step in STEPS if step != "pictures" or parts.engine.abilities.sees)


def advice(parts: Parts) -> str:
    """What could still be done, where the steps were not enough: it takes a core that loads other models."""
    ways = ["a smaller model (--profile lite)"] if parts.profile is not LITE else []
    if parts.on_gpu:
        ways.append("the processor alone (--backend cpu)")
    return f"for less than that it takes a new start with {' or '.join(ways)}" if ways else "less than that cannot be"


def signs(machine: MachineRead | None, at_s: float, inference_s: float | None, *, on_gpu: bool) -> Signs:
    """What the governor goes by.

    Of a GPU's own memory it counts who ever uses it, if the model is `on_gpu`: nobody tells whose it is. Of the
    machine's memory it counts what the core has taken, for the rest of it is other programs' business.
    """
    if machine is None:
        return Signs(at_s, inference_s=inference_s)
    reading = machine.reading
    temperatures = [known for known in (reading.gpu_temperature_c, reading.cpu_temperature_c) if known is not None]
    return Signs(
        at_s,
        max(temperatures, default=None),
        reading.thermal_pressure,
        reading.throttled,
        reading.throttle_reason,
        _memory_share(machine, on_gpu=on_gpu),
        inference_s,
    )


def _memory_share(machine: MachineRead, *, on_gpu: bool) -> float | None:
    """What is in use of the budget where the model is; None if that is not known."""
    used_mb, budget_mb = machine.used_mb, machine.budget_mb
    if not (machine.own_memory and on_gpu):
        used_mb = None if machine.core_mb is None else machine.core_mb + (machine.children_mb or 0.0)
    if machine.own_memory and not on_gpu:  # the budget is of the GPU's: as much of the machine's
        ram_mb, gpu_mb = machine.reading.ram_total_mb, machine.reading.gpu_memory_total_mb
        budget_mb = budget_mb * ram_mb / gpu_mb if budget_mb and ram_mb and gpu_mb else None
    return used_mb / budget_mb if used_mb is not None and budget_mb else None

"""When the core does with less, and when it goes back to all of it. Pure: signs and time in, a level out.

A level says how many of the steps in `STEPS` are in force, the first ones first.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from parlor_tui.events import HOT_C
from parlor_tui.settings import Tuning

Step = Literal["pictures", "eager", "tokens", "context"]
STEPS: tuple[Step, ...] = ("pictures", "eager", "tokens", "context")
"""In their order: what is missed least goes first. A smaller model, or the processor alone, needs a new start."""
IN_WORDS: Mapping[Step, str] = {
    "pictures": "smaller pictures",
    "eager": "no eager replies",
    "tokens": "shorter replies",
    "context": "shorter memory",
}

COOL_C = 78.0
"""Below this it is no longer hot: 7 degrees are more than a chip's temperature swings by from one reply to the next."""
_PRESSED = ("serious", "critical")
"""The states of heat in which macOS holds a chip down; at `fair` only fans are louder."""
HARMLESS_REASONS = ("power limit",)
"""A GPU at full load is at the power limit of its maker: that alone is work, and no trouble."""
SLOW_S = 5.0
"""The first Parlor's own limit for a single inference."""
QUICK_S = 4.0
"""One that takes no longer shows that the trouble is over."""
MEMORY_OVER = 1.0
MEMORY_EASY = 0.95
"""Shares of the budget: memory is given back in pieces of some 100 MB, which are 1 to 3 % of usual budgets."""

_FEWEST_IMAGE_TOKENS = 70
"""The least that Gemma can look at a picture with."""
_FEWEST_CONTEXT_TOKENS = 1024
"""The instructions take about 200, and a question and its reply have to fit as well."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast the level changes.

    A step shows its effect within seconds (heat lags behind the load), so none follows sooner than `between_steps_s`.
    `calm_s` without trouble take one step back. Each time that turns out to be too soon the calm has to last twice as
    long, up to `most_calm_s`.
    """

    between_steps_s: float = 10.0
    calm_s: float = 30.0
    most_calm_s: float = 480.0


PACE = Pace()


@dataclass(frozen=True, slots=True)
class Signs:
    """What is known at `at_s` (on `now_s`); None is unknown: no trouble, and no end of what was trouble before.

    `temperature_c` is of the hottest chip. `memory_share` is what is in use of the budget, 1 being all of it.
    `inference_s` is how long a single inference took that has just ended. `stale`: the machine is not seen any more,
    which is no calm.
    """

    at_s: float
    temperature_c: float | None = None
    thermal_pressure: str | None = None
    throttled: bool | None = None
    throttle_reason: str = ""
    memory_share: float | None = None
    inference_s: float | None = None
    stale: bool = False


class Reason(NamedTuple):
    """A trouble: its kind, and what it is in plain words."""

    kind: Literal["hot", "throttled", "memory", "slow"]
    words: str


@dataclass(frozen=True, slots=True)
class State:
    """The level, and what the next decision needs to know.

    `reasons` led to the level. `at_limit`: that was not enough, and there is nothing more to do without. `slow`: the
    last inference that tells was a slow one. `calm_s` is how long the calm has to last before a step back is taken,
    `went_back` whether the last step was one.
    """

    level: int = 0
    reasons: tuple[Reason, ...] = ()
    at_limit: bool = False
    slow: bool = False
    stepped_s: float = -math.inf
    calm_since_s: float | None = None
    calm_s: float = 0.0
    went_back: bool = False


def decide(state: State, signs: Signs, most: int, pace: Pace = PACE) -> State:
    """The state after `signs`, which are not older than those before; levels go up to `most`."""
    slow = _is_slow(state.slow, signs.inference_s)
    rested = signs.at_s - state.stepped_s >= pace.between_steps_s
    reasons = tuple(_reasons(signs))
    if reasons:
        troubled = replace(state, slow=slow, calm_since_s=None)
        return _down(troubled, reasons, signs.at_s, most, pace) if rested else troubled
    if slow or signs.stale or not _is_easy(signs) or not _is_seen(state.reasons, signs):
        return replace(state, slow=slow, calm_since_s=None)
    since_s = signs.at_s if state.calm_since_s is None else state.calm_since_s
    calm = replace(state, slow=slow, calm_since_s=since_s)
    if not rested or signs.at_s - since_s < max(state.calm_s, pace.calm_s):
        return calm
    return _back(calm, signs.at_s)


def _down(state: State, reasons: tuple[Reason, ...], at_s: float, most: int, pace: Pace) -> State:
    if most < 1:
        return state
    if state.level >= most:
        known = {reason.kind for reason in state.reasons}
        same = state.at_limit and any(reason.kind in known for reason in reasons)
        return state if same else replace(state, reasons=reasons, at_limit=True)
    calm_s = max(state.calm_s, pace.calm_s)
    if state.went_back:
        calm_s = min(2 * calm_s, max(pace.most_calm_s, pace.calm_s))
    level = state.level + 1
    return replace(state, level=level, reasons=reasons, stepped_s=at_s, calm_s=calm_s, went_back=False)


def _back(state: State, at_s: float) -> State:
    """One step back; of a calm that lasts on at level 0 nothing is left that has to be made up for."""
    if state.level == 0:
        return replace(state, calm_s=0.0, went_back=False)
    level = state.level - 1
    reasons = state.reasons if level else ()
    return replace(
        state, level=level, reasons=reasons, at_limit=False, stepped_s=at_s, calm_since_s=at_s, went_back=True
    )


def _reasons(signs: Signs) -> Iterator[Reason]:
    """What is wrong now."""
    hot = signs.temperature_c is not None and signs.temperature_c >= HOT_C
    pressed = signs.thermal_pressure in _PRESSED
    if hot or pressed:
        yield Reason("hot", f"hot ({signs.temperature_c:.0f} °C)" if hot else f"hot ({signs.thermal_pressure})")
    if signs.throttled and signs.throttle_reason not in HARMLESS_REASONS:
        why = "" if hot or pressed else signs.throttle_reason
        yield Reason("throttled", f"throttled ({why})" if why else "throttled")
    if signs.memory_share is not None and signs.memory_share > MEMORY_OVER:
        yield Reason("memory", f"memory at {signs.memory_share * 100:.0f} % of its budget")
    if signs.inference_s is not None and signs.inference_s > SLOW_S:
        yield Reason("slow", f"slow (the model took {signs.inference_s:.1f} s)")


def _is_easy(signs: Signs) -> bool:
    """Whether everything is well clear of trouble, so that it does not come back at once."""
    cool = signs.temperature_c is None or signs.temperature_c < COOL_C
    return cool and (signs.memory_share is None or signs.memory_share <= MEMORY_EASY)


def _is_seen(reasons: tuple[Reason, ...], signs: Signs) -> bool:
    """Whether what led to the level can be seen now: that it is not known any more is no sign that it is over."""
    known = {
        "hot": signs.temperature_c is not None or signs.thermal_pressure is not None,
        "throttled": signs.throttled is not None,
        "memory": signs.memory_share is not None,
    }
    return all(known.get(reason.kind, True) for reason in reasons)


def _is_slow(before: bool, inference_s: float | None) -> bool:
    if inference_s is None or QUICK_S < inference_s <= SLOW_S:
        return before
    return inference_s > SLOW_S


@dataclass(frozen=True, slots=True)
class Caps:
    """What is done without, as `steps`; what the user set stays what it is, and comes back by itself."""

    steps: tuple[Step, ...] = ()

    def tuning(self, own: Tuning) -> Tuning:
        """`own`, as far as it is followed now."""
        hearing, seeing, answering = own.hearing, own.seeing, own.answering
        if "pictures" in self.steps:
            seeing = replace(seeing, image_tokens=max(_FEWEST_IMAGE_TOKENS, seeing.image_tokens // 2))
        if "eager" in self.steps:
            hearing = replace(hearing, eager_ms=0)
        if "tokens" in self.steps:
            answering = replace(answering, max_tokens=max(1, answering.max_tokens // 2))
        return replace(own, hearing=hearing, seeing=seeing, answering=answering)

    def context_tokens(self, own_tokens: int) -> int:
        """How much of the model's context the talk may fill: it rolls over sooner, and what is read stays short."""
        if "context" not in self.steps:
            return own_tokens
        return max(min(own_tokens, _FEWEST_CONTEXT_TOKENS), own_tokens // 2)

"""`parlor.machine`: what the core's machine does, as JSON. Unknown is null."""

from __future__ import annotations

import sys
from dataclasses import asdict, fields
from typing import Any

from parlor_tui.events import MachineRead, Reading
from parlor_tui.link.wire import Json

TYPE = "parlor.machine"
_TEXTS = ("gpu_name", "throttle_reason", "thermal_pressure")


def encode(event: MachineRead) -> Json:
    """The message that tells `event`."""
    return {"type": TYPE, **asdict(event)}


def decode(message: Json) -> MachineRead:
    """The event in `message`. What a newer core adds is passed over; what another one leaves out is unknown.

    Raises KeyError, TypeError or ValueError if it is not well formed.
    """
    told = message["reading"]
    values = {item.name: _value(item.name, told.get(item.name)) for item in fields(Reading)}
    return MachineRead(
        Reading(**values | {"throttle_reason": values["throttle_reason"] or ""}),
        core_mb=_figure(message.get("core_mb")),
        children_mb=_figure(message.get("children_mb")),
        budget_mb=_figure(message.get("budget_mb")),
        own_memory=message.get("own_memory") is True,
    )


def _value(name: str, value: Any) -> Any:
    if name not in _TEXTS and name != "throttled":
        return _figure(value)
    if value is not None and not isinstance(value, str if name in _TEXTS else bool):
        raise TypeError(f"{name} must be {'text' if name in _TEXTS else 'true or false'}")
    return value


def _figure(value: Any) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= sys.float_info.max:
        raise ValueError("a figure must be a number")
    return float(value)

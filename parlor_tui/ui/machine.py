"""The machine that the core runs on, as it was for the last minute. Pure: events in, figures out."""

from __future__ import annotations

from dataclasses import dataclass, replace

from parlor_tui.events import CoreFound, Event, MachineRead, MachineSeen, Reading

KEPT = 60
"""Readings that are kept for sparklines: a minute."""
COOL_C, HOTTEST_C = 30.0, 100.0
"""What the sparkline of heat spans."""
NOTHING_SEEN = MachineRead(Reading())

Values = tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class Machine:
    """What was seen last, and figures of the last minute, oldest first: as shares (0..1) of the most there can be.

    None is unknown. `power_w` are watts, for there is no most.
    """

    seen: MachineRead = NOTHING_SEEN
    terminal_mb: float | None = None
    terminal_cpu_percent: float | None = None
    busy: Values = ()
    memory: Values = ()
    ram: Values = ()
    cpu: Values = ()
    heat: Values = ()
    power_w: Values = ()

    def after(self, event: Event) -> Machine:
        """The same once `event` has happened. Another core may be on another machine."""
        match event:
            case CoreFound():
                return Machine(terminal_mb=self.terminal_mb, terminal_cpu_percent=self.terminal_cpu_percent)
            case MachineSeen(machine=seen):
                own = replace(self, terminal_mb=event.terminal_mb, terminal_cpu_percent=event.terminal_cpu_percent)
                return own._with(seen)
            case _:
                return self

    @property
    def hottest_c(self) -> float | None:
        """The temperature of the hotter one of GPU and processor."""
        known = (self.seen.reading.gpu_temperature_c, self.seen.reading.cpu_temperature_c)
        return max((value for value in known if value is not None), default=None)

    @property
    def over_budget(self) -> bool:
        """Whether more memory is in use than may be."""
        used_mb, budget_mb = self.seen.used_mb, self.seen.budget_mb
        return used_mb is not None and budget_mb is not None and used_mb > budget_mb

    def _with(self, seen: MachineRead) -> Machine:
        now, reading = replace(self, seen=seen), seen.reading
        hottest_c = now.hottest_c
        return replace(
            now,
            busy=_longer(self.busy, share_of(reading.gpu_busy_percent, 100.0)),
            memory=_longer(self.memory, share_of(seen.used_mb, seen.budget_mb)),
            ram=_longer(self.ram, share_of(reading.ram_used_mb, reading.ram_total_mb)),
            cpu=_longer(self.cpu, share_of(reading.cpu_percent, 100.0)),
            heat=_longer(self.heat, None if hottest_c is None else (hottest_c - COOL_C) / (HOTTEST_C - COOL_C)),
            power_w=_longer(self.power_w, reading.gpu_power_w),
        )


def share_of(value: float | None, most: float | None) -> float | None:
    """`value` of `most`; None if either is unknown, or there is no most."""
    return None if value is None or not most else value / most


def _longer(values: Values, value: float | None) -> Values:
    return (*values, value)[-KEPT:]

"""A core whose machine is as hot as FILE says, the first argument, in degrees C; all else about it is real.

The heater stands in for the probes: readings that were recorded of a GPU at work, with that temperature in them. The
second argument is the settings file. The governor's pace is some thirty times the usual.
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

from parlor_tui.core.governor import Pace
from parlor_tui.core.watching import Watching
from parlor_tui.link.server import run_core
from parlor_tui.probes.nvidia import NvidiaProbe
from parlor_tui.settings import load
from tests.probes.recorded import Nvml

BETWEEN_STEPS_S = 0.3
CALM_S = 0.6
EVERY_S = 0.05


def main() -> None:
    heat = Path(sys.argv[1])
    nvml = Nvml(nvmlDeviceGetTemperature=lambda *_: int(heat.read_text("ascii")))
    watch = partial(Watching, open_probe=lambda: NvidiaProbe(nvml, "gpu"), every_s=EVERY_S)
    run_core(load(Path(sys.argv[2])), 0, None, watch=watch, pace=Pace(BETWEEN_STEPS_S, CALM_S, CALM_S))


if __name__ == "__main__":
    main()

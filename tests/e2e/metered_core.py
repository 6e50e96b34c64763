"""A core for monitoring, as the screen starts one: a real one, but for a GPU that stands in where there is none.

The first argument is the settings file. The token that it is given is written into the second, for Prometheus.
"""

from __future__ import annotations

import io
import json
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

from parlor_tui.core.watching import Watching
from parlor_tui.events import Reading
from parlor_tui.link.server import run_core
from parlor_tui.probes.choose import open_probes
from parlor_tui.settings import load
from tests.readings import RTX_4070

SHOWN = ("gpu_busy_percent", "gpu_memory_used_mb", "gpu_memory_total_mb", "gpu_temperature_c", "gpu_power_w")


class Probe:
    """What this machine's own probes see, and the GPU."""

    def __init__(self) -> None:
        self._own = open_probes()

    def read(self, at_s: float) -> Reading:
        gpu = {name: getattr(RTX_4070, name) for name in (*SHOWN, "gpu_name", "throttled", "cpu_temperature_c")}
        return replace(self._own.read(at_s), **gpu)

    def close(self) -> None:
        self._own.close()


def main() -> None:
    first = sys.stdin.readline()
    Path(sys.argv[2]).write_text(json.loads(first)["token"] + "\n", "ascii")
    sys.stdin = io.StringIO(first)
    run_core(load(Path(sys.argv[1])), None, None, watch=partial(Watching, open_probe=Probe))


if __name__ == "__main__":
    main()

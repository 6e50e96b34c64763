"""A core like any other, whose models only take time: `python -P -m parlor_tui.bench.costs.core [--costs m3-pro]`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from parlor_tui.bench.costs.costs import COSTS, NAME
from parlor_tui.bench.costs.parts import PROFILE, SimulatedLoader
from parlor_tui.bench.costs.script import Script
from parlor_tui.link.server import run_core
from parlor_tui.settings import SettingsError, load


def main(argv: Sequence[str] | None = None) -> int:
    """Serve until stdin is closed, as `parlor-tui core` does. The exit code: 2 for options that cannot be used."""
    parser = argparse.ArgumentParser(prog="parlor_tui.bench.costs.core", allow_abbrev=False)
    parser.add_argument("--costs", choices=sorted(COSTS), default=NAME)
    parser.add_argument("--said", type=Path, metavar="FILE", help="the utterances that will be said (.npz)")
    parser.add_argument("--config", type=Path, metavar="FILE")
    given = parser.parse_args(argv)
    try:
        settings = load(given.config)
        script = Script.read(given.said) if given.said is not None else Script()
    except (SettingsError, OSError, ValueError) as error:
        sys.stderr.write(f"{parser.prog}: {error}\n")
        return 2
    return run_core(settings, 0, None, simulated=(PROFILE, SimulatedLoader(settings, COSTS[given.costs], script)))


if __name__ == "__main__":
    sys.exit(main())

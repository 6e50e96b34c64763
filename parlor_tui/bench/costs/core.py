"""A core like any other, whose models only take time: `python -P -m parlor_tui.bench.costs.core [--costs m3-pro]`."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from parlor_tui.bench.costs.costs import COSTS, NAME
from parlor_tui.bench.costs.parts import PROFILE, Script, SimulatedLoader
from parlor_tui.core.inference import InferenceCore
from parlor_tui.link import server
from parlor_tui.settings import Settings, SettingsError, load


def command(settings_file: Path | None, lengths_s: Sequence[float] = (), costs: str = NAME) -> list[str]:
    """The command line of such a core as a child. `lengths_s`: how long each utterance that will be said is."""
    script = ["--speech-ms", ",".join(str(round(length_s * 1000)) for length_s in lengths_s)] if lengths_s else []
    file = ["--config", str(settings_file)] if settings_file else []
    return [sys.executable, "-P", "-m", "parlor_tui.bench.costs.core", "--costs", costs, *script, *file]


def main(argv: Sequence[str] | None = None) -> int:
    """Serve until stdin is closed, as `parlor-tui core` does. The exit code: 2 for options that cannot be used."""
    parser = argparse.ArgumentParser(prog="parlor_tui.bench.costs.core", allow_abbrev=False)
    parser.add_argument("--costs", choices=sorted(COSTS), default=NAME)
    parser.add_argument("--speech-ms", type=_lengths_s, default=(), metavar="N,N", help="lengths of the utterances")
    parser.add_argument("--config", type=Path, metavar="FILE")
    given = parser.parse_args(argv)
    try:
        settings = load(given.config)
    except SettingsError as error:
        sys.stderr.write(f"{parser.prog}: {error}\n")
        return 2
    return _serve(settings, SimulatedLoader(settings, COSTS[given.costs], Script(given.speech_ms)))


def _serve(settings: Settings, loader: SimulatedLoader) -> int:
    answers = server._private_stdout()
    try:
        token = str(json.loads(sys.stdin.readline())["token"])
    except (ValueError, KeyError, TypeError):
        answers.write("no token on stdin\n")
        answers.flush()
        return 2

    def announce(bound_port: int) -> None:
        answers.write(json.dumps({"port": bound_port}) + "\n")
        answers.flush()

    core = InferenceCore(PROFILE, loader, settings.core.max_requests, server._end_wedged)
    serving = server.CoreServer(core, settings, token)
    asyncio.run(server._serve(core, None, serving, 0, announce, follow_stdin=True))
    sys.stderr.flush()
    os._exit(0)  # threads may wait for work that is simulated


def _lengths_s(text: str) -> tuple[float, ...]:
    try:
        return tuple(int(part) / 1000 for part in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r}: whole numbers of milliseconds, with commas between") from None


if __name__ == "__main__":
    sys.exit(main())

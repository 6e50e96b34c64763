"""`parlor-tui bench`: the whole assistant measured in real time."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from parlor_tui.bench.names import SCENARIOS
from parlor_tui.settings import Settings

DONE, USAGE, MISSING, FAILED, STOPPED = 0, 2, 3, 4, 130
MOST_TURNS = 1000
_READ_OFF = """\
The recordings of both sides: voice to voice, answers that are late, early or missing, gaps and
clicks, how soon a reply is quieter, silent, or as loud again, and how long replies sounded under echo.
The assistant's own events (marked * in the table): the stages, turns cut at a pause, replies that a
noise or an echo ended, whether the next reply was heard in full, short words, first words, and replies
begun at a pause.
"""


def _seed(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number from 0 up")
    return int(text)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `parlor-tui bench`."""
    parser.add_argument("--quick", action="store_true", help="a few turns of what matters most, in under a minute")
    parser.add_argument(
        "--only",
        type=_scenarios,
        default=(),
        metavar="S,...",
        help=f"only these scenarios, with commas between: {', '.join(SCENARIOS)}",
    )
    parser.add_argument("--turns", type=_turns, metavar="N", help="try each scenario N times")
    parser.add_argument(
        "--rig", action="store_true", help="the system's sound devices instead of the room (virtual ones of PulseAudio)"
    )
    parser.add_argument(
        "--costs",
        choices=("m3-pro",),
        default="",
        help="simulated models that take the times published for this machine",
    )
    parser.add_argument(
        "--hearing", choices=("native", "captions"), default="", help="who hears: the model itself, or captions"
    )
    parser.add_argument(
        "--camera", metavar="F", default=argparse.SUPPRESS, help="a picture or video to look at in every turn"
    )
    parser.add_argument("--json", action="store_true", help="one JSON document on standard output instead of a table")
    parser.add_argument("--html", type=Path, metavar="F", help="also write a page with pictures")
    parser.add_argument_group("what the figures are read off", _READ_OFF)
    parser.add_argument("--seed", type=_seed, default=1, metavar="N", help="of what is random: noise, coughs; 1")


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    """Measure and print; 0 if there are figures, 2 for what cannot be measured, 3 if something is missing, else 4.

    After Ctrl-C what was measured until then is printed, and the code is 130.
    """
    from parlor_tui.bench.report import as_json
    from parlor_tui.bench.running import Options, run, unfit
    from parlor_tui.bench.table import print_table
    from parlor_tui.bench.utterances import BenchError
    from parlor_tui.logfile import noise_into
    from parlor_tui.models.base import ModelError
    from parlor_tui.settings import log_file

    options = Options(
        quick=arguments.quick,
        only=arguments.only,
        turns=arguments.turns,
        rig=arguments.rig,
        costs=arguments.costs,
        hearing=arguments.hearing,
        seed=arguments.seed,
    )
    if names := unfit(options):
        return _fail(f"{', '.join(names)}: not to be judged with {'--costs' if options.costs else '--rig'}", USAGE)
    if arguments.html is not None and not arguments.html.expanduser().parent.is_dir():
        return _fail(f"{arguments.html}: cannot be written: there is no folder {arguments.html.parent}", MISSING)
    try:
        with noise_into(log_file()):
            report = run(options, settings, arguments.config, _tell)
    except BenchError as error:
        return _fail(str(error), MISSING if error.missing else FAILED)
    except ModelError as error:
        return _fail(str(error), MISSING if error.missing else FAILED)
    if arguments.json:
        sys.stdout.write(as_json(report) + "\n")
    else:
        print_table(report, sys.stdout)
    if arguments.html is not None:
        from parlor_tui.bench.html import render

        arguments.html.expanduser().write_text(render(report), encoding="utf-8")
    return STOPPED if report.stopped else DONE


def _tell(text: str) -> None:
    sys.stderr.write(f"parlor-tui: {text}\n")
    sys.stderr.flush()


def _fail(text: str, code: int) -> int:
    sys.stderr.write(f"parlor-tui bench: {text}\n")
    return code


def _scenarios(text: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in text.split(",") if name.strip())
    unknown = [name for name in names if name not in SCENARIOS]
    if unknown or not names:
        wrong = f"{unknown[0]!r} is no scenario" if unknown else "no scenario is named"
        raise argparse.ArgumentTypeError(f"{wrong}; there are {', '.join(SCENARIOS)}")
    return names


def _turns(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= MOST_TURNS):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of turns: 1 to {MOST_TURNS}")
    return int(text)

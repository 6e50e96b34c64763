"""`parlor-tui soak`: a whole talk that goes on for a while, with faults in it."""

from __future__ import annotations

import _thread
import argparse
import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path

from parlor_tui.bench.soak.names import FAULTS
from parlor_tui.settings import Settings

DONE, MISSING, FAILED, STOPPED = 0, 3, 4, 130
MOST_MINUTES = 1440
_COUNTS = """\
Everything said must come to an end: answered, interrupted by the user, joined with what follows, cut
short by a fault after a part of it was heard, or not heard because the microphone was away, muted or
asleep. Anything else is lost. Exit code 4: something was lost, a core ended without a fault, a fault
was not noticed within 8 s or not got over, or a process was left running. How soon it answers and how
much memory it takes is reported, and never a reason to fail.
"""
_ENDS_S = 30.0


def _seed(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number from 0 up")
    return int(text)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `parlor-tui soak`."""
    parser.add_argument(
        "--minutes", type=_minutes, required=True, metavar="N", help=f"talk for so long, up to {MOST_MINUTES}"
    )
    parser.add_argument("--seed", type=_seed, default=1, metavar="S", help="of what is said and what happens; 1")
    parser.add_argument(
        "--faults",
        type=_faults,
        default=(),
        metavar="F,...",
        help=f"only these faults, with commas between: {', '.join(FAULTS)}",
    )
    parser.add_argument(
        "--rig", action="store_true", help="the system's sound devices instead of the room (virtual ones of PulseAudio)"
    )
    parser.add_argument("--json", action="store_true", help="one JSON document on standard output instead of a table")
    parser.add_argument("--in-this-process", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument_group("what counts", _COUNTS)


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    """Talk and print; 0 if all is well, 3 if something is missing, else 4; 130 after Ctrl-C.

    It runs in a process of its own: one of the faults makes that sleep, which the shell must not take for Ctrl+Z.
    """
    if not arguments.in_this_process:
        return _in_child(arguments)
    from parlor_tui.link.parent import follow_parent

    follow_parent(_thread.interrupt_main)
    from parlor_tui.bench.soak.report import as_json
    from parlor_tui.bench.soak.running import Options, run
    from parlor_tui.bench.soak.table import print_report
    from parlor_tui.bench.utterances import BenchError
    from parlor_tui.logfile import noise_into
    from parlor_tui.models.base import ModelError
    from parlor_tui.settings import log_file

    options = Options(arguments.minutes, arguments.seed, arguments.faults, arguments.rig)
    try:
        with noise_into(log_file()):
            report = run(options, settings, arguments.config, _tell)
    except (BenchError, ModelError) as error:
        sys.stderr.write(f"parlor-tui soak: {error}\n")
        return MISSING if error.missing else FAILED
    if arguments.json:
        sys.stdout.write(as_json(report) + "\n")
    else:
        print_report(report, sys.stdout)
    if report.stopped:
        return STOPPED
    return FAILED if report.reasons else DONE


def _in_child(arguments: argparse.Namespace) -> int:
    command = [sys.executable, "-P", "-m", "parlor_tui", "soak", "--in-this-process"]
    command += [f"--minutes={arguments.minutes}", f"--seed={arguments.seed}"]
    if arguments.faults:
        command.append(f"--faults={','.join(arguments.faults)}")
    command += [f"--{name}" for name in ("rig", "json") if getattr(arguments, name)]
    for name in ("config", "profile", "model", "backend"):
        value: str | Path | None = getattr(arguments, name, None)
        if value is not None:
            command.append(f"--{name}={value}")
    with subprocess.Popen(command, stdin=subprocess.PIPE) as child:
        for name in ("SIGTERM", "SIGHUP"):
            if hasattr(signal, name) and os.name == "posix":
                signal.signal(getattr(signal, name), lambda *_: child.send_signal(signal.SIGINT))
        try:
            code = child.wait()
        except KeyboardInterrupt:  # the child got it as well, and tells what it found until then
            with contextlib.suppress(subprocess.TimeoutExpired, KeyboardInterrupt):
                return child.wait(_ENDS_S)
            child.kill()
            return STOPPED
    if code < 0:
        sys.stderr.write(f"parlor-tui soak: its process was ended by signal {-code}\n")
        return FAILED
    return code


def _tell(text: str) -> None:
    sys.stderr.write(f"parlor-tui: {text}\n")
    sys.stderr.flush()


def _minutes(text: str) -> float:
    try:
        minutes = float(text)
    except ValueError:
        minutes = 0.0
    if not 0 < minutes <= MOST_MINUTES:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of minutes: above 0, up to {MOST_MINUTES}")
    return minutes


def _faults(text: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    unknown = [name for name in names if name not in FAULTS]
    if unknown or not names:
        wrong = f"{unknown[0]!r} is no fault" if unknown else "no fault is named"
        raise argparse.ArgumentTypeError(f"{wrong}; there are {', '.join(FAULTS)}")
    return names

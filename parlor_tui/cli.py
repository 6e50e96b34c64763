"""The command line: options and commands in, an exit code out.

Each command is imported in its own branch: the screen's first paint waits for nothing that the screen does not use.
Exit codes: 0 done, 2 usage or settings, 3 something is missing, 4 failed, 130 stopped by Ctrl-C.
"""

from __future__ import annotations

import argparse
import errno
import importlib
import io
import os
import select
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from parlor_tui import __version__
from parlor_tui.commands.options import PROGRAM, UsageError, parse

if TYPE_CHECKING:
    from parlor_tui.events import Event
    from parlor_tui.settings import Settings

DONE, USAGE, MISSING, FAILED, STOPPED = 0, 2, 3, 4, 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run `argv` (the process's own by default) and return the exit code. No exception leaves it."""
    _prepare_output()
    try:
        code = _run(list(sys.argv[1:] if argv is None else argv))
        sys.stdout.flush()
    except KeyboardInterrupt:
        return STOPPED
    except BrokenPipeError as error:  # of `| head`, or of something inside
        return DONE if _output_is_lost() else _explain(error)
    except Exception as error:  # noqa: BLE001 - the process's edge: whatever went wrong becomes one line
        return _explain(error)
    return code


def _run(argv: list[str]) -> int:
    try:
        arguments = parse(argv)
    except SystemExit as end:  # --help and --version
        return int(end.code or DONE)
    return _talk(arguments) if arguments.command is None else _command(arguments)


def _command(arguments: argparse.Namespace) -> int:
    settings = _settings(arguments)
    match arguments.command:
        case "ask":
            from parlor_tui.commands import ask
            from parlor_tui.logfile import noise_into
            from parlor_tui.settings import log_file

            question = {"wav": arguments.wav, "text": arguments.text, "image": arguments.image}
            with noise_into(log_file()):
                return ask.run(settings, arguments.config, **question, out=arguments.out, as_json=arguments.json)
        case "core":
            from parlor_tui.link.server import run_core

            return run_core(settings, arguments.port, arguments.token_file)
        case name:
            module = importlib.import_module(f"parlor_tui.commands.{name}")
            return int(module.run(arguments, settings))


def _talk(arguments: argparse.Namespace) -> int:
    """The screen, or with --headless or --plain the same without one."""
    settings = _settings(arguments)
    config: Path | None = arguments.config
    demo = None
    if arguments.demo:
        from parlor_tui.assistant.demo.demo import Demo, demo_settings

        demo, settings = Demo(), demo_settings(settings)
    if settings.devices.microphone == settings.devices.speaker and Path(settings.devices.microphone).exists():
        raise UsageError(f"{settings.devices.speaker} is to be played and recorded over: give --speaker another file")
    if arguments.headless or arguments.plain:
        from parlor_tui.commands import headless, plain
        from parlor_tui.logfile import noise_into
        from parlor_tui.settings import log_file

        with noise_into(log_file()):
            run = plain.run if arguments.plain else headless.run
            return run(settings, config, demo)
    from parlor_tui.ui.terminal import is_served

    terminal = all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr))
    if not terminal and not is_served(os.environ):
        raise UsageError("the screen needs a terminal; `parlor-tui --plain` and `parlor-tui ask` work without one")
    from parlor_tui.assistant import Assistant
    from parlor_tui.ui.app import run_screen

    def assistant(listener: Callable[[Event], None]) -> Assistant:
        return Assistant(settings, config, listener, demo=demo)

    return run_screen(assistant, settings, config, first_run=_checks(arguments, config))


def _checks(arguments: argparse.Namespace, config: Path | None) -> Sequence[str]:
    """The command that checks the machine for a first start; empty if this is none."""
    from parlor_tui.ui.first_run import is_first

    if arguments.demo or not (arguments.first_run or is_first(config)):
        return ()
    command = [sys.executable, "-P", "-m", "parlor_tui", "doctor", "--json"]
    given = {
        name: getattr(arguments, name, None) for name in ("config", "profile", "model", "mic", "speaker", "camera")
    }
    return [*command, *(f"--{name}={value}" for name, value in given.items() if value is not None)]


def _settings(arguments: argparse.Namespace) -> Settings:
    """The settings file, with what the command line says in place of the file's own."""
    from parlor_tui.settings import Settings, SettingsError, load

    try:
        settings = load(arguments.config)
    except SettingsError:
        if arguments.command != "doctor":  # which says itself what is wrong with the file
            raise
        settings = Settings()
    options = {
        "profile": "core.profile",
        "model": "core.model",
        "backend": "core.backend",
        "mic": "devices.microphone",
        "speaker": "devices.speaker",
        "camera": "devices.camera",
    }
    for option, key in options.items():
        value = getattr(arguments, option, None)
        if value is not None:
            settings = settings.with_values({key: value}, f"--{option}")
    return settings


def _prepare_output() -> None:
    """Make printing safe where an encoding lacks a character, and where a stream is closed."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 - open as long as the process
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def _output_is_lost() -> bool:
    """Whether what was printed cannot be delivered; if so, nothing more is written, not even at exit."""
    try:
        sys.stdout.flush()
        lost = _reader_is_gone()
    except OSError:
        lost = True
    if lost:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
    return lost


def _reader_is_gone() -> bool:
    """Whether the output is a pipe that nobody reads any more, as far as the system can tell."""
    if not hasattr(select, "poll"):
        return False
    try:
        output = sys.stdout.fileno()
    except io.UnsupportedOperation:
        return False
    poll = select.poll()
    poll.register(output, 0)
    return any(event & select.POLLERR for _, event in poll.poll(0))


def _explain(error: Exception) -> int:
    """Say in one line what went wrong; the exit code that belongs to it."""
    from parlor_tui.models.base import ModelError, ModelMissing, ModelUnavailable
    from parlor_tui.settings import SettingsError

    if isinstance(error, UsageError | SettingsError):
        _complain(str(error))
        return USAGE
    if isinstance(error, OSError | ModelError) or hasattr(error, "missing"):
        lost = isinstance(error, OSError) and (_is_of_output(error) or _output_is_lost())
        _complain(f"the output cannot be written: {_words(error)}" if lost else _words(error))
        absent = isinstance(error, ModelMissing | ModelUnavailable) or getattr(error, "missing", False)
        return MISSING if absent else FAILED
    _complain(f"unexpected error: {type(error).__name__}: {error}; {_keep_details(error)}")
    return FAILED


def _is_of_output(error: OSError) -> bool:
    """Whether printing failed: of files it is said which; and what did not fit is no longer there to be flushed."""
    return error.filename is None and error.errno == errno.ENOSPC


def _words(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename is not None else error.strerror
    return str(error) or type(error).__name__


def _complain(text: str) -> None:
    line = "".join(sign if sign.isprintable() else "?" for sign in " ".join(text.split()))
    sys.stderr.write(f"{PROGRAM}: {line}\n")


def _keep_details(error: Exception) -> str:
    """Append the traceback to the log; says where, or why not."""
    import traceback
    from datetime import datetime

    from parlor_tui.settings import log_file

    try:
        log = log_file()
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(f"{datetime.now().astimezone().isoformat(timespec='seconds')} {PROGRAM} {__version__}\n")
            file.writelines(traceback.format_exception(error))
    except (OSError, ImportError) as trouble:
        return f"details could not be kept: {trouble}"
    return f"details in {log}"

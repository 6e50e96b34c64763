"""Runs the screen from its first paint to a clean terminal. Imports textual only once the terminal is its own."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path

from parlor_tui import __version__
from parlor_tui.settings import Settings, log_file
from parlor_tui.ui.bridge import Bridge
from parlor_tui.ui.control import AssistantControl, Listener
from parlor_tui.ui.leaving import STOP_WITHIN_S, WayOut, watch_parent
from parlor_tui.ui.remembering import Remembering
from parlor_tui.ui.terminal import NoTerminalError, Terminal, is_served, own_terminal

EXIT_DONE, EXIT_MISSING, EXIT_FAILED = 0, 3, 4
FRAMES_PER_S = 30
"""Redraws at most; text and meters gain nothing from more, and a laptop's battery does."""


def run_screen(
    make_assistant: Callable[[Listener], AssistantControl],
    settings: Settings,
    config: Path | None = None,
    first_run: Sequence[str] = (),
) -> int:
    """Show the screen until the user leaves; returns the exit code: 0 left, 3 no terminal, 4 failed.

    `config` is the settings file into which what is chosen on the screen is written, None the usual one.
    `first_run` is the command that checks the machine, if the steps of a first start are to be shown.

    The process is expected to end soon after: threads that do not return are cut off then.
    Raises whatever `make_assistant` raises, with the terminal as it was.
    """
    try:
        with own_terminal(log_file()) as terminal:
            way_out = WayOut(terminal.restore)
            fault, log_path = _show(make_assistant, settings, config, terminal, way_out, first_run), terminal.log_path
    except NoTerminalError as error:
        print(f"parlor-tui: {error}", file=sys.stderr)  # noqa: T201 - there is no screen to say it on
        return EXIT_MISSING
    code = EXIT_DONE
    if fault is not None:
        code = EXIT_FAILED
        what = f"{type(fault).__name__}: {fault}".splitlines()[0][:200]
        print(f"parlor-tui: the screen failed ({what}); details are in {log_path}", file=sys.stderr)  # noqa: T201
    way_out.finished(code)
    return code


def _show(
    make_assistant: Callable[[Listener], AssistantControl],
    settings: Settings,
    config: Path | None,
    terminal: Terminal,
    way_out: WayOut,
    first_run: Sequence[str],
) -> BaseException | None:
    """Run the app, then stop the assistant. Returns what went wrong with the app, after writing it to the log."""
    terminal.write_log(f"--- parlor-tui {__version__}, {datetime.now().astimezone():%Y-%m-%d %H:%M:%S %z}\n")
    bridge = Bridge()
    assistant = make_assistant(bridge.put)
    if is_served(os.environ):
        os.environ["TEXTUAL_FPS"] = str(FRAMES_PER_S)  # who serves it asks for twice as many
        watch_parent()
    os.environ.setdefault("TEXTUAL_FPS", str(FRAMES_PER_S))  # read when textual is imported
    from parlor_tui.ui.cockpit import ParlorApp

    fault: BaseException | None = None
    try:
        remember = Remembering(config, bridge.put)
        app = ParlorApp(
            assistant, settings, bridge, host=terminal, on_leave=way_out.arm, remember=remember, config=config
        )
        if first_run:
            app.first_run = first_run
        app.run()
        fault = app.fault
    except KeyboardInterrupt:
        terminal.restore()
    except Exception as error:  # noqa: BLE001 - the last edge: the user gets one line, the log the rest
        terminal.restore()
        fault = error
    way_out.arm()
    if fault is not None:
        terminal.write_log("".join(traceback.format_exception(fault)))
    bridge.close()
    assistant.stop(timeout_s=STOP_WITHIN_S)
    return fault

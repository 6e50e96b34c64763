"""`parlor-tui web`: the screen in a browser on this machine, for one window at a time.

The page is served on loopback alone, at an address with a random token that is printed. Sound stays where it was: the
microphone and the speaker are this machine's own, not the browser's.
"""

from __future__ import annotations

import argparse
import shlex
import subprocess
import sys
from collections.abc import Sequence

from parlor_tui.settings import Settings

PASSED_ON = ("config", "profile", "model", "backend", "mic", "speaker", "camera")
"""Options that the screen in the browser is started with."""


class WebMissingError(Exception):
    """What serves the page is not installed. The message is one line."""

    missing = True


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    """Serve until Ctrl-C; the exit code.

    Raises WebMissingError, and OSError for a port that cannot be had.
    """
    del settings  # they are sound, or we would not be here; the screen reads them itself
    try:
        import textual_serve  # noqa: F401
    except ImportError:
        raise WebMissingError("the browser needs an extra: `pip install 'parlor-tui[web]'`, then try again") from None
    from parlor_tui.commands.web_server import serve

    return serve(shell_words(screen_command(arguments)), arguments.port, opened=arguments.open)


def screen_command(arguments: argparse.Namespace) -> list[str]:
    """The command that starts the screen with the options that were given for it."""
    command = [sys.executable, "-m", "parlor_tui"]
    for option in PASSED_ON:
        value = getattr(arguments, option, None)
        if value is not None:
            command.append(f"--{option}={value}")
    return command


def shell_words(command: Sequence[str]) -> str:
    """`command` for the system's shell, which is to be replaced by it, so that nothing stands between it and us."""
    if sys.platform == "win32":
        return subprocess.list2cmdline(command)
    return f"exec {shlex.join(command)}"

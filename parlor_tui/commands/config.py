"""`parlor-tui config`: every setting, as a settings file."""

from __future__ import annotations

import argparse
import sys

from parlor_tui.settings import Settings, config_file, describe


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    parser.add_argument("--path", action="store_true", help="only where the settings file is, or would be")


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    """Print `settings`, or the path of the file."""
    file = arguments.config or config_file()
    if arguments.path:
        sys.stdout.write(f"{file}\n")
        return 0
    there = "read from" if file.exists() else "all at their defaults; could be kept in"
    sys.stdout.write(f"# parlor-tui settings, {there} {' '.join(str(file).split())}\n\n{describe(settings)}\n")
    return 0

"""`parlor-tui doctor`: what works on this machine, and what to do about what does not."""

from __future__ import annotations

import argparse
import json
import sys
import textwrap
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict

from parlor_tui.commands.checks import base, files, machine, packages, parts
from parlor_tui.commands.checks.base import Check
from parlor_tui.settings import Settings

DONE, MISSING = 0, 3
WIDTH = 100


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    parser.add_argument("--json", action="store_true", help='print {"ok": true or false, "checks": [...]}')


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    """Look at everything and print it; 0 if nothing needed is missing, else 3."""
    checkers: tuple[tuple[str, base.Checker], ...] = (
        ("Machine", machine.check_machine),
        ("Terminal", machine.check_terminal),
        ("Packages", packages.check_packages),
        ("Sound", parts.check_sound),
        ("Camera", parts.check_camera),
        ("Models", parts.check_models),
        ("Files", lambda _settings: files.check_files(arguments.config)),
    )
    checks: list[Check] = []
    for group, checker in checkers:
        checks += examine(group, lambda checker=checker: checker(settings))  # type: ignore[misc]
    missing = [check for check in checks if check.status == "missing"]
    if arguments.json:
        report = {"ok": not missing, "checks": [asdict(check) for check in checks]}
        sys.stdout.write(json.dumps(report, indent=2) + "\n")
    else:
        sys.stdout.write(table(checks))
    return MISSING if missing else DONE


def examine(group: str, checker: Callable[[], Iterable[Check]]) -> list[Check]:
    """The findings of `checker`; what makes it fail is a finding as well."""
    found: list[Check] = []
    try:
        for check in checker():
            found.append(check)  # noqa: PERF402 - what was found before a failure counts
    except Exception as error:  # noqa: BLE001 - whatever is broken here is what the doctor is to report
        words = f"cannot be looked at: {type(error).__name__}: {' '.join(str(error).split())}"
        found.append(Check(group, group.lower(), "missing", words, "see what is missing above"))
    return found


def table(checks: Sequence[Check]) -> str:
    """The findings for a person, with a line of summary at the end."""
    name_width = max(len(check.name) for check in checks)
    indent = " " * (2 + 8 + name_width + 2)
    lines: list[str] = []
    group = ""
    for check in checks:
        if check.group != group:
            group = check.group
            lines += ["", group] if lines else [group]
        head = f"  {check.status:<8}{check.name:<{name_width}}  "
        lines += textwrap.wrap(check.found, WIDTH, initial_indent=head, subsequent_indent=indent) or [head.rstrip()]
        if check.advice:
            lines += textwrap.wrap(check.advice, WIDTH, initial_indent=f"{indent}-> ", subsequent_indent=f"{indent}   ")
    return "\n".join([*lines, "", summary(checks)]) + "\n"


def summary(checks: Sequence[Check]) -> str:
    """One line: what is missing, or that nothing is."""
    missing = [check.name for check in checks if check.status == "missing"]
    warnings = sum(check.status == "warning" for check in checks)
    more = f" {warnings} {'warning' if warnings == 1 else 'warnings'}." if warnings else ""
    if missing:
        return f"Missing: {', '.join(missing)}.{more}"
    return f"Nothing that is needed is missing.{more}"

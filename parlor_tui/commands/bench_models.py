"""`parlor-tui models bench`: how fast a model answers on this machine."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from parlor_tui.settings import Settings

DONE, USAGE, MISSING, FAILED = 0, 2, 3, 4
BACKENDS = ("auto", "cpu", "gpu", "npu", "all")


def add_arguments(actions: Any) -> argparse.ArgumentParser:
    """Declare the words of `parlor-tui models bench`; its parser. `actions` is what `add_subparsers` returned."""
    parser: argparse.ArgumentParser = actions.add_parser("bench", help="measure how fast a model answers here")
    parser.add_argument(
        "bench_model",  # the whole program has a --model and a --backend of its own
        nargs="?",
        default="",
        metavar="MODEL",
        help="a model's name, or a .litertlm or .gguf file; without one, core.model or the best one that is here",
    )
    parser.add_argument(
        "--backend",
        dest="bench_backend",
        choices=BACKENDS,
        default="auto",
        help="what it runs on; auto, the default: what a talk would use; all: the processor, then the GPU",
    )
    parser.add_argument("--json", action="store_true", help="one JSON document on standard output")
    return parser


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    """Measure and print; 0 if there are figures, 2 for what cannot be measured, 3 if the model is missing, else 4."""
    from parlor_tui.core.model_bench import Row, find_subject, measure
    from parlor_tui.engines.base import EngineError
    from parlor_tui.models.base import ModelError
    from parlor_tui.models.catalogue import UnknownModel
    from parlor_tui.models.store import store_of

    store = store_of(settings)
    rows: list[Row] = []
    try:
        subject = find_subject(arguments.bench_model or settings.core.model, store)
        sys.stderr.write(f"measuring {subject.name}; this takes seconds to minutes\n")
        for row in measure(subject, arguments.bench_backend, settings.core, settings.seeing.image_tokens):
            rows.append(row)
            for line in row.notices:
                sys.stderr.write(f"{line}\n")
    except (EngineError, UnknownModel) as error:
        return _fail(error, USAGE)
    except ModelError as error:
        return _fail(error, MISSING if error.missing else FAILED)
    if arguments.json:
        told = {"model": subject.name, "path": str(subject.path), "rows": [asdict(row) for row in rows]}
        sys.stdout.write(json.dumps(told, indent=2) + "\n")
    else:
        _print_table(subject.name, rows)
    return DONE if any(row.figures for row in rows) else FAILED


def _print_table(name: str, rows: Sequence[Any]) -> None:
    """One column for each set of backends, one line for each figure that any of them has."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    lines: dict[str, list[str]] = {}
    for number, row in enumerate(rows):
        for label, value in _lines(row):
            lines.setdefault(label, [""] * len(rows))[number] = value
    table = Table(title=escape(name), title_justify="left")
    table.add_column("")
    for row in rows:
        table.add_column(escape(row.backends.replace(", ", "\n")), justify="right", overflow="fold")
    for label, values in lines.items():
        table.add_row(label, *map(escape, values))
    Console(file=sys.stdout).print(table)


def _lines(row: Any) -> list[tuple[str, str]]:
    figures = row.figures
    if figures is None:
        return [("not measured", row.fault)]
    shown = [
        ("load, ms", f"{figures.load_ms:,.0f}"),
        ("prefill, tokens/s", f"{figures.prefill_per_s:,.0f}"),
        ("decode, tokens/s", f"{figures.decode_per_s:,.0f}"),
        ("first token, ms", f"{figures.first_token_ms:,.0f}"),
    ]
    if figures.image_encode_ms is not None:
        shown.append(("encode a picture, ms", f"{figures.image_encode_ms:,.0f}"))
    shown += [(f"encode {length} s of sound, ms", f"{ms:,.0f}") for length, ms in figures.audio_encode_ms.items()]
    return [*shown, ("memory at its peak, MB", f"{figures.peak_mb:,.0f}")]


def _fail(error: Exception, code: int) -> int:
    sys.stderr.write(f"parlor-tui models bench: {error}\n")
    return code

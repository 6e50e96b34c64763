"""What `--headless` prints of the offer of a model."""

from __future__ import annotations

import json

from parlor_tui.commands.headless import as_line
from parlor_tui.events import Event, ModelComing, ModelOffered, ModelOver


def printed(event: Event) -> dict[str, object]:
    line = as_line(event, 1.0)
    assert line is not None
    read: dict[str, object] = json.loads(json.dumps(line))
    return read


def test_an_offer_is_printed_whole() -> None:
    offer = ModelOffered(
        at_s=1.5,
        name="gemma-4-e2b",
        model="Gemma 4 E2B",
        lines=("2.6 GB",),
        left_bytes=26,
        came_bytes=4,
        free_bytes=99,
        licences=("Apache-2.0",),
        fits=True,
        declined=True,
    )
    assert printed(offer) == {
        "t_ms": 500.0,
        "event": "model_offered",
        "name": "gemma-4-e2b",
        "model": "Gemma 4 E2B",
        "lines": ["2.6 GB"],
        "left_bytes": 26,
        "came_bytes": 4,
        "free_bytes": 99,
        "licences": ["Apache-2.0"],
        "fits": True,
        "declined": True,
    }


def test_its_download_and_its_end_are_printed_whole() -> None:
    coming = ModelComing(at_s=2.0, name="gemma-4-e2b", text="half", done_bytes=13, total_bytes=26, bytes_per_s=2.0)
    assert printed(coming) == {
        "t_ms": 1000.0,
        "event": "model_coming",
        "name": "gemma-4-e2b",
        "text": "half",
        "done_bytes": 13,
        "total_bytes": 26,
        "bytes_per_s": 2.0,
        "left_s": None,
    }
    over = ModelOver(at_s=2.0, name="gemma-4-e2b", outcome="failed", text="no network")
    assert printed(over) == {
        "t_ms": 1000.0,
        "event": "model_over",
        "name": "gemma-4-e2b",
        "outcome": "failed",
        "text": "no network",
    }

"""How a core whose models only take time is started."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Sequence
from pathlib import Path

from parlor_tui.bench.costs.costs import NAME
from parlor_tui.bench.costs.script import Script, Sound


def command(config: Path | None, said: Sequence[Sound], folder: Path, costs: str = NAME) -> list[str]:
    """Its command line, as a child. `said`: the utterances (mono, 16 kHz) that will be said, kept for it in `folder`.

    Raises OSError where they cannot be kept.
    """
    chosen = ["--config", str(config)] if config else []
    if said:
        digest = hashlib.sha256(b"".join(samples.tobytes() for samples in said)).hexdigest()[:20]
        file = folder / f"said-{digest}.npz"
        if not file.is_file():
            folder.mkdir(parents=True, exist_ok=True)
            Script.write(file, said)
        chosen += ["--said", str(file)]
    return [sys.executable, "-P", "-m", "parlor_tui.bench.costs.core", "--costs", costs, *chosen]

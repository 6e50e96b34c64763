"""Gets the sample model from a hub: `python -m tests.models.getter FOLDER`. Prints `got` or the error."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

from parlor_tui.models import catalogue
from parlor_tui.models.base import ModelError
from parlor_tui.models.store import Store
from tests.models import samples

if __name__ == "__main__":
    catalogue.MODELS = {"sample": samples.model(samples.hub_source())}
    store = Store(Path(sys.argv[1]), use_hub=True, source_timeout_s=20)
    try:
        store.get("sample", lambda _: None, threading.Event())
        sys.stdout.write("got\n")
    except ModelError as error:
        sys.stdout.write(f"{type(error).__name__}: {error}\n")

"""Commands of the program as people run them, in processes of their own."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.conftest import Home

READY_S = 90.0
TURN_S = 60.0


def parlor(*arguments: str | Path, env: Mapping[str, str], timeout_s: float = 150) -> subprocess.CompletedProcess[str]:
    """Run `parlor-tui ARGUMENTS` to its end."""
    command = [sys.executable, "-m", "parlor_tui", *map(str, arguments)]
    return subprocess.run(
        command, env=dict(env), stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=timeout_s
    )


class Live:
    """`parlor-tui --headless` while it runs: its events as they come."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.events: list[dict[str, Any]] = []
        self._changed = threading.Condition()
        self._reader = threading.Thread(target=self._read, name="headless", daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            with self._changed:
                self.events.append(json.loads(line))
                self._changed.notify_all()

    def count(self, name: str, **fields: Any) -> int:
        """How many events of this name, with these fields, came so far."""
        return len(self.of(name, **fields))

    def of(self, name: str, **fields: Any) -> list[dict[str, Any]]:
        """The events of this name, with these fields."""
        with self._changed:
            events = list(self.events)
        return [e for e in events if e["event"] == name and all(e.get(key) == value for key, value in fields.items())]

    def wait(self, name: str, count: int = 1, timeout_s: float = TURN_S, **fields: Any) -> dict[str, Any]:
        """The `count`-th event of this name with these fields, waited for."""

        def there() -> bool:
            return len([e for e in self.events if e["event"] == name and fields.items() <= e.items()]) >= count

        with self._changed:
            came = self._changed.wait_for(there, timeout_s)
        assert came, f"no {name} {fields} number {count} in {timeout_s:.0f} s; there were {self.events[-12:]}"
        return self.of(name, **fields)[count - 1]

    def end(self, timeout_s: float = 10) -> int:
        """The exit code, once it ended by itself."""
        code = self.process.wait(timeout_s)
        self._reader.join(5)
        return code


@contextmanager
def headless(*arguments: str | Path, home: Home, env: Mapping[str, str] | None = None) -> Iterator[Live]:
    """`parlor-tui --headless ARGUMENTS`, ended by SIGTERM if it is still there at the end."""
    command = [sys.executable, "-m", "parlor_tui", "--headless", *map(str, arguments)]
    environment = {**home.env, **(env or {})}
    with subprocess.Popen(
        command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            yield Live(process)
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()

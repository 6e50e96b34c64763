"""A real core with the real models in a process of its own, as people share one."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from openai import AsyncOpenAI

from tests.conftest import Home


@dataclass(frozen=True, slots=True)
class CoreProcess:
    """A core that serves on loopback."""

    process: subprocess.Popen[str]
    port: int
    token: str
    log: Path

    @property
    def url(self) -> str:
        return f"ws://127.0.0.1:{self.port}/v1/realtime"

    def client(self, token: str | None = None) -> AsyncOpenAI:
        """The official client, pointed at this core."""
        return AsyncOpenAI(api_key=token or self.token, websocket_base_url=f"ws://127.0.0.1:{self.port}/v1")

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(10)


def start_core(home: Home, folder: Path) -> CoreProcess:
    """Start a core and wait until it serves; its models still load."""
    token_file, log = folder / "token", folder / "core.log"
    command = [sys.executable, "-m", "parlor_tui", "core", "--port", "0", "--token-file", str(token_file)]
    process = subprocess.Popen(
        [*command, "--config", str(home.config)], env=home.env, stdout=subprocess.PIPE, stderr=log.open("w"), text=True
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    found = re.search(r"ws://127\.0\.0\.1:(\d+)/", line)
    assert found, f"the core said {line!r}; {log.read_text()}"
    return CoreProcess(process, int(found[1]), token_file.read_text().strip(), log)

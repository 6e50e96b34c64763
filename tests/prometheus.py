"""The real Prometheus, as Debian packages it: its server, and `promtool`, which checks rules and configurations."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from importlib.resources import files
from pathlib import Path
from typing import Any

ASSETS = Path(str(files("parlor_tui.observe") / "assets"))
INSTALL = "install Prometheus (Debian: apt-get install prometheus; macOS: brew install prometheus)"


def program(name: str) -> str:
    """Where `prometheus` or `promtool` is."""
    path = shutil.which(name)
    assert path is not None, f"{name} is not here: {INSTALL}"
    return path


def promtool(*arguments: str | Path) -> str:
    """What `promtool ARGUMENTS` prints; it has to find nothing wrong."""
    command = [program("promtool"), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def queries() -> dict[str, list[str]]:
    """The queries of the shipped dashboard by panel, with its variables as they are at first."""
    dashboard = json.loads((ASSETS / "grafana.json").read_text(encoding="utf-8"))
    found: dict[str, list[str]] = {}
    for panel in dashboard["panels"]:
        for target in panel.get("targets", []):
            found.setdefault(f"{panel['id']} {panel['title']}", []).append(_filled_in(target["expr"], dashboard))
    return found


def metrics_in(query: str) -> set[str]:
    """The names of our metrics in a query."""
    return set(re.findall(r"\bparlor_[a-z_]+\b", query))


def _filled_in(query: str, dashboard: dict[str, Any]) -> str:
    for variable in dashboard["templating"]["list"]:
        value = variable.get("allValue") or variable["current"].get("value", "")
        query = query.replace(f"${variable['name']}", value)
    assert "$" not in query
    return query

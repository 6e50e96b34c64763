"""How much memory this machine and its GPU have, and how much of it is taken."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from parlor_tui import usage
from parlor_tui.engines.memory_budget import Device

_NVIDIA = ("nvidia-smi", "--query-gpu=memory.total,memory.used", "--format=csv,noheader,nounits")
_ANSWER_S = 10.0
OWN_MEMORY_BYTES = 2_000_000_000
"""A GPU with less of its own than this is part of the processor and works in the machine's memory."""


def main_memory() -> Device:
    """The machine's own memory. What the system can take back at once does not count as taken."""
    return Device("memory", *usage.memory_bytes())


def gpu_memory(
    system: str = sys.platform,
    ask: Callable[[Sequence[str]], str] | None = None,
    drm_folder: Path = Path("/sys/class/drm"),
) -> Device | None:
    """The memory of the largest GPU that has its own; None where the GPU shares the machine's, or none is known of.

    `system` is as `sys.platform` has it. Apple's GPUs share the machine's memory.
    """
    if system == "darwin":
        return None
    found = _nvidia((ask or _run)(_NVIDIA))
    if system == "linux":
        found += _amd(drm_folder)
    own = [(total, taken) for total, taken in found if total >= OWN_MEMORY_BYTES]
    return Device("GPU memory", *max(own)) if own else None


def peak_mb() -> float:
    """The most memory that this process had resident so far, in MB (10^6 bytes); 0 where the system does not tell."""
    if sys.platform == "win32":
        return usage.peak_bytes() / 1e6
    with contextlib.suppress(OSError):  # not of getrusage, which on Linux counts what the parent had before the exec
        for line in Path("/proc/self/status").read_text(encoding="ascii", errors="replace").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024 / 1e6
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 1e6


def _run(command: Sequence[str]) -> str:
    """What `command` prints; empty if it is not there, fails or does not end."""
    flags = 0
    if sys.platform == "win32":
        flags = subprocess.CREATE_NO_WINDOW
    try:
        done = subprocess.run(
            command,
            check=True,
            capture_output=True,
            text=True,
            errors="replace",
            stdin=subprocess.DEVNULL,
            timeout=_ANSWER_S,
            creationflags=flags,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout


def _nvidia(printed: str) -> list[tuple[int, int]]:
    """Total and taken bytes of each GPU; a line that is not two numbers (of MiB) says nothing."""
    found: list[tuple[int, int]] = []
    for line in printed.splitlines():
        with contextlib.suppress(ValueError):
            total, taken = (int(word) * 2**20 for word in line.split(","))
            found.append((total, taken))
    return found


def _amd(drm_folder: Path) -> list[tuple[int, int]]:
    """Total and taken bytes of each GPU, as the driver tells them."""
    found: list[tuple[int, int]] = []
    for file in sorted(drm_folder.glob("card*/device/mem_info_vram_total")):
        with contextlib.suppress(OSError, ValueError):
            total = int(file.read_text(encoding="ascii"))
            found.append((total, int(file.with_name("mem_info_vram_used").read_text(encoding="ascii"))))
    return found

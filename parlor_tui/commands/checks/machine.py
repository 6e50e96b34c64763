"""Checks of the machine: Python, system, processor, memory, GPU, terminal."""

from __future__ import annotations

import contextlib
import ctypes
import os
import platform
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from parlor_tui.commands.checks.base import Check, by_system
from parlor_tui.events import Reading, now_s
from parlor_tui.probes.base import Probe
from parlor_tui.probes.choose import has_figures, open_probes
from parlor_tui.settings import Settings

GROUP = "Machine"
WHEELS = {("linux", "x86_64"), ("linux", "aarch64"), ("darwin", "arm64"), ("win32", "amd64")}
MEMORY_GIB = 2.0
"""The `lite` models take 1 GiB; the rest is for the terminal, the system and a browser tab or two."""
COLUMNS, LINES = 80, 24
_FIRST_FIGURES_S = 3.0
"""Apple's chips are measured for a second before they tell anything."""


def check_machine(_settings: Settings) -> Iterator[Check]:
    """Python, system, processor, memory and GPU."""
    yield _python()
    yield system(sys.platform, platform.machine(), platform.libc_ver()[0])
    yield _processor(platform.machine(), _has_avx2())
    yield _memory(_memory_bytes())
    with contextlib.closing(open_probes()) as probes:
        yield gpu(_first_figures(probes))


def check_terminal(_settings: Settings) -> Iterator[Check]:
    """The size, colours and encoding of the terminal."""
    stream = sys.stdout
    yield terminal_size(stream.isatty(), shutil.get_terminal_size((0, 0)))
    yield _colours(dict(os.environ), stream.isatty())
    yield _encoding(stream.encoding or "")


def _python() -> Check:
    found = f"{platform.python_implementation()} {platform.python_version()} in {sys.prefix}"
    return Check(GROUP, "Python", "ok", found)  # an older one than parlor-tui needs does not get as far as this


def system(system: str, machine: str, libc: str) -> Check:
    """A finding about a machine as `sys.platform`, `platform.machine` and `platform.libc_ver` call it."""
    found = f"{platform.system()} {platform.release()} on {machine}"
    if (system, machine.lower()) not in WHEELS:
        advice = (
            "no wheels of every engine for it; Linux x86_64 or aarch64, macOS on Apple silicon, Windows x64 have them"
        )
        return Check(GROUP, "system", "missing", found, advice)
    if system == "linux" and libc != "glibc":
        return Check(GROUP, "system", "missing", f"{found}, no glibc", "the engines' wheels need a system with glibc")
    if system == "darwin" and int((platform.mac_ver()[0] or "0").partition(".")[0]) < 13:
        return Check(GROUP, "system", "missing", f"{found}, macOS {platform.mac_ver()[0]}", "macOS 13 or later")
    return Check(GROUP, "system", "ok", found)


def _processor(machine: str, avx2: bool | None) -> Check:
    cores = os.cpu_count() or 1
    found = f"{cores} {'core' if cores == 1 else 'cores'}"
    if machine.lower() in {"x86_64", "amd64"}:
        if avx2 is False:
            return Check(GROUP, "processor", "missing", f"{found}, no AVX2", "the engines' wheels need AVX2")
        found += ", AVX2" if avx2 else ", AVX2 not known"
    if cores < 2:
        return Check(GROUP, "processor", "warning", found, "replies come late with fewer than two cores")
    return Check(GROUP, "processor", "ok", found)


def _has_avx2() -> bool | None:
    """Whether an x86 processor has AVX2; None where that cannot be told."""
    if sys.platform == "win32":
        return bool(ctypes.windll.kernel32.IsProcessorFeaturePresent(40))  # PF_AVX2_INSTRUCTIONS_AVAILABLE
    try:
        flags = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    lines = [line for line in flags.splitlines() if line.startswith("flags")]
    return " avx2" in lines[0] if lines else None


def _memory(total_bytes: int | None) -> Check:
    if total_bytes is None:
        return Check(GROUP, "memory", "ok", "size not known")
    found = f"{total_bytes / 2**30:.1f} GiB"
    if total_bytes < MEMORY_GIB * 2**30:
        return Check(
            GROUP, "memory", "warning", found, f"the models may not fit; {MEMORY_GIB:g} GiB do for the lite profile"
        )
    return Check(GROUP, "memory", "ok", found)


def _memory_bytes() -> int | None:
    if sys.platform == "win32":
        return _windows_memory_bytes()
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError):
        return None


def _windows_memory_bytes() -> int | None:
    class Status(ctypes.Structure):
        """MEMORYSTATUSEX of the Windows API."""

        _fields_ = (
            ("length", ctypes.c_uint32),
            ("load", ctypes.c_uint32),
            *(
                (name, ctypes.c_uint64)
                for name in ("total", "free", "pages", "free_pages", "virtual", "free_virtual", "x")
            ),
        )

    status = Status(length=ctypes.sizeof(Status))
    if sys.platform == "win32" and ctypes.windll.kernel32.GlobalMemoryStatusEx(ctypes.byref(status)):
        return int(status.total)
    return None


def _first_figures(probes: Probe, wait_s: float = _FIRST_FIGURES_S) -> Reading:
    """What the probes know as soon as they know more of a GPU than its name, or once `wait_s` are over."""
    began_s = now_s()
    while True:
        reading = probes.read(now_s())
        if reading.gpu_name is None or has_figures(reading) or now_s() - began_s >= wait_s:
            return reading
        time.sleep(0.1)


def gpu(reading: Reading) -> Check:
    """A finding about the GPU, and which figures of this machine will be shown: none of them is needed."""
    if reading.gpu_name is None:
        return Check(GROUP, "GPU", "ok", f"none that tells what it does; {_heat(reading)}")
    told = {
        "memory": reading.gpu_memory_total_mb,
        "temperature": reading.gpu_temperature_c,
        "power": reading.gpu_power_w,
        "clock": reading.gpu_clock_mhz,
    }
    known = [name for name, value in told.items() if value is not None]
    memory = f", {told['memory'] / 1000:.1f} GB" if told["memory"] is not None else ""
    tells = f"tells its {', '.join(known)}" if known else "tells no figures"
    return Check(GROUP, "GPU", "ok", f"{reading.gpu_name}{memory}: {tells}; {_heat(reading)}")


def _heat(reading: Reading) -> str:
    if reading.cpu_temperature_c is None:
        return "the processor's temperature is not known"
    return f"the processor has {reading.cpu_temperature_c:.0f} °C"


def terminal_size(is_terminal: bool, size: os.terminal_size) -> Check:
    """A finding about a terminal of `size` columns and lines."""
    if not is_terminal:
        return Check("Terminal", "size", "ok", "not looked at: the output does not go to a terminal")
    if not size.columns or not size.lines:
        return Check("Terminal", "size", "ok", "not known: the terminal does not tell")
    found = f"{size.columns} x {size.lines}"
    if size.columns < COLUMNS or size.lines < LINES:
        return Check("Terminal", "size", "warning", found, f"make it at least {COLUMNS} x {LINES}")
    return Check("Terminal", "size", "ok", found)


def _colours(environment: dict[str, str], is_terminal: bool) -> Check:
    term = environment.get("TERM", "")
    if is_terminal and sys.platform != "win32" and term in {"", "dumb"}:
        return Check(
            "Terminal", "colours", "warning", f"TERM={term}", "the screen needs a terminal that can move its cursor"
        )
    if environment.get("NO_COLOR"):
        return Check("Terminal", "colours", "ok", "none, as NO_COLOR asks")
    full = environment.get("COLORTERM", "") in {"truecolor", "24bit"} or "WT_SESSION" in environment
    found = "16 million" if full else "256" if "256" in term else f"not known (TERM={term})"
    return Check("Terminal", "colours", "ok", found)


def _encoding(encoding: str) -> Check:
    if encoding.lower().replace("-", "") == "utf8":
        return Check("Terminal", "encoding", "ok", encoding)
    advice = by_system(
        {"linux": "export LANG=C.UTF-8", "darwin": "export LANG=en_GB.UTF-8", "win32": "set PYTHONUTF8=1"}
    )
    return Check(
        "Terminal", "encoding", "warning", encoding or "not known", f"{advice}: until then some signs become ?"
    )

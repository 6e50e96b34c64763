"""Stand-ins for hardware that is not here: trees like /sys, a module like NVML's, snapshots like actop's."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

TREES = Path(__file__).parent / "trees"


def tree(name: str, root: Path, **changed: str | None) -> Path:
    """The tree `name` as files under `root`. `changed` gives files by the end of their path another text, or none.

    In its keys `__` stands for `/`.
    """
    changes = {key.replace("__", "/"): value for key, value in changed.items()}
    for line in (TREES / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        path, _, value = line.partition(" = ")
        for end, text in changes.items():
            if path.endswith(end):
                value = text  # type: ignore[assignment]
        if value is not None:
            file = root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(value.replace("\\n", "\n") + "\n", encoding="ascii")
    return root


class Nvml:
    """Stands in for the module pynvml on a machine with a GPU. Calls that `refused` names are not supported.

    What `calls` names answers with its value, or with what that returns.
    """

    NVML_CLOCK_GRAPHICS = 0
    NVML_TEMPERATURE_GPU = 0

    class NVMLError(Exception):
        """As the library's own: the base of all that it raises."""

    class NotSupportedError(NVMLError):
        """This GPU does not tell."""

    def __init__(self, refused: frozenset[str] = frozenset(), **calls: Any) -> None:
        self.refused = refused
        self.shut = 0
        self.answers: dict[str, Any] = {
            "nvmlInit": None,
            "nvmlDeviceGetCount": 1,
            "nvmlDeviceGetHandleByIndex": "gpu",
            "nvmlDeviceGetName": "NVIDIA GeForce RTX 4070",
            "nvmlDeviceGetUtilizationRates": SimpleNamespace(gpu=97, memory=41),
            "nvmlDeviceGetMemoryInfo": SimpleNamespace(total=12_878_610_432, used=5_100_000_000, free=7_778_610_432),
            "nvmlDeviceGetTemperature": 78,
            "nvmlDeviceGetPowerUsage": 188_400,
            "nvmlDeviceGetClockInfo": 2610,
            "nvmlDeviceGetMaxClockInfo": 3105,
            "nvmlDeviceGetFanSpeed": 55,
            "nvmlDeviceGetFanSpeedRPM": 1710,
            "nvmlDeviceGetCurrentClocksEventReasons": 0,
            "nvmlDeviceGetCurrentClocksThrottleReasons": 0,
        } | calls

    def nvmlShutdown(self) -> None:  # noqa: N802 - the library's name
        self.shut += 1

    def __getattr__(self, name: str) -> Any:
        if name not in self.answers:
            raise AttributeError(name)

        def call(*given: Any) -> Any:
            if name in self.refused:
                raise self.NotSupportedError("Not Supported")
            answer = self.answers[name]
            return answer(*given) if callable(answer) else answer

        return call


def snapshot(**values: Any) -> Any:
    """A snapshot as actop 1.9.12 takes it of an M3 Pro at work; `values` differ."""
    told: dict[str, Any] = {
        "gpu_util_pct": 71.0,
        "gpu_util_source": "residency",
        "gpu_temp_c": 61.2,
        "gpu_watts": 18.1,
        "gpu_freq_mhz": 1181,
        "gpu_max_freq_mhz": 1398,
        "cpu_temp_c": 54.0,
        "thermal_state": "Nominal",
        "fan_available": True,
        "fans": [SimpleNamespace(current=1300.0, max=6550.0), SimpleNamespace(current=1402.0, max=7000.0)],
    }
    return SimpleNamespace(**told | values)

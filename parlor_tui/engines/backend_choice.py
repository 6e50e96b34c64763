"""Choose what a model runs on: try the ways there are, best first, and remember how it went."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import platform
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from importlib import metadata
from pathlib import Path
from typing import Any, Protocol

from parlor_tui.engines.backends import IN_WORDS, PARTS, Backend, Backends, Part, Wanted, hopeless, plan
from parlor_tui.engines.litert_probe import ProbeResult, probe

MEMORY_FILE = "probes.json"
RETRY_S = 7 * 24 * 3600.0
"""What failed is tried again after a week, even if nothing that is known about has changed."""
UNFINISHED_LOADS = 2
"""So many loads in earnest in a row that never came to their end count as a failure; one may have been quit."""
_KEPT = 40


class Probe(Protocol):
    """Tries one way; see `litert_probe.probe`."""

    def __call__(
        self,
        model: Path,
        backends: Backends,
        *,
        context_tokens: int,
        cache_folder: Path | None,
        cancelled: threading.Event | None = None,
    ) -> ProbeResult:
        """How it went. Raises nothing."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """What to run the model on, and what the user should know of it: one line for each reason."""

    backends: Backends
    notices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Fault:
    reason: str
    parts: tuple[Part, ...]


def choose_backends(
    model: Path,
    wanted: Wanted,
    *,
    hears: bool,
    sees: bool,
    context_tokens: int,
    cache_folder: Path | None,
    at_unix_s: float,
    cancelled: threading.Event | None = None,
    try_out: Probe = probe,
) -> Chosen:
    """The best way to run `model` that works here. A way that was tried before costs nothing; nor does the processor.

    `at_unix_s` is the time by the clock on the wall: what is remembered outlives the process. Without a `cache_folder`
    nothing is remembered. Raises nothing: where everything fails it is the processor, with the reasons.
    """
    attempts = plan(wanted, hears=hears, sees=sees)
    best = attempts[0]
    memory = Memory(cache_folder, model, context_tokens, at_unix_s)
    failed: dict[Part, Backend] = {}
    faults: list[_Fault] = []
    for attempt in attempts:
        if attempt.only_cpu:
            return Chosen(attempt, _notices(best, attempt, faults))
        if hopeless(attempt, failed):
            continue
        result = memory.recall(attempt)
        if result is None:
            result = try_out(
                model, attempt, context_tokens=context_tokens, cache_folder=cache_folder, cancelled=cancelled
            )
            if cancelled is None or not cancelled.is_set():
                memory.keep(attempt, result)
        if result.ok:
            return Chosen(attempt, _notices(best, attempt, faults))
        backend = attempt.of(result.part) if result.part else None
        if result.part and backend and backend != "cpu":
            failed[result.part] = backend
            faults.append(_Fault(result.reason, (result.part,)))
        else:
            faults.append(_Fault(result.reason, tuple(part for part in PARTS if attempt.of(part) not in {"cpu", None})))
    raise AssertionError("the last way of a plan is the processor alone")


def _notices(best: Backends, taken: Backends, faults: Sequence[_Fault]) -> tuple[str, ...]:
    """One line for each reason why parts do not run on what was first thought of."""
    by_reason: dict[tuple[str, Backend], list[str]] = {}
    for part in PARTS:
        first, now = best.of(part), taken.of(part)
        if first is None or first == now:
            continue
        # The text takes the pictures down with it: what failed for the text is the reason for both.
        reason = next((fault.reason for fault in faults if part in fault.parts), faults[0].reason if faults else "")
        by_reason.setdefault((reason, first), []).append(IN_WORDS[part])
    return tuple(
        f"{backend.upper()} not used for {' and '.join(names)}: {reason}; running on the CPU (slower)"
        for (reason, backend), names in by_reason.items()
    )


class Memory:
    """How earlier tries of one model went on this machine, in one small file of the cache folder.

    What is remembered holds as long as the model file, its context, the library and the drivers are the same; a failure
    for `RETRY_S` at most.
    """

    def __init__(self, cache_folder: Path | None, model: Path, context_tokens: int, at_unix_s: float) -> None:
        self._file = None if cache_folder is None else cache_folder / MEMORY_FILE
        self._at_unix_s = at_unix_s
        self._key = _key(model, context_tokens, machine_facts()) if self._file is not None else ""

    def recall(self, attempt: Backends) -> ProbeResult | None:
        """How `attempt` went, if that still holds."""
        found = self._read().get(self._name(attempt))
        if not isinstance(found, dict):
            return None
        try:
            age_s = self._at_unix_s - float(found["at_unix_s"])
            result = ProbeResult(**{item.name: found["result"][item.name] for item in fields(ProbeResult)})
        except (KeyError, TypeError, ValueError):
            return None
        if result.ok and _unfinished(found) >= UNFINISHED_LOADS:
            result = ProbeResult(False, f"loading it ended the core {UNFINISHED_LOADS} times")
        return result if result.ok or 0 <= age_s < RETRY_S else None

    def keep(self, attempt: Backends, result: ProbeResult) -> None:
        """Remember `result`; where the folder cannot be written, the next start tries again."""
        self._write(attempt, {"at_unix_s": self._at_unix_s, "result": asdict(result), "unfinished": 0})

    @contextlib.contextmanager
    def in_earnest(self, attempt: Backends) -> Iterator[None]:
        """Load and warm up inside: if the process dies of it again and again, the next start steps down."""
        found = self._read().get(self._name(attempt))
        if attempt.only_cpu or not isinstance(found, dict):
            yield
            return
        self._write(attempt, {**found, "at_unix_s": self._at_unix_s, "unfinished": _unfinished(found) + 1})
        yield
        self._write(attempt, {**found, "unfinished": 0})

    def _write(self, attempt: Backends, record: Mapping[str, Any]) -> None:
        if self._file is None:
            return
        known = self._read()
        known.pop(self._name(attempt), None)  # what was written last is kept longest
        known[self._name(attempt)] = record
        new = self._file.with_name(f"{self._file.name}.{os.getpid()}")
        with contextlib.suppress(OSError):
            new.write_text(json.dumps(dict(list(known.items())[-_KEPT:]), indent=1), encoding="utf-8")
            new.replace(self._file)

    def failed(self, attempt: Backends, reason: str) -> None:
        """Remember that `attempt`, which passed its probe, failed in earnest: the next start steps down."""
        self.keep(attempt, ProbeResult(False, reason))

    def _name(self, attempt: Backends) -> str:
        return f"{self._key} {attempt}"

    def _read(self) -> dict[str, Any]:
        if self._file is None:
            return {}
        try:
            known = json.loads(self._file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return known if isinstance(known, dict) else {}


def _unfinished(record: Mapping[str, Any]) -> int:
    """How many loads in a row did not come to their end."""
    count = record.get("unfinished")
    return count if isinstance(count, int) else 0


def _key(model: Path, context_tokens: int, facts: Iterable[str]) -> str:
    try:
        about = model.stat()
        stated = f"{model.name} {about.st_size} {about.st_mtime_ns}"
    except OSError:
        stated = model.name
    return hashlib.sha256("\n".join([stated, str(context_tokens), *facts]).encode()).hexdigest()[:16]


def machine_facts(environment: Mapping[str, str] = os.environ, root: Path = Path("/")) -> list[str]:
    """What the drivers and the library are: cheap to read, and another list when one of them changed."""
    facts = [platform.platform(), library_version()]
    if sys.platform == "linux":
        named = [environment.get(name, "") for name in ("VK_ICD_FILENAMES", "VK_DRIVER_FILES", "VK_ADD_DRIVER_FILES")]
        facts += named
        files = [
            *(root / "usr/share/vulkan/icd.d").glob("*.json"),
            *(root / "usr/local/share/vulkan/icd.d").glob("*.json"),
            *(root / "etc/vulkan/icd.d").glob("*.json"),
            *(Path(name) for entry in named for name in entry.split(":") if name),
            *(root / "usr/lib").glob("*/libvulkan.so.1"),
            *(root / "usr/lib64").glob("libvulkan.so.1"),
        ]
        for path in sorted(files):
            with contextlib.suppress(OSError):
                facts.append(f"{path} {path.stat().st_mtime_ns}")
        with contextlib.suppress(OSError):
            facts += sorted(path.name for path in (root / "dev/dri").iterdir())
        with contextlib.suppress(OSError):
            facts.append((root / "proc/driver/nvidia/version").read_text(encoding="utf-8", errors="replace"))
    return facts


def library_version() -> str:
    """The version of LiteRT-LM; empty where it is not installed."""
    try:
        return metadata.version("litert-lm-api")
    except metadata.PackageNotFoundError:
        return ""

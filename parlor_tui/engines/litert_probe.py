"""Try what a model runs on in a throw-away process: GPU drivers crash and hang, and the core must not."""

from __future__ import annotations

import contextlib
import os
import re
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from parlor_tui.engines.backends import PARTS, Backends, Part
from parlor_tui.engines.device_memory import peak_mb
from parlor_tui.engines.litert_content import Content
from parlor_tui.engines.throwaway import answer, leave, read_request, run_throwaway

PROBE_COMMAND = (sys.executable, "-P", "-m", "parlor_tui.engines.litert_probe")
TIMEOUT_S = 180.0
"""The first time, a GPU compiles its shaders and takes up gigabytes of weights: that is seconds, not minutes."""
_LOG_BYTES = 100_000
_KNOWN = (
    (re.compile(r"Found no drivers|ERROR_INCOMPATIBLE_DRIVER"), "no Vulkan driver was found"),
    (re.compile(r"Couldn't load Vulkan|libvulkan\S*: cannot open"), "the Vulkan library (libvulkan) is not installed"),
    (re.compile(r"OUT_OF_(DEVICE|HOST)_MEMORY|[Oo]ut of memory|RESOURCE_EXHAUSTED"), "it ran out of memory"),
)
_LOGGED = re.compile(r"^(?:[IWEF]\d{4} \S+\s+\d+ \S+\] |(?:INFO|WARNING|Warning|ERROR|Error|FATAL): (?:\[\S+\] )?)")
_PREFIX = re.compile(r"^.*?LiteRT-LM (?:cannot .*?)?: ")
_TRAIL = re.compile(r"(?:└ )?ERROR: \[\S+\] ?|└ ")
_ASIDE = re.compile(r"^(?:\s|└|=== |\S+\.(?:cc|cpp|h):\d+$|[IW]\d{4} |INFO: |WARNING: )")
"""Lines that give no reason: places in the source, and what is logged when all is well, too."""
_ADAPTER = re.compile(r"Selected adapter: (.+?), arch=.*adapterType=(.*)$")


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """How a try went. `part`: the part that failed, None if all is well or it cannot be told.

    `load_ms` is the time to load the model; `peak_mb` the most memory the process had, in MB (10^6 bytes); `device` is
    what the GPU calls itself, empty where none was taken.
    """

    ok: bool
    reason: str
    load_ms: float = 0.0
    peak_mb: float = 0.0
    part: Part | None = None
    device: str = ""


def probe(
    model: Path,
    backends: Backends,
    *,
    context_tokens: int,
    cache_folder: Path | None,
    timeout_s: float = TIMEOUT_S,
    cancelled: threading.Event | None = None,
    command: Sequence[str] = PROBE_COMMAND,
) -> ProbeResult:
    """Load `model` on `backends` in a process of its own, answer a few words, and show and play it a little.

    Survives whatever becomes of that process: a crash, a hang (killed after `timeout_s`), an answer that is none. A GPU
    that is a program on the processor fails: the processor by itself is far quicker (SwiftShader wrote 3 tokens a
    second where it wrote 700).
    What is compiled stays in `cache_folder`: the start in earnest is quick. `context_tokens` 0 is the model's own.
    """
    request = {
        "model": str(model),
        "text": backends.text,
        "vision": backends.vision,
        "audio": backends.audio,
        "context_tokens": context_tokens,
        "cache_folder": None if cache_folder is None else str(cache_folder),
    }
    outcome = run_throwaway(command, request, timeout_s=timeout_s, cancelled=cancelled)
    step = next((str(found["step"]) for found in reversed(outcome.answers) if "step" in found), "text")
    last = outcome.answers[-1] if outcome.answers else {}
    try:
        load_ms, peak = float(last.get("load_ms", 0.0)), float(last.get("peak_mb", 0.0))
    except (TypeError, ValueError):
        load_ms, peak = 0.0, 0.0
    device, is_software = adapter_in(outcome.noise)
    if is_software:
        reason = f"its only driver, {device}, is software on the CPU"
        return ProbeResult(False, reason, load_ms, peak, _first_off_cpu(backends), device)
    if not outcome.fault and last.get("ok") is True:
        return ProbeResult(True, "", load_ms, peak, None, device)
    reason = outcome.fault or (reason_in(outcome.noise, str(last.get("error", ""))) if "ok" in last else "")
    asked: list[Part] = [part for part in PARTS if backends.of(part) == "npu"]
    part = asked[0] if asked and "NPU" in reason else _part(step, backends)
    return ProbeResult(False, reason or "it gave no answer", load_ms, peak, part, device)


def reason_in(noise: Sequence[str], error: str) -> str:
    """Why it failed, in a few words, from what the native library printed and the `error` it raised."""
    error = "".join(sign if sign.isprintable() else "?" for sign in error)
    for pattern, words in _KNOWN:
        if any(pattern.search(line) for line in [*noise, error]):
            return words
    told = [_LOGGED.sub("", line).strip() for line in noise if not _ASIDE.search(line)]
    of_line = _TRAIL.sub("", _LOGGED.sub("", _PREFIX.sub("", error))).strip()
    # A code alone ("INTERNAL:") or the sentence that something failed tells less than what was printed before it.
    if of_line and not re.fullmatch(r"(?:.*: )?(?:[A-Z_]+:|Failed to create .*)", of_line):
        return of_line
    return next((line.rstrip(".") for line in told if line), "") or of_line.rstrip(": ")


def adapter_in(noise: Sequence[str]) -> tuple[str, bool]:
    """What the library's log calls the GPU that it took, and whether that is software; empty if it took none."""
    found = next((match for line in noise if (match := _ADAPTER.search(line))), None)
    return (found[1], found[2].startswith("CPU")) if found else ("", False)


def _part(step: str, backends: Backends) -> Part | None:
    """The part at fault when `step` was the last one begun."""
    if step in {"text", "vision", "audio"}:
        return step  # type: ignore[return-value]
    off_cpu: list[Part] = [part for part in ("vision", "audio") if backends.of(part) in {"gpu", "npu"}]
    return off_cpu[0] if step == "media" and len(off_cpu) == 1 else None


def _first_off_cpu(backends: Backends) -> Part | None:
    return next((part for part in PARTS if backends.of(part) not in {"cpu", None}), None)


def main() -> NoReturn:
    """In the child: try it, step by step; each step is told before it is begun, the outcome at the end."""
    request = read_request()
    from parlor_tui.events import now_s

    load_ms = 0.0
    try:
        began_s = now_s()
        answer(step="text")
        from parlor_tui.engines import litert_api as api
        from parlor_tui.engines.base import Sampling

        model = api.Model(
            Path(request["model"]),
            text=request["text"],
            vision=request["vision"],
            audio=request["audio"],
            context_tokens=request["context_tokens"] or api.facts(Path(request["model"])).context_tokens,
            cache_folder=Path(request["cache_folder"]) if request["cache_folder"] else None,
            threads=0,
            log=True,  # nothing else tells what GPU it takes
        )
        load_ms = (now_s() - began_s) * 1000
        sampling = Sampling(temperature=0.0, top_p=1.0, max_tokens=4)
        answer(step="media")  # the encoders are loaded with the first conversation
        branch = model.begin([], sampling, 1)
        for step, content in _content(request):
            answer(step=step)
            if _is_software():
                break
            for _ in branch.send(content, max_tokens=4, image_tokens=0):
                pass
    except Exception as error:  # noqa: BLE001 - the edge of this process: whatever is wrong is the answer
        answer(ok=False, error=" ".join(str(error).split()), load_ms=load_ms, peak_mb=peak_mb())
    else:
        answer(ok=True, load_ms=load_ms, peak_mb=peak_mb())
    leave()


def _is_software() -> bool:
    """Whether the log, which is this process's standard error, names a GPU that is none: the rest takes minutes."""
    if not hasattr(os, "pread"):
        return False
    with contextlib.suppress(OSError):
        log = os.pread(2, _LOG_BYTES, 0).decode("utf-8", "replace")
        return adapter_in(log.splitlines())[1]
    return False


def _content(request: Mapping[str, Any]) -> list[tuple[Part, Content]]:
    """What is sent: a word, and a picture and half a second of sound where the processor is not what takes them in."""
    from parlor_tui.engines.litert_content import picture_part, sound_part, text_part
    from parlor_tui.engines.sample_media import picture_png, sound_wav

    sent: list[tuple[Part, Content]] = [("text", [text_part("Hello.")])]
    if request["vision"] in {"gpu", "npu"}:
        sent.append(("vision", [picture_part(picture_png(64, 48)), text_part("Look.")]))
    if request["audio"] in {"gpu", "npu"}:
        sent.append(("audio", [sound_part(sound_wav(0.5)), text_part("Listen.")]))
    return sent


if __name__ == "__main__":
    main()

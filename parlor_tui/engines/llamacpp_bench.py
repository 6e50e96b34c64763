"""Measure a GGUF model on llama.cpp; run as a program of its own, never imported by the others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from parlor_tui.engines.base import Message, Sampling
from parlor_tui.engines.bench_result import REPLY_TOKENS, RUNS, Figures, Reply, long_prompt, median
from parlor_tui.engines.device_memory import peak_mb
from parlor_tui.engines.throwaway import answer, leave, read_request
from parlor_tui.events import now_s

if TYPE_CHECKING:
    from parlor_tui.engines.llamacpp import LlamaCpp


def main() -> NoReturn:
    """In the child: measure what the request says, and answer with the figures or the error."""
    request = read_request()
    try:
        answer(ok=True, figures=asdict(_measure(request)))
    except Exception as error:  # noqa: BLE001 - the edge of this process: whatever is wrong is the answer
        answer(ok=False, error=" ".join(str(error).split()))
    leave()


def _measure(request: Mapping[str, Any]) -> Figures:
    from parlor_tui.engines.llamacpp import LlamaCpp

    began_s = now_s()
    path = Path(request["model"])
    engine = LlamaCpp(path, path.stem, threads=request["threads"], slots=1, context_tokens=2048)
    load_ms = (now_s() - began_s) * 1000
    _ask(engine, "Hello.")
    long = [_ask(engine, long_prompt(run)) for run in range(RUNS)]
    short = [_ask(engine, f"What is fjord number {run}?") for run in range(RUNS)]
    return Figures(
        load_ms=load_ms,
        prefill_per_s=median([reply.prefill_per_s for reply in long]),
        decode_per_s=median([reply.decode_per_s for reply in long if reply.decode_tokens > 1]),
        first_token_ms=median([reply.first_ms for reply in short]),
        peak_mb=peak_mb(),
    )


def _ask(engine: LlamaCpp, text: str) -> Reply:
    """One reply. The rates are taken from the outside: until the first piece it reads, from then on it writes."""
    pieces_s: list[float] = []

    def on_text(_piece: str) -> bool:
        pieces_s.append(now_s())
        return True

    began_s = now_s()
    sampling = Sampling(temperature=0.0, top_p=1.0, max_tokens=REPLY_TOKENS)
    done = engine.generate([Message("user", text)], sampling, on_text, lambda: False)
    if not pieces_s:
        return Reply((now_s() - began_s) * 1000, 0, 0.0, 0, 0.0)
    first_s, writing_s = pieces_s[0] - began_s, pieces_s[-1] - pieces_s[0]
    read = done.usage.input_tokens - done.usage.cached_tokens
    return Reply(
        first_ms=first_s * 1000,
        prefill_tokens=read,
        prefill_per_s=read / first_s,
        decode_tokens=len(pieces_s),
        decode_per_s=(len(pieces_s) - 1) / writing_s if writing_s > 0 else 0.0,
    )


if __name__ == "__main__":
    main()

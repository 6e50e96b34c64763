"""Measure a model on LiteRT-LM; run as a program of its own, never imported by the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from parlor_tui.engines.base import Sampling
from parlor_tui.engines.bench_result import REPLY_TOKENS, RUNS, SOUNDS_S, Figures, Reply, long_prompt, median
from parlor_tui.engines.device_memory import peak_mb
from parlor_tui.engines.litert_content import picture_part, sound_part, text_part
from parlor_tui.engines.sample_media import picture_png, sound_wav
from parlor_tui.engines.throwaway import answer, leave, read_request
from parlor_tui.events import now_s

if TYPE_CHECKING:
    from parlor_tui.engines.litert_api import Model


def main() -> NoReturn:
    """In the child: measure what the request says, and answer with the figures or the error."""
    request = read_request()
    try:
        answer(ok=True, figures=asdict(_measure(request)))
    except Exception as error:  # noqa: BLE001 - the edge of this process: whatever is wrong is the answer
        answer(ok=False, error=" ".join(str(error).split()))
    leave()


def _measure(request: Mapping[str, Any]) -> Figures:
    from parlor_tui.engines import litert_api as api

    path = Path(request["model"])
    facts = api.facts(path)
    began_s = now_s()
    model = api.Model(
        path,
        text=request["text"],
        vision=request["vision"] if facts.sees else None,
        audio=request["audio"] if facts.hears else None,
        context_tokens=min(request["context_tokens"] or facts.context_tokens, facts.context_tokens or 4096),
        cache_folder=Path(request["cache_folder"]) if request["cache_folder"] else None,
        threads=request["threads"],
    )
    load_ms = (now_s() - began_s) * 1000
    picture = picture_part(picture_png(640, 480))
    sounds = {length_s: sound_part(sound_wav(length_s)) for length_s in SOUNDS_S}
    image_tokens = min(request["image_tokens"], facts.image_tokens or request["image_tokens"])

    def ask(*content: Mapping[str, Any], max_tokens: int = REPLY_TOKENS) -> Reply:
        return _ask(model, content, max_tokens, image_tokens)

    question = text_part("What is a fjord?")
    # The first use of each part compiles and fills caches: seconds on a GPU, and nothing a talk pays for again.
    ask(question, max_tokens=4)
    if facts.sees:
        ask(picture, question, max_tokens=4)
    if facts.hears:
        ask(sounds[SOUNDS_S[-1]], question, max_tokens=4)
    long = [ask(text_part(long_prompt(run))) for run in range(RUNS)]
    short = [ask(question) for _ in range(RUNS)]
    return Figures(
        load_ms=load_ms,
        prefill_per_s=median([reply.prefill_per_s for reply in long]),
        decode_per_s=median([reply.decode_per_s for reply in long if reply.decode_tokens > 1]),
        first_token_ms=median([reply.first_ms for reply in short]),
        peak_mb=peak_mb(),
        image_encode_ms=(
            median([ask(picture, question, max_tokens=4).encode_ms for _ in range(RUNS)]) if facts.sees else None
        ),
        audio_encode_ms={
            str(length_s): median([ask(sound, question, max_tokens=4).encode_ms for _ in range(RUNS)])
            for length_s, sound in (sounds.items() if facts.hears else ())
        },
    )


def _ask(model: Model, content: Sequence[Mapping[str, Any]], max_tokens: int, image_tokens: int) -> Reply:
    """One reply in a conversation of its own."""
    branch = model.begin([], Sampling(temperature=0.0, top_p=1.0, max_tokens=max_tokens), 1)
    began_s, first_ms = now_s(), 0.0
    for _ in branch.send(content, max_tokens=max_tokens, image_tokens=image_tokens):
        first_ms = first_ms or (now_s() - began_s) * 1000
    first_ms = first_ms or (now_s() - began_s) * 1000
    timings = branch.timings()
    branch.close()
    return Reply(first_ms, timings.prefill_tokens, timings.prefill_per_s, timings.decode_tokens, timings.decode_per_s)


if __name__ == "__main__":
    main()

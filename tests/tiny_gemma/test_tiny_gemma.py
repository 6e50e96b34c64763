"""The tiny models in the real LiteRT-LM: each takes in what it claims to, and answers the same to the same."""

from __future__ import annotations

import base64
import gzip
import io
import re
import wave
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import cv2
import litert_lm
import numpy as np
import pytest

from tests.tiny_gemma import PACKED, Kind, tiny_gemma
from tests.tiny_gemma.source import CONTEXT_TOKENS, IMAGE_TOKENS

CPU = litert_lm.Backend.CPU
REPLY_TOKENS = 12
GREEDY = litert_lm.SamplerConfig(top_k=1, top_p=1.0, temperature=0.0, seed=1)
QUESTION = {"type": "text", "text": "what is it"}
BOTH: tuple[Kind, ...] = ("full", "text")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    litert_lm.set_min_log_severity(litert_lm.LogSeverity.SILENT)
    return tmp_path_factory.mktemp("tiny")


def load(folder: Path, kind: Kind) -> litert_lm.Engine:
    senses = {"vision_backend": CPU(), "audio_backend": CPU()} if kind == "full" else {}
    return litert_lm.Engine(str(tiny_gemma(folder, kind)), backend=CPU(), cache_dir=":nocache", **senses)


def reply(engine: litert_lm.Engine, *content: dict[str, str], sampler: litert_lm.SamplerConfig = GREEDY) -> str:
    """The reply to one message in a conversation of its own."""
    message = {"role": "user", "content": list(content)}
    with engine.create_conversation(system_message="You are kind.", sampler_config=sampler) as conversation:
        pieces = list(conversation.send_message_async(message, max_output_tokens=REPLY_TOKENS))
    return "".join(part["text"] for piece in pieces for part in piece["content"])


def media(kind: str, content: bytes) -> dict[str, str]:
    return {"type": kind, "blob": base64.b64encode(content).decode()}


def picture(grey: int) -> dict[str, str]:
    """A picture of one shade, 320 x 240."""
    return media("image", cv2.imencode(".png", np.full((240, 320, 3), grey, np.uint8))[1].tobytes())


def tone(pitch_hz: float) -> dict[str, str]:
    """One second at 16 kHz."""
    sound = 8000 * np.sin(2 * np.pi * pitch_hz * np.arange(16_000) / 16_000)
    file = io.BytesIO()
    with wave.open(file, "wb") as wav:
        wav.setparams((1, 2, 16_000, 0, "NONE", ""))
        wav.writeframes(sound.astype("<i2").tobytes())
    return media("audio", file.getvalue())


@pytest.mark.parametrize("kind", BOTH)
def test_says_what_it_takes_in(folder: Path, kind: Kind) -> None:
    info = litert_lm.ModelInfo(str(tiny_gemma(folder, kind)))
    senses = info.input_modalities
    assert (senses.text, senses.vision, senses.audio) == (True, kind == "full", kind == "full")
    assert info.max_context_tokens == CONTEXT_TOKENS
    assert (info.vision_signature_selection or []) == (list(IMAGE_TOKENS) if kind == "full" else [])


@pytest.mark.parametrize("kind", BOTH)
def test_same_question_same_words(folder: Path, kind: Kind) -> None:
    first, second = (reply(load(folder, kind), QUESTION) for _ in range(2))
    assert first == second
    assert first != reply(load(folder, kind), {"type": "text", "text": "tell me a story"})


@pytest.mark.parametrize("kind", BOTH)
def test_replies_are_words_up_to_the_limit(folder: Path, kind: Kind) -> None:
    engine = load(folder, kind)
    replies = set()
    for seed in range(1, 21):
        sampler = litert_lm.SamplerConfig(top_k=64, top_p=0.9, temperature=0.7, seed=seed)
        replies.add(reply(engine, QUESTION, sampler=sampler))
    assert len(replies) > 10
    for words in replies:
        # A mark is held back until the next word, as it may begin a stop string; at the limit it is lost.
        assert len(re.findall(r" [a-z]+|[.?!,]", words)) in (REPLY_TOKENS, REPLY_TOKENS - 1), words
        assert re.fullmatch(r"( [a-z]+|[.?!,])+", words), words


def test_hears_and_sees(folder: Path) -> None:
    engine = load(folder, "full")
    inputs: list[list[dict[str, str]]] = [[], [picture(0)], [picture(255)], [tone(300)], [tone(2000)]]
    replies = [reply(engine, *seen_or_heard, QUESTION) for seen_or_heard in inputs]
    assert len(set(replies)) == len(inputs), replies
    assert replies == [reply(engine, *seen_or_heard, QUESTION) for seen_or_heard in inputs]


@pytest.mark.parametrize("something", [picture(0), tone(300)], ids=["picture", "tone"])
def test_text_only_refuses_media_and_goes_on(folder: Path, something: dict[str, str]) -> None:
    engine = load(folder, "text")
    with pytest.raises(RuntimeError, match="executor should not be null"):
        reply(engine, something, QUESTION)
    assert reply(engine, QUESTION) == reply(load(folder, "text"), QUESTION)


@pytest.mark.parametrize("sense", ["vision_backend", "audio_backend"])
def test_text_only_with_a_backend_for_a_sense_cannot_converse(folder: Path, sense: str) -> None:
    backend: dict[str, Any] = {sense: CPU()}
    engine = litert_lm.Engine(str(tiny_gemma(folder, "text")), backend=CPU(), cache_dir=":nocache", **backend)
    with pytest.raises(RuntimeError, match="Failed to create conversation"):
        engine.create_conversation()


def test_unpacked_once_and_anew_when_damaged(tmp_path: Path) -> None:
    model = tiny_gemma(tmp_path / "new" / "folder", "text")
    made = model.stat()
    assert tiny_gemma(model.parent, "text") == model
    assert (model.stat().st_ino, model.stat().st_mtime_ns) == (made.st_ino, made.st_mtime_ns)
    model.write_bytes(model.read_bytes()[:-1])
    tiny_gemma(model.parent, "text")
    assert model.read_bytes() == gzip.decompress(PACKED["text"].read_bytes())


def test_several_processes_unpack_at_once(tmp_path: Path) -> None:
    with ProcessPoolExecutor(4, mp_context=get_context("spawn")) as processes:
        models = set(processes.map(tiny_gemma, [tmp_path] * 8))
    assert models == set(tmp_path.iterdir())
    (model,) = models
    assert model.read_bytes() == gzip.decompress(PACKED["full"].read_bytes())

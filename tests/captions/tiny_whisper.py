"""A Whisper with the shape of the multilingual ones and random weights, which the real CTranslate2 loads.

Its words are nonsense, and so is the language it hears; but both follow from the sound and from the prompt alone, so
that what is asked of the model, and what is made of its answer, can be seen. It is made in a second where it is needed.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from ctranslate2.specs import whisper_spec
from numpy.typing import NDArray
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

from parlor_tui.settings.languages import NAMES

TEXT_TOKENS = 50_257
"""The last one is empty: by the size of the vocabulary and by that CTranslate2 tells a multilingual model."""
WIDTH, FEED, MEL_BANDS, WINDOW, LONGEST = 16, 32, 80, 1500, 448
LANGUAGES = tuple(code for code in NAMES if code != "yue")
"""Cantonese came with a later model."""


def make_tiny_whisper(folder: Path, *, sharpness: float = 1.0) -> Path:
    """Write the model into `folder`, which is returned. The sharper it is, the surer of what it hears."""
    words = [*sorted(pre_tokenizers.ByteLevel.alphabet())]
    words += [f"\u0120w{number}" for number in range(TEXT_TOKENS - len(words) - 1)] + [""]
    marks = ["<|endoftext|>", "<|startoftranscript|>", *(f"<|{code}|>" for code in LANGUAGES)]
    marks += ["<|translate|>", "<|transcribe|>", "<|startoflm|>", "<|startofprev|>", "<|nospeech|>", "<|notimestamps|>"]
    marks += [f"<|{step * 0.02:.2f}|>" for step in range(1501)]
    tokenizer = Tokenizer(models.BPE({word: index for index, word in enumerate(words)}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken(mark, special=True, normalized=False) for mark in marks])
    spec = _spec(len(words) + len(marks), sharpness)
    spec.register_vocabulary(words + marks)
    spec.config.lang_ids = [tokenizer.token_to_id(f"<|{code}|>") for code in LANGUAGES]
    spec.config.suppress_ids = list(range(256))
    spec.config.suppress_ids_begin = [TEXT_TOKENS]
    spec.validate()
    spec.optimize(quantization="int8")
    folder.mkdir(parents=True, exist_ok=True)
    spec.save(str(folder))
    tokenizer.save(str(folder / "tokenizer.json"))
    assert json.loads((folder / "config.json").read_text(encoding="utf-8"))["lang_ids"]
    return folder


def _spec(vocabulary: int, sharpness: float) -> whisper_spec.WhisperSpec:
    random = np.random.default_rng(5)

    def weights(*shape: int, scale: float = 0.4) -> NDArray[np.float32]:
        return random.normal(0, scale, shape).astype(np.float32)

    def norm(layer) -> None:  # type: ignore[no-untyped-def]  # CTranslate2's specs have no types
        layer.gamma, layer.beta = np.ones(WIDTH, np.float32), np.zeros(WIDTH, np.float32)

    def linear(layer, rows: int, columns: int = WIDTH) -> None:  # type: ignore[no-untyped-def]
        layer.weight, layer.bias = weights(rows, columns), np.zeros(rows, np.float32)

    def attention(layer, *sizes: int) -> None:  # type: ignore[no-untyped-def]
        norm(layer.layer_norm)
        for part, rows in zip(layer.linear, sizes, strict=True):
            linear(part, rows)

    spec = whisper_spec.WhisperSpec(1, 2, 1, 2)
    for conv, channels in ((spec.encoder.conv1, MEL_BANDS), (spec.encoder.conv2, WIDTH)):
        conv.weight, conv.bias = weights(WIDTH, channels, 3), np.zeros(WIDTH, np.float32)
    spec.encoder.position_encodings.encodings = weights(WINDOW, WIDTH, scale=0.1)
    spec.decoder.position_encodings.encodings = weights(LONGEST, WIDTH, scale=1.0)
    spec.decoder.embeddings.weight = weights(vocabulary, WIDTH, scale=1.0)
    spec.decoder.projection.weight = weights(vocabulary, WIDTH, scale=1.0) * np.float32(sharpness)
    for half in (spec.encoder, spec.decoder):
        norm(half.layer_norm)
        layer = half.layer[0]
        attention(layer.self_attention, 3 * WIDTH, WIDTH)
        norm(layer.ffn.layer_norm)
        linear(layer.ffn.linear_0, FEED)
        linear(layer.ffn.linear_1, WIDTH, FEED)
    attention(spec.decoder.layer[0].attention, WIDTH, 2 * WIDTH, WIDTH)
    return spec

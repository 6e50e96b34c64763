"""Whisper on CTranslate2, through faster-whisper."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from parlor_tui.captions.base import SAMPLE_RATE_HZ

_WINDOW_S = 28.0
"""A partial caption looks at one window of Whisper's; what came before it is already on the screen."""
_SHORTEST_S = 4.0
"""Whisper loses its footing on windows much shorter than this."""
_TAIL_S = 1.0
"""Silence put behind a partial: audio that stops in the middle of a word makes Whisper repeat itself."""
_TOKENS_PER_S = 8
"""More than anybody speaks; bounds the time that a loop can take."""
_NO_SPEECH = 0.6
_UNLIKELY = -1.0
_HALLUCINATION = re.compile(r"^[\s\W]*$|^\W*[\[(*♪].*[\])*♪]\W*$")
"""Nothing but punctuation, or a stage direction such as "[BLANK_AUDIO]" or "(music)"."""


class Whisper:
    """A Whisper model in a folder of CTranslate2 files, in int8 on the CPU."""

    def __init__(self, folder: Path, name: str, *, threads: int, language: str = "en") -> None:
        from faster_whisper import WhisperModel

        self._name = name
        self._language = language
        self._model = WhisperModel(
            str(folder), device="cpu", compute_type="int8", cpu_threads=threads, local_files_only=True
        )

    @property
    def name(self) -> str:
        """See Captioner."""
        return self._name

    def partial(self, samples: NDArray[np.float32]) -> str:
        """See Captioner. Encodes only the audio that is there (20-60 ms instead of 200), greedily and once."""
        import ctranslate2

        window = samples[-int(_WINDOW_S * SAMPLE_RATE_HZ) :]
        spoken_s = len(window) / SAMPLE_RATE_HZ
        padded_s = max(_SHORTEST_S, spoken_s + _TAIL_S)
        padded = np.zeros(int(padded_s * SAMPLE_RATE_HZ), np.float32)
        padded[: len(window)] = window
        mel = np.ascontiguousarray(self._model.feature_extractor(padded)[None].astype(np.float32))
        encoded = self._model.model.encode(ctranslate2.StorageView.from_array(mel), to_cpu=False)
        tokens = self._model.hf_tokenizer
        prompt = [tokens.token_to_id(mark) for mark in ("<|startoftranscript|>", "<|notimestamps|>")]
        found = self._model.model.generate(
            encoded, [prompt], beam_size=1, max_length=len(prompt) + 4 + int(spoken_s * _TOKENS_PER_S)
        )[0]
        text = drop_echo(collapse_loops(str(tokens.decode(found.sequences_ids[0])).strip()))
        return "" if _HALLUCINATION.match(text) else text

    def final(self, samples: NDArray[np.float32]) -> str:
        """See Captioner. Whisper's own 30 s window: on short utterances the unpadded one mishears and loops."""
        segments, _ = self._model.transcribe(
            samples,
            language=self._language,
            beam_size=1,
            temperature=0.0,
            without_timestamps=len(samples) < _WINDOW_S * SAMPLE_RATE_HZ,
            condition_on_previous_text=False,
        )
        kept = [s.text.strip() for s in segments if not (s.no_speech_prob > _NO_SPEECH and s.avg_logprob < _UNLIKELY)]
        text = collapse_loops(" ".join(kept).strip())
        return "" if _HALLUCINATION.match(text) else text


def collapse_loops(text: str) -> str:
    """`text` with a phrase that is repeated to the end (the last time maybe cut) kept once.

    Whisper falls into such loops on short audio: "Stop. Stop. Stop. Stop. Sto". People do say "no no no", so one or two
    words count as a loop from the fourth time on, three words from the third, and longer phrases from the second.
    """
    words = text.split()
    for size in range(1, len(words) // 2 + 1):
        fewest = size * {1: 3, 2: 3, 3: 2}.get(size, 1)
        for start in range(len(words) - size - fewest + 1):
            unit, rest = words[start : start + size], words[start + size :]
            whole = all(word == unit[i % size] for i, word in enumerate(rest[:-1]))
            if whole and unit[(len(rest) - 1) % size].startswith(rest[-1]):
                return " ".join(words[: start + size])
    return text


def drop_echo(text: str) -> str:
    """`text` without a last sentence that only begins the first one again, as quick captions do: "Who is it? Who"."""
    words = text.split()
    for end in range(1, len(words)):
        rest = words[end:]
        again = len(rest) <= end and rest[:-1] == words[: len(rest) - 1] and words[len(rest) - 1].startswith(rest[-1])
        if again and words[end - 1][-1] in ".!?":
            return " ".join(words[:end])
    return text

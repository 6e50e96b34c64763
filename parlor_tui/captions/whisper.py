"""Whisper on CTranslate2, through faster-whisper."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parlor_tui.captions.base import SAMPLE_RATE_HZ, CaptionError, FinalCaption
from parlor_tui.captions.languages import AUTO, NAMES, language_code

_WINDOW_S = 28.0
"""A partial caption looks at one window of Whisper's; what came before it is already on the screen."""
_SHORTEST_S = 4.0
"""Whisper loses its footing on windows much shorter than this."""
_TAIL_S = 1.0
"""Silence put behind a partial: audio that stops in the middle of a word makes Whisper repeat itself."""
_TOKENS_PER_S = {"en": 8}
_MOST_TOKENS_PER_S = 16
"""More than anybody speaks (Hindi was heard with 12); bounds the time that a loop can take."""
_SURE = 0.8
"""A likelier language is believed. Of 25 sentences and their first halves in eight languages none was above it and
wrong; below it, short or cut utterances were (a Spanish half as Greek with 0.6)."""
_NO_SPEECH = 0.6
_UNLIKELY = -1.0
_HALLUCINATION = re.compile(r"^[\s\W]*$|^\W*[\[(*♪].*[\])*♪]\W*$")
"""Nothing but punctuation, or a stage direction such as "[BLANK_AUDIO]" or "(music)"."""
_PIECE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]\s*|[^\s\u3040-\u30ff\u3400-\u9fff]+\s*")
"""A word; in Chinese and Japanese, which put no spaces between words, a character."""


class Whisper:
    """A Whisper model in a folder of CTranslate2 files, in int8 on the CPU.

    `language` is a code, or "auto": the language is then detected in each utterance. Models that know English alone
    (`multilingual` is False) take everything for English. Raises CaptionError if the folder is not whole, or if there
    is no such language in the model.
    """

    def __init__(self, folder: Path, name: str, *, threads: int, language: str = AUTO) -> None:
        code = language_code(language)
        absent = [file for file in ("config.json", "model.bin", "tokenizer.json") if not (folder / file).is_file()]
        if absent:
            raise CaptionError(f"{folder}: {absent[0]} is missing: run `parlor-tui models get`")
        from faster_whisper import WhisperModel

        self._name = name
        self._model = WhisperModel(
            str(folder), device="cpu", compute_type="int8", cpu_threads=threads, local_files_only=True
        )
        self._language = code if self.multilingual else "en"
        if self._language != AUTO and not self._knows(self._language):
            raise CaptionError(f"captions.language = {code!r}: {name} does not know {NAMES[code]}")

    @property
    def name(self) -> str:
        """See Captioner."""
        return self._name

    @property
    def multilingual(self) -> bool:
        """Whether it knows languages other than English."""
        return bool(self._model.model.is_multilingual)

    def partial(self, samples: NDArray[np.float32], talk_language: str = "") -> str:
        """See Captioner. Encodes only the audio that is there (20-60 ms instead of 200), greedily and once."""
        spoken = samples[-int(_WINDOW_S * SAMPLE_RATE_HZ) :]
        spoken_s = len(spoken) / SAMPLE_RATE_HZ
        encoded = self._encode(spoken)
        language = self._language
        if language == AUTO:
            token, probability = self._model.model.detect_language(encoded)[0][0]
            language = self._settle(token.strip("<|>"), probability, talk_language)
        prompt = self._prompt(language)
        most = int(spoken_s * _TOKENS_PER_S.get(language, _MOST_TOKENS_PER_S))
        found = self._model.model.generate(encoded, [prompt], beam_size=1, max_length=len(prompt) + 4 + most)[0]
        decoded = str(self._model.hf_tokenizer.decode(found.sequences_ids[0]))
        # A character of several bytes may be cut in the middle where the tokens end.
        text = drop_echo(collapse_loops(decoded.rstrip("\ufffd").strip()))
        return "" if _HALLUCINATION.match(text) else text

    def final(self, samples: NDArray[np.float32], talk_language: str = "") -> FinalCaption:
        """See Captioner. Whisper's own 30 s window: on short utterances the unpadded one mishears and loops."""
        segments, info = self._transcribe(samples, None if self._language == AUTO else self._language)
        language, sure = info.language, info.language_probability >= _SURE
        settled = self._settle(language, info.language_probability, talk_language)
        if settled != language:
            # Nothing was decoded yet: the segments are made as they are asked for.
            segments, _ = self._transcribe(samples, settled)
            language = settled
        kept = [s.text.strip() for s in segments if not (s.no_speech_prob > _NO_SPEECH and s.avg_logprob < _UNLIKELY)]
        text = collapse_loops(" ".join(kept).strip())
        if _HALLUCINATION.match(text):
            return FinalCaption("")
        return FinalCaption(text, language if sure or language == talk_language else "")

    def _settle(self, detected: str, probability: float, talk_language: str) -> str:
        """The language to write in: the detected one, unless it is doubtful and the talk has one."""
        return detected if probability >= _SURE or not self._knows(talk_language) else talk_language

    def _knows(self, language: str) -> bool:
        """English-only models carry the marks of all languages, to no use."""
        if not self.multilingual:
            return language == "en"
        return self._model.hf_tokenizer.token_to_id(f"<|{language}|>") is not None and language in NAMES

    def _prompt(self, language: str) -> list[int]:
        marks = ("startoftranscript", language, "transcribe", "notimestamps")
        tokens = self._model.hf_tokenizer
        return [tokens.token_to_id(f"<|{mark}|>") for mark in (marks if self.multilingual else marks[::3])]

    def _encode(self, spoken: NDArray[np.float32]) -> Any:
        import ctranslate2

        padded = np.zeros(int(max(_SHORTEST_S, len(spoken) / SAMPLE_RATE_HZ + _TAIL_S) * SAMPLE_RATE_HZ), np.float32)
        padded[: len(spoken)] = spoken
        mel = np.ascontiguousarray(self._model.feature_extractor(padded)[None].astype(np.float32))
        return self._model.model.encode(ctranslate2.StorageView.from_array(mel), to_cpu=False)

    def _transcribe(self, samples: NDArray[np.float32], language: str | None) -> tuple[Any, Any]:
        segments, info = self._model.transcribe(
            samples,
            language=language,
            beam_size=1,
            temperature=0.0,
            without_timestamps=len(samples) < _WINDOW_S * SAMPLE_RATE_HZ,
            condition_on_previous_text=False,
        )
        return segments, info


def collapse_loops(text: str) -> str:
    """`text` with a phrase that is repeated to the end (the last time maybe cut) kept once.

    Whisper falls into such loops on short audio: "Stop. Stop. Stop. Stop. Sto". People do say "no no no", so one or two
    words count as a loop from the fourth time on, three words from the third, and longer phrases from the second.
    """
    pieces = _PIECE.findall(text)
    words = [piece.strip() for piece in pieces]
    for size in range(1, len(words) // 2 + 1):
        fewest = size * {1: 3, 2: 3, 3: 2}.get(size, 1)
        for start in range(len(words) - size - fewest + 1):
            unit, rest = words[start : start + size], words[start + size :]
            whole = all(word == unit[i % size] for i, word in enumerate(rest[:-1]))
            if whole and unit[(len(rest) - 1) % size].startswith(rest[-1]):
                return "".join(pieces[: start + size]).strip()
    return text


def drop_echo(text: str) -> str:
    """`text` without a last sentence that only begins the first one again, as quick captions do: "Who is it? Who"."""
    pieces = _PIECE.findall(text)
    words = [piece.strip() for piece in pieces]
    for end in range(1, len(words)):
        rest = words[end:]
        again = len(rest) <= end and rest[:-1] == words[: len(rest) - 1] and words[len(rest) - 1].startswith(rest[-1])
        if again and words[end - 1][-1] in ".!?。！？":
            return "".join(pieces[:end]).strip()
    return text

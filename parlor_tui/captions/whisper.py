"""Whisper on CTranslate2, through faster-whisper."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parlor_tui.captions.base import SAMPLE_RATE_HZ, CaptionError, FinalCaption
from parlor_tui.settings.languages import AUTO, NAMES, language_code

_WINDOW_S = 28.0
"""Whisper hears 30 s at a time; a partial caption looks at the last of them."""
_SHORTEST_S = 4.0
"""Whisper loses its footing on windows much shorter than this."""
_TAIL_S = 1.0
"""Silence put behind: audio that stops in the middle of a word makes Whisper repeat itself."""
_TOKENS_PER_S = {"en": 6}
_MOST_TOKENS_PER_S = 14
"""More than anybody speaks (Hindi was heard with 12); bounds the time that a loop can take."""
_MARKS = 7
"""Tokens for the two times of a segment, and for the marks of the language and of the end."""
_SURE = 0.8
"""A likelier language is believed. Of 25 sentences and their first halves in eight languages none was above it and
wrong; below it, short or cut utterances were (a Spanish half as Greek with 0.6)."""
_NO_SPEECH, _SURELY_NO_SPEECH = 0.6, 0.8
"""Of 280 utterances, from a word of 0.4 s up and with noise up to 5 dB below them, 2 in 3 were below 0.25 and none was
above 0.7; of 67 coughs, clicks, breaths, tones and keys, 65 were above 0.6 and 52 above 0.8."""
_UNLIKELY = -1.0
_DOUBTFUL = -1.5
"""Mean log-probability of a token. What is less likely than this was misheard, mostly: worth a second, slower look."""
_HALLUCINATION = re.compile(r"^[\s\W]*$|^\W*[\[(*♪].*[\])*♪]\W*$")
"""Nothing but punctuation, or a stage direction such as "[BLANK_AUDIO]" or "(music)"."""
_PIECE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]\s*|[^\s\u3040-\u30ff\u3400-\u9fff]+\s*")
"""A word; in Chinese and Japanese, which put no spaces between words, a character."""


@dataclass(frozen=True, slots=True)
class _Heard:
    """What one window held. `doubtful`: it may be misheard."""

    text: str = ""
    language: str = ""
    doubtful: bool = False


class Whisper:
    """A Whisper model in a folder of CTranslate2 files, in int8 on the CPU.

    `language` is a code, or "auto": the language is then detected in each utterance. Models that know English alone
    (`multilingual` is False) take everything for English. Raises CaptionError if the folder is not whole, or if there
    is no such language in the model.
    """

    def __init__(self, folder: Path, name: str, *, threads: int, language: str = AUTO) -> None:
        try:
            code = language_code(language)
        except ValueError as error:
            raise CaptionError(f"captions.language = {language!r}: {error}") from None
        absent = [file for file in ("config.json", "model.bin", "tokenizer.json") if not (folder / file).is_file()]
        if absent:
            raise CaptionError(f"{folder}: {absent[0]} is missing: run `parlor-tui models get`")
        # Threads that spin while they wait take the cores away from one another as soon as anything else runs.
        os.environ.setdefault("KMP_BLOCKTIME", "0")
        os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
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
        """See Captioner."""
        return self._hear(samples[-int(_WINDOW_S * SAMPLE_RATE_HZ) :], talk_language).text

    def final(self, samples: NDArray[np.float32], talk_language: str = "") -> FinalCaption:
        """See Captioner. What is doubtful, or longer than a window, is heard again in Whisper's own windows of 30 s."""
        if len(samples) <= _WINDOW_S * SAMPLE_RATE_HZ:
            heard = self._hear(samples, talk_language)
            if not heard.doubtful:
                return FinalCaption(heard.text, heard.language if heard.text else "")
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

    def _hear(self, spoken: NDArray[np.float32], talk_language: str) -> _Heard:
        """The words of at most one window. Encodes only the audio that is there (15-60 ms instead of 200).

        Whisper was taught on windows of 30 s, and on shorter ones does not always see where the words end. Having to
        write down the times of a segment keeps it from most of the loops that it then falls into, and the rest are
        seen by their words.
        """
        encoded = self._encode(spoken)
        language, sure = self._language, True
        if language == AUTO:
            token, probability = self._model.model.detect_language(encoded)[0][0]
            detected = token.strip("<|>")
            language = self._settle(detected, probability, talk_language)
            sure = probability >= _SURE or language == talk_language
        prompt = self._prompt(language)
        most = _MARKS + int(len(spoken) / SAMPLE_RATE_HZ * _TOKENS_PER_S.get(language, _MOST_TOKENS_PER_S))
        found = self._model.model.generate(
            encoded,
            [prompt],
            beam_size=1,
            max_length=2 * most,  # CTranslate2 counts Whisper's context, of which the words have one half
            return_scores=True,
            return_no_speech_prob=True,
        )[0]
        tokens, likely, nothing = found.sequences_ids[0], found.scores[0], found.no_speech_prob
        # The tokenizer takes the times for marks, and leaves them out. A character of several bytes may be cut in the
        # middle where the tokens end.
        words = str(self._model.hf_tokenizer.decode(self._words_of(tokens))).rstrip("\ufffd").strip()
        text = drop_echo(collapse_loops(words))
        looped = text != words
        if nothing > _SURELY_NO_SPEECH or (nothing > _NO_SPEECH and (looped or likely < _UNLIKELY)):
            return _Heard()
        doubtful = not sure or likely < _DOUBTFUL or (len(tokens) >= most and not looped)
        return _Heard("" if _HALLUCINATION.match(text) else text, language, doubtful)

    def _words_of(self, tokens: list[int]) -> list[int]:
        """`tokens` without times, which stand behind all other tokens in every Whisper."""
        last = self._model.hf_tokenizer.token_to_id("<|notimestamps|>")
        return [token for token in tokens if token < last]

    def _settle(self, detected: str, probability: float, talk_language: str) -> str:
        """The language to write in: the detected one, unless it is doubtful and the talk has one."""
        return detected if probability >= _SURE or not self._knows(talk_language) else talk_language

    def _knows(self, language: str) -> bool:
        """English-only models carry the marks of all languages, to no use."""
        if not self.multilingual:
            return language == "en"
        return self._model.hf_tokenizer.token_to_id(f"<|{language}|>") is not None and language in NAMES

    def _prompt(self, language: str) -> list[int]:
        marks = ("startoftranscript", language, "transcribe")
        tokens = self._model.hf_tokenizer
        return [tokens.token_to_id(f"<|{mark}|>") for mark in (marks if self.multilingual else marks[:1])]

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
    words = [_bare(piece) for piece in pieces]
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
    words = [_bare(piece) for piece in pieces]
    for end in range(1, len(words)):
        rest = words[end:]
        again = len(rest) <= end and rest[:-1] == words[: len(rest) - 1] and words[len(rest) - 1].startswith(rest[-1])
        if again and pieces[end - 1].rstrip()[-1] in ".!?。！？":
            return "".join(pieces[:end]).strip()
    return text


def _bare(piece: str) -> str:
    """A word as it is compared: it may begin or end a sentence here, and stand in its middle there."""
    word = piece.strip()
    return word.rstrip(",.!?…").casefold() or word

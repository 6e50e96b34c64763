"""Kokoro's voices: the files that hold them, the language of each, and which one speaks a given text."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from parlor_tui.speech.alphabet import LIMIT
from parlor_tui.speech.base import SpeechError
from parlor_tui.speech.scripts import LANGUAGE_OF_SCRIPT, main_script, scripts

STYLE_SIZE = 256
Styles = Mapping[str, NDArray[np.float32]]
"""Voices by name; each float32 of 510 x 1 x 256, a style for each count of letters."""

_LANGUAGES = {
    "a": "en-us",
    "b": "en-gb",
    "e": "es",
    "f": "fr",
    "h": "hi",
    "i": "it",
    "j": "ja",
    "p": "pt",
    "z": "zh",
}
"""The language of a voice, by the first letter of its name; the second one is f or m."""

_SPOKEN = frozenset(name[:2] for name in _LANGUAGES.values())

_ALSO_WRITTEN = {
    "han": ("ja",),
    "cyrillic": ("ru", "uk", "bg", "sr", "mk", "be", "kk"),
    "arabic": ("ar", "fa", "ur", "ps"),
    "devanagari": ("hi", "mr", "ne"),
}
"""Languages that share a script."""

# fmt: off
_BEST_FIRST = (
    "af_heart", "af_bella", "am_fenrir", "am_michael", "am_puck", "bf_emma", "bf_isabella", "bm_fable", "bm_george",
    "ef_dora", "em_alex", "ff_siwis", "hf_alpha", "hm_omega", "if_sara", "im_nicola", "jf_alpha", "jm_kumo",
    "pf_dora", "pm_alex", "zf_xiaobei", "zm_yunjian",
)
# fmt: on
"""Kokoro's makers grade their voices; these are the best of each language and sex."""

_NAMES = {
    "am": "Amharic",
    "ar": "Arabic",
    "bn": "Bengali",
    "cs": "Czech",
    "da": "Danish",
    "de": "German",
    "el": "Greek",
    "en": "English",
    "es": "Spanish",
    "fi": "Finnish",
    "fr": "French",
    "gu": "Gujarati",
    "he": "Hebrew",
    "hi": "Hindi",
    "hy": "Armenian",
    "it": "Italian",
    "ja": "Japanese",
    "ka": "Georgian",
    "km": "Khmer",
    "kn": "Kannada",
    "ko": "Korean",
    "lo": "Lao",
    "ml": "Malayalam",
    "my": "Burmese",
    "nl": "Dutch",
    "no": "Norwegian",
    "pa": "Punjabi",
    "pl": "Polish",
    "pt": "Portuguese",
    "ru": "Russian",
    "sv": "Swedish",
    "ta": "Tamil",
    "te": "Telugu",
    "th": "Thai",
    "tr": "Turkish",
    "uk": "Ukrainian",
    "vi": "Vietnamese",
    "zh": "Chinese",
}


@dataclass(frozen=True, slots=True)
class VoiceChoice:
    """Who speaks a text. `voice` is None if nobody can: the text is shown and not spoken.

    `language` is a code such as "en" or "zh". `notice` is one line to show once; empty if the wanted voice speaks.
    """

    voice: str | None
    language: str
    notice: str


def language_of(voice: str) -> str:
    """The language of `voice`, as `phonemes.phonemes` takes it. A name of no known kind counts as American English."""
    return _LANGUAGES.get(voice[:1], "en-us")


def choose_voice(
    text: str, wanted: str, available: Sequence[str], language: str | None = None, *, kanji: bool = False
) -> VoiceChoice:
    """Which of the `available` voices speaks `text`, if `wanted` is the one that was asked for.

    `language` is what the caller knows the text to be in ("fr", "pt-BR"; None if it does not know). The script of the
    text overrules it where the two cannot both be true. Latin letters alone tell no language: without `language` the
    wanted voice speaks them. `kanji` tells whether Japanese can be read that is not in kana alone (`readings.found`).
    """
    own = language_of(wanted)[:2]
    spoken = _language_of_text(text, own, language) or own
    if spoken == own and wanted in available:
        return _readable(VoiceChoice(wanted, own, ""), text, kanji)
    called = _NAMES.get(spoken, f"the language {spoken!r}")
    if spoken not in _SPOKEN:
        return VoiceChoice(None, spoken, f"{called} is shown and not spoken: Kokoro has no voice for it")
    names = [name for name in available if language_of(name)[:2] == spoken]
    if main_script(text) in ("", "latin") and language in (None, "", "auto"):
        names = names or list(available)
    instead = _best(names, wanted)
    why = f"{wanted} does not speak {called}" if spoken != own else f"there is no voice {wanted!r} here"
    return _readable(VoiceChoice(instead, spoken, _instead(why, instead)), text, kanji)


# fmt: off
_ENGLISH = frozenset({
    "a", "and", "are", "be", "can", "do", "for", "have", "he", "how", "i", "in", "is", "it", "not", "of", "on", "she",
    "that", "the", "they", "this", "to", "was", "we", "what", "you",
})
# fmt: on
_ENGLISH_SHARE = 0.25


def sounds_english(text: str) -> bool:
    """Whether `text` is surely English: a quarter of its words, and two at least, are that language's commonest."""
    words = re.findall(r"[a-z']+", text.lower())
    common = sum(word in _ENGLISH for word in words)
    return common >= 2 and common >= _ENGLISH_SHARE * len(words)


def read_voices(folder: Path) -> dict[str, NDArray[np.float32]]:
    """The voices in `folder`: `NAME.bin` (raw float32) and `*.npz` (an array for each name).

    Raises SpeechError if there is none, or a file is not a voice.
    """
    found: dict[str, NDArray[np.float32]] = {}
    for file in (*sorted(folder.glob("*.npz")), *sorted(folder.glob("*.bin"))):
        try:
            if file.suffix == ".npz":
                with np.load(file) as arrays:
                    found |= {name: _styles(arrays[name]) for name in arrays.files}
            else:
                found[file.stem] = _styles(np.fromfile(file, np.float32))
        except (OSError, ValueError, EOFError, zipfile.BadZipFile) as error:
            raise SpeechError(f"{file}: not a Kokoro voice; get the voices again ({error})") from error
    if not found:
        raise SpeechError(f"{folder}: there is no voice in it (*.bin or *.npz)")
    return found


def style(voice: NDArray[np.float32], count: int) -> NDArray[np.float32]:
    """The style of `voice` (1 x 256) for a text of `count` letters."""
    row: NDArray[np.float32] = voice[min(max(count, 1), len(voice)) - 1]
    return row.reshape(1, STYLE_SIZE)


def _styles(values: NDArray[np.float32]) -> NDArray[np.float32]:
    made = values.astype(np.float32).reshape(-1, 1, STYLE_SIZE)
    if not 0 < len(made) <= LIMIT + 2:
        raise ValueError(f"{len(made)} styles")
    return made


def _language_of_text(text: str, own: str, said: str | None) -> str:
    """The two letters of the language of `text`; empty if nothing tells it."""
    said = "" if said in (None, "auto") else said[:2].lower()
    written = main_script(text)
    if not written:
        return ""
    if written == "latin":
        return "" if said in LANGUAGE_OF_SCRIPT.values() else said
    if said in _ALSO_WRITTEN.get(written, ()):
        return said
    return own if written == "han" and own == "ja" and said != "zh" else LANGUAGE_OF_SCRIPT[written]


def _readable(choice: VoiceChoice, text: str, kanji: bool) -> VoiceChoice:
    if choice.language != "ja" or kanji or not scripts(text)["han"]:
        return choice
    why = "Japanese with kanji is shown and not spoken: pip install 'parlor-tui[ja]' makes it readable"
    return VoiceChoice(None, "ja", why)


def _best(names: Iterable[str], wanted: str) -> str | None:
    """The voice of the same sex as `wanted`, if there is one; among those the best."""
    order = {name: place for place, name in enumerate(_BEST_FIRST)}
    return min(names, key=lambda name: (name[1:2] != wanted[1:2], order.get(name, len(order)), name), default=None)


def _instead(why: str, voice: str | None) -> str:
    return f"{why}; {voice} speaks instead" if voice else f"{why}, and no voice here does: the text is shown only"

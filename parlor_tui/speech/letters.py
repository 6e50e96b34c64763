"""From espeak's phonemes to the letters that Kokoro was trained with. Pure.

Kokoro writes a diphthong or an affricate as one letter (`I` for the vowel of "my"), leaves out lengths in American
English, and knows the tones of Mandarin as arrows; espeak's plain IPA is understood less well.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

from parlor_tui.speech.alphabet import LETTERS

_Rules = Sequence[tuple[str, str]]

_ANY: _Rules = (
    ("dʒ", "ʤ"),
    ("tʃ", "ʧ"),
    ("dʑ", "ʥ"),
    ("tɕ", "ʨ"),
    ("dz", "ʣ"),
    ("ts", "ʦ"),
    ("aɪ", "I"),
    ("aʊ", "W"),
    ("eɪ", "A"),
    ("oʊ", "O"),
    ("əʊ", "Q"),
    ("ɔɪ", "Y"),
)
_ENGLISH: _Rules = (
    *_ANY,
    ("əl", "ᵊl"),
    ("n̩", "ᵊn"),
    ("l̩", "ᵊl"),
    ("\u0303", ""),
    ("ɐ", "ə"),
    ("ʔ", "t"),
    ("r", "ɹ"),
    ("x", "k"),
    ("ç", "k"),
    ("ɬ", "l"),
    ("e", "A"),
)
_AMERICAN: _Rules = (*_ENGLISH, ("ɚ", "əɹ"), ("ɜː", "ɜɹ"), ("ɪə", "iə"), ("o", "ɔ"), ("ɾ", "T"), ("ː", ""))
_BRITISH: _Rules = (("eə", "ɛː"), ("iə", "ɪə"), *_ENGLISH)
_JAPANESE: _Rules = (*_ANY, ("ˈ", ""), ("ˌ", ""), ("\u031e", ""), ("\u0308", ""), ("ɯᵝ", "ɯ"), ("w", "β"))

_NUCLEI = {
    "iou": "jou",
    "iɛ": "je",
    "iɑ": "ja",
    "io": "jo",
    "yi": "y",
    "yɛ": "ɥe",
    "yæ": "ɥɛ",
    "yə": "y",
    "ua": "wa",
    "uai": "wai",
    "uə": "wə",
    "uei": "wei",
    "uo": "wo",
    "o": "wo",
    "o-": "ɤ",
    "ə": "ɤ",
    "əː": "ə",
    "ər": "ɚ",
    "ɑ": "a",
    "ɑu": "au",
    "i.": "ɨ",
    "i̪": "ɨ",
    "ŋ-": "n",
}
_NUCLEI_BEFORE_N = {"iɛ": "jɛ", "ə": "ə"}
_INITIALS = {
    "tɕ": "ʨ",
    "tɕh": "ʨʰ",
    "ts.": "ꭧ",
    "ts.h": "ꭧʰ",
    "ts": "ʦ",
    "tsh": "ʦʰ",
    "s.": "ʂ",
    "ph": "pʰ",
    "th": "tʰ",
    "kh": "kʰ",
    "χ": "x",
    "ʐ": "ɻ",
}
_GLIDES: _Rules = (("jj", "j"), ("ji", "i"), ("jy", "y"), ("jɥ", "ɥ"), ("ww", "w"), ("wu", "u"))
_TONES = {"55": "→", "35": "↗", "214": "↓", "21": "↓", "51": "↘"}
_TONE_DIGIT = "[125ɜ]"
"""What ends the vowel of a syllable in espeak's IPA. It does not tell the first tone from the fourth."""


MANDARIN_SPELLED = {
    **dict.fromkeys("兄凶匈汹胸芎讻兇洶", "ɕjʊ→ŋ"),
    **dict.fromkeys("雄熊", "ɕjʊ↗ŋ"),
    **dict.fromkeys("穷琼穹邛茕窮瓊", "ʨʰjʊ↗ŋ"),
    **dict.fromkeys("窘炯迥囧", "ʨjʊ↓ŋ"),
}
"""Syllables for which espeak has no phonemes (it spells them in English), in Kokoro's letters."""


def letters(units: str, language: str, mnemonics: str = "") -> str:
    """Kokoro's letters for `units`, as `espeak.units` gives them for `language`.

    `mnemonics` is the same text as `espeak.mnemonics` gives it; Mandarin ("cmn") needs it for its tones.
    """
    if language == "cmn":
        units, mnemonics = (re.sub(r"\(en\).*?(\(cmn\)|$)", "", made) for made in (units, mnemonics))
    units = re.sub(r"\([a-z-]+\)", "", units)
    words = [[unit for unit in word.split("_") if unit] for word in units.split()]
    if language == "cmn":
        tones = iter(re.findall(r"\d+", mnemonics))
        made = [_mandarin(word, tones) for word in words]
    elif language == "ja":
        made = [_japanese("".join(_rewritten(unit, _JAPANESE) for unit in word)) for word in words]
    else:
        rules = {"en-us": _AMERICAN, "en": _BRITISH}.get(language, _ANY)
        made = ["".join(_rewritten(unit, rules) for unit in word) for word in words]
    return " ".join(filter(None, (_known(word) for word in made)))


def _rewritten(unit: str, rules: _Rules) -> str:
    for old, new in rules:
        unit = unit.replace(old, new)
    return unit


def _known(word: str) -> str:
    """`word` in the model's letters: what it lacks is taken apart, and only then left out."""
    parts = (letter if letter in LETTERS else unicodedata.normalize("NFD", letter) for letter in word)
    return "".join(part for part in "".join(parts) if part in LETTERS)


def _japanese(word: str) -> str:
    word = re.sub(r"([aeiou])\1", r"\1ː", unicodedata.normalize("NFD", word).replace("\u0308", ""))
    word = re.sub("ɯɯ", "ɯː", word)
    word = re.sub(r"(?<=[szʦʣɕʑʨʥʲ])ɯ", "ɨ", word)
    return re.sub(r"([kstpʨʦɕ])\1", r"ʔ\1", word)


def _mandarin(word: Sequence[str], tones: Iterator[str]) -> str:
    made = ""
    for place, unit in enumerate(word):
        bare = unit.strip("ˈˌ")
        if not re.search(_TONE_DIGIT, bare):
            made += _INITIALS.get(bare, bare)
            continue
        bare, arrow = re.sub(_TONE_DIGIT, "", bare), _TONES.get(next(tones, ""), "")
        if bare == "onɡ":
            made += f"ʊ{arrow}ŋ"
            continue
        before_n = place + 1 < len(word) and word[place + 1].strip("ˈˌ") in ("n", "ŋ")
        nucleus = _NUCLEI_BEFORE_N.get(bare) if before_n else None
        made += (nucleus or _NUCLEI.get(bare, bare)) + arrow
    return _rewritten(made, _GLIDES)

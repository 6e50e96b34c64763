"""Text in one language to the letters that every Kokoro runtime takes, by espeak-ng. Nothing is downloaded for it."""

from __future__ import annotations

import re
import unicodedata
from itertools import groupby

from parlor_tui.speech import espeak
from parlor_tui.speech.alphabet import LIMIT
from parlor_tui.speech.letters import MANDARIN_SPELLED, letters
from parlor_tui.speech.readings import kana
from parlor_tui.speech.scripts import script
from parlor_tui.speech.sentences import SentenceSplitter

_ESPEAK = {
    "en-us": "en-us",
    "en-gb": "en",
    "es": "es",
    "fr": "fr",
    "hi": "hi",
    "it": "it",
    "ja": "ja",
    "pt": "pt-br",
    "zh": "cmn",
}
LANGUAGES = tuple(_ESPEAK)
"""The languages that Kokoro v1.0 has voices for."""
_SCRIPTS = {"zh": ("han",), "ja": ("kana", "han"), "hi": ("devanagari",)}
"""Scripts of a language that is not written in Latin letters. Latin words in it are read as English."""

_WIDE = {wide: wide - 0xFEE0 for wide in range(0xFF01, 0xFF5F)} | str.maketrans(
    "。、｡､「」『』《》【】〈〉«»’।॥", ".,.,“”“”“”“”“”“”'.."
)
"""Letters, digits and marks of East Asian width, quotes and full stops of other scripts: as Kokoro has them."""
_MARK = re.compile(r"[;!?…—()“”]|[,:](?!\w)|\.(?=[\W_]*$)")
_OPENING = "(“"
_SENTENCE_MARKS = ".!?…"
_CLAUSE_MARKS = ",;:—"


_MONEY = re.compile(r"([$€£])\s?(\d[\d,]*)(\.\d+)?(\s(?:thousand|million|billion|trillion)\b)?")
_COINS = {"$": ("dollar", "cents"), "€": ("euro", "cents"), "£": ("pound", "pence")}


def phonemes(text: str, language: str) -> str:
    """Kokoro's letters for `text`, of any length; empty if nothing of it can be said in `language`.

    `language` is one of LANGUAGES. Marks between words are kept, for the pauses; a dot or comma inside a number is
    read with it. Characters of scripts that the language does not read are left out. Raises SpeechError.
    """
    splitter = SentenceSplitter(first_clause=False)
    text = _with_marks(text)
    sentences = [*splitter.feed(text), *splitter.finish()]
    return " ".join(filter(None, (_sentence(sentence, language) for sentence in sentences)))


def chunks(made: str, limit: int = LIMIT) -> list[str]:
    """`made`, cut between words into even parts of at most `limit` letters each, after marks where it can be.

    Nothing is lost but the spaces at the cuts. A word longer than `limit` is cut inside.
    """
    made = made.strip()
    if len(made) <= limit:
        return [made] if made else []
    middle = len(made) / 2
    spaces = [place for place, letter in enumerate(made) if letter == " "]
    if not spaces:
        half = len(made) // 2
        return chunks(made[:half], limit) + chunks(made[half:], limit)
    cut = min(spaces, key=lambda place: abs(place - middle) * _reluctance(made[place - 1]))
    return chunks(made[:cut], limit) + chunks(made[cut:], limit)


def pause_s(chunk: str) -> float:
    """Seconds of silence that belong after `chunk`, by the mark that it ends with."""
    if chunk[-1:] in tuple(_SENTENCE_MARKS):
        return 0.25
    return 0.1 if chunk[-1:] in tuple(_CLAUSE_MARKS) else 0.0


def _reluctance(letter: str) -> float:
    if letter in _SENTENCE_MARKS:
        return 0.4
    return 0.7 if letter in _CLAUSE_MARKS else 1.0


def _with_marks(text: str) -> str:
    text = re.sub(r"([，。、！？：；])(?=\S)", r"\1 ", unicodedata.normalize("NFC", text)).translate(_WIDE)
    text = re.sub(r'"(?=\w)', "“", text).replace('"', "”")
    return re.sub(r"\s+[-–]\s+", " — ", re.sub(r"\.{2,}", "…", text)).strip()


def _sentence(sentence: str, language: str) -> str:
    made, start = "", 0
    for mark in _MARK.finditer(sentence):
        made = _joined(made, _run(sentence[start : mark.start()], language))
        if made and mark[0] not in _OPENING:
            made = made.rstrip() + mark[0]
        elif mark[0] in _OPENING:
            made = _joined(made, mark[0])
        start = mark.end()
    made = _joined(made, _run(sentence[start:], language))
    return made if any(letter.isalpha() for letter in made) else ""


def _joined(made: str, more: str) -> str:
    if not made or not more or made[-1] in _OPENING:
        return made + more
    return f"{made} {more}"


def _run(text: str, language: str) -> str:
    """The letters of a piece of text that has no marks."""
    text = _decimals(text, language)
    own = _SCRIPTS.get(language, ("latin", "greek"))
    readers = [_reader(character, language, own) for character in text]
    for place in range(1, len(text) - 1):
        if text[place] in " '-" and readers[place - 1] == readers[place + 1]:
            readers[place] = readers[place - 1]
    said: list[str] = []
    for reader, group in groupby(zip(text, readers, strict=True), lambda pair: pair[1]):
        said.append(_read("".join(character for character, _ in group), reader) if reader else "")
    return " ".join(filter(None, said))


def _reader(character: str, language: str, own: tuple[str, ...]) -> str:
    """The language in which `character` is read; empty if it is left out."""
    name = script(character)
    if not name or name in own:
        return language
    return "en-us" if name == "latin" else ""


def _read(piece: str, language: str) -> str:
    if language == "zh":
        parts = re.split(f"([{''.join(MANDARIN_SPELLED)}])", piece)
        return " ".join(filter(None, (MANDARIN_SPELLED.get(part) or _said(part, "cmn") for part in parts)))
    if language == "ja":  # espeak reads kana only, and names any other character in English
        piece = "".join(" " if script(character) == "han" else character for character in kana(piece))
    return _said(piece, _ESPEAK[language])


def _said(piece: str, language: str) -> str:
    if not any(character.isalnum() or character in "%$€£¥&+=@°" for character in piece):
        return ""
    tones = espeak.mnemonics(piece, language) if language == "cmn" else ""
    return letters(espeak.units(piece, language), language, tones)


def _money(found: re.Match[str]) -> str:
    sign, whole, cents, scale = found.groups()
    unit, part = _COINS[sign]
    if scale:
        return f"{whole}{cents or ''}{scale} {unit}s"
    units = f"{whole} {unit}{'' if whole == '1' else 's'}"
    if cents is None:
        return units
    if len(cents) != len(".50"):
        return f"{whole}{cents} {unit}s"
    return units if cents == ".00" else f"{units} {int(cents[1:])} {part}"


def _decimals(text: str, language: str) -> str:
    """Decimal points, sums of money and the Chinese per cent in words, where espeak reads them wrongly."""
    if language.startswith("en"):
        return _MONEY.sub(_money, text)
    if language == "pt":
        return re.sub(r"(?<=\d)\.(?=\d{1,2}\b|\d{4,}\b)", ",", text)
    point = {"zh": "点", "ja": "てん"}.get(language)
    if point is None:
        return text
    if language == "zh":
        text = re.sub(r"(\d[\d.]*)\s*%", r"百分之\1", text)
    return re.sub(r"(?<=\d)\.(\d+)", lambda digits: f" {point} {' '.join(digits[1])} ", text)

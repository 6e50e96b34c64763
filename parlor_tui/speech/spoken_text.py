"""From text as it is written to text as it is said: no markup, no symbols that a voice would stumble over. Pure."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from parlor_tui.speech.english import english, english_before_units
from parlor_tui.speech.markup import plain
from parlor_tui.speech.quantities import with_currencies, with_dates, with_units


@dataclass(frozen=True, slots=True)
class _Signs:
    """What signs between words and numbers are called in a language."""

    at: str
    dot: str
    to: str = ""
    times: str = ""
    less: str = ""
    more: str = ""


_SIGNS = {
    "en": _Signs("at", "dot", "to", "times", "less than", "more than"),
    "de": _Signs("ät", "Punkt", "bis", "mal", "kleiner als", "größer als"),
    "es": _Signs("arroba", "punto", "a", "por", "menor que", "mayor que"),
    "fr": _Signs("arobase", "point", "à", "fois", "inférieur à", "supérieur à"),
    "it": _Signs("chiocciola", "punto", "a", "per", "minore di", "maggiore di"),
    "pt": _Signs("arroba", "ponto", "a", "vezes", "menor que", "maior que"),
    "hi": _Signs("ऐट", "डॉट", "से", "गुणा", "से कम", "से ज़्यादा"),
    "zh": _Signs("艾特", "点", "到", "乘以", "小于", "大于"),
    "ja": _Signs("アット", "ドット", "から", "かける", "", ""),
}
_PLAIN_SIGNS = _Signs("@", ".")

_EMAIL = re.compile(r"(?<![\w.+-])(?:mailto:)?([\w.+-]+)@([\w-]+(?:\.[\w-]+)+)(?!\w)")
_ADDRESS = re.compile(
    r"\b(?:https?|ftp)://(?:[^\s/@]*@)?(?:www\.)?([^\s/:?#<>()\[\]\"'|]+)[^\s<>\"|]*?(?=[.,;:!?)\]'’”]*(?:\s|$))|\bwww\.([\w-]+(?:\.[\w-]+)+)[^\s<>\"|]*?(?=[.,;:!?)\]'’”]*(?:\s|$))"
)
_SITE = re.compile(
    r"(?<![\w.@/-])((?:[a-zA-Z0-9-]+\.)+(?:com|org|net|edu|gov|io|ai|dev|app|info|co\.uk|de|fr|es|it|br|jp|cn|in|eu|uk|ch|at"
    r"|nl|py|js|ts|md|txt|toml|json|yaml|yml|csv|pdf|html|css|sh|exe|zip|rs|go|cpp|env|log))(/[\w/.%~?=&#+-]*\w/?|/)?(?![\w@])"
)
_PHONE = re.compile(
    r"(?<![\w.,+-])(\+\d{1,3}[\s.-]?)?(\(\d{2,4}\)\s?|\d{2,4}[\s.-])(\d{3,4})([\s.-]\d{3,4})(?![\w-]|[.,]\d)"
    r"|(?<![\w.,-])(\+\d[\d\s-]{6,16}\d)(?![\w-])|(?<![\w.,+-])(\d{3}-\d{4})(?![\w-])"
)
_SAME = str.maketrans({"−": "-", "℃": "°C", "℉": "°F"} | {chr(0x2080 + digit): str(digit) for digit in range(10)})
_LEFT = re.compile(r"[<>{}\[\]\\^~#|`*_\u2190-\u21ff\u2200-\u22ff]")


def spoken_text(text: str, language: str = "en") -> str:
    """`text` ready for a voice of `language`; empty when nothing of it can be said.

    Numbers are left to the voice, except where a person says them otherwise than it does. In English signs, money,
    dates, times and years are put in words, too; in other languages units, currencies, dates and what separates
    addresses. Code, formatting, pictures and a model's own tokens and thoughts are left out.
    """
    language = language.lower().replace("_", "-").split("-")[0] or "en"
    for _ in range(_MOST_PASSES):
        said = _said_once(text, language)
        if said == text:
            break
        text = said
    return text


_MOST_PASSES = 5
"""What one pass uncovers ("a link in code") the next one sees; two are enough but for what nobody writes."""


def _said_once(text: str, language: str) -> str:
    signs = _SIGNS.get(language, _PLAIN_SIGNS)
    text = plain(unicodedata.normalize("NFC", text))
    text = _PHONE.sub(_digit_by_digit, _with_addresses(text, signs))
    text = text.translate(_SAME)
    if language == "en":
        text = english(with_units(english_before_units(text), "en"))
    else:
        text = with_dates(with_units(with_currencies(text, language), language), language)
        text = _with_signs(text, signs)
    text = re.sub(r"(?<=\w)_+(?=\w)", " ", text)
    text = re.sub(r"(?<![\w@])@(?=\w)", f"{signs.at} ", text)
    text = re.sub(r"\s*[—–]+\s*", ", ", re.sub(r"(?<=\d)\s?–\s?(?=\d)", "-", text))
    text = _LEFT.sub(" ", text)
    text = re.sub(r"\(\s*\)|(?<!\w)\"\s*\"", " ", text)
    text = re.sub(r"\s+([,;:.!?…](?:\s|$))", r"\1", re.sub(r"\s+", " ", text))
    text = re.sub(r"([,;:])(?:\s*[,;:])+(?=\s|$)", r"\1", text)
    text = re.sub(r"\s+(?=[，。、！？；：])", "", text)
    text = re.sub(r"^(?:[,;:\s]|[-+=•·](?!\w))+", "", text.strip())
    return text if any(character.isalnum() for character in text) else ""


def _with_addresses(text: str, signs: _Signs) -> str:
    def said(name: str) -> str:
        return re.sub(r"\.", f" {signs.dot} ", name) if signs.dot != "." else name

    slash = " slash " if signs.dot == "dot" else " / "
    text = _EMAIL.sub(lambda found: f"{said(found[1])} {signs.at} {said(found[2])}", text)
    text = _ADDRESS.sub(lambda found: said(found[1] or found[2]), text)
    return _SITE.sub(lambda found: said(found[1]) + re.sub("/", slash, found[2] or "").removesuffix(slash), text)


def _digit_by_digit(found: re.Match[str]) -> str:
    """A telephone number: its groups, digit by digit."""
    groups = re.findall(r"\d+", found[0])
    if not found[1] and not found[5] and not found[6] and not re.search(r"[-.(]", found[0]):
        return found[0]  # "1 000 000", or numbers in a row
    said = ", ".join(" ".join(group) for group in groups)
    return f"+{said}" if found[0].startswith("+") else said


def _with_signs(text: str, signs: _Signs) -> str:
    text = re.sub(r"(?<![\w.,:/-])(\d{1,4})\s?[-–]\s?(\d{1,4})(?![\w:/-]|[.,]\d)", lambda m: _range(m, signs), text)
    for pattern, word in (
        (r"(?<=\d)\s?[×*]\s?(?=\d)", signs.times),
        (r"(?<=\w)\s<\s(?=\w)", signs.less),
        (r"(?<=\w)\s>\s(?=\w)", signs.more),
    ):
        text = re.sub(pattern, f" {word} " if word else " ", text)
    return text


def _range(found: re.Match[str], signs: _Signs) -> str:
    in_order = signs.to and int(found[1]) < int(found[2])
    return f"{found[1]} {signs.to} {found[2]}" if in_order else found[0]

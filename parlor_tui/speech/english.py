"""Numbers, dates, money and signs as a person says them in English, where espeak would spell them out. Pure.

Plain numbers stay digits: espeak reads them. Nothing of what this makes is changed by a second pass.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date

_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_MONTH = "|".join([*_MONTHS, "Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept|Sep|Oct|Nov|Dec"])
_TENS = {"10": "tens", "20": "twenties", "30": "thirties", "40": "forties", "50": "fifties", "60": "sixties",
         "70": "seventies", "80": "eighties", "90": "nineties", "00": "hundreds"}  # fmt: skip
_MONEY_NAMES = {
    "$": ("dollar", "dollars", "cent", "cents"), "€": ("euro", "euros", "cent", "cents"),
    "£": ("pound", "pounds", "penny", "pence"), "¥": ("yen", "yen", "", ""), "₹": ("rupee", "rupees", "paisa", "paise"),
}  # fmt: skip
_SCALES = {"k": "thousand", "m": "million", "mn": "million", "b": "billion", "bn": "billion", "t": "trillion"}
_FRACTIONS = {"2": ("half", "halves"), "3": ("third", "thirds"), "4": ("quarter", "quarters"), "5": ("fifth", "fifths"),
              "6": ("sixth", "sixths"), "8": ("eighth", "eighths")}  # fmt: skip
_SMALL = {"½": "1/2", "⅓": "1/3", "⅔": "2/3", "¼": "1/4", "¾": "3/4", "⅕": "1/5", "⅛": "1/8"}
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_ROMAN = {"I": 1, "V": 5, "X": 10}
_KINGS = (
    "Henry|Louis|Elizabeth|George|Charles|Edward|William|James|John|Paul|Benedict|Pius|Leo|Philip|Richard|Napoleon|"
    "Nicholas|Catherine|Peter|Alexander|Frederick|Wilhelm|Ramses|Ramesses|Ptolemy|Francis|Gregory|Clement|Innocent|Mary"
)
_PARTS = "Chapter|Part|Volume|War|Act|Book|Section|Phase|Type|Level|Class|Stage|Figure|Table|Article|Title|Bowl|Mark"
_ABBREVIATIONS = {
    "vs": "versus", "approx": "approximately", "Mt": "Mount", "Fig": "Figure", "fig": "figure", "Ave": "Avenue",
    "Blvd": "Boulevard", "Rd": "Road", "Jr": "Junior", "Sr": "Senior", "Prof": "Professor", "Gen": "General",
    "Capt": "Captain", "Sgt": "Sergeant", "Lt": "Lieutenant", "Col": "Colonel", "Gov": "Governor", "Sen": "Senator",
}  # fmt: skip
_HALF = r"([aApP])\.?\s?[mM]\b(?:\.(?!\s*[\"'”’)]*\s*$))?(?!\w)"
"""Before or after noon. A dot that ends the text stays."""
_COUNTED = (
    r"(?!\s(?:(?:square|cubic)\s)?(?:kilo|mega|giga|tera|milli|centi|micro|nano)?(?:meters?|grams?|bytes?|watts?|hertz|"
    r"liters?|seconds?|minutes?|hours?|dollars?|euros?|pounds?|yen|rupees?|miles?|feet|foot|yards?|ounces?|degrees?|"
    r"volts?|calories?|people|years?|days?|times|percent|words|tokens|points|items)\b)"
)
"""A number before these is no year."""


def english_before_units(text: str) -> str:
    """`text` with what only seems to have units in words: decades, millions, feet with inches."""
    for pattern, words in _BEFORE_UNITS:
        text = pattern.sub(words, text)
    return text


def english(text: str) -> str:
    """`text`, without markup and with its units in words, as it is said."""
    for fraction, written in _SMALL.items():
        text = re.sub(rf"(?<=\d)\s?{fraction}", f" and {written}", text).replace(fraction, written)
    for pattern, words in _RULES:
        text = pattern.sub(words, text)
    return text


def _ordinal(number: int) -> str:
    ending = "th" if 10 < number % 100 < 14 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def _date(year: int, month: int, day: int) -> str | None:
    try:
        made = date(year, month, day)
    except ValueError:
        return None
    return f"{_MONTHS[made.month - 1]} {_ordinal(made.day)}, {year:04d}"


def _iso_date(found: re.Match[str]) -> str:
    return _date(int(found[1]), int(found[2]), int(found[3])) or found[0]


def _slashed_date(found: re.Match[str]) -> str:
    first, second = int(found[1]), int(found[2])
    year = int(found[3]) if len(found[3]) == len("2024") else 2000 + int(found[3])
    return _date(year, first, second) or _date(year, second, first) or found[0]


def _month_day(found: re.Match[str]) -> str:
    month = next(name for name in _MONTHS if name.startswith(found[1][:3]))
    return f"{month} {_ordinal(int(found[2]))}" if 0 < int(found[2]) < 32 else found[0]


def _time(found: re.Match[str]) -> str:
    hour, minute, half = int(found[1]), found[2], found[3]
    if hour > 24:
        return found[0]
    after = f" {half[0].upper()}M" if half else ""
    if minute == "00":
        return f"{hour}{after}" if half else f"{hour} o'clock" if 0 < hour <= 12 else f"{hour} hundred hours"
    return f"{hour} {f'oh {minute[1]}' if minute[0] == '0' else minute}{after}"


def _money(found: re.Match[str]) -> str:
    sign, whole, cents, scale = found.groups()
    one, many, cent, more_cents = _MONEY_NAMES[sign]
    if scale:
        return f"{whole}{cents or ''} {_SCALES.get(scale.strip().lower(), scale.strip())} {many}"
    units = f"{whole} {one if whole == '1' else many}"
    if cents is None:
        return units
    if len(cents) != len(".50") or not cent:
        return f"{whole}{cents} {many}"
    part = int(cents[1:])
    parts = f"{part} {cent if part == 1 else more_cents}"
    return units if part == 0 else parts if whole == "0" else f"{units} and {parts}"


def _fraction(found: re.Match[str]) -> str:
    count, of = found[1], found[2]
    if (count, of) == ("24", "7"):
        return "24 7"
    if of in _FRACTIONS and int(count) < int(of):
        return f"{'a' if found[0] == '1/2' else count} {_FRACTIONS[of][count != '1']}"
    return f"{count} out of {of}" if of in ("10", "100") else f"{count} over {of}"


def _range(found: re.Match[str]) -> str:
    first, last = found[1], found[2]
    return f"{first} to {last}" if float(first) < float(last) else found[0]


def _year(found: re.Match[str]) -> str:
    century, rest = found[1], found[2]
    if century == "20" and rest[0] == "0":
        return found[0]
    return f"{century} {'hundred' if rest == '00' else f'oh {rest[1]}' if rest[0] == '0' else rest}"


def _roman_value(written: str) -> int:
    values = [_ROMAN[letter] for letter in written]
    return sum(-a if a < b else a for a, b in zip(values, [*values[1:], 0], strict=True))


def _king(found: re.Match[str]) -> str:
    return f"{found[1]} the {_ordinal(_roman_value(found[2]))}"


def _part(found: re.Match[str]) -> str:
    return f"{found[1]} {_roman_value(found[2])}"


def _dotted(found: re.Match[str]) -> str:
    return " point ".join(found[1].split("."))


def _decade(found: re.Match[str]) -> str:
    century, tens = found[1], f"{found[2]}0"
    if tens == "00":
        return f"{century} hundreds" if century != "20" else "2 thousands"
    return f"{century} {_TENS[tens]}"


_Words = str | Callable[[re.Match[str]], str]
_PAIRS: tuple[tuple[str, _Words], ...] = (
    (r"(?<![\w-])(\d{4})-(\d{2})-(\d{2})(?![\w-])", _iso_date),
    (r"(?<![\w/])(\d{1,2})/(\d{1,2})/(\d{4}|\d{2})(?![\w/])", _slashed_date),
    (r"(?<![\w:.])(\d{1,2}):([0-5]\d)(?::[0-5]\d)?" + rf"(?:\s?{_HALF})?(?![:\d])", _time),
    (rf"(?<=\d)\s?{_HALF}", lambda m: f" {m[1].upper()}M"),
    (r"([$€£¥₹])\s?(\d+(?:[,.]\d+)*)\s?[-–]\s?\1?(\d+(?:[,.]\d+)*)(?!\w)", lambda m: f"{m[2]} to {m[1]}{m[3]}"),
    (
        r"(?:US)?([$€£¥₹])\s?(\d+(?:,\d{3})*)(\.\d+)?(\s(?:thousand|million|billion|trillion)\b|(?:[kKmMbBtT]|bn|mn)\b)?",
        _money,
    ),
    (r"(?<![\w.])(\d+(?:,\d{3})*(?:\.\d+)?)\s?([€£])(?!\w)", lambda m: f"{m[1]} {_MONEY_NAMES[m[2]][m[1] != '1']}"),
    (r"(?<!\w)[vV](?:er\.?\s?)?(\d+(?:\.\d+)+)(?!\w)", lambda m: f"version {_dotted(m)}"),
    (r"(?<![\w.])(\d+(?:\.\d+){2,})(?!\w)", _dotted),
    (rf"\b({_MONTH})\.?\s(\d{{1,2}})(?![\w:]|[.,]\d)", _month_day),
    (r"(?<![\w/.,-])(\d{1,3})/(\d{1,3})(?![\w/]|\.\d)", _fraction),
    (r"(?<![\w.,:/-])(\d{1,4}(?:\.\d+)?)\s?[-–]\s?(\d{1,4}(?:\.\d+)?)(?![\w:/-]|[.,]\d)", _range),
    (r"(?<=\d)\s[-–−]\s(?=\d)", " minus "),
    (r"(?<![\w.,:/$#+-])(1[1-9]|20)(\d\d)(?![\w:/%]|[.,]\d|-\d)" + _COUNTED, _year),
    (rf"\b({_KINGS})\s([IVX]{{2,6}})\b", _king),
    (rf"\b((?:World\s)?(?:{_PARTS}))\s([IVX]{{1,6}})\b(?!['’.]\w)", _part),
    (r"\b(No|Nos)\.\s?(?=\d)|№\s?|(?<![\w&])#(?=\d)", "number "),
    (r"\b([CFJ])#", r"\1 sharp"),
    (r"(?<![\w&])#(?=[^\W\d])", "hashtag "),
    (r"\bPh\.\s?D\b\.?(?!\w)", "PhD"),
    (rf"\b({'|'.join(_ABBREVIATIONS)})\.(?=\s)", lambda m: _ABBREVIATIONS[m[1]]),
    (r"\bw/o\b", "without"),
    (r"\bw/(?=\s|\w)", "with "),
    (r"\band/or\b", "and or"),
    (r"\b(he|his|him|yes|true|on)/(she|hers?|no|false|off)\b", r"\1 or \2"),
    (r"(?<=[^\W\d_])/(?=[^\W\d_])", " slash "),
    (r"(?<=[\w)])²(?![⁰¹²³⁴-⁹])", " squared"),
    (r"(?<=[\w)])³(?![⁰¹²³⁴-⁹])", " cubed"),
    (r"\s?×\s?", " times "),
    (r"\s?÷\s?", " divided by "),
    (r"\s?±\s?", " plus or minus "),
    (r"\s?≤\s?", " is at most "),
    (r"\s?≥\s?", " is at least "),
    (r"\s?≠\s?", " is not "),
    (r"\s?≈\s?|(?<![\w~])~(?=\d)", " about "),
    (r"√", " square root of "),
    (r"∞", " infinity "),
    (r"(?<=[\w)])\s?(?:<=)\s?(?=[\w(-])", " is at most "),
    (r"(?<=[\w)])\s?(?:>=)\s?(?=[\w(-])", " is at least "),
    (r"(?<=[\w)])\s?(?:->|=>|→|⇒|➜)\s?(?=[\w(])", " to "),
    (r"(?<=[\w)])\s<\s(?=[\w(-])|(?<=\d)<(?=\d)", " is less than "),
    (r"(?<=[\w)])\s>\s(?=[\w(-])|(?<=\d)>(?=\d)", " is more than "),
    (r"(?<!\w)<\s?(?=\d)", "less than "),
    (r"(?<!\w)>\s?(?=\d)", "more than "),
    (r"(?<=\w)\^(?=\w)", " to the power of "),
    (r"(?<![\w.:])(\d+):(\d+)(?![\w:])", r"\1 to \2"),
    (r"(?<=[\w)])([⁰¹²³⁴-⁹]+)", lambda m: f" to the power of {m[1].translate(_RAISED)}"),
    (r"§\s?(?=\d)", "section "),
    (r"(?<=\d)°(?!\w)", " degrees"),
)


_BEFORE_UNITS: tuple[tuple[re.Pattern[str], _Words], ...] = (
    (re.compile(r"(?<![\w.,$-])(1[1-9]|20)(\d)0['’]?s\b"), _decade),
    (re.compile(r"(?<!\w)['’](\d0)s\b"), lambda found: _TENS[found[1]]),
    (re.compile(r"([$€£¥₹]\s?\d[\d.,]*)\s?m\b"), r"\1 million"),
    (re.compile(r"(?<!\w)(\d+)\s?(?:'|′|ft\b)\s?(\d+)\s?(?:\"|″|in\b)(?!\w)"), r"\1 feet \2 inches"),
)
_RULES = tuple((re.compile(pattern), words) for pattern, words in _PAIRS)

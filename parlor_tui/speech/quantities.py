"""Units, currencies and dates in the words of a language, by Babel (the tables of Unicode's CLDR). Pure."""

from __future__ import annotations

import re
from datetime import date
from decimal import Decimal, InvalidOperation
from functools import cache

NUMBER = r"\d+(?:[.,\u00a0\u202f'’]\d+)*"

# fmt: off
_UNITS = {
    "km": "length-kilometer", "m": "length-meter", "cm": "length-centimeter", "mm": "length-millimeter",
    "µm": "length-micrometer", "nm": "length-nanometer", "mi": "length-mile", "ft": "length-foot", "yd": "length-yard",
    "km²": "area-square-kilometer", "m²": "area-square-meter", "cm²": "area-square-centimeter", "ha": "area-hectare",
    "m³": "volume-cubic-meter", "cm³": "volume-cubic-centimeter", "ft²": "area-square-foot",
    "l": "volume-liter", "L": "volume-liter", "ml": "volume-milliliter", "mL": "volume-milliliter",
    "cl": "volume-centiliter", "dl": "volume-deciliter", "kg": "mass-kilogram", "g": "mass-gram",
    "mg": "mass-milligram", "lb": "mass-pound", "lbs": "mass-pound", "oz": "mass-ounce",
    "km/h": "speed-kilometer-per-hour", "kmh": "speed-kilometer-per-hour", "kph": "speed-kilometer-per-hour",
    "mph": "speed-mile-per-hour", "m/s": "speed-meter-per-second",
    "°C": "temperature-celsius", "℃": "temperature-celsius", "°F": "temperature-fahrenheit",
    "℉": "temperature-fahrenheit",
    "bit": "digital-bit", "kB": "digital-kilobyte", "KB": "digital-kilobyte", "MB": "digital-megabyte",
    "GB": "digital-gigabyte", "TB": "digital-terabyte", "PB": "digital-petabyte",
    "Hz": "frequency-hertz", "kHz": "frequency-kilohertz", "MHz": "frequency-megahertz", "GHz": "frequency-gigahertz",
    "W": "power-watt", "kW": "power-kilowatt", "MW": "power-megawatt", "kWh": "energy-kilowatt-hour",
    "V": "electric-volt", "mA": "electric-milliampere", "Ω": "electric-ohm",
    "kcal": "energy-kilocalorie", "kJ": "energy-kilojoule", "hPa": "pressure-hectopascal", "ms": "duration-millisecond",
    "s": "duration-second", "sec": "duration-second", "min": "duration-minute", "mins": "duration-minute",
    "h": "duration-hour", "hr": "duration-hour", "hrs": "duration-hour",
}
# fmt: on
_SYMBOLS = "|".join(map(re.escape, sorted(_UNITS, key=len, reverse=True)))
_MEASURED = re.compile(rf"(?<![A-Za-z0-9_.,])([-−]?)({NUMBER})\s?({_SYMBOLS})(?![A-Za-z0-9_/²³°'’])")
_CURRENCIES = {
    "$": "USD",
    "€": "EUR",
    "£": "GBP",
    "¥": "JPY",
    "₹": "INR",
    "₩": "KRW",
    "₽": "RUB",
    "₺": "TRY",
    "฿": "THB",
}
_SIGNS = "".join(_CURRENCIES)
_MONEY = re.compile(
    rf"([{_SIGNS}])\s?({NUMBER})(?![A-Za-z0-9_])|(?<![A-Za-z0-9_.,])({NUMBER})\s?([{_SIGNS}])(?![A-Za-z0-9_])"
)
_DATE = re.compile(r"(?<![\w-])(\d{4})-(\d{2})-(\d{2})(?![\w-])")


@cache
def _locale(language: str) -> str | None:
    """Babel's name for `language`; None if it has no tables for it."""
    from babel.core import Locale, UnknownLocaleError

    try:
        return str(Locale.parse(language.replace("-", "_"), sep="_"))
    except (UnknownLocaleError, ValueError):
        return None


def with_units(text: str, language: str) -> str:
    """`text` with the units behind numbers in words: "5 km" is "5 kilometers"."""
    locale = _locale(language)
    if locale is None or not any(character.isdigit() for character in text):
        return text

    def words(found: re.Match[str]) -> str:
        from babel.numbers import format_decimal
        from babel.units import format_unit

        sign, number, unit = found.groups()
        value = _value(number, language)
        if value is None:
            return found[0]
        said = format_unit(value, _UNITS[unit], length="long", locale=locale)
        shown = format_decimal(value, locale=locale)
        made = said.replace(shown, f" {number} " if language in ("zh", "ja") else number).replace("\u00a0", " ")
        return f"{'-' if sign else ''}{made.replace(chr(0x202F), ' ').strip()}"

    return _MEASURED.sub(words, text)


def with_currencies(text: str, language: str) -> str:
    """`text` with the signs of currencies in words, behind their sums."""
    locale = _locale(language)
    if locale is None or not any(sign in text for sign in _SIGNS):
        return text

    def words(found: re.Match[str]) -> str:
        from babel.numbers import get_currency_name

        number, sign = found[2] or found[3], found[1] or found[4]
        value = _value(number, language)
        if value is None:
            return found[0]
        return f"{number} {get_currency_name(_CURRENCIES[sign], count=value, locale=locale)}"

    return _MONEY.sub(words, text)


def with_dates(text: str, language: str) -> str:
    """`text` with dates such as 2026-11-30 in words."""
    locale = _locale(language)
    if locale is None:
        return text

    def words(found: re.Match[str]) -> str:
        from babel.dates import format_date

        try:
            day = date(int(found[1]), int(found[2]), int(found[3]))
        except ValueError:
            return found[0]
        return format_date(day, "long", locale=locale)

    return _DATE.sub(words, text)


def _value(number: str, language: str) -> Decimal | None:
    """The value of a number as it is written in `language`."""
    bare = re.sub(r"[\u00a0\u202f'’]", "", number)
    if bare.count(".") + bare.count(",") == 1 and not re.search(r"[.,]\d{3}$", bare):
        bare = bare.replace(",", ".")  # the decimal mark, whatever the language
    elif language in ("en", "zh", "ja", "hi"):
        bare = bare.replace(",", "")
    else:
        bare = bare.replace(".", "").replace(",", ".")
    try:
        return Decimal(bare)
    except InvalidOperation:
        return None

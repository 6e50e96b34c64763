"""The languages that multilingual Whisper models know, and how people write them."""

from __future__ import annotations

import difflib
import re

AUTO = "auto"

_TABLE = """
af Afrikaans, am Amharic, ar Arabic, as Assamese, az Azerbaijani, ba Bashkir, be Belarusian, bg Bulgarian, bn Bengali,
bo Tibetan, br Breton, bs Bosnian, ca Catalan, cs Czech, cy Welsh, da Danish, de German, el Greek, en English,
es Spanish, et Estonian, eu Basque, fa Persian, fi Finnish, fo Faroese, fr French, gl Galician, gu Gujarati, ha Hausa,
haw Hawaiian, he Hebrew, hi Hindi, hr Croatian, ht Haitian Creole, hu Hungarian, hy Armenian, id Indonesian,
is Icelandic, it Italian, ja Japanese, jw Javanese, ka Georgian, kk Kazakh, km Khmer, kn Kannada, ko Korean, la Latin,
lb Luxembourgish, ln Lingala, lo Lao, lt Lithuanian, lv Latvian, mg Malagasy, mi Maori, mk Macedonian, ml Malayalam,
mn Mongolian, mr Marathi, ms Malay, mt Maltese, my Burmese, ne Nepali, nl Dutch, nn Nynorsk, no Norwegian, oc Occitan,
pa Punjabi, pl Polish, ps Pashto, pt Portuguese, ro Romanian, ru Russian, sa Sanskrit, sd Sindhi, si Sinhala, sk Slovak,
sl Slovenian, sn Shona, so Somali, sq Albanian, sr Serbian, su Sundanese, sv Swedish, sw Swahili, ta Tamil, te Telugu,
tg Tajik, th Thai, tk Turkmen, tl Tagalog, tr Turkish, tt Tatar, uk Ukrainian, ur Urdu, uz Uzbek, vi Vietnamese,
yi Yiddish, yo Yoruba, yue Cantonese, zh Chinese
"""
NAMES: dict[str, str] = dict(entry.strip().split(" ", 1) for entry in _TABLE.replace("\n", " ").split(","))
"""English name by code, in the order of the codes."""

_OTHER_CODES = {"nb": "no", "cmn": "zh", "iw": "he", "in": "id", "jv": "jw", "fil": "tl", "mandarin": "zh"}
"""What is written elsewhere for a language that Whisper calls by another code."""


def language_code(wanted: str) -> str:
    """The code of the language that a person wrote: "DE", "de-AT", "pt_BR", "German" and "auto" are understood.

    Raises ValueError naming near codes if there is no such language.
    """
    plain = " ".join(wanted.strip().lower().split())
    if plain == AUTO:
        return AUTO
    by_name = {name.lower(): code for code, name in NAMES.items()} | _OTHER_CODES
    code = re.split(r"[-_]", plain, maxsplit=1)[0]
    for candidate in (plain, code):
        if candidate in NAMES:
            return candidate
        if candidate in by_name:
            return by_name[candidate]
    raise ValueError(f"no such language; {_near(plain, by_name)}")


def _near(plain: str, by_name: dict[str, str]) -> str:
    names = difflib.get_close_matches(plain[:20], by_name, n=2, cutoff=0.7)
    codes = [by_name[name] for name in names]
    if len(plain) <= 5:
        codes += difflib.get_close_matches(plain, NAMES, n=3, cutoff=0.5)
    near = [f"{code} ({NAMES[code]})" for code in dict.fromkeys(codes)][:3]
    return f"did you mean {', '.join(near)}?" if near else 'give "auto" or a code such as "de", "fr" or "zh"'

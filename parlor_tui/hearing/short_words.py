"""Which short utterances are no turn: what listeners murmur, and what Whisper makes of sounds that are no speech."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

_HUMS = frozenset(
    (
        *("m", "hm", "mh", "mhm", "mhmh", "hmhm", "mhmhm", "em", "hem", "um", "uhm", "ehm", "er", "erm", "uh", "ah"),
        *(
            "eh",
            "oh",
            "huh",
            "aha",
            "ahah",
            "uhuh",
            "uhu",
            "oho",
            "ohoh",
            "ha",
            "haha",
            "hah",
            "he",
            "heh",
            "hehe",
            "wow",
        ),
    )
)
"""The same in every language; each letter once, however often it is written."""

_MURMURS = {
    "en": """
        yeah, yep, yup, ya, okay, ok, okey, right, alright, all right, sure, cool, nice, great, good, fine, perfect
        neat
        i see, i know, i get it, got it, gotcha, oh really, really, is that so, interesting, of course, exactly, true
        indeed, absolutely, totally, makes sense, that makes sense, fair enough, you're right, that's right
        that's true
        that's good, that's great, that's nice, oh my, oh my god, oh, ah, so, aw, my god, amazing, awesome, wonderful
    """,
    "de": """
        okay, ok, aha, ach so, achso, ach, ah ja, genau, stimmt, klar, gut, schön, alles klar, verstehe, ich verstehe
        verstanden, interessant, echt, wirklich, naja, tja, so so, soso, na dann, super, toll, prima, richtig, eben, eh
        ach ja, ja genau, ja klar, ja okay, ja gut, mensch
    """,
    "nl": """
        oké, ok, okay, aha, o, precies, klopt, goed, mooi, leuk, ik snap het, ik begrijp het, snap ik, echt, echt waar
        interessant, tuurlijk, natuurlijk, juist, inderdaad, nou, zo, ja hoor, ja precies
    """,
    "fr": """
        d'accord, ok, okay, ah bon, ah oui, ah d'accord, bien, très bien, c'est vrai, vraiment, exactement, tout à fait
        je vois, je comprends, compris, ouais, voilà, bien sûr, évidemment, super, intéressant, ah, eh ben, ben ouais
        hein
        oui oui
    """,
    "es": """
        vale, ok, okay, okey, ya, ya veo, ajá, claro, claro que sí, bien, muy bien, bueno, entiendo, comprendo
        ya entiendo
        de verdad, en serio, exacto, exactamente, por supuesto, interesante, genial, qué bien, cierto, así es, anda
        mira
        sí claro, sí sí
    """,
    "it": """
        ok, okay, va bene, bene, certo, capisco, ho capito, capito, ah sì, ah ecco, ecco, davvero, esatto, esattamente
        giusto, già, interessante, bello, d'accordo, perfetto, ma dai, vero, sì sì, sì certo
    """,
    "pt": """
        ok, okay, tá, tá bom, tá bem, está bem, certo, entendi, entendo, percebo, pois, pois é, claro, sei, ah sim
        é mesmo
        é verdade, verdade, sério, legal, interessante, exato, exatamente, com certeza, beleza, que bom, sim sim
    """,
    "zh": """
        嗯, 嗯嗯, 哦, 噢, 喔, 啊, 呃, 好, 好的, 对, 对对, 对对对, 對, 對對, 是的, 是啊, 明白, 明白了, 知道了, 我知道
        真的, 真的吗
        真的嗎, 原来如此, 原來如此, 原来是这样, 有意思, 这样啊, 這樣啊, 没错, 沒錯, 当然, 當然, 嘿, 哇
    """,
    "ja": """
        うん, うんうん, うーん, ええ, へえ, へー, ふーん, ふうん, ほう, なるほど, なるほどね, そう, そうか
        そうですか, そうですね
        そうなんだ, そうなんですか, そっか, ああ, あー, おお, 本当, 本当に, ほんと, 確かに, たしかに, すごい
        わかった, 分かりました
    """,
    "hi": "हम्म, अच्छा, ठीक, ठीक है, सही, सही है, हाँ हाँ, ओके, वाह, समझ गया, समझ गई, बिल्कुल, सच में",
}
"""What those say who go on listening. The word for yes or no alone is an answer, and counts as words."""

_UNSPACED = ("zh", "ja")
_DRAWN_OUT = "ー"
"""Japanese for a vowel that is held."""
_LONGEST_CHARACTERS = 80
"""Nobody murmurs for longer."""

_ASKED = frozenset({"huh", "hm", "m", "eh", "uh"})
"""With a question mark they ask to say it again."""

_UNSPOKEN = re.compile(
    "|".join(
        (
            r"(?:thank you(?: so much)?|thanks) for (?:watching|listening|your attention)\b.*",
            r"(?:please )?(?:don't forget to )?(?:like and )?subscribe(?: to (?:my|our|the) channel.*)?",
            r"subtitles by .*|transcri(?:bed|ption) by .*|copyright (?:\d{4}|by)\b.*",
            r".*\bamara org\b.*|see you (?:in the )?next video",
            r"untertitel(?:ung)? (?:der|des|von|vom|im|durch|bei)\b.*|vielen dank fürs zuschauen",
            r"ondertitel(?:d|ing) .*|tv gelderland.*",
            r"sous titr.*|merci d'avoir regardé.*",
            r"subtítulos (?:realizados|por|de la)\b.*|gracias por ver(?: el v[ií]deo)?",
            r"sottotitoli (?:creati|e revisione|a cura|di)\b.*|grazie per aver guardato.*",
            r"legendas? (?:por|pela|by)\b.*|obrigad[oa] por assistir.*",
            r".*(?:请不吝点赞|明镜与点点|字幕由|字幕by|谢谢观看|謝謝觀看|謝謝收看).*",
            r".*(?:ご視聴ありがとうございました|チャンネル登録).*",
            r"you|the|i'm gonna be right back",
        )
    )
)
"""What Whisper learnt from subtitles and writes under noises; and "you", tiny.en's word for a click or a thump."""


_SECOND_SENTENCE = re.compile(r"\w(?:[.!]\s+|[。！]\s*)\w.*\w\W*$|(?<=[a-z]), \w+ \w+ \w+")


def is_backchannel(text: str, language: str = "") -> bool:
    """Whether all of `text` is what one murmurs to go on listening: "Mm-hmm.", "yeah, okay", "I see".

    `language` is the code of its language; if it is not known, English is taken. "Yes", "no", "stop", "wait", "what?"
    are words that count; nothing at all is no murmur: see `is_noise`.
    """
    words = _plain(text).replace(_DRAWN_OUT, "")
    asked = text.rstrip().endswith(("?", "？")) and _letters_once(words) in _ASKED
    if not words or asked or len(words) > _LONGEST_CHARACTERS:
        return False
    code = language.lower().partition("-")[0]
    code = code if code in _MURMURS else "en"
    pieces = list(words.replace(" ", "")) if code in _UNSPACED else words.split()
    phrases = _phrases(code)
    ends = {0}  # where a row of murmurs that begins at the start may end
    for start in range(len(pieces)):
        if start in ends:
            ends |= {start + len(one) for one in phrases if tuple(pieces[start : start + len(one)]) == one}
            if _letters_once(pieces[start]) in _HUMS:
                ends.add(start + 1)
    return len(pieces) in ends


def is_noise(text: str) -> bool:
    """Whether `text` is what Whisper makes of no speech: nothing, marks, "(coughs)", "you", subtitles' last lines."""
    spoken = re.sub(r"\([^)]*\)|\[[^]]*\]|\*[^*]*\*|（[^）]*）", " ", text)
    words = _plain(spoken)
    if not any(c.isalnum() for c in words):
        return True
    if any(mark in text for mark in "?？؟") or len(words) > _LONGEST_CHARACTERS or _SECOND_SENTENCE.search(text):
        return False  # somebody wants something
    return _UNSPOKEN.fullmatch(words) is not None


def _plain(text: str) -> str:
    """`text` in lower case, its words (hyphens part them) with single spaces, without marks."""
    folded = unicodedata.normalize("NFC", text.lower()).replace("’", "'")
    kept = "".join(c if c.isalnum() or c == "'" or unicodedata.category(c)[0] == "M" else " " for c in folded)
    return " ".join(kept.split())


def _letters_once(word: str) -> str:
    return re.sub(r"(.)\1+", r"\1", word)


@cache
def _phrases(code: str) -> frozenset[tuple[str, ...]]:
    """The murmurs of a language, each as its words, or as its characters where no spaces part words."""
    said = [_plain(part).replace(_DRAWN_OUT, "") for part in re.split(r"[,\n]", _MURMURS[code]) if part.strip()]
    return frozenset(tuple(part) if code in _UNSPACED else tuple(part.split()) for part in said)

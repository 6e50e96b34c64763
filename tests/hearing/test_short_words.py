"""What listeners murmur, and what Whisper writes for no speech, are no turns; words are."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from parlor_tui.hearing.short_words import is_backchannel, is_noise

MURMURS = {
    # The first two rows are what tiny.en wrote for espeak's mhm, uh-huh, mm-hmm, hmm, oh, uh, um, ha ha.
    "en": [
        *("Mm-mm.", "Uh-uh.", "Mm mm", "Emm...", "So...", "Mm.", "Mmmm", "Uh...", "um", "Ha ha", "Yeah", "Okay"),
        *("I see... I see...", "Right.", "Wow.", "Really", "Sure.", "Got it."),
        *("Mhm.", "uh-huh", "MM-HMM!", "Yeah, yeah.", "Oh, okay.", "Uh-huh, right.", "All right.", "That makes sense."),
    ],
    "de": ["Mhm.", "Ach so.", "Genau.", "Ja, genau.", "Okay, verstehe.", "Alles klar."],
    "nl": ["Oké.", "Precies.", "Ja hoor.", "Hm, juist."],
    "fr": ["D'accord.", "Ah bon.", "Je vois.", "Mmh, d’accord.", "Ouais ouais."],
    "es": ["Vale.", "Ya, ya veo.", "Claro.", "Ajá."],
    "it": ["Va bene.", "Ho capito.", "Certo, certo."],
    "pt": ["Tá bom.", "Entendi.", "Pois é."],
    "zh": ["嗯嗯。", "对对对。", "好的，明白了", "原来如此"],
    "ja": ["うんうん。", "なるほど、そうなんだ。", "へえー"],
    "hi": ["अच्छा", "ठीक है।"],
}
WORDS = {
    "en": [
        *("Yes.", "No.", "Stop.", "Wait.", "Hey", "Hello", "What?", "Huh?", "Hm?", "Thank you.", "M and M", "Go on."),
        *("Okay, stop.", "Yeah, but no.", "I see a dog.", "Right now?", "No, okay.", "Mhm, what is that?"),
    ],
    "de": ["Ja.", "Nein.", "Stopp.", "Warte mal.", "Genau das nicht.", "Was?"],
    "nl": ["Ja.", "Nee.", "Wacht even."],
    "fr": ["Oui.", "Non.", "Arrête.", "Attends.", "D'accord, mais non."],
    "es": ["Sí.", "No.", "Para.", "Espera."],
    "it": ["Sì.", "No.", "Fermati.", "Aspetta."],
    "pt": ["Sim.", "Não.", "Pare.", "Espere."],
    "zh": ["不。", "停。", "等一下。", "对不起。"],
    "ja": ["はい。", "いいえ。", "やめて。", "待って。"],
    "hi": ["नहीं", "रुको"],
}
NO_SPEECH = [
    *("", " ", ".", "...", "♪♪", "[BLANK_AUDIO]", "(coughs)", "*cough*", "[ Silence ]", "You", "you.", "（笑）"),
    *("Thanks for watching!", "Thank you for watching.", "Please subscribe to my channel.", "Subtitles by DimaTorzok"),
    *("Untertitel der Amara.org-Community", "Sous-titres réalisés par la communauté d'Amara.org", "字幕由志愿者提供"),
    *(
        "Subtítulos realizados por la comunidad de Amara.org",
        "ご視聴ありがとうございました",
        "I'm gonna be right back.",
    ),
]


@pytest.mark.parametrize(("language", "text"), [(code, text) for code, texts in MURMURS.items() for text in texts])
def test_murmurs_of_a_listener(language: str, text: str) -> None:
    assert is_backchannel(text, language)
    assert is_backchannel(f"{text} {text}", language)
    assert not is_noise(text)


@pytest.mark.parametrize(("language", "text"), [(code, text) for code, texts in WORDS.items() for text in texts])
def test_words_that_count(language: str, text: str) -> None:
    assert not is_backchannel(text, language)
    assert not is_noise(text)


@pytest.mark.parametrize("text", NO_SPEECH)
def test_what_whisper_writes_for_no_speech(text: str) -> None:
    assert is_noise(text)


def test_a_language_that_is_not_known_is_read_as_english() -> None:
    assert is_backchannel("Uh-huh, yeah.")
    assert is_backchannel("Yeah.", "xx")
    assert is_backchannel("Genau.", "de-AT")
    assert not is_backchannel("Genau.")


@given(
    st.lists(st.sampled_from(["mhm", "yeah", "okay", "I see", "uh-huh", "right"]), min_size=1, max_size=8), st.data()
)
def test_any_row_of_murmurs_is_one_and_a_single_word_that_counts_ends_that(
    said: list[str], data: st.DataObject
) -> None:
    assert is_backchannel(", ".join(said) + ".", "en")
    at = data.draw(st.integers(0, len(said)))
    said.insert(at, data.draw(st.sampled_from(["stop", "no", "what", "but", "you"])))
    assert not is_backchannel(", ".join(said) + ".", "en")


@given(st.text(max_size=300), st.sampled_from(["", "en", "de", "zh", "ja", "hi"]))
@example("?", "")
def test_anything_is_judged(text: str, language: str) -> None:
    assert not (is_backchannel(text, language) and not text.strip())
    assert is_noise(text) or any(character.isalnum() for character in text)


@pytest.mark.timeout(5)
def test_long_rows_take_no_time() -> None:
    for text in ("m" * 100_000, "hm" * 50_000 + "x", "mm " * 30_000, "对" * 30_000):
        assert not is_backchannel(text, "zh")
        assert not is_noise(text)


@pytest.mark.parametrize(
    "text",
    [
        "Copyright law. What is it about?",
        "Copyright law in Germany",
        "Subtitles are wrong, can you fix them?",
        "Please subscribe me to the newsletter.",
        "Transcribed by whom?",
        "Titles by Agatha Christie, please.",
        "Thank you for listening, now tell me a joke.",
        "Thanks for watching my dog, by the way. When does the vet open?",
        "Untertitel einschalten bitte",
        "Subtítulos en español, por favor",
        "Legenda do mapa, o que significa?",
        "字幕由谁做的？",
    ],
)
def test_what_somebody_wants_is_no_noise(text: str) -> None:
    assert not is_noise(text)

"""How much silence ends a turn, from how it sounds and what was said."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlor_tui.hearing.end_of_turn import Wait, Why, reading, wait_for
from parlor_tui.hearing.endings import ENDINGS
from parlor_tui.settings import Hearing

HEARING = Hearing(end_of_turn="adaptive", silence_ms=600, finished_ms=200, unfinished_ms=1800)

# Captions as Whisper writes them: it closes nearly everything with a period.
UNFINISHED = {
    "en": {
        Why.OPEN_WORD: [
            *("I went to the shop and.", "And", "It's because.", "I want to go to the"),
            *("Do you know what time the", "incoming call from", "less than", "I bought a.", "We could go or"),
            *("This is about", "They have", "There are currently.", "What kind of"),
        ],
        Why.INTRODUCTION: [
            *(
                "My name is.",
                "Hello, my name is",
                "I would like",
                "I'd like to",
                "Can you?",
                "Could you please",
                "How do I",
            ),
            *(
                "Tell me about.",
                "Remind me to",
                "Set a timer for five.",
                "Well,",
                "I was thinking",
                "I need",
            ),
            *(
                "I'm from Berlin. My phone number is",
                "So what",
                "How many",
                "Please tell me",
                "What is the capital of?",
                "Who is the president of",
            ),
        ],
        Why.FILLER: ["So I was thinking, um", "Uh...", "I want, you know", "Let me think.", "The, uh,", "Hmm."],
        Why.NUMBER: ["My number is five five.", "My number is 555-12.", "One two three four.", "The code is 4 7"],
        Why.CLAUSE: ["If you want help.", "When I was young.", "Because it rains.", "If it rains tomorrow."],
        Why.TRAILS_OFF: ["I went home,", "The weather...", "I think we —", "First of all:"],
    },
    "de": {
        Why.OPEN_WORD: ["und", "Ich gehe in den", "Das ist, weil.", "Ich fahre mit"],
        Why.INTRODUCTION: ["Ich heiße", "Ich möchte", "Kannst du mir", "Mein Name ist"],
        Why.FILLER: ["Ich wollte, ähm"],
        Why.NUMBER: ["Meine Telefonnummer ist null eins sieben."],
        Why.CLAUSE: ["Wenn ich nach Hause komme."],
    },
    "nl": {Why.OPEN_WORD: ["en", "Ik ga naar de"], Why.INTRODUCTION: ["Ik heet", "Ik wil", "Mijn naam is"]},
    "fr": {
        Why.OPEN_WORD: ["et", "Je voudrais un", "Je suis allé à", "parce que"],
        Why.INTRODUCTION: ["Je m'appelle", "Je voudrais", "Est-ce que tu peux"],
        Why.FILLER: ["Je pense, euh"],
    },
    "es": {
        Why.OPEN_WORD: ["y", "Quiero ir a", "porque", "Vivo en la"],
        Why.INTRODUCTION: ["Me llamo", "Me gustaría"],
        Why.NUMBER: ["Mi número es seis uno dos."],
    },
    "it": {Why.OPEN_WORD: ["e", "Sono andato al", "perché"], Why.INTRODUCTION: ["Mi chiamo", "Vorrei"]},
    "pt": {Why.OPEN_WORD: ["mas", "Eu gosto de"], Why.INTRODUCTION: ["Meu nome é", "Eu quero"]},
    "zh": {
        Why.OPEN_WORD: ["因为", "我喜欢苹果和"],
        Why.INTRODUCTION: ["我想", "我叫"],
        Why.NUMBER: ["我的电话是一三五"],
    },
    "ja": {Why.OPEN_WORD: ["私の名前は", "雨が降っているから、でも"], Why.FILLER: ["えーと"]},
}
FINISHED = {
    "en": {
        Why.QUESTION: [
            *(
                "What is two plus two?",
                "What time is it?",
                "Can you help me?",
                "How old are you?",
                "Is it raining today?",
            ),
            *("Hello there. What's the capital of France?", "And who wrote Hamlet?", "Do you like music?"),
        ],
        Why.DONE: [
            *(
                "Yes, I am.",
                "Stop.",
                "Thank you.",
                "A coffee, please.",
                "Tell me what it is.",
                "I don't know what to do.",
            ),
            *("Yes.", "I do.", "Here we go.", "What is the time.", "That's all.", "At least I don't think he would."),
        ],
        Why.SOUND: [
            *("I would like a coffee.", "Tell me a joke.", "I'm 25.", "Play some music.", "My name is John."),
            *("Set a timer for five minutes.", "My number is 555 123 4567.", "Remind me to call mum."),
            *("What are you looking at?", "Where are you from?", "If it rains, we stay at home."),
        ],
    },
    "de": {
        Why.QUESTION: ["Wie spät ist es?", "Kannst du mir helfen?", "Was ist das?"],
        Why.DONE: ["Mach das Licht an.", "Ja.", "Ein Bier, bitte."],
        Why.SOUND: ["Ich habe ein Buch gelesen.", "Ich heiße Anna."],
    },
    "nl": {Why.SOUND: ["Ik heb een boek gelezen."], Why.DONE: ["Dank je wel."], Why.QUESTION: ["Hoe werkt dit?"]},
    "fr": {Why.QUESTION: ["Quelle heure est-il ?"], Why.DONE: ["C'est tout.", "Oui."], Why.SOUND: ["J'aime le café."]},
    "es": {
        Why.DONE: ["Hola.", "Un café, por favor."],
        Why.QUESTION: ["¿Cómo te llamas?"],
        Why.SOUND: ["¿Qué hora es?"],
    },
    "it": {Why.DONE: ["Grazie."], Why.QUESTION: ["Come ti chiami?"]},
    "pt": {Why.DONE: ["Obrigada."], Why.QUESTION: ["Como você se chama?"]},
    "zh": {Why.DONE: ["今天天气怎么样？", "你好。"]},
    "ja": {Why.DONE: ["教えてください。", "今日は天気がいいですね。"]},
}


def cases(table: dict[str, dict[Why, list[str]]]) -> list[tuple[str, str, Why]]:
    return [(code, text, why) for code, by in table.items() for why, texts in by.items() for text in texts]


@pytest.mark.parametrize(("language", "words", "why"), cases(UNFINISHED))
def test_what_reads_unfinished_is_waited_for_even_if_it_sounds_half_finished(
    language: str, words: str, why: Why
) -> None:
    assert reading(words, language) is why
    for finished in (None, 0.0, 0.5):
        assert wait_for(finished, words, language, HEARING).ms > 800
    assert wait_for(None, words, language, HEARING).ms >= 1500


@pytest.mark.parametrize(("language", "words", "why"), cases(FINISHED))
def test_what_reads_and_sounds_finished_is_answered_at_once(language: str, words: str, why: Why) -> None:
    assert reading(words, language) is why
    assert wait_for(0.97, words, language, HEARING) == Wait(400 if why is Why.SOUND else 200, why)
    assert wait_for(None, words, language, HEARING).ms <= HEARING.silence_ms


def test_the_sound_decides_where_the_words_leave_it_open() -> None:
    words = "I would like a coffee."
    waits = [wait_for(finished, words, "en", HEARING).ms for finished in (0.98, 0.8, 0.5, 0.1)]
    assert waits == sorted(waits)
    assert waits[0] == 400
    assert waits[-1] == 1800
    assert wait_for(None, words, "en", HEARING) == Wait(600, Why.UNKNOWN)


def test_of_a_language_without_a_table_the_sound_and_the_marks_count() -> None:
    assert wait_for(0.98, "to jest dom i", "pl", HEARING) == Wait(400, Why.SOUND)
    assert wait_for(None, "to jest dom i", "", HEARING) == Wait(600, Why.UNKNOWN)
    assert wait_for(0.5, "to jest dom,", "pl", HEARING) == Wait(1800, Why.TRAILS_OFF)
    assert reading("Ich möchte", "de-AT") is Why.INTRODUCTION


def test_a_fixed_silence_is_always_the_same() -> None:
    fixed = replace(HEARING, end_of_turn="fixed", silence_ms=750)
    for finished, words in ((None, ""), (0.99, "Stop."), (0.01, "and")):
        assert wait_for(finished, words, "en", fixed) == Wait(750, Why.FIXED)


def test_every_table_is_of_another_language_and_says_where_nobody_stops() -> None:
    assert len({table.language for table in ENDINGS}) == len(ENDINGS) == 9
    for table in ENDINGS:
        for word in table.open.replace("\n", ",").split(","):
            if word.strip():
                assert reading(f"x {word.strip()}", table.language) is not Why.SOUND, (table.language, word)


WORDS = st.sampled_from([text for table in (UNFINISHED, FINISHED) for _, text, _ in cases(table)]) | st.text(
    max_size=80
)
LANGUAGES = st.sampled_from(["", "xx", *(table.language for table in ENDINGS)])
LENGTHS_MS = st.integers(100, 5000)


@given(st.none() | st.floats(0, 1), WORDS, LANGUAGES, LENGTHS_MS, LENGTHS_MS, LENGTHS_MS)
def test_the_wait_lies_between_the_settings(
    finished: float | None, words: str, language: str, silence_ms: int, finished_ms: int, unfinished_ms: int
) -> None:
    hearing = replace(HEARING, silence_ms=silence_ms, finished_ms=finished_ms, unfinished_ms=unfinished_ms)
    settings_ms = (silence_ms, finished_ms, unfinished_ms)
    assert min(settings_ms) <= wait_for(finished, words, language, hearing).ms <= max(settings_ms)


@given(st.floats(0, 1), st.floats(0, 1), WORDS, LANGUAGES, LENGTHS_MS)
def test_what_sounds_more_finished_is_never_waited_for_longer(
    one: float, other: float, words: str, language: str, silence_ms: int
) -> None:
    hearing = replace(HEARING, silence_ms=silence_ms)
    less, more = sorted((one, other))
    assert wait_for(more, words, language, hearing).ms <= wait_for(less, words, language, hearing).ms


@pytest.mark.timeout(5)
def test_a_long_turn_takes_no_time() -> None:
    for words in ("and so " * 20_000, "a" * 100_000, "1 " * 50_000, "what is " * 20_000 + "?", "。" * 50_000):
        for table in ENDINGS:
            wait_for(0.5, words, table.language, HEARING)

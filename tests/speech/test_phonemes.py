"""Text to Kokoro's letters: numbers, abbreviations, scripts, tones, lengths."""

import json
import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parlor_tui.speech import readings
from parlor_tui.speech.alphabet import LETTERS, LIMIT, PAD, numbers
from parlor_tui.speech.base import SpeechError
from parlor_tui.speech.espeak import units
from parlor_tui.speech.letters import letters
from parlor_tui.speech.phonemes import LANGUAGES, chunks, pause_s, phonemes
from tests.speech.kokoro_weights import CONFIG


def test_the_letters_are_those_of_the_published_model() -> None:
    assert json.loads(CONFIG.read_text(encoding="utf-8"))["vocab"] == LETTERS


def test_a_text_is_numbered_between_two_pads() -> None:
    assert numbers("ab ") == [PAD, LETTERS["a"], LETTERS["b"], LETTERS[" "], PAD]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("It is 1.5 metres.", "It is one point five metres."),
        ("Pi is 3.14 or so.", "Pi is three point one four or so."),
        ("It costs 1,234,567 in all.", "It costs one million two hundred thirty four thousand five hundred sixty seven "
         "in all."),
        ("At 10:30, maybe.", "At ten thirty, maybe."),
        ("Half is 50% of it.", "Half is fifty percent of it."),
        ("It was $5.50 then.", "It was 5 dollars 50 cents then."),
        ("It was $1, or £2.00.", "It was one dollar, or two pounds."),
        ("They made €1.5 million.", "They made one point five million euros."),
        ("Dr. Smith, e.g. this one.", "Doctor Smith, for example this one."),
    ],
)  # fmt: skip
def test_numbers_and_abbreviations_are_said_in_words(text: str, said: str) -> None:
    def plain(made: str) -> str:
        return "".join(letter for letter in made if letter not in "ˈˌ ")

    assert plain(phonemes(text, "en-us")) == plain(phonemes(said, "en-us"))


@pytest.mark.parametrize(
    ("language", "point"),
    [
        ("es", "punto"),
        ("it", "pʊnto"),
        ("fr", "pwɛ̃"),
        ("hi", "dəsəml"),
        ("zh", "tjɛ↓n"),
        ("ja", "teɴ"),
        ("pt", "virɡul"),
    ],
)
def test_a_decimal_point_is_said_in_every_language(language: str, point: str) -> None:
    made = phonemes("1.5", language).replace("ˈ", "").replace("ˌ", "")
    assert point in made
    assert not made.startswith(point)


def test_american_english_has_the_letters_kokoro_was_trained_with() -> None:
    assert phonemes("Hello there, my boy!", "en-us") == "həlˈO ðˈɛɹ, mI bˈY!"
    assert phonemes("A bottle of water.", "en-us").endswith("bˈɑTᵊl ʌv wˈɔTəɹ.")


def test_british_english_keeps_its_own_vowels() -> None:
    assert phonemes("Hello, so there.", "en-gb") == "həlˈQ, sˌQ ðˈɛː."


def test_mandarin_has_its_four_tones() -> None:
    made = phonemes("妈 麻 马 骂 吗", "zh")
    assert made == "ma→ ma↗ ma↓ ma↘ ma"


def test_mandarin_is_what_the_makers_of_the_model_write() -> None:
    theirs = "tʰu↗ tɤ ꭧɨ↘lja↘ŋ ʦʊ↓ŋtʰi↓ lai↗ʂwo→ pi↓ ꭧɨ→ʨʰjɛ↗n xau↓"
    assert phonemes("图的质量总体来说比之前好", "zh").replace(" ", "") == theirs.replace(" ", "")


@pytest.mark.parametrize("word", ["熊", "兄", "穷", "窘"])
def test_syllables_that_espeak_lacks_are_spelled(word: str) -> None:
    assert "jʊ" in phonemes(word, "zh")


def test_foreign_words_do_not_shift_the_tones_behind_them() -> None:
    assert phonemes("hello 世界 world 马", "zh") == "həlˈO ʂɨ↘ ʨje↘ wˈɜɹld ma↓"


def test_english_words_stay_whole_in_another_language() -> None:
    assert phonemes("我说 it's a well-known word", "zh").endswith(phonemes("it's a well-known word", "en-us"))


def test_wide_letters_and_digits_are_read_as_narrow_ones() -> None:
    assert phonemes("１．５％", "zh") == phonemes("1.5%", "zh")
    assert phonemes("ＯＫ！", "en-us") == phonemes("OK!", "en-us")
    assert phonemes("Well... yes.", "en-us") == "wˈɛl… jˈɛs."


def test_japanese_is_read_with_its_kanji() -> None:
    assert readings.found(), "pip install janome: the extra `ja` reads kanji"
    assert phonemes("今日は良い天気ですね。", "ja") == "kʲoː βa joi teŋki desɨ ne."


def test_marks_are_kept_for_their_pauses() -> None:
    assert phonemes("你好，世界！", "zh") == "ni↓xau↓, ʂɨ↘ ʨje↘!"
    assert phonemes("¿Qué? ¡Sí!", "es") == "kˈe? sˈi!"
    assert phonemes('She said "yes" (twice).', "en-us") == "ʃi sˈɛd “jˈɛs” (twˈIs)."


def test_scripts_that_a_language_does_not_read_are_left_out() -> None:
    assert phonemes("The word is 你好, my friend.", "en-us") == phonemes("The word is , my friend.", "en-us")
    assert phonemes("Привет", "en-us") == phonemes("你好", "fr") == phonemes("!!!", "en-us") == phonemes("", "it") == ""


def test_a_language_that_espeak_does_not_know_is_named() -> None:
    with pytest.raises(SpeechError, match="'xx-yy'"):
        units("hello", "xx-yy")


def test_800_characters_without_a_mark_lose_nothing() -> None:
    text = ("the quick brown fox jumps over the lazy dog and then " * 20)[:800].strip()
    made = phonemes(text, "en-us")
    parts = chunks(made)
    assert len(made) > LIMIT
    assert len(parts) > 1
    assert " ".join(parts) == made
    assert made.count("kwˈɪk") == text.count("quick")
    assert max(map(len, parts)) - min(map(len, parts)) < 40  # even: a short rest would be spoken in another manner


_MADE = st.text(alphabet="abc .,!?ˈ", max_size=300)


@given(made=_MADE, limit=st.integers(1, 60))
def test_parts_are_short_enough_and_lose_nothing(made: str, limit: int) -> None:
    parts = chunks(made, limit)
    assert all(0 < len(part) <= limit for part in parts)
    assert "".join(parts).replace(" ", "") == made.replace(" ", "")


def test_a_long_text_is_cut_after_a_sentence_where_it_can_be() -> None:
    first, second = "a" * 200 + " " + "b" * 70 + ".", "c" * 150 + " " + "d" * 150
    assert chunks(f"{first} {second}") == [first, second]
    assert (pause_s(first), pause_s("a,"), pause_s(second)) == (0.25, 0.1, 0.0)


@settings(max_examples=150, deadline=None)
@given(
    text=st.text(alphabet=st.characters(codec="utf-8"), max_size=60)
    | st.text(alphabet=string.printable + "你好吗熊１。、！「」カタかな漢字नमस्ते1.,%$", max_size=60),
    language=st.sampled_from(LANGUAGES),
)
def test_any_text_gives_letters_of_the_model(text: str, language: str) -> None:
    made = phonemes(text, language)
    assert set(made) <= set(LETTERS)
    assert made == made.strip()
    assert "  " not in made


@given(number=st.integers(0, 9), rest=st.text(alphabet=string.digits, min_size=1, max_size=4))
@settings(max_examples=30, deadline=None)
def test_every_decimal_is_said_with_its_point(number: int, rest: str) -> None:
    assert "pYnt" in phonemes(f"It is {number}.{rest} here.", "en-us").replace("ˈ", "").replace("ˌ", "")


def test_a_unit_of_espeak_that_nothing_is_known_of_is_taken_apart() -> None:
    assert letters("ã_\u0361x_☃", "es") == "a\u0303x"


@pytest.mark.parametrize("text", ["Mr. X", "Jan. 5", "No. 5", "See fig. 3"])
def test_nothing_of_a_text_is_kept_for_the_next_one(text: str) -> None:
    """espeak reads ahead behind an abbreviation, and would say the rest with whatever comes next."""
    alone = phonemes("I am here", "en-us")
    whole = phonemes(text, "en-us")
    assert phonemes("I am here", "en-us") == alone
    last = phonemes(text.rsplit(maxsplit=1)[-1], "en-us")
    assert whole.rstrip(".").endswith(last.rstrip("."))

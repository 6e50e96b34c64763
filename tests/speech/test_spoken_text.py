from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlor_tui.speech.phonemes import phonemes
from parlor_tui.speech.spoken_text import spoken_text

MARKUP = set("<>{}[]#~^|\\*_`")


@pytest.mark.parametrize(
    ("written", "spoken"),
    [
        ("**Bold** and *it* and `code`.", "Bold and it and code."),
        ("***both*** ~~gone~~ __under__", "both gone under"),
        ("# Title", "Title"),
        ("- one", "one"),
        ("1. Eggs", "1. Eggs"),
        ("- [x] done", "done"),
        ("> said", "said"),
        ("* a\n* b\n\nText", "a. b. Text"),
        ("[the site](https://example.com/x_(y))", "the site"),
        ("![a picture](x.png) here", "a picture here"),
        ("| a | b |", "a, b."),
        ("| Name | Age |\n|------|-----|\n| Bob | 5 |", "Name, Age. Bob, 5."),
        ("|---|:--:|", ""),
        ("```python\nprint(1)\n```", ""),
        ("So: ```\nprint(1)", "So:"),
        ("---", ""),
        ("...", ""),
        ("A fact.[1][^2]", "A fact."),
        ("a \\* b", "a b"),
        ("<b>bold</b><br/>new <a href='x'>link</a>", "bold new link"),
        ("a<b and c>d", "a b and c d"),
        ("Q&amp;A &lt;b&gt; &nbsp;x", "Q&A b x"),
        ("snake_case stays", "snake case stays"),
        ("Sure, I can,", "Sure, I can,"),
        ("It is so — really.", "It is so, really."),
    ],
)
def test_of_markup_the_words_are_said(written: str, spoken: str) -> None:
    assert spoken_text(written) == spoken


@pytest.mark.parametrize(
    ("written", "spoken"),
    [
        ("<|im_end|>Hello<end_of_turn>", "Hello"),
        ("<start_of_turn>model\nHello", "Hello"),
        ('<|"|>Hi', "Hi"),
        ("[INST] Hi [/INST]</s>", "Hi"),
        ("<think>Hm. So.\n\nOk.</think>Yes.", "Yes."),
        ("<think>Hm. So.", ""),
        ("Hm. So.</think> Yes.", "Yes."),
        ("<|channel|>analysis<|message|>Hm. So.<|end|><|start|>assistant<|channel|>final<|message|>Yes.", "Yes."),
        ("<|channel>thought\nHm.<channel|>Yes.", "Yes."),
        ('<tool_call>{"a": 1}</tool_call>', ""),
    ],
)
def test_a_models_own_tokens_and_thoughts_are_not_said(written: str, spoken: str) -> None:
    assert spoken_text(written) == spoken


@pytest.mark.parametrize(
    ("written", "spoken"),
    [
        ("Nice 😀👍🏽!", "Nice!"),
        ("1️⃣ First 🇫🇷 👨‍👩‍👧 :smile: ☀️ ★ ✓", "First"),
        ("😀", ""),
        ("At 10:30:15 or so", "At 10 30 or so"),
        ("→ Go", "Go"),
        ("Café © 2021™", "Café 20 21"),
    ],
)
def test_emoji_are_not_said(written: str, spoken: str) -> None:
    assert spoken_text(written) == spoken


@pytest.mark.parametrize(
    ("written", "spoken"),
    [
        ("It costs $3.50, $1.01, $0.99.", "It costs 3 dollars and 50 cents, 1 dollar and 1 cent, 99 cents."),
        ("€20, 20 €, £5, $5 million, $10k", "20 euros, 20 euros, 5 pounds, 5 million dollars, 10 thousand dollars"),
        ("$100-$200", "100 to 200 dollars"),
        ("It is -5 °C, 5 km/h, 1 km.", "It is -5 degrees Celsius, 5 kilometers per hour, 1 kilometer."),
        ("1,234 km, 0.5 kg, 5 m², 5'6\"", "1,234 kilometers, 0.5 kilograms, 5 square meters, 5 feet 6 inches"),
        ("in 1999, 2005, 2024, 1905, 1900", "in 19 99, 2005, 20 24, 19 oh 5, 19 hundred"),
        ("the 1990s and the '80s", "the 19 nineties and the eighties"),
        ("2024 people, 1500 m", "2024 people, 1500 meters"),
        ("on 2026-11-30", "on November 30th, 20 26"),
        ("on 12/25/2024 and 25/12/2024", "on December 25th, 20 24 and December 25th, 20 24"),
        ("Jan. 5, March 3", "January 5th, March 3rd"),
        ("at 10:30, 10:00, 9:05 p.m., 17:00", "at 10 30, 10 o'clock, 9 oh 5 PM, 17 hundred hours"),
        ("At 5 p.m. we", "At 5 PM we"),
        ("At 5 p.m.", "At 5 PM."),
        ("½ cup, 2½, 3/4, 8/10, 5/7", "a half cup, 2 and a half, 3 quarters, 8 out of 10, 5 over 7"),
        ("5-10 people, 5–10", "5 to 10 people, 5 to 10"),
        ("a ratio of 16:9", "a ratio of 16 to 9"),
        ("3 < 5, 6 > 2, ~5, 2*3, 2^10, x²", "3 is less than 5, 6 is more than 2, about 5, 2 times 3, "
         "2 to the power of 10, x squared"),
        ("2 + 2 = 4, 50%", "2 + 2 = 4, 50%"),
        ("call 555-123-4567 or 555-1234", "call 5 5 5, 1 2 3, 4 5 6 7 or 5 5 5, 1 2 3 4"),
        ("call (555) 123-4567 or +1 555 123 4567", "call 5 5 5, 1 2 3, 4 5 6 7 or +1, 5 5 5, 1 2 3, 4 5 6 7"),
        ("Henry VIII, World War II, Chapter IV", "Henry the 8th, World War 2, Chapter 4"),
        ("No. 5, #1, #Python, C#", "number 5, number 1, hashtag Python, C sharp"),
        ("v2.0.1, 192.168.0.1, 3.5", "version 2 point 0 point 1, 192 point 168 point 0 point 1, 3.5"),
        ("a Ph.D. vs. me, and/or he/she", "a PhD versus me, and or he or she"),
        ("See https://www.example.com/a?b=c.", "See example dot com."),
        ("See example.com/a, main.py", "See example dot com slash a, main dot py"),
        ("Mail me.too@example.co.uk or @ann", "Mail me dot too at example dot co dot uk or at ann"),
        (r"$x^2 + \frac{a}{b}$ and \(\alpha\)", "x squared + a over b and alpha"),
        ("between $5 and $6", "between 5 dollars and 6 dollars"),
        ("H₂O, 10⁶", "H2O, 10 to the power of 6"),
    ],
)  # fmt: skip
def test_english_is_said_as_a_person_says_it(written: str, spoken: str) -> None:
    assert spoken_text(written) == spoken
    assert spoken_text(spoken) == spoken
    assert phonemes(spoken, "en-us")


@pytest.mark.parametrize(
    ("language", "written", "spoken"),
    [
        (
            "de",
            "Es sind **20 °C**, 3,5 km, 1.234 km, 5 € und 5-10 Leute am 2026-11-30: a@b.de 😀",
            "Es sind 20 Grad Celsius, 3,5 Kilometer, 1.234 Kilometer, 5 Euro und 5 bis 10 Leute am 30. November 2026: "
            "a ät b Punkt de",
        ),
        ("fr", "Il fait 20 °C, 3,50 €, 5 km/h.", "Il fait 20 degrés Celsius, 3,50 euros, 5 kilomètres par heure."),
        ("zh", "今天5 km，$5，**你好**😀。", "今天5 公里，5 美元，你好。"),
        ("ja", "**はい**、5kmです。", "はい、5 キロメートルです。"),
        ("hi", "यह **5 km** है।", "यह 5 किलोमीटर है।"),
        ("pt-br", "São *5 km* em 1999.", "São 5 quilômetros em 1999."),
        ("xx", "Ok *a* 5 km", "Ok a 5 km"),
    ],
)
def test_other_languages_in_their_own_words(language: str, written: str, spoken: str) -> None:
    assert spoken_text(written, language) == spoken
    assert spoken_text(spoken, language) == spoken


LANGUAGES = st.sampled_from(["en", "de", "zh", "hi", "xx"])
MARKS = (
    "* ** _ ` ``` ~~ # | [ ]( ) ! < > <b> </b> <think> \\ $ $x^2$ &amp; - 1. 5 10 : / @ . , a word 12:30 km € ° ² – — "
    "= + http://a.b :smile: 😀 1️⃣ ' \" ^ { }"
)
MARKED = st.lists(st.sampled_from(["\n", *MARKS.split()]), max_size=20).map(" ".join) | st.text(
    "*_`~#|[]()<>\\$&\n-1.5:/@a b^{}'\"²°", max_size=30
)


@given(st.text(max_size=200) | MARKED, LANGUAGES)
def test_any_text_gives_one_line_without_markup_that_a_second_pass_keeps(written: str, language: str) -> None:
    spoken = spoken_text(written, language)
    assert not set(spoken) & MARKUP
    assert spoken == " ".join(spoken.split())
    assert spoken == "" or any(character.isalnum() for character in spoken)
    assert spoken_text(spoken, language) == spoken


WORDS = st.text("abcdefghijklmnopqrstuvwxyzéüß", min_size=2, max_size=9)
PLAIN = st.builds(
    lambda words, joins, end: "".join(w + j for w, j in zip(words, [*joins, ""], strict=False)).strip(" ,;") + end,
    st.lists(WORDS, min_size=1, max_size=8),
    st.lists(st.sampled_from([" ", " ", ", ", "; ", " 12, ", "-"]), min_size=8, max_size=8),
    st.sampled_from([".", "!", "?", ""]),
)


@given(PLAIN, LANGUAGES)
def test_a_plain_sentence_is_left_as_it_is(written: str, language: str) -> None:
    assert spoken_text(written, language) == written


@given(
    st.lists(WORDS, min_size=1, max_size=6), st.sampled_from(["**", "*", "_", "`", "# ", "- ", "> ", "~~", "<b>", "| "])
)
def test_no_word_is_lost_with_its_markup(words: list[str], mark: str) -> None:
    closing = {"<b>": "</b>", "| ": " |"}.get(mark, mark.strip() if mark[-1] != " " else "")
    assert spoken_text(f"{mark}{' '.join(words)}{closing}").rstrip(".") == " ".join(words)

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlor_tui.captions.base import FinalCaption
from parlor_tui.captions.whisper import Whisper, collapse_loops, drop_echo
from parlor_tui.settings import Settings, models_folder
from tests.speaking import utterance_16k, word_error_rate


@pytest.fixture(scope="module")
def whisper() -> Whisper:
    folder = models_folder(Settings()) / "whisper-tiny.en"
    assert folder.is_dir(), f"{folder} is missing: run `parlor-tui models get --profile lite`"
    return Whisper(folder, "Whisper tiny.en", threads=2)


SENTENCES = ("What is the weather like in London today?", "Please remind me to water the plants.")


@pytest.mark.parametrize("sentence", SENTENCES)
def test_a_whole_utterance_is_understood(whisper: Whisper, sentence: str) -> None:
    assert word_error_rate(sentence, whisper.final(utterance_16k(sentence)).text) <= 0.2


def test_partial_captions_grow_towards_the_final_one(whisper: Whisper) -> None:
    sentence = SENTENCES[0]
    samples = utterance_16k(sentence)
    early, late = whisper.partial(samples[: len(samples) * 3 // 10]), whisper.partial(samples)
    assert 0 < len(early.split()) < len(late.split())
    assert word_error_rate(sentence, late) <= 0.3


def test_a_model_that_knows_english_alone_takes_every_language_for_it(whisper: Whisper) -> None:
    german = Whisper(models_folder(Settings()) / "whisper-tiny.en", "Whisper tiny.en", threads=2, language="de")
    samples = utterance_16k(SENTENCES[1])
    assert not german.multilingual
    assert german.final(samples, "fr") == whisper.final(samples)
    assert whisper.final(samples).language == "en"
    assert german.partial(samples, "fr") == whisper.partial(samples) != ""


@pytest.mark.parametrize("seconds", [0.1, 1.0, 3.0])
def test_silence_and_noise_have_no_words(whisper: Whisper, seconds: float) -> None:
    count = int(16_000 * seconds)
    assert whisper.final(np.zeros(count, np.float32)) == FinalCaption("")
    noise = np.random.default_rng(3).normal(0, 0.003, count).astype(np.float32)
    assert whisper.final(noise) == FinalCaption("")


def test_more_than_one_window_is_heard_to_its_end(whisper: Whisper) -> None:
    first = utterance_16k("The first thing I want to say is this.")
    last = utterance_16k("The last word is elephant.")
    long = np.concatenate([first, np.zeros(28 * 16_000, np.float32), last])
    heard = whisper.final(long).text.lower()
    assert "first thing" in heard
    assert "last word is" in heard


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Stop. Stop. Stop. Stop. Sto", "Stop."),
        ("What is it? What is it? What is it? Wh", "What is it?"),
        ("I can help you with that. I can help you with that. I", "I can help you with that."),
        ("no no no", "no no no"),
        ("very very good", "very very good"),
        ("I think that that is fine", "I think that that is fine"),
        ("", ""),
        ("谢谢谢谢谢谢谢谢", "谢"),
        ("谢谢", "谢谢"),
        ("今天天气很好。今天天气很好。今天", "今天天气很好。"),
        ("ありがとう ありがとう あり", "ありがとう"),
        ("ドキドキする", "ドキドキする"),
    ],
)
def test_loops_are_kept_once_and_what_people_say_stays(text: str, kept: str) -> None:
    assert collapse_loops(text) == kept


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Who is it? Who is", "Who is it?"),
        ("Sure, I can. Sure, I ca", "Sure, I can."),
        ("Who is it? Where is", "Who is it? Where is"),
        ("one two one", "one two one"),
        ("这是谁？这是", "这是谁？"),
    ],
)
def test_an_echo_of_the_beginning_is_no_caption(text: str, kept: str) -> None:
    assert drop_echo(text) == kept


@given(st.lists(st.sampled_from(["a", "b", "c"]), max_size=24))
def test_a_collapsed_loop_is_the_beginning_of_the_text(words: list[str]) -> None:
    kept = collapse_loops(" ".join(words)).split()
    assert words[: len(kept)] == kept

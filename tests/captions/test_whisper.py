from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlor_tui.captions.base import FinalCaption
from parlor_tui.captions.whisper import Whisper, collapse_loops, drop_echo
from parlor_tui.devices.sound_file import read_sound
from parlor_tui.settings import Settings, models_folder
from tests.speaking import make_utterance, normalise, utterance_16k, word_error_rate


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


@pytest.mark.parametrize("word", ["Yes.", "No.", "Stop.", "Thank you.", "What time is it?"])
def test_a_short_word_is_heard_once(whisper: Whisper, word: str) -> None:
    """On short sounds Whisper writes the word again and again, if it is let."""
    rest = np.random.default_rng(1).normal(0, 0.0005, 6000).astype(np.float32)
    assert normalise(whisper.final(np.concatenate([rest, utterance_16k(word), rest])).text) == normalise(word)


@pytest.mark.parametrize("kind", ["cough", "breath", "click", "keys", "tone"])
def test_sounds_that_are_no_speech_have_no_words(whisper: Whisper, kind: str) -> None:
    random = np.random.default_rng(5)
    time_s = np.arange(16_000) / 16_000
    hiss = random.normal(0, 1, 16_000)
    strokes = sum(np.where(time_s >= at_s, np.exp(-(time_s - at_s) / 0.005), 0) for at_s in (0.1, 0.3, 0.42, 0.7))
    shape = {
        "cough": np.exp(-time_s / 0.1) + np.where(time_s > 0.4, np.exp(-(time_s - 0.4) / 0.08), 0),
        "breath": 0.2 * np.sin(np.pi * time_s) ** 2,
        "click": np.exp(-time_s / 0.003),
        "keys": strokes,
    }
    sound = np.sin(2 * np.pi * 440 * time_s) if kind == "tone" else shape[kind] * hiss
    samples = np.concatenate([np.zeros(4800), 0.2 * sound, np.zeros(4000)]) + random.normal(0, 0.0005, 24_800)
    assert whisper.final(samples.astype(np.float32)) == FinalCaption("")
    assert whisper.partial(samples.astype(np.float32)) == ""


def test_a_final_caption_is_as_quick_as_a_partial_one(whisper: Whisper) -> None:
    """Half of the time that Whisper takes for its own window of 30 s, at least: what is there is encoded, no more."""
    samples = utterance_16k(SENTENCES[0])

    def took_s(hear: Callable[[], object]) -> float:
        began_s = time.process_time()
        hear()
        return time.process_time() - began_s

    whole = min(took_s(lambda: list(whisper._transcribe(samples, "en")[0])) for _ in range(3))
    assert min(took_s(lambda: whisper.final(samples)) for _ in range(3)) < whole / 2


def test_quick_speech_is_heard_to_its_end(whisper: Whisper, tmp_path: Path) -> None:
    said = "We walked along the river and we talked about the weather until it was getting late today."
    samples = read_sound(make_utterance(said, tmp_path / "quick.wav", words_per_minute=230), 60.0)
    assert len(samples) < 5 * 16_000
    assert "it was getting late" in whisper.final(samples).text


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
        ("Who wrote it, who wrote it. Who wrote it? Who", "Who wrote it,"),
        ("no. 5 is no. 5", "no. 5 is no. 5"),
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
        ("Please try again. please try", "Please try again."),
    ],
)
def test_an_echo_of_the_beginning_is_no_caption(text: str, kept: str) -> None:
    assert drop_echo(text) == kept


@given(st.lists(st.sampled_from(["a", "b", "c"]), max_size=24))
def test_a_collapsed_loop_is_the_beginning_of_the_text(words: list[str]) -> None:
    kept = collapse_loops(" ".join(words)).split()
    assert words[: len(kept)] == kept

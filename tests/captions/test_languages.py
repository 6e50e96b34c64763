from __future__ import annotations

import functools
import shutil
from pathlib import Path

import ctranslate2
import numpy as np
import pytest
from faster_whisper import WhisperModel
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from parlor_tui.captions.base import CaptionError
from parlor_tui.captions.whisper import Whisper
from parlor_tui.settings.languages import NAMES, language_code
from tests.captions.tiny_whisper import LANGUAGES, make_tiny_whisper

CERTAIN = 8.0


class Tiny:
    """Two tiny multilingual models, of which one is never sure of the language and the other always is."""

    def __init__(self, folder: Path) -> None:
        self.folders = {
            1.0: make_tiny_whisper(folder / "doubtful"),
            CERTAIN: make_tiny_whisper(folder / "certain", sharpness=CERTAIN),
        }

    @functools.cache  # noqa: B019 - as many as the languages that a test asks for
    def __call__(self, language: str = "auto", sharpness: float = 1.0) -> Whisper:
        return Whisper(self.folders[sharpness], "Whisper test", threads=1, language=language)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Tiny:
    return Tiny(tmp_path_factory.mktemp("tiny"))


def tone(frequency_hz: float, seconds: float = 2.0) -> NDArray[np.float32]:
    return (0.3 * np.sin(np.arange(int(seconds * 16_000)) / 16_000 * 2 * np.pi * frequency_hz)).astype(np.float32)


def test_a_set_language_is_what_partial_and_final_captions_are_in(tiny: Tiny) -> None:
    german, french = tiny("de"), tiny("fr")
    assert german.multilingual
    assert german.partial(tone(400)) != french.partial(tone(400))
    assert german.final(tone(400)).text != french.final(tone(400)).text
    assert german.final(tone(400), "fr").language == "de"
    assert german.partial(tone(400), "fr") == german.partial(tone(400))


def test_a_doubtful_language_is_not_told_and_the_one_of_the_talk_stands(tiny: Tiny) -> None:
    auto, german = tiny(), tiny("de")
    assert auto.final(tone(400)).text != german.final(tone(400)).text
    assert auto.final(tone(400)).language == ""
    assert auto.final(tone(400), "de") == german.final(tone(400))
    assert auto.partial(tone(400)) != german.partial(tone(400))
    assert auto.partial(tone(400), "de") == german.partial(tone(400))


def test_a_language_that_is_certain_is_believed_against_the_one_of_the_talk(tiny: Tiny) -> None:
    auto = tiny("auto", CERTAIN)
    heard = auto.final(tone(400))
    assert heard.language in LANGUAGES
    assert heard == tiny(heard.language, CERTAIN).final(tone(400))
    other = "de" if heard.language != "de" else "fr"
    assert auto.final(tone(400), other) == heard
    assert auto.partial(tone(400), other) == auto.partial(tone(400))


def test_a_partial_caption_is_in_the_language_that_its_own_sound_is_most_like(tiny: Tiny) -> None:
    model = WhisperModel(str(tiny.folders[1.0]), device="cpu", compute_type="int8", cpu_threads=1)
    likeliest = []
    for sound in (tone(100), tone(400), tone(700)):
        four_seconds = np.pad(sound, (0, 64_000 - len(sound)))
        mel = model.feature_extractor(four_seconds)[None].astype(np.float32)
        encoded = model.model.encode(ctranslate2.StorageView.from_array(np.ascontiguousarray(mel)))
        likeliest.append(model.model.detect_language(encoded)[0][0][0][2:-2])
        assert tiny().partial(sound) == tiny(likeliest[-1]).partial(sound) != tiny("de").partial(sound)
    assert len(set(likeliest)) > 1


@pytest.mark.parametrize("talk_language", ["", "xx", "<|de|>", "transcribe", "yue", "de de", "0.00"])
def test_what_is_no_language_of_the_model_is_not_taken_for_the_one_of_the_talk(tiny: Tiny, talk_language: str) -> None:
    assert tiny().final(tone(300), talk_language) == tiny().final(tone(300))
    assert tiny().partial(tone(300), talk_language) == tiny().partial(tone(300))


@pytest.mark.parametrize("samples", [0, 1, 400, 29 * 16_000, 40 * 16_000])
def test_any_length_of_sound_is_taken(tiny: Tiny, samples: int) -> None:
    sound = np.resize(tone(500), samples)
    assert isinstance(tiny().partial(sound), str)
    assert isinstance(tiny().final(sound).text, str)


def test_a_language_that_the_model_does_not_know_is_refused_when_it_is_loaded(tiny: Tiny) -> None:
    with pytest.raises(CaptionError, match=r"^captions.language = 'yue': Whisper test does not know Cantonese$"):
        tiny("yue")
    with pytest.raises(CaptionError, match="no such language"):
        tiny("xx")


@pytest.mark.parametrize("file", ["config.json", "model.bin", "tokenizer.json"])
def test_a_folder_that_is_not_whole_is_refused(tiny: Tiny, tmp_path: Path, file: str) -> None:
    folder = shutil.copytree(tiny.folders[1.0], tmp_path / "model")
    (folder / file).unlink()
    with pytest.raises(CaptionError, match=rf"{file} is missing: run `parlor-tui models get`"):
        Whisper(folder, "Whisper test", threads=1)


@pytest.mark.parametrize(
    ("wanted", "code"),
    [
        ("auto", "auto"),
        (" AUTO ", "auto"),
        ("de", "de"),
        ("DE", "de"),
        ("de-AT", "de"),
        ("pt_BR", "pt"),
        ("zh-Hans-CN", "zh"),
        ("German", "de"),
        ("haitian  creole", "ht"),
        ("nb", "no"),
        ("cmn", "zh"),
        ("iw", "he"),
        ("haw", "haw"),
    ],
)
def test_a_language_is_understood_as_people_write_it(wanted: str, code: str) -> None:
    assert language_code(wanted) == code


@pytest.mark.parametrize(
    ("wanted", "hint"),
    [
        ("germann", "did you mean de (German)"),
        ("portugese", "did you mean pt (Portuguese)"),
        ("deu", "de (German)"),
        ("", 'give "auto" or a code such as "de"'),
        ("klingon\non two lines", 'give "auto" or a code such as "de"'),
    ],
)
def test_another_is_refused_in_one_line_that_names_near_ones(wanted: str, hint: str) -> None:
    with pytest.raises(ValueError, match="no such language") as refused:
        language_code(wanted)
    assert hint in str(refused.value)
    assert "\n" not in str(refused.value)


@given(st.text(max_size=60))
def test_any_text_is_a_language_or_refused_in_one_short_line(wanted: str) -> None:
    try:
        said = language_code(wanted)
    except ValueError as refused:
        said = str(refused)
    assert len(said) < 240
    assert len(said.splitlines()) == 1
    assert said in {"auto", *NAMES} or "no such language" in said

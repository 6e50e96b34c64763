"""Which voice speaks a text, and the files that voices come in."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlor_tui.speech.base import SpeechError
from parlor_tui.speech.phonemes import LANGUAGES
from parlor_tui.speech.scripts import LANGUAGE_OF_SCRIPT, main_script, script, scripts
from parlor_tui.speech.voices import VoiceChoice, choose_voice, language_of, read_voices, style

ALL = (
    "af_heart", "af_sky", "am_adam", "am_michael", "bf_emma", "bm_george", "ef_dora", "em_alex", "ff_siwis", "hf_alpha",
    "hm_omega", "if_sara", "im_nicola", "jf_alpha", "jf_nezumi", "jm_kumo", "pf_dora", "pm_alex", "zf_xiaobei",
    "zf_xiaoyi",
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "wanted", "language", "voice"),
    [
        ("Hello there.", "af_heart", None, "af_heart"),
        ("Hello there.", "zf_xiaoyi", None, "zf_xiaoyi"),  # Latin letters alone tell no language
        ("Hello there.", "af_heart", "auto", "af_heart"),
        ("Hello there.", "bf_emma", "en", "bf_emma"),
        ("Hello there.", "zf_xiaoyi", "en", "af_heart"),
        ("Hello there.", "af_heart", "zh", "af_heart"),  # no Chinese is written so
        ("42.", "am_adam", "fr", "am_adam"),
        ("你好，世界。", "af_heart", None, "zf_xiaobei"),
        ("你好，世界。", "zf_xiaoyi", None, "zf_xiaoyi"),
        ("The word is 你.", "af_heart", None, "af_heart"),
        ("我喜欢 Python。", "af_heart", None, "zf_xiaobei"),
        ("こんにちは。", "af_heart", None, "jf_alpha"),
        ("こんにちは。", "am_adam", None, "jm_kumo"),
        ("नमस्ते।", "am_adam", None, "hm_omega"),
        ("Hola, ¿qué tal?", "am_adam", "es", "em_alex"),
        ("Bonjour.", "am_adam", "fr-FR", "ff_siwis"),
        ("Olá.", "af_heart", "pt-BR", "pf_dora"),
        ("Ciao.", "if_sara", "it", "if_sara"),
    ],
)
def test_the_voice_that_speaks_the_text(text: str, wanted: str, language: str | None, voice: str) -> None:
    choice = choose_voice(text, wanted, ALL, language)
    assert choice.voice == voice
    assert bool(choice.notice) == (voice != wanted)
    assert voice == wanted or (wanted in choice.notice and voice in choice.notice)


@pytest.mark.parametrize(
    ("text", "language", "called"),
    [
        ("Привет, как дела?", None, "Russian"),
        ("Привіт", "uk", "Ukrainian"),
        ("مرحبا", None, "Arabic"),
        ("안녕하세요", None, "Korean"),
        ("Γειά σου", None, "Greek"),
        ("สวัสดี", None, "Thai"),
        ("Guten Tag.", "de", "German"),
        ("Góðan dag.", "is", "'is'"),
    ],
)
def test_a_language_without_a_voice_is_shown_only(text: str, language: str | None, called: str) -> None:
    choice = choose_voice(text, "af_heart", ALL, language)
    assert choice.voice is None
    assert called in choice.notice
    assert "shown and not spoken" in choice.notice


def test_kanji_need_their_dictionary() -> None:
    text = "今日は良い天気ですね。"
    assert choose_voice(text, "af_heart", ALL, kanji=True).voice == "jf_alpha"
    choice = choose_voice(text, "jf_alpha", ALL, kanji=False)
    assert (choice.voice, choice.language) == (None, "ja")
    assert "parlor-tui[ja]" in choice.notice
    assert choose_voice("東京", "jf_alpha", ALL, kanji=True) == VoiceChoice("jf_alpha", "ja", "")
    assert choose_voice("東京", "jf_alpha", ALL, "zh").voice == "zf_xiaobei"


def test_a_voice_that_is_not_here_is_replaced_by_one_of_its_language_and_sex() -> None:
    choice = choose_voice("Hello.", "am_onyx", ("af_heart", "am_adam", "zf_xiaoyi"))
    assert choice.voice == "am_adam"
    assert "'am_onyx'" in choice.notice
    assert choose_voice("Hello.", "am_onyx", ("zf_xiaoyi",)).voice == "zf_xiaoyi"
    assert choose_voice("Hello.", "am_onyx", ("zf_xiaoyi",), "auto").voice == "zf_xiaoyi"
    assert choose_voice("你好", "af_heart", ("af_heart",)).voice is None
    assert choose_voice("Hello.", "af_heart", ()).voice is None


@given(
    text=st.text(max_size=40),
    wanted=st.sampled_from(ALL) | st.text(max_size=5),
    available=st.lists(st.sampled_from(ALL), unique=True),
    language=st.none() | st.sampled_from(["auto", "en", "zh", "ja", "ru", "de", "es", "pt-BR", "", "x"]),
    kanji=st.booleans(),
)
def test_a_choice_is_a_voice_that_is_there_or_says_why_not(
    text: str, wanted: str, available: list[str], language: str | None, kanji: bool
) -> None:
    choice = choose_voice(text, wanted, available, language, kanji=kanji)
    assert choice.voice is None or choice.voice in available
    assert (choice.notice == "") == (choice.voice == wanted)
    assert "\n" not in choice.notice.replace(wanted, "")
    if choice.voice is not None and main_script(text) not in ("", "latin"):
        assert language_of(choice.voice)[:2] == choice.language


@given(st.text(max_size=60))
def test_scripts_count_letters_only(text: str) -> None:
    assert sum(scripts(text).values()) <= len(text)
    assert main_script(text) == "" or main_script(text) in (*LANGUAGE_OF_SCRIPT, "latin")


def test_scripts() -> None:
    assert [script(character) for character in "aéя你かカ한नΩعש1 、！"] == [
        "latin", "latin", "cyrillic", "han", "kana", "kana", "hangul", "devanagari", "greek", "arabic", "hebrew",
        "", "", "", "",
    ]  # fmt: skip
    assert main_script("日本語です") == "kana"
    assert main_script("12, 34!") == ""


def test_every_voice_has_a_language_that_can_be_read() -> None:
    assert {language_of(name) for name in ALL} == set(LANGUAGES)
    assert language_of("") == language_of("xx") == "en-us"


def test_voices_are_read_from_raw_and_packed_files(tmp_path: Path) -> None:
    raw, packed = np.full((510, 1, 256), 0.5, np.float32), np.full((510, 1, 256), 0.25, np.float32)
    raw[7] = 7
    raw.tofile(tmp_path / "af_one.bin")
    np.savez(tmp_path / "more.npz", am_two=packed)
    found = read_voices(tmp_path)
    assert sorted(found) == ["af_one", "am_two"]
    assert style(found["af_one"], 8).shape == (1, 256)
    assert style(found["af_one"], 8)[0, 0] == 7
    assert style(found["af_one"], 2000)[0, 0] == style(found["af_one"], 0)[0, 0] == 0.5


def test_a_damaged_voice_and_an_empty_folder_are_named(tmp_path: Path) -> None:
    with pytest.raises(SpeechError, match="no voice in it"):
        read_voices(tmp_path)
    (tmp_path / "af_bad.bin").write_bytes(b"x" * 1030)
    with pytest.raises(SpeechError, match=r"af_bad\.bin"):
        read_voices(tmp_path)
    (tmp_path / "af_bad.bin").unlink()
    (tmp_path / "bad.npz").write_bytes(b"PK\x03\x04, and no more")
    with pytest.raises(SpeechError, match=r"bad\.npz"):
        read_voices(tmp_path)

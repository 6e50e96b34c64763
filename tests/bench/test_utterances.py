"""Utterances: what is made of synthesised sound, and what is kept. Kokoro itself speaks in the test of the command."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parlor_tui.bench.lines import VOICES, Kind, Line, lines, pauses, words
from parlor_tui.bench.shaping import click, cough, levelled, mhm, shortened, trimmed, with_pause, without_breath
from parlor_tui.bench.utterances import BenchError, Utterances
from parlor_tui.models import catalogue
from parlor_tui.settings import Models, Settings
from tests.conftest import Home

RATE_HZ = 16_000
SPOKEN: tuple[Kind, ...] = ("question", "long_question", "soft", "word", "pause")


def tone(seconds: float, level: float = 0.3) -> np.ndarray:
    return (level * np.sin(2 * np.pi * 180 * np.arange(round(seconds * RATE_HZ)) / RATE_HZ)).astype(np.float32)


@pytest.mark.parametrize("kind", SPOKEN)
def test_every_kind_has_several_voices_none_of_which_is_the_assistants_own(kind: Kind) -> None:
    made = lines(kind)
    assert len({line.name for line in made}) == len(made)
    assert len({line.voice for line in made}) >= min(4, len(made))
    assert Settings().speaking.voice not in {line.voice for line in made}


def test_there_are_voices_enough_and_the_store_knows_them() -> None:
    assert len(set(VOICES)) >= 6
    assert set(VOICES) <= set(catalogue.voices("kokoro-voices"))
    for several in (words(), pauses()):
        assert (
            len({(line.text, line.voice) for line in several}) == len({line.name for line in several}) == len(several)
        )


def test_where_a_speaker_stops_to_think_is_marked_once() -> None:
    for line in lines("pause"):
        assert line.text.count("|") == 1
        assert "|" not in line.plain


@given(
    before=st.floats(0.4, 2.0),
    gap=st.sampled_from((0.0, 0.12, 0.3)),
    after=st.floats(0.4, 2.0),
    pause=st.floats(0.1, 2),
)
@settings(max_examples=40)
def test_a_pause_takes_the_place_of_the_quiet_stretch(before: float, gap: float, after: float, pause: float) -> None:
    whole = np.concatenate((tone(before), np.zeros(round(gap * RATE_HZ), np.float32), tone(after)))
    made, begins_s, ends_s = with_pause(whole, before / (before + gap + after), pause)

    assert ends_s - begins_s == pytest.approx(pause)
    silence = made[round(begins_s * RATE_HZ) : round(ends_s * RATE_HZ)]
    assert not silence.any()
    assert abs(len(made) - (len(whole) + round((pause - gap) * RATE_HZ))) <= 3 * RATE_HZ // 100
    if gap:
        assert begins_s == pytest.approx(before, abs=0.02)
    steps = np.abs(np.diff(made))
    assert steps.max() <= np.abs(np.diff(whole)).max() * 1.5 + 1e-3  # no click where it was cut


def test_speech_is_brought_to_one_level_whatever_its_pauses() -> None:
    words_only, with_silence = tone(1.0, 0.02), np.concatenate((tone(1.0, 0.02), np.zeros(RATE_HZ, np.float32)))
    for sound in (levelled(words_only), levelled(with_silence)[:RATE_HZ]):
        assert 20 * np.log10(np.sqrt(np.mean(sound**2))) == pytest.approx(-24, abs=0.1)
    assert not levelled(np.zeros(RATE_HZ, np.float32)).any()
    assert np.abs(levelled(np.eye(1, RATE_HZ, 80, dtype=np.float32)[0])).max() <= 0.951


def test_trimmed_begins_and_ends_audible() -> None:
    sound = np.concatenate((np.zeros(500, np.float32), tone(0.5), np.full(300, 0.005, np.float32)))
    cut = trimmed(sound)
    assert abs(cut[0]) > 0.01
    assert abs(cut[-1]) > 0.01
    assert not len(trimmed(np.zeros(100, np.float32)))


@given(breath_s=st.floats(0.25, 1.0), seed=st.integers(0, 99))
@settings(max_examples=20)
def test_the_breath_after_the_last_word_is_cut_off(breath_s: float, seed: int) -> None:
    breath = np.random.default_rng(seed).normal(0, 10 ** (-45 / 20), round(breath_s * RATE_HZ)).astype(np.float32)
    assert (np.abs(breath) > 0.01).any()  # peaks over -40 dBFS: without a cut it would pass for speech
    spoken = tone(1.0)
    cut = trimmed(without_breath(np.concatenate((spoken, breath))))
    assert len(spoken) - 50 < len(cut) <= len(spoken) + round(0.06 * RATE_HZ)
    assert np.array_equal(cut[: len(spoken) - 50], trimmed(spoken)[: len(spoken) - 50])


@given(seconds=st.floats(0.01, 0.19))
def test_a_soft_last_sound_is_no_breath(seconds: float) -> None:
    whole = np.concatenate((tone(1.0), tone(seconds, 0.02)))
    assert np.array_equal(without_breath(whole), whole)
    assert not len(without_breath(np.zeros(0, np.float32)))


@given(seconds=st.floats(0.05, 1.0), longest=st.floats(100, 400))
def test_a_word_is_faded_out_where_it_is_too_long(seconds: float, longest: float) -> None:
    word = tone(seconds)
    made = shortened(word, longest)
    assert len(made) <= max(round(longest * 16), 1)
    if len(word) <= round(longest * 16):
        assert np.array_equal(made, word)
    else:
        assert made[-1] == 0


@pytest.mark.parametrize(("sound", "low_ms", "high_ms"), [(mhm, 400, 530), (cough, 150, 360), (click, 40, 110)])
def test_sounds_without_words_are_plausible_and_repeat_with_their_seed(sound, low_ms, high_ms) -> None:
    made = sound(np.random.default_rng(4))
    assert low_ms <= len(made) / 16 <= high_ms
    assert 0.05 < np.abs(made).max() <= 0.95
    assert np.array_equal(made, sound(np.random.default_rng(4)))
    assert not np.array_equal(made, sound(np.random.default_rng(5)))
    energy = np.abs(np.fft.rfft(made)) ** 2
    hz = np.fft.rfftfreq(len(made), 1 / RATE_HZ)
    low = energy[hz < 600].sum() / energy.sum()
    assert bool(low > 0.9) is (sound is mhm)  # lips closed; the others hiss


def test_what_is_kept_is_not_made_again_and_what_it_depends_on_is_in_its_name(tmp_path: Path) -> None:
    nowhere = Settings(models=replace(Models(), folder=str(tmp_path / "no models"), hub=False))
    made = Utterances(nowhere, tmp_path, seed=1)
    used = {"kokoro-int8": "kokoro-int8", "kokoro-voices": "kokoro-voices"}
    line = lines("question")[0]
    kept = made._file(line, used)
    write_wav(kept, tone(1.0))

    found = made.make([line, lines("mhm")[0]], report=never)

    assert found[line.name].length_s == pytest.approx(1.0, abs=0.01)
    assert found["mhm-1"].line.kind == "mhm"
    others = (replace(line, text="Something else?"), replace(line, voice=VOICES[3]), replace(line, kind="word"))
    names = {made._file(other, used) for other in (line, *others)}
    names.add(made._file(line, {**used, "kokoro-voices": "kokoro-voices-ja"}))
    assert len(names) == 5


def test_a_voice_that_is_not_there_is_one_line(
    tmp_path: Path, isolated_home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", isolated_home.env["PYTHONPATH"])
    made = Utterances(Settings(), tmp_path, seed=1)
    with pytest.raises(BenchError, match="could not be made: there is no voice 'af_nobody'"):
        made.make([Line("x", "question", "Hello there.", "af_nobody")], report=lambda _: None)
    assert not list(tmp_path.glob("*.wav"))


def never(text: str) -> None:
    raise AssertionError(text)


def write_wav(path: Path, samples: np.ndarray) -> None:
    import soundfile

    soundfile.write(path, samples, RATE_HZ, subtype="PCM_16")

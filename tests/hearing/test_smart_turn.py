"""smart-turn hears whether a turn is over; its features are those the model was trained on."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from parlor_tui.hearing.smart_turn import SmartTurn, TurnModelError, log_mel
from parlor_tui.settings import Settings, models_folder

RECORDINGS = Path(__file__).parent / "recordings"


@pytest.fixture(scope="module")
def model() -> SmartTurn:
    folder = models_folder(Settings()) / "smart-turn"
    assert folder.is_dir(), f"{folder} is missing: run `parlor-tui models get smart-turn`"
    return SmartTurn(next(folder.glob("*.onnx")))


def plainly(samples: NDArray[np.float32]) -> NDArray[np.float64]:
    """The features by their definition: the padded window normalised, each frame by a full DFT, in float64."""
    window = np.zeros(128_000)
    last = samples[-128_000:]
    if len(last):
        window[-len(last) :] = last
    window = (window - window.mean()) / np.sqrt(window.var() + 1e-7)
    padded = np.pad(window, 200, mode="reflect")
    hann = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(400) / 400)
    strength = np.array([np.abs(np.fft.fft(padded[i : i + 400] * hann)[:201]) ** 2 for i in range(0, 128_000, 160)])

    def to_hz(mel: float) -> float:
        return mel * 200 / 3 if mel < 15 else 1000 * 6.4 ** ((mel - 15) / 27)

    top = 15 + 27 * np.log(8) / np.log(6.4)
    edges = [to_hz(top * i / 81) for i in range(82)]
    filters = np.zeros((201, 80))
    for band in range(80):
        low, peak, high = edges[band : band + 3]
        for k in range(201):
            hz = 40.0 * k
            filters[k, band] = max(0.0, min((hz - low) / (peak - low), (high - hz) / (high - peak))) * 2 / (high - low)
    found = np.log10(np.maximum(strength @ filters, 1e-10)).T
    return (np.maximum(found, found.max() - 8) + 4) / 4


@pytest.mark.parametrize("count", [0, 1, 201, 64_000, 127_801, 128_000, 160_000])
def test_the_features_are_as_defined_whatever_the_length(count: int) -> None:
    time_s = np.arange(count) / 16_000
    noise = np.random.default_rng(count).normal(0, 0.02, count)
    samples = (0.3 * np.sin(2 * np.pi * (200 + 300 * time_s) * time_s) + noise + 0.01).astype(np.float32)
    got = log_mel(samples)
    assert got.shape == (80, 800)
    assert got.dtype == np.float32
    np.testing.assert_allclose(got, plainly(samples), atol=2e-3)


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 140_000), st.sampled_from([0.0, 1e-6, 0.1, 1.0]), st.floats(-0.5, 0.5))
def test_the_features_are_finite_and_bounded(count: int, level: float, offset: float) -> None:
    samples = (np.random.default_rng(1).normal(0, level, count) + offset).astype(np.float32)
    got = log_mel(samples)
    assert np.isfinite(got).all()
    assert got.max() - got.min() <= 2.0 + 1e-5


def test_only_the_last_eight_seconds_count(model: SmartTurn) -> None:
    samples = np.random.default_rng(2).normal(0, 0.1, 160_000).astype(np.float32)
    before = samples.copy()
    assert model.finished(samples) == model.finished(samples[-128_000:])
    assert (samples == before).all(), "what was given is left as it is"
    assert 0.0 <= model.finished(np.zeros(0, np.float32)) <= 1.0


def test_people_who_have_finished_sound_so_and_people_who_pause_do_not(model: SmartTurn) -> None:
    heard: dict[str, list[float]] = {"finished": [], "unfinished": []}
    for kind, found in heard.items():
        for path in sorted(RECORDINGS.glob(f"{kind}-*.flac")):
            samples, rate_hz = soundfile.read(path, dtype="float32")
            assert rate_hz == 16_000
            found.append(model.finished(samples))
    assert all(len(found) >= 5 for found in heard.values()), "the recordings beside this file are gone"
    assert min(heard["finished"]) > 0.7
    assert max(heard["unfinished"]) < 0.5


def test_what_is_no_such_model_is_refused_in_one_line(tmp_path: Path) -> None:
    for content in (b"", b"no model"):
        (tmp_path / "x.onnx").write_bytes(content)
        with pytest.raises(TurnModelError, match="get it again") as fault:
            SmartTurn(tmp_path / "x.onnx")
        assert "\n" not in str(fault.value)
    with pytest.raises(TurnModelError):
        SmartTurn(tmp_path / "absent.onnx")
    kokoro = next((models_folder(Settings()) / "kokoro-int8").glob("*.onnx"))
    with pytest.raises(TurnModelError, match="not a smart-turn v3 model"):
        SmartTurn(kokoro)

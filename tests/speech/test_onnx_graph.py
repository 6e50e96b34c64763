"""Halves of the real Kokoro, cut from its bytes and run."""

from __future__ import annotations

import numpy as np
import onnxruntime
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlor_tui.settings import Settings, models_folder
from parlor_tui.speech.onnx_graph import CannotCut, blended, part


@pytest.fixture(scope="module")
def kokoro() -> bytes:
    folder = models_folder(Settings()) / "kokoro-int8"
    assert folder.is_dir(), f"{folder} is not there: run `parlor-tui models get --profile lite`"
    return next(folder.glob("*.onnx")).read_bytes()


def run(model: bytes, output: str, **inputs: np.ndarray) -> np.ndarray:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    assert {entry.name for entry in session.get_inputs()} == set(inputs)
    return np.asarray(session.run([output], inputs)[0])


def test_two_halves_make_what_the_whole_makes(kokoro: bytes) -> None:
    between = "/encoder/predictor/Sigmoid_output_0"
    durations = "/encoder/Clip_output_0"
    tokens = np.array([[0, 50, 83, 54, 156, 31, 4, 0]], np.int64)
    style = np.random.default_rng(1).normal(0, 0.1, (1, 256)).astype(np.float32)
    speed = np.ones(1, np.float32)
    whole = run(part(kokoro, {}, [durations]), durations, tokens=tokens, style=style, speed=speed)
    first = run(part(kokoro, {}, [between]), between, tokens=tokens, style=style)
    second = run(part(kokoro, {between: first.ndim}, [durations]), durations, **{between: first}, speed=speed)
    assert whole.size == tokens.size
    assert np.array_equal(whole, second)
    assert len(part(kokoro, {between: first.ndim}, [durations])) < len(kokoro) / 100


def test_a_place_that_is_not_there_is_said(kokoro: bytes) -> None:
    with pytest.raises(CannotCut, match="it has no /nowhere"):
        part(kokoro, {}, ["/nowhere"])
    with pytest.raises(CannotCut, match="it is no ONNX model"):
        part(kokoro[: len(kokoro) // 2], {}, ["audio"])
    with pytest.raises(CannotCut, match="it is no ONNX model"):
        part(b"not a model", {}, ["audio"])


@given(st.binary(max_size=200))
def test_no_bytes_break_it(model: bytes) -> None:
    with pytest.raises(CannotCut):
        part(model, {"in": 2}, ["out"])


def test_what_is_blended_in_takes_the_place_of_what_was_made(kokoro: bytes) -> None:
    out = "/decoder/decoder/generator/noise_res.0/adain1.0/ReduceMean_2_output_0"
    tones = "/decoder/decoder/generator/m_source/l_tanh/Tanh_output_0"
    piece = part(kokoro, {tones: 3}, [out])
    model, names = blended(piece, "ReduceMean", "share", "/given")
    assert names[-1] == out
    sound = np.random.default_rng(1).normal(0, 0.1, (1, 6000, 1)).astype(np.float32)
    plain = run(piece, out, **{tones: sound})
    nothing = {name + "/given": np.zeros((1, 1, 1), np.float32) for name in names}
    assert np.array_equal(plain, run(model, out, **{tones: sound}, share=np.array(1, np.float32), **nothing))
    given = {**nothing, out + "/given": np.full(plain.shape, 3, np.float32)}
    assert np.array_equal(
        run(model, out, **{tones: sound}, share=np.array(0, np.float32), **given), given[out + "/given"]
    )
    with pytest.raises(CannotCut, match="it has no Elsewhere"):
        blended(piece, "Elsewhere", "share", "/given")
    with pytest.raises(CannotCut, match="it is no ONNX model"):
        blended(b"not a model", "ReduceMean", "share", "/given")

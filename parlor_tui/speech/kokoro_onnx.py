"""Kokoro on ONNX Runtime: any export of v1.0, int8 to full precision."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parlor_tui import onnx
from parlor_tui.speech.alphabet import numbers
from parlor_tui.speech.base import Cancelled, SpeechError, Stop
from parlor_tui.speech.kokoro import Kokoro
from parlor_tui.speech.onnx_graph import CannotCut, blended, part
from parlor_tui.speech.pieces import AROUND_FRAMES, FRAME_SAMPLES, cuts, joined, like_the_rest
from parlor_tui.speech.silence import silent_frames
from parlor_tui.speech.voices import Styles, read_voices

__all__ = ["KokoroOnnx", "read_voices"]

_DTYPES = {
    "tensor(float)": np.float32,
    "tensor(float16)": np.float16,
    "tensor(double)": np.float64,
    "tensor(int32)": np.int32,
    "tensor(int64)": np.int64,
}
_SOUNDS, _TONES = "/decoder/decoder/decode.3/Div_4_output_0", "/decoder/decoder/generator/m_source/l_tanh/Tanh_output_0"
_FRAMES = {_SOUNDS: 3, _TONES: 3}
"""What the first part of Kokoro makes for the second, and their axes: what the sound is of, and the tones for it.

The second part takes nine tenths of the time. The names are those of all graphs that were exported from the original.
"""
_LOUDNESS, _LOUDNESS_EACH = "/encoder/Reshape_1_output_0", 2
"""And how loud each frame of 25 ms is, in so many values."""
_DURATIONS = "/encoder/Clip_output_0"
"""Frames to each letter, and to the nothing before and after them."""
_STATISTICS = "ReduceMean"
"""Makes the means and variances by which the second part evens out what it does.

Taken over a piece alone they would make soft pieces as loud as loud ones: those of the pieces before are blended in.
"""
_SHARE, _GIVEN = "share", "/given"
_OF_A_PIECE = 1 / 3
"""Of what a piece would count by its length among those before it. With more of it, a soft end comes out too loud."""
_FRAME_MS = 10.0
"""How long a frame takes to make, until it was measured."""
_REST_FRAMES = 6
"""Of the rest of a sentence, made with its first piece for the statistics alone."""
_LEVEL = 0.85
"""Kokoro evens the loudness over the whole of what it makes: without the silence the rest comes out softer. To this
power of the ratio of their lengths, in seven sentences by three voices, to within 0.2 dB.
"""
_PIECES_LEVEL = 1.05
"""Pieces come out so much softer than the whole; each is then within 2 dB of it (same sentences and voices)."""
_PRECISIONS = ("int8", "q8f16", "q4f16", "q4", "uint8f16", "uint8", "fp16", "quantized")


class KokoroOnnx(Kokoro):
    """Kokoro-82M from the ONNX file `model`, on `threads` threads of the processor.

    Raises SpeechError if the file is not such a model.
    """

    def __init__(self, model: Path, voices: Styles, *, threads: int) -> None:
        super().__init__(f"Kokoro-82M {_precision(model)}", voices)
        try:
            self._voice: Any = None
            self._blended: list[str] = []
            self._frame_ms = _FRAME_MS
            try:
                graph = model.read_bytes()
                first = part(graph, {}, [*_FRAMES, _LOUDNESS, _DURATIONS])
                second, self._blended = blended(part(graph, _FRAMES, ["audio"]), _STATISTICS, _SHARE, _GIVEN)
                self._session: Any = onnx.session(first, threads=threads)
                self._voice = onnx.session(second, threads=threads)
            except CannotCut:  # then it runs as it is, and makes the silence too
                self._session = onnx.session(str(model), threads=threads)
        except onnx.CannotLoad as error:
            raise SpeechError(f"{model}: {error}") from error
        except OSError as error:
            raise SpeechError(f"{model}: cannot be read: {error.strerror or error}; get it again") from error
        self._inputs = {entry.name: _DTYPES.get(entry.type) for entry in self._session.get_inputs()}
        self._letters = "input_ids" if "input_ids" in self._inputs else "tokens"
        if set(self._inputs) != {self._letters, "style", "speed"} or None in self._inputs.values():
            raise SpeechError(f"{model}: not a Kokoro model; it takes {', '.join(self._inputs)}")

    def _run(
        self, letters: str, style: NDArray[np.float32], speed: float, stop: Stop, *, in_pieces: bool
    ) -> Iterator[NDArray[np.float32]]:
        inputs = {self._letters: [numbers(letters)], "style": style, "speed": [speed]}
        options = onnx.run_options()
        stop.attach(lambda: setattr(options, "terminate", True))
        fed = {name: np.asarray(value, self._inputs[name]) for name, value in inputs.items()}

        def run(session: Any, given: dict[str, Any], wanted: list[str] | None = None) -> list[Any]:
            try:
                return list(session.run(wanted, given, options))
            except Exception as error:
                # ONNX Runtime has many types, without a common base; a run that was terminated raises one of them too.
                if stop.stopped:
                    raise Cancelled from error
                raise SpeechError(f"the voice failed: {' '.join(str(error).split())[:200]}") from error

        outputs = run(self._session, fed)
        if self._voice is None:
            yield np.asarray(outputs[0], np.float32).ravel()
        else:
            wanted = ["audio", *self._blended]
            yield from self._spoken(
                letters, outputs, lambda given: run(self._voice, {**given, "style": fed["style"]}, wanted), in_pieces
            )

    def _spoken(
        self, letters: str, made: list[Any], run: Callable[[dict[str, Any]], list[Any]], in_pieces: bool
    ) -> Iterator[NDArray[np.float32]]:
        """What the second part makes of the frames that are not silent, in pieces."""
        sounds, tones, loudness_values, durations = made
        loudness = np.asarray(loudness_values, np.float32).reshape(-1, _LOUDNESS_EACH).mean(axis=1)
        first, behind = silent_frames(letters, np.ravel(durations).astype(int).tolist())
        last = len(loudness) - behind
        places = cuts(loudness, first, last, self._frame_ms) if in_pieces else [first, last]
        level = np.float32((len(loudness) / (last - first)) ** _LEVEL * (_PIECES_LEVEL if len(places) > 2 else 1))
        statistics: list[Any] = [np.zeros((1, 1, 1), np.float32)] * len(self._blended)
        held, count = np.zeros(0, np.float32), 0
        for begin, end in pairwise(places):
            before, after = min(AROUND_FRAMES, begin - first), min(AROUND_FRAMES, last - end)
            frames = [*range(begin - before, end + after)]
            if not count:
                frames += like_the_rest(loudness, range(end + after, last), _REST_FRAMES)
            counts = len(frames) * _OF_A_PIECE
            share = counts / (count + counts) if count else 1.0
            count += len(frames)
            began_s = time.monotonic()
            samples, *statistics = run({
                _SOUNDS: sounds[..., _each(frames, sounds.shape[-1] // len(loudness))],
                _TONES: tones[:, _each(frames, FRAME_SAMPLES)],
                _SHARE: np.array(share, np.float32),
                **{name + _GIVEN: values * np.float32(1 - share)
                   for name, values in zip(self._blended, statistics, strict=True)},
            })  # fmt: skip
            took_ms = (time.monotonic() - began_s) * 1000
            self._frame_ms += (took_ms / len(frames) - self._frame_ms) / 2
            made_of = (before + end - begin + after) * FRAME_SAMPLES
            piece = np.asarray(samples, np.float32).ravel()[:made_of] * level
            heard, held = joined(held, piece, before, after)
            yield heard


def _each(frames: list[int], count: int) -> NDArray[np.int64]:
    """Where the values of `frames` are, of which there are `count` to a frame."""
    return (np.array(frames, np.int64)[:, None] * count + np.arange(count)).ravel()


def _precision(model: Path) -> str:
    """The precision of the weights, as the makers of exports write it into the file's name."""
    known = [name for name in _PRECISIONS if name in model.stem.lower()]
    return {"quantized": "int8"}.get(known[0], known[0]) if known else "fp32"

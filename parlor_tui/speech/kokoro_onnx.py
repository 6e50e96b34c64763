"""Kokoro on ONNX Runtime: any export of v1.0, int8 to full precision."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parlor_tui.speech.alphabet import numbers
from parlor_tui.speech.base import Cancelled, SpeechError, Stop
from parlor_tui.speech.kokoro import Kokoro
from parlor_tui.speech.onnx_graph import CannotCut, part
from parlor_tui.speech.silence import silent_frames
from parlor_tui.speech.voices import Styles, read_voices

__all__ = ["KokoroOnnx", "read_voices"]

_PROVIDERS = ["CPUExecutionProvider"]
_DTYPES = {
    "tensor(float)": np.float32,
    "tensor(float16)": np.float16,
    "tensor(double)": np.float64,
    "tensor(int32)": np.int32,
    "tensor(int64)": np.int64,
}
_FRAMES = {"/encoder/MatMul_1_output_0": 3, "/encoder/Reshape_output_0": 2, "/encoder/Reshape_1_output_0": 2}
"""What the first half of Kokoro makes for the second: sounds, pitch and loudness of each frame, with their axes.

So are they called in all graphs that were exported from the original.
"""
_FRAMES_EACH = (1, 2, 2)
"""How many values of them there are to a frame of 25 ms."""
_DURATIONS = "/encoder/Clip_output_0"
"""Frames to each letter, and to the nothing before and after them."""
_LEVEL = 0.8
"""Kokoro evens the loudness over the whole of what it makes: without the silence the rest comes out softer. To this
power of the ratio of their lengths, in seven sentences by three voices, to within 0.8 dB.
"""
_PRECISIONS = ("int8", "q8f16", "q4f16", "q4", "uint8f16", "uint8", "fp16", "quantized")


class KokoroOnnx(Kokoro):
    """Kokoro-82M from the ONNX file `model`, on `threads` threads of the processor.

    Raises SpeechError if the file is not such a model.
    """

    def __init__(self, model: Path, voices: Styles, *, threads: int) -> None:
        super().__init__(f"Kokoro-82M {_precision(model)}", voices)
        # ONNX Runtime collects events about this machine and queues them for its makers. Nothing leaves this machine.
        os.environ["ORT_DISABLE_TELEMETRY"] = "1"
        import onnxruntime

        onnxruntime.disable_telemetry_events()

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        # Spinning threads would take the cores away from the language model, whose work overlaps with this.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.log_severity_level = 3
        try:
            self._voice: Any = None
            try:
                graph = model.read_bytes()
                first, second = part(graph, {}, [*_FRAMES, _DURATIONS]), part(graph, _FRAMES, ["audio"])
                self._session: Any = onnxruntime.InferenceSession(first, options, providers=_PROVIDERS)
                self._voice = onnxruntime.InferenceSession(second, options, providers=_PROVIDERS)
            except CannotCut:  # then it runs as it is, and makes the silence too
                self._session = onnxruntime.InferenceSession(str(model), options, providers=_PROVIDERS)
        except Exception as error:
            # ONNX Runtime has an exception type for each of its codes, and they share no base class.
            raise SpeechError(f"{model}: not an ONNX model that can be loaded; get it again") from error
        self._run_options: Any = onnxruntime.RunOptions
        self._inputs = {entry.name: _DTYPES.get(entry.type) for entry in self._session.get_inputs()}
        self._letters = "input_ids" if "input_ids" in self._inputs else "tokens"
        if set(self._inputs) != {self._letters, "style", "speed"} or None in self._inputs.values():
            raise SpeechError(f"{model}: not a Kokoro model; it takes {', '.join(self._inputs)}")

    def _run(self, letters: str, style: NDArray[np.float32], speed: float, stop: Stop) -> Iterator[NDArray[np.float32]]:
        inputs = {self._letters: [numbers(letters)], "style": style, "speed": [speed]}
        options = self._run_options()
        stop.attach(lambda: setattr(options, "terminate", True))
        fed = {name: np.asarray(value, self._inputs[name]) for name, value in inputs.items()}
        try:
            outputs = self._session.run(None, fed, options)
            if self._voice is None:
                yield np.asarray(outputs[0], np.float32).ravel()
            else:
                yield self._spoken(letters, outputs, fed["style"], options)
        except Exception as error:
            # As above; a run that was terminated raises one of those types too.
            if stop.stopped:
                raise Cancelled from error
            raise SpeechError(f"the voice failed: {' '.join(str(error).split())[:200]}") from error

    def _spoken(self, letters: str, made: list[Any], style: NDArray[Any], options: Any) -> NDArray[np.float32]:
        """The second half, which takes nearly all of the time, for those frames that are not silent."""
        *frames, durations = made
        count = frames[0].shape[-1]
        first, behind = silent_frames(letters, np.ravel(durations).astype(int).tolist())
        last = count - behind
        cut = [values[..., first * each : last * each] for values, each in zip(frames, _FRAMES_EACH, strict=True)]
        [samples] = self._voice.run(None, {**dict(zip(_FRAMES, cut, strict=True)), "style": style}, options)
        return np.asarray(samples, np.float32).ravel() * np.float32((count / (last - first)) ** _LEVEL)


def _precision(model: Path) -> str:
    """The precision of the weights, as the makers of exports write it into the file's name."""
    known = [name for name in _PRECISIONS if name in model.stem.lower()]
    return {"quantized": "int8"}.get(known[0], known[0]) if known else "fp32"

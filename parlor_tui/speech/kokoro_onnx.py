"""Kokoro on ONNX Runtime: any export of v1.0, int8 to full precision."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parlor_tui.speech.alphabet import numbers
from parlor_tui.speech.base import Cancelled, SpeechError, Stop
from parlor_tui.speech.kokoro import Kokoro
from parlor_tui.speech.voices import Styles, read_voices

__all__ = ["KokoroOnnx", "read_voices"]

_DTYPES = {
    "tensor(float)": np.float32,
    "tensor(float16)": np.float16,
    "tensor(double)": np.float64,
    "tensor(int32)": np.int32,
    "tensor(int64)": np.int64,
}
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
            self._session: Any = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
        except Exception as error:
            # ONNX Runtime has an exception type for each of its codes, and they share no base class.
            raise SpeechError(f"{model}: not an ONNX model that can be loaded; get it again") from error
        self._run_options: Any = onnxruntime.RunOptions
        self._inputs = {entry.name: _DTYPES.get(entry.type) for entry in self._session.get_inputs()}
        self._letters = "input_ids" if "input_ids" in self._inputs else "tokens"
        if set(self._inputs) != {self._letters, "style", "speed"} or None in self._inputs.values():
            raise SpeechError(f"{model}: not a Kokoro model; it takes {', '.join(self._inputs)}")

    def _run(self, letters: str, style: NDArray[np.float32], speed: float, stop: Stop) -> NDArray[np.float32]:
        inputs = {self._letters: [numbers(letters)], "style": style, "speed": [speed]}
        options = self._run_options()
        stop.attach(lambda: setattr(options, "terminate", True))
        try:
            outputs = self._session.run(
                None, {name: np.asarray(value, self._inputs[name]) for name, value in inputs.items()}, options
            )
        except Exception as error:
            # As above; a run that was terminated raises one of those types too.
            if stop.stopped:
                raise Cancelled from error
            raise SpeechError(f"the voice failed: {' '.join(str(error).split())[:200]}") from error
        return np.asarray(outputs[0], np.float32).ravel()


def _precision(model: Path) -> str:
    """The precision of the weights, as the makers of exports write it into the file's name."""
    known = [name for name in _PRECISIONS if name in model.stem.lower()]
    return {"quantized": "int8"}.get(known[0], known[0]) if known else "fp32"

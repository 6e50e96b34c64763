"""Kokoro on ONNX Runtime; phonemes by espeak-ng, both through kokoro-onnx."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parlor_tui.speech.base import Cancelled, SpeechError, Stop

_LANGUAGES = {
    "a": "en-us",
    "b": "en-gb",
    "e": "es",
    "f": "fr-fr",
    "h": "hi",
    "i": "it",
    "j": "ja",
    "p": "pt-br",
    "z": "cmn",
}
"""espeak's language of a voice, by the first letter of the voice's name."""


class KokoroOnnx:
    """Kokoro-82M in ONNX with the given voices, each float32 of 510 x 1 x 256 (one style per phoneme count)."""

    def __init__(self, model: Path, voices: Mapping[str, NDArray[np.float32]], *, threads: int) -> None:
        # ONNX Runtime collects events about this machine and queues them for its makers. Nothing leaves this machine.
        os.environ["ORT_DISABLE_TELEMETRY"] = "1"
        import onnxruntime
        from kokoro_onnx import Kokoro

        onnxruntime.disable_telemetry_events()

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        # Spinning threads would take the cores away from the language model, whose work overlaps with this.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.log_severity_level = 3
        session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
        self._runs = _StoppableSession(session, onnxruntime.RunOptions)
        with tempfile.TemporaryDirectory() as folder:
            packed = Path(folder) / "voices.npz"
            np.savez(packed, **voices)  # type: ignore[arg-type]
            self._kokoro = Kokoro.from_session(self._runs, str(packed))
            self._kokoro.voices = dict(voices)
        self._voices = tuple(sorted(voices))

    @property
    def name(self) -> str:
        """See Voice."""
        return "Kokoro-82M int8"

    @property
    def voices(self) -> tuple[str, ...]:
        """See Voice."""
        return self._voices

    def synthesise(self, text: str, voice: str, speed: float, stop: Stop) -> NDArray[np.float32]:
        """See Voice. Leading and trailing silence (about 0.6 s of a short unit) is trimmed."""
        if voice not in self._voices:
            raise SpeechError(f"there is no voice {voice!r}; there are {', '.join(self._voices)}")
        if stop.stopped:
            raise Cancelled
        self._runs.arm(stop)
        try:
            samples, _ = self._kokoro.create(text, voice=voice, speed=speed, lang=_LANGUAGES.get(voice[0], "en-us"))
        except ValueError as error:
            raise SpeechError(f"cannot speak {text!r}: {error}") from error
        except Exception as error:
            # ONNX Runtime reports a terminated run as one of its own exception types, which share no base class.
            if stop.stopped:
                raise Cancelled from error
            raise
        if stop.stopped:
            raise Cancelled
        return np.ascontiguousarray(samples, dtype=np.float32)


class _StoppableSession:
    """An ONNX session whose runs end early when the armed `Stop` is used; all else is the session's own."""

    def __init__(self, session: Any, run_options: Any) -> None:
        self._session = session
        self._run_options = run_options
        self._stop = Stop()

    def arm(self, stop: Stop) -> None:
        """Runs from now on belong to `stop`."""
        self._stop = stop

    def run(self, outputs: Any, inputs: Any) -> Any:
        """Run the session."""
        options = self._run_options()
        self._stop.attach(lambda: setattr(options, "terminate", True))
        return self._session.run(outputs, inputs, options)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._session, name)


def read_voices(folder: Path) -> dict[str, NDArray[np.float32]]:
    """The voices in `folder`: `NAME.bin` (raw float32) and `*.npz` (an array for each name)."""
    found: dict[str, NDArray[np.float32]] = {}
    for packed in sorted(folder.glob("*.npz")):
        with np.load(packed) as arrays:
            found |= {name: arrays[name].astype(np.float32).reshape(-1, 1, 256) for name in arrays.files}
    for raw in sorted(folder.glob("*.bin")):
        found[raw.stem] = np.fromfile(raw, np.float32).reshape(-1, 1, 256)
    return found

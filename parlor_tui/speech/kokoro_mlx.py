"""Kokoro on MLX, for Apple silicon: the model of `mlx-audio`, fed with phonemes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parlor_tui.speech.base import Cancelled, SpeechError, Stop
from parlor_tui.speech.checkpoint import model_files
from parlor_tui.speech.kokoro import Kokoro
from parlor_tui.speech.voices import Styles


class KokoroMlx(Kokoro):
    """Kokoro-82M from the folder `weights`, which holds `config.json` and a `*.safetensors`.

    It stops between the two halves of the model (rhythm, then sound) and between parts of a long text; MLX cannot be
    stopped within them. Raises SpeechError if the folder holds no such model, or `mlx-audio` is not installed.
    """

    def __init__(self, weights: Path, voices: Styles) -> None:
        config, checkpoint = model_files(weights, "*.safetensors")
        super().__init__("Kokoro-82M MLX", voices)
        try:
            import mlx.core
            from mlx_audio.tts.models.kokoro.kokoro import Model, ModelConfig
        except ImportError as error:
            raise SpeechError(f"Kokoro on MLX needs: pip install 'parlor-tui[mlx]' ({error})") from error
        self._mx: Any = mlx.core
        try:
            model: Any = Model(ModelConfig.from_dict(config), repo_id="")
            loaded: Any = self._mx.load(str(checkpoint))
            model.load_weights(list(model.sanitize(loaded).items()))
            model.eval()
            self._mx.eval(model.parameters())
        except (OSError, RuntimeError, ValueError, KeyError, TypeError) as error:
            why = " ".join(str(error).split())[:200]
            raise SpeechError(f"{checkpoint}: Kokoro does not load; get it again ({why})") from error
        self._model = model
        self._stop = Stop()
        model.decoder = _Stoppable(model.decoder, lambda: self._stop)

    def _run(
        self,
        letters: str,
        style: NDArray[np.float32],
        speed: float,
        stop: Stop,
        *,
        in_pieces: bool,  # noqa: ARG002 - it makes the whole at once
    ) -> Iterator[NDArray[np.float32]]:
        self._stop = stop
        try:
            audio = self._model(letters, self._mx.array(style), speed)
            samples = np.array(audio.astype(self._mx.float32))
        except RuntimeError as error:  # no memory on the device
            raise SpeechError(f"the voice failed: {' '.join(str(error).split())[:200]}") from error
        yield samples.ravel()


class _Stoppable:
    """The model's second half, not begun if nobody will hear it."""

    def __init__(self, decoder: Any, stop: Callable[[], Stop]) -> None:
        self._decoder = decoder
        self._stop = stop

    def __call__(self, *inputs: Any) -> Any:
        if self._stop().stopped:
            raise Cancelled
        return self._decoder(*inputs)

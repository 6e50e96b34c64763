"""Kokoro on PyTorch, for CUDA devices: its makers' own `kokoro` package, fed with phonemes."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parlor_tui.speech.alphabet import numbers
from parlor_tui.speech.base import Cancelled, SpeechError, Stop
from parlor_tui.speech.checkpoint import model_files
from parlor_tui.speech.kokoro import Kokoro
from parlor_tui.speech.voices import Styles

_NAME = "hexgrad/Kokoro-82M"
"""What `kokoro` calls this model. It is looked up nowhere, since the files are given."""


class KokoroTorch(Kokoro):
    """Kokoro-82M from the folder `weights`, which holds `config.json` and a `*.pth`.

    `device` is "cuda", "mps" or "cpu"; empty takes the first of them that is there. `threads` is for the processor,
    and for the whole process; 0 leaves it as it is. Raises SpeechError if the folder holds no such model, or the
    `kokoro` package is not installed.
    """

    def __init__(self, weights: Path, voices: Styles, *, device: str = "", threads: int = 0) -> None:
        config, checkpoint = model_files(weights, "*.pth")
        # Apple's GPU lacks some of the operations; without this they fail, with it the processor does them.
        os.environ.setdefault("PYTORCH_ENABLE_MPS_FALLBACK", "1")
        try:
            import torch
            from kokoro.model import KModel
        except ImportError as error:
            raise SpeechError(f"Kokoro on torch needs: pip install 'parlor-tui[cuda]' ({error})") from error
        device = device or _best_device(torch)
        super().__init__(f"Kokoro-82M torch {device}", voices)
        self._torch: Any = torch
        self._device = device
        if threads > 0:
            torch.set_num_threads(threads)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # the model is built with calls that torch has newer names for
                self._model: Any = KModel(repo_id=_NAME, config=config, model=str(checkpoint)).to(device).eval()
        except Exception as error:
            # Unpickling a damaged checkpoint can raise anything.
            why = " ".join(str(error).split())[:200]
            raise SpeechError(f"{checkpoint}: Kokoro does not load; get it again ({why})") from error
        self._stop = Stop()
        for part in self._model.modules():
            part.register_forward_pre_hook(self._check)

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
            ids = self._torch.tensor([numbers(letters)], device=self._device)
            reference = self._torch.from_numpy(style.copy()).to(self._device)
            audio, _ = self._model.forward_with_tokens(ids, reference, speed)
            samples: NDArray[np.float32] = audio.float().cpu().numpy()
        except RuntimeError as error:  # no memory, or the device went away
            why = " ".join(str(error).split())[:200]
            raise SpeechError(f"the voice failed on {self._device}: {why}") from error
        yield samples.ravel()

    def _check(self, *_: object) -> None:
        """Called before each layer; the longest one is some milliseconds of work."""
        if self._stop.stopped:
            raise Cancelled


def cuda_found() -> bool:
    """Whether PyTorch is installed and sees a CUDA device. Takes a second or two."""
    try:
        import torch
    except ImportError:
        return False
    return bool(torch.cuda.is_available())


def _best_device(torch: Any) -> str:
    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"

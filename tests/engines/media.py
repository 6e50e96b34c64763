"""Sounds and pictures for models whose answers make no sense: only that they differ matters."""

from __future__ import annotations

import cv2
import numpy as np

from parlor_tui.core.input_audio import spoken_wav


def noise_wav(seconds: float, seed: int = 0) -> bytes:
    """Noise as an engine is sent sound."""
    samples = np.random.default_rng(seed).normal(0, 0.1, int(16_000 * seconds))
    return spoken_wav(samples.astype(np.float32))


def noise_jpeg(seed: int = 0) -> bytes:
    """A picture of coloured noise, 320 x 240."""
    frame_bgr = np.random.default_rng(seed).integers(0, 255, (240, 320, 3)).astype(np.uint8)
    return bytes(cv2.imencode(".jpg", frame_bgr)[1].tobytes())


def drawn_jpeg(colour_rgb: tuple[int, int, int]) -> bytes:
    """A picture of a disc of one colour on grey, 320 x 240."""
    frame_bgr = np.full((240, 320, 3), 190, np.uint8)
    cv2.circle(frame_bgr, (160, 120), 80, colour_rgb[::-1], -1)
    return bytes(cv2.imencode(".jpg", frame_bgr)[1].tobytes())

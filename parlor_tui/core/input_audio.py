"""The user's speech on its way to the recogniser: bounded, at 16 kHz, whatever rate the client sends."""

from __future__ import annotations

import io
import wave

import numpy as np
from numpy.typing import NDArray

from parlor_tui.captions.base import SAMPLE_RATE_HZ
from parlor_tui.hearing.turn import LONGEST_TURN_S
from parlor_tui.pcm import pcm16_of, samples_of

LONGEST_S = LONGEST_TURN_S
"""No terminal sends more of one turn."""
_MOST_PIECES = 1024
"""Sound in many small pieces takes many times its own room."""
TAIL_MS = 300
"""Models that hear invent the last word of sound that is cut off sharply with the speech (measured on Gemma 4)."""


class TooLong(Exception):  # noqa: N818 - an answer to a client
    """More audio than one turn may have."""


class InputAudio:
    """What was said since the last commit. Only whole samples are kept; an odd byte waits for its other half."""

    def __init__(self, rate_hz: int = 24_000) -> None:
        self.rate_hz = rate_hz
        self._pieces: list[NDArray[np.float32]] = []
        self._odd = b""
        self._seen_count = 0
        self.samples_count = 0

    @property
    def duration_ms(self) -> float:
        """Length of the audio that is waiting."""
        return self.samples_count * 1000 / self.rate_hz

    @property
    def new_ms(self) -> float:
        """Length of the audio that came since the last `peek`."""
        return (self.samples_count - self._seen_count) * 1000 / self.rate_hz

    def append(self, pcm16: bytes) -> None:
        """Take 16-bit little-endian mono PCM. Raises TooLong, taking nothing, when a turn would exceed LONGEST_S."""
        data = self._odd + pcm16
        whole = len(data) // 2 * 2
        if self.samples_count + whole // 2 > LONGEST_S * self.rate_hz:
            raise TooLong(f"one turn holds at most {LONGEST_S} s of audio; commit or clear it first")
        self._odd = data[whole:]
        if not whole:
            return
        samples = samples_of(data[:whole])
        self._pieces.append(samples)
        self.samples_count += len(samples)
        if len(self._pieces) >= _MOST_PIECES:
            self._pieces = [np.concatenate(self._pieces)]

    def peek(self) -> NDArray[np.float32]:
        """All audio that is waiting, at 16 kHz; it stays."""
        self._seen_count = self.samples_count
        return self._joined()

    def take(self) -> tuple[NDArray[np.float32], float]:
        """All audio that is waiting, at 16 kHz, and its length in ms; nothing is left."""
        samples, duration_ms = self._joined(), self.duration_ms
        self.clear()
        return samples, duration_ms

    def clear(self) -> None:
        """Forget the audio that is waiting."""
        self._pieces, self._odd, self._seen_count, self.samples_count = [], b"", 0, 0

    def _joined(self) -> NDArray[np.float32]:
        joined = np.concatenate(self._pieces) if self._pieces else np.zeros(0, np.float32)
        self._pieces = [joined]
        return to_caption_rate(joined, self.rate_hz)


def spoken_wav(samples: NDArray[np.float32]) -> bytes:
    """`samples` (mono at 16 kHz, -1..1) as a 16-bit WAV, with `TAIL_MS` of silence behind them."""
    padded = np.append(samples, np.zeros(TAIL_MS * SAMPLE_RATE_HZ // 1000, np.float32))
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(SAMPLE_RATE_HZ)
        file.writeframes(pcm16_of(padded))
    return buffer.getvalue()


def heard_wav(samples: NDArray[np.float32], native_s: float) -> bytes | None:
    """`samples` (mono at 16 kHz) as a model that hears takes them; None beyond `native_s`: it takes the words."""
    return spoken_wav(samples) if len(samples) <= native_s * SAMPLE_RATE_HZ else None


def to_caption_rate(samples: NDArray[np.float32], rate_hz: int) -> NDArray[np.float32]:
    """`samples` (mono) at the recogniser's 16 kHz."""
    if rate_hz == SAMPLE_RATE_HZ:
        return samples
    from parlor_tui.devices.resample import resample_whole

    return resample_whole(samples, rate_hz, SAMPLE_RATE_HZ)

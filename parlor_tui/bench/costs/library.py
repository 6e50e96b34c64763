# ruff: noqa: ARG002 - the protocols tell more than a simulation needs
"""LiteRT-LM as far as `engines.litert` sees it, over a machine that only takes time: one canned reply to everything.

What it does as the real one does (measured on 0.18.1): media are encoded when their message is sent, sound as a whole;
messages run one after another, whatever conversation they are of; a cancel ends the reply at a token, not while the
prompt is read, and is lost on a message that still waits for another; a cancelled conversation is dead.
"""

from __future__ import annotations

import base64
import binascii
import io
import threading
import wave
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from parlor_tui.bench.costs.costs import Costs, reply_tokens, text_tokens
from parlor_tui.bench.costs.machine import Lane, Machine
from parlor_tui.engines.backends import Backend
from parlor_tui.engines.base import ContextFull, EngineError, Sampling
from parlor_tui.engines.litert_base import Timings
from parlor_tui.engines.model_facts import ModelFacts

_MARKS_TOKENS = 5
"""What a message's own marks take."""
_CONTEXT_TOKENS = 32_768
_PIECES = reply_tokens()


@dataclass(frozen=True, slots=True)
class Load:
    """What a message asks of the machine: so many pictures, sounds of so many seconds, and tokens of words."""

    pictures: int = 0
    sounds_s: tuple[float, ...] = ()
    words: int = 0

    @classmethod
    def of(cls, content: Sequence[Mapping[str, Any]]) -> Load:
        """The load of a message's parts. Raises EngineError for a sound that is none."""
        pictures = sum(part["type"] == "image" for part in content)
        sounds_s = tuple(_wav_s(part["blob"]) for part in content if part["type"] == "audio")
        words = sum(text_tokens(part["text"]) for part in content if part["type"] == "text")
        return cls(pictures, sounds_s, words)

    def tokens(self, costs: Costs) -> int:
        """What it takes in the context."""
        sounds = sum(costs.sound_tokens(length_s) for length_s in self.sounds_s)
        return self.pictures * costs.image_tokens + sounds + self.words + _MARKS_TOKENS


class Simulated:
    """The library. See `engines.litert_base.Library`."""

    def __init__(self, costs: Costs, machine: Machine) -> None:
        self._costs = costs
        self._machine = machine

    def facts(self, model: Path) -> ModelFacts:
        """See Library."""
        return ModelFacts(hears=True, sees=True, context_tokens=_CONTEXT_TOKENS, image_tokens=1120)

    def Model(  # noqa: N802 - see Library
        self,
        model: Path,
        *,
        text: Backend,
        vision: Backend | None,
        audio: Backend | None,
        context_tokens: int,
        cache_folder: Path | None,
        threads: int,
    ) -> SimulatedModel:
        """See Library. The backends are those of the costs, whatever is asked for."""
        return SimulatedModel(self._costs, self._machine, context_tokens)


class SimulatedModel:
    """See `engines.litert_base.Model`."""

    def __init__(self, costs: Costs, machine: Machine, context_tokens: int) -> None:
        self.costs = costs
        self.machine = machine
        self.context_tokens = context_tokens
        self._turns = Lane()
        self._changed = threading.Condition()

    def count(self, text: str) -> int:
        """See Model."""
        return text_tokens(text)

    def begin(self, history: Sequence[Mapping[str, Any]], sampling: Sampling, seed: int) -> SimulatedBranch:
        """See Model."""
        return SimulatedBranch(self, [Load.of(message["content"]) for message in history])

    def close(self) -> None:
        """See Model."""

    @contextmanager
    def turn(self) -> Iterator[None]:
        """The model to oneself, once those who came before are done."""
        with self._changed:
            ticket = self._turns.join()
            while not self._turns.is_next(ticket):
                self._changed.wait()
        try:
            yield
        finally:
            with self._changed:
                self._turns.leave(ticket)
                self._changed.notify_all()


class SimulatedBranch:
    """See `engines.litert_base.Branch`. `unread`: messages that it starts with and has not read yet."""

    def __init__(self, model: SimulatedModel, unread: Sequence[Load], tokens: int = 0) -> None:
        self._model = model
        self._unread = list(unread)
        self._tokens = tokens
        self._working = False
        self._cancelled = False
        self._timings = Timings(0, 0.0, 0, 0.0)

    def clone(self) -> SimulatedBranch:
        """See Branch. Raises EngineError for one that was cancelled."""
        if self._cancelled:
            raise EngineError("a cancelled conversation cannot be branched")
        return SimulatedBranch(self._model, self._unread, self._tokens)

    def send(self, content: Sequence[Mapping[str, Any]], *, max_tokens: int, image_tokens: int) -> Iterator[str]:
        """See Branch."""
        load = Load.of(content)
        with self._model.turn():
            if self._cancelled:
                return
            self._working = True
            try:
                yield from self._answer([*self._unread, load], max_tokens)
            finally:
                self._working = False

    def cancel(self) -> None:
        """See Branch."""
        if self._working:
            self._cancelled = True

    @property
    def tokens(self) -> int:
        """See Branch."""
        return self._tokens

    def timings(self) -> Timings:
        """See Branch."""
        return self._timings

    def close(self) -> None:
        """See Branch."""

    def _answer(self, loads: Sequence[Load], max_tokens: int) -> Iterator[str]:
        costs, machine = self._model.costs, self._model.machine
        reading = sum(load.tokens(costs) for load in loads)
        if self._model.context_tokens and self._tokens + reading >= self._model.context_tokens:
            raise ContextFull(f"{self._tokens + reading} tokens exceed the context of {self._model.context_tokens}")
        at_s: float | None = None
        for load in loads:
            for _ in range(load.pictures):
                at_s = machine.work("gpu", "picture", costs.image_s, ready_s=at_s)
            for length_s in load.sounds_s:
                at_s = machine.work("encoder", "sound", costs.sound_s(length_s), ready_s=at_s)
        at_s = machine.work("gpu", "read", costs.read_s(reading), ready_s=at_s)
        self._unread.clear()
        self._tokens += reading
        written = 0
        for piece in _PIECES[:max_tokens]:
            if self._cancelled:
                break
            at_s = machine.work("gpu", "write", costs.write_s(1), ready_s=at_s)
            written += 1
            self._tokens += 1
            yield piece
        self._timings = Timings(reading, costs.prefill_per_s, written, costs.decode_per_s)


def _wav_s(blob: str) -> float:
    """The length of a WAV file in base64."""
    try:
        with wave.open(io.BytesIO(base64.b64decode(blob)), "rb") as file:
            return file.getnframes() / file.getframerate()
    except (wave.Error, EOFError, binascii.Error) as error:
        raise EngineError(f"a sound cannot be read: {error}") from error

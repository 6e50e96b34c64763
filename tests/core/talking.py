"""One client's conversation on real models, in this process: what it is asked, and what comes of it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import numpy as np
import soundfile

from parlor_tui.captions.whisper import Whisper
from parlor_tui.core.inference import InferenceCore
from parlor_tui.core.profiles import GEMMA, OnProgress, Parts
from parlor_tui.core.session import Session
from parlor_tui.engines.backends import Backends
from parlor_tui.engines.litert import LiteRt
from parlor_tui.events import CoreEvent, ReplyDone, now_s
from parlor_tui.settings import Settings, Tuning, models_folder
from parlor_tui.speech.kokoro_onnx import KokoroOnnx
from parlor_tui.speech.voices import read_voices

Kind = TypeVar("Kind", bound=object)
TURN_S = 60.0


def load_parts(model: Path, context_tokens: int = 0) -> Parts:
    """The gemma profile with the tiny Gemma, and real captions and speech."""
    folder = models_folder(Settings())
    engine = LiteRt(model, "Tiny", backends=Backends("cpu", "cpu", "cpu"), context_tokens=context_tokens, slots=2)
    captioner = Whisper(folder / "whisper-tiny.en", "Whisper tiny.en", threads=2)
    onnx = next((folder / "kokoro-int8").glob("*.onnx"))
    voices = {name: style for name, style in read_voices(folder / "kokoro-voices").items() if name[1:3] == "f_"}
    return Parts(GEMMA, engine, captioner, KokoroOnnx(onnx, voices, threads=2))


@dataclass
class Talk:
    """A session, and everything it told."""

    session: Session
    core: InferenceCore
    told: list[CoreEvent] = field(default_factory=list)
    turn: int = 0

    def of(self, kind: type[Kind]) -> list[Kind]:
        """What it told of one kind."""
        return [event for event in self.told if isinstance(event, kind)]

    async def until(self, condition: Callable[[], bool], timeout_s: float = TURN_S) -> None:
        """Wait for something to be told."""
        deadline_s = now_s() + timeout_s
        while not condition():
            assert now_s() < deadline_s, self.told[-5:]
            await asyncio.sleep(0.01)

    def ask(self) -> int:
        """Have it reply; the number of the turn."""
        self.turn += 1
        self.session.respond(self.turn)
        return self.turn

    async def done(self, turn: int) -> ReplyDone:
        """The end of the reply to `turn`."""
        await self.until(lambda: any(event.turn == turn for event in self.of(ReplyDone)))
        return next(event for event in self.of(ReplyDone) if event.turn == turn)

    async def say(self, text: str) -> ReplyDone:
        """A typed turn and its reply."""
        self.session.add_item("user", text)
        return await self.done(self.ask())

    def speak(self, wav: Path) -> None:
        """A spoken turn, committed."""
        samples, rate_hz = soundfile.read(wav, dtype="float32")
        self.session.update(input_rate_hz=rate_hz)
        self.session.append((samples * 32767).astype("<i2").tobytes())
        self.session.commit()

    def speak_noise(self, seconds: float) -> None:
        """Something that is no speech, committed."""
        noise = np.random.default_rng(0).normal(0, 300, int(16_000 * seconds))
        self.session.append(noise.astype("<i2").tobytes())
        self.session.commit()


@asynccontextmanager
async def talking(parts: Parts, speak: bool = False, **tuning: object) -> AsyncIterator[Talk]:
    """A talk on `parts`; the keys of `tuning` are `section__key`."""

    def load(progress: OnProgress, cancelled: threading.Event) -> Parts:
        return parts

    told: list[CoreEvent] = []
    core = InferenceCore(parts.profile, load, 2, on_wedged=lambda _: None)
    core.start()
    values = {name.replace("__", "."): value for name, value in tuning.items()}
    session = Session(core, told.append, Tuning().with_values(values, "test"))
    session.update(input_rate_hz=16_000, speak=speak)
    yield Talk(session, core, told)
    await session.close()
    core.close()

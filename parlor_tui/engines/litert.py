"""Gemma and its kin on LiteRT-LM: hears and sees by itself, keeps what it was fed, and replies on branches.

A conversation that was cancelled is dead (measured on 0.18.1), so every turn runs on a clone of what went before: kept
when the reply is whole, thrown away when it is not. Which clone a prompt can go on from is found by what each was fed.
"""

from __future__ import annotations

import base64
import secrets
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from parlor_tui.engines.backends import Backends
from parlor_tui.engines.base import (
    Abilities,
    EngineError,
    Generation,
    Message,
    OnTaken,
    OnText,
    Sampling,
    Stopped,
    merged,
)
from parlor_tui.engines.fed import Fed, News, folded, news, split_history
from parlor_tui.engines.litert_api import Branch, Model, facts
from parlor_tui.engines.litert_job import Job
from parlor_tui.engines.model_facts import ModelFacts
from parlor_tui.engines.native_call import NativeCalls, Outcome
from parlor_tui.events import Usage, now_s

AUDIO_TOKENS_PER_S = 25
_WAV_BYTES_PER_S = 32_000
_MESSAGE_TOKENS = 8
"""What the chat template adds to a message."""
_FIRST_RATE_PER_S = 50.0
"""Tokens a second that a prompt is taken to be read at until it was measured (Gemma 4 E2B on a CPU: 215)."""
_MEDIA_S = 2.0
"""What an encoder may take beyond that, in the judgement of what is stuck (0.86 s a picture on an M3 Pro)."""


def conversations(slots: int) -> int:
    """How many conversations LiteRt holds at most, each with a context of its own: at rest (where each talk stands, and
    where one stood before what may yet be dropped) and at work.
    """
    return 2 * slots + 1


@dataclass(slots=True)
class _State:
    """A conversation at rest: what it was fed, how it draws, and how much of the context it takes."""

    branch: Branch
    fed: tuple[Fed, ...]
    drawing: tuple[float, float, int, int]
    tokens: int = 0


@dataclass(slots=True)
class _Turn:
    """A conversation that is about to run one message."""

    branch: Branch
    content: list[Mapping[str, Any]]
    fed: tuple[Fed, ...]
    drawing: tuple[float, float, int, int]
    cached_tokens: int
    new_tokens: int
    has_audio: bool
    pictures: tuple[Message, ...] = ()


class LiteRt:
    """One `.litertlm` model. `slots`: how many conversations may be at work at the same time.

    Raises EngineError when the file cannot be loaded.
    """

    def __init__(
        self,
        model: Path,
        name: str,
        *,
        backends: Backends,
        context_tokens: int,
        slots: int,
        threads: int = 0,
        cache_folder: Path | None = None,
    ) -> None:
        self._name = name
        self._facts: ModelFacts = facts(model)
        most = self._facts.context_tokens
        self._context_tokens = min(context_tokens or most, most) if most else context_tokens
        self._model = Model(
            model,
            text=backends.text,
            vision=(backends.vision or "cpu") if self._facts.sees else None,
            audio=(backends.audio or "cpu") if self._facts.hears else None,
            context_tokens=self._context_tokens,
            cache_folder=cache_folder,
            threads=threads,
        )
        self._lock = threading.Lock()
        self._states: list[_State] = []
        self._kept = slots + 1
        self._unheard: list[Job] = []
        self._calls = NativeCalls()
        self._rate_per_s = _FIRST_RATE_PER_S
        self._image_tokens = min(Sampling(0, 1, 1).image_tokens, self._facts.image_tokens)

    @property
    def name(self) -> str:
        """See Engine."""
        return self._name

    @property
    def abilities(self) -> Abilities:
        """See Engine."""
        return Abilities(hears=self._facts.hears, sees=self._facts.sees, branches=True, primes=self._facts.sees)

    @property
    def context_tokens(self) -> int:
        """See Engine."""
        return self._context_tokens

    def tokens(self, message: Message) -> int:
        """See Engine."""
        total = _MESSAGE_TOKENS + (self._model.count(message.text) if message.text else 0)
        if message.audio_wav is not None:
            total += len(message.audio_wav) * AUDIO_TOKENS_PER_S // _WAV_BYTES_PER_S
        if message.image_jpeg is not None:
            total += self._image_tokens
        return total

    def generate(
        self,
        messages: Sequence[Message],
        sampling: Sampling,
        on_text: OnText,
        stopped: Stopped,
        *,
        reply_id: str = "",
        on_taken: OnTaken = lambda _kind, _ms, _at_s: None,
    ) -> Generation:
        """See Engine. A picture that was not primed is fed first, as a message of its own.

        A reply that is long enough is written on to its end unheard, for a conversation that is cancelled is lost; the
        next turn takes the engine from it.
        """
        turn = self._open(messages, sampling)
        for picture in turn.pictures:
            began_s = now_s()
            if not self._show(turn, [_picture(picture)], stopped):
                return Generation("cancelled", Usage(turn.cached_tokens))
            on_taken("picture", (now_s() - began_s) * 1000, now_s())
        if not turn.content:
            turn.branch.close()
            raise EngineError("there is nothing to answer")
        job = Job(turn.branch, turn.content, sampling.max_tokens, self._image_tokens)
        outcome = self._run(job, on_text, stopped, turn.new_tokens)
        if outcome in {"cancelled", "left"}:
            job.release()
            return Generation("cancelled", self._usage(turn, job))
        told = "".join(job.pieces)

        def keep() -> None:
            # A reply of which nothing was left unspoken needs no word about that.
            whole = outcome == "enough" and "".join(job.pieces).strip() == told.strip()
            self._keep(_State(turn.branch, (*turn.fed, Fed(reply_id, "assistant", whole)), turn.drawing, job.tokens))
            if turn.has_audio and (encoded := job.encoded()) is not None:
                on_taken("sound", *encoded)

        if outcome == "enough":
            with self._lock:
                self._unheard.append(job)
            job.then(keep)
            return Generation("stop", self._usage(turn, job))
        keep()
        written = job.timings.decode_tokens if job.timings is not None else 0
        full = written >= sampling.max_tokens or job.tokens >= self._context_tokens - 1
        return Generation("length" if full else "stop", self._usage(turn, job))

    def prime(self, messages: Sequence[Message], sampling: Sampling, stopped: Stopped) -> float:
        """See Engine. The picture is a message of its own, with one token of reply that nobody sees."""
        began_s = now_s()
        turn = self._open(messages, sampling)
        words = turn.content
        tokens = 0
        for picture in turn.pictures:
            job = self._show(turn, [*words, _picture(picture)], stopped)
            if job is None:
                return 0.0
            words, tokens = [], job.tokens
        if words:
            turn.branch.close()
            raise EngineError("only pictures can be shown before the rest of the turn is there")
        self._keep(_State(turn.branch, turn.fed, turn.drawing, tokens))
        return (now_s() - began_s) * 1000

    def stuck_s(self, at_s: float) -> float:
        """See Engine."""
        return self._calls.stuck_s(at_s)

    def close(self) -> None:
        """See Engine."""
        self._end_unheard()
        with self._lock:
            for state in self._states:
                state.branch.close()
            self._states.clear()
        self._model.close()

    # --- finding the place to go on from ------------------------------------------------------------------------------

    def _open(self, messages: Sequence[Message], sampling: Sampling) -> _Turn:
        """A branch that was fed what it can be of `messages`, and the message that is left to send."""
        self._image_tokens = min(sampling.image_tokens, self._facts.image_tokens)
        drawing = (sampling.temperature, sampling.top_p, sampling.top_k, sampling.seed)
        self._end_unheard()
        with self._lock:
            found = self._best(messages, drawing)
            if found is not None:
                state, new = found
                self._states.remove(state)
                self._states.append(state)
                branch = state.branch.clone()
                if branch is not None:
                    text, rest = folded(new.rest, new.note)
                    return self._turn(
                        branch, text, rest, _now_known(state.fed, messages[: new.known], new), drawing, state.tokens
                    )
        history, rest = split_history(messages)
        if not rest:
            raise EngineError("there is nothing to answer")
        branch = self._model.begin(_history(history), sampling, sampling.seed or secrets.randbelow(2**31 - 1) + 1)
        turn = self._turn(branch, "", rest, tuple(Fed.of(m) for m in (*history, *rest)), drawing, 0)
        turn.new_tokens += sum(self.tokens(message) for message in history)
        return turn

    def _end_unheard(self) -> None:
        """A turn that somebody waits for goes before what nobody hears."""
        with self._lock:
            unheard, self._unheard = self._unheard, []
        for job in unheard:
            job.release()

    def _best(self, messages: Sequence[Message], drawing: tuple[float, float, int, int]) -> tuple[_State, News] | None:
        best: tuple[_State, News] | None = None
        for state in self._states:
            new = news(state.fed, messages) if state.drawing == drawing else None
            if new is not None and (best is None or new.known >= best[1].known):
                best = state, new
        return best

    def _turn(
        self,
        branch: Branch,
        text: str,
        rest: Sequence[Message],
        fed: tuple[Fed, ...],
        drawing: tuple[float, float, int, int],
        cached_tokens: int,
    ) -> _Turn:
        content: list[Mapping[str, Any]] = [{"type": "text", "text": text}] if text else []
        pictures = tuple(message for message in rest if message.image_jpeg is not None)
        spoken = [message for message in rest if message.audio_wav is not None]
        for message in rest:
            if message.audio_wav is not None and message is spoken[-1]:
                content.append({"type": "audio", "blob": base64.b64encode(message.audio_wav).decode()})
            elif message.text:
                content.append({"type": "text", "text": message.text})
        return _Turn(
            branch,
            content,
            fed,
            drawing,
            cached_tokens,
            sum(self.tokens(message) for message in rest),
            bool(spoken),
            pictures,
        )

    def _keep(self, state: _State) -> None:
        with self._lock:
            self._states.append(state)
            gone = self._states[: -self._kept]
            del self._states[: -self._kept]
        for old in gone:
            old.branch.close()

    # --- running ------------------------------------------------------------------------------------------------------

    def _show(self, turn: _Turn, content: list[Mapping[str, Any]], stopped: Stopped) -> Job | None:
        job = Job(turn.branch, content, 1, self._image_tokens)
        if self._run(job, lambda _: True, stopped, self._image_tokens) == "ended":
            return job
        job.release()
        return None

    def _run(self, job: Job, on_text: OnText, stopped: Stopped, new_tokens: int) -> Outcome:
        expected_s = new_tokens / self._rate_per_s + _MEDIA_S
        outcome = self._calls.run(job.work, job.cancel, on_text, stopped, expected_s=expected_s)
        if job.timings is not None and job.timings.prefill_tokens:
            self._rate_per_s = max(1.0, job.timings.prefill_per_s)
        return outcome

    def _usage(self, turn: _Turn, job: Job) -> Usage:
        read = job.tokens - job.timings.decode_tokens if job.timings is not None else 0
        written = job.timings.decode_tokens if job.timings is not None else len(job.pieces)
        return Usage(max(read, 0) or turn.cached_tokens + turn.new_tokens, written, turn.cached_tokens)


def _now_known(fed: tuple[Fed, ...], known: Sequence[Message], new: News) -> tuple[Fed, ...]:
    """What the branch of a conversation that was fed `fed` has been told, once `new` is fed."""
    told = fed if not new.note else (*fed[:-1], Fed(fed[-1].key, "assistant", cut=True))
    if new.note and len(known) < len(fed):  # the unheard reply is not in the prompt at all
        told = fed[:-1]
    return (*told, *(Fed.of(message) for message in new.rest))


def _history(messages: Sequence[Message]) -> list[Mapping[str, Any]]:
    """What was, as the library takes it: words, and the pictures that are still there."""
    result: list[Mapping[str, Any]] = []
    for message in messages:
        if message.image_jpeg is not None:
            result.append({"role": "user", "content": [_picture(message)]})
        else:
            result += [{"role": m.role, "content": [{"type": "text", "text": m.text}]} for m in merged([message])]
    joined: list[Mapping[str, Any]] = []
    for entry in result:
        if joined and joined[-1]["role"] == entry["role"]:
            joined[-1] = {"role": entry["role"], "content": [*joined[-1]["content"], *entry["content"]]}
        else:
            joined.append(entry)
    return joined


def _picture(message: Message) -> Mapping[str, Any]:
    return {"type": "image", "blob": base64.b64encode(message.image_jpeg or b"").decode()}

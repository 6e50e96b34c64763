"""Gemma and its kin on LiteRT-LM: hears and sees by itself, keeps what it was fed, and replies on branches.

A conversation that was cancelled is dead (measured on 0.18.1), so every turn runs on a clone of what went before: kept
when the reply is whole, thrown away when it is not. Which clone a prompt can go on from is found by what each was fed.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from parlor_tui.engines.backends import Backends
from parlor_tui.engines.base import (
    Abilities,
    ContextFull,
    EngineError,
    Generation,
    Message,
    OnTaken,
    OnText,
    Sampling,
    Stopped,
)
from parlor_tui.engines.fed import Fed, folded, split_history
from parlor_tui.engines.litert_base import Branch, Library
from parlor_tui.engines.litert_content import Content, history, picture_part, turn_content
from parlor_tui.engines.litert_job import Job
from parlor_tui.engines.litert_states import State, States, drawing_of
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
    where one stood before what may yet be dropped), at work, and cancelled but not over yet.
    """
    return 3 * slots + 1


@dataclass(slots=True)
class _Turn:
    """A conversation that is about to run one message."""

    branch: Branch
    content: Content
    pictures: tuple[bytes, ...]
    fed: tuple[Fed, ...]
    sampling: Sampling
    cached_tokens: int
    new_tokens: int
    has_audio: bool
    source: State | None = None
    """The conversation at rest that it goes on from."""


class LiteRt:
    """One `.litertlm` model. `slots`: how many conversations may be at work at the same time.

    `library` is what runs it: LiteRT-LM itself if there is none. Raises EngineError when the file cannot be loaded.
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
        library: Library | None = None,
    ) -> None:
        runner = library or _litert_lm()
        self._name = name
        self._facts: ModelFacts = runner.facts(model)
        most = self._facts.context_tokens
        self._context_tokens = min(context_tokens or most, most) if most else context_tokens
        self._model = runner.Model(
            model,
            text=backends.text,
            vision=(backends.vision or "cpu") if self._facts.sees else None,
            audio=(backends.audio or "cpu") if self._facts.hears else None,
            context_tokens=self._context_tokens,
            cache_folder=cache_folder,
            threads=threads,
        )
        self._lock = threading.Lock()
        self._order = threading.Lock()
        self._states = States(slots + 1)
        self._unheard: list[Job] = []
        self._calls = NativeCalls(most_left=slots)
        self._rate_per_s = _FIRST_RATE_PER_S
        self._picture_tokens = self._budget(Sampling(0, 1, 1))

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
            total += self._picture_tokens
        return total

    def generate(
        self,
        messages: Sequence[Message],
        sampling: Sampling,
        on_text: OnText,
        stopped: Stopped,
        *,
        reply_key: str = "",
        on_taken: OnTaken = lambda _kind, _ms, _at_s: None,
    ) -> Generation:
        """See Engine. A picture that was not primed is fed first, as a message of its own.

        A reply that is long enough is written on to its end unheard, for a conversation that is cancelled is lost; the
        next turn takes the engine from it.
        """
        told = False

        def tell(piece: str) -> bool:
            nonlocal told
            told = True
            return on_text(piece)

        turn = self._open(messages, sampling)
        try:
            return self._reply(turn, tell, stopped, reply_key, on_taken)
        except ContextFull:
            raise
        except EngineError:
            # What a model wrote can spoil its own conversation: a mark of a picture that is not there. Read anew, as
            # words, it is harmless.
            if told or turn.source is None:
                raise
            reply = self._reply(self._begin(messages, sampling), tell, stopped, reply_key, on_taken)
            self._states.forget(turn.source)
            return reply

    def _reply(self, turn: _Turn, on_text: OnText, stopped: Stopped, reply_key: str, on_taken: OnTaken) -> Generation:
        sampling = turn.sampling
        if not turn.content and turn.pictures:  # a picture alone is the turn itself
            turn.content, turn.pictures = [picture_part(turn.pictures[-1])], turn.pictures[:-1]
        if not turn.content:
            turn.branch.close()
            raise EngineError("there is nothing to answer")
        for picture in turn.pictures:
            began_s = now_s()
            if self._show(turn, [picture_part(picture)], stopped) is None:
                return Generation("cancelled", Usage(turn.cached_tokens))
            on_taken("picture", (now_s() - began_s) * 1000, now_s())
        job = Job(turn.branch, turn.content, sampling.max_tokens, self._budget(sampling), self._order)
        outcome = self._run(job, on_text, stopped, turn.new_tokens, media=turn.has_audio)
        if outcome not in {"ended", "enough"}:
            job.release()
            return Generation("cancelled", self._usage(turn, job))

        def keep() -> None:
            written = Fed(reply_key, "assistant", "".join(job.pieces))
            self._states.keep(State(turn.branch, (*turn.fed, written), drawing_of(sampling), job.tokens))
            if turn.has_audio and (encoded := job.encoded()) is not None:
                on_taken("sound", *encoded)

        job.then(keep)
        if outcome == "enough":
            with self._lock:
                self._unheard.append(job)
            return Generation("stop", self._usage(turn, job))
        written = job.timings.decode_tokens if job.timings is not None else 0
        full = written >= sampling.max_tokens or job.tokens >= self._context_tokens - 1
        return Generation("length" if full else "stop", self._usage(turn, job))

    def prime(self, messages: Sequence[Message], sampling: Sampling, stopped: Stopped) -> float:
        """See Engine. The picture is a message of its own, with one token of reply that nobody sees.

        With a seed, every reply is of a fresh conversation, and nothing can be shown ahead.
        """
        if sampling.seed:
            return 0.0
        began_s = now_s()
        turn = self._open(messages, sampling)
        words = turn.content
        tokens = 0
        for picture in turn.pictures:
            job = self._show(turn, [*words, picture_part(picture)], stopped)
            if job is None:
                return 0.0
            words, tokens = [], job.tokens
        if words:
            turn.branch.close()
            raise EngineError("only pictures can be shown before the rest of the turn is there")
        self._states.keep(State(turn.branch, turn.fed, drawing_of(sampling), tokens))
        return (now_s() - began_s) * 1000

    def stuck_s(self, at_s: float) -> float:
        """See Engine."""
        return self._calls.stuck_s(at_s)

    def close(self) -> None:
        """See Engine."""
        self._end_unheard()
        self._states.close()
        self._model.close()

    # --- finding the place to go on from ------------------------------------------------------------------------------

    def _open(self, messages: Sequence[Message], sampling: Sampling) -> _Turn:
        """A branch that was fed what it can be of `messages`, and what is left to send."""
        self._picture_tokens = self._budget(sampling)
        self._end_unheard()
        # A seed makes a reply repeatable only in a conversation that has drawn nothing yet.
        while not sampling.seed and (found := self._states.take_up(messages, drawing_of(sampling))) is not None:
            state, branch, new = found
            if branch is not None:
                note, rest = folded(new.rest, new.note)
                turn = self._turn(branch, note, rest, new.then_known, sampling, state.tokens)
                turn.source = state
                return turn
        return self._begin(messages, sampling)

    def _begin(self, messages: Sequence[Message], sampling: Sampling) -> _Turn:
        """A fresh conversation, which reads all of `messages`."""
        before, rest = split_history(messages)
        if not rest:
            raise EngineError("there is nothing to answer")
        branch = self._model.begin(history(before), sampling, sampling.seed or secrets.randbelow(2**31 - 1) + 1)
        known = tuple(Fed.of(message) for message in (*before, *rest))
        turn = self._turn(branch, "", rest, known, sampling, 0)
        turn.new_tokens += sum(self.tokens(message) for message in before)
        return turn

    def _end_unheard(self) -> None:
        """A turn that somebody waits for goes before what nobody hears."""
        with self._lock:
            unheard, self._unheard = self._unheard, []
        for job in unheard:
            job.release()

    def _turn(
        self,
        branch: Branch,
        note: str,
        rest: Sequence[Message],
        fed: tuple[Fed, ...],
        sampling: Sampling,
        cached_tokens: int,
    ) -> _Turn:
        return _Turn(
            branch,
            turn_content(note, rest),
            tuple(message.image_jpeg for message in rest if message.image_jpeg is not None),
            fed,
            sampling,
            cached_tokens,
            sum(self.tokens(message) for message in rest),
            any(message.audio_wav is not None for message in rest),
        )

    # --- running ------------------------------------------------------------------------------------------------------

    def _budget(self, sampling: Sampling) -> int:
        """Tokens for one picture: what is asked for, or all that the model can."""
        return min(sampling.image_tokens, self._facts.image_tokens)

    def _show(self, turn: _Turn, content: Content, stopped: Stopped) -> Job | None:
        job = Job(turn.branch, content, 1, self._budget(turn.sampling), self._order)
        if self._run(job, lambda _: True, stopped, self._budget(turn.sampling), media=True) == "ended":
            return job
        job.release()
        return None

    def _run(self, job: Job, on_text: OnText, stopped: Stopped, new_tokens: int, *, media: bool) -> Outcome:
        expected_s = new_tokens / self._rate_per_s + (_MEDIA_S if media else 0.0)
        try:
            outcome = self._calls.run(job.work, job.cancel, on_text, stopped, expected_s=expected_s)
        except BaseException:
            job.release()
            raise
        if outcome == "unbegun":
            job.discard()
        elif job.timings is not None and job.timings.prefill_tokens:
            self._rate_per_s = max(1.0, job.timings.prefill_per_s)
        return outcome

    def _usage(self, turn: _Turn, job: Job) -> Usage:
        read = job.tokens - job.timings.decode_tokens if job.timings is not None else 0
        written = job.timings.decode_tokens if job.timings is not None else len(job.pieces)
        return Usage(max(read, 0) or turn.cached_tokens + turn.new_tokens, written, turn.cached_tokens)


def _litert_lm() -> Library:
    """The real one, whose import loads native code."""
    from parlor_tui.engines import litert_api

    return litert_api

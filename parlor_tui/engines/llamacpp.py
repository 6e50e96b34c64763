"""Language models in GGUF on llama.cpp, through xllamacpp."""

from __future__ import annotations

import contextlib
import os
import secrets
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

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
    estimated_tokens,
    merged,
)
from parlor_tui.engines.native_call import NativeCalls, Put
from parlor_tui.events import Usage

_REPEAT_PENALTY = 1.1
"""Keeps a 135M model from going round in circles (measured on SmolLM2)."""
_GIVES_WAY = 10
_MESSAGE_TOKENS = 8
"""What the chat template adds to a message."""
_PREFILL_TOKENS_PER_S = 20.0
"""Slower than any machine was seen to read SmolLM2 (240-290 alone on 2 cores); tells slow from stuck."""
_BATCH_TOKENS = 128
"""Read at a time: between two batches a cancel is noticed, and other talks get their tokens."""


class LlamaCpp:
    """One GGUF model, kept resident with `slots` conversations' prompts cached."""

    def __init__(self, gguf: Path, name: str, *, threads: int, slots: int, context_tokens: int = 2048) -> None:
        import xllamacpp

        self._name = name
        self._context_tokens = context_tokens
        params = xllamacpp.CommonParams()
        params.model.path = str(gguf)
        params.n_ctx = context_tokens * slots
        params.n_parallel = slots
        params.cpuparams.n_threads = threads
        params.cpuparams_batch.n_threads = threads
        params.n_batch = params.n_ubatch = _BATCH_TOKENS
        # Which slot a talk has is chosen here: prompts of other talks need not be put aside (in up to 8 GB).
        params.cache_ram_mib = 0
        params.cache_idle_slots = False
        params.verbosity = 0
        # Threads that wait by spinning take the core away from the thread they wait for.
        params.cpuparams.poll = 0
        params.cpuparams_batch.poll = 0
        # The library opens a web server on loopback beside the calls used here: a key nobody knows, and no pages.
        params.api_keys = [secrets.token_hex(32)]
        params.ui = False
        params.endpoint_slots = False
        params.endpoint_props = False
        with _behind_the_voice():
            try:
                self._server = xllamacpp.Server(params)
            except RuntimeError as error:
                raise EngineError(f"{gguf}: llama.cpp cannot load it: {error}") from error
        self._calls = NativeCalls(most_left=slots)
        self._slots = Slots(slots)

    @property
    def name(self) -> str:
        """See Engine."""
        return self._name

    @property
    def abilities(self) -> Abilities:
        """See Engine."""
        return Abilities()

    @property
    def context_tokens(self) -> int:
        """See Engine."""
        return self._context_tokens

    def tokens(self, message: Message) -> int:
        """See Engine. An estimate: the library has no call that counts."""
        return _MESSAGE_TOKENS + estimated_tokens(message.text)

    def prime(self, messages: Sequence[Message], sampling: Sampling, stopped: Stopped) -> float:  # noqa: ARG002 - sees nothing
        """See Engine."""
        return 0.0

    def stuck_s(self, at_s: float) -> float:
        """See Engine."""
        return self._calls.stuck_s(at_s)

    def generate(
        self,
        messages: Sequence[Message],
        sampling: Sampling,
        on_text: OnText,
        stopped: Stopped,
        *,
        reply_key: str = "",  # noqa: ARG002 - llama.cpp finds by itself what it has read before
        on_taken: OnTaken = lambda _kind, _ms, _at_s: None,  # noqa: ARG002 - it hears nothing
    ) -> Generation:
        """See Engine. While it reads a prompt it cannot be stopped, and is left to finish."""
        run = _Run()
        told = merged(messages)
        request = {
            "messages": [{"role": message.role, "content": message.text} for message in told],
            "stream": True,
            "stream_options": {"include_usage": True},
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            "top_k": sampling.top_k,
            "seed": sampling.seed or secrets.randbelow(2**31 - 1) + 1,
            "repeat_penalty": _REPEAT_PENALTY,
            "max_tokens": sampling.max_tokens,
        }

        def work(put: Put) -> None:
            # One that is still busy takes this up as soon as it is free.
            with self._slots.taken([(message.role, message.text) for message in told]) as slot:
                self._server.handle_chat_completions({**request, "id_slot": slot}, lambda chunk: run.take(chunk, put))

        def cancel() -> None:
            run.cancelled = True

        expected_s = sum(self.tokens(message) for message in messages) / _PREFILL_TOKENS_PER_S
        outcome = self._calls.run(work, cancel, on_text, stopped, expected_s=expected_s)
        if outcome == "enough":
            run.cancelled = True
            return Generation("stop", run.usage)
        if outcome != "ended":
            return Generation("cancelled", run.usage)
        if run.fault:
            raise (ContextFull if "context" in run.fault else EngineError)(run.fault)
        return Generation("length" if run.finish == "length" else "stop", run.usage)

    def close(self) -> None:
        """See Engine."""
        del self._server


class Slots:
    """Which of llama.cpp's slots a prompt goes to: the one that has read this talk before, else the longest unused.

    Left to itself llama.cpp takes the slot whose prompt begins most like the new one. As all begin with the same
    examples, two talks took one slot from each other at every turn, and read their whole past again.
    """

    def __init__(self, count: int) -> None:
        self._read: list[list[tuple[str, str]]] = [[] for _ in range(count)]
        self._busy = [0] * count
        self._order = list(range(count))
        self._lock = threading.Lock()

    @contextlib.contextmanager
    def taken(self, prompt: Sequence[tuple[str, str]]) -> Iterator[int]:
        """The slot for `prompt`, its messages as (role, text), which is busy until the context is left."""
        with self._lock:
            slot = self._choose(list(prompt))
            self._read[slot] = list(prompt)
            self._busy[slot] += 1
            self._order.remove(slot)
            self._order.append(slot)
        try:
            yield slot
        finally:
            with self._lock:
                self._busy[slot] -= 1

    def _choose(self, prompt: list[tuple[str, str]]) -> int:
        # Of the same talk all is the same but the last message, which may have been only the beginning of a question.
        same = [slot for slot in self._order if (read := self._read[slot]) and read[:-1] == prompt[: len(read) - 1]]
        if same:
            return max(same, key=lambda slot: len(self._read[slot]))
        return min(self._order, key=lambda slot: (self._busy[slot], self._order.index(slot)))


@contextlib.contextmanager
def _behind_the_voice() -> Iterator[None]:
    """Threads that are begun within it give way to the others of this process, where the system allows that (Linux).

    While the voice makes the first sound, nobody waits for more words: with 2 cores that is 10 % sooner (median of 8).
    """
    before = _threads()
    yield
    for thread in _threads() - before:
        with contextlib.suppress(OSError):  # it has ended
            os.setpriority(os.PRIO_PROCESS, thread, min(19, os.nice(0) + _GIVES_WAY))


def _threads() -> set[int]:
    """The threads of this process, by the numbers that Linux gives them."""
    with contextlib.suppress(OSError):
        return {int(thread.name) for thread in Path("/proc/self/task").iterdir()}
    return set()


@dataclass(slots=True)
class _Run:
    """What is seen of one request while it runs."""

    finish: str = "stop"
    usage: Usage = field(default_factory=Usage)
    fault: str = ""
    cancelled: bool = False

    def take(self, chunk: dict[str, Any], put: Put) -> bool:
        """Take a chunk of the answer; True ends the request there."""
        if "error" in chunk:
            self.fault = str(chunk["error"].get("message", chunk["error"]))
            return True
        if counts := chunk.get("usage"):
            self.usage = Usage(
                counts.get("prompt_tokens", 0),
                counts.get("completion_tokens", 0),
                counts.get("prompt_tokens_details", {}).get("cached_tokens", 0),
            )
        for choice in chunk.get("choices", ()):
            self.finish = choice.get("finish_reason") or self.finish
            text = choice["delta"].get("content")
            if text and not self.cancelled:
                put(text)
        return self.cancelled

"""Language models in GGUF on llama.cpp, through xllamacpp."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from parlor_tui.engines.base import Abilities, EngineError, Generation, Message, OnText, Sampling
from parlor_tui.events import Usage

_REPEAT_PENALTY = 1.1
"""Keeps a 135M model from going round in circles (measured on SmolLM2)."""


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
        params.verbosity = 0
        # Threads that wait by spinning take the core away from the thread they wait for.
        params.cpuparams.poll = 0
        params.cpuparams_batch.poll = 0
        # The library opens a web server on loopback beside the calls used here: a key nobody knows, and no pages.
        params.api_keys = [secrets.token_hex(32)]
        params.ui = False
        params.endpoint_slots = False
        params.endpoint_props = False
        try:
            self._server = xllamacpp.Server(params)
        except RuntimeError as error:
            raise EngineError(f"{gguf}: llama.cpp cannot load it: {error}") from error

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

    def generate(self, messages: Sequence[Message], sampling: Sampling, on_text: OnText) -> Generation:
        """See Engine. Stops within one token when `on_text` returns False."""
        finish = "stop"
        usage = Usage()
        fault = ""

        def on_chunk(chunk: dict[str, Any]) -> bool:
            nonlocal finish, usage, fault
            if "error" in chunk:
                fault = str(chunk["error"].get("message", chunk["error"]))
                return True
            if counts := chunk.get("usage"):
                usage = Usage(
                    counts.get("prompt_tokens", 0),
                    counts.get("completion_tokens", 0),
                    counts.get("prompt_tokens_details", {}).get("cached_tokens", 0),
                )
            for choice in chunk.get("choices", ()):
                finish = choice.get("finish_reason") or finish
                text = choice["delta"].get("content")
                if text and not on_text(text):
                    finish = "cancelled"
                    return True
            return False

        request = {
            "messages": [{"role": message.role, "content": message.text} for message in messages],
            "stream": True,
            "stream_options": {"include_usage": True},
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            "repeat_penalty": _REPEAT_PENALTY,
            "max_tokens": sampling.max_tokens,
        }
        self._server.handle_chat_completions(request, on_chunk)
        if fault:
            raise EngineError(fault)
        return Generation("cancelled" if finish == "cancelled" else "length" if finish == "length" else "stop", usage)

    def close(self) -> None:
        """See Engine."""
        del self._server

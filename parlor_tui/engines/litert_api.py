"""The LiteRT-LM library, with the calls that it exports and its Python package does not bind.

Imported only by whoever is about to load a model: the import brings in the native library.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import litert_lm
from litert_lm.conversation import Conversation

from parlor_tui.engines.backends import Backend
from parlor_tui.engines.base import ContextFull, EngineError, Sampling
from parlor_tui.engines.litert_base import Timings
from parlor_tui.engines.model_facts import ModelFacts

_CONTEXT_FULL = ("exceeds available state entries", "Exceeding the maximum number of tokens", "Max number of tokens")


def facts(model: Path) -> ModelFacts:
    """What the `.litertlm` file says of itself. Raises EngineError."""
    try:
        info = litert_lm.ModelInfo(str(model))
        modalities = info.input_modalities
        return ModelFacts(
            hears=bool(modalities.audio),
            sees=bool(modalities.vision),
            context_tokens=int(info.max_context_tokens or 0),
            image_tokens=int(info.max_vision_token_budget or 0) if modalities.vision else 0,
        )
    except (RuntimeError, ValueError, OSError) as error:
        raise EngineError(f"{model}: not a model that LiteRT-LM can read: {_line(error)}") from error


class Model:
    """A loaded model. `log`: the library writes on stderr what it does. Raises EngineError with its own reason."""

    def __init__(
        self,
        model: Path,
        *,
        text: Backend,
        vision: Backend | None,
        audio: Backend | None,
        context_tokens: int,
        cache_folder: Path | None,
        threads: int,
        log: bool = False,
    ) -> None:
        severity = litert_lm.LogSeverity
        litert_lm.set_min_log_severity(severity.INFO if log else severity.SILENT)
        try:
            self._engine: Any = litert_lm.Engine(
                str(model),
                backend=_backend(text, threads),
                vision_backend=_backend(vision, threads),
                audio_backend=_backend(audio, threads),
                max_num_tokens=context_tokens,
                cache_dir=":nocache" if cache_folder is None else str(cache_folder),
                enable_benchmark=True,  # counts and times tokens; nothing else changes
            )
        except (RuntimeError, ValueError, OSError) as error:
            raise EngineError(f"{model}: LiteRT-LM cannot load it: {last_error() or _line(error)}") from error

    def count(self, text: str) -> int:
        """Tokens of `text`."""
        return len(self._engine.tokenize(text))

    def begin(self, history: Sequence[Mapping[str, Any]], sampling: Sampling, seed: int) -> Branch:
        """A conversation that starts with `history`, which is read at the first `send`."""
        sampler = litert_lm.SamplerConfig(
            top_k=1 if sampling.temperature == 0 else sampling.top_k,
            top_p=sampling.top_p,
            temperature=sampling.temperature,
            seed=seed,
        )
        try:
            made = self._engine.create_conversation(
                messages=history, sampler_config=sampler, automatic_tool_calling=False
            )
        except (RuntimeError, ValueError) as error:
            raise EngineError(f"LiteRT-LM cannot begin a conversation: {last_error() or _line(error)}") from error
        pointer, made._ptr = made._ptr, None
        return Branch(_Conversation(made._lib, pointer, engine=self._engine, automatic_tool_calling=False))

    def close(self) -> None:
        """Free the model, once its last conversation is gone: each of them holds on to it, and crashes without it."""
        self._engine = None


class _Conversation(Conversation):  # type: ignore[misc]
    """The library's conversation, with a budget for pictures."""

    image_tokens = 0

    def close(self) -> None:
        # The garbage collector may free an engine and its conversations in any order, and freeing a conversation
        # without its engine crashes.
        if self._engine is None or not self._engine._engine_ptr:
            self._ptr = None
        super().close()

    def _create_optional_args(self, *args: Any, **named: Any) -> Any:
        made = super()._create_optional_args(*args, **named)
        set_budget = getattr(self._lib, "litert_lm_conversation_optional_args_set_visual_token_budget", None)
        if made and self.image_tokens and set_budget is not None:
            set_budget.argtypes, set_budget.restype = [ctypes.c_void_p, ctypes.c_int], None
            set_budget(made, self.image_tokens)
        return made


class Branch:
    """What one conversation has read and written so far. One caller at a time; a cancelled one cannot go on."""

    def __init__(self, conversation: _Conversation) -> None:
        self._conversation = conversation

    def clone(self) -> Branch | None:
        """The same once more, to go on from by itself (0.2 ms); None if this library cannot. Never while it writes."""
        call = getattr(self._conversation._lib, "litert_lm_conversation_clone", None)
        if call is None:
            return None
        call.argtypes, call.restype = [ctypes.c_void_p], ctypes.c_void_p
        pointer = call(self._conversation._ptr)
        if not pointer:
            raise EngineError(f"LiteRT-LM cannot branch a conversation: {last_error()}")
        return Branch(
            _Conversation(
                self._conversation._lib, pointer, engine=self._conversation._engine, automatic_tool_calling=False
            )
        )

    def send(self, content: Sequence[Mapping[str, Any]], *, max_tokens: int, image_tokens: int) -> Iterator[str]:
        """Send a message of the user's; the reply, piece by piece. Ends early, silently, when it is cancelled.

        Raises ContextFull when the context has no room for it, EngineError for other faults.
        """
        self._conversation.image_tokens = image_tokens
        message = {"role": "user", "content": list(content)}
        try:
            for piece in self._conversation.send_message_async(message, max_output_tokens=max_tokens):
                text = "".join(part["text"] for part in piece["content"] if part.get("type") == "text")
                if text:
                    yield text
        except RuntimeError as error:
            reason = _line(error)
            if reason.endswith("failed"):
                reason = last_error() or reason
            kind = ContextFull if any(mark in reason for mark in _CONTEXT_FULL) else EngineError
            raise kind(f"LiteRT-LM: {reason}") from error

    def cancel(self) -> None:
        """Stop writing. While it still reads the prompt, this has no effect until that is done."""
        self._conversation.cancel_process()

    @property
    def tokens(self) -> int:
        """How much of the context is taken."""
        return int(self._conversation.token_count)

    def timings(self) -> Timings:
        """Counts and rates of the last message."""
        info = self._conversation.get_benchmark_info()
        return Timings(
            int(info.last_prefill_token_count),
            float(info.last_prefill_tokens_per_second),
            int(info.last_decode_token_count),
            float(info.last_decode_tokens_per_second),
        )

    def close(self) -> None:
        """Free it. Blocks while it writes."""
        self._conversation.close()


def last_error() -> str:
    """The native library's reason for its last failure, in one line; empty if it gives none."""
    from litert_lm._ffi import _get_lib

    call = getattr(_get_lib(), "litert_lm_get_last_error_message", None)
    if call is None:
        return ""
    call.restype = ctypes.c_char_p
    return " ".join((call() or b"").decode("utf-8", "replace").split())


def _backend(kind: Backend | None, threads: int) -> Any:
    match kind:
        case None:
            return None
        case "cpu":
            return litert_lm.Backend.CPU(thread_count=threads or None)
        case "gpu":
            return litert_lm.Backend.GPU()
        case "npu":
            return litert_lm.Backend.NPU()


def _line(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__

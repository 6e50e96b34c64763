"""ONNX Runtime for the parts that run on it: nothing about this machine is told to anybody, and no thread spins."""

from __future__ import annotations

import os
from typing import Any


class CannotLoad(Exception):  # noqa: N818 - whoever wanted it says what it was
    """Why not, and what to do, in words that follow the name of the file."""


def session(model: bytes | str, *, threads: int) -> Any:
    """An `onnxruntime.InferenceSession` of `model` (its bytes, or its path) on `threads` threads of the processor.

    Raises CannotLoad.
    """
    runtime = _runtime()
    options = runtime.SessionOptions()
    options.intra_op_num_threads = threads
    # Spinning threads would take the cores away from the other models, whose work overlaps with this.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3
    try:
        return runtime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    except Exception as error:
        # ONNX Runtime has an exception type for each of its codes, and they share no base class.
        raise CannotLoad(_why(error)) from error


def _why(error: Exception) -> str:
    if isinstance(error, MemoryError) or "bad_alloc" in str(error) or "Failed to allocate" in str(error):
        return "there is not enough memory to load it; end other programs, or take a smaller model"
    return "not an ONNX model that can be loaded; get it again"


def run_options() -> Any:
    """An `onnxruntime.RunOptions`, by which a run can be ended from another thread."""
    return _runtime().RunOptions()


def _runtime() -> Any:
    # ONNX Runtime collects events about this machine and queues them for its makers. Nothing leaves this machine.
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    import onnxruntime

    onnxruntime.disable_telemetry_events()
    return onnxruntime

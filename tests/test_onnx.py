"""A model that ONNX Runtime cannot load: the words say whether the file is to blame."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from parlor_tui import onnx
from parlor_tui.settings import Settings, models_folder

# A process of its own, whose memory is limited once the library is there.
_WITH_LITTLE_MEMORY = """
import resource, sys
from parlor_tui import onnx
onnx.run_options()
taken = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (taken + 40_000_000, resource.RLIM_INFINITY))
try:
    onnx.session(sys.argv[1], threads=1)
except onnx.CannotLoad as error:
    print(error)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not let a process limit its own memory so")
def test_a_whole_model_is_not_to_be_got_again_where_memory_is_short() -> None:
    (model,) = (models_folder(Settings()) / "kokoro-int8").glob("*.onnx")
    command = [sys.executable, "-c", _WITH_LITTLE_MEMORY, str(model)]
    told = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
    assert "not enough memory" in told
    assert "get it again" not in told


def test_a_file_that_is_no_model_is(tmp_path: Path) -> None:
    file = tmp_path / "model.onnx"
    file.write_bytes(b"not a model")
    with pytest.raises(onnx.CannotLoad, match="get it again"):
        onnx.session(str(file), threads=1)

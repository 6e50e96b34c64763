"""A process to which the system refuses memory notices, before it hangs as it starts a thread."""

from __future__ import annotations

import subprocess
import sys

from parlor_tui.core.spare_memory import has_spare_memory

REFUSED = """
import os, resource, threading
from parlor_tui.core.spare_memory import watch_spare_memory
watch_spare_memory(lambda: os._exit(71))
resource.setrlimit(resource.RLIMIT_AS, (2**20, 2**20))
threading.Event().wait(20)
"""


def test_memory_that_is_refused_is_noticed() -> None:
    assert has_spare_memory()
    assert sys.platform == "linux", "this test limits a process as Linux does"
    assert subprocess.run([sys.executable, "-c", REFUSED], check=False, timeout=20).returncode == 71

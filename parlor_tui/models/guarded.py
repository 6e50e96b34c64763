"""Run as a program: runs the command of its arguments, and ends all of its process group when its own stdin closes.

For programs that do not notice that whoever started them is gone. It is the leader of its group; the exit code is the
command's. Imports nothing of the package: it starts at once.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading


def main() -> int:
    """Run the command to its end; its exit code, 127 if it cannot be run."""
    try:
        child = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE)  # open as long as this runs
    except OSError as error:
        sys.stdout.write(f"{sys.argv[1]} cannot be run: {error.strerror}\n")
        return 127
    threading.Thread(target=_end_with_parent, args=(child,), daemon=True).start()
    code = child.wait()
    return code if code >= 0 else 128 - code


def _end_with_parent(child: subprocess.Popen[bytes]) -> None:
    while os.read(0, 4096):
        pass
    if sys.platform == "win32":
        subprocess.run(["taskkill", "/PID", str(child.pid), "/T", "/F"], check=False, capture_output=True, timeout=10)
        os._exit(1)
    os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(main())

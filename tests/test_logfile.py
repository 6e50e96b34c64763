from __future__ import annotations

import subprocess
import sys
from pathlib import Path

NOISY = """
import logging, os, sys
from pathlib import Path
from parlor_tui.logfile import noise_into
with noise_into(Path(sys.argv[1])):
    os.write(2, b"from C\\n")
    logging.getLogger("x").warning("logged")
    print("for the user", file=sys.stderr)
    print("result")
os.write(2, b"afterwards\\n")
"""


def test_noise_goes_into_the_log_and_words_to_the_user(tmp_path: Path) -> None:
    log = tmp_path / "deep" / "log"
    done = subprocess.run([sys.executable, "-c", NOISY, str(log)], capture_output=True, text=True, check=True)
    assert done.stdout == "result\n"
    assert done.stderr == "for the user\nafterwards\n"
    assert "from C\n" in log.read_text()
    assert "WARNING x logged\n" in log.read_text()


def test_a_log_that_cannot_be_written_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    log = str(tmp_path / "file" / "log")
    done = subprocess.run([sys.executable, "-c", NOISY, log], capture_output=True, text=True, check=True)
    assert done.stderr == "for the user\nafterwards\n"


def test_a_log_on_a_full_disk_is_no_business_of_the_users() -> None:
    assert Path("/dev/full").exists(), "this test needs /dev/full, as Linux has it"
    logs_only = NOISY.replace('os.write(2, b"from C\\n")', 'logging.getLogger("x").error("more", exc_info=True)')
    done = subprocess.run([sys.executable, "-c", logs_only, "/dev/full"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "result\n", "for the user\nafterwards\n")

"""The log beside the screen, and its limits."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest

from parlor_tui import logfile
from parlor_tui.ui import terminal


def test_the_log_is_made_with_its_folder_for_its_owner_alone(tmp_path: Path) -> None:
    fd, path = logfile.open_log(tmp_path / "a" / "b" / "parlor-tui.log")
    os.write(fd, b"one\n")
    os.close(fd)
    fd, _ = logfile.open_log(path)
    os.write(fd, b"two\n")
    os.close(fd)
    assert path.read_text() == "one\ntwo\n"
    assert sys.platform == "win32" or stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_long_log_becomes_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "parlor-tui.log"
    path.write_bytes(b"x" * (logfile.LIMIT_BYTES + 1))
    logfile.old_log(path).write_text("older")
    fd, _ = logfile.open_log(path)
    os.close(fd)
    assert path.read_bytes() == b""
    assert logfile.old_log(path).stat().st_size == logfile.LIMIT_BYTES + 1


def test_a_log_that_grows_too_long_starts_anew_while_it_is_open(tmp_path: Path) -> None:
    fd, path = logfile.open_log(tmp_path / "parlor-tui.log")
    screen = terminal.Terminal(tty_fd=-1, log_fd=fd, log_path=path, modes=None)
    screen.write_log("short \ud800\n")
    screen.trim_log()
    assert path.read_text() == "short ?\n"
    screen.write_log("y" * logfile.LIMIT_BYTES)
    screen.trim_log()
    screen.write_log("after\n")
    os.close(fd)
    assert path.read_text() == "after\n"
    assert logfile.old_log(path).stat().st_size > logfile.LIMIT_BYTES


def test_without_a_place_for_the_log_there_is_the_null_device(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    fd, path = logfile.open_log(tmp_path / "file" / "parlor-tui.log")
    os.write(fd, b"gone\n")
    os.close(fd)
    assert path == Path(os.devnull)


def test_a_pipe_is_no_terminal(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(terminal.NoTerminalError), terminal.own_terminal(Path(os.devnull)):
        pytest.fail("there is no terminal here")
    os.write(1, b"still mine\n")
    assert capfd.readouterr().out == "still mine\n"

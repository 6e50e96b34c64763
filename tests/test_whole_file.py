"""A file is written whole or not at all, whatever goes wrong on the way."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from parlor_tui.settings import SettingsError
from parlor_tui.settings.saving import replace_file
from parlor_tui.whole_file import whole_file


def begin(out: Path, fault: BaseException) -> None:
    with whole_file(out) as file:
        file.write(b"new, and not")
        raise fault


@pytest.mark.parametrize(
    "fault", [OSError(28, "No space left on device"), ValueError("no such turn"), KeyboardInterrupt()]
)
@pytest.mark.parametrize("before", [b"old", None])
def test_what_goes_wrong_leaves_what_was_there(tmp_path: Path, fault: BaseException, before: bytes | None) -> None:
    out = tmp_path / "out.json"
    if before is not None:
        out.write_bytes(before)
    with pytest.raises(type(fault)):
        begin(out, fault)
    assert [(one.name, one.read_bytes()) for one in tmp_path.iterdir()] == (
        [] if before is None else [(out.name, before)]
    )


def test_all_of_it_takes_the_place_of_what_was_there(tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    out.write_bytes(b"old and longer")
    with whole_file(out) as file:
        file.write(b"new")
    assert [(one.name, one.read_bytes()) for one in tmp_path.iterdir()] == [(out.name, b"new")]
    with pytest.raises(FileNotFoundError), whole_file(tmp_path / "nowhere" / "x"):
        pytest.fail("there is no such folder")


def test_what_is_no_file_stays_what_it_is(tmp_path: Path) -> None:
    """The null device above all: whoever is root would replace it for the whole machine."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(FileExistsError, match="no ordinary file"), whole_file(pipe) as file:
        file.write(b"new")
    with pytest.raises(SettingsError, match="no ordinary file"):
        replace_file(pipe, "")
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert list(tmp_path.iterdir()) == [pipe]

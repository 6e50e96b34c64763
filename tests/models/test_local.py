"""A model file of the user's own is looked at before an engine is: each fault is one line that says what to do."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parlor_tui.models.base import ModelError, ModelMissing
from parlor_tui.models.local import local_model

HEAD = (Path(__file__).parent / "litertlm_head.bin").read_bytes()
"""The first bytes of a `.litertlm` of SIZE_BYTES as litert-lm-builder 0.18.1 wrote it: all up to its first section."""
SIZE_BYTES = 6_814_848


def whole(folder: Path, head: bytes = HEAD, size_bytes: int = SIZE_BYTES) -> Path:
    path = folder / "own model.litertlm"
    path.write_bytes(head)
    os.truncate(path, size_bytes)
    return path


def test_a_whole_file_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = whole(tmp_path)
    found = local_model(path)
    assert (found.path, found.size_bytes) == (path, SIZE_BYTES)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    assert local_model(Path("~") / path.name).path == path


def test_of_another_version_of_the_format_only_the_magic_counts(tmp_path: Path) -> None:
    assert local_model(whole(tmp_path, b"LITERTLM\x02\x00\x00\x00" + bytes(100), 112)).size_bytes == 112


@pytest.mark.parametrize("size_bytes", [0, 7, 8, 12, 31, 40, 1_000, len(HEAD), 1_000_000, SIZE_BYTES - 1])
def test_a_file_that_is_cut_short_is_refused(tmp_path: Path, size_bytes: int) -> None:
    with pytest.raises(ModelError, match=r"cut short|not a \.litertlm file") as refused:
        local_model(whole(tmp_path, HEAD, size_bytes))
    assert "\n" not in str(refused.value)
    if size_bytes > len(HEAD):
        assert "of 6.8 MB are there: copy or download it again" in str(refused.value)


def test_what_is_no_model_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match="there is no such model file"):
        local_model(tmp_path / "none.litertlm")
    with pytest.raises(ModelMissing, match="there is no such model file"):
        local_model(whole(tmp_path) / "below.litertlm")
    with pytest.raises(ModelError, match=r"a folder; name the \.litertlm file in it"):
        local_model(tmp_path)
    (tmp_path / "text.litertlm").write_text("GGUF and more")
    with pytest.raises(ModelError, match="does not begin with LITERTLM"):
        local_model(tmp_path / "text.litertlm")
    with pytest.raises(ModelError, match="not a path"):
        local_model(Path("a\0b.litertlm"))


@pytest.mark.skipif(os.name == "nt", reason="no such files there")
def test_a_pipe_and_a_file_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "pipe.litertlm")
    with pytest.raises(ModelError, match="not a file"):
        local_model(tmp_path / "pipe.litertlm")
    path = whole(tmp_path)
    path.chmod(0)
    if os.geteuid() == 0:  # whom no mode keeps from reading: the system's refusal stands in for it

        def refuse(*_: object, **__: object) -> None:
            raise PermissionError(13, "Permission denied", str(path))

        monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(ModelError, match="cannot be read: Permission denied"):
        local_model(path)


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_no_damage_to_the_head_does_worse_than_be_refused(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    head = bytearray(HEAD)
    for _ in range(data.draw(st.integers(1, 8))):
        at = data.draw(st.integers(8, len(head) - 4))
        head[at : at + 4] = data.draw(st.binary(min_size=4, max_size=4))
    path = tmp_path_factory.getbasetemp() / "damaged.litertlm"
    path.write_bytes(head)
    os.truncate(path, SIZE_BYTES)
    with contextlib.suppress(ModelError):
        assert local_model(path).size_bytes == SIZE_BYTES

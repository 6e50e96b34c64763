"""What is saved stands in the settings file as it was meant, and nothing else in it moves."""

from __future__ import annotations

import errno
import os
import stat
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parlor_tui.settings import Settings, SettingsError, describe, load, parse
from parlor_tui.settings.saving import save_values, with_value
from tests.test_settings import CHOSEN

COMMENTED = """\
# my settings
[hearing]
# it hears me better so
vad_threshold = 0.4  # was 0.5
# silence_ms = 600

# about pictures
[seeing]
policy = 'off'
"""


def saved(text: str, values: dict[str, Any]) -> str:
    for name, value in values.items():
        text = with_value(text, name, value)
    return text


def names(folder: Path) -> list[str]:
    return [file.name for file in folder.iterdir()]


def test_only_the_value_changes(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text(COMMENTED, "utf-8")
    save_values(file, {"hearing.vad_threshold": 0.6, "hearing.silence_ms": 450, "answering.max_tokens": 40})
    assert (
        file.read_text("utf-8")
        == COMMENTED.replace("0.4 ", "0.6 ").replace("# silence_ms = 600\n", "# silence_ms = 600\nsilence_ms = 450\n")
        + "\n[answering]\nmax_tokens = 40\n"
    )


def test_a_new_value_stands_with_its_section_and_not_under_the_next_ones_comment() -> None:
    assert saved(COMMENTED, {"hearing.eager_ms": 0}) == COMMENTED.replace("was 0.5\n", "was 0.5\neager_ms = 0\n")


def test_file_and_folder_are_made(tmp_path: Path) -> None:
    file = tmp_path / "new" / "config.toml"
    save_values(file, {"speaking.voice": "af_bella", "hearing.barge_in": False})
    assert file.read_text("utf-8") == '[speaking]\nvoice = "af_bella"\n\n[hearing]\nbarge_in = false\n'
    assert names(file.parent) == ["config.toml"]


@pytest.mark.parametrize(
    "text",
    [
        "hearing.silence_ms = 600 # here\n",
        "hearing = {silence_ms = 600} # here\n",
        "[ 'hearing' ]\n'silence_ms' = 600 # here",
        "[models]\nfolder = '''\n[hearing]\n# silence_ms = 600\n'''\n",
        "[speaking]\r\nvoice = 'x' # here\r\n\r\n[hearing]\r\n",
        "[hearing]",
        "",
    ],
)
def test_any_way_to_write_it_is_understood(text: str) -> None:
    values = {"hearing.silence_ms": 450, "hearing.eager_ms": 0, "seeing.prime": False}
    after = saved(text, values)
    assert parse(after, "x.toml") == parse(text, "x.toml").with_values(values, "test")
    assert ("# here" in after) == ("# here" in text)
    assert "\r" not in after.replace("\r\n", "")
    assert "\r\n" not in text or after.count("\n") == after.count("\r\n")


def without_keys(values: dict[str, Any]) -> dict[str, Any]:
    """Keys of actions depend on one another: whether a set of them can be used is tested with them."""
    return {name: value for name, value in values.items() if not name.startswith("keys.")}


@settings(max_examples=12, deadline=None)
@given(CHOSEN.map(without_keys), CHOSEN.map(without_keys))
def test_what_is_saved_reads_back(before: dict[str, Any], values: dict[str, Any]) -> None:
    text = describe(Settings().with_values(before, "test"))
    after = saved(text, values)
    assert parse(after, "test") == Settings().with_values(before | values, "test")
    comments = [line for line in text.splitlines() if line.startswith("#")]
    assert [line for line in after.splitlines() if line.startswith("#")] == comments


_LINES = st.lists(
    st.sampled_from(
        ["[hearing]", "[seeing]", "silence_ms = 450", "eager_ms = 0 # x", "# silence_ms = 1", "", "prime = true"]
    ),
    max_size=7,
)


@settings(max_examples=60, deadline=None)
@given(_LINES, st.sampled_from(["\n", "\r\n"]))
def test_every_line_of_any_file_is_kept(lines: list[str], end: str) -> None:
    text = end.join(lines)
    try:
        before = parse(text, "test")
    except SettingsError:
        return
    after = with_value(text, "hearing.min_speech_ms", 70)
    assert parse(after, "test") == before.with_values({"hearing.min_speech_ms": 70}, "test")
    left = iter([*after.splitlines(), ""])
    assert all(line in left for line in lines), "in their order"


def test_saving_the_same_twice_changes_nothing() -> None:
    once = saved(COMMENTED, {"hearing.silence_ms": 450})
    assert saved(once, {"hearing.silence_ms": 450, "seeing.policy": "off"}) == once


def test_a_byte_order_mark_and_windows_line_ends_stay(tmp_path: Path) -> None:
    file = tmp_path / "windows.toml"
    file.write_bytes(b"\xef\xbb\xbf[hearing]\r\nsilence_ms = 700\r\n")
    save_values(file, {"hearing.silence_ms": 450, "hearing.eager_ms": 0})
    assert file.read_bytes() == b"\xef\xbb\xbf[hearing]\r\nsilence_ms = 450\r\neager_ms = 0\r\n"
    assert load(file).hearing.silence_ms == 450


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[hearing]\nsilence_ms = 50", ":2: hearing.silence_ms = 50: must be"),
        ("[hearing\n", ":1: not valid TOML"),
        ("[hearing]\n\xe9 = 1", ": not saved: not UTF-8 text (byte 10)"),
    ],
)
def test_a_file_with_a_fault_is_left_alone(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "config.toml"
    file.write_bytes(text.encode("latin-1"))
    with pytest.raises(SettingsError) as raised:
        save_values(file, {"hearing.silence_ms": 450})
    assert str(raised.value).startswith(f"{file}{message}")
    assert file.read_bytes() == text.encode("latin-1")


def test_values_that_do_not_go_together_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    with pytest.raises(SettingsError, match=r"config\.toml:2: keys\.leave: it cannot be without a key"):
        save_values(file, {"keys.leave": ""})
    assert not file.exists()


def test_a_bad_value_is_refused_before_anything_is_touched(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"hearing\.silence_ms = 5: must be a whole number from 100"):
        save_values(tmp_path / "new" / "config.toml", {"hearing.silence_ms": 5})
    with pytest.raises(SettingsError, match="not saved: a value holds what is no text"):
        save_values(tmp_path / "config.toml", {"speaking.voice": "\ud800"})
    assert names(tmp_path) == []


@pytest.mark.parametrize("fault", [errno.ENOSPC, errno.EACCES, errno.EROFS])
def test_what_cannot_be_written_is_said_and_leaves_no_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: int
) -> None:
    file = tmp_path / "config.toml"
    file.write_text(COMMENTED, "utf-8")

    def full(_: int) -> None:
        raise OSError(fault, os.strerror(fault))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(SettingsError) as raised:
        save_values(file, {"hearing.silence_ms": 450})
    assert str(raised.value) == f"{file}: not saved: {os.strerror(fault)}"
    assert file.read_text("utf-8") == COMMENTED
    assert names(tmp_path) == ["config.toml"]


def test_a_folder_in_its_place_is_an_error_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="not saved: cannot be read"):
        save_values(tmp_path, {"hearing.silence_ms": 450})
    (tmp_path / "file").touch()
    with pytest.raises(SettingsError, match="not saved: "):
        save_values(tmp_path / "file" / "config.toml", {"hearing.silence_ms": 450})


@pytest.mark.skipif(sys.platform == "win32", reason="links and modes are of POSIX")
def test_a_link_stays_one_and_the_file_keeps_its_mode(tmp_path: Path) -> None:
    real, link = tmp_path / "dotfiles" / "parlor.toml", tmp_path / "config.toml"
    real.parent.mkdir()
    link.symlink_to(real)
    save_values(link, {"hearing.silence_ms": 450})
    real.chmod(0o640)
    save_values(link, {"hearing.silence_ms": 460})
    assert link.is_symlink()
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert tomllib.loads(real.read_text("utf-8")) == {"hearing": {"silence_ms": 460}}

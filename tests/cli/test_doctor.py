"""`parlor-tui doctor`: what it finds on a machine that has everything, and on one that lacks things."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

from parlor_tui.commands import doctor
from parlor_tui.commands.checks import machine, parts
from parlor_tui.commands.checks.base import Check
from parlor_tui.commands.checks.packages import MODULES, SAY, load_faults
from tests.conftest import ROOT, Home
from tests.rig import Rig


def examine(home: Home, *words: str, env: dict[str, str] | None = None) -> tuple[int, dict[str, dict[str, Any]]]:
    done = subprocess.run(
        [sys.executable, "-m", "parlor_tui", "doctor", "--json", *words],
        env=home.env | (env or {}), stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.stderr == ""
    report = json.loads(done.stdout)
    assert report["ok"] == (done.returncode == 0)
    assert report["ok"] == all(check["status"] != "missing" for check in report["checks"])
    return done.returncode, {check["name"]: check for check in report["checks"]}


def test_with_devices_and_models_nothing_is_missing(isolated_home: Home, rig: Rig) -> None:
    code, checks = examine(isolated_home, env=rig.env)
    assert code == 0, [check for check in checks.values() if check["status"] == "missing"]
    for name in (
        "Python",
        "processor",
        "memory",
        "disk",
        "PortAudio",
        "microphone",
        "speaker",
        "settings",
        "log",
        *MODULES,
    ):
        assert checks[name]["status"] == "ok", checks[name]
    assert checks["smollm2-135m"]["found"].startswith("answers, ")
    assert "default" in checks["microphone"]["found"]


def test_what_is_wanted_and_absent_is_missing(isolated_home: Home) -> None:
    code, checks = examine(isolated_home, "--mic", "no such 123", "--speaker", "no such 123", "--camera", "no such 123")
    assert code == 3
    for name in ("microphone", "speaker", "camera"):
        assert checks[name]["status"] == "missing"
        assert checks[name]["advice"]


def test_where_no_device_is_wanted_none_is_missing(isolated_home: Home) -> None:
    code, checks = examine(isolated_home, "--mic", "none", "--speaker", "none")
    assert code == 0, [check for check in checks.values() if check["status"] == "missing"]
    assert checks["microphone"]["status"] == checks["speaker"]["status"] == checks["camera"]["status"] == "ok"


@pytest.mark.rig
def test_a_sound_system_that_kills_its_process_is_a_finding(isolated_home: Home) -> None:
    code, checks = examine(isolated_home, env={"ALSA_CONFIG_PATH": os.devnull})
    assert code == 3
    assert checks["PortAudio"]["status"] == "missing"
    assert "takes the process down" in checks["PortAudio"]["found"]


def test_missing_models_are_named_with_what_to_run(isolated_home: Home, tmp_path: Path) -> None:
    isolated_home.config.write_text(f"[models]\nfolder = '{tmp_path / 'empty'}'\n", encoding="utf-8")
    code, checks = examine(isolated_home, "--mic", "none", "--speaker", "none")
    assert code == 3
    assert checks["kokoro-int8"]["status"] == "missing"
    assert checks["kokoro-int8"]["advice"] == "parlor-tui models get kokoro-int8"


def test_a_bad_settings_file_and_an_unwritable_log_are_findings(isolated_home: Home) -> None:
    isolated_home.config.write_text("[hearing]\nsilence_ms = 1\n", encoding="utf-8")
    Path(isolated_home.env["XDG_STATE_HOME"], "parlor-tui").write_text("in the way", encoding="utf-8")
    code, checks = examine(isolated_home, "--mic", "none", "--speaker", "none")
    assert code == 3
    assert checks["settings"]["status"] == "missing"
    assert "config.toml:2: hearing.silence_ms = 1: must be" in checks["settings"]["found"]
    assert checks["log"]["status"] == "warning"


def test_files_in_place_of_devices(isolated_home: Home, tmp_path: Path) -> None:
    _, checks = examine(isolated_home, "--mic", str(tmp_path / "no.wav"), "--speaker", str(tmp_path / "no" / "out.wav"))
    if checks["PortAudio"]["status"] == "ok":
        assert checks["microphone"]["status"] == checks["speaker"]["status"] == "missing"
    (tmp_path / "in.wav").write_bytes(b"RIFF")
    _, checks = examine(isolated_home, "--mic", str(tmp_path / "in.wav"), "--speaker", str(tmp_path / "out.wav"))
    assert checks["microphone"]["status"] == checks["speaker"]["status"] == "ok"
    assert not (tmp_path / "out.wav").exists()


def test_every_dependency_of_this_system_is_looked_at() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [Requirement(text) for text in project["dependencies"]]
    assert {one.name for one in wanted if one.marker is None or one.marker.evaluate()} == set(MODULES)


def test_a_module_that_fails_or_kills_its_process_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "good_one.py").write_text(f"print('noise', {SAY!r})", encoding="utf-8")
    (tmp_path / "bad_one.py").write_text("raise OSError('libfoo.so:\\n not found')", encoding="utf-8")
    (tmp_path / "killer_one.py").write_text("import os; os._exit(9)", encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert load_faults(["good_one", "bad_one", "killer_one", "json", "absent_one", "good_one"]) == {
        "bad_one": "OSError: libfoo.so: not found",
        "killer_one": "it takes the process down (exit code 9)",
        "absent_one": "ModuleNotFoundError: No module named 'absent_one'",
    }


def test_a_child_that_cannot_start_is_told() -> None:
    def broken(_: Sequence[str]) -> tuple[int, str]:
        return 127, ""

    assert load_faults(["json"], broken) == {"json": "the process that was to load it did not start (exit code 127)"}


@pytest.mark.parametrize(
    ("system", "processor", "libc", "status"),
    [
        ("linux", "x86_64", "glibc", "ok"),
        ("linux", "aarch64", "glibc", "ok"),
        ("linux", "x86_64", "", "missing"),
        ("linux", "riscv64", "glibc", "missing"),
        ("win32", "AMD64", "", "ok"),
        ("darwin", "x86_64", "", "missing"),
    ],
)
def test_systems_without_wheels_are_told(system: str, processor: str, libc: str, status: str) -> None:
    check = machine.system(system, processor, libc)
    assert check.status == status
    assert bool(check.advice) == (status == "missing")


def test_a_small_terminal_and_too_little_disk_are_told(tmp_path: Path) -> None:
    assert machine.terminal_size(True, os.terminal_size((60, 20))).status == "warning"
    assert machine.terminal_size(True, os.terminal_size((80, 24))).status == "ok"
    assert machine.terminal_size(True, os.terminal_size((0, 0))).status == "ok"
    assert parts.disk(tmp_path / "not" / "there", 0).status == "ok"
    assert parts.disk(tmp_path / "not" / "there", 10**18).status == "missing"


def test_a_check_that_breaks_is_itself_a_finding() -> None:
    def breaks() -> Iterator[Check]:
        yield Check("Sound", "PortAudio", "ok", "19.7")
        raise RuntimeError("the bus\nis gone")

    first, second = doctor.examine("Sound", breaks)
    assert first.status == "ok"
    assert (second.status, second.found) == ("missing", "cannot be looked at: RuntimeError: the bus is gone")


def test_the_table_says_what_is_missing_and_what_to_do() -> None:
    checks = [
        Check("Machine", "memory", "ok", "16 GiB"),
        Check("Sound", "PortAudio", "missing", "not found", "apt-get install libportaudio2"),
        Check("Terminal", "size", "warning", "60 x 20", "make it larger"),
    ]
    table = doctor.table(checks)
    assert "  missing PortAudio  not found\n" in table
    assert "-> apt-get install libportaudio2\n" in table
    assert table.endswith("\nMissing: PortAudio. 1 warning.\n")
    assert doctor.summary(checks[:1]) == "Nothing that is needed is missing."

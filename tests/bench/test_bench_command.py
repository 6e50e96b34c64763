"""`parlor-tui bench` as a person runs it: real models, then simulated ones and Ctrl-C, then what cannot be measured."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from parlor_tui.cli import main
from tests.conftest import Home

BENCH = [sys.executable, "-m", "parlor_tui", "bench"]


def test_a_question_is_answered_and_measured(isolated_home: Home, tmp_path: Path) -> None:
    isolated_home.write_config('[core]\nprofile = "lite"')
    page = tmp_path / "bench.html"
    command = [*BENCH, "--quick", "--only", "talk", "--turns", "1", "--json", "--html", str(page)]
    done = subprocess.run(command, env=isolated_home.env, capture_output=True, text=True, check=False, timeout=150)

    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    measures = {measure["key"]: measure for measure in told["measures"]}
    assert told["setup"]["profile"] == "lite"
    assert measures["voice_to_voice"]["target_words"] == "p50 <= 900 ms"
    assert measures["voice_to_voice"]["spread"]["n"] == 1
    assert measures["unanswered"]["value"] == 0
    (turn,) = told["turns"]
    assert turn["reply"]
    assert {"endpoint", "first_token", "first_audio", "voice_to_voice"} <= set(turn["stages_ms"])
    marks = turn["marks_ms"]
    assert -turn["speech_ms"] - 100 < marks["speech_started"] < 0 < marks["committed"]
    assert marks["audible"] == turn["voice_to_voice_ms"]
    # What the assistant believes and what was recorded differ by where speech ends and a reply fades in.
    assert turn["stages_ms"]["voice_to_voice"] == pytest.approx(turn["voice_to_voice_ms"], abs=300)
    assert "capital of France" in turn["caption"]
    assert len(list((Path(isolated_home.env["HOME"]) / "cache").rglob("bench/*.wav"))) == 1
    assert "voice to voice" in page.read_text(encoding="utf-8").lower()


def test_ctrl_c_prints_what_was_measured_so_far(isolated_home: Home) -> None:
    command = [*BENCH, "--costs", "m3-pro", "--only", "barge_in", "--turns", "1", "--json"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=isolated_home.env, stdout=pipe, stderr=pipe, text=True) as child:
        assert child.stderr is not None
        for line in child.stderr:
            if "barge_in" in line:
                break
        try:
            child.wait(1)
        except subprocess.TimeoutExpired:
            child.send_signal(signal.SIGINT)
        out, errors = child.communicate(timeout=20)

    assert child.returncode == 130, errors
    told = json.loads(out)
    assert told["stopped"] is True
    assert told["setup"]["simulated"] == "m3-pro"
    assert any(note.startswith("SIMULATED") for note in told["notes"])
    assert "Traceback" not in errors


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (["--only", "talk,sing"], 2, "'sing' is no scenario; there are talk, talk_noise"),
        (["--only", ""], 2, "no scenario is named"),
        (["--turns", "0"], 2, "'0' is not a number of turns: 1 to 1000"),
        (["--costs", "m3-pro", "--only", "pauses"], 2, "pauses: not to be judged with --costs"),
        (["--rig", "--only", "talk,echo_alone"], 2, "echo_alone: not to be judged with --rig"),
        (["--html", "/nowhere/at/all.html"], 3, "there is no folder /nowhere/at"),
        (["--camera", "/nowhere/photo.jpg", "--costs", "m3-pro"], 3, "/nowhere/photo.jpg"),
    ],
)
def test_what_cannot_be_measured_is_one_line(
    options: list[str], code: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bench", *options]) == code
    out, errors = capsys.readouterr()
    assert said in errors
    assert out == ""
    assert len(errors.strip().splitlines()) == 1

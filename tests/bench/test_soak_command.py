"""`parlor-tui soak` as a person runs it, ended early or asked for what cannot be. One to its end: `.setup/test`."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys

import platformdirs
import psutil
import pytest

from parlor_tui.cli import main
from tests.conftest import Home

SOAK = [sys.executable, "-m", "parlor_tui", "soak"]


@pytest.fixture
def speaking(isolated_home: Home) -> dict[str, str]:
    """An environment that has what is said already, where this machine made it once."""
    isolated_home.write_config('[core]\nprofile = "lite"')
    return {**isolated_home.env, "XDG_CACHE_HOME": str(platformdirs.user_cache_path())}


def test_ctrl_c_tells_what_was_found_so_far(speaking: dict[str, str]) -> None:
    command, pipe = [*SOAK, "--minutes", "0.5", "--faults", "suspend", "--json"], subprocess.PIPE
    with subprocess.Popen(command, env=speaking, stdout=pipe, stderr=pipe, text=True, start_new_session=True) as child:
        assert child.stderr is not None
        for line in child.stderr:
            if "talking" in line:
                break
        with pytest.raises(subprocess.TimeoutExpired):
            child.wait(1)
        os.killpg(child.pid, signal.SIGINT)  # as a terminal does: to all of them
        out, errors = child.communicate(timeout=60)

    assert child.returncode == 130, errors
    told = json.loads(out)
    assert told["stopped"] is True
    assert told["left_running"] == []
    assert "Traceback" not in errors


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_however_it_is_ended_nothing_of_it_goes_on(isolated_home: Home, how: signal.Signals) -> None:
    isolated_home.write_config('[core]\nprofile = "lite"')
    command, pipe = [*SOAK, "--minutes", "0.1"], subprocess.PIPE
    with subprocess.Popen(command, env=isolated_home.env, stdout=pipe, stderr=pipe, text=True) as child:
        assert child.stderr is not None
        assert "faults" in child.stderr.readline()
        family = psutil.Process(child.pid).children(recursive=True)
        assert family
        child.send_signal(how)
        assert child.wait(20) == (130 if how is signal.SIGTERM else -how)
        _, alive = psutil.wait_procs(family, 10)
        assert alive == []


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "the following arguments are required: --minutes"),
        (["--minutes", "0"], "'0' is not a number of minutes: above 0, up to 1440"),
        (["--minutes", "nan"], "'nan' is not a number of minutes"),
        (["--minutes", "1441"], "'1441' is not a number of minutes"),
        (["--minutes", "1", "--faults", "mic-lost,fire"], "'fire' is no fault; there are core-crash, core-kill"),
        (["--minutes", "1", "--faults", ","], "no fault is named"),
        (["--minutes", "1", "--seed", "-1"], "'-1' is no whole number from 0 up"),
    ],
)
def test_what_cannot_be_asked_for_is_one_line(
    options: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["soak", *options]) == 2
    out, errors = capsys.readouterr()
    assert said in errors
    assert out == ""
    assert len(errors.strip().splitlines()) == 1


def test_a_rig_that_is_not_there_is_one_line_and_code_3(isolated_home: Home) -> None:
    command = [*SOAK, "--minutes", "1", "--rig"]
    env = {**isolated_home.env, "PULSE_SERVER": "unix:/nowhere/at/all"}
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 3
    assert "--rig needs the virtual devices" in done.stderr.splitlines()[-1]
    assert done.stdout == ""


def test_a_fault_that_cannot_be_made_here_is_one_line_and_says_why(isolated_home: Home) -> None:
    command = [*SOAK, "--minutes", "1", "--faults", "sound-hung"]
    done = subprocess.run(command, env=isolated_home.env, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 4
    assert done.stderr.splitlines() == [
        "parlor-tui soak: none of these faults can be made: sound-hung: a room has no sound server: --rig has one"
    ]

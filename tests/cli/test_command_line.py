"""The command line as a person meets it: exit codes, one-line errors, help, any terminal."""

from __future__ import annotations

import errno
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from parlor_tui import __version__, cli
from parlor_tui.commands.options import COMMANDS
from parlor_tui.devices.base import DeviceError
from parlor_tui.models.base import DiskFull, ModelMissing
from parlor_tui.settings import parse
from tests.conftest import Home

PARLOR = [sys.executable, "-m", "parlor_tui"]
HEAVY = (
    "textual",
    "numpy",
    "sounddevice",
    "cv2",
    "onnxruntime",
    "faster_whisper",
    "xllamacpp",
    "litert_lm",
    "espeakng_loader",
    "asyncio",
)


def run(home: Home, *words: str, **extra: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*PARLOR, *words],
        env={**home.env, **extra},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@pytest.mark.parametrize("words", [[], *[[name] for name in COMMANDS]], ids=lambda words: " ".join(words) or "screen")
def test_help_explains_and_imports_nothing_heavy(isolated_home: Home, words: list[str]) -> None:
    program = (
        "import sys\n"
        "from parlor_tui.cli import main\n"
        "code = main(sys.argv[1:])\n"
        f"print('HEAVY', [name for name in {HEAVY} if name in sys.modules])\n"
        "raise SystemExit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *words, "--help"],
        env=isolated_home.env, capture_output=True, text=True, check=False, timeout=30,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "HEAVY []"
    for part in ("usage: parlor-tui", "examples:", "exit codes: 0 done, 2 ", "--config FILE"):
        assert part in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 120


def test_version(isolated_home: Home) -> None:
    done = run(isolated_home, "--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"parlor-tui {__version__}\n", "")


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["--hedless"], "unknown option --hedless; did you mean --headless?"),
        (["--zzz"], "unknown option --zzz; `parlor-tui --help` lists what there is"),
        (["doctr"], "unknown command doctr; did you mean doctor?"),
        (["zzz"], "unknown command zzz; `parlor-tui --help` lists what there is"),
        (["config", "--pth"], "unknown option --pth; did you mean --path?"),
        (["config", "more"], "unknown argument more; `parlor-tui config --help` lists what there is"),
        (["models", "gt"], "unknown action gt; did you mean get?"),
        (["--mic"], "argument --mic: expected one argument; `parlor-tui --help` tells more"),
        (["ask"], "one of the arguments --wav --text is required; `parlor-tui ask --help` tells more"),
        (["core", "--port", "70000"], "argument --port: '70000' is not a port: a whole number from 0 to 65535; "),
        (["--headless", "doctor"], "--headless is an option of the screen, not of doctor"),
        (["--profile", "huge", "config"], "--profile: core.profile = 'huge': must be one of auto, gemma, lite"),
        (["--config", "absent.toml", "config"], "absent.toml: there is no such settings file"),
        (["--port=3", "core"], "--port is an option of parlor-tui core: it goes after the command"),
        (["--conf", "x"], "unknown option --conf; did you mean --config?"),
        ([], "the screen needs a terminal; `parlor-tui --plain` and `parlor-tui ask` work without one"),
    ],
)
def test_wrong_usage_is_one_line_and_exit_2(isolated_home: Home, words: list[str], line: str) -> None:
    done = run(isolated_home, *words)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith(f"parlor-tui: {line}")
    assert done.stderr.count("\n") == 1


def test_a_bad_settings_file_is_one_line_and_exit_2(isolated_home: Home) -> None:
    isolated_home.config.write_text("[hearing]\nsilence_ms = 1\n", encoding="utf-8")
    done = run(isolated_home, "config")
    assert done.returncode == 2
    assert done.stderr == (
        f"parlor-tui: {isolated_home.config}:2: hearing.silence_ms = 1: must be a whole number from 100 to 5000 (ms)\n"
    )


@pytest.mark.parametrize(
    ("words", "text", "line"),
    [
        (
            ["core"],
            "core]\nmodel = 'gemma-4-e3b'",
            "core.model = 'gemma-4-e3b': no such model; did you mean gemma-4-e",
        ),
        (["--headless"], "captions]\nlanguage = 'german!'", "captions.language = 'german!': no such language; did you"),
        (
            ["ask", "--text", "Hi"],
            "core]\nmodel = 'whisper-base'",
            "core.model = 'whisper-base': no such model; give gemma",
        ),
    ],
)
def test_a_model_or_language_that_is_none_is_one_line_and_exit_2(
    isolated_home: Home, words: list[str], text: str, line: str
) -> None:
    isolated_home.config.write_text(f"[{text}\n", encoding="utf-8")
    done = run(isolated_home, *words)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.startswith(f"parlor-tui: {isolated_home.config}:2: {line}")


def test_config_prints_a_settings_file_with_what_was_chosen(isolated_home: Home, tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text("[speaking]\nspeed = 1.5\n", encoding="utf-8")
    for words in (["--config", str(own), "config"], ["config", "--config", str(own)]):
        done = run(isolated_home, *words, "--profile", "lite")
        assert done.returncode == 0, done.stderr
        settings = parse(done.stdout, "printed")
        assert settings.explicit == {"speaking.speed", "core.profile"}
        assert settings.speaking.speed == 1.5
    assert run(isolated_home, "config", "--path").stdout == f"{isolated_home.config}\n"


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
def test_any_locale_and_encoding_will_do(isolated_home: Home, tmp_path: Path, encoding: str) -> None:
    own = tmp_path / "own.toml"
    own.write_text("[devices]\nspeaker = 'Lautsprecher \u4e2d \u00e9'\n", encoding="utf-8")
    plain = {"LANG": "C", "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0", "PYTHONIOENCODING": encoding}
    done = subprocess.run(
        [*PARLOR, "config", "--config", str(own)],
        env={**isolated_home.env, **plain}, capture_output=True, check=False, timeout=30,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b"")
    expected = 'speaker = "Lautsprecher \u4e2d \u00e9"'.encode(encoding, "replace")
    assert expected in done.stdout
    assert run(isolated_home, "--hilf\u00e9", **plain).returncode == 2


@pytest.mark.skipif(os.name == "nt", reason="a POSIX shell's pipe")
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_reader_that_leaves_early_is_no_error(isolated_home: Home, unbuffered: str) -> None:
    for words in ("config", "--help", "models list", "doctor --mic none --speaker none"):
        command = f'"{sys.executable}" -m parlor_tui {words} | true; echo ${{PIPESTATUS[0]}}'
        env = isolated_home.env | {"PYTHONUNBUFFERED": unbuffered}
        done = subprocess.run(["bash", "-c", command], env=env, capture_output=True, text=True, check=False, timeout=60)
        assert (done.stdout, done.stderr) == ("0\n", "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_behind_the_output_is_an_error(isolated_home: Home) -> None:
    with Path("/dev/full").open("w") as full:
        env = isolated_home.env | {"PYTHONUNBUFFERED": ""}
        done = subprocess.run(
            [*PARLOR, "config"], env=env, stdout=full, stderr=subprocess.PIPE, text=True, check=False, timeout=30
        )
    assert done.returncode == 4
    assert done.stderr == "parlor-tui: the output cannot be written: No space left on device\n"


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_ctrl_c_is_quiet(isolated_home: Home) -> None:
    program = (
        "import signal, sys, time\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a shell's background job ignores it
        "from parlor_tui import cli\n"
        "cli._run = lambda _: (print('up', flush=True), time.sleep(30))\n"
        "sys.exit(cli.main([]))"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program],
        env=isolated_home.env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "up\n"
        began_s = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=10)
    assert (process.returncode, errors) == (130, "")
    assert time.monotonic() - began_s < 2


class Failing:
    """The command line, with a fault in place of what it would have done."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], log: Path) -> None:
        self.log = log
        self._monkeypatch = monkeypatch
        self._capsys = capsys

    def run(self, error: Exception) -> tuple[int, str]:
        """The exit code and what is said."""

        def fail(_: list[str]) -> int:
            raise error

        self._monkeypatch.setattr(cli, "_run", fail)
        self._monkeypatch.setattr("parlor_tui.settings.log_file", lambda: self.log)
        return cli.main([]), self._capsys.readouterr().err


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Failing:
    return Failing(monkeypatch, capsys, tmp_path / "new folder" / "log")


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (DeviceError("no microphone found: plug one in", missing=True), 3, "no microphone found: plug one in"),
        (DeviceError("the speaker is in use"), 4, "the speaker is in use"),
        (ModelMissing("x is not here: get it"), 3, "x is not here: get it"),
        (DiskFull("the disk is full"), 4, "the disk is full"),
        (FileNotFoundError(errno.ENOENT, "No such file or directory", "a.wav"), 4, "a.wav: No such file or directory"),
        (PermissionError(errno.EACCES, "Permission denied"), 4, "Permission denied"),
        (TimeoutError(), 4, "TimeoutError"),
        (BrokenPipeError(errno.EPIPE, "Broken pipe"), 4, "Broken pipe"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_known_faults_are_one_line(failing: Failing, error: Exception, code: int, line: str) -> None:
    assert failing.run(error) == (code, f"parlor-tui: {line}\n")
    assert not failing.log.exists()


def test_an_unexpected_fault_is_one_line_and_its_traceback_is_kept(failing: Failing) -> None:
    code, said = failing.run(ZeroDivisionError("by\nzero"))
    assert (code, said) == (4, f"parlor-tui: unexpected error: ZeroDivisionError: by zero; details in {failing.log}\n")
    kept = failing.log.read_text(encoding="utf-8")
    assert re.search(r"Traceback.*in fail.*ZeroDivisionError: by", kept, re.DOTALL)


def test_an_unexpected_fault_is_told_even_if_the_log_cannot_be_written(failing: Failing, tmp_path: Path) -> None:
    failing.log = tmp_path
    code, said = failing.run(ZeroDivisionError("x"))
    assert code == 4
    assert said.startswith("parlor-tui: unexpected error: ZeroDivisionError: x; details could not be kept: ")
    assert said.count("\n") == 1

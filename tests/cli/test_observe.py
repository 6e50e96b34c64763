"""`parlor-tui observe export` as a person runs it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from parlor_tui.cli import main
from tests.prometheus import ASSETS, promtool

NAMES = ["alerts.yml", "grafana.json", "prometheus.yml"]


def ask(capsys: pytest.CaptureFixture[str], *words: str | Path) -> tuple[int, str, str]:
    """Run it in this process: exit code, output, errors."""
    code = main([*map(str, words)])
    out, errors = capsys.readouterr()
    assert "Traceback" not in errors
    return code, out, errors


@pytest.fixture
def config(tmp_path: Path) -> Path:
    file = tmp_path / "config.toml"
    file.write_text("[core]\nport = 8123\n", encoding="utf-8")
    return file


def test_what_is_written_is_whole_and_promtool_takes_it(
    tmp_path: Path, config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, token = tmp_path / "a" / "b", tmp_path / 'a token: "x" \'#.txt'
    token.write_text("s3cret\n", encoding="utf-8")
    code, out, _ = ask(capsys, "observe", "--config", config, "export", folder, "--port", "9100", "--token-file", token)
    assert code == 0
    assert sorted(out.splitlines()) == [str(folder / name) for name in NAMES]
    assert sorted(path.name for path in folder.iterdir()) == NAMES
    assert "SUCCESS" in promtool("check", "config", folder / "prometheus.yml")
    scrape = (folder / "prometheus.yml").read_text(encoding="utf-8")
    assert '"127.0.0.1:9100"' in scrape
    assert f"credentials_file: {json.dumps(str(token))}" in scrape
    for name in ("alerts.yml", "grafana.json"):
        assert (folder / name).read_bytes() == (ASSETS / name).read_bytes()


def test_without_options_the_settings_say_which_core_is_read(
    tmp_path: Path, config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ask(capsys, "observe", "--config", config, "export", tmp_path / "x")[0] == 0
    scrape = (tmp_path / "x" / "prometheus.yml").read_text(encoding="utf-8")
    assert '"127.0.0.1:8123"' in scrape
    assert 'credentials_file: "parlor.token"' in scrape
    config.write_text("[core]\nmetrics_open = true\n", encoding="utf-8")
    assert ask(capsys, "observe", "--config", config, "export", tmp_path / "y")[0] == 0
    scrape = (tmp_path / "y" / "prometheus.yml").read_text(encoding="utf-8")
    assert '"127.0.0.1:8800"' in scrape
    assert "authorization" not in scrape
    assert "SUCCESS" in promtool("check", "config", tmp_path / "y" / "prometheus.yml")


def test_what_is_there_stays_unless_it_may_be_written_over(
    tmp_path: Path, config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "x"
    folder.mkdir()
    (folder / "alerts.yml").write_text("mine", encoding="utf-8")
    code, out, errors = ask(capsys, "observe", "--config", config, "export", folder)
    assert (code, out) == (2, "")
    assert errors == f"parlor-tui: {folder} holds alerts.yml already, nothing is written; --force writes over that\n"
    assert [path.name for path in folder.iterdir()] == ["alerts.yml"]
    assert ask(capsys, "observe", "--config", config, "export", folder, "--force")[0] == 0
    assert sorted(path.name for path in folder.iterdir()) == NAMES
    assert (folder / "alerts.yml").read_bytes() == (ASSETS / "alerts.yml").read_bytes()


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["observe"], 2, "the following arguments are required: ACTION"),
        (["observe", "exprt", "x"], 2, "unknown action exprt; did you mean export?"),
        (["observe", "export"], 2, "the following arguments are required: DIR"),
        (["observe", "--config", "{config}", "export", "{file}"], 2, "{file} is a file; give a folder"),
        (["observe", "--config", "{config}", "export", "{file}/x"], 4, "{file}/x: Not a directory"),
        (["observe", "export", "x", "--port", "70000"], 2, "'70000' is not a port: a whole number from 0 to 65535"),
    ],
)
def test_what_cannot_be_done_is_one_line(
    words: list[str], code: int, told: str, tmp_path: Path, config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "file"
    file.touch()
    got, out, errors = ask(capsys, *(word.format(file=file, config=config) for word in words))
    assert (got, out) == (code, "")
    assert told.format(file=file) in errors
    assert errors.count("\n") == 1

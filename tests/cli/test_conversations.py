"""`parlor-tui conversations` and `replay` as a person runs them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from parlor_tui.cli import main
from parlor_tui.conversations.record import Mark, head_line, mark_line, turn_line
from parlor_tui.conversations.store import Store
from parlor_tui.settings import toml_value
from tests.conftest import Home
from tests.e2e.running import parlor
from tests.speaking import make_utterance

NAME = "2026-11-30-141852"


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """A folder with two conversations: one of a spoken and a typed turn, and an older one."""
    folder = tmp_path / "kept"
    for name, lines in {
        NAME: [
            head_line("2026-11-30T14:18:52+00:00", "lite", "SmolLM2-135M"),
            turn_line(1, at="2026-11-30T14:18:59+00:00", said="What is the capital of France?", by="voice"),
            turn_line(1, reply="Paris.", status="completed", stages_ms={"first_token": 88.0, "voice_to_voice": 812.0}),
            mark_line(Mark(1, "", {"answering.max_tokens": 5, "hearing.gone": 1})),
            turn_line(
                2, said="And \x1b[31mred\x1b[0m?", by="typed", reply="It is red.", heard="It is", status="interrupted"
            ),
        ],
        "2026-11-29-080000": [head_line("2026-11-29T08:00:00+00:00", "lite", "x"), turn_line(1, said="Good morning.")],
    }.items():
        (folder / name).mkdir(parents=True)
        (folder / name / "talk.jsonl").write_bytes(b"".join(lines))
    return folder


@pytest.fixture
def config(kept: Path) -> list[str]:
    """The options that lead there."""
    file = kept.parent / "config.toml"
    file.write_text(f"[conversations]\nfolder = {toml_value(str(kept))}\n", encoding="utf-8")
    return ["--config", str(file)]


def ask(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    """Run it in this process: exit code, output, errors."""
    code = main(words)
    out, errors = capsys.readouterr()
    assert "Traceback" not in errors
    return code, out, errors


def test_list_search_and_show(config: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = ask(capsys, "conversations", *config)
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()] == [NAME, "2026-11-29-080000"]
    code, out, _ = ask(capsys, "conversations", *config, "search", "CAPITAL", "2026-11-30", "--json")
    assert code == 0
    assert [one["id"] for one in json.loads(out)["conversations"]] == [NAME]
    code, out, errors = ask(capsys, "conversations", *config, "search", "nothing such")
    assert (code, out) == (0, "")
    assert errors.endswith("holds all of these words\n")
    code, out, _ = ask(capsys, "conversations", *config, "show", "2026-11-30")
    assert code == 0
    assert "14:18:59  you     What is the capital of France?\n" in out
    assert "parlor  It is [not heard: red.]" in out
    assert "answering.max_tokens 5, hearing.gone 1 from here on" in out
    assert "\x1b" not in out


def test_export_writes_what_was_asked_for(
    config: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "talk.html"
    assert ask(capsys, "conversations", *config, "export", "last", "--out", str(page)) == (0, f"{page}\n", "")
    assert "Content-Security-Policy" in page.read_text("utf-8")
    code, out, _ = ask(capsys, "conversations", *config, "export", NAME)
    assert (code, out.splitlines()[0]) == (0, "# What is the capital of France?")
    code, out, _ = ask(capsys, "conversations", *config, "export", NAME, "--format", "json")
    assert (code, json.loads(out)["name"]) == (0, NAME)


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["conversations", "show", "2026-11"], 4, "2026-11: 2 conversations begin so"),
        (["conversations", "show", "2031"], 3, "2031: there is no such conversation in"),
        (["conversations", "show", "../x"], 3, "there is no such conversation"),
        (
            ["conversations", "export", "last", "--out", "/nowhere/at/all.md"],
            3,
            "/nowhere/at/all.md: cannot be written",
        ),
        (["conversations", "export", "last", "--format", "pdf"], 2, "invalid choice: 'pdf'"),
        (["conversations", "delete", "last"], 2, "nobody can be asked here; give --yes"),
        (["conversations", "lst"], 2, "unknown action lst; did you mean list?"),
        (["replay", "2031"], 3, "2031: there is no such conversation"),
        (["replay", __file__], 4, "no conversation that parlor-tui exported as JSON"),
        (["replay"], 2, "the following arguments are required: FILE"),
    ],
)
def test_what_cannot_be_done_is_one_line(
    words: list[str], code: int, said: str, config: list[str], kept: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found, out, errors = ask(capsys, words[0], *config, *words[1:])
    assert (found, out) == (code, "")
    assert said in errors
    assert errors.count("\n") == 1
    assert len(Store(kept).names()) == 2


def test_delete_and_an_empty_folder(config: list[str], kept: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in (NAME, "last"):
        assert ask(capsys, "conversations", *config, "delete", name, "--yes") == (0, "", "")
    assert list(kept.iterdir()) == []
    code, out, errors = ask(capsys, "conversations", *config, "list")
    assert (code, out) == (0, "")
    assert f"nothing is kept in {kept}; set conversations.record" in errors


def test_a_conversation_is_had_again(isolated_home: Home, kept: Path) -> None:
    isolated_home.write_config(f'[core]\nprofile = "lite"\n[conversations]\nfolder = {toml_value(str(kept))}')
    make_utterance("What is the capital of France?", kept / NAME / "0001-user.wav")  # 24 kHz: resampled on the way
    done = parlor("replay", "last", "--fast", "--json", env=isolated_home.env)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert (told["conversation"], told["mode"]) == (NAME, "fast")
    assert told["now"]["profile"] == "lite"
    spoken, typed = told["turns"]
    assert (spoken["spoken"], typed["spoken"]) == (True, False)
    assert spoken["then"]["stages_ms"]["first_token"] == 88.0
    assert "capital of France" in spoken["now"]["said"]
    assert spoken["now"]["reply"]
    assert typed["now"]["reply"]
    assert {"hear", "first_token", "first_audio"} <= set(spoken["now"]["stages_ms"])
    assert len(told["notes"]) == 1
    assert "hearing.gone" in told["notes"][0]
    assert len(Store(kept).names()) == 2, "a replay is not kept itself"

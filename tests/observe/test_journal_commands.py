"""`parlor-tui journal` and `parlor-tui incident` as a person runs them."""

from __future__ import annotations

import json
import tarfile
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from parlor_tui.cli import main
from parlor_tui.commands import incident, journal
from parlor_tui.observe import incidents
from parlor_tui.observe.journal import JournalFile, line
from parlor_tui.observe.scene import Scene, keep

NOW = datetime.now().astimezone()
HOURS_AGO = {"2h": 2.0, "1h": 1.0, "now": 0.01}


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the log would be, in a place of its own."""
    file = tmp_path / "state" / "parlor-tui.log"
    for command in (journal, incident):
        monkeypatch.setattr(command, "log_file", lambda: file)
    monkeypatch.chdir(tmp_path)
    return file


@pytest.fixture
def kept(log: Path) -> Path:
    """A journal of three turns, a death and a notice, over several files."""
    file = JournalFile(log.with_name("journal.jsonl"), 400, 9)

    def ago(hours: float) -> datetime:
        return NOW - timedelta(hours=hours)

    slow = {"endpoint": 200.0, "first_token": 900.0, "voice_to_voice": 2100.0}
    file.append(
        line(ago(3), "turn", turn=1, source="typed", status="completed", stages_ms={"first_token": 300.0}, tokens=9)
    )
    file.append(
        line(
            ago(1.5), "turn", turn=2, source="voice", status="interrupted", interrupted_by="voice", stages_ms=slow,
            eager=True, played_ms=1234.0, tuning={"answering.max_tokens": 60},
            health={"gpu_temperature_c": 71.0, "throttled": True},
        )
    )  # fmt: skip
    file.append(line(ago(1), "core", what="died", reason="the core was killed by signal 9"))
    file.append(line(ago(0.9), "core", what="ready", model="SmolLM2-135M", restarts=1))
    file.append(line(ago(0.5), "notice", severity="warning", key="speaker", text="the \x1b[31mspeaker\x07 is gone"))
    file.append(line(ago(0.4), "turn", turn=3, source="voice", status="failed", lost={"inbox_blocks_lost": 4}))
    with log.with_name("journal.jsonl").open("ab") as opened:
        opened.write(b'{"at": "2026-11-30T18:')
    return log


Ask = Callable[..., tuple[int, str, str]]


@pytest.fixture
def ask(capsys: pytest.CaptureFixture[str], isolated_config: list[str]) -> Ask:
    def run(*words: str) -> tuple[int, str, str]:
        code = main([words[0], *isolated_config, *words[1:]])
        out, errors = capsys.readouterr()
        assert "Traceback" not in errors
        return code, out, errors

    return run


@pytest.fixture
def isolated_config(tmp_path: Path) -> list[str]:
    (tmp_path / "config.toml").write_text("", encoding="utf-8")
    return ["--config", str(tmp_path / "config.toml")]


def test_the_journal_is_shown_newest_last_and_a_torn_line_not_at_all(kept: Path, ask: Ask) -> None:
    code, out, errors = ask("journal")
    assert (code, errors) == (0, "")
    lines = [text[21:] for text in out.splitlines()]
    assert lines == [
        "turn   1  typed completed  300 ms (first_token 300)  9 tokens",
        "turn   2  voice interrupted by voice  2100 ms (endpoint 200, first_token 900)  eager  played 1.2 s  71 °C  "
        "throttled  answering.max_tokens 60",
        "core   died  the core was killed by signal 9",
        "core   ready  SmolLM2-135M",
        "notice warning  the [31mspeaker is gone",
        "turn   3  voice failed",
    ]
    assert out.startswith(f"{NOW - timedelta(hours=3):%Y-%m-%d %H:%M:%S}  turn")


@pytest.mark.parametrize(
    ("words", "turns"),
    [
        (["--kind", "turn"], [1, 2, 3]),
        (["--status", "failed"], [3]),
        (["--slower-than", "299"], [1, 2]),
        (["--slower-than", "300"], [2]),
        (["--since", "2h"], [2, None, None, None, 3]),
        (["--since", "45m", "--kind", "turn"], [3]),
        (["--since", f"{NOW - timedelta(hours=2):%Y-%m-%dT%H:%M}", "--kind", "turn"], [2, 3]),
        (["--since", f"{NOW - timedelta(days=5):%Y-%m-%d}", "--kind", "turn"], [1, 2, 3]),
        (["--last", "2"], [None, 3]),
        (["--kind", "core", "--last", "1"], [None]),
        (["show", "--kind", "notice"], [None]),
    ],
)
def test_filters(words: list[str], turns: list[int | None], kept: Path, ask: Ask) -> None:
    code, out, _ = ask("journal", *words, "--json")
    assert code == 0
    assert [json.loads(text).get("turn") for text in out.splitlines()] == turns


def test_the_summary_in_words_and_as_json(kept: Path, ask: Ask) -> None:
    code, out, errors = ask("journal", "summary")
    assert (code, errors) == (0, "")
    assert "turns     3: 1 completed, 1 interrupted, 1 failed; 2 voice, 1 typed\n" in out
    assert "errors    33.3 % of the turns that wanted an answer\n" in out
    assert "cut off   1 by voice\n" in out
    assert "core      once died, once restarted\n" in out
    assert "counted   4 inbox blocks lost\n" in out
    assert "first_token           2      600      870\n" in out
    code, out, _ = ask("journal", "summary", "--since", "1w", "--last", "1", "--json")
    figures = json.loads(out)
    assert code == 0
    assert (figures["turns"], figures["error_rate"], figures["deaths"]) == (1, 1.0, 0)
    assert figures["lost"] == {"inbox_blocks_lost": 4}


@pytest.mark.parametrize("words", [[], ["summary"], ["--status", "joined"], ["--json"]])
def test_where_there_is_nothing_it_says_so(words: list[str], log: Path, ask: Ask) -> None:
    code, out, errors = ask("journal", *words)
    assert (code, out) == (0, "")
    assert errors == f"parlor-tui: {log.with_name('journal.jsonl')}: there is nothing of that kind in the journal\n"


def test_switched_off_it_says_how_to_have_one(log: Path, tmp_path: Path, ask: Ask) -> None:
    (tmp_path / "config.toml").write_text("[journal]\nenabled = false\n", encoding="utf-8")
    assert ask("journal")[2].endswith("it is off: set journal.enabled = true\n")
    assert ask("incident")[2].endswith("none is kept: set journal.enabled = true\n")


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["journal", "--since", "yesterday"], 2, "'yesterday' is no time: 90s, 30m, 2h, 3d, 1w, or a date"),
        (["journal", "--since", "999999999w"], 2, "is no time"),
        (["journal", "--since", "0001-01-01"], 2, "is no time"),
        (["journal", "--since", "2026-13-01"], 2, "is no time"),
        (["journal", "--slower-than", "-1"], 2, "is no whole number of ms"),
        (["journal", "--last", "0"], 2, "is no whole number above 0"),
        (["journal", "--kind", "turns"], 2, "invalid choice: 'turns'"),
        (["journal", "sumary"], 2, "unknown action sumary; did you mean summary?"),
        (["journal", "summary", "--follow"], 2, "--follow goes with show, not with summary"),
        (["incident", "show", "2031"], 3, "2031: there is no such incident in"),
        (["incident", "show", "../x"], 3, "there is no such incident"),
        (["incident", "pack", "last"], 3, "last: there is no such incident in"),
        (["incident", "shw"], 2, "unknown action shw; did you mean show?"),
        (["incident", "show"], 2, "the following arguments are required: NAME"),
    ],
)
def test_what_cannot_be_done_is_one_line(words: list[str], code: int, said: str, kept: Path, ask: Ask) -> None:
    found, out, errors = ask(*words)
    assert (found, out) == (code, "")
    assert said in errors
    assert errors.count("\n") == 1


@pytest.fixture
def scene(kept: Path) -> Scene:
    with kept.with_name("journal.jsonl").open("ab") as opened:
        opened.write(b"\n" + line(NOW, "turn", turn=4, source="typed", status="completed", said="a secret plan"))
    kept.write_text("Fatal Python error: Segmentation fault\n\x1b[2J", encoding="utf-8")
    return Scene(
        at=NOW,
        cause="core-died",
        what="the core was killed by signal 11",
        facts={"profile": "lite"},
        settings="[core]\n",
        tuning={},
        probes={},
        journal=kept.with_name("journal.jsonl"),
        log=kept,
    )


def test_incidents_are_listed_shown_and_packed(scene: Scene, kept: Path, tmp_path: Path, ask: Ask) -> None:
    folder = kept.with_name("incidents")
    name = keep(folder, scene)
    code, out, _ = ask("incident")
    assert (code, out.split()[0]) == (0, name)
    assert out.endswith("kB  the core was killed by signal 11\n")
    code, out, _ = ask("incident", "list", "--json")
    (listed,) = json.loads(out)["incidents"]
    assert (listed["name"], listed["what"]) == (name, scene.what)
    code, out, _ = ask("incident", "show", "last")
    assert code == 0
    assert "  what: the core was killed by signal 11\n" in out
    assert "  Fatal Python error: Segmentation fault\n" in out
    assert "turn   4  typed completed\n" in out
    assert "secret plan" not in out
    assert "\x1b" not in out
    code, out, _ = ask("incident", "show", name, "--json")
    assert set(json.loads(out)["files"]) == set(incidents.FILES)
    code, out, _ = ask("incident", "pack", "last")
    archive = tmp_path / f"parlor-incident-{name}.tar.gz"
    assert (code, out) == (0, f"{archive}\n")
    with tarfile.open(archive) as packed:
        assert f"{name}/words.jsonl" not in packed.getnames()
        assert f"{name}/native.log" in packed.getnames()
    code, out, errors = ask("incident", "pack", name[:10], "--words", "--out", str(tmp_path / "w.tar.gz"))
    assert (code, errors) == (0, "")
    with tarfile.open(tmp_path / "w.tar.gz") as packed:
        assert f"{name}/words.jsonl" in packed.getnames()
    code, out, errors = ask("incident", "pack", "last", "--out", str(tmp_path / "no" / "x.tar.gz"))
    assert (code, out) == (3, "")
    assert "x.tar.gz: cannot be written" in errors


def test_an_incident_without_words_is_packed_all_the_same(scene: Scene, kept: Path, ask: Ask) -> None:
    scene.journal.write_bytes(b"")
    keep(kept.with_name("incidents"), scene)
    code, _, errors = ask("incident", "pack", "last", "--words")
    assert (code, errors) == (
        0,
        "parlor-tui: no words were kept with it (setting journal.words); the rest is packed\n",
    )
    (kept.with_name("incidents") / incidents.names(kept.with_name("incidents"))[0] / "incident.json").write_text("{")
    code, out, _ = ask("incident", "show", "last")
    assert code == 0
    assert "the journal before it:\n  (nothing)\n" in out

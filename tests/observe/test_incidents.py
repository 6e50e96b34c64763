"""Scenes that are kept: bounded, private, without words and secrets unless asked; and when one is."""

from __future__ import annotations

import errno
import itertools
import json
import os
import stat
import sys
import tarfile
import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlor_tui.events import TurnDone, TurnStatus
from parlor_tui.observe import incidents
from parlor_tui.observe.alarm import Alarms
from parlor_tui.observe.incidents import FILES, WORDS_FILE, IncidentError
from parlor_tui.observe.journal import line
from parlor_tui.observe.scene import MOST_FILE_BYTES, Scene, keep
from parlor_tui.observe.scrubbing import GONE, scrubbed
from parlor_tui.observe.versions import package_versions

AT = datetime(2026, 11, 30, 18, 25, 13, tzinfo=UTC)


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    journal, log = tmp_path / "journal.jsonl", tmp_path / "parlor-tui.log"
    journal.write_bytes(
        line(AT - timedelta(hours=1), "turn", turn=1, status="completed")
        + line(AT - timedelta(minutes=2), "turn", turn=2, status="failed", said="my secret plan", reply="I see")
        + line(AT, "core", what="died", reason="killed by signal 11")
    )
    log.write_text(f"loading {Path.home()}/models/x\nFatal Python error: Segmentation fault\n", encoding="utf-8")
    return Scene(
        at=AT,
        cause="core-died",
        what="the core was killed by signal 11",
        facts={"profile": "lite", "cores_started": 1},
        settings='[hub]\ntoken = "hf_abcdefghijklmnop"\nmax_tokens = 25\n',
        tuning={"answering.max_tokens": 25},
        probes={"machine": {"reading": {"ram_used_mb": 1.0}}},
        journal=journal,
        log=log,
    )


def test_the_scene_is_complete_and_no_word_is_outside_of_words(tmp_path: Path, scene: Scene) -> None:
    folder = tmp_path / "incidents"
    name = keep(folder, scene)
    assert name == "2026-11-30-182513-core-died"
    incident = incidents.load(folder, name)
    assert set(incident.files) == set(FILES)
    assert (incident.text("what"), incident.head["cores_started"]) == (scene.what, 1)
    texts = {file: (folder / name / file).read_text("utf-8") for file in FILES}
    assert [file for file, text in texts.items() if "secret plan" in text or "I see" in text] == [WORDS_FILE]
    assert [json.loads(told)["kind"] for told in texts["journal.jsonl"].splitlines()] == ["turn", "core"]
    assert "Segmentation fault" in texts["native.log"]
    assert "loading ~/models/x" in texts["native.log"]
    assert f'token = "{GONE}"\nmax_tokens = 25' in texts["settings.toml"]
    assert "test_incidents.py" in texts["stacks.txt"]
    assert json.loads(texts["versions.json"])["packages"]["numpy"]
    assert json.loads(texts["probes.json"]) == scene.probes
    assert json.loads(texts["tuning.json"]) == scene.tuning
    if sys.platform != "win32":
        assert stat.S_IMODE((folder / name).stat().st_mode) == 0o700
        assert {stat.S_IMODE((folder / name / file).stat().st_mode) for file in FILES} == {0o600}


def test_stacks_are_of_every_thread(tmp_path: Path, scene: Scene) -> None:
    done = threading.Event()

    def waits_in_a_place_of_its_own() -> None:
        done.wait(30)

    waiting = threading.Thread(target=waits_in_a_place_of_its_own)
    waiting.start()
    name = keep(tmp_path / "incidents", scene)
    done.set()
    waiting.join()
    stacks = (tmp_path / "incidents" / name / "stacks.txt").read_text("utf-8")
    assert "waits_in_a_place_of_its_own" in stacks
    assert "test_stacks_are_of_every_thread" in stacks


def test_without_words_in_the_journal_there_is_no_file_of_words(tmp_path: Path, scene: Scene) -> None:
    scene.journal.write_bytes(line(AT, "turn", turn=2, status="completed"))
    name = keep(tmp_path / "incidents", scene)
    assert set(incidents.load(tmp_path / "incidents", name).files) == set(FILES) - {WORDS_FILE}


def test_only_so_many_are_kept_and_never_is_the_new_one_let_go(tmp_path: Path, scene: Scene) -> None:
    folder = tmp_path / "incidents"
    made = [keep(folder, replace(scene, at=AT + timedelta(seconds=n // 2)), most=3) for n in range(6)]
    assert len(set(made)) == 6
    assert incidents.names(folder) == sorted(made[-3:], reverse=True)
    back = keep(folder, replace(scene, at=AT - timedelta(days=400)), most=3)  # the clock was set back
    assert back in incidents.names(folder)
    assert len(incidents.names(folder)) == 3
    assert {one.name for one in folder.iterdir()} == set(incidents.names(folder))


def test_one_is_below_two_megabytes_whatever_there_is_to_keep(tmp_path: Path, scene: Scene) -> None:
    scene.journal.write_bytes(
        b"".join(
            line(AT, "turn", turn=n, status="failed", said="word " * 200, tuning={"a.b": "c" * 900}) for n in range(999)
        )
    )
    scene.log.write_bytes(b"\xff\x00 native noise\n" * 200_000)
    big = replace(scene, settings="# " + "x" * 3_000_000, tuning={"a": "y" * 3_000_000}, probes={"z": "z" * 900_000})
    name = keep(tmp_path / "incidents", big)
    incident = incidents.load(tmp_path / "incidents", name)
    assert incident.size_bytes < 2_000_000
    files = {file: (tmp_path / "incidents" / name / file).read_bytes() for file in FILES}
    assert all(len(content) <= MOST_FILE_BYTES for content in files.values())
    for file in ("journal.jsonl", WORDS_FILE):
        turns = [json.loads(told)["turn"] for told in files[file].splitlines()]
        assert turns == list(range(turns[0], 999))
        assert len(turns) > 90


def test_the_log_before_is_read_on_where_the_new_one_has_just_begun(tmp_path: Path, scene: Scene) -> None:
    scene.log.rename(scene.log.with_name(scene.log.name + ".1"))
    scene.log.write_text("the next core\n", encoding="utf-8")
    name = keep(tmp_path / "incidents", scene)
    log = (tmp_path / "incidents" / name / "native.log").read_text("utf-8")
    assert log.endswith("Fatal Python error: Segmentation fault\nthe next core\n")


def test_what_cannot_be_written_is_an_error_and_leaves_nothing(tmp_path: Path, scene: Scene) -> None:
    (tmp_path / "incidents").write_text("in the way")
    with pytest.raises(OSError, match="incidents"):
        keep(tmp_path / "incidents", scene)
    assert (tmp_path / "incidents").is_file()


def test_a_disk_that_fills_in_the_midst_of_it_leaves_nothing(
    tmp_path: Path, scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    room = [40_000]
    write = os.write

    def full(descriptor: int, content: memoryview) -> int:
        if len(content) > room[0]:
            raise OSError(errno.ENOSPC, "No space left on device")
        room[0] -= len(content)
        return write(descriptor, content)

    scene.log.write_text("noise\n" * 20_000, encoding="utf-8")
    monkeypatch.setattr(os, "write", full)
    with pytest.raises(OSError, match="No space left"):
        keep(tmp_path / "incidents", scene)
    assert room[0] < 40_000
    assert list((tmp_path / "incidents").iterdir()) == []


@pytest.mark.parametrize("words", [False, True])
def test_packed_is_what_was_asked_for(tmp_path: Path, scene: Scene, words: bool) -> None:
    folder, out = tmp_path / "incidents", tmp_path / "one.tar.gz"
    name = keep(folder, scene)
    incidents.pack(folder, name, out, words=words)
    with tarfile.open(out) as archive:
        there = {member.name: member for member in archive}
        assert set(there) == {f"{name}/{file}" for file in FILES if words or file != WORDS_FILE}
        assert {(one.uid, one.gid, one.uname, one.gname) for one in there.values()} == {(0, 0, "", "")}
        every = b"".join((archive.extractfile(member) or out.open("rb")).read() for member in there.values())
    assert (b"secret plan" in every) == words
    assert {one.name for one in tmp_path.iterdir() if "tar" in one.name} == {"one.tar.gz"}
    with pytest.raises(IncidentError, match=r"nowhere.*cannot be written") as failed:
        incidents.pack(folder, name, tmp_path / "nowhere" / "x.tar.gz", words=words)
    assert failed.value.missing


def test_a_link_that_waits_where_one_is_packed_is_not_followed(tmp_path: Path, scene: Scene) -> None:
    folder, out, precious = tmp_path / "incidents", tmp_path / "one.tar.gz", tmp_path / "precious"
    precious.write_text("mine", encoding="utf-8")
    (tmp_path / f".{out.name}.part").symlink_to(precious)
    incidents.pack(folder, keep(folder, scene), out, words=False)
    assert precious.read_text(encoding="utf-8") == "mine"
    assert out.stat().st_mode & 0o077 == 0


def test_one_is_found_by_its_beginning(tmp_path: Path, scene: Scene) -> None:
    folder = tmp_path / "incidents"
    first, second = keep(folder, scene), keep(folder, replace(scene, at=AT + timedelta(days=1), cause="slow"))
    assert incidents.find(folder, "last") == second
    assert incidents.find(folder, "2026-11-30") == incidents.find(folder, first) == first
    for text in ("2026", "", "../incidents", "nothing"):
        with pytest.raises(IncidentError) as failed:
            incidents.find(folder, text)
        assert failed.value.missing == (text != "2026")
    assert incidents.names(tmp_path / "absent") == []


NAMES = st.text("abcdefgh123-_", min_size=4, max_size=12).filter(lambda name: name[0].isalnum())


@given(NAMES, st.text(max_size=20))
def test_nobody_learns_the_home_folders_name(name: str, around: str) -> None:
    for home in (Path("/home") / name, Path("/Users") / name):
        clean = scrubbed(f"({home}/models {home}) {json.dumps(str(home))}", home)
        assert clean == '(~/models ~) "~"'
        assert str(home) in scrubbed(f"{home}er/x", home)
    assert scrubbed(around.replace("home", ""), Path("/")) == scrubbed(around.replace("home", ""), Path("/home/nobody"))


@pytest.mark.parametrize(
    "text",
    [
        "Authorization: Bearer {}",
        'HF_TOKEN="{}"',
        "api_key = '{}'",
        "https://hub.example/x?token={}&y=1",
        "http://me:{}@proxy.example:8080",
        "password: {}",
        "hf_{}",
    ],
)
def test_what_looks_like_a_secret_is_taken_out(text: str) -> None:
    secret = "aB3dEfGh1jKlMn0p"
    clean = scrubbed(text.format(secret), Path("/home/you"))
    assert secret not in clean
    assert GONE in clean


def test_figures_and_settings_are_no_secrets() -> None:
    text = 'max_tokens = 25\n{"first_token": 12345678.9, "tokens": 12345678}\ntoken_file: 12\nhttp://127.0.0.1:8000/x@y'
    assert scrubbed(text, Path("/home/you")) == text


def test_versions_are_of_what_the_program_needs_where_it_is_installed() -> None:
    some = package_versions("textual")
    assert {"textual", "rich"} <= set(some)
    assert "faster-whisper" not in some
    every = package_versions("no-such-distribution-here")
    assert {"textual", "faster-whisper"} <= set(every)


def done(status: TurnStatus = "completed", voice_to_voice_ms: float | None = 800.0) -> TurnDone:
    stages = {} if voice_to_voice_ms is None else {"voice_to_voice": voice_to_voice_ms}
    return TurnDone(at_s=0.0, turn=1, status=status, heard="", reply="", stages_ms=stages, output_tokens=1)


SLOW = done(voice_to_voice_ms=9000)


def causes(turns: list[TurnDone]) -> list[list[str]]:
    alarms = Alarms()
    return [[alarm.cause for alarm in alarms.on_event(turn)] for turn in turns]


@pytest.mark.parametrize(
    ("turns", "told"),
    [
        ([done()] * 60, {}),
        ([SLOW] * 19, {}),
        ([SLOW] * 40, {19: ["slow"]}),
        ([done(voice_to_voice_ms=4000)] * 40, {}),
        ([done()] * 20 + [SLOW] * 3, {21: ["slow"]}),
        ([SLOW] * 20 + [done()] * 30 + [SLOW] * 20, {19: ["slow"]}),  # good again, and not for long
        ([SLOW] * 20 + [done()] * 38 + [SLOW] * 2, {19: ["slow"], 59: ["slow"]}),
        (([SLOW] + [done()] * 18) * 8, {19: ["slow"]}),  # now one of the last 20 is slow, now two
        (([SLOW] * 20 + [done(voice_to_voice_ms=3500)] * 60) * 2, {19: ["slow"]}),  # better, not good
        ([done("failed", None)] * 2 + [done()] * 30, {19: ["errors"]}),
        ([done("failed", None)] + [done()] * 30, {}),
        ([done()] * 20 + [done("failed", None)] * 2, {21: ["errors"]}),
        (([done("failed", None)] * 2 + [done()] * 38) * 5, {19: ["errors"]}),  # 5 %, now above, now below
        (([done("failed", None)] * 2 + [done()] * 120) * 2, {19: ["errors"]}),  # 2 of 122
        ([done("joined", 9000)] * 30 + [done("no_words", None)] * 30, {}),
        ([done("failed", 9000)] * 20, {19: ["slow", "errors"]}),
    ],
)  # fmt: skip
def test_an_alarm_is_told_once_for_each_bad_stretch(turns: list[TurnDone], told: dict[int, list[str]]) -> None:
    assert {number: found for number, found in enumerate(causes(turns)) if found} == told


STRETCHES = st.lists(
    st.tuples(
        st.sampled_from(["completed", "failed", "interrupted"]),
        st.sampled_from([500.0, 3200.0, 3900.0, 4100.0, 9000.0]),
        st.integers(1, 30),
    ),
    max_size=8,
)


@given(STRETCHES)
def test_alarms_are_what_the_last_turns_say(stretches: list[tuple[TurnStatus, float, int]]) -> None:
    """By another way: numpy's quantile and a plain count of all turns, and stretches cut out of the figures."""
    import numpy as np

    turns = [(status, ms) for status, ms, length in stretches for _ in range(length)]
    figures: dict[str, list[float]] = {"slow": [], "errors": []}
    for number in range(1, len(turns) + 1):
        last_ms = [ms for _, ms in turns[max(0, number - 20) : number]]
        failed = [status == "failed" for status, _ in turns[max(0, number - 100) : number]]
        figures["slow"].append(float(np.quantile(last_ms, 0.95)) if number >= 20 else 0.0)
        figures["errors"].append(float(np.mean(failed)) if number >= 20 else 0.0)
    found = causes([done(status, ms) for status, ms in turns])
    for cause, limit, over in (("slow", 4000.0, 3000.0), ("errors", 0.05, 0.025)):
        told = [number for number, alarms in enumerate(found) if cause in alarms]
        above = [number for number, figure in enumerate(figures[cause]) if figure > limit + 1e-9]
        assert told[:1] == above[:1]
        for before, again in itertools.pairwise(told):
            between = "".join("o" if figure <= over + 1e-9 else "x" for figure in figures[cause][before:again])
            assert "o" * 20 in between, "they are one stretch"
        for bad in above:  # each belongs to a stretch that was told
            begun = max(number for number in told if number <= bad)
            assert "o" * 20 not in "".join("o" if f <= over - 1e-9 else "x" for f in figures[cause][begun:bad])


# --- who makes room ---------------------------------------------------------------------------------------------------

KEPT = st.lists(st.sampled_from(incidents.CAUSES), max_size=80)


def stored(happened: list[incidents.Cause], most: int) -> list[list[str]]:
    """What is there after each of those that `happened`, newest first."""
    known: list[str] = []
    after: list[list[str]] = []
    for number, cause in enumerate(happened):
        new = f"{AT + timedelta(seconds=number):%Y-%m-%d-%H%M%S}-{cause}"
        known = [new, *known]
        gone = set(incidents.let_go(known, new, most))
        known = [name for name in known if name not in gone]
        after.append(known)
    return after


def is_alarm(name: str) -> bool:
    return incidents.cause_of(name) in ("slow", "errors")


@given(KEPT, st.integers(1, 20))
def test_as_many_are_kept_as_there_is_room_for_and_always_the_new_one(
    happened: list[incidents.Cause], most: int
) -> None:
    for number, known in enumerate(stored(happened, most), 1):
        assert len(known) == min(number, most)
        assert incidents.cause_of(known[0]) == happened[number - 1]


@given(KEPT)
def test_no_alarm_takes_the_place_of_a_crash_while_alarms_have_their_share(happened: list[incidents.Cause]) -> None:
    most, before = 20, list[str]()
    for known in stored(happened, most):
        crashes = {name for name in before if not is_alarm(name)}
        if is_alarm(known[0]) and sum(map(is_alarm, before)) >= incidents.ALARMS_SHARE * most:
            assert crashes <= set(known)
        before = known


@given(KEPT, st.sampled_from(incidents.CAUSES))
def test_one_cause_that_comes_again_and_again_leaves_the_others_theirs(
    happened: list[incidents.Cause], flood: incidents.Cause
) -> None:
    most = 20
    before, *_, after = [[], *stored([*happened, *[flood] * 60], most)][len(happened) :]
    lost = {incidents.cause_of(name) for name in before} - {incidents.cause_of(name) for name in after}
    assert not lost


def test_twenty_alarms_leave_the_only_crash_where_it_is() -> None:
    happened: list[incidents.Cause] = ["core-died", *["slow", "errors"] * 40]  # type: ignore[list-item]
    assert any(name.endswith("core-died") for name in stored(happened, 20)[-1])


def test_a_name_that_is_none_has_no_cause() -> None:
    with pytest.raises(ValueError, match="names no incident"):
        incidents.cause_of("../../etc")

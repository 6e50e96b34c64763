"""The cache folder stays within its limit, and keeps what the model about to be loaded needs."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlor_tui.engines import litert_cache
from parlor_tui.engines.backend_choice import MEMORY_FILE
from parlor_tui.engines.backends import Backends
from parlor_tui.engines.litert_cache import INDEX_FILE, Entry, Stamp, prepare, stamp_in, stamp_of, to_remove
from parlor_tui.engines.litert_probe import probe
from tests.conftest import ROOT
from tests.tiny_gemma import tiny_gemma

NOW_S = 1_790_000_000.0
# As the library wrote them, for one model, on a processor and on a GPU, in versions 0.18 and 0.14.
WRITTEN = [
    "model.litertlm_1780971684_2588147712.xnnpack_cache",
    "model.litertlm_1780971684_2588147712.vision_encoder.xnnpack_cache",
    "model.litertlm_1780971684_2588147712_mldrift_program_cache.bin",
    "model.litertlm_1780971684_2588147712_mldrift_weight_cache.bin",
    "model.litertlm.static_audio_encoder.xnnpack_cache_1780971684_2588147712",
    "model.litertlm_mldrift_weight_cache.bin_1780971684_2588147712",
]


@pytest.mark.parametrize("name", WRITTEN)
def test_an_entry_is_known_by_its_stamp(name: str) -> None:
    assert stamp_in(name) == Stamp("model.litertlm", 1780971684, 2588147712)


@pytest.mark.parametrize("name", ["models.json", "other.bin", "model_2.litertlm", ""])
def test_other_files_have_no_stamp(name: str) -> None:
    assert stamp_in(name) is None


def entry(name: str, size_bytes: int = 10, used_unix_s: float = 0) -> Entry:
    return Entry(name, size_bytes, used_unix_s)


OLD, NEW, MINE = (f"{name}.litertlm_1780971684_{size}" for name, size in (("old", 100), ("new", 200), ("mine", 300)))
KEEP = Stamp("mine.litertlm", 1780971685, 300)  # the library's seconds may be one off


def stamped(name: str) -> Stamp:
    stamp = stamp_in(name)
    assert stamp is not None
    return stamp


def test_the_oldest_goes_first_and_only_as_much_as_is_needed() -> None:
    entries = [entry(f"{NEW}.a", 10, 9), entry(f"{OLD}.a", 10, 1), entry(f"{OLD}.b", 10, 2), entry(f"{MINE}.a", 10, 0)]
    assert to_remove(entries, 40, keep=KEEP) == []
    assert to_remove(entries, 30, keep=KEEP) == [f"{OLD}.a"]
    assert to_remove(entries, 20, keep=KEEP) == [f"{OLD}.a", f"{OLD}.b"]
    assert to_remove(entries, 1, keep=KEEP) == [f"{OLD}.a", f"{OLD}.b", f"{NEW}.a"]


def test_what_no_model_needs_goes_even_below_the_limit() -> None:
    entries = [entry(f"{OLD}.a"), entry(f"{NEW}.a")]
    assert to_remove(entries, 1000, keep=KEEP, stale=[stamped(OLD)]) == [f"{OLD}.a"]


def test_shaders_that_grow_without_end_go_when_nothing_else_is_left() -> None:
    entries = [entry(f"{MINE}_mldrift_program_cache.bin", 90), entry(f"{MINE}.xnnpack_cache", 30), entry(f"{NEW}.a", 5)]
    assert to_remove(entries, 125, keep=KEEP) == []
    assert to_remove(entries, 120, keep=KEEP) == [f"{NEW}.a"]
    assert to_remove(entries, 100, keep=KEEP) == [f"{NEW}.a", f"{MINE}_mldrift_program_cache.bin"]
    assert to_remove(entries, 1, keep=KEEP) == [f"{NEW}.a", f"{MINE}_mldrift_program_cache.bin"]


STAMPS = st.sampled_from([OLD, NEW, MINE, "x"])
SUFFIXES = st.sampled_from([".xnnpack_cache", "_mldrift_program_cache.bin", ".vision_encoder.xnnpack_cache"])
ENTRIES = st.lists(
    st.builds(Entry, st.builds(str.__add__, STAMPS, SUFFIXES), st.integers(0, 100), st.floats(0, 1e6)),
    unique_by=lambda found: found.name,
    max_size=12,
)


def of(found: Entry) -> str:
    """Whose entry it is."""
    return next((name for name in (OLD, NEW, MINE) if found.name.startswith(name)), "")


@given(ENTRIES, st.integers(1, 400), st.sets(st.sampled_from([OLD, NEW, MINE])))
def test_the_rule(entries: list[Entry], limit_bytes: int, stale: set[str]) -> None:
    gone = to_remove(entries, limit_bytes, keep=KEEP, stale=[stamped(name) for name in stale])
    assert len(set(gone)) == len(gone)
    assert set(gone) <= {found.name for found in entries}
    left = [found for found in entries if found.name not in gone]
    assert not any(of(found) in stale - {MINE} for found in left)
    mine = [found for found in entries if of(found) == MINE]
    assert all(found in left for found in mine if "program_cache" not in found.name)
    total_bytes = sum(found.size_bytes for found in left)
    if total_bytes > limit_bytes:  # all that may go has gone
        assert {of(found) for found in left} <= {MINE}
        assert not any("program_cache" in found.name for found in left)
    # Nothing newer went while something older of no use to the model was kept.
    spared = [found.used_unix_s for found in left if of(found) != MINE]
    lost = [
        found.used_unix_s
        for found in entries
        if found.name in gone and of(found) not in {MINE, *stale} and found.size_bytes
    ]
    assert not spared or not lost or max(lost) <= min(spared)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "litert"


def model_file(folder: Path, name: str, size_bytes: int = 1000) -> Path:
    path = folder / name
    path.write_bytes(b"m" * size_bytes)
    os.utime(path, (NOW_S - 5000, NOW_S - 5000))
    return path


def written_name(model: Path) -> str:
    """As the library begins the names of the model's entries."""
    stamp = stamp_of(model)
    return f"{stamp.model}_{stamp.changed_unix_s}_{stamp.size_bytes}"


def write_entry(folder: Path, model: Path, suffix: str = ".xnnpack_cache", size_bytes: int = 100) -> Path:
    path = folder / f"{written_name(model)}{suffix}"
    path.write_bytes(b"c" * size_bytes)
    return path


def test_the_folder_is_made(folder: Path, tmp_path: Path) -> None:
    assert prepare(folder, 1000, model_file(tmp_path, "a.litertlm"), at_unix_s=NOW_S) == folder
    assert [path.name for path in folder.iterdir()] == [INDEX_FILE]


def test_no_cache_where_none_is_wanted_or_possible(folder: Path, tmp_path: Path) -> None:
    model = model_file(tmp_path, "a.litertlm")
    assert prepare(folder, 0, model, at_unix_s=NOW_S) is None
    assert not folder.exists()
    in_the_way = tmp_path / "file"
    in_the_way.write_text("")
    assert prepare(in_the_way / "cache", 1000, model, at_unix_s=NOW_S) is None
    assert prepare(folder, 1000, tmp_path / "absent.litertlm", at_unix_s=NOW_S) is None


def test_entries_of_models_that_are_gone_or_changed_go(folder: Path, tmp_path: Path) -> None:
    first, second, third = (model_file(tmp_path, f"{name}.litertlm") for name in "abc")
    for model in (first, second, third):
        prepare(folder, 10_000, model, at_unix_s=NOW_S)
        write_entry(folder, model)
    of_first = folder / f"{written_name(first)}.xnnpack_cache"
    os.utime(first, (NOW_S, NOW_S))
    second.unlink()
    prepare(folder, 10_000, third, at_unix_s=NOW_S + 1)
    assert not of_first.exists()
    assert sorted(path.name for path in folder.iterdir()) == [f"{written_name(third)}.xnnpack_cache", INDEX_FILE]


def test_models_that_are_used_in_turn_stay_and_the_one_not_used_for_longest_goes(folder: Path, tmp_path: Path) -> None:
    first, second, third = (model_file(tmp_path, f"{name}.litertlm") for name in "abc")
    for at_s, model in enumerate((first, second, third)):
        prepare(folder, 10_000, model, at_unix_s=NOW_S + at_s)
        entry_path = write_entry(folder, model)
        os.utime(entry_path, (NOW_S + at_s, NOW_S + at_s))
    prepare(folder, 250, first, at_unix_s=NOW_S + 10)
    left = {stamp_in(path.name) for path in folder.glob("*xnnpack*")}
    assert left == {stamp_of(first), stamp_of(third)}


def test_another_version_of_the_library_begins_anew(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, other = model_file(tmp_path, "a.litertlm"), model_file(tmp_path, "b.litertlm")
    for each in (other, model):
        prepare(folder, 10_000, each, at_unix_s=NOW_S)
    paths = [write_entry(folder, each) for each in (model, other)]
    monkeypatch.setattr(litert_cache, "library_version", lambda: "0.99")
    prepare(folder, 10_000, model, at_unix_s=NOW_S + 1)
    assert [path.exists() for path in paths] == [False, False]
    path = write_entry(folder, model)
    prepare(folder, 10_000, model, at_unix_s=NOW_S + 2)
    assert path.exists()


@pytest.mark.parametrize(
    "text", ["", "[]", "{", "3", '{"a": 3}', '[{"model": 1}]', '[{"model": "a", "changed_unix_s": "x"}]']
)
def test_a_damaged_index_does_no_harm(folder: Path, tmp_path: Path, text: str) -> None:
    model = model_file(tmp_path, "a.litertlm")
    prepare(folder, 10_000, model, at_unix_s=NOW_S)
    path = write_entry(folder, model)
    (folder / INDEX_FILE).write_text(text)
    (folder / MEMORY_FILE).write_text("{}")
    assert prepare(folder, 10, model, at_unix_s=NOW_S) == folder
    assert path.exists()
    assert (folder / MEMORY_FILE).exists()
    assert [told["model"] for told in json.loads((folder / INDEX_FILE).read_text())] == [model.name]


def test_five_starts_with_a_model_that_changes_each_time_do_not_grow_it(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The real library writes it."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    model = tiny_gemma(tmp_path)
    sizes_bytes: list[int] = []
    for start in range(5):
        os.utime(model, (NOW_S + 60 * start, NOW_S + 60 * start))
        cache = prepare(folder, 100_000_000, model, at_unix_s=NOW_S + 60 * start)
        assert cache == folder
        done = probe(model, Backends("cpu", "cpu", "cpu"), context_tokens=1024, cache_folder=cache)
        assert done.ok, done.reason
        written = [path for path in folder.iterdir() if path.name != INDEX_FILE]
        assert all(stamp_of(model).same(stamp_in(path.name)) for path in written), "the library names them otherwise"
        sizes_bytes.append(sum(path.stat().st_size for path in written))
    assert sizes_bytes[0] > 1_000_000
    assert max(sizes_bytes) < 1.1 * sizes_bytes[0]

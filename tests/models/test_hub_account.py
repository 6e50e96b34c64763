"""The hub as it treats accounts, and what it states itself; and what its own client has on this machine already."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from parlor_tui.models import fetching, hub_cache
from parlor_tui.models.base import Cancelled, ModelUnavailable, Progress
from parlor_tui.models.catalogue import Model
from parlor_tui.models.store import Store
from tests.models import samples
from tests.models.hub import COMMIT, Hub

Knows = Callable[..., Model]
PINNED = "89abcdef" * 5
NEWER = {"weights.bin": samples.BIG[::-1] + b"newer", "config.json": samples.SMALL}


def get(store: Store) -> Path:
    return store.get("sample", lambda progress: None, threading.Event())


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if not path.name.startswith(".")}


def publish(hub: Hub, content: dict[str, bytes]) -> None:
    hub.files = {f"{samples.REPO}/{name}": data for name, data in content.items()}


def put_into_cache(content: dict[str, bytes], *, repo: str = samples.REPO, revision: str = PINNED) -> Path:
    """Lay files into the client's cache as the client does: blobs by their hash, and a snapshot that links to them."""
    folder = hub_cache.cache_folder() / f"models--{repo.replace('/', '--')}"
    for name, data in content.items():
        blob = folder / "blobs" / hashlib.sha256(data).hexdigest()
        blob.parent.mkdir(parents=True, exist_ok=True)
        blob.write_bytes(data)
        link = folder / "snapshots" / revision / name
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(blob)
    return folder


def test_what_is_pinned_to_a_revision_that_left_is_found_at_another(hub: Hub, store: Store, knows: Knows) -> None:
    knows(samples.hub_source(PINNED))
    hub.revisions, hub.kept_by_git = {COMMIT}, ("config.json",)
    assert contents(get(store)) == samples.CONTENT
    assert store.revision("sample") == "", "it is as the catalogue pins it"
    assert hub.asked.count(("GET", f"api {samples.REPO}", 0)) == 1


def test_other_bytes_at_a_newer_revision_are_refused_unless_the_publisher_is_followed(
    hub: Hub, store: Store, knows: Knows
) -> None:
    hub.revisions, hub.kept_by_git = {COMMIT}, ("config.json",)
    publish(hub, NEWER)
    knows(samples.hub_source(PINNED))
    with pytest.raises(ModelUnavailable, match=r"weights\.bin has other bytes there than those published"):
        get(store)
    assert hub.gets()[1:] == [], "only the API was asked"


def test_what_the_hub_states_is_recorded_and_checked_ever_after(hub: Hub, store: Store, knows: Knows) -> None:
    hub.revisions, hub.kept_by_git = {COMMIT}, ("config.json",)
    publish(hub, NEWER)
    knows(samples.hub_source(PINNED, follows=True))
    seen: list[Progress] = []
    folder = store.get("sample", seen.append, threading.Event())
    assert contents(folder) == NEWER
    assert seen[-1].total_bytes == sum(map(len, NEWER.values()))
    assert store.has("sample")
    assert store.revision("sample") == COMMIT
    marks = json.loads((folder / ".verified").read_text())
    assert marks["weights.bin"][0] == hashlib.sha256(NEWER["weights.bin"]).hexdigest()
    assert marks["weights.bin"][2:] == [len(NEWER["weights.bin"]), COMMIT]
    assert store.verify("sample") == []
    assert store.revision("sample") == COMMIT, "checking keeps the record"
    hub.asked.clear()
    assert get(store) == folder
    assert hub.asked == []

    weights = folder / "weights.bin"
    before = weights.stat()
    data = bytearray(weights.read_bytes())
    data[100] ^= 1
    weights.write_bytes(data)
    os.utime(weights, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert store.verify("sample") == [f"{weights} is damaged: its sha256 is not the one published"]
    assert not store.has("sample")
    assert contents(get(store)) == NEWER


def test_a_followed_model_is_as_pinned_as_long_as_the_pin_is_there(hub: Hub, store: Store, knows: Knows) -> None:
    hub.revisions = {PINNED, COMMIT}
    knows(samples.hub_source(PINNED, follows=True))
    assert contents(get(store)) == samples.CONTENT
    assert store.revision("sample") == ""
    assert [path for path, _ in hub.gets() if path.startswith("api ")] == []


def test_a_record_counts_only_where_the_publisher_is_followed(hub: Hub, store: Store, knows: Knows) -> None:
    hub.revisions, hub.kept_by_git = {COMMIT}, ("config.json",)
    publish(hub, NEWER)
    knows(samples.hub_source(PINNED, follows=True))
    get(store)
    knows(samples.hub_source(PINNED))
    assert not store.has("sample")


def test_bytes_other_than_the_hub_states_are_refused(hub: Hub, store: Store, knows: Knows) -> None:
    hub.revisions, hub.kept_by_git, hub.tells_sha256 = {COMMIT}, ("config.json",), False
    publish(hub, NEWER)
    hub.sent_instead = {f"{samples.REPO}/weights.bin": NEWER["weights.bin"][:-1] + b"?"}
    knows(samples.hub_source(PINNED, follows=True))
    with pytest.raises(ModelUnavailable, match=r"weights\.bin has other bytes there than those published"):
        get(store)
    assert not store.has("sample")


def test_what_the_hub_states_is_gone_on_from_too(hub: Hub, store: Store, knows: Knows) -> None:
    hub.revisions, hub.kept_by_git = {COMMIT}, ("config.json",)
    publish(hub, NEWER)
    hub.break_after_bytes, hub.breaks = samples.BIG_BYTES // 2, 1
    knows(samples.hub_source(PINNED, follows=True))
    assert contents(get(store)) == NEWER
    firsts = [first for path, first in hub.gets() if path == "weights.bin" and first]
    assert len(firsts) == 1
    assert samples.BIG_BYTES // 3 < firsts[0] < samples.BIG_BYTES


def test_a_file_that_left_the_hub_is_named(hub: Hub, store: Store, knows: Knows) -> None:
    hub.revisions = {COMMIT}
    publish(hub, {"config.json": samples.SMALL})
    knows(samples.hub_source(PINNED, follows=True))
    with pytest.raises(ModelUnavailable, match=r"some-org/some-model holds weights\.bin no more"):
        get(store)


@pytest.mark.parametrize("how", ["variable", "file"])
def test_the_users_token_is_sent_with_every_request(
    hub: Hub, store: Store, knows: Knows, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, how: str
) -> None:
    hub.refuses, hub.token = (401, "GatedRepo"), "hf_secret"
    hub.revisions, hub.kept_by_git = {COMMIT}, ("config.json",)
    if how == "variable":
        monkeypatch.setenv("HF_TOKEN", hub.token)
    else:
        (tmp_path / "hf").mkdir()
        (tmp_path / "hf" / "token").write_text(hub.token)
    knows(samples.hub_source(PINNED))
    assert contents(get(store)) == samples.CONTENT
    assert set(hub.tokens) == {hub.token}


LOG_IN = "log in (`hf auth login`, or HF_TOKEN)"
ACCEPT = "accept its licence at {url}/some-org/some-model and " + LOG_IN


@pytest.mark.parametrize(
    ("refusal", "why"),
    [
        ((401, "GatedRepo"), f"some-org/some-model is gated: {ACCEPT}"),
        ((403, "GatedRepo"), f"some-org/some-model is gated: {ACCEPT}"),
        ((403, ""), f"access to some-org/some-model is refused: {ACCEPT}"),
        ((401, "RepoNotFound"), f"there is no some-org/some-model, or it is private: {LOG_IN}"),
        ((401, ""), LOG_IN),
    ],
)
def test_a_refusal_says_in_one_line_to_accept_the_licence_and_log_in(
    hub: Hub, store: Store, knows: Knows, monkeypatch: pytest.MonkeyPatch, refusal: tuple[int, str], why: str
) -> None:
    hub.refuses, hub.token = refusal, "another"
    monkeypatch.setenv("HF_TOKEN", "hf_mine")
    knows(samples.hub_source(PINNED))
    with pytest.raises(ModelUnavailable) as refused:
        get(store)
    text = str(refused.value)
    assert why.format(url=hub.url) in text
    assert "\n" not in text
    assert "hf_mine" not in text


@pytest.mark.parametrize("variable", ["HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"])
def test_offline_nobody_is_asked(
    hub: Hub, store: Store, knows: Knows, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    monkeypatch.setenv(variable, "1")
    knows(samples.hub_source(PINNED))
    with pytest.raises(ModelUnavailable, match=r"offline mode is on \(HF_HUB_OFFLINE\)"):
        get(store)
    assert hub.tokens == [], "no request of any kind"


def test_what_the_client_has_already_is_not_downloaded_again(
    hub: Hub, store: Store, knows: Knows, monkeypatch: pytest.MonkeyPatch
) -> None:
    knows(samples.hub_source(PINNED))
    cached = put_into_cache(samples.CONTENT)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert store.offer(["sample"]).left_bytes == 0
    assert not store.offer(["sample"]).models[0].here
    told: list[str] = []
    folder = store.get("sample", lambda progress: told.append(progress.text), threading.Event())
    assert contents(folder) == samples.CONTENT
    assert hub.tokens == []
    assert "sample: taking weights.bin from the Hugging Face cache" in told
    blob = cached / "blobs" / hashlib.sha256(samples.BIG).hexdigest()
    assert (folder / "weights.bin").samefile(blob), "on the same disk it takes no room"
    store.remove("sample")
    assert blob.read_bytes() == samples.BIG


def test_of_a_repository_that_was_renamed_the_blob_is_found(hub: Hub, store: Store, knows: Knows) -> None:
    knows(samples.hub_source(PINNED))
    put_into_cache({"weights.bin": samples.BIG}, repo="its/former-name", revision="main")
    assert contents(get(store)) == samples.CONTENT
    assert [path for path, _ in hub.gets()] == ["config.json"]


def test_a_damaged_file_in_the_cache_is_downloaded_anew_and_left_alone(hub: Hub, store: Store, knows: Knows) -> None:
    knows(samples.hub_source(PINNED))
    cached = put_into_cache(samples.CONTENT)
    blob = cached / "blobs" / hashlib.sha256(samples.BIG).hexdigest()
    damaged = b"x" * samples.BIG_BYTES
    blob.write_bytes(damaged)
    assert contents(get(store)) == samples.CONTENT
    assert ("weights.bin", 0) in hub.gets()
    assert blob.read_bytes() == damaged


@pytest.mark.parametrize("end", ["copied", "no room", "cancelled"])
def test_from_a_cache_on_another_disk_it_is_copied_if_there_is_room(
    hub: Hub, store: Store, knows: Knows, monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    def other_disk(*_: object, **__: object) -> None:
        raise OSError(18, "Invalid cross-device link")

    knows(samples.hub_source(PINNED))
    put_into_cache(samples.CONTENT)
    monkeypatch.setattr(os, "link", other_disk)
    cancelled = threading.Event()
    if end == "cancelled":
        cancelled.set()
        with pytest.raises(Cancelled):
            store.get("sample", lambda progress: None, cancelled)
        assert not store.has("sample")
        return
    if end == "no room":
        monkeypatch.setattr(fetching, "_has_room_for", lambda file, folder: False)
    assert contents(get(store)) == samples.CONTENT
    assert (hub.tokens == []) is (end == "copied")


@pytest.mark.parametrize(
    "variables",
    [
        {},
        {"HF_HOME": "{tmp}/home"},
        {"HF_HOME": "~/of mine"},
        {"HF_HUB_CACHE": "{tmp}/cache", "HF_HOME": "{tmp}/home"},
        {"HUGGINGFACE_HUB_CACHE": "{tmp}/older"},
        {"XDG_CACHE_HOME": "{tmp}/xdg"},
        {"PLACE": "{tmp}/place", "HF_HOME": "$PLACE/x"},
    ],
)
def test_the_cache_is_where_the_client_has_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, variables: dict[str, str]
) -> None:
    for name in ("HF_HOME", "HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value.format(tmp=tmp_path))
    program = "from huggingface_hub import constants; print(constants.HF_HUB_CACHE)"
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert hub_cache.cache_folder() == Path(told.stdout.rstrip("\n"))

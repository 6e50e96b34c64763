from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from parlor_tui.models import catalogue
from parlor_tui.models.catalogue import Model
from parlor_tui.models.sources import Source
from parlor_tui.models.store import Store
from tests import small_disk as disks
from tests.models import hub as imitation
from tests.models import samples


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[imitation.Hub]:
    """A running hub with the sample model, which the real client of a child process is pointed at."""
    with imitation.running() as hub:
        hub.files = samples.hub_files()
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
        for name in (
            "HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "HF_TOKEN",
            "HUGGING_FACE_HUB_TOKEN", "HF_TOKEN_PATH",
        ):  # fmt: skip
            monkeypatch.delenv(name, raising=False)
        for name in ("NO_PROXY", "no_proxy"):
            monkeypatch.setenv(name, "127.0.0.1,localhost")
        yield hub


@pytest.fixture
def wheels(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A folder that is all that the user's own pip settings know of."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


@pytest.fixture
def knows(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Model]:
    """Makes the sample model, from these sources, the only one there is."""

    def only(*sources: Source) -> Model:
        model = samples.model(*sources)
        monkeypatch.setattr(catalogue, "MODELS", {"sample": model})
        return model

    return only


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "models", use_hub=True, source_timeout_s=20, stall_s=20)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path | None]:
    """A disk of 1 MB; None where one may not make one."""
    folder = tmp_path / "disk"
    with disks.small_disk(folder) as there:
        yield folder if there else None

"""The folder that keeps models: what is in it was checked against its sha256 and came there whole, by one rename.

FOLDER/NAME/...            the files of a model, and `.verified`: what was checked, and the files' times then
FOLDER/.partial/NAME/      what came so far: `files/`, and one `try-*` folder while a source is at work
FOLDER/.partial/NAME.lock  held by the process that is getting the model
"""

from __future__ import annotations

import contextlib
import errno
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

from parlor_tui.events import now_s
from parlor_tui.models import catalogue
from parlor_tui.models.base import (
    STALL_S,
    Cancelled,
    DiskFull,
    ModelBusy,
    ModelError,
    ModelMissing,
    ModelUnavailable,
    Progress,
)
from parlor_tui.models.catalogue import Model
from parlor_tui.models.fetching import Fetching, Report
from parlor_tui.models.lock import FileLock
from parlor_tui.models.marker import changed_files, is_whole, sha256_of, write_marker
from parlor_tui.models.sources import new_scratch, tree_bytes

BUSY_S = 120.0
"""Another process that gets the same model and gets nothing for this long is not waited for any longer."""


class Store:
    """Models in `folder`. May be used from several threads and processes at once. Raises only ModelError and its kinds.

    `use_hub`: the Hugging Face hub is tried. `source_timeout_s`: a source that does not answer within it is given up;
    the last one, after which there is nothing to turn to, has as long as one that stalled (`stall_s`) if that is more.
    `busy_s`: how long another process that gets the same model may get nothing before it is no longer waited for.
    """

    def __init__(
        self, folder: Path, *, use_hub: bool, source_timeout_s: int, stall_s: float = STALL_S, busy_s: float = BUSY_S
    ) -> None:
        self.folder = folder
        self._use_hub = use_hub
        self._source_timeout_s = source_timeout_s
        self._stall_s = stall_s
        self._busy_s = busy_s

    def has(self, name: str) -> bool:
        """Whether the model is here, whole. Cheap: sizes and the mark of the last check, not the bytes."""
        model = catalogue.find(name)
        return is_whole(self.folder / name, model.files)

    def path(self, name: str) -> Path:
        """The folder with the model's checked files. A file that was touched since it was checked is checked again.

        Raises ModelMissing, saying how to get it.
        """
        model, folder = catalogue.find(name), self.folder / name
        if not is_whole(folder, model.files):
            raise ModelMissing(f"{name} is not in {self.folder}: parlor-tui models get {name}")
        try:
            changed = changed_files(folder, model.files)
            altered = [file.name for file in changed if sha256_of(folder / file.name) != file.sha256]
        except OSError as error:
            raise ModelMissing(f"{error.filename}: {error.strerror}: parlor-tui models get {name}") from None
        if altered:
            raise ModelMissing(f"{folder / altered[0]} was damaged or altered: parlor-tui models get {name}")
        if changed:
            with contextlib.suppress(OSError):  # a folder that is only readable is checked each time instead
                write_marker(folder, model.files)
        return folder

    def installed(self) -> tuple[str, ...]:
        """Names of the models that are here."""
        return tuple(name for name in catalogue.MODELS if self.has(name))

    def stand_in(self, name: str) -> str:
        """`name` if it is here, else its stand-in if that is; else `name`."""
        other = catalogue.STAND_INS.get(name)
        return other if other and not self.has(name) and self.has(other) else name

    def missing(self, profile: str) -> tuple[str, ...]:
        """The models `profile` needs that are not here, nor a stand-in for them."""
        return tuple(name for name in catalogue.PROFILES[profile] if not self.has(self.stand_in(name)))

    def verify(self, name: str) -> list[str]:
        """Read every byte of the model: its faults, one line each; none if it is as published.

        A model with a fault no longer counts as here, so that `get` brings it again.
        """
        model, folder = catalogue.find(name), self.folder / name
        if not folder.is_dir():
            return [f"{name} is not here: parlor-tui models get {name}"]
        faults: list[str] = []
        for file in model.files:
            path = folder / file.name
            try:
                size_bytes = path.stat().st_size
                if size_bytes != file.size_bytes:
                    faults.append(f"{path} has {size_bytes} bytes, not {file.size_bytes}")
                elif sha256_of(path) != file.sha256:
                    faults.append(f"{path} is damaged: its sha256 is not the one published")
            except FileNotFoundError:
                faults.append(f"{path} is missing")
            except OSError as error:
                faults.append(f"{path} cannot be read: {error.strerror}")
        with contextlib.suppress(OSError):
            if faults:
                (folder / ".verified").unlink(missing_ok=True)
            else:
                write_marker(folder, model.files)
        return faults

    def remove(self, name: str) -> bool:
        """Delete the model and what was kept of getting it; whether there was anything.

        Raises ModelBusy if another process is getting it, or a program has it open and the system forbids it.
        """
        catalogue.find(name)
        with self._writing(), self._lock(name) as lock:
            if not lock.try_lock():
                raise ModelBusy(f"another process is getting {name}; stop that first")
            present = (self.folder / name).exists() or self._partial(name).exists()
            self._discard(self.folder / name, name)
            shutil.rmtree(self._partial(name), ignore_errors=True)
        return present

    def get(self, name: str, progress: Report, cancelled: threading.Event) -> Path:
        """Bring the model unless it is here and as published; its folder. `progress` is called on this thread.

        Raises ModelUnavailable (each source with its reason), DiskFull, ModelBusy, Cancelled (soon after `cancelled`).
        """
        model = catalogue.find(name)
        with self._writing(), self._lock(name) as lock:
            if self.has(name) and not self.verify(name):
                return self.folder / name
            self._wait(lock, name, progress, cancelled)
            if not self.has(name):  # whoever was waited for brought it
                self._bring(model, progress, cancelled)
        return self.folder / name

    def get_profile(self, profile: str, progress: Report, cancelled: threading.Event) -> tuple[str, ...]:
        """Bring all that `profile` needs; the names of what is used, stand-ins for what cannot be had among them.

        Raises what `get` raises.
        """
        used: list[str] = []
        for name in catalogue.PROFILES[profile]:
            try:
                self.get(name, progress, cancelled)
                used.append(name)
            except ModelUnavailable:
                other = catalogue.STAND_INS.get(name)
                if other is None:
                    raise
                self.get(other, progress, cancelled)
                used.append(other)
        return tuple(used)

    def _bring(self, model: Model, progress: Report, cancelled: threading.Event) -> None:
        partial = self._partial(model.name)
        files = partial / "files"
        files.mkdir(parents=True, exist_ok=True)
        for leftover in [*partial.glob("try-*"), *files.glob("*.joining")]:
            _delete(leftover)
        sources = [source for source in model.sources if self._use_hub or not source.is_hub]
        Fetching(model, sources, self.folder, files, self._source_timeout_s, self._stall_s, progress, cancelled).run()
        if cancelled.is_set():
            raise Cancelled(f"getting {model.name} was cancelled")
        self._put_in_place(model, partial, files)

    def _put_in_place(self, model: Model, partial: Path, files: Path) -> None:
        """Mark the checked files, then let them become the model, all at once."""
        for path in files.iterdir():
            if path.name not in {file.name for file in model.files}:
                _delete(path)
        write_marker(files, model.files)
        place = self.folder / model.name
        self._discard(place, model.name)
        files.rename(place)
        shutil.rmtree(partial, ignore_errors=True)

    def _discard(self, place: Path, name: str) -> None:
        """Take the folder of a model away in one step, then delete it."""
        if not place.exists():
            return
        old = new_scratch(self._partial(name)) / "old"
        try:
            place.rename(old)
        except PermissionError:
            raise ModelBusy(f"{place} is in use or not yours to change; stop what uses it first") from None
        shutil.rmtree(old.parent, ignore_errors=True)

    def _partial(self, name: str) -> Path:
        return self.folder / ".partial" / name

    def _lock(self, name: str) -> FileLock:
        return FileLock(self.folder / ".partial" / f"{name}.lock")

    def _wait(self, lock: FileLock, name: str, progress: Report, cancelled: threading.Event) -> None:
        """Wait until nobody else gets the model, as long as the other one gets on."""
        seen_bytes, since_s, told = -1, now_s(), False
        while not lock.try_lock():
            if not told:
                progress(Progress(name, "", 0, 0, f"{name}: another process is getting it; waiting"))
                told = True
            if cancelled.wait(0.2):
                raise Cancelled(f"getting {name} was cancelled")
            grown = tree_bytes(self._partial(name))
            if grown != seen_bytes:
                seen_bytes, since_s = grown, now_s()
            elif now_s() - since_s > self._busy_s:
                raise ModelBusy(
                    f"another process is getting {name} and got nothing for {self._busy_s:g} s; stop it, try again"
                )

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        """Turn what the disk refuses into one line."""
        try:
            yield
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                raise DiskFull(f"{self.folder}: the disk is full: free some space and try again") from None
            raise ModelError(f"{error.filename or self.folder}: {error.strerror or error}") from None


def _delete(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)

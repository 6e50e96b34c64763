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
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from parlor_tui.events import now_s
from parlor_tui.models import catalogue
from parlor_tui.models.base import (
    STALL_S,
    Cancelled,
    DiskFull,
    Got,
    ModelBusy,
    ModelError,
    ModelFile,
    ModelMissing,
    ModelUnavailable,
    Progress,
    Stated,
)
from parlor_tui.models.entry import Model
from parlor_tui.models.fetching import SPARE_BYTES, Fetching, Report, copy_of
from parlor_tui.models.lock import FileLock
from parlor_tui.models.marker import as_stated, changed_files, is_whole, sha256_of, write_marker
from parlor_tui.models.offer import Offer, Offered
from parlor_tui.models.sources import Source, new_scratch, tree_bytes
from parlor_tui.settings import Settings, models_folder

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
        return is_whole(self.folder / name, self._files(model)[0])

    def revision(self, name: str) -> str:
        """The revision at which the hub stated what the model's files are; empty if they are as the catalogue pins."""
        return self._files(catalogue.find(name))[1]

    def path(self, name: str) -> Path:
        """The folder with the model's checked files. A file that was touched since it was checked is checked again.

        Raises ModelMissing, saying how to get it.
        """
        folder = self.folder / name
        files, revision = self._files(catalogue.find(name))
        if not is_whole(folder, files):
            raise ModelMissing(f"{name} is not in {self.folder}: parlor-tui models get {name}")
        try:
            changed = changed_files(folder, files)
            altered = [file.name for file in changed if sha256_of(folder / file.name) != file.sha256]
        except OSError as error:
            raise ModelMissing(f"{error.filename}: {error.strerror}: parlor-tui models get {name}") from None
        if altered:
            raise ModelMissing(f"{folder / altered[0]} was damaged or altered: parlor-tui models get {name}")
        if changed:
            with contextlib.suppress(OSError):  # a folder that is only readable is checked each time instead
                write_marker(folder, files, revision)
        return folder

    def installed(self) -> tuple[str, ...]:
        """Names of the models that are here."""
        return tuple(name for name in catalogue.MODELS if self.has(name))

    def stand_in(self, name: str) -> str:
        """`name` if it is here, else the best of its stand-ins that is; else `name`."""
        return next((other for other in (name, *catalogue.stand_ins(name)) if self.has(other)), name)

    def missing(self, names: Sequence[str] | str, chosen: Collection[str] = ()) -> tuple[str, ...]:
        """Of `names` (or of the models of a profile) those that are not here; nor a stand-in, unless they are `chosen`.

        `chosen` are those that a person asked for by name: a stand-in that happens to be here is not enough.
        """
        wanted = catalogue.PROFILES[names] if isinstance(names, str) else names
        return tuple(name for name in wanted if not self.has(name if name in chosen else self.stand_in(name)))

    def offer(self, names: Sequence[str]) -> Offer:
        """What getting `names` takes: sizes, licences, room on the disk. Asks nobody and changes nothing.

        Raises UnknownModel, ModelError if the disk cannot be asked.
        """
        models = [catalogue.find(name) for name in dict.fromkeys(names)]
        offered = tuple(
            Offered(
                model.name,
                model.purpose,
                model.licence,
                model.size_bytes,
                self._left_bytes(model),
                self.has(model.name),
            )
            for model in models
        )
        left = [(item.left_bytes, model) for item, model in zip(offered, models, strict=True) if item.left_bytes]
        scratch = max((self._sources(model)[0].scratch_bytes for _, model in left if self._sources(model)), default=0)
        place = next(path for path in (self.folder, *self.folder.absolute().parents) if path.exists())
        with self._writing():
            free_bytes = shutil.disk_usage(place).free
        needed_bytes = sum(left_bytes for left_bytes, _ in left) + scratch + SPARE_BYTES if left else 0
        return Offer(offered, str(self.folder), free_bytes, needed_bytes)

    def verify(self, name: str) -> list[str]:
        """Read every byte of the model: its faults, one line each; none if it is as published.

        A model with a fault no longer counts as here, so that `get` brings it again.
        """
        folder = self.folder / name
        files, revision = self._files(catalogue.find(name))
        if not folder.is_dir():
            return [f"{name} is not here: parlor-tui models get {name}"]
        faults: list[str] = []
        for file in files:
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
                write_marker(folder, files, revision)
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

    def get_all(self, names: Sequence[str], progress: Report, cancelled: threading.Event) -> tuple[Got, ...]:
        """Bring each of `names`, or what stands in for it where it cannot be had. Raises what `get` raises."""
        return tuple(self._get_or_stand_in(name, progress, cancelled) for name in dict.fromkeys(names))

    def get_profile(self, profile: str, progress: Report, cancelled: threading.Event) -> tuple[str, ...]:
        """The same for all that `profile` needs by default; the names of what is used."""
        return tuple(got.used for got in self.get_all(catalogue.PROFILES[profile], progress, cancelled))

    def _get_or_stand_in(self, name: str, progress: Report, cancelled: threading.Event) -> Got:
        try:
            self.get(name, progress, cancelled)
        except ModelUnavailable as fault:
            # What is here comes first, then what is not to be had from the hub alone: that has just been of no use.
            others = sorted(catalogue.stand_ins(name), key=lambda other: (not self.has(other), self._only_hub(other)))
            for other in others:
                with contextlib.suppress(ModelUnavailable):
                    self.get(other, progress, cancelled)
                    return Got(name, other, str(fault))
            raise
        return Got(name, name)

    def _only_hub(self, name: str) -> bool:
        return all(source.is_hub for source in catalogue.find(name).sources)

    def _files(self, model: Model) -> tuple[tuple[ModelFile, ...], str]:
        """What the model's files are, here, and the revision if that is as the hub stated it."""
        return as_stated(self.folder / model.name, model.files) if model.follows else (model.files, "")

    def _sources(self, model: Model) -> list[Source]:
        return [source for source in model.sources if self._use_hub or not source.is_hub]

    def _left_bytes(self, model: Model) -> int:
        """What still has to come of the model: not what came already, nor what another program got."""
        if self.has(model.name):
            return 0
        cached = sum(file.size_bytes for file in model.files if copy_of(model, file))
        return max(model.size_bytes - cached - tree_bytes(self._partial(model.name) / "files"), 0)

    def _bring(self, model: Model, progress: Report, cancelled: threading.Event) -> None:
        partial = self._partial(model.name)
        files = partial / "files"
        files.mkdir(parents=True, exist_ok=True)
        for leftover in [*partial.glob("try-*"), *files.glob("*.joining")]:
            _delete(leftover)
        fetching = Fetching(
            model, self._sources(model), self.folder, files, self._source_timeout_s, self._stall_s, progress, cancelled
        )
        fetching.run()
        if cancelled.is_set():
            raise Cancelled(f"getting {model.name} was cancelled")
        self._put_in_place(model, partial, files, fetching.stated or Stated(model.files, ""))

    def _put_in_place(self, model: Model, partial: Path, files: Path, stated: Stated) -> None:
        """Mark the checked files, then let them become the model, all at once."""
        for path in files.iterdir():
            if path.name not in {file.name for file in model.files}:
                _delete(path)
        write_marker(files, stated.files, stated.revision)
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


def store_of(settings: Settings) -> Store:
    """The model store that the settings describe."""
    return Store(
        models_folder(settings), use_hub=settings.models.hub, source_timeout_s=settings.models.source_timeout_s
    )

"""Bring the files of one model into a folder: source after source, each file checked, until all are as published."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from parlor_tui.events import now_s
from parlor_tui.models.base import (
    Cancelled,
    DiskFull,
    ModelFile,
    ModelUnavailable,
    Progress,
    SourceFault,
    Stated,
    Watch,
    in_time,
    in_words,
)
from parlor_tui.models.entry import Model
from parlor_tui.models.marker import sha256_of
from parlor_tui.models.rate import Rate
from parlor_tui.models.sources import Source, new_scratch, tree_bytes

CHUNK_BYTES = 1 << 20
SPARE_BYTES = 16_000_000
"""Disk space left alone: a disk filled to the last byte breaks other programs."""

TOLD_S = 1.0
"""Progress is told at least this often while a source is at work, so that a stall is seen."""

Report = Callable[[Progress], None]


def copy_of(model: Model, file: ModelFile) -> Path | None:
    """A file that another program got and that may be this one: it has its size."""
    for copy in (copy for source in model.sources for copy in source.copies(file)):
        with contextlib.suppress(OSError):
            if copy.is_file() and copy.stat().st_size == file.size_bytes:
                return copy
    return None


@dataclass(slots=True)
class Fetching:
    """One try at getting `model` into `files`, which is on the disk of `folder`, from `sources` in their order.

    `source_timeout_s` and `stall_s` are those of the store. What is in `files` from an earlier try is gone on from.
    `stated` is what came if that is not as pinned: the model's files as the hub stated them.
    """

    model: Model
    sources: Sequence[Source]
    folder: Path
    files: Path
    source_timeout_s: float
    stall_s: float
    progress: Report
    cancelled: threading.Event
    stated: Stated | None = None
    _good: set[str] = field(default_factory=set)

    def run(self) -> None:
        """Bring all files. Raises ModelUnavailable (each source with its reason), DiskFull, Cancelled, OSError."""
        wanted, reasons, full = self._check(), list[str](), ""
        if wanted and self._adopt(wanted):
            wanted = self._check()
        for source in self.sources:
            if not wanted:
                break
            try:
                self._check_room(source)
                self._fetch(source, wanted, last=source is self.sources[-1])
                wanted = self._check()
                if wanted:
                    raise SourceFault(f"its {wanted[0].name} is not the one published")
            except SourceFault as fault:
                reasons.append(f"{source.title}: {fault}")
                if os.strerror(errno.ENOSPC) in str(fault):
                    full = f"{self.folder}: the disk is full: free some space and try again"
                wanted = self._check()
            except DiskFull as fault:
                full = full or str(fault)
        if wanted and full:
            raise DiskFull(full)
        if wanted:
            why = "; ".join(reasons) or "its only source is the Hugging Face hub, which models.hub turns off"
            raise ModelUnavailable(f"{self.model.name} cannot be had: {why}")

    def _adopt(self, wanted: Sequence[ModelFile]) -> bool:
        """Take what other programs got already, if it has the right size; whether anything was taken."""
        taken = False
        for file in wanted:
            copy = copy_of(self.model, file)
            taken |= copy is not None and self._take(copy, file)
        return taken

    def _take(self, copy: Path, file: ModelFile) -> bool:
        """Give the file a second name here, or copy it to another disk if there is room."""
        target, copying = self.files / file.name, self.files / f"{file.name}.joining"
        text = f"{self.model.name}: taking {file.name} from the Hugging Face cache"
        self.progress(Progress(self.model.name, "Hugging Face cache", 0, 0, text))
        try:
            os.link(copy.resolve(), target)
        except OSError:
            if not _has_room_for(file, self.files):
                return False
            with copy.open("rb") as source, copying.open("wb") as out:
                while chunk := source.read(CHUNK_BYTES):
                    if self.cancelled.is_set():
                        raise Cancelled(f"getting {self.model.name} was cancelled") from None
                    out.write(chunk)
            copying.replace(target)
        return True

    def _fetch(self, source: Source, wanted: Sequence[ModelFile], *, last: bool) -> None:
        name = self.model.name
        rate, told_bytes, told_s = Rate(), 0, 0.0

        def report(done_bytes: int, total_bytes: int) -> None:
            nonlocal told_bytes, told_s
            at_s = now_s()
            if done_bytes == told_bytes and (done_bytes == 0 or at_s - told_s < TOLD_S):
                return
            rate.add(done_bytes, at_s)
            told_bytes, told_s = done_bytes, at_s
            text, left_s = f"{name}: {in_words(done_bytes)} of {in_words(total_bytes)}", rate.left_s(total_bytes)
            if left_s is not None:
                text += f", {in_words(round(rate.bytes_per_s))}/s, {in_time(left_s)} left"
            self.progress(Progress(name, source.title, done_bytes, total_bytes, text, rate.bytes_per_s, left_s))

        self.progress(Progress(name, source.title, 0, 0, f"{name}: asking {source.title}"))
        connect_s = max(self.source_timeout_s, self.stall_s) if last else self.source_timeout_s
        scratch = new_scratch(self.files.parent)
        try:
            stated = source.fetch(wanted, self.files, scratch, Watch(connect_s, self.stall_s, self.cancelled, report))
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
        if stated is not None and source.follows:
            instead = {file.name: file for file in stated.files}
            files = tuple(instead.get(file.name, file) for file in self.model.files)
            self.stated = Stated(files, stated.revision)

    def _check(self) -> list[ModelFile]:
        """The files that did not come yet. What came and is not what was published is thrown away."""
        wanted: list[ModelFile] = []
        for file in self.stated.files if self.stated else self.model.files:
            path = self.files / file.name
            if file.name in self._good:
                continue
            if (
                path.is_file()
                and path.stat().st_size == file.size_bytes
                and sha256_of(path, self.cancelled) == file.sha256
            ):
                self._good.add(file.name)
            else:
                path.unlink(missing_ok=True)
                wanted.append(file)
        return wanted

    def _check_room(self, source: Source) -> None:
        more_bytes = max(self.model.size_bytes - tree_bytes(self.files), 0)
        needed_bytes = more_bytes + source.scratch_bytes + SPARE_BYTES
        free_bytes = shutil.disk_usage(self.files).free
        if free_bytes < needed_bytes:
            raise DiskFull(
                f"{self.model.name} needs {in_words(needed_bytes)} of disk space and {self.folder} has "
                f"{in_words(free_bytes)}: free some, or set models.folder to a folder on another disk"
            )


def _has_room_for(file: ModelFile, folder: Path) -> bool:
    return shutil.disk_usage(folder).free >= file.size_bytes + SPARE_BYTES

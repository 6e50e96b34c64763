"""Bring the files of one model into a folder: source after source, each file checked, until all are as published."""

from __future__ import annotations

import errno
import os
import shutil
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from parlor_tui.models.base import (
    DiskFull,
    ModelFile,
    ModelUnavailable,
    Progress,
    SourceFault,
    Watch,
    in_words,
)
from parlor_tui.models.catalogue import Model
from parlor_tui.models.marker import sha256_of
from parlor_tui.models.sources import Source, new_scratch, tree_bytes

SPARE_BYTES = 16_000_000
"""Disk space left alone: a disk filled to the last byte breaks other programs."""

Report = Callable[[Progress], None]


@dataclass(slots=True)
class Fetching:
    """One try at getting `model` into `files`, which is on the disk of `folder`, from `sources` in their order.

    `source_timeout_s` and `stall_s` are those of the store. What is in `files` from an earlier try is gone on from.
    """

    model: Model
    sources: Sequence[Source]
    folder: Path
    files: Path
    source_timeout_s: float
    stall_s: float
    progress: Report
    cancelled: threading.Event
    _good: set[str] = field(default_factory=set)

    def run(self) -> None:
        """Bring all files. Raises ModelUnavailable (each source with its reason), DiskFull, Cancelled, OSError."""
        wanted, reasons, full = self._check(), list[str](), ""
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

    def _fetch(self, source: Source, wanted: Sequence[ModelFile], *, last: bool) -> None:
        name = self.model.name

        told = 0

        def report(done_bytes: int, total_bytes: int) -> None:
            nonlocal told
            if done_bytes == told:
                return
            told = done_bytes
            text = f"{name}: {in_words(done_bytes)} of {in_words(total_bytes)}"
            self.progress(Progress(name, source.title, done_bytes, total_bytes, text))

        self.progress(Progress(name, source.title, 0, 0, f"{name}: asking {source.title}"))
        connect_s = max(self.source_timeout_s, self.stall_s) if last else self.source_timeout_s
        scratch = new_scratch(self.files.parent)
        try:
            source.fetch(wanted, self.files, scratch, Watch(connect_s, self.stall_s, self.cancelled, report))
        finally:
            shutil.rmtree(scratch, ignore_errors=True)

    def _check(self) -> list[ModelFile]:
        """The files that did not come yet. What came and is not what was published is thrown away."""
        wanted: list[ModelFile] = []
        for file in self.model.files:
            path = self.files / file.name
            if file.name in self._good:
                continue
            if path.is_file() and path.stat().st_size == file.size_bytes and sha256_of(path) == file.sha256:
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

"""What an entry of the catalogue is: a model, its files and where they come from."""

from __future__ import annotations

from dataclasses import dataclass

from parlor_tui.models.base import ModelFile
from parlor_tui.models.sources import Source


@dataclass(frozen=True, slots=True)
class Model:
    """A model: what it is for, under which licence (SPDX), its files, and its sources, best first."""

    name: str
    purpose: str
    licence: str
    files: tuple[ModelFile, ...]
    sources: tuple[Source, ...]
    note: str = ""

    @property
    def size_bytes(self) -> int:
        """Of all files together."""
        return sum(file.size_bytes for file in self.files)

    @property
    def follows(self) -> bool:
        """Whether the hub may state other files than these, once these are there no more."""
        return any(source.follows for source in self.sources)

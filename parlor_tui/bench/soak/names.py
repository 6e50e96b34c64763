"""The faults by name, in the order in which they are told. Imports nothing: the command line may know them."""

from __future__ import annotations

FAULTS = (
    "core-crash",
    "core-kill",
    "core-hang",
    "core-memory",
    "link-cut",
    "mic-lost",
    "mic-hung",
    "mic-muted",
    "mic-rate",
    "mic-moved",
    "speaker-lost",
    "speaker-hung",
    "sound-hung",
    "camera-lost",
    "disk-full",
    "suspend",
)

"""Appends lines to a journal from a process of its own: PATH LIMIT_BYTES FILES NAME COUNT."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path

from parlor_tui.observe.journal import JournalFile, line


def main() -> None:
    path, limit_bytes, files, name, count = sys.argv[1:]
    file = JournalFile(Path(path), int(limit_bytes), int(files))
    sys.stdin.readline()  # both begin at once
    for number in range(int(count)):
        file.append(line(datetime.now(UTC), "notice", text=f"{name} {number}"))


if __name__ == "__main__":
    main()

"""The log: where everything goes that libraries, devices and engines print, and never the screen."""

from __future__ import annotations

import contextlib
import logging
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

LIMIT_BYTES = 2_000_000


def old_log(path: Path) -> Path:
    """Where the log before this one is kept."""
    return path.with_name(path.name + ".1")


def open_log(path: Path) -> tuple[int, Path]:
    """Descriptor and path of the log, opened to append, for its owner alone; the null device if that fails."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and path.stat().st_size > LIMIT_BYTES:
            path.replace(old_log(path))
        return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), path
    except OSError:
        return os.open(os.devnull, os.O_WRONLY), Path(os.devnull)


class _Quiet(logging.StreamHandler[TextIO]):
    """What cannot be logged, as on a full disk, is lost, and no business of the user's."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - its name in the library
        """Say nothing: the library would print a traceback for the user."""


@contextlib.contextmanager
def noise_into(path: Path) -> Iterator[None]:
    """Send what is printed on descriptor 2, from C too, and what is logged into the log at `path`.

    `sys.stderr` goes on to reach the user: it is for what a command itself has to say.
    """
    log_fd, _ = open_log(path)
    sys.stderr.flush()
    kept_fd = os.dup(2)
    streams = sys.stderr, sys.__stderr__
    logged = os.fdopen(os.dup(log_fd), "w", encoding="utf-8", errors="replace", buffering=1)
    handler = _Quiet(logged)
    handler.setFormatter(logging.Formatter("%(asctime)s terminal %(levelname)s %(name)s %(message)s"))
    logging.getLogger().addHandler(handler)
    own = os.fdopen(kept_fd, "w", encoding=sys.stderr.encoding, errors="replace", buffering=1)
    try:
        os.dup2(log_fd, 2)
        sys.stderr = sys.__stderr__ = own  # type: ignore[misc]
        yield
    finally:
        own.flush()
        sys.stderr, sys.__stderr__ = streams  # type: ignore[misc]
        os.dup2(kept_fd, 2)
        logging.getLogger().removeHandler(handler)
        for stream in (own, logged):
            with contextlib.suppress(OSError):  # what a full disk did not take
                stream.close()
        os.close(log_fd)

"""A file that is there whole or not at all, for its owner alone."""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO


@contextlib.contextmanager
def whole_file(out: Path) -> Iterator[IO[bytes]]:
    """A file to write into, which takes the place of `out` at the end. Whatever is raised, `out` is as it was before.

    Raises OSError; FileExistsError for what is there and no ordinary file: the null device, say, of the whole machine.
    """
    if out.exists() and not out.is_file():
        raise FileExistsError(errno.EEXIST, "it is no ordinary file", str(out))
    # A name that nobody can foresee, opened only if it is not there: a link that waits under it would be followed.
    descriptor, name = tempfile.mkstemp(prefix=".parlor-", suffix=".part", dir=out.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
        Path(name).replace(out)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise

"""Where the Hugging Face client keeps what any program got through it: a file that is there need not come again.

The environment's names and the layout are those that the client documents; the client itself is not loaded for it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path


def cache_folder() -> Path:
    """The folder of the cache, as `HF_HUB_CACHE`, `HF_HOME` and `XDG_CACHE_HOME` say; it need not exist."""
    home = os.environ.get("HF_HOME")
    if home is None:
        general = os.environ.get("XDG_CACHE_HOME", os.path.join(os.path.expanduser("~"), ".cache"))  # noqa: PTH111, PTH118 - as the client does, for any text
        home = os.path.join(general, "huggingface")  # noqa: PTH118
    home = _expanded(home)
    older_name = os.environ.get("HUGGINGFACE_HUB_CACHE", os.path.join(home, "hub"))  # noqa: PTH118
    return Path(_expanded(os.environ.get("HF_HUB_CACHE", older_name)))


def copies(repo: str, path: str, sha256: str) -> Iterator[Path]:
    """Files of the cache that may be the file `path` of `repo`, or have `sha256`; to be checked, none may be it."""
    folder = cache_folder()
    try:
        yield from folder.glob(f"models--{repo.replace('/', '--')}/snapshots/*/{path}")
        yield from folder.glob(f"models--*/blobs/{sha256}")
    except OSError:  # a folder that may not be read has nothing for us
        return


def _expanded(text: str) -> str:
    return os.path.expandvars(os.path.expanduser(text))  # noqa: PTH111 - as the client does

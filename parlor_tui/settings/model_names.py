"""What may stand for the model that answers: a name, or the path of a file."""

from __future__ import annotations

import difflib

NAMES = ("gemma-4-e2b", "gemma-4-e4b")
SUFFIX = ".litertlm"


def is_path(said: str) -> bool:
    """Whether a file is meant and not one of the names."""
    return said.endswith(SUFFIX) or any(mark in said for mark in "/\\~")


def model_name(said: str) -> str:
    """`said` as it is kept. Raises ValueError if it is neither a name nor a path; "" is the profile's own."""
    plain = said.strip()
    if not plain or plain in NAMES or is_path(plain):
        return plain
    near = difflib.get_close_matches(plain.lower(), NAMES, n=1)
    hint = f"did you mean {near[0]}?" if near else f"give {', '.join(NAMES)}, or the path of a {SUFFIX} file"
    raise ValueError(f"no such model; {hint}")

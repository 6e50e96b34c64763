"""Which packages the program runs with."""

from __future__ import annotations

import re


def package_versions(root: str = "parlor-tui") -> dict[str, str]:
    """The versions of the distribution `root` and of all that it needs, as far as they are installed, by name.

    Where `root` itself is not installed, as in a source tree, all that is.
    """
    from importlib import metadata

    try:
        metadata.distribution(root)
    except metadata.PackageNotFoundError:
        every = {dist.name: dist.version for dist in metadata.distributions() if dist.name}
        return dict(sorted(every.items()))
    versions: dict[str, str] = {}
    waiting = [root]
    while waiting:
        name = waiting.pop()
        if _plain(name) in map(_plain, versions):
            continue
        try:
            found = metadata.distribution(name)
        except metadata.PackageNotFoundError:  # an extra, or for another system
            continue
        versions[found.name] = found.version
        waiting += [re.split(r"[^A-Za-z0-9._-]", need, maxsplit=1)[0] for need in found.requires or ()]
    return dict(sorted(versions.items()))


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()

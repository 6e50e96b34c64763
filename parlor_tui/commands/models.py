"""`parlor-tui models`: list, get, verify and remove the models on this machine."""

from __future__ import annotations

import argparse
import json
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

from parlor_tui.models import catalogue
from parlor_tui.models.base import ModelError, Progress, in_words
from parlor_tui.models.store import Store
from parlor_tui.settings import Settings, models_folder

DONE, USAGE, MISSING, FAILED = 0, 2, 3, 4


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the words of `parlor-tui models`."""
    actions = parser.add_subparsers(dest="models_action", metavar="ACTION")
    listing = actions.add_parser(
        "list", help="every model: what it is for, its size and licence, and whether it is here"
    )
    getting = actions.add_parser("get", help="download models; those of the lite profile if none is named")
    getting.add_argument("names", nargs="*", metavar="NAME")
    getting.add_argument(
        "--profile", metavar="PROFILE", default=argparse.SUPPRESS, help="all models that a profile needs: lite"
    )
    verifying = actions.add_parser("verify", help="read every byte and compare; all that are here if none is named")
    verifying.add_argument("names", nargs="*", metavar="NAME")
    removing = actions.add_parser("rm", help="delete models")
    removing.add_argument("names", nargs="+", metavar="NAME")
    for action in (listing, getting, verifying, removing):
        action.add_argument("--config", type=Path, metavar="FILE", default=argparse.SUPPRESS, help="this settings file")
    for action in (listing, verifying):
        action.add_argument("--json", action="store_true", help="one JSON document on standard output")


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    """Do what `arguments` say; the exit code: 0 done, 2 usage, 3 a model is missing, 4 failed."""
    store = Store(
        models_folder(settings), use_hub=settings.models.hub, source_timeout_s=settings.models.source_timeout_s
    )
    action = arguments.models_action or "list"
    names: Sequence[str] = getattr(arguments, "names", ())
    try:
        for name in names:
            catalogue.find(name)
        if action == "get":
            return _get(store, names, getattr(arguments, "profile", None))
        if action == "verify":
            return _verify(store, names, as_json=arguments.json)
        if action == "rm":
            return _remove(store, names)
        return _list(store, as_json=getattr(arguments, "json", False))
    except catalogue.UnknownModel as error:
        return _fail(error, USAGE)
    except ModelError as error:
        return _fail(error, MISSING if error.missing else FAILED)


def _list(store: Store, *, as_json: bool) -> int:
    here = set(store.installed())
    if as_json:
        rows = [
            {
                "name": model.name,
                "purpose": model.purpose,
                "licence": model.licence,
                "size_bytes": model.size_bytes,
                "installed": model.name in here,
                "folder": str(store.folder / model.name) if model.name in here else None,
                "profiles": [profile for profile, names in catalogue.PROFILES.items() if model.name in names],
                "sources": [source.title for source in model.sources],
                "voices": list(catalogue.voices(model.name)),
                "note": model.note,
            }
            for model in catalogue.MODELS.values()
        ]
        _say(json.dumps({"folder": str(store.folder), "models": rows}, indent=2))
        return DONE
    for model in catalogue.MODELS.values():
        state = "here" if model.name in here else "-"
        columns = f"{model.name:<18} {state:<5} {in_words(model.size_bytes):>9}  {model.purpose:<9} {model.licence:<11}"
        _say(f"{columns} {model.note}")
        brought = catalogue.voices(model.name)
        if brought:
            _say(f"{'':<18} voices: {' '.join(brought)}")
    _say(f"in {store.folder}")
    return DONE


def _get(store: Store, names: Sequence[str], profile: str | None) -> int:
    if profile == "auto":
        profile = "lite"
    if profile is not None and profile not in catalogue.PROFILES:
        return _fail(f"no profile is called {profile!r}; there are {', '.join(catalogue.PROFILES)}", USAGE)
    if profile is not None and names:
        return _fail("name models or a profile, not both", USAGE)
    with _Shown() as shown:
        if names:
            got = tuple(dict.fromkeys(names))
            for name in got:
                store.get(name, shown.show, threading.Event())
        else:
            got = store.get_profile(profile or "lite", shown.show, threading.Event())
    for name in got:
        _say(f"{name}: {store.path(name)}")
    return DONE


def _verify(store: Store, names: Sequence[str], *, as_json: bool) -> int:
    absent = [name for name in names if not (store.folder / name).is_dir()]
    chosen = [name for name in names or catalogue.MODELS if name not in absent and (store.folder / name).is_dir()]
    faults = {name: store.verify(name) for name in chosen}
    if as_json:
        _say(json.dumps({"folder": str(store.folder), "faults": faults, "absent": absent}, indent=2))
    else:
        for name, found in faults.items():
            _say(f"{name}: as published" if not found else f"{name}: {'; '.join(found)}: parlor-tui models get {name}")
        if not names and not chosen:
            _say(f"no model is in {store.folder}")
    if any(faults.values()):
        return FAILED
    if absent:
        return _fail(f"not in {store.folder}: {', '.join(absent)}: parlor-tui models get {' '.join(absent)}", MISSING)
    return DONE


def _remove(store: Store, names: Sequence[str]) -> int:
    absent = []
    for name in dict.fromkeys(names):
        if store.remove(name):
            _say(f"{name}: deleted")
        else:
            absent.append(name)
    if absent:
        return _fail(f"not in {store.folder}: {', '.join(absent)}: nothing to delete", MISSING)
    return DONE


class _Shown:
    """Progress on standard error: a bar on a terminal, else a line for each tenth."""

    def __enter__(self) -> _Shown:
        from rich.console import Console
        from rich.progress import BarColumn, DownloadColumn, TextColumn, TransferSpeedColumn
        from rich.progress import Progress as Bar

        self._bar: Bar | None = None
        self._told = ""
        console = Console(stderr=True)
        if console.is_terminal:
            self._bar = Bar(
                TextColumn("{task.description}", markup=False),
                BarColumn(),
                DownloadColumn(),
                TransferSpeedColumn(),
                console=console,
            )
            self._task = self._bar.add_task("", total=None)
            self._bar.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def show(self, progress: Progress) -> None:
        if self._bar is not None:
            total = progress.total_bytes or None
            what = f"{progress.model} from {progress.source}" if total else progress.text
            self._bar.update(self._task, description=what, completed=progress.done_bytes, total=total)
            return
        tenth = 10 * progress.done_bytes // progress.total_bytes if progress.total_bytes else -1
        mark = f"{progress.model} {progress.source} {tenth} {'' if progress.total_bytes else progress.text}"
        if mark != self._told:
            self._told = mark
            sys.stderr.write(progress.text + "\n")
            sys.stderr.flush()


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")


def _fail(error: ModelError | str, code: int) -> int:
    sys.stderr.write(f"parlor-tui models: {error}\n")
    return code

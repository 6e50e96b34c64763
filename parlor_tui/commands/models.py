"""`parlor-tui models`: list, get, verify and remove the models on this machine."""

from __future__ import annotations

import argparse
import contextlib
import json
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

from parlor_tui.commands import bench_models
from parlor_tui.models import catalogue
from parlor_tui.models.base import Cancelled, Got, ModelError, Progress, in_time, in_words
from parlor_tui.models.needs import needed
from parlor_tui.models.offer import Offered
from parlor_tui.models.store import Store, store_of
from parlor_tui.settings import Settings

DONE, USAGE, MISSING, FAILED, STOPPED = 0, 2, 3, 4, 130
PIPE_COLUMNS = 160
"""As wide as the table of models is where no terminal says how wide it can be."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the words of `parlor-tui models`."""
    actions = parser.add_subparsers(dest="models_action", metavar="ACTION")
    listing = actions.add_parser(
        "list", help="every model: what it is for, its size and licence, and whether it is here"
    )
    listing.add_argument("--voices", action="store_true", help="the voices that the models bring, by name")
    getting = actions.add_parser(
        "get", help="download models, or go on with it; those of the profile in the settings if none is named"
    )
    getting.add_argument("names", nargs="*", metavar="NAME")
    getting.add_argument(
        "--profile",
        metavar="PROFILE",
        default=argparse.SUPPRESS,
        help=f"all models that a profile needs: {', '.join(catalogue.PROFILES)}",
    )
    verifying = actions.add_parser("verify", help="read every byte and compare; all that are here if none is named")
    verifying.add_argument("names", nargs="*", metavar="NAME")
    removing = actions.add_parser("rm", help="delete models")
    removing.add_argument("names", nargs="+", metavar="NAME")
    bench = bench_models.add_arguments(actions)
    for action in (listing, getting, verifying, removing, bench):
        action.add_argument("--config", type=Path, metavar="FILE", default=argparse.SUPPRESS, help="this settings file")
    for action in (listing, verifying):
        action.add_argument("--json", action="store_true", help="one JSON document on standard output")


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    """Do what `arguments` say; the exit code: 0 done, 2 usage, 3 a model is missing, 4 failed, 130 stopped."""
    if arguments.models_action == "bench":
        return bench_models.run(arguments, settings)
    store = store_of(settings)
    action = arguments.models_action or "list"
    names: Sequence[str] = getattr(arguments, "names", ())
    try:
        for name in names:
            catalogue.find(name)
        if action == "get":
            return _get(store, names, getattr(arguments, "profile", None), settings)
        if action == "verify":
            return _verify(store, names, as_json=arguments.json)
        if action == "rm":
            return _remove(store, names)
        if getattr(arguments, "json", False):
            return _list_json(store)
        return _list_voices() if getattr(arguments, "voices", False) else _list(store)
    except catalogue.UnknownModel as error:
        return _fail(error, USAGE)
    except ModelError as error:
        return _fail(error, MISSING if error.missing else FAILED)


def _list_json(store: Store) -> int:
    here = set(store.installed())
    rows = [
        {
            "name": model.name,
            "purpose": model.purpose,
            "licence": model.licence,
            "size_bytes": model.size_bytes,
            "installed": model.name in here,
            "folder": str(store.folder / model.name) if model.name in here else None,
            "revision": store.revision(model.name) or None,
            "profiles": [profile for profile, names in catalogue.PROFILES.items() if model.name in names],
            "sources": [source.title for source in model.sources],
            "voices": list(catalogue.voices(model.name)),
            "note": model.note,
        }
        for model in catalogue.MODELS.values()
    ]
    _say(json.dumps({"folder": str(store.folder), "models": rows}, indent=2))
    return DONE


def _list(store: Store) -> int:
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("model", no_wrap=True)
    table.add_column("state", no_wrap=True)
    table.add_column("size", no_wrap=True, justify="right")
    table.add_column("licence", no_wrap=True)
    table.add_column("for", no_wrap=True)
    table.add_column("what it is")
    offer = store.offer(tuple(catalogue.MODELS))
    for item in offer.models:
        note = catalogue.find(item.name).note
        table.add_row(
            item.name,
            _state(item),
            in_words(item.size_bytes),
            item.licence,
            item.purpose,
            note,
        )
    console = Console(highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        console = Console(highlight=False, markup=False, emoji=False, width=PIPE_COLUMNS)
    with console.capture() as printed:
        console.print(table)
    for line in printed.get().splitlines():
        _say(line.rstrip())
    _say(f"in {store.folder}, {in_words(offer.free_bytes)} free; `parlor-tui models list --voices` names the voices")
    return DONE


def _state(model: Offered) -> str:
    if model.here:
        return "here"
    came_bytes = model.size_bytes - model.left_bytes
    return f"{100 * came_bytes // model.size_bytes} %" if came_bytes else "-"


def _list_voices() -> int:
    import textwrap

    for name in catalogue.MODELS:
        brought = catalogue.voices(name)
        if brought:
            _say(f"{name} brings {len(brought)} voices:")
            _say(textwrap.fill(" ".join(brought), width=78, initial_indent="  ", subsequent_indent="  "))
    return DONE


def _get(store: Store, names: Sequence[str], profile: str | None, settings: Settings) -> int:
    if profile is not None and profile not in (*catalogue.PROFILES, "auto"):
        return _fail(f"no profile is called {profile!r}; there are {', '.join(catalogue.PROFILES)}", USAGE)
    if profile is not None and names:
        return _fail("name models or a profile, not both", USAGE)
    profile = profile or settings.core.profile
    wanted = tuple(dict.fromkeys(names)) or needed("lite" if profile == "auto" else profile, settings)
    for line in store.offer(wanted).lines():
        _tell(line)
    with _cancelled_by_ctrl_c() as cancelled, _Shown() as shown:
        try:
            if names:
                got = tuple(Got(name, name) for name in wanted if store.get(name, shown.show, cancelled))
            else:
                got = store.get_all(wanted, shown.show, cancelled)
        except Cancelled:
            return _fail("stopped; what came so far is kept, and the same command goes on from there", STOPPED)
    for one in got:
        if one.notice:
            _tell(one.notice)
        stated = store.revision(one.used)
        as_stated = f" (revision {stated[:12]}, as the hub states it)" if stated else ""
        _say(f"{one.used}: {store.path(one.used)}{as_stated}")
    return DONE


@contextlib.contextmanager
def _cancelled_by_ctrl_c() -> Iterator[threading.Event]:
    """An event that the first Ctrl-C sets; a second one ends the process as it would anyway."""
    cancelled = threading.Event()
    before = signal.getsignal(signal.SIGINT)

    def cancel(*_: object) -> None:
        cancelled.set()
        signal.signal(signal.SIGINT, before)

    if before != signal.default_int_handler or threading.current_thread() is not threading.main_thread():
        yield cancelled  # whoever started us does not want Ctrl-C to reach us
        return
    signal.signal(signal.SIGINT, cancel)
    try:
        yield cancelled
    finally:
        signal.signal(signal.SIGINT, before)


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
        from rich.progress import BarColumn, DownloadColumn, TextColumn
        from rich.progress import Progress as Bar

        self._bar: Bar | None = None
        self._told = ""
        console = Console(stderr=True)
        if console.is_terminal:
            self._bar = Bar(
                TextColumn("{task.description}", markup=False),
                BarColumn(),
                DownloadColumn(),
                TextColumn("{task.fields[pace]}", markup=False),
                console=console,
            )
            self._task = self._bar.add_task("", total=None, pace="")
            self._bar.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def show(self, progress: Progress) -> None:
        if self._bar is not None:
            total = progress.total_bytes or None
            what = f"{progress.model} from {progress.source}" if total else progress.text
            pace = ""
            if progress.left_s is not None:
                pace = f"{in_words(round(progress.bytes_per_s))}/s, {in_time(progress.left_s)} left"
            self._bar.update(self._task, description=what, completed=progress.done_bytes, total=total, pace=pace)
            return
        tenth = 10 * progress.done_bytes // progress.total_bytes if progress.total_bytes else -1
        mark = f"{progress.model} {progress.source} {tenth} {'' if progress.total_bytes else progress.text}"
        if mark != self._told:
            self._told = mark
            _tell(progress.text)


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")


def _tell(line: str) -> None:
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


def _fail(error: ModelError | str, code: int) -> int:
    sys.stderr.write(f"parlor-tui models: {error}\n")
    return code

"""One soak from its options to its report."""

from __future__ import annotations

import math
import os
import platform
import shutil
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from parlor_tui import __version__
from parlor_tui.assistant import Assistant
from parlor_tui.bench.lines import Line, lines
from parlor_tui.bench.rig import Rig
from parlor_tui.bench.room import Room
from parlor_tui.bench.sitting import Sitting
from parlor_tui.bench.soak import deeds
from parlor_tui.bench.soak.account import Account
from parlor_tui.bench.soak.fits import Drift
from parlor_tui.bench.soak.names import FAULTS
from parlor_tui.bench.soak.plan import Plan
from parlor_tui.bench.soak.report import Happened, Report, Setup, by_fault
from parlor_tui.bench.soak.rig_deeds import of_rig
from parlor_tui.bench.soak.sampling import Memory, Sampler
from parlor_tui.bench.soak.stand_in import CAMERA, CHOICE, StandIns
from parlor_tui.bench.soak.talking import Talker
from parlor_tui.bench.starting import at_work, wait_until_ready
from parlor_tui.bench.utterances import BenchError, Utterances, cache_folder
from parlor_tui.conversations.record import ConversationError, Turn
from parlor_tui.conversations.store import Store
from parlor_tui.events import Ready, now_s
from parlor_tui.settings import Settings
from parlor_tui.usage import psutil

_KEPT_S = 60.0
"""Of both sides' sound: more than the longest step of a talk without a fault."""
_NOISE_DBFS = -66.0
"""A microphone that works is never quite silent."""
_GONE_S = 5.0
_SHORT_TOKENS = 12
"""Short replies: more turns, and so more that can go wrong in them."""
_MINUTE_S = 60.0
Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Options:
    """What a person asked for. `faults`: only those, by name; none for all that can be made here."""

    minutes: float
    seed: int = 1
    faults: tuple[str, ...] = ()
    rig: bool = False


@dataclass(slots=True)
class _Run:
    """What is there while it goes on. `faults`: what happens; `absent`: what cannot, and why."""

    options: Options
    folder: Path
    place: Room | Rig
    account: Account
    assistant: Assistant
    absent: dict[str, str]
    there: dict[str, deeds.Deed]
    sampler: Sampler
    talker: Talker | None = None
    ready: Ready | None = None
    began_s: float = 0.0
    ended_s: float = 0.0
    ended: str = ""
    stopped: bool = False
    left: list[str] = field(default_factory=list)


def run(options: Options, settings: Settings, config: Path | None, tell: Tell) -> Report:
    """Talk. `tell` gets a line about what goes on. Ctrl-C ends it early, with what was found until then.

    Raises BenchError, and of the model store ModelError, if nothing can be found.
    """
    load = _load()
    if options.rig:
        Rig.check()
    folder = Path(tempfile.mkdtemp(prefix="parlor-tui-soak-"))
    try:
        run = _prepare(options, settings, config, folder, tell)
        _talk(run, settings, tell)
        report = _report(run, load)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    if report.reasons and not report.stopped:
        tell(f"conversation, journal and log of this talk are kept in {folder}")
    else:
        shutil.rmtree(folder, ignore_errors=True)
    return report


def _prepare(options: Options, settings: Settings, config: Path | None, folder: Path, tell: Tell) -> _Run:
    account = Account()
    place: Room | Rig = Rig(kept_s=_KEPT_S) if options.rig else Room(seed=options.seed, kept_s=_KEPT_S)
    stand_ins = StandIns(place) if isinstance(place, Room) else None
    settings = _settings(settings, folder, rig=options.rig)
    assistant = Assistant(
        settings,
        config,
        account.listener,
        opener=place.opener if stand_ins is None else stand_ins.opener,
        log=folder / "parlor-tui.log",
        told=account.told,
    )
    own = deeds.of_process(lambda: assistant.core_pid, folder / "conversations")
    of_devices = deeds.of_stand_ins(stand_ins) if stand_ins is not None else of_rig(cast(Rig, place))
    there = {**own.there, **of_devices.there}
    wanted = options.faults or FAULTS
    absent = {name: why for name, why in {**own.absent, **of_devices.absent}.items() if name in wanted}
    there = {name: there[name] for name in wanted if name in there}
    if not there:
        raise BenchError(f"none of these faults can be made: {'; '.join(f'{n}: {w}' for n, w in absent.items())}")
    tell(f"{len(there)} faults: {', '.join(there)}")
    sampler = Sampler(lambda: assistant.core_pid, options.minutes * _MINUTE_S)
    return _Run(options, folder, place, account, assistant, absent, there, sampler)


def _settings(settings: Settings, folder: Path, *, rig: bool) -> Settings:
    """Stand-ins for devices, and everything that is kept in `folder`."""
    devices = ("default", "default", "none") if rig else (CHOICE, CHOICE, CAMERA)
    values: dict[str, object] = {
        f"devices.{kind}": choice for kind, choice in zip(("microphone", "speaker", "camera"), devices, strict=True)
    }
    values |= {"conversations.record": "text", "conversations.folder": str(folder / "conversations")}
    values |= {"journal.enabled": True, "models.offer": False}
    if "answering.max_tokens" not in settings.explicit:
        values["answering.max_tokens"] = _SHORT_TOKENS
    return settings.with_values(values, "soak")


def _talk(run: _Run, settings: Settings, tell: Tell) -> None:
    """From the start of the core until nothing of it is left."""
    questions, pauses = _lines(run.options.minutes)
    made = Utterances(settings, cache_folder(), run.options.seed).make([*questions, *pauses], tell)
    children: list[Any] = []
    try:
        with at_work(run.place, run.assistant):
            run.ready = wait_until_ready(run.account.watch, tell)
            if isinstance(run.place, Room):
                run.place.set_noise(_NOISE_DBFS)
            sitting = Sitting(run.assistant, run.account.watch, run.place)
            said = [[made[line.name] for line in some] for some in (questions, pauses)]
            run.talker = Talker(sitting, run.account, run.there, *said)
            tell(f"talking for {run.options.minutes:g} minutes")
            run.sampler.start()
            run.began_s = now_s()
            try:
                sitting.settle()
                _go_on(run, run.talker, tell)
            finally:
                run.ended_s = now_s()
                run.sampler.stop()
                children = psutil().Process().children(recursive=True)
    except KeyboardInterrupt:
        if run.talker is None:
            raise
        run.stopped = True
    except BenchError as error:
        if run.talker is None:
            raise
        run.ended = f"it ended before its time: {error}"
    run.account.remembering.finish()
    run.left = _left_of(children)


def _lines(minutes: float) -> tuple[Sequence[Line], Sequence[Line]]:
    """The questions and the sentences with a pause that are said: no more of them than there is time for."""
    return lines("question")[: math.ceil(minutes * 4) + 1], lines("pause")[: math.ceil(minutes)]


def _go_on(run: _Run, talker: Talker, tell: Tell) -> None:
    """Talk until the time is over, and at least until one fault happened."""
    plan = Plan(run.options.seed, tuple(run.there))
    until_s, minute = run.began_s + run.options.minutes * _MINUTE_S, 1
    while now_s() < until_s or not run.account.trials:
        step = plan.step()
        fault = plan.fault(run.account.fits) if step.disturbed else None
        trial = talker.take(step, fault)
        at = _clock(now_s() - run.began_s)
        if trial is not None:
            tell(f"{at} {Happened.of(trial, run.began_s).in_words}")
        if now_s() - run.began_s >= minute * _MINUTE_S:
            minute = int((now_s() - run.began_s) / _MINUTE_S) + 1
            counts = run.account.ask(lambda ledger: dict(ledger.counts))
            lost = counts["lost"]
            tell(f"{at} said: {sum(counts.values())}, lost: {lost}, faults: {len(run.account.trials)}")


def _left_of(children: list[Any]) -> list[str]:
    """What still runs of `children`, and of what was started since."""
    known = {child.pid: child for child in [*children, *psutil().Process().children(recursive=True)]}
    _, alive = psutil().wait_procs(list(known.values()), _GONE_S)
    return [_name(process) for process in alive if _runs(process)]


def _runs(process: Any) -> bool:
    try:
        return bool(process.status() != psutil().STATUS_ZOMBIE)
    except psutil().Error:
        return False


def _name(process: Any) -> str:
    try:
        return f"{process.pid} {' '.join(process.cmdline())[:120]}"
    except psutil().Error:
        return str(process.pid)


def _kept(folder: Path) -> list[Turn]:
    store = Store(folder / "conversations")
    try:
        return [turn for name in store.names() for turn in store.load(name).turns]
    except ConversationError:
        return []


def _report(run: _Run, load: float | None) -> Report:
    account, ready = run.account, run.ready
    setup = Setup(
        version=__version__,
        profile=ready.profile if ready is not None else "",
        model=ready.model if ready is not None else "",
        devices="the system's sound devices" if run.options.rig else "stand-ins for sound and camera",
        seed=run.options.seed,
        minutes=run.options.minutes,
        took_s=run.ended_s - run.began_s,
        machine=f"{platform.system()} {platform.machine()}",
        cores=os.cpu_count() or 1,
        load_before=load,
        load_after=_load(),
        left_out=run.absent,
    )
    answers = run.talker.answers_ms if run.talker is not None else []
    happened = tuple(Happened.of(trial, run.began_s) for trial in account.trials)
    remembering = account.remembering
    return Report(
        setup=setup,
        said={str(name): count for name, count in account.ledger.counts.items()},
        unsaid=account.ledger.unsaid,
        losses=tuple(account.ledger.losses),
        happened=happened,
        faults=by_fault(happened),
        restarts=account.deaths,
        links=account.links,
        unexpected=tuple(account.unexpected),
        reopened={kind: count - 1 for kind, count in sorted(account.used.items())},
        unasked=tuple(account.unasked),
        restored=remembering.restored,
        forgotten=tuple(remembering.forgotten),
        not_kept=tuple(remembering.not_kept(_kept(run.folder))),
        memory=Memory.of(run.sampler.samples),
        latency_ms=Drift.of(answers),
        answers_ms=tuple((at_s - run.began_s, took_ms) for at_s, took_ms in answers),
        left_running=tuple(run.left),
        errors=tuple(account.failed),
        ended=run.ended,
        stopped=run.stopped,
    )


def _load() -> float | None:
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else None


def _clock(seconds: float) -> str:
    return f"{int(seconds // 60):d}:{int(seconds % 60):02d}"

"""One run of the bench from its options to its report."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from parlor_tui import __version__
from parlor_tui.assistant import Assistant
from parlor_tui.bench import in_silence, over_replies
from parlor_tui.bench.costs.command import command
from parlor_tui.bench.costs.parlor_v1 import replay
from parlor_tui.bench.findings import Findings
from parlor_tui.bench.measures import measures, voice_to_voice_target
from parlor_tui.bench.plan import ECHOES, NOISE_DBFS, OVER_ECHO, Part, plan
from parlor_tui.bench.report import Report, Setup
from parlor_tui.bench.rig import Rig
from parlor_tui.bench.room import Room
from parlor_tui.bench.sitting import Sitting
from parlor_tui.bench.starting import at_work, wait_until_ready
from parlor_tui.bench.utterances import BenchError, Utterance, Utterances, cache_folder
from parlor_tui.bench.utterances import Report as Tell
from parlor_tui.bench.watching import Watch
from parlor_tui.devices.select import open_camera
from parlor_tui.events import EagerCount, Failed, Notice, Ready, now_s
from parlor_tui.link.supervisor import core_command
from parlor_tui.settings import Settings

_SIMULATED = ("talk", "talk_noise", "barge_in", "eager")
"""What can be judged with models that recognise no words and hum instead of speaking, which no canceller is made for.
"""
_ROOM_ONLY = ("talk_noise", "barge_in_echo", "echo_alone")
"""What needs noise or echo to be switched: on the rig that is done where it is started."""


@dataclass(frozen=True, slots=True)
class Options:
    """What a person asked for. `only`: scenarios, none for all; `turns`: trials of each, None for its own number.

    `costs` names the table of simulated models, empty for real ones; `hearing` is empty for that of the settings.
    """

    quick: bool = False
    only: tuple[str, ...] = ()
    turns: int | None = None
    rig: bool = False
    costs: str = ""
    hearing: str = ""
    seed: int = 1


def run(options: Options, settings: Settings, config: Path | None, tell: Tell) -> Report:
    """Measure. `tell` gets a line about what goes on. Ctrl-C ends it early, with what was measured until then.

    Raises BenchError, of the model store ModelError and of the camera DeviceError, if nothing can be measured.
    """
    began_s, began_utc = now_s(), datetime.now(UTC).isoformat(timespec="seconds")
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    settings = _settings(options, settings)
    open_camera(settings.devices.camera)  # says at once if it cannot be
    parts = _parts(options)
    lines = tuple(dict.fromkeys(line for part in parts for line in part.said))
    made = Utterances(settings, cache_folder(), options.seed).make(lines, tell)
    watch, findings = Watch(), Findings()
    place = Rig() if options.rig else Room(seed=options.seed)
    core = _simulated_core(options.costs, config, made) or core_command(settings, config, apart=True)
    assistant = Assistant(settings, config, watch.listener, opener=place.opener, core=core)
    ready: Ready | None = None
    stopped = False
    try:
        with at_work(place, assistant):
            ready = wait_until_ready(watch, tell)
            sitting = Sitting(assistant, watch, place)
            sitting.settle()
            for part in parts:
                tell(f"{part.scenario}: {part.told}")
                _play(part, sitting, findings, made, settings)
    except KeyboardInterrupt:
        stopped = True
    if ready is None:
        raise BenchError("stopped before anything was measured")
    findings.eager = next((event for event in reversed(watch.since(0)) if isinstance(event, EagerCount)), None)
    hearing = settings.tuning(ready.profile).hearing.mode if ready.hears else "captions"
    setup = Setup(
        version=__version__,
        profile=ready.profile,
        model=ready.model,
        hearing=hearing,
        camera=settings.devices.camera != "none",
        devices="rig" if options.rig else "room",
        simulated=options.costs,
        seed=options.seed,
        machine=f"{platform.system()} {platform.machine()}",
        cores=os.cpu_count() or 1,
        load_before=load,
        began_utc=began_utc,
        took_s=now_s() - began_s,
        scenarios=tuple(part.scenario for part in parts),
    )
    target = voice_to_voice_target(ready.profile, options.costs, hearing)
    notes = dict.fromkeys([*_notes(setup, place, made), *_warnings(watch), *findings.notes])
    return Report(
        setup, measures(findings, target), tuple(findings.turns), tuple(findings.trials), tuple(notes), stopped=stopped
    )


def unfit(options: Options) -> tuple[str, ...]:
    """The scenarios asked for that these options leave nothing to judge in."""
    fit = [part.scenario for part in _parts(options)]
    return tuple(name for name in options.only if name not in fit)


def _parts(options: Options) -> tuple[Part, ...]:
    parts = plan(options.only, options.turns, quick=options.quick)
    return tuple(
        part
        for part in parts
        if (not options.costs or part.scenario in _SIMULATED) and (not options.rig or part.scenario not in _ROOM_ONLY)
    )


def _settings(options: Options, settings: Settings) -> Settings:
    """The settings as the bench needs them: devices that are there, nothing kept, a camera's picture in every turn."""
    values: dict[str, object] = {"devices.microphone": "default", "devices.speaker": "default"}
    values |= {"conversations.record": "off", "journal.enabled": False}
    if options.hearing:
        values["hearing.mode"] = options.hearing
    if settings.devices.camera != "none" and "seeing.policy" not in settings.explicit:
        values["seeing.policy"] = "every_turn"
    return settings.with_values(values, "bench")


def _play(
    part: Part,
    sitting: Sitting,
    findings: Findings,
    made: Mapping[str, Utterance],
    settings: Settings,
) -> None:
    said = [made[line.name] for line in part.said]
    match part.scenario:
        case "talk" | "eager":
            in_silence.talk(sitting, findings, said, part.scenario, whole=part.scenario == "talk")
        case "talk_noise":
            in_silence.talk_noise(sitting, findings, said, NOISE_DBFS)
        case "barge_in":
            over_replies.barge_in(sitting, findings, said)
        case "barge_in_echo":
            over_replies.barge_in(sitting, findings, said, OVER_ECHO)
        case "false_barge_in":
            over_replies.false_barge_in(sitting, findings, said)
        case "short_words":
            in_silence.short_words(sitting, findings, said)
        case "short_words_over":
            over_replies.short_words_over(sitting, findings, said)
        case "pauses":
            in_silence.pauses(sitting, findings, said)
        case "clipping":
            in_silence.clipping(sitting, findings, said, settings.hearing.pre_roll_ms)
        case _:
            over_replies.echo_alone(sitting, findings, ECHOES, part.count, part.sounding_s)


def _simulated_core(costs: str, config: Path | None, made: Mapping[str, Utterance]) -> list[str]:
    """The command line of a core whose models only take the time that `costs` names; empty for real ones."""
    if not costs:
        return []
    try:
        return command(config, [utterance.samples for utterance in made.values()], cache_folder(), costs)
    except OSError as error:
        raise BenchError(f"{cache_folder()}: cannot be written: {error.strerror}") from None


def _notes(setup: Setup, place: Room | Rig, made: Mapping[str, Utterance]) -> list[str]:
    """What one has to know to read the figures."""
    notes = []
    if setup.simulated:
        notes.append(
            f"SIMULATED: the models only take the time published for them ({setup.simulated}); the rest is real"
        )
        lengths = [utterance.length_s for utterance in made.values() if utterance.line.kind.endswith("question")]
        v1_s = (
            [replay(length_s, frame=setup.camera)["total"] for length_s in (min(lengths), max(lengths))]
            if lengths
            else []
        )
        if v1_s:
            notes.append(
                f"Parlor v1 on the same costs: {v1_s[0] * 1000:.0f} ms after {min(lengths):.1f} s of speech, "
                f"{v1_s[1] * 1000:.0f} ms after {max(lengths):.1f} s"
            )
    busy = setup.load_before is not None and setup.load_before > setup.cores / 2
    if busy:
        notes.append(f"the machine was busy when the bench began (load {setup.load_before:.1f}): figures are too high")
    if place.missed_steps:
        notes.append(f"{place.missed_steps} steps of 10 ms came too late to be played: the machine did not keep up")
    return notes


def _warnings(watch: Watch) -> list[str]:
    """What the assistant itself warned of, and what did not work."""
    events = watch.since(0)
    warned = [event.text for event in events if isinstance(event, Notice) and event.severity != "info" and event.text]
    return [*warned, *(event.text for event in events if isinstance(event, Failed))]

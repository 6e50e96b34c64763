"""A conversation replayed in real time: its sounds through a stand-in microphone into the whole assistant."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from parlor_tui.assistant import Assistant
from parlor_tui.bench.room import Room
from parlor_tui.bench.sitting import Sitting
from parlor_tui.bench.starting import at_work, wait_until_ready
from parlor_tui.bench.watching import Watch
from parlor_tui.commands.replay_parts import Answer, Outcome, Replayed, Talk, Tell, changed, samples_of, then
from parlor_tui.conversations.export import in_order
from parlor_tui.conversations.record import Mark, Turn
from parlor_tui.devices.base import MIC_RATE_HZ, Camera
from parlor_tui.devices.select import Opener
from parlor_tui.events import State, TurnDone, now_s
from parlor_tui.link.supervisor import core_command
from parlor_tui.settings import Settings

_LONGEST_ANSWER_S = 120.0
_IDLE_S = 4.0
"""An assistant that has only listened for so long does not answer any more."""
_STEP_S = 0.05
_BETWEEN_S = 0.3


class Album:
    """In place of a camera: the picture of the turn that is replayed. See `devices.base.Camera`."""

    label = "pictures"

    def __init__(self) -> None:
        self.picture: bytes | None = None

    def start(self) -> None:
        """See `devices.base.Camera`."""

    def newest_jpeg(self) -> tuple[bytes, float] | None:
        """See `devices.base.Camera`."""
        return None if self.picture is None else (self.picture, now_s())

    def newest_rgb(self, widest_px: int, tallest_px: int) -> None:
        """See `devices.base.Camera`. Nobody watches a replay."""

    def stop(self, timeout_s: float = 1.0) -> None:
        """See `devices.base.Camera`."""


def replay(
    talk: Talk,
    settings: Settings,
    config: Path | None,
    outcome: Outcome,
    tell: Tell,
    *,
    core: Sequence[str] = (),
) -> None:
    """Have the conversation again, and add to `outcome` turn by turn. Raises BenchError if it cannot go on.

    `core` is a command line that starts another core than the settings' own.
    """
    settings = settings.with_values(
        {
            "devices.microphone": "default",
            "devices.speaker": "default",
            "conversations.record": "off",
            "journal.enabled": False,
        },
        "replay",
    )
    album, room, watch = Album(), Room(), Watch()

    def camera(_choice: str) -> Camera:
        return album

    opener = Opener(room.opener.microphone, room.opener.speaker, camera)
    core = core or core_command(settings, config, apart=True)
    assistant = Assistant(settings, config, watch.listener, opener=opener, core=core)
    with at_work(room, assistant):
        ready = wait_until_ready(watch, tell)
        outcome.profile, outcome.model = ready.profile, ready.model
        sitting = Sitting(assistant, watch, room)
        sitting.settle()
        for entry in in_order(talk.conversation):
            if isinstance(entry, Mark):
                settings, values = changed(settings, entry, outcome.notes)
                if values:
                    assistant.tune(values)
                continue
            album.picture = talk.picture(entry.number)
            tell(f"turn {entry.number}")
            outcome.turns.append(_turn(sitting, talk, entry))
            sitting.pause_until(now_s() + _BETWEEN_S)


def _turn(sitting: Sitting, talk: Talk, turn: Turn) -> Replayed:
    wav = talk.sounds(turn.number, "user")
    mark, over_s = sitting.watch.mark(), now_s()
    if wav is None:
        sitting.assistant.say(turn.said)
    else:
        samples = samples_of(wav, turn.number)
        over_s = sitting.place.say(samples) + len(samples) / MIC_RATE_HZ
    return Replayed(turn.number, wav is not None, then(turn), _answer(sitting, mark, over_s))


def _answer(sitting: Sitting, mark: int, over_s: float) -> Answer | None:
    """What is answered to what was said after `mark` and was over at `over_s`; None if nothing is."""
    while now_s() < over_s + _LONGEST_ANSWER_S:
        time.sleep(_STEP_S)
        sitting.check()
        ended = [event for event in sitting.watch.since(mark) if isinstance(event, TurnDone)]
        last = ended[-1] if ended else None
        if last is not None and last.status not in ("joined", "no_words") and now_s() > over_s:
            said = " ".join(event.heard for event in ended if event.heard)
            return Answer(said, last.reply, last.status, dict(last.stages_ms))
        idle_s = now_s() - max(over_s, sitting.watch.state_since_s)
        if sitting.watch.state is State.LISTENING and idle_s > _IDLE_S:
            return None
    return None

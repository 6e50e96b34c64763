"""A conversation replayed as fast as the models can: its sounds go to the core as a whole, and nothing is played."""

from __future__ import annotations

from pathlib import Path

from parlor_tui.commands.core_client import CoreClient, CoreClientError, NoCoreError, Question, core_client
from parlor_tui.commands.replay_parts import Answer, Outcome, Replayed, Talk, Tell, changed, samples_of, then
from parlor_tui.conversations.export import in_order
from parlor_tui.conversations.record import Mark, Turn
from parlor_tui.events import CoreLoading
from parlor_tui.settings import Settings


def replay(talk: Talk, settings: Settings, config: Path | None, outcome: Outcome, tell: Tell) -> None:
    """Have the conversation again, and add to `outcome` turn by turn. Raises NoCoreError if it cannot go on."""
    told = ""

    def loads(loading: CoreLoading) -> None:
        nonlocal told
        if loading.text != told:
            told = loading.text
            tell(told)

    with core_client(settings, config) as core:
        ready = core.wait_until_ready(loads, outcome.notes.append)
        outcome.profile, outcome.model = ready.profile, ready.model
        core.tune(settings, ready.profile)
        for entry in in_order(talk.conversation):
            if isinstance(entry, Mark):
                settings, _ = changed(settings, entry, outcome.notes)
                core.tune(settings, ready.profile)
            else:
                tell(f"turn {entry.number}")
                outcome.turns.append(_turn(talk, entry, core, outcome.notes))


def _turn(talk: Talk, turn: Turn, core: CoreClient, notes: list[str]) -> Replayed:
    wav = talk.sounds(turn.number, "user")
    sound = None if wav is None else samples_of(wav, turn.number)
    question = Question(turn.number, sound, "" if wav is not None else turn.said, talk.picture(turn.number))
    now = None
    try:
        answer = core.ask(question, notes.append)
    except NoCoreError:
        raise
    except CoreClientError as error:
        notes.append(f"turn {turn.number}: {error}")
    else:
        if answer.reason != "no_words":
            stages_ms = {name: ms for name, ms in answer.stages_ms.items() if name != "endpoint"}
            now = Answer(answer.said, answer.reply, answer.status, stages_ms)
    return Replayed(turn.number, wav is not None, then(turn), now)

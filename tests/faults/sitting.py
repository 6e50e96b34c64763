"""A talk aloud, on the virtual microphone and speaker and with the real models, to which something happens."""

from __future__ import annotations

import itertools
import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import pytest

from parlor_tui.assistant import Assistant
from parlor_tui.bench.watching import Watch
from parlor_tui.devices import sound_system
from parlor_tui.events import (
    AudioStarted,
    DeviceKind,
    DeviceUsed,
    EchoLevel,
    Event,
    MachineSeen,
    Notice,
    Ready,
    ReplyText,
    SpeechStarted,
    State,
    Tuned,
    TurnCommitted,
    TurnDone,
)
from parlor_tui.link import back_off, supervisor
from parlor_tui.link.client import Link
from parlor_tui.link.client_events import ClientEvent, CreateItem, ForgetAll
from parlor_tui.link.pulse import Patience
from parlor_tui.settings import load
from tests.conftest import Home, make_home
from tests.faults.between import Between
from tests.questions import QUESTIONS, question_wav
from tests.rig import Rig
from tests.speaking import word_error_rate
from tests.waiting import until

READY_S = 90.0
TURN_S = 60.0
TOLD_S = 15.0
"""How long a test waits to be told of a fault; whether that came in time is the row's to check (`fault_table`)."""
WORKING_S, LOADING_IDLE_S = 5.0, 5.0
"""So long a core may compute without a word, and load without doing anything: 10 and 30 s outside of tests."""
NAME = "My name is Anna."
STORIES = (
    QUESTIONS[5],
    "Tell me a story about a dog.",
    "Please tell me a long story about a cat and a dog.",
    "Repeat after me: one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen.",
)
LONG_CHARS = 80
"""Of a reply that takes four seconds to be said, at least."""
SHORT = (QUESTIONS[0], QUESTIONS[1], QUESTIONS[7])
"""They are answered in a sentence."""
REPLY_TOKENS, STORY_TOKENS = 6, 60
"""A reply ends with its sentence, and at four times as many tokens in any case."""
Kind = TypeVar("Kind", bound=Event)


class Sitting:
    """A real assistant on the rig, and its core. `sent` is what cores were told, `links` where and with what token."""

    def __init__(self, rig: Rig, home: Home, core: Sequence[str], **values: str) -> None:
        self.rig = rig
        self.watch = Watch()
        self.sent: list[ClientEvent] = []
        self.links: list[tuple[str, str]] = []
        self.asked = [NAME]
        self.between = Between()
        self._questions = itertools.cycle(SHORT)
        chosen = {"devices.camera": "none", "conversations.record": "off", "answering.max_tokens": REPLY_TOKENS}
        chosen["speaking.speed"] = 1.5
        settings = load(home.config).with_values({**chosen, **values}, "test")
        self.assistant = Assistant(settings, home.config, self._listen, core=core)

    def _listen(self, event: Event) -> None:
        if not isinstance(event, MachineSeen | EchoLevel):
            self.watch.listener(event)

    @property
    def core_pid(self) -> int:
        """The process of the core that there is."""
        pid = self.assistant.core_pid
        assert pid is not None
        return pid

    def wait(
        self, mark: int, kind: type[Kind], says: Callable[[Kind], bool] = lambda _: True, within_s: float = TOLD_S
    ) -> Kind:
        """The first event of this kind after `mark` that `says` so."""
        found = self.watch.wait(mark, kind, within_s, says)
        assert found is not None, f"no {kind.__name__} in {within_s:g} s, but {self._short(mark)}"
        return found

    def _short(self, mark: int) -> str:
        """What happened, without what only tells how everything is set."""
        return "; ".join(str(event)[:200] for event in self.watch.since(mark)[-30:] if not isinstance(event, Tuned))

    def told(self, mark: int, key: str, *words: str) -> Notice:
        """The notice of this trouble with one of these words in it."""
        return self.wait(mark, Notice, lambda event: event.key == key and any(word in event.text for word in words))

    def over(self, mark: int, key: str, within_s: float = TOLD_S) -> Notice:
        """The word that the trouble is over."""
        return self.wait(mark, Notice, lambda event: event.key == key and not event.text, within_s)

    def used(self, mark: int, kind: DeviceKind) -> DeviceUsed:
        """The word that one of that kind is in use again."""
        return self.wait(mark, DeviceUsed, lambda event: event.kind == kind and bool(event.label))

    def ready(self, mark: int = 0) -> Ready:
        """The word that the models are loaded."""
        return self.wait(mark, Ready, within_s=READY_S)

    def done(self, mark: int, turn: int | None = None) -> TurnDone:
        """The end of the next turn, or of that one."""
        return self.wait(mark, TurnDone, lambda event: turn in (None, event.turn), TURN_S)

    def settle(self) -> None:
        """Nothing is said any more, by nobody."""
        self.assistant.interrupt()
        self.assistant.tune({"answering.max_tokens": REPLY_TOKENS, "answering.temperature": 0.1})
        until(lambda: self.watch.state in (State.LISTENING, State.MUTED), "all is quiet")

    def begin_reply(self) -> int:
        """Have a reply that is heard for some seconds yet; its turn. What a small model writes may be short: again."""
        self.assistant.tune({"answering.max_tokens": STORY_TOKENS, "answering.temperature": 1.0})
        for text in STORIES:
            mark, written = self.watch.mark(), ""
            self.assistant.say(text)
            turn = self.wait(mark, AudioStarted, within_s=TURN_S).turn
            self.asked.append(text)
            while len(written) < LONG_CHARS and self.watch.wait(mark, TurnDone, 0.2) is None:
                written = "".join(event.delta for event in self.watch.since(mark) if isinstance(event, ReplyText))
            if self.watch.wait(mark, TurnDone, 0.0) is None:
                return turn
        raise AssertionError(f"no reply is long enough, but {self._short(mark)}")

    def speak(self) -> tuple[str, threading.Thread]:
        """Begin to speak the next question, and wait until that is heard. What is said, and the thread that says it."""
        question, mark = next(self._questions), self.watch.mark()
        speaking = threading.Thread(target=self.rig.speak, args=(question_wav(question),), daemon=True)
        speaking.start()
        self.wait(mark, SpeechStarted)
        return question, speaking

    def answers_aloud(self) -> TurnDone:
        """The next question is spoken, heard, and answered so that it sounds; the core and its talk are the same."""
        self.settle()
        question, mark, pid = next(self._questions), self.watch.mark(), self.core_pid
        with self.rig.record() as played:
            self.rig.speak(question_wav(question))
            done = self.done(mark)
        self.answered(question, mark, done)
        began_s = self.wait(mark, AudioStarted, lambda event: event.turn == done.turn).at_s
        assert played.last_sound_at_s(after_s=began_s) is not None, "nothing sounds"
        assert self.core_pid == pid
        return done

    def answered(self, question: str, mark: int, done: TurnDone) -> None:
        """What was said since `mark` was answered, as a turn of the talk that goes on since its first."""
        assert done.status == "completed", self._short(mark)
        assert word_error_rate(question, done.heard) <= 0.2, done
        assert done.reply
        assert not any(isinstance(event, ForgetAll) for event in self.sent)
        self.asked.append(done.heard)


def committed(sitting: Sitting, mark: int) -> TurnCommitted:
    """The end of what is being said."""
    return sitting.wait(mark, TurnCommitted, within_s=TURN_S)


def restored(sitting: Sitting, sent: int) -> None:
    """A core was told every turn of the talk so far, in order: that is what was sent behind the first `sent`."""
    told = [event.text for event in sitting.sent[sent:] if isinstance(event, CreateItem) and event.role == "user"]
    at = told.index(NAME)
    assert told[at : at + len(sitting.asked)] == sitting.asked


@contextmanager
def sitting_down(rig: Rig, folder: Path, command: Callable[[Home], Sequence[str]], **values: str) -> Iterator[Sitting]:
    """A sitting whose core is ready and knows a name. `command` is what starts its core."""
    assert sound_system.rescan(), "a test before left a stream open"
    for question in SHORT:  # spoken with the models of this machine's own home
        question_wav(question)
    home = make_home(folder)
    home.write_config('[core]\nprofile = "lite"')
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {**home.env, **rig.env}.items():
            patch.setenv(name, value)
        patch.setattr(back_off, "FORGIVEN_AFTER_S", 0.1)  # each core that dies is the first one for a while
        patch.setattr(supervisor, "Patience", lambda: Patience(working_s=WORKING_S, loading_idle_s=LOADING_IDLE_S))
        sitting = Sitting(rig, home, command(home), **values)
        send, begin = Link.send, Link.__init__

        def told(link: Link, event: ClientEvent) -> None:
            sitting.sent.append(event)
            send(link, event)

        def linked(link: Link, url: str, token: str, *others: object, **named: object) -> None:
            sitting.links.append((url, token))
            begin(link, sitting.between.through(url), token, *others, **named)  # type: ignore[arg-type]

        patch.setattr(Link, "send", told)
        patch.setattr(Link, "__init__", linked)
        sitting.assistant.start()
        try:
            sitting.ready()
            sitting.used(0, "microphone")
            sitting.used(0, "speaker")
            mark = sitting.watch.mark()
            sitting.assistant.say(NAME)
            assert sitting.done(mark).status == "completed"
            yield sitting
        finally:
            sitting.assistant.stop(3.0)
            sitting.between.close()


def pactl(*words: str) -> str:
    """Ask the sound server something, as a user does."""
    return subprocess.run(["pactl", *words], capture_output=True, text=True, check=True, timeout=10).stdout

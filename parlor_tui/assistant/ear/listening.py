"""From the microphone's blocks, the talk key and the core's judgements to what the talk is told of the user."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from parlor_tui.assistant.ear.ears import Ears, Reference
from parlor_tui.assistant.ear.talk_key import TalkKey, until_the_key
from parlor_tui.assistant.ear.utterance import Heard
from parlor_tui.assistant.inbox import Block
from parlor_tui.assistant.talk.talk import Talk
from parlor_tui.events import Event, Failed, MicLevel, PauseJudged, TurnJudged, now_s
from parlor_tui.hearing.end_of_turn import wait_for
from parlor_tui.hearing.short_words import is_noise
from parlor_tui.hearing.turn import Action
from parlor_tui.hearing.vad import open_vad
from parlor_tui.pcm import SILENT_DBFS, level_dbfs
from parlor_tui.settings import Hearing


class Listening:
    """One ear, open or not. `frame_jpeg` gives what the camera sees now. `hearing` is passed in as it is set now."""

    def __init__(self, talk: Talk, emit: Callable[[Event], None], frame_jpeg: Callable[[], bytes | None]) -> None:
        self._talk = talk
        self._emit = emit
        self._frame = frame_jpeg
        self._ears: Ears | None = None
        self._key = TalkKey()
        self._muted = False

    def open(self, reference: Reference, trouble: Callable[[str], None]) -> None:
        """Load the voice activity model. See Ears. Raises ImportError, RuntimeError or OSError if there is none."""
        self._ears = Ears(open_vad(), reference, trouble)

    @property
    def in_speech(self) -> bool:
        """Is somebody (maybe) speaking."""
        return self._ears is not None and self._ears.taker.in_speech

    def is_deaf(self, hearing: Hearing) -> bool:
        """Whether what the microphone brings is not for us."""
        return self._muted or not (hearing.hands_free or self._key.open)

    def block(self, block: Block, hearing: Hearing, *, awake: bool) -> None:
        """Take one block. Not `awake`: there is nobody to tell, but a meter that moves."""
        if not awake:
            self._emit(MicLevel(at_s=block.at_s, dbfs=level_dbfs(block.samples), speech_probability=0.0))
            return
        if self._ears is None or self.is_deaf(hearing):
            return
        hearing = until_the_key(hearing) if self._key.open else hearing
        phase, since_s = self._talk.phase, self._talk.speaking_since_s
        for heard in self._ears.block(block.samples, block.at_s, hearing, phase, since_s):
            self._emit(MicLevel(at_s=block.at_s, dbfs=heard.dbfs, speech_probability=heard.probability))
            self._talk.heard(heard, block.at_s, self._frame)
        echo = self._ears.level(block.at_s)
        if echo is not None:
            self._emit(echo)
        if self._key.closes(block.at_s):
            self._act(self._ears.taker.finish(hearing))
            self._silence(block.at_s)

    def judged(self, judged: TurnJudged, hearing: Hearing) -> None:
        """Take what the core makes of a pause: how much silence ends the turn, or that it is none."""
        if self._ears is None or not self._ears.taker.lasts(judged.pause):
            return
        if not self._talk.judged(judged):
            self._act(self._ears.taker.dismiss(judged.pause))
            return
        wait = wait_for(judged.finished, judged.text, judged.language, hearing)
        self._ears.taker.judged(judged.pause, wait.ms, words=not is_noise(judged.text), answering=judged.answering)
        self._emit(PauseJudged(at_s=now_s(), turn=judged.turn, wait_ms=wait.ms, why=wait.why, finished=judged.finished))

    def reply_ready(self, pause: int, hearing: Hearing) -> None:
        """The reply that was begun at a pause can be heard."""
        if self._ears is not None:
            self._act(self._ears.taker.ready(pause, hearing))

    def mute(self, muted: bool) -> None:
        """Close or open the ear; what is being said is forgotten."""
        self._muted = muted
        if muted:
            self.abandon()
            self._silence(now_s())

    def press_key(self, at_s: float, hearing: Hearing, *, has_microphone: bool) -> None:
        """The talk key: see `Requests.talk_key`."""
        if not hearing.hands_free:
            if self._muted or not has_microphone:
                why = "the microphone is muted" if self._muted else "there is no microphone"
                self._emit(Failed(at_s=at_s, text=f"not listening: {why}"))
            elif self._key.press(at_s):
                self._talk.interrupt("key")
        elif self._ears is not None and self._ears.taker.in_speech:
            self._act(self._ears.taker.finish(hearing))
        else:
            self._talk.interrupt("key")

    def abandon(self) -> None:
        """Forget what is being said."""
        self._key.shut()
        if self._ears is not None:
            self._act(self._ears.taker.abandon())

    def new_device(self) -> None:
        """Microphone or speaker is another one."""
        if self._ears is not None:
            self._ears.new_device()

    def _silence(self, at_s: float) -> None:
        self._emit(MicLevel(at_s=at_s, dbfs=SILENT_DBFS, speech_probability=0.0))

    def _act(self, actions: Sequence[Action]) -> None:
        self._talk.heard(Heard(actions=tuple(actions)), now_s(), self._frame)

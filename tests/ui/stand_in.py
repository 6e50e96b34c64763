"""A stand-in for the assistant: notes what the screen asks of it, and replays recorded events.

It is not under test; the screen is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from parlor_tui.events import (
    AudioStarted,
    AudioStopped,
    Caption,
    CoreFound,
    DeviceKind,
    EagerCount,
    EchoLevel,
    Event,
    Failed,
    HeardText,
    Interrupted,
    Loading,
    MediaTaken,
    MicLevel,
    ModelComing,
    ModelOffered,
    ModelOver,
    Notice,
    PauseJudged,
    Ready,
    ReplyAudioArrived,
    ReplyText,
    ReplyUnitReady,
    ReplyYields,
    SpeakerLevel,
    SpeechStarted,
    SpeechStopped,
    State,
    StateChanged,
    TurnCommitted,
    TurnDone,
)
from parlor_tui.settings import Settings
from parlor_tui.ui.bridge import Bridge
from parlor_tui.ui.cockpit import ParlorApp

STAGES_MS = {
    "endpoint": 612.0,
    "hear": 143.0,
    "first_token": 88.0,
    "first_sentence": 121.0,
    "first_audio": 254.0,
    "playout": 41.0,
    "voice_to_voice": 1259.0,
}


class StandIn:
    """Satisfies `AssistantControl`; `asked` lists the calls but `start`, in order."""

    def __init__(self, bridge: Bridge) -> None:
        self.bridge = bridge
        self.asked: list[tuple[str, object]] = []
        self.starts = 0

    def start(self) -> None:
        self.starts += 1

    def stop(self, timeout_s: float) -> None:
        self.asked.append(("stop", timeout_s))

    def say(self, text: str) -> None:
        self.asked.append(("say", text))

    def interrupt(self) -> None:
        self.asked.append(("interrupt", None))

    def set_muted(self, muted: bool) -> None:
        self.asked.append(("set_muted", muted))

    def talk_key(self) -> None:
        self.asked.append(("talk_key", None))

    def speak(self, text: str, voice: str = "") -> None:
        self.asked.append(("speak", (text, voice)))

    def tune(self, values: Mapping[str, Any]) -> None:
        self.asked.append(("tune", dict(values)))

    def save_tuning(self) -> None:
        self.asked.append(("save_tuning", None))

    def tell_tuning(self) -> None:
        self.asked.append(("tell_tuning", None))

    def use_preset(self, name: str) -> None:
        self.asked.append(("use_preset", name))

    def keep_preset(self, name: str) -> None:
        self.asked.append(("keep_preset", name))

    def delete_preset(self, name: str) -> None:
        self.asked.append(("delete_preset", name))

    def new_conversation(self) -> None:
        self.asked.append(("new_conversation", None))

    def reopen(self, name: str) -> None:
        self.asked.append(("reopen", name))

    def set_recording(self, record: str) -> None:
        self.asked.append(("set_recording", record))

    def get_model(self) -> None:
        self.asked.append(("get_model", None))

    def cancel_model(self) -> None:
        self.asked.append(("cancel_model", None))

    def decline_model(self) -> None:
        self.asked.append(("decline_model", None))

    def use_device(self, kind: DeviceKind, name: str, *, remember: bool = True) -> None:
        self.asked.append(("use_device", (kind, name, remember)))

    def watch_devices(self, wanted: bool) -> None:
        self.asked.append(("watch_devices", wanted))

    def show_camera(self, wanted: bool) -> None:
        self.asked.append(("show_camera", wanted))

    def play_tone(self) -> None:
        self.asked.append(("play_tone", None))

    def replay(self, events: list[Event]) -> None:
        for event in events:
            self.bridge.put(event)


def frozen_clock(at_s: float) -> str:
    """Time of day in tests: the talk starts at 12:40:00."""
    return f"12:{40 + int(at_s) // 60:02d}:{int(at_s) % 60:02d}"


def make_app(settings: Settings | None = None) -> tuple[ParlorApp, StandIn]:
    bridge = Bridge()
    assistant = StandIn(bridge)
    return ParlorApp(assistant, settings or Settings(), bridge, clock=frozen_clock), assistant


def with_camera() -> Settings:
    return Settings().with_values({"devices.camera": "0"}, "test")


def found(at_s: float = 1.0) -> list[Event]:
    return [
        CoreFound(at_s=at_s, profile="lite", model="SmolLM2-135M", demo_grade=True),
    ]


def loading() -> list[Event]:
    return [
        StateChanged(at_s=0.0, state=State.LOADING),
        *found(),
        Loading(at_s=2.0, text="Downloading Kokoro, the voice", done_bytes=41_500_000, total_bytes=92_000_000),
    ]


def ready() -> list[Event]:
    return [
        *found(),
        Ready(at_s=4.0, profile="lite", model="SmolLM2-135M", load_ms=3214.0),
        StateChanged(at_s=4.0, state=State.LISTENING),
        MicLevel(at_s=4.1, dbfs=-52.0, speech_probability=0.02),
    ]


def offered(at_s: float = 1.5, *, came_bytes: int = 0, fits: bool = True, declined: bool = False) -> ModelOffered:
    """What the core says of Gemma on a machine without it."""
    to_go = f"{(2_588_147_712 - came_bytes) / 1e9:.1f} GB of it to go, " if came_bytes else ""
    room = "" if fits else ": too little, 2.8 GB are needed"
    return ModelOffered(
        at_s=at_s,
        name="gemma-4-e2b",
        model="Gemma 4 E2B",
        lines=(
            f"gemma-4-e2b: 2.6 GB, {to_go}answers, licence Apache-2.0",
            "whisper-base: 147.9 MB, captions, licence MIT",
            f"{(2_736_000_000 - came_bytes) / 1e9:.1f} GB to download; "
            f"{131.2 if fits else 1.9} GB free for /home/ada/.local/share/parlor-tui/models{room}",
        ),
        left_bytes=2_736_000_000 - came_bytes,
        came_bytes=came_bytes,
        free_bytes=131_200_000_000 if fits else 1_900_000_000,
        licences=("Apache-2.0", "MIT"),
        fits=fits,
        declined=declined,
    )


def coming(at_s: float = 5.0, done_bytes: int = 1_190_000_000) -> ModelComing:
    """What the core says while Gemma is on its way."""
    return ModelComing(
        at_s=at_s,
        name="gemma-4-e2b",
        text=f"gemma-4-e2b: {done_bytes / 1e9:.1f} GB of 2.6 GB, 10.2 MB/s, 2 min left",
        done_bytes=done_bytes,
        total_bytes=2_588_147_712,
        bytes_per_s=10_200_000.0,
        left_s=137.0,
    )


def model_over(outcome: Literal["got", "failed", "cancelled", "declined"], text: str = "") -> ModelOver:
    return ModelOver(at_s=6.0, name="gemma-4-e2b", outcome=outcome, text=text or f"it was {outcome}")


def hearing(turn: int = 0, at_s: float = 10.0, words: str = "What's on the table in front of") -> list[Event]:
    return [
        SpeechStarted(at_s=at_s, turn=turn),
        StateChanged(at_s=at_s, state=State.HEARING),
        MicLevel(at_s=at_s + 0.5, dbfs=-23.6, speech_probability=0.98),
        Caption(at_s=at_s + 1.0, turn=turn, text=words, final=False),
    ]


def thinking(turn: int = 0, at_s: float = 12.0, words: str = "What's on the table in front of me?") -> list[Event]:
    return [
        SpeechStopped(at_s=at_s, turn=turn, last_speech_at_s=at_s - 0.6, dropped=False),
        *([MediaTaken(at_s=at_s, turn=turn, kind="picture", took_ms=300.0)] if turn == 0 else []),
        TurnCommitted(at_s=at_s, turn=turn, last_speech_at_s=at_s - 0.6),
        StateChanged(at_s=at_s, state=State.THINKING),
        Caption(at_s=at_s + 0.1, turn=turn, text=words, final=True),
        MicLevel(at_s=at_s + 0.1, dbfs=-55.0, speech_probability=0.02),
    ]


REPLY = "A red mug and an open notebook. The pen is on the left."


def pausing(turn: int = 0, at_s: float = 11.5, words: str = "I would like to") -> list[Event]:
    """The user stopped in the middle of a sentence."""
    return [
        Caption(at_s=at_s, turn=turn, text=words, final=False),
        MicLevel(at_s=at_s, dbfs=-55.0, speech_probability=0.02),
        PauseJudged(at_s=at_s + 0.1, turn=turn, wait_ms=1800, why="open word", finished=0.07),
    ]


def finished(turn: int = 0, at_s: float = 12.0) -> list[Event]:
    """The end of a turn that sounds and reads like one."""
    return [
        PauseJudged(at_s=at_s - 0.05, turn=turn, wait_ms=200, why="done", finished=0.94),
        SpeechStopped(at_s=at_s, turn=turn, last_speech_at_s=at_s - 0.21, dropped=False),
        TurnCommitted(at_s=at_s, turn=turn, last_speech_at_s=at_s - 0.21),
        StateChanged(at_s=at_s, state=State.THINKING),
        Caption(at_s=at_s, turn=turn, text="What's on the table in front of me?", final=True),
    ]


def spoken_so_far(turn: int = 0, at_s: float = 14.0, played_ms: float = 1500.0) -> list[Event]:
    """Half a reply was heard."""
    return [
        SpeakerLevel(at_s=at_s, turn=turn, dbfs=-18.0, played_ms=played_ms),
        EchoLevel(at_s=at_s, dbfs=-32.0, suppressed_db=31.0),
    ]


def making_way(how: Literal["dipped", "held", "resumed"], turn: int = 0, at_s: float = 14.2) -> list[Event]:
    """Somebody speaks over the reply."""
    held = [ReplyYields(at_s=at_s + 0.1, turn=turn, how="held")] if how != "dipped" else []
    last = (
        [
            ReplyYields(at_s=at_s + 0.6, turn=turn, how="resumed"),
            SpeechStopped(at_s=at_s + 0.6, turn=turn + 1, last_speech_at_s=at_s + 0.2, dropped=True),
        ]
        if how == "resumed"
        else []
    )
    return [
        SpeechStarted(at_s=at_s, turn=turn + 1),
        ReplyYields(at_s=at_s, turn=turn, how="dipped"),
        *held,
        *last,
    ]


def joined() -> list[Event]:
    """The user went on before the reply was heard."""
    first, second = (
        "I would like to know how long tea",
        "needs to steep, if it is green tea and I do not like it bitter.",
    )
    stopped: list[Event] = [
        SpeechStopped(at_s=12.0, turn=0, last_speech_at_s=11.4, dropped=False),
        TurnCommitted(at_s=12.0, turn=0, last_speech_at_s=11.4),
        StateChanged(at_s=12.0, state=State.THINKING),
        Caption(at_s=12.1, turn=0, text=first, final=True),
    ]
    return [
        *hearing(words=first),
        *stopped,
        SpeechStarted(at_s=12.4, turn=1),
        Interrupted(at_s=13.0, turn=0, by="voice", played_ms=0.0),
        TurnDone(
            at_s=13.0, turn=0, status="joined", heard=first, reply="", stages_ms={"endpoint": 600.0}, output_tokens=0
        ),
        StateChanged(at_s=13.0, state=State.HEARING),
        Caption(at_s=13.2, turn=1, text="needs to steep", final=False),
        *finished(turn=1, at_s=15.0)[:-1],
        Caption(at_s=15.1, turn=1, text=second, final=True),
    ]


def eager() -> EagerCount:
    """What replies that were begun at a pause brought so far."""
    return EagerCount(at_s=14.0, hits=12, dropped=2, saved_ms=3420.0, wasted_ms=815.0)


def speaking(turn: int = 0, at_s: float = 12.4, reply: str = REPLY) -> list[Event]:
    words = reply.split(" ")
    pieces = [word + (" " if index < len(words) - 1 else "") for index, word in enumerate(words)]
    return [
        *[ReplyText(at_s=at_s, turn=turn, delta=piece) for piece in pieces],
        ReplyUnitReady(at_s=at_s, turn=turn, text=reply),
        ReplyAudioArrived(at_s=at_s + 0.3, turn=turn, samples=74_400),
        AudioStarted(at_s=at_s + 0.4, turn=turn),
        StateChanged(at_s=at_s + 0.4, state=State.SPEAKING),
    ]


def done(turn: int = 0, at_s: float = 15.0, reply: str = REPLY, eager_ms: float = 0.0) -> list[Event]:
    return [
        ReplyText(at_s=at_s, turn=turn, delta="", final=True, whole=reply),
        AudioStopped(at_s=at_s, turn=turn, played_ms=3100.0),
        TurnDone(
            at_s=at_s,
            turn=turn,
            status="completed",
            heard=reply,
            reply=reply,
            stages_ms=STAGES_MS,
            output_tokens=17,
            eager_ms=eager_ms,
        ),
        StateChanged(at_s=at_s, state=State.LISTENING),
    ]


def interrupted(turn: int = 0, at_s: float = 14.0, heard: str = "A red mug and an open") -> list[Event]:
    return [
        Interrupted(at_s=at_s, turn=turn, by="voice", played_ms=1240.0),
        HeardText(at_s=at_s + 0.05, turn=turn, heard=heard),
        TurnDone(
            at_s=at_s + 0.1,
            turn=turn,
            status="interrupted",
            heard=heard,
            reply=REPLY,
            stages_ms=STAGES_MS,
            output_tokens=17,
        ),
        StateChanged(at_s=at_s + 0.1, state=State.LISTENING),
    ]


def whole_talk() -> list[Event]:
    """A talk of several turns, with a barge-in, a notice and a refusal."""
    return [
        *ready(),
        *hearing(),
        *thinking(),
        *speaking(),
        *interrupted(),
        *hearing(turn=1, at_s=20.0, words="And what should I write"),
        *thinking(turn=1, at_s=22.0, words="And what should I write in it today?"),
        *speaking(turn=1, at_s=22.4, reply="Three things you are glad about, and one that you want to try."),
        *done(turn=1, at_s=26.0, reply="Three things you are glad about, and one that you want to try."),
        Notice(at_s=30.0, text="the microphone was unplugged; plug it in again or choose another", severity="warning"),
        Failed(at_s=31.0, text="the camera 0 cannot be opened: another program uses it"),
        *hearing(turn=2, at_s=40.0, words="How long does tea need to"),
        *thinking(turn=2, at_s=42.0, words="How long does tea need to steep?"),
        *speaking(turn=2, at_s=42.4, reply="Black tea needs three to five minutes. Green tea is done after"),
    ]


def readme_talk() -> list[Event]:
    """A short talk as one would have it: cut off once, asked again, still speaking."""
    first = "Green tea needs about two minutes. Black tea needs three to five."
    second = "Then use water that has cooled for a minute, and taste it early."
    third = "Because the water near the shore is shallow, and shallow water slows the waves down."
    return [
        *ready(),
        *hearing(at_s=10.0),
        *thinking(turn=0, at_s=12.0, words="How long does tea need to steep?")[:1],
        TurnCommitted(at_s=12.0, turn=0, last_speech_at_s=11.4),
        Caption(at_s=12.1, turn=0, text="How long does tea need to steep?", final=True),
        *speaking(reply=first),
        Interrupted(at_s=14.0, turn=0, by="voice", played_ms=1840.0),
        HeardText(at_s=14.0, turn=0, heard="Green tea needs about two minutes."),
        *hearing(turn=1, at_s=14.0, words="And if I don't like it"),
        *thinking(turn=1, at_s=16.0, words="And if I don't like it bitter?"),
        *speaking(turn=1, at_s=16.4, reply=second),
        *done(turn=1, at_s=20.0, reply=second),
        *hearing(turn=2, at_s=40.0, words="Why do waves"),
        *thinking(turn=2, at_s=42.0, words="Why do waves break at the beach?"),
        *speaking(turn=2, at_s=42.4, reply=third),
        *spoken_so_far(turn=2, at_s=44.0, played_ms=1700.0),
        EagerCount(at_s=44.0, hits=2, dropped=1, saved_ms=1004.0, wasted_ms=240.0),
    ]

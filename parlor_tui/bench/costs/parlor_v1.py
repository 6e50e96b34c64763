"""Parlor v1, the browser project, on the same costs and in the same stages, to compare with; and what is published.

Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from parlor_tui.bench.costs.costs import M3_PRO, SENTENCES, Costs

SILENCE_S = 0.600
"""Parlor v1 takes a turn for over after this much silence."""
PLAYBACK_LEAD_S = 0.050
REPLY_TOKENS = 25


def replay(speech_s: float, *, frame: bool, costs: Costs = M3_PRO) -> Mapping[str, float]:
    """Parlor v1's stages, in s, for a question of `speech_s`, with or without a camera frame; `total` is their sum.

    It does one thing after the other: waits, looks at the frame, hears, reads, writes its whole reply inside a tool
    call, and makes the first sentence's speech.
    """
    tokens = costs.system_tokens + costs.instruction_tokens + costs.sound_tokens(speech_s)
    stages = {"endpoint": SILENCE_S, "hear": costs.sound_s(speech_s)}
    if frame:
        tokens += costs.image_tokens
        stages["see"] = costs.image_s
    stages |= {
        "first_token": costs.read_s(tokens) + costs.tool_s + costs.write_s(1),
        "first_sentence": costs.write_s(REPLY_TOKENS - 1),
        "first_audio": costs.voice_s(len(SENTENCES[0])),
        "playout": PLAYBACK_LEAD_S,
    }
    return stages | {"total": sum(stages.values())}


@dataclass(frozen=True, slots=True)
class Published:
    """Seconds from the end of an utterance to the first audio on an M3 Pro, as published: the shortest and the longest.

    `v1` is Parlor v1 as its author measured it, `v2` Parlor v2, whose wait for silence (200 ms) is not in it.
    """

    question: str
    v1: float
    v2: tuple[float, float]


PUBLISHED = (
    Published("short question", 1.52, (0.6, 0.7)),
    Published("short question, with camera", 1.94, (0.7, 0.8)),
    Published("9.4 s question", 2.91, (0.6, 0.9)),
    Published("9.4 s question, with camera", 2.98, (0.8, 1.0)),
)
V2_SILENCE_S = 0.200

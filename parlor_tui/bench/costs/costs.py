"""What each piece of work costs on an M3 Pro (18 GB), as the author of Parlor v1 published it: data and arithmetic.

Figures that nobody published are marked as assumed, with the reason.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass

NAME = "m3-pro"

ASSUMED = (
    "captions: 100 ms a call, partial or final; nothing is published for the M3 Pro, so this is what Whisper tiny.en "
    "takes on two x86 cores, its audio not padded",
    "end of turn: 20 ms a call, published with Parlor v2 (smart-turn v3.2 on the CPU)",
    "captions, end-of-turn model and audio encoder run side by side: they share no GPU, and the chip has eleven cores",
    "the voice makes audio along a straight line between the published lengths, and below the shortest one, too",
    "words: four letters to a token; a picture takes 0.86 s and 268 tokens whatever the budget",
    "the reply has no comma; what of its first sentence is spoken first is up to the assistant",
)
"""What is taken for granted beyond the published figures; shown with every result."""

SENTENCES = (
    "The sky looks blue because air scatters blue light so well.",
    "At dusk the light crosses more air and mostly red is left.",
)
REPLY = " ".join(SENTENCES)
"""25 tokens, two sentences of 59 and 58 characters."""


@dataclass(frozen=True, slots=True)
class Costs:
    """Times in s, rates per s. The defaults are the published ones."""

    image_s: float = 0.86
    """One picture through the vision encoder, whatever its size; on the GPU."""
    image_tokens: int = 268
    audio_base_s: float = 0.08
    audio_per_s: float = 0.06
    """The audio encoder, for each second of sound, beyond `audio_base_s`; on the CPU, beside the GPU."""
    audio_longest_s: float = 30.0
    audio_tokens_per_s: int = 25
    prefill_per_s: float = 2662.0
    """Tokens read; what a branch was fed before is not read again."""
    decode_per_s: float = 83.0
    """Tokens written, one by one."""
    system_tokens: int = 51
    instruction_tokens: int = 30
    """What Parlor v1 sends with each turn beside the media."""
    tool_s: float = 0.45
    """What a grammar for a tool call adds to each call."""
    voice_base_s: float = 0.060
    voice_per_s: float = 0.075
    """Kokoro on MLX, for each second of audio that it makes, beyond `voice_base_s`; on the GPU."""
    voice_lengths: tuple[tuple[int, float], ...] = ((31, 2.10), (119, 6.10), (361, 21.40))
    """Characters spoken, and the seconds of audio that came of them."""
    caption_s: float = 0.100
    """Assumed: see `ASSUMED`."""
    end_of_turn_s: float = 0.020

    def sound_s(self, speech_s: float) -> float:
        """The audio encoder's time for `speech_s` of sound."""
        return self.audio_base_s + self.audio_per_s * min(speech_s, self.audio_longest_s)

    def sound_tokens(self, speech_s: float) -> int:
        """What `speech_s` of sound takes in the context."""
        return round(self.audio_tokens_per_s * min(speech_s, self.audio_longest_s))

    def read_s(self, tokens: float) -> float:
        """The time to read `tokens`."""
        return tokens / self.prefill_per_s

    def write_s(self, tokens: float) -> float:
        """The time to write `tokens`."""
        return tokens / self.decode_per_s

    def spoken_s(self, characters: int) -> float:
        """The length of the audio that the voice makes of so many characters."""
        at = [count for count, _ in self.voice_lengths]
        right = min(max(1, bisect_left(at, characters)), len(at) - 1)
        (low, low_s), (high, high_s) = self.voice_lengths[right - 1 : right + 1]
        return max(0.1, low_s + (characters - low) * (high_s - low_s) / (high - low))

    def voice_s(self, characters: int) -> float:
        """The voice's time for so many characters, in one call."""
        return self.voice_base_s + self.voice_per_s * self.spoken_s(characters)


M3_PRO = Costs()
COSTS = {NAME: M3_PRO}


def text_tokens(text: str) -> int:
    """About the tokens of `text`."""
    return -(-len(text) // 4)


def reply_tokens(text: str = REPLY, tokens: int = 25) -> tuple[str, ...]:
    """`text` as the pieces in which it is written: `tokens` of them, cut at words as far as there are enough."""
    words = [word if number == 0 else f" {word}" for number, word in enumerate(text.split(" "))]
    while len(words) < tokens:
        longest = max(range(len(words)), key=lambda index: len(words[index]))
        half = -(-len(words[longest]) // 2)
        words[longest : longest + 1] = [words[longest][:half], words[longest][half:]]
    while len(words) > tokens:
        shortest = min(range(len(words) - 1), key=lambda index: len(words[index] + words[index + 1]))
        words[shortest : shortest + 2] = [words[shortest] + words[shortest + 1]]
    return tuple(words)

"""How soon this pipeline could answer at best on given costs: every step begins the moment that what it needs is there.

What the bench measures beyond it is spent between the steps: blocks of sound, threads, the link. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from parlor_tui.bench.costs.costs import M3_PRO, Costs, reply_tokens, text_tokens
from parlor_tui.speech.sentences import SentenceSplitter

PADDING_S = 0.6
"""Sound before the first word and silence behind the last that go to the model as well, beyond `eager_ms`."""
_MARKS_TOKENS = 5
_WORDS_PER_S = 2.7
_LETTERS_PER_WORD = 5


@dataclass(frozen=True, slots=True)
class FirstUnit:
    """What is spoken first: its text, and after how many tokens it is known to be complete."""

    text: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Floor:
    """When things happen at best, in ms after the user's last sample. `bound_by`: what the reply waited for last.

    `paused`: the pause is noticed. `caption`, `judged`, `committed`: the words, the verdict on the turn, its end.
    `sound_taken` is 0 if the model reads the caption.
    """

    paused: float
    caption: float
    judged: float
    committed: float
    sound_taken: float
    first_token: float
    first_unit: float
    first_audio: float
    audible: float
    bound_by: Literal["end of turn", "reply"]

    def stages_ms(self) -> Mapping[str, float]:
        """The same as stages of `observe.stages`: each from the end of the one before it."""
        steps = (
            ("endpoint", self.committed),
            ("hear", self.sound_taken or self.caption),
            ("first_token", self.first_token),
            ("first_sentence", self.first_unit),
            ("first_audio", self.first_audio),
            ("playout", self.audible),
        )
        before, found = 0.0, {}
        for name, end in steps:
            found[name] = round(max(0.0, end - before), 1)
            before = max(before, end)
        return found


def first_unit(reply: tuple[str, ...] | None = None) -> FirstUnit:
    """The first unit of the canned reply (or of `reply`, in pieces), as the product itself cuts it."""
    pieces = reply_tokens() if reply is None else reply
    splitter = SentenceSplitter()
    for count, piece in enumerate(pieces, 1):
        if units := splitter.feed(piece):
            return FirstUnit(units[0], count)
    return FirstUnit("".join(pieces).strip(), len(pieces))


def floor(
    speech_s: float,
    hearing: Literal["native", "captions"],
    *,
    eager_ms: float,
    finished_ms: float,
    playout_ms: float = 40.0,
    unit: FirstUnit | None = None,
    costs: Costs = M3_PRO,
) -> Floor:
    """The best case for a question of `speech_s`, all before it fed already, and so is the frame, if there is one.

    The reply is begun after `eager_ms` of silence; the turn is over after `finished_ms`, once it was judged to be.
    `playout_ms`: from the first sample handed to the speaker until it sounds.
    """
    unit = unit or first_unit()
    paused_s = eager_ms / 1000
    caption_s = paused_s + costs.caption_s
    judged_s = caption_s + costs.end_of_turn_s
    committed_s = max(finished_ms / 1000, judged_s)
    sent_s = speech_s + PADDING_S + paused_s
    if hearing == "native":
        taken_s = paused_s + costs.sound_s(sent_s)
        read_s = taken_s + costs.read_s(costs.sound_tokens(sent_s) + _MARKS_TOKENS)
    else:
        taken_s = 0.0
        words = text_tokens("x" * round(speech_s * _WORDS_PER_S * _LETTERS_PER_WORD))
        read_s = caption_s + costs.read_s(words + _MARKS_TOKENS)
    token_s = read_s + costs.write_s(1)
    unit_s = max(caption_s, token_s) + costs.write_s(unit.tokens - 1)
    # The GPU is at the next token already when the voice asks for it.
    audio_s = unit_s + costs.write_s(1) + costs.voice_s(len(unit.text))
    heard_s = max(audio_s, committed_s) + playout_ms / 1000
    return Floor(
        paused=_ms(paused_s),
        caption=_ms(caption_s),
        judged=_ms(judged_s),
        committed=_ms(committed_s),
        sound_taken=_ms(taken_s),
        first_token=_ms(token_s),
        first_unit=_ms(unit_s),
        first_audio=_ms(audio_s),
        audible=_ms(heard_s),
        bound_by="reply" if audio_s > committed_s else "end of turn",
    )


def _ms(seconds: float) -> float:
    return round(seconds * 1000, 1)

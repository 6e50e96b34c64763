"""Where in a unit's speech each of its written words ends. Pure.

No runtime of Kokoro tells the lengths of its sounds, so they are estimated: by the kind of each phoneme, by the marks
between the words, and by the pauses that the speech has. The figures are a least-squares fit to speech that Whisper
aligned.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from difflib import SequenceMatcher

import numpy as np
from numpy.typing import NDArray

from parlor_tui.speech.scripts import script

Phonemes = Callable[[str], str]
"""Kokoro's letters for a piece of text."""

_LONG = "AIOWYQ"
_VOWELS = "aɑæɐəɚɛeɜiɪɔoʊuʌᵊᵻɨyøɒɯ"
_CONSONANT_MS, _VOWEL_MS, _LONG_MS, _STRESS_MS = 33.0, 87.0, 112.0, 56.0
_PAUSE_MS = 240.0
_BEGIN_MS, _END_MS = 120.0, 90.0
"""What comes before the first word, and by how much the last one is drawn out."""
_UNSPACED = ("han", "kana", "thai", "lao", "khmer", "burmese")
_NEAR_S = 0.6
"""A pause of the speech belongs to the mark that was expected at most so far from it."""
_MARKED = re.compile(r"[.,;:!?…—–،؛؟。，、；：！？।][\"'”’)»」』]*$")
_FRAME_MS = 10
_QUIET_DB, _SHORTEST_PAUSE_MS = -35.0, 90


def word_ends(
    unit: str,
    spoken: str,
    samples: int,
    phonemes: Phonemes,
    pauses: Sequence[tuple[int, int]] = (),
    *,
    rate_hz: int = 24_000,
) -> tuple[int, ...]:
    """For each word of `unit` (as `words` finds them) the sample at which it has been said; never decreasing.

    `spoken` is what the voice was given for the unit, `samples` the length of its speech, without the silence that
    follows it; `pauses` the pauses in it, as `pauses` finds them. A word of which nothing is said ends where the one
    before it does.
    """
    written = [unit[first:last] for first, last in words(unit)]
    said = [spoken[first:last] for first, last in words(spoken)]
    if not written or not said or samples <= 0:
        return (0,) * len(written)
    said_ends = _said_ends(said, samples, phonemes, pauses, rate_hz)
    ends: list[int] = []
    for word in _said_words(written, said):
        at = min(word, float(len(said)))
        whole, part = int(at), at - int(at)
        end = said_ends[whole - 1] if whole else 0
        if part:
            end += round(part * (said_ends[whole] - end))
        ends.append(max(end, ends[-1] if ends else 0))
    return tuple(ends)


def words(text: str) -> list[tuple[int, int]]:
    """Where the words of `text` are: first character and the one after the last, with the marks at the word.

    A character of a script that puts no spaces between words counts as one.
    """
    found: list[tuple[int, int]] = []
    for run in re.finditer(r"\S+", text):
        first, before = run.start(), ""
        for place in range(run.start(), run.end()):
            if not text[place].isalnum():
                continue
            if before and (script(text[place]) in _UNSPACED or script(before) in _UNSPACED):
                found.append((first, place))
                first = place
            before = text[place]
        found.append((first, run.end()))
    return found


def pauses(samples: NDArray[np.float32], rate_hz: int = 24_000) -> tuple[tuple[int, int], ...]:
    """Where mono `samples` are quiet for 90 ms or more between sounds: first sample and the one after the last."""
    frame = rate_hz * _FRAME_MS // 1000
    count = len(samples) // frame
    if count == 0:
        return ()
    power = np.mean(np.asarray(samples[: count * frame], np.float64).reshape(count, frame) ** 2, axis=1)
    quiet = power < max(float(power.max()), 1e-12) * 10 ** (_QUIET_DB / 10)
    steps = np.flatnonzero(np.diff(np.concatenate(([False], quiet, [False])).astype(np.int8)))
    found = [(int(first), int(last)) for first, last in zip(steps[::2], steps[1::2], strict=True)]
    return tuple(
        (first * frame, last * frame)
        for first, last in found
        if (last - first) * _FRAME_MS >= _SHORTEST_PAUSE_MS and first > 0 and last < count
    )


def spoken_ms(letters: str) -> float:
    """About how long Kokoro's `letters` for one word take, in ms, at its own pace."""
    lengths = {"ˈ": _STRESS_MS, "ː": _STRESS_MS}
    total = 0.0
    for letter in letters:
        if letter in _LONG:
            total += _LONG_MS
        elif letter in _VOWELS:
            total += _VOWEL_MS
        else:
            total += lengths.get(letter, _CONSONANT_MS if letter.isalpha() else 0.0)
    return total


def _said_ends(
    said: Sequence[str], samples: int, phonemes: Phonemes, pauses: Sequence[tuple[int, int]], rate_hz: int
) -> list[int]:
    """The sample at which each word that is said ends."""
    lengths = [max(spoken_ms(phonemes(word)), 1.0) for word in said]
    lengths[0] += _BEGIN_MS
    lengths[-1] += _END_MS
    rests = [_PAUSE_MS if _MARKED.search(word) else 0.0 for word in said[:-1]] + [0.0]
    ends, at = [], 0.0
    for length, rest in zip(lengths, rests, strict=True):
        ends.append(at + length)
        at += length + rest
    scale = samples / max(ends[-1], 1.0)
    expected = [end * scale for end in ends]
    known = _known(said, expected, pauses, samples, rate_hz)
    made: list[int] = []
    first, begin = 0, 0
    for last, (pause_begin, pause_end) in [*known.items(), (len(said) - 1, (samples, samples))]:
        total = sum(lengths[first : last + 1]) + sum(rests[first:last])
        at = 0.0
        for place in range(first, last + 1):
            at += lengths[place]
            made.append(begin + round(at / total * (pause_begin - begin)))
            at += rests[place]
        first, begin = last + 1, pause_end
    return made


def _known(
    said: Sequence[str], expected: Sequence[float], pauses: Sequence[tuple[int, int]], samples: int, rate_hz: int
) -> dict[int, tuple[int, int]]:
    """The words after which a pause of the speech lies, with that pause, in order."""
    marked = [place for place, word in enumerate(said[:-1]) if _MARKED.search(word)]
    inside = [(begin, end) for begin, end in pauses if 0 < begin < end < samples]
    longest = sorted(sorted(inside, key=lambda pause: pause[0] - pause[1])[: len(marked)])
    known: dict[int, tuple[int, int]] = {}
    after = -1
    for number, pause in enumerate(longest):
        # As many marks are left over for the pauses that are left.
        free = [place for place in marked if place > after][: len(marked)]
        free = free[: max(1, len(free) - (len(longest) - number - 1))]
        near = [place for place in free if abs(expected[place] - pause[0]) < _NEAR_S * rate_hz]
        if near:
            after = min(near, key=lambda place: abs(expected[place] - pause[0]))
            known[after] = pause
    return known


def _said_words(written: Sequence[str], said: Sequence[str]) -> list[float]:
    """For each written word the number of said words, from the beginning, after which it has been said.

    Within words that were rewritten ("1999" is said in several words) they are shared out by length.
    """
    reached: list[float] = []
    matcher = SequenceMatcher(None, [_bare(word) for word in written], [_bare(word) for word in said], autojunk=False)
    for kind, first, last, said_first, said_last in matcher.get_opcodes():
        if kind == "equal":
            reached += map(float, range(said_first + 1, said_last + 1))
            continue
        letters = [len(_bare(word)) for word in written[first:last]]
        total, at = sum(letters), 0
        for count in letters:
            at += count
            share = at / total if total else 0.0
            reached.append(said_first + (said_last - said_first) * share)
    return reached


def _bare(word: str) -> str:
    return "".join(character for character in word.casefold() if character.isalnum())

"""Whether the voice keeps up: can a unit be made before what is being played is over. Pure: time is passed in."""

from __future__ import annotations

from parlor_tui.speech.sentences import SentenceSplitter

_FIRST_GUESS_S = 0.03
"""Work for one character: Kokoro on two cores makes a second of speech, 15 characters, in 0.4 s."""
_TRUST = 0.5
"""How much the newest unit counts for the next guess: others may want the cores by now."""


class Pace:
    """Follows the units of one reply as they are made and played."""

    def __init__(self) -> None:
        self._work_s = _FIRST_GUESS_S
        self._until_s = 0.0

    def heard_from(self, at_s: float) -> None:
        """What was made so far is played from `at_s` on."""
        self._until_s += at_s

    def made(self, characters: int, work_s: float, sound_s: float, at_s: float, *, heard: bool) -> None:
        """A unit took `work_s`, until `at_s`, and lasts `sound_s`. `heard`: it is played as soon as it can be."""
        if characters:
            self._work_s += (work_s / characters - self._work_s) * _TRUST
        self._until_s = (max(self._until_s, at_s) if heard else self._until_s) + sound_s

    def too_late(self, characters: int, at_s: float) -> bool:
        """Whether a unit of so many characters that is begun at `at_s` would leave a hole before it."""
        return self._until_s > 0 and at_s + characters * self._work_s > self._until_s


def parts_of(unit: str, language: str = "") -> tuple[str, str]:
    """`unit` as a first part that can be spoken by itself, and the rest; the rest is empty if it cannot be parted."""
    first = next(iter(SentenceSplitter(language=language).feed(unit)), unit)
    return first, unit.removeprefix(first).strip() if unit.startswith(first) else ""

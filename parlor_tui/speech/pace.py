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
        self._sound_s = 0.0
        """What was made before it was known when it is heard."""
        self._until_s: float | None = None
        self._begun = False

    def heard_from(self, at_s: float) -> None:
        """What was made so far, and what is made next, is played from `at_s` on."""
        if self._until_s is None:
            self._until_s = at_s + self._sound_s

    def made(self, characters: int, work_s: float, sound_s: float, at_s: float) -> None:
        """A unit took `work_s`, until `at_s`, and lasts `sound_s`."""
        if characters:
            self._work_s += (work_s / characters - self._work_s) * _TRUST
        if self._until_s is None:
            self._sound_s += sound_s
        else:
            self._until_s = max(self._until_s, at_s) + sound_s
        self._begun = True

    def too_late(self, characters: int, at_s: float) -> bool:
        """Whether a unit of so many characters that is begun at `at_s` would leave a hole before it."""
        return self._begun and self._until_s is not None and at_s + characters * self._work_s > self._until_s


def parts_of(unit: str, language: str = "") -> tuple[str, str]:
    """`unit` as a first part that can be spoken by itself, and the rest; the rest is empty if it cannot be parted."""
    first = next(iter(SentenceSplitter(language=language).feed(unit)), unit)
    return first, unit.removeprefix(first).strip() if unit.startswith(first) else ""

"""Kokoro v1.0's letters: the phonemes and marks that its three runtimes take, and the number of each. Pure."""

from __future__ import annotations

# fmt: off
_RUNS = (
    (1, ";:,.!?"), (9, '—…"()“” \u0303ʣʥʦʨᵝꭧAI'), (31, "O"), (33, "Q"), (35, "ST"), (39, "W"), (41, "Yᵊabcdef"),
    (50, "hijklmnopqrstuvwxyzɑɐɒæ"), (75, "βɔɕç"), (80, "ɖðʤə"), (85, "ɚɛɜ"), (90, "ɟ"), (92, "ɡ"), (99, "ɥ"),
    (101, "ɨɪʝ"), (110, "ɯɰŋɳɲɴø"), (118, "ɸθœ"), (123, "ɹ"), (125, "ɾɻ"), (128, "ʁɽʂʃʈʧ"), (135, "ʊʋ"),
    (138, "ʌɣɤ"), (142, "χʎ"), (147, "ʒʔ"), (156, "ˈˌː"), (162, "ʰ"), (164, "ʲ"), (169, "↓"), (171, "→↗↘"),
    (177, "ᵻ"),
)
# fmt: on

LETTERS = {letter: first + i for first, run in _RUNS for i, letter in enumerate(run)}
"""Each letter's number, as the model was trained with."""
PAD = 0
"""The number that stands before and behind every text."""
LIMIT = 510
"""The most letters that the model takes at a time, pads not counted; a voice has a style for each count up to it."""


def numbers(letters: str) -> list[int]:
    """The model's input for `letters`, pads included. Raises KeyError for a letter that is not in LETTERS."""
    return [PAD, *(LETTERS[letter] for letter in letters), PAD]

"""The scenarios by name, in the order in which they are run. Imports nothing: the command line may know them."""

from __future__ import annotations

SCENARIOS = (
    "talk",
    "talk_noise",
    "barge_in",
    "barge_in_echo",
    "false_barge_in",
    "short_words",
    "short_words_over",
    "pauses",
    "clipping",
    "echo_alone",
    "eager",
)
"""`eager` only counts replies begun at a pause, which every other scenario shows too: it is run if it is asked for."""

"""What the assistant is doing, in a word. Pure."""

from __future__ import annotations

from parlor_tui.events import State
from parlor_tui.hearing.turn import ReplyPhase


def state_of(phase: ReplyPhase, *, gave_up: bool, in_speech: bool, ready: bool, hears: bool) -> State:
    """`gave_up`: no core comes; `in_speech`: the user speaks; `ready`: models are there; `hears`: the ear is open."""
    if gave_up:
        return State.ERROR
    if phase is ReplyPhase.SPEAKING:
        return State.SPEAKING
    if in_speech:
        return State.HEARING
    if not ready:
        return State.LOADING
    if phase is ReplyPhase.THINKING:
        return State.THINKING
    return State.LISTENING if hears else State.MUTED

"""Conversations at rest: what each was fed, and which of them a prompt can go on from."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from parlor_tui.engines.base import EngineError, Message, Sampling
from parlor_tui.engines.fed import Fed, News, news
from parlor_tui.engines.litert_base import Branch

Drawing = tuple[float, float, int]
"""A conversation's way of drawing, which cannot be changed later: temperature, top-p, top-k."""


def drawing_of(sampling: Sampling) -> Drawing:
    """The way of drawing that `sampling` asks for."""
    return (sampling.temperature, sampling.top_p, sampling.top_k)


@dataclass(slots=True, eq=False)
class State:
    """A conversation at rest: what it was fed, how it draws, and how much of the context it takes."""

    branch: Branch
    fed: tuple[Fed, ...]
    drawing: Drawing
    tokens: int


class States:
    """The `most` conversations that were used last; the others are freed. From any thread."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._states: list[State] = []

    def __iter__(self) -> Iterator[State]:
        """Those that are at rest now."""
        with self._lock:
            return iter(tuple(self._states))

    def keep(self, state: State) -> None:
        """Put a conversation to rest."""
        with self._lock:
            self._states.append(state)
            gone = self._states[: -self._most]
            del self._states[: -self._most]
        for old in gone:
            old.branch.close()

    def take_up(self, messages: Sequence[Message], drawing: Drawing) -> tuple[State, Branch | None, News] | None:
        """The state that knows most of `messages`, and a clone of it; one that cannot be cloned is thrown away."""
        with self._lock:
            best: tuple[State, News] | None = None
            for state in self._states:
                new = news(state.fed, messages) if state.drawing == drawing else None
                if new is not None and (best is None or len(new.known) >= len(best[1].known)):
                    best = state, new
            if best is None:
                return None
            state, new = best
            self._states.remove(state)
            try:
                branch = state.branch.clone()
            except EngineError:
                branch = None
            if branch is not None:
                self._states.append(state)
            else:
                state.branch.close()
            return state, branch, new

    def forget(self, state: State) -> None:
        """Free a conversation."""
        with self._lock:
            known = state in self._states
            if known:
                self._states.remove(state)
        if known:
            state.branch.close()

    def close(self) -> None:
        """Free all of them."""
        for state in self:
            self.forget(state)

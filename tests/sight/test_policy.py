from __future__ import annotations

import time
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from parlor_tui.settings import Seeing
from parlor_tui.sight.policy import CHANGED, POLICIES, FramePolicy, FrameSignature, decide, difference, signature
from tests.sight.drawing import Image, scene, taken, with_object

SCENES = range(8)


def apart(before: Image, after: Image) -> float:
    return difference(signature(before), signature(after))


@pytest.mark.parametrize("seed", SCENES)
def test_what_a_camera_does_by_itself_is_no_change(seed: int) -> None:
    room = scene(seed)
    before = taken(room)
    others = {
        "noise": taken(room, seed=1),
        "much noise": taken(room, seed=1, noise=20),
        "darker": taken(room, seed=1, tint=(0.8, 0.8, 0.8)),
        "brighter": taken(room, seed=1, tint=(1.4, 1.4, 1.4)),
        "offset": taken(room + 12, seed=1),
        "white balance": taken(room, seed=1, tint=(1.08, 1.0, 0.93)),
        "shake": taken(np.pad(room, ((2, 0), (2, 0), (0, 0)), mode="edge")[:240, :320], seed=1),
        "mains flicker": taken(room * (1 + 0.04 * np.sin(np.arange(240) / 25))[:, None, None], seed=1),
    }
    for name, after in others.items():
        assert apart(before, after) < CHANGED, name
        assert apart(after, before) < CHANGED, f"{name}, the other way"


@pytest.mark.parametrize("seed", SCENES)
def test_what_someone_does_before_the_camera_is_a_change(seed: int) -> None:
    room = scene(seed)
    cup = with_object(room, 0.22, left=0.1, top=0.4, colour=(250, 240, 20))
    moved = with_object(room, 0.22, left=0.6, top=0.4, colour=(250, 240, 20))
    assert apart(taken(room), taken(cup, seed=1)) >= CHANGED
    assert apart(taken(cup), taken(room, seed=1)) >= CHANGED
    assert apart(taken(cup), taken(moved, seed=1)) >= CHANGED
    assert apart(taken(room), taken(scene(seed + 100), seed=1)) >= CHANGED
    assert apart(taken(room), taken(room * 0.2, seed=1)) >= CHANGED


def test_a_signature_and_a_comparison_cost_next_to_nothing() -> None:
    frame = taken(scene(0))
    began_s = time.monotonic()
    for _ in range(10):
        difference(signature(frame), signature(frame))
    assert (time.monotonic() - began_s) / 10 < 0.1


@given(
    arrays(np.uint8, st.tuples(st.integers(1, 70), st.integers(1, 70), st.just(3))),
    arrays(np.uint8, st.tuples(st.integers(1, 70), st.integers(1, 70), st.just(3))),
)
def test_frames_of_any_size_can_be_compared(one: Image, other: Image) -> None:
    assert 0 <= apart(one, other) <= 255
    assert apart(one, one) == pytest.approx(0, abs=0.01)


def test_the_policies_are_those_of_the_settings() -> None:
    declared = {item.name: item for item in Seeing.__dataclass_fields__.values()}["policy"]
    assert set(POLICIES) == set(declared.metadata["choices"]) == set(get_args(FramePolicy))


ROOM, SAME, OTHER = (signature(taken(scene(seed), seed=noise)) for seed, noise in ((1, 0), (1, 1), (2, 0)))
LOOK, TALK = "What do you see?", "Tell me a story."


@pytest.mark.parametrize(
    ("policy", "frame", "last_shown", "words", "show", "reason"),
    [
        ("every_turn", ROOM, SAME, TALK, True, "every turn"),
        ("every_turn", None, None, TALK, False, "there is no frame"),
        ("when_changed", ROOM, None, TALK, True, "first frame"),
        ("when_changed", SAME, ROOM, TALK, False, "the one shown last"),
        ("when_changed", OTHER, ROOM, TALK, True, "changed"),
        ("when_changed", SAME, ROOM, LOOK, True, "ask to look"),
        ("when_changed", None, ROOM, LOOK, False, "there is no frame"),
        ("on_request", OTHER, ROOM, TALK, False, "do not ask"),
        ("on_request", SAME, ROOM, LOOK, True, "ask to look"),
        ("on_request", ROOM, None, LOOK, True, "ask to look"),
        ("off", ROOM, None, LOOK, False, "never"),
    ],
)
def test_the_policy_decides(
    policy: FramePolicy,
    frame: FrameSignature | None,
    last_shown: FrameSignature | None,
    words: str,
    show: bool,
    reason: str,
) -> None:
    decision = decide(policy, frame, last_shown, words)
    assert decision.show is show
    assert reason in decision.reason

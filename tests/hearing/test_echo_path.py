from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from parlor_tui.hearing.echo_path import ECHO_ALIKE, EchoPath, VoiceOrEcho, is_residue

BLOCK_S = 0.032
ROOM = 1e-7
LOUD = 1e-2


def follow(path: EchoPath, seconds: float, near: float, far: float, alike: float = 0.1) -> None:
    for _ in range(round(seconds / BLOCK_S)):
        path.block(near, far, alike, BLOCK_S)


def learnt() -> EchoPath:
    """A headset: a silent room, then a reply that leaves no trace in the microphone."""
    path = EchoPath()
    follow(path, 3.0, ROOM, 0.0)
    follow(path, 1.5, ROOM, LOUD)
    return path


def test_a_reply_that_leaves_no_trace_says_that_there_is_no_way_for_it() -> None:
    assert learnt().absent


def test_where_the_room_is_too_loud_for_a_trace_none_says_nothing() -> None:
    path = EchoPath()
    follow(path, 3.0, LOUD / 1000, 0.0)
    follow(path, 5.0, LOUD / 1000, LOUD)
    assert not path.known


@given(st.floats(0, 1), st.floats(0, 1), st.booleans())
def test_nothing_that_is_unlike_the_speaker_or_stands_out_of_the_microphone_is_residue(
    left: float, near: float, likely: bool
) -> None:
    if is_residue(left, lambda: near, likely=likely):
        assert left >= 0.1
        assert near >= ECHO_ALIKE
    assert is_residue(1.0, lambda: 1.0, likely=likely)


def test_it_is_not_known_before_an_echo_could_be_there() -> None:
    path = EchoPath()
    follow(path, 3.0, ROOM, 0.0)
    follow(path, 0.5, ROOM, LOUD)
    assert not path.absent


def test_an_echo_is_a_trace_and_so_is_one_that_comes_later() -> None:
    path = EchoPath()
    follow(path, 3.0, ROOM, 0.0)
    follow(path, 5.0, ROOM * 100, LOUD, alike=0.8)
    assert not path.absent
    path = learnt()  # the headphones come off
    follow(path, 0.1, ROOM * 100, LOUD, alike=0.8)
    assert not path.absent


def test_a_voice_over_the_reply_is_no_echo() -> None:
    path = learnt()
    follow(path, 2.0, LOUD, LOUD)
    assert path.absent


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1)), max_size=200))
def test_any_powers_are_followed(blocks: list[tuple[float, float, float]]) -> None:
    path = EchoPath()
    for near, far, alike in blocks:
        path.block(near, far, alike, BLOCK_S)


def test_without_a_silence_to_compare_with_nothing_is_known() -> None:
    path = EchoPath()
    follow(path, 5.0, ROOM, LOUD)
    assert not path.absent


def test_half_a_second_of_echo_says_that_there_is_a_way_and_a_voice_between_says_nothing() -> None:
    path = EchoPath()
    follow(path, 3.0, ROOM, 0.0)
    for _ in range(5):  # somebody who says the same words, now and then
        follow(path, 0.3, LOUD, LOUD, alike=0.5)
        assert not path.known
        follow(path, 0.1, LOUD, LOUD, alike=0.1)
    follow(path, 0.6, ROOM * 100, LOUD, alike=0.5)
    assert path.seen
    assert path.known
    follow(path, 1.5, ROOM, LOUD)  # and now they are plugged in
    assert (path.absent, path.seen) == (True, False)


def test_a_voice_is_clearly_louder_than_the_room() -> None:
    path = EchoPath()
    follow(path, 3.0, ROOM, 0.0)
    assert not path.sounds
    follow(path, 0.1, ROOM * 8, LOUD)
    assert not path.sounds
    follow(path, 0.1, ROOM * 20, LOUD)
    assert path.sounds


def told(*blocks: tuple[bool, float]) -> list[bool]:
    judge = VoiceOrEcho()
    return [judge.block(sounds, alike) for sounds, alike in blocks]


def test_what_is_unlike_the_reply_and_long_enough_is_a_voice_until_it_is_over() -> None:
    silence = [(False, 0.0)] * 5
    assert told(*silence, *[(True, 0.1)] * 6, *silence) == [False] * 7 + [True] * 8 + [False]
    assert not any(told(*silence, (True, 0.1), (True, 0.1), *silence)), "a click"


def test_one_block_that_seems_an_echo_ends_no_voice_and_one_that_does_not_makes_none() -> None:
    assert told(*[(True, 0.1)] * 3, (True, 0.4), *[(True, 0.1)] * 3)[2:] == [True] * 5
    assert not any(told(*[(True, 0.4)] * 3, (True, 0.1), *[(True, 0.4)] * 3))
    assert told(*[(True, 0.1)] * 3, *[(True, 0.5)] * 3)[-2:] == [False, False]


@given(st.lists(st.tuples(st.booleans(), st.floats(0.3, 1.0)), max_size=100))
def test_an_echo_never_is_a_voice(blocks: list[tuple[bool, float]]) -> None:
    assert not any(told(*blocks))

"""Gemma's engine on the real library, with a model whose answers make no sense: only what it takes in can be told."""

from __future__ import annotations

import random
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import psutil
import pytest

from parlor_tui.engines.backends import Backends
from parlor_tui.engines.base import ContextFull, EngineError, Generation, Message, Sampling
from parlor_tui.engines.litert import LiteRt
from parlor_tui.events import now_s
from tests.engines.media import noise_jpeg, noise_wav
from tests.tiny_gemma import tiny_gemma

SYSTEM = Message("system", "You are nice.")
GREEDY = Sampling(0.0, 1.0, 16)
LONG = Sampling(0.0, 1.0, 300)


def never() -> bool:
    return False


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_gemma(tmp_path_factory.mktemp("tiny"))


@pytest.fixture
def engine(model: Path) -> Iterator[LiteRt]:
    loaded = LiteRt(model, "Tiny", backends=Backends("cpu", "cpu", "cpu"), context_tokens=0, slots=2)
    yield loaded
    loaded.close()


def answer(
    engine: LiteRt,
    messages: Sequence[Message],
    reply_id: str = "",
    sampling: Sampling = GREEDY,
    times_s: list[float] | None = None,
) -> tuple[str, Generation]:
    """The reply, and how it ended; when each piece of it came is put into `times_s`."""
    pieces: list[str] = []

    def take(piece: str) -> bool:
        pieces.append(piece)
        if times_s is not None:
            times_s.append(now_s())
        return True

    ended = engine.generate(messages, sampling, take, never, reply_key=reply_id)
    return "".join(pieces), ended


def said(item_id: str, text: str, wav: bytes | None = None) -> Message:
    return Message("user", text, audio_wav=wav, key=item_id)


def talk(engine: LiteRt, turns: int) -> list[Message]:
    """A talk of so many turns, each answered by the engine."""
    messages = [SYSTEM]
    for number in range(turns):
        messages.append(said(f"u{number}", f"tell me story number {number}"))
        text, _ = answer(engine, messages, f"r{number}")
        messages.append(Message("assistant", text, key=f"r{number}"))
    return messages


def test_it_says_what_it_can_do(engine: LiteRt) -> None:
    assert (engine.abilities.hears, engine.abilities.sees) == (True, True)
    assert (engine.abilities.branches, engine.abilities.primes) == (True, True)
    assert engine.context_tokens == 2048
    assert engine.name == "Tiny"


def test_it_streams_plain_text_and_the_same_when_greedy(engine: LiteRt) -> None:
    pieces: list[str] = []
    engine.generate([SYSTEM, said("a", "hello")], GREEDY, lambda piece: pieces.append(piece) is None, never)
    again, ended = answer(engine, [SYSTEM, said("b", "hello")])
    assert len(pieces) > 3
    assert "".join(pieces) == again
    assert "<|" not in again
    assert ended.finish == "length"
    assert ended.usage.output_tokens == GREEDY.max_tokens


def test_what_it_hears_and_sees_changes_the_answer(engine: LiteRt) -> None:
    answers = {
        answer(engine, [SYSTEM, message])[0]
        for message in (
            said("text", "what is it"),
            said("sound", "what is it", noise_wav(1, seed=1)),
            said("other sound", "what is it", noise_wav(1, seed=2)),
            Message("user", "what is it", image_jpeg=noise_jpeg(1), key="picture"),
            Message("user", "what is it", image_jpeg=noise_jpeg(2), key="other picture"),
        )
    }
    assert len(answers) == 5


def test_the_encoders_time_is_told_apart_from_the_reading(engine: LiteRt) -> None:
    taken: list[tuple[str, float, float]] = []
    began_s = now_s()
    messages = [SYSTEM, Message("user", "", image_jpeg=noise_jpeg(), key="p"), said("a", "", noise_wav(3))]
    engine.generate(messages, GREEDY, lambda _: True, never, on_taken=lambda *told: taken.append(told))
    assert [kind for kind, _, _ in taken] == ["picture", "sound"]
    assert all(ms > 0 for _, ms, _ in taken)
    assert began_s < taken[0][2] < taken[1][2] < now_s()


def test_a_turn_goes_on_from_what_was_fed(engine: LiteRt) -> None:
    messages = talk(engine, 2)
    _, ended = answer(engine, [*messages, said("next", "and then")])
    assert ended.usage.cached_tokens > 60
    assert ended.usage.input_tokens - ended.usage.cached_tokens < 40


def test_going_on_is_the_same_whichever_branch_it_is_on(engine: LiteRt) -> None:
    messages = [*talk(engine, 1), said("next", "and then")]
    first, once = answer(engine, messages)
    second, again = answer(engine, messages)
    assert first == second
    assert once.usage.cached_tokens == again.usage.cached_tokens > 0


def test_a_turn_that_is_dropped_leaves_no_trace(engine: LiteRt) -> None:
    messages = talk(engine, 1)
    wanted, _ = answer(engine, [*messages, said("next", "what is it")])
    seen: list[str] = []
    dropped = engine.generate(
        [*messages, said("noise", "never mind", noise_wav(1))],
        LONG,
        lambda p: seen.append(p) is None,
        lambda: len(seen) > 5,
    )
    assert dropped.finish == "cancelled"
    assert answer(engine, [*messages, said("again", "what is it")])[0] == wanted


def test_cancelling_at_any_token_or_moment_leaves_a_next_turn_that_begins_within_a_second_100_times(
    engine: LiteRt,
) -> None:
    messages = talk(engine, 1)
    wanted, _ = answer(engine, [*messages, said("next", "what is it")])
    chance = random.Random(0)
    first_tokens_s: list[float] = []
    for number in range(100):
        after_s = chance.random() * 0.15
        began_s = now_s()
        sound = noise_wav(1, number) if number % 3 == 0 else None
        turn = said(f"x{number}", "tell me " * chance.randrange(1, 60), sound)
        pieces: list[str] = []
        at_moment, at_token = stop_at(began_s + after_s), number // 2
        stopped = at_moment if number % 2 else lambda pieces=pieces, most=at_token: len(pieces) > most
        ended = engine.generate([*messages, turn], LONG, lambda piece, to=pieces: to.append(piece) is None, stopped)
        assert ended.finish == "cancelled"
        assert number % 2 or len(pieces) > at_token
        began_s = now_s()
        times_s: list[float] = []
        assert answer(engine, [*messages, said(f"y{number}", "what is it")], times_s=times_s)[0] == wanted
        first_tokens_s.append(times_s[0] - began_s)
    assert sorted(first_tokens_s)[94] < 1.0, "of a hundred, a busy machine may hold up five"
    settled(lambda: engine.stuck_s(now_s()) == 0)
    assert threading.active_count() < 20


def test_a_cancelled_prompt_is_left_to_itself_and_is_not_taken_for_stuck(engine: LiteRt) -> None:
    long_prompt = [SYSTEM, said("long", "word " * 600)]
    ended = engine.generate(long_prompt, LONG, lambda _: True, stop_at(now_s() + 0.01))
    assert ended.finish == "cancelled"
    assert engine.stuck_s(now_s()) == 0
    assert answer(engine, [SYSTEM, said("next", "hello")])[0]


def test_a_reply_that_is_long_enough_can_be_gone_on_from(engine: LiteRt) -> None:
    messages = [SYSTEM, said("a", "hello", noise_wav(1))]
    pieces: list[str] = []
    ended = engine.generate(
        messages, Sampling(0.0, 1.0, 40), lambda p: pieces.append(p) is None and len(pieces) < 4, never, reply_key="r"
    )
    assert ended.finish == "stop"
    spoken = Message("assistant", "".join(pieces[:-1]), key="r", cut="ended")
    settled(lambda: any(state.fed[-1].key == "r" for state in engine._states))
    _, after = answer(engine, [*messages, spoken, said("b", "go on")])
    assert after.usage.cached_tokens > 60


def test_the_next_turn_does_not_wait_for_what_nobody_hears(engine: LiteRt) -> None:
    messages = [SYSTEM, said("a", "hello")]
    engine.generate(messages, LONG, lambda _: False, never, reply_key="r")
    text, ended = answer(engine, [*messages, Message("assistant", "Hi", key="r", cut="ended"), said("b", "and")])
    assert text
    assert ended.usage.cached_tokens == 0  # the reply was told in words instead


def test_how_it_draws_changes_between_two_turns_and_the_talk_is_kept(engine: LiteRt) -> None:
    messages = [*talk(engine, 2), said("next", "what is it")]
    greedy, _ = answer(engine, messages)
    hot = {answer(engine, messages, sampling=Sampling(1.5, 1.0, 16, seed=seed))[0] for seed in (1, 2, 3)}
    assert len({greedy, *hot}) == 4
    _, ended = answer(engine, messages, sampling=Sampling(1.5, 1.0, 16, seed=9))
    assert ended.usage.input_tokens > 100  # the talk so far was read with the new conversation


def test_a_seed_makes_a_reply_repeatable_and_none_draws_anew(engine: LiteRt, model: Path) -> None:
    messages = [SYSTEM, said("a", "hello")]
    seeded = Sampling(1.0, 1.0, 16, seed=7)
    assert answer(engine, messages, sampling=seeded)[0] == answer(engine, messages, sampling=seeded)[0]
    free = Sampling(1.0, 1.0, 16)
    assert len({answer(engine, messages, sampling=free)[0] for _ in range(4)}) > 1


def test_with_a_seed_every_turn_is_repeatable(engine: LiteRt) -> None:
    seeded = Sampling(1.0, 1.0, 16, seed=7)
    messages = [SYSTEM, said("a", "hello")]
    text, _ = answer(engine, messages, "r", seeded)
    messages += [Message("assistant", text, key="r"), said("b", "go on")]
    assert len({answer(engine, messages, sampling=seeded)[0] for _ in range(3)}) == 1


def test_no_more_prompts_are_left_to_themselves_than_there_are_slots(engine: LiteRt) -> None:
    """Each holds a conversation of its own until it is over."""
    most = 0
    for number in range(8):
        prompt = [SYSTEM, said(f"x{number}", "word " * 500)]
        assert engine.generate(prompt, LONG, lambda _: True, stop_at(now_s() + 0.005)).finish == "cancelled"
        most = max(most, sum(thread.name == "native" for thread in threading.enumerate()))
    assert 0 < most <= 2
    assert answer(engine, [SYSTEM, said("next", "hello")])[0]


@pytest.mark.parametrize("primed", [False, True])
def test_a_picture_that_was_primed_is_not_looked_at_again(engine: LiteRt, primed: bool) -> None:
    picture = Message("user", "", image_jpeg=noise_jpeg(), key="p")
    if primed:
        assert engine.prime([SYSTEM, picture], GREEDY, never) > 0
    taken: list[str] = []
    turn = said("a", "what is it", noise_wav(1))
    ended = engine.generate(
        [SYSTEM, picture, turn], GREEDY, lambda _: True, never, on_taken=lambda kind, *_: taken.append(kind)
    )
    assert ended.usage.cached_tokens > 280 if primed else ended.usage.cached_tokens == 0
    assert taken == (["sound"] if primed else ["picture", "sound"])


def test_priming_changes_nothing_but_the_time(model: Path) -> None:
    picture = Message("user", "", image_jpeg=noise_jpeg(), key="p")
    turn = said("a", "what is it", noise_wav(1))
    answers = []
    for primed in (False, True):
        engine = LiteRt(model, "Tiny", backends=Backends("cpu", "cpu", "cpu"), context_tokens=0, slots=1)
        if primed:
            engine.prime([SYSTEM, picture], GREEDY, never)
        answers.append(answer(engine, [SYSTEM, picture, turn])[0])
        engine.close()
    assert answers[0] == answers[1]


def test_only_pictures_can_be_primed(engine: LiteRt) -> None:
    with pytest.raises(EngineError, match="only pictures"):
        engine.prime([SYSTEM, said("a", "hello")], GREEDY, never)


def test_what_does_not_fit_is_an_error_and_the_next_turn_works(engine: LiteRt) -> None:
    with pytest.raises(ContextFull):
        answer(engine, [SYSTEM, said("a", "word " * 2000)])
    assert answer(engine, [SYSTEM, said("b", "hello")])[0]


@pytest.mark.parametrize(
    "bad",
    [
        Message("user", "", audio_wav=b"RIFF no sound", key="bad"),
        Message("user", "look", image_jpeg=b"\xff\xd8\xff no picture", key="bad"),
    ],
    ids=["sound", "picture"],
)
def test_broken_media_is_an_error_and_the_next_turn_works(engine: LiteRt, bad: Message) -> None:
    messages = talk(engine, 1)
    with pytest.raises(EngineError):
        answer(engine, [*messages, bad])
    text, ended = answer(engine, [*messages, said("next", "hello")])
    assert text
    assert ended.usage.cached_tokens > 0


@pytest.mark.parametrize("mark", ["<|image|>", "<|audio|>", "<start_of_image>", "<|turn>", "<bos>"])
def test_a_models_own_marks_are_plain_words_wherever_they_stand(engine: LiteRt, mark: str) -> None:
    system = Message("system", f"You know {mark}.")
    messages = [system, said("a", f"what is {mark} here")]
    text, _ = answer(engine, messages, "r")
    messages += [Message("assistant", f"{text} {mark}", key="r", cut="ended"), said("b", f"and {mark}")]
    assert answer(engine, messages)[0]
    messages[2] = Message("assistant", f"{mark} yes", key="other")
    assert answer(engine, messages)[0]


def test_a_conversation_that_is_spoilt_is_read_anew(engine: LiteRt) -> None:
    messages = talk(engine, 1)
    for state in engine._states:  # as a model does that wrote the mark of a picture itself
        list(state.branch.send([{"type": "text", "text": "hello"}], max_tokens=2, image_tokens=0))
        with pytest.raises(EngineError):
            list(state.branch.send([{"type": "text", "text": "<|image|>"}], max_tokens=2, image_tokens=0))
    assert answer(engine, [*messages, said("next", "go on")])[0]


def test_two_conversations_do_not_mix(engine: LiteRt) -> None:
    alone = [answer(engine, [SYSTEM, said(f"alone{n}", f"story {n}")])[0] for n in (1, 2)]
    found: dict[int, str] = {}

    def run(number: int) -> None:
        found[number] = answer(engine, [SYSTEM, said(f"both{number}", f"story {number}")])[0]

    threads = [threading.Thread(target=run, args=(number,)) for number in (1, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert [found[1], found[2]] == alone


def test_many_new_beginnings_take_no_more_memory(engine: LiteRt) -> None:
    """Each beginning is what a talk that rolls over does: another conversation, read from words."""
    process = psutil.Process()
    sizes: list[int] = []
    for number in range(200):
        history = [
            Message("system", f"Talk {number}."),
            said("u", "hello " * 20),
            Message("assistant", "hi", key="r"),
        ]
        answer(engine, [*history, said("next", "go on")], f"n{number}", Sampling(0.0, 1.0, 2))
        if number % 20 == 19:
            sizes.append(process.memory_info().rss)
    grown = sizes[-1] - sizes[2]
    assert grown < 15_000_000, f"{[size // 1_000_000 for size in sizes]} MB"


def test_an_engine_and_its_conversations_may_be_forgotten_in_any_order(model: Path) -> None:
    code = (
        "import gc, sys; from pathlib import Path; from tests.engines.test_litert import LiteRt, Backends, talk\n"
        "for _ in range(5):\n"
        "    cpu = Backends('cpu', 'cpu', 'cpu')\n"
        "    engine = LiteRt(Path(sys.argv[1]), 'x', backends=cpu, context_tokens=0, slots=2)\n"
        "    talk(engine, 2); engine.itself = engine; del engine; gc.collect()\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(model)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_text_model_says_that_it_neither_hears_nor_sees(tmp_path: Path) -> None:
    engine = LiteRt(tiny_gemma(tmp_path, "text"), "Text", backends=Backends("cpu"), context_tokens=0, slots=1)
    assert (engine.abilities.hears, engine.abilities.sees, engine.abilities.primes) == (False, False, False)
    assert answer(engine, [SYSTEM, said("a", "hello")])[0]
    engine.close()


def test_a_file_that_is_no_model_is_one_line(tmp_path: Path) -> None:
    file = tmp_path / "bad.litertlm"
    file.write_bytes(b"nonsense" * 100)
    with pytest.raises(EngineError, match=r"bad\.litertlm: .*") as fault:
        LiteRt(file, "Bad", backends=Backends("cpu"), context_tokens=0, slots=1)
    assert "\n" not in str(fault.value)


def stop_at(at_s: float) -> Callable[[], bool]:
    return lambda: now_s() >= at_s


def settled(condition: Callable[[], bool]) -> None:
    deadline_s = now_s() + 10
    while not condition() and now_s() < deadline_s:
        threading.Event().wait(0.02)
    assert condition()


def test_a_message_that_is_cancelled_while_it_waits_is_never_begun(model: Path) -> None:
    """The library runs messages one after another, and loses a cancel of one that waits."""
    engine = LiteRt(model, "Tiny", backends=Backends("cpu", "cpu", "cpu"), context_tokens=0, slots=2)
    ends: list[float] = []

    def long_one() -> None:
        engine.generate([SYSTEM, said("long", "hello")], Sampling(0.0, 1.0, 1000), lambda _: True, never)
        ends.append(now_s())

    first = threading.Thread(target=long_one)
    first.start()
    began_s = now_s()
    waiting = [SYSTEM, said("waits", "hello there", noise_wav(20))]
    given: list[str] = []
    ended = engine.generate(
        waiting, Sampling(0.0, 1.0, 1000), lambda piece: given.append(piece) is None, lambda: now_s() > began_s + 0.1
    )
    assert ended.finish == "cancelled"
    assert not ends, "the first one was over too soon to be waited for"
    first.join()
    answer(engine, [SYSTEM, said("next", "and now")], sampling=Sampling(0.0, 1.0, 2))
    assert now_s() - ends[0] < 0.3
    engine.close()

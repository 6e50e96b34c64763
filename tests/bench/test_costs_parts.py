"""Parts that only take time: they do what the real ones can, and no more."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from parlor_tui.bench.analysis import Track, clicks_s
from parlor_tui.bench.costs.costs import M3_PRO, REPLY, SENTENCES, Costs
from parlor_tui.bench.costs.library import SimulatedBranch, SimulatedModel
from parlor_tui.bench.costs.machine import Machine
from parlor_tui.bench.costs.parts import MODEL, hum, parts
from parlor_tui.bench.costs.script import Script, speech_s
from parlor_tui.core.input_audio import spoken_wav
from parlor_tui.core.profiles import Parts
from parlor_tui.engines.base import ContextFull, EngineError, Generation, Message, Sampling
from parlor_tui.settings import Core, Settings
from parlor_tui.speech.base import Cancelled, Stop
from tests.bench.test_costs_machine import FakeClock

SYSTEM = Message("system", "You are nice.")
PICTURE = Message("user", "", image_jpeg=b"picture", key="picture")
SAMPLING = Sampling(0.7, 0.9, 100)


def never() -> bool:
    return False


def question(seconds: float, key: str = "question") -> Message:
    return Message("user", "", audio_wav=spoken_wav(np.zeros(round(seconds * 16_000), np.float32)), key=key)


def made(costs: Costs = M3_PRO, settings: Settings | None = None) -> tuple[Parts, Machine]:
    """On a clock that runs ahead by itself: nothing is really waited for."""
    machine = Machine(FakeClock())
    return parts(settings or Settings(), costs, Script(), machine), machine


def answer(built: Parts, messages: Sequence[Message], reply_key: str = "reply") -> tuple[str, Generation]:
    pieces: list[str] = []
    ended = built.engine.generate(
        messages, SAMPLING, lambda piece: pieces.append(piece) is None, never, reply_key=reply_key
    )
    return "".join(pieces), ended


def done(machine: Machine) -> dict[str, tuple[int, float]]:
    """How often each kind of work was done, and the seconds it took in all."""
    kinds = {span.what for span in machine.spans}
    found = {kind: [span.end_s - span.begin_s for span in machine.spans if span.what == kind] for kind in kinds}
    return {kind: (len(each), sum(each)) for kind, each in found.items()}


def test_it_says_that_it_is_simulated() -> None:
    built, _ = made()
    assert "simulated" in built.engine.name
    assert built.profile.name == "gemma"
    assert built.profile.model_label == MODEL
    assert "simulated" in built.notices[0]


def test_a_turn_takes_the_published_times() -> None:
    built, machine = made()
    text, ended = answer(built, [SYSTEM, PICTURE, question(8.7)])  # and 0.3 s of silence behind it
    assert text == REPLY
    assert (ended.finish, ended.usage.output_tokens) == ("stop", 25)
    work = done(machine)
    assert work["picture"] == (1, pytest.approx(0.86))
    assert work["sound"] == (1, pytest.approx(0.08 + 0.06 * 9))
    assert work["write"] == (1 + 25, pytest.approx(26 / 83))  # the picture is a message of its own, with one token
    assert work["read"][1] == pytest.approx((268 + 225) / 2662, abs=0.02)


def test_what_was_primed_is_not_paid_again() -> None:
    built, machine = made()
    built.engine.prime([SYSTEM, PICTURE], SAMPLING, never)
    assert done(machine)["picture"][0] == 1
    machine.spans.clear()
    _, ended = answer(built, [SYSTEM, PICTURE, question(3)])
    work = done(machine)
    assert "picture" not in work
    assert ended.usage.cached_tokens > 268
    assert work["read"][1] == pytest.approx((3.3 * 25 + 5) / 2662, abs=0.002)


def test_an_answer_on_a_branch_that_is_dropped_costs_the_next_one_nothing_and_gives_it_nothing() -> None:
    built, machine = made()
    built.engine.prime([SYSTEM, PICTURE], SAMPLING, never)
    answer(built, [SYSTEM, PICTURE, question(3, "so far")], "dropped")
    machine.spans.clear()
    answer(built, [SYSTEM, PICTURE, question(9, "whole")])
    work = done(machine)
    assert "picture" not in work
    assert work["sound"] == (1, pytest.approx(0.08 + 0.06 * 9.3))  # as a whole: nothing of it was fed before


def test_the_talk_goes_on_from_its_last_reply() -> None:
    built, machine = made()
    talk = [SYSTEM, question(3, "one")]
    said, _ = answer(built, talk, "first")
    machine.spans.clear()
    _, ended = answer(built, [*talk, Message("assistant", said, key="first"), question(2, "two")], "second")
    assert ended.usage.cached_tokens > 100
    assert done(machine)["sound"] == (1, pytest.approx(0.08 + 0.06 * 2.3))


def test_a_cancel_while_it_writes_ends_it_at_a_token() -> None:
    machine = Machine()
    built = parts(Settings(), M3_PRO, Script(), machine)
    pieces: list[str] = []
    ended = built.engine.generate(
        [SYSTEM, Message("user", "hello", key="a")],
        SAMPLING,
        lambda piece: pieces.append(piece) is None,
        lambda: len(pieces) >= 3,
    )
    assert ended.finish == "cancelled"
    time.sleep(0.1)
    assert 3 <= done(machine)["write"][0] <= 6


def test_a_cancel_while_it_encodes_returns_at_once_and_holds_the_encoder_to_its_end() -> None:
    machine = Machine()
    built = parts(Settings(), replace(M3_PRO, audio_base_s=0.4), Script(), machine)
    stop_s = time.monotonic() + 0.05
    ended = built.engine.generate(
        [SYSTEM, question(1)], SAMPLING, lambda _: True, lambda: time.monotonic() > stop_s
    )  # fmt: skip
    assert ended.finish == "cancelled"
    assert time.monotonic() - stop_s < 0.1
    began_s = machine.now_s()
    answer(built, [SYSTEM, question(0.5, "next")])
    first, second = (span for span in machine.spans if span.what == "sound")
    assert first.end_s - first.begin_s == pytest.approx(0.4 + 0.06 * 1.3)
    assert second.begin_s >= first.end_s > began_s + 0.1


def test_messages_run_one_after_the_other_whatever_talk_they_are_of() -> None:
    machine = Machine()
    built = parts(Settings(), M3_PRO, Script(), machine)
    threads = [
        threading.Thread(target=answer, args=(built, [SYSTEM, question(0.5, key)], key)) for key in ("one", "other")
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    kinds = [span.what for span in machine.spans]
    assert kinds == ["sound", "read", *["write"] * 25] * 2


def test_a_cancel_that_comes_before_its_message_runs_is_lost_as_the_real_one_is() -> None:
    machine = Machine()
    model = SimulatedModel(M3_PRO, machine, 4096)
    waiting, working = model.begin([], SAMPLING, 1), model.begin([], SAMPLING, 1)
    written: list[int] = []

    def send(branch: SimulatedBranch) -> None:
        written.append(len(list(branch.send([{"type": "text", "text": "hi"}], max_tokens=25, image_tokens=280))))

    first = threading.Thread(target=send, args=(working,))
    first.start()
    while not machine.spans:
        time.sleep(0.001)
    second = threading.Thread(target=send, args=(waiting,))
    second.start()
    time.sleep(0.05)
    waiting.cancel()
    working.cancel()
    first.join()
    second.join()
    assert written[0] < 25
    assert written[1] == 25
    assert list(working.send([{"type": "text", "text": "hi"}], max_tokens=25, image_tokens=280)) == []  # it is dead
    with pytest.raises(EngineError, match="cancelled"):
        working.clone()


def test_a_full_context_and_a_sound_that_is_none_are_told() -> None:
    built, _ = made(settings=Settings(core=Core(context_tokens=300)))
    with pytest.raises(ContextFull):
        answer(built, [SYSTEM, question(20)])
    with pytest.raises(EngineError, match="sound"):
        answer(built, [SYSTEM, Message("user", "", audio_wav=b"noise", key="bad")])


def test_voice_and_model_take_turns_on_the_gpu() -> None:
    machine = Machine()
    built = parts(Settings(), M3_PRO, Script(), machine)
    spoken: list[int] = []

    def speak() -> None:
        spoken.append(len(built.voice.synthesise(SENTENCES[0], "af_heart", 1.1, Stop())))

    threads: list[threading.Thread] = []

    def on_text(piece: str) -> bool:
        if piece.endswith("so"):
            threads.append(threading.Thread(target=speak))
            threads[0].start()
        return True

    built.engine.generate([SYSTEM, Message("user", "hello", key="a")], SAMPLING, on_text, never)
    threads[0].join()
    kinds = [span.what for span in machine.spans]
    assert kinds.index("speak") < len(kinds) - 5  # it did not wait for the whole reply
    assert all(one.end_s <= two.begin_s for one, two in pairwise(machine.spans))
    assert spoken[0] / 24_000 == pytest.approx(M3_PRO.spoken_s(59), abs=0.01)


def test_speech_that_nobody_will_hear_is_not_begun() -> None:
    built, machine = made()
    stop = Stop()
    stop.stop()
    with pytest.raises(Cancelled):
        built.voice.synthesise("Hello there.", "af_heart", 1.1, stop)
    samples = built.voice.synthesise("Hello there.", "af_heart", 1.1, Stop())
    assert len(samples) / 24_000 == pytest.approx(M3_PRO.spoken_s(12), abs=0.01)
    assert machine.spans[-1].end_s - machine.spans[-1].begin_s == pytest.approx(M3_PRO.voice_s(12))


def test_what_it_speaks_is_audible_from_the_first_sample_to_the_last() -> None:
    samples = hum(2.0)
    assert samples.dtype == np.float32
    assert all(0.01 < abs(end) < 0.02 for end in (samples[0], samples[-1]))
    silence = np.zeros(2400, np.float32)
    joined = Track(np.concatenate([silence, samples, silence, hum(1.33), silence]), 24_000, 0.0)
    assert clicks_s(joined, 0.0, 9.0) == []
    assert np.abs(samples).max() < 0.9
    blocks = samples[: len(samples) // 240 * 240].reshape(-1, 240)
    assert np.abs(blocks).max(axis=1).min() > 0.03


def test_captions_have_as_many_words_as_were_said_and_none_for_silence() -> None:
    built, machine = made()
    spoken = np.concatenate([np.zeros(4800), np.full(48_000, 0.1), np.zeros(1600)]).astype(np.float32)
    assert speech_s(spoken) == 3.0
    found = built.captioner.final(spoken)
    assert (len(found.text.split()), found.text[-1], found.language) == (8, "?", "en")
    assert not built.captioner.partial(spoken).endswith("?")
    assert built.captioner.final(np.zeros(16_000, np.float32)).text == ""
    assert done(machine)["caption"] == (3, pytest.approx(0.3))


def speech(seed: int, seconds: float) -> np.ndarray:
    """Something as unlike any other as speech is."""
    random = np.random.default_rng(seed)
    slow = np.repeat(random.uniform(0.05, 0.4, round(seconds * 20) + 1), 800)[: round(seconds * 16_000)]
    return (slow * np.convolve(random.standard_normal(len(slow)), np.ones(8) / 8, "same")).astype(np.float32)


SAID = [speech(1, 3.0), speech(2, 9.0), speech(3, 0.3)]


@pytest.mark.parametrize(
    ("heard", "whole"),
    [
        (SAID[0], True),
        (SAID[1], True),
        (SAID[2], True),
        (SAID[1][: 16_000 * 3], False),  # a pause inside, after as long as another utterance is
        (SAID[1][: 16_000 * 8], False),
        (SAID[1][: round(16_000 * 8.8)], True),  # its last sounds were too faint
        (speech(4, 3.0), False),
        (np.zeros(16_000, np.float32), False),
    ],
)
def test_a_script_tells_pauses_from_ends(heard: np.ndarray, whole: bool, tmp_path: Path) -> None:
    Script.write(tmp_path / "said.npz", SAID)
    built = parts(Settings(), M3_PRO, Script.read(tmp_path / "said.npz"), Machine(FakeClock()))
    noise = np.random.default_rng(9).standard_normal(len(heard) + 6400) * 0.001
    sounds = np.concatenate([np.zeros(4800), 0.5 * heard, np.zeros(1600)]) + noise
    assert built.end_of_turn is not None
    assert (built.end_of_turn.finished(sounds.astype(np.float32)) > 0.5) is whole
    told = built.captioner.final(sounds.astype(np.float32)).text
    assert told.endswith("?" if whole else "and") or (not heard.any() and told == "")

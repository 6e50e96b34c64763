"""What the governor decides holds for every session at once, and nothing that the user set is changed by it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable

import numpy as np
import pytest
import soundfile

from parlor_tui.core.governing import Governing, governing
from parlor_tui.core.governor import STEPS, Caps, Pace, Step
from parlor_tui.core.profiles import Parts
from parlor_tui.core.watching import Watching
from parlor_tui.events import CoreGoverned, Reading, TurnJudged
from parlor_tui.settings import Settings
from tests.core.talking import Talk, talking
from tests.engines.media import drawn_jpeg
from tests.questions import QUESTIONS, question_wav

Body = Callable[[Talk], Awaitable[None]]
COOL = Reading(cpu_temperature_c=60.0)


def run(parts: Parts, body: Body, level: int = 0, **tuning: object) -> Talk:
    """A talk at `level`."""

    async def main() -> Talk:
        async with talking(parts, **tuning) as talk:
            await talk.core.parts()
            talk.core.caps = Caps(STEPS[:level])
            await body(talk)
        return talk

    return asyncio.run(main())


def test_a_picture_is_looked_at_less_closely(parts: Parts) -> None:
    taken: list[int] = []

    async def body(talk: Talk) -> None:
        talk.session.add_item("user", "", picture=drawn_jpeg((200, 30, 30)))
        taken.append((await talk.say("Hello.")).usage.input_tokens)

    for level in (0, 1):
        assert run(parts, body, level, seeing__prime=False).session.tuning.seeing.image_tokens == 280
    assert taken[1] < taken[0] - 100


def test_a_pause_is_judged_and_not_answered_before_it_is_asked_for(parts: Parts) -> None:
    async def body(talk: Talk) -> None:
        samples, rate_hz = soundfile.read(question_wav(QUESTIONS[0]), dtype="float32")
        at_16k = np.interp(np.arange(0, len(samples), rate_hz / 16_000), np.arange(len(samples)), samples)
        talk.session.append((at_16k * 32767).astype("<i2").tobytes())
        talk.session.paused(1, 1, answer=True)
        await talk.until(lambda: bool(talk.of(TurnJudged)))
        ahead = talk.session.pauses.ahead
        assert ahead is not None
        assert ahead.reply is None

    run(parts, body, 2, hearing__mode="captions", hearing__eager_ms=64)


@pytest.mark.parametrize(("steps", "most"), [((), 24), (("tokens",), 12)])
def test_replies_are_half_as_long_from_the_next_one_on_and_the_users_own_limit_still_counts(
    parts: Parts, steps: tuple[Step, ...], most: int
) -> None:
    """The tiny model writes on and on here, so that the hard limit ends the reply: four times the soft one."""

    async def body(talk: Talk) -> None:
        talk.core.caps = Caps(steps)
        assert (await talk.say("What is blue?")).usage.output_tokens == most
        talk.session.update(tuning={"answering.max_tokens": 2})
        assert (await talk.say("What is blue?")).usage.output_tokens <= most // 3
        talk.core.caps = Caps()
        assert talk.session.tuning.answering.max_tokens == 2

    run(parts, body, answering__max_tokens=6, answering__temperature=0.0)


def test_a_talk_rolls_over_at_half_its_length(parts: Parts) -> None:
    words = "and then the story goes on and on " * 18

    async def body(talk: Talk) -> None:
        for number in range(5):
            talk.session.add_item("user", f"{number} {words}", item_id=f"said_{number}")
            talk.session.add_item("assistant", "Yes.", item_id=f"answered_{number}")
        done = await talk.say("Go on.")
        assert done.status in ("completed", "incomplete"), done

    whole, reduced = (run(parts, body, level, answering__max_tokens=4).session._memory for level in (0, 4))
    assert (whole.roll_overs, reduced.roll_overs) == (0, 1)


def test_how_long_each_inference_takes_is_told(parts: Parts) -> None:
    took_s: list[float] = []

    async def body(talk: Talk) -> None:
        talk.core.on_inference.add(took_s.append)
        done = await talk.say("Tell me a story.")
        await talk.until(lambda: bool(took_s))
        assert done.usage.writing_ms / 1000 <= took_s[0] < 60

    run(parts, body)
    assert len(took_s) == 1


@pytest.mark.parametrize("wanted", [True, False])
def test_the_settings_say_whether_there_is_a_governor(parts: Parts, wanted: bool) -> None:
    async def body(talk: Talk) -> None:
        settings = Settings().with_values({"core.governor": wanted}, "test")
        found = governing(settings.core, talk.core, Watching(65, open_probe=Cool))
        assert (found is not None) is wanted

    run(parts, body)


class Cool:
    """Stands in for the probes of a machine that is cool."""

    def read(self, at_s: float) -> Reading:
        return COOL

    def close(self) -> None:
        pass


def test_a_slow_inference_takes_a_step_that_a_quick_one_and_calm_take_back(parts: Parts) -> None:
    first: list[CoreGoverned] = []
    second: list[CoreGoverned] = []

    async def body(talk: Talk) -> None:
        watching = Watching(65, open_probe=Cool, every_s=0.02)
        governing = Governing(talk.core, watching, pace=Pace(0.0, 0.1, 0.1))
        watching.start()
        end_first = governing.watch(first.append)
        await talk.until(lambda: watching.latest is not None)
        assert first == [], "while all is well there is nothing to tell"
        talk.core.inferred(6.0, whole=True)
        assert first == [CoreGoverned(1, ("slow (the model took 6.0 s)",), ("smaller pictures",))]
        assert talk.core.caps == Caps(("pictures",))
        end_second = governing.watch(second.append)
        assert second == first, "who comes later is told what holds"
        talk.core.inferred(1.0, whole=False)
        await asyncio.sleep(0.3)
        assert len(first) == 1, "one that was cut short is no sign that it is quick again"
        talk.core.inferred(1.0, whole=True)
        await talk.until(lambda: len(first) == 2)
        assert first[1] == second[1] == CoreGoverned(0)
        assert talk.core.caps == Caps()
        end_first()
        assert talk.core.on_inference
        end_second()
        assert not talk.core.on_inference, "while nobody is there, nobody needs to look"
        watching.close()

    run(parts, body)


class Stalling:
    """Stands in for the probes of a hot machine that cools down while they hang."""

    def __init__(self) -> None:
        self.temperature_c = 91.0
        self.goes_on = threading.Event()
        self.goes_on.set()

    def read(self, at_s: float) -> Reading:
        self.goes_on.wait(20)
        return Reading(cpu_temperature_c=self.temperature_c)

    def close(self) -> None:
        pass


def test_while_the_probes_hang_the_level_stays_and_their_last_reading_is_not_told_for_ever(parts: Parts) -> None:
    told: list[CoreGoverned] = []

    async def body(talk: Talk) -> None:
        probe = Stalling()
        watching = Watching(65, open_probe=lambda: probe, every_s=0.02, stale_s=0.5)
        governing = Governing(talk.core, watching, pace=Pace(0.0, 0.1, 0.1))
        watching.start()
        end = governing.watch(told.append)
        await talk.until(lambda: len(told) == 4)  # as far as it goes: three steps, and that they are not enough
        probe.goes_on.clear()
        await talk.until(lambda: watching.latest is None)
        for _ in range(3):
            talk.core.inferred(1.0, whole=True)
            await asyncio.sleep(0.2)
        assert len(told) == 4, "nothing was seen, hot or cool"
        probe.temperature_c = 60.0
        probe.goes_on.set()
        await talk.until(lambda: told[-1].level == 0)
        end()
        watching.close()

    run(parts, body)

"""Replies that are begun at a pause, before anybody knows whether the turn is over; on the real engine and captions."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator

import numpy as np
import pytest
import soundfile

from parlor_tui.core.memory import Item, Memory, RollsOver
from parlor_tui.core.profiles import Parts
from parlor_tui.events import (
    CaptionFinal,
    CoreEvent,
    EagerDropped,
    InputCommitted,
    ReplyAudio,
    ReplyCreated,
    ReplyDelta,
    ReplyDone,
    ReplyReady,
    ReplyUnit,
    TurnJudged,
)
from tests.core.talking import Talk, load_parts, talking
from tests.engines.media import drawn_jpeg
from tests.questions import question_wav
from tests.tiny_gemma import tiny_gemma

OF_A_REPLY = (ReplyCreated, ReplyDelta, ReplyUnit, ReplyAudio, ReplyDone, CaptionFinal)
QUESTION = "What is the capital of France?"
MORE = "And how many people live there?"

Body = Callable[[Talk], Awaitable[None]]


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Parts]:
    loaded = load_parts(tiny_gemma(tmp_path_factory.mktemp("gemma"), "full"))
    yield loaded
    loaded.engine.close()


def run(parts: Parts, body: Body, *, speak: bool = False, mode: str = "captions", **tuning: object) -> None:
    async def talk_it_over() -> None:
        async with talking(parts, speak, hearing__mode=mode, **tuning) as talk:
            await body(talk)

    asyncio.run(talk_it_over())


def say(talk: Talk, text: str) -> None:
    """Speak, without an end."""
    samples, rate_hz = soundfile.read(question_wav(text), dtype="float32")
    at_16k = np.interp(np.arange(0, len(samples), rate_hz / 16_000), np.arange(len(samples)), samples)
    talk.session.append((at_16k * 32767).astype("<i2").tobytes())


def words_of_replies(talk: Talk) -> list[CoreEvent]:
    return [event for event in talk.told if isinstance(event, OF_A_REPLY)]


async def judged(talk: Talk, pause: int) -> TurnJudged:
    await talk.until(lambda: any(event.pause == pause for event in talk.of(TurnJudged)))
    return next(event for event in talk.of(TurnJudged) if event.pause == pause)


async def written(talk: Talk) -> None:
    """Wait until the reply that nobody hears yet has words."""
    ahead = talk.session.pauses.ahead
    assert ahead is not None
    assert ahead.reply is not None
    reply = ahead.reply
    await talk.until(lambda: bool(reply._item.spoken) or reply.done)


def test_a_pause_is_judged_and_answered_unheard_and_the_reply_is_there_at_once_when_it_is_asked_for(
    parts: Parts,
) -> None:
    async def body(talk: Talk) -> None:
        say(talk, QUESTION)
        talk.session.paused(1, 7, answer=True)
        verdict = await judged(talk, 7)
        assert verdict.turn == 1
        assert "capital of france" in verdict.text.lower()
        await written(talk)
        await talk.until(lambda: bool(talk.of(ReplyReady)))
        assert [(event.turn, event.pause) for event in talk.of(ReplyReady)] == [(1, 7)]
        assert words_of_replies(talk) == []
        assert talk.session._memory.items == []
        talk.session.commit()
        talk.session.respond(1)
        there = [type(event) for event in words_of_replies(talk)]
        assert there[:3] == [CaptionFinal, ReplyCreated, ReplyDelta]
        assert ReplyAudio in there
        (created,) = talk.of(ReplyCreated)
        assert created.turn == 1
        assert created.eager_ms > 0
        done = await talk.done(1)
        assert done.status in ("completed", "incomplete")
        assert done.text.strip() == "".join(event.text for event in talk.of(ReplyDelta)).strip()
        assert done.usage.output_tokens > 1
        assert done.usage.writing_ms > 0, "measured where it was written, though it came all at once"
        assert [item.role for item in talk.session._memory.items] == ["user", "assistant"]
        assert talk.of(EagerDropped) == []

    run(parts, body, speak=True)


def test_speech_that_goes_on_drops_it_without_a_trace_and_the_whole_is_answered(parts: Parts) -> None:
    async def body(talk: Talk) -> None:
        await talk.say("Hello.")
        before = talk.session._memory.told()
        talk.told.clear()
        say(talk, QUESTION)
        talk.session.paused(2, 1, answer=True)
        await judged(talk, 1)
        await written(talk)
        talk.session.resumed()
        (dropped,) = talk.of(EagerDropped)
        assert dropped.turn == 2
        assert dropped.ran_ms > 0
        assert talk.session._memory.told() == before
        say(talk, MORE)
        talk.session.paused(2, 2, answer=True)
        verdict = await judged(talk, 2)
        assert "france" in verdict.text.lower()
        assert "people" in verdict.text.lower()
        await written(talk)
        assert words_of_replies(talk) == []
        talk.session.commit()
        talk.turn = 1
        done = await talk.done(talk.ask())
        assert done.status in ("completed", "incomplete")
        (caption,) = talk.of(CaptionFinal)
        assert "people" in caption.text.lower()
        assert talk.of(ReplyCreated)[-1].eager_ms > 0
        assert len(talk.session._memory.told()) == len(before) + 2

    run(parts, body)


def test_a_talk_that_changed_meanwhile_is_answered_anew(parts: Parts) -> None:
    async def body(talk: Talk) -> None:
        say(talk, QUESTION)
        talk.session.paused(1, 1, answer=True)
        await judged(talk, 1)
        await written(talk)
        talk.session.add_item("user", "And my name is Ada.")
        talk.session.commit()
        await talk.done(talk.ask())
        (created,) = talk.of(ReplyCreated)
        assert created.eager_ms == 0
        assert len(talk.of(EagerDropped)) == 1

    run(parts, body)


def test_without_eagerness_a_pause_is_only_judged(parts: Parts) -> None:
    async def body(talk: Talk) -> None:
        say(talk, QUESTION)
        talk.session.paused(1, 1, answer=True)
        await judged(talk, 1)
        assert talk.session.pauses.ahead is not None
        assert talk.session.pauses.ahead.reply is None
        talk.session.commit()
        await talk.done(talk.ask())
        assert talk.of(ReplyCreated)[0].eager_ms == 0

    run(parts, body, hearing__eager_ms=0)


def test_a_pause_over_a_reply_is_judged_and_answered_once_the_reply_gave_way(parts: Parts) -> None:
    async def body(talk: Talk) -> None:
        talk.session.add_item("user", "Tell me everything.")
        turn = talk.ask()
        await talk.until(lambda: bool(talk.of(ReplyDelta)))
        say(talk, QUESTION)
        talk.session.paused(2, 1, answer=False)
        await judged(talk, 1)
        assert talk.session.pauses.ahead is not None
        assert talk.session.pauses.ahead.reply is None
        talk.session.cancel()
        (created,) = talk.of(ReplyCreated)
        talk.session.truncate(created.item_id, 0)
        talk.session.paused(2, 1, answer=True)
        await written(talk)
        talk.session.commit()
        second = talk.ask()
        assert second != turn
        await talk.done(second)
        assert talk.of(ReplyCreated)[-1].eager_ms > 0
        assert len(talk.of(InputCommitted)) == 1

    run(parts, body, answering__max_tokens=60)


def test_what_holds_no_words_is_judged_so_and_answered_by_nothing(parts: Parts) -> None:
    async def body(talk: Talk) -> None:
        noise = np.random.default_rng(0).normal(0, 300, 16_000)
        talk.session.append(noise.astype("<i2").tobytes())
        talk.session.paused(1, 1, answer=True)
        assert (await judged(talk, 1)).text == ""
        talk.session.commit()
        done = await talk.done(talk.ask())
        assert (done.status, done.reason) == ("cancelled", "no_words")
        assert talk.session._memory.told() == ()

    run(parts, body)


def test_a_dropped_branch_takes_neither_sound_nor_picture_of_the_talk(parts: Parts) -> None:
    async def body(talk: Talk) -> None:
        memory = talk.session._memory
        say(talk, QUESTION)
        talk.session.commit()
        await talk.until(lambda: bool(talk.of(CaptionFinal)))
        talk.session.add_item("user", "", picture=drawn_jpeg((200, 30, 30)))
        await talk.until(lambda: any(item.shown for item in memory.items))
        say(talk, MORE)
        talk.session.paused(1, 1, answer=True)
        await judged(talk, 1)
        talk.session.resumed()
        await asyncio.sleep(0.2)
        assert memory.items[0].audio_wav is not None
        assert memory.items[1].image_jpeg is not None
        talk.session.paused(1, 2, answer=True)
        await judged(talk, 2)
        talk.session.add_item("user", "And my name is Ada.")  # so that the reply cannot be used
        talk.session.commit()
        spoken = memory.items[-1]
        turn = talk.ask()
        assert spoken.audio_wav is not None
        await talk.done(turn)
        assert talk.of(ReplyCreated)[-1].eager_ms == 0

    run(parts, body, mode="native")


def test_only_the_first_unit_is_spoken_before_it_is_asked_for(parts: Parts) -> None:
    async def body(talk: Talk) -> None:
        say(talk, QUESTION)
        talk.session.paused(1, 1, answer=True)
        await judged(talk, 1)
        await written(talk)
        await asyncio.sleep(0.5)
        ahead = talk.session.pauses.ahead
        assert ahead is not None
        assert ahead.reply is not None
        assert len(ahead.reply._item.spoken) == 1

    run(parts, body, speak=True)


def test_a_branch_never_rolls_the_talk_over() -> None:
    talk = Memory()
    for number in range(12):
        talk.add(Item(f"item_{number}", "user" if number % 2 == 0 else "assistant", "many words " * 10))
    before, branch = talk.told(), talk.branch()
    branch.add(Item("item_new", "user", "one more"))
    with pytest.raises(RollsOver):
        branch.prompt([], 256, 25, lambda message: len(message.text) // 4)
    assert talk.told() == before
    assert talk.roll_overs == 0
    assert len(talk.prompt([], 256, 25, lambda message: len(message.text) // 4)) < len(before)
    assert talk.roll_overs == 1

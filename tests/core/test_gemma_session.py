"""Conversations with a model that hears and sees: the real engine with the tiny Gemma, real captions, real speech."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator

import numpy as np
import pytest
import soundfile

from parlor_tui.core.profiles import Parts
from parlor_tui.engines.base import Message
from parlor_tui.events import (
    CaptionFinal,
    CoreError,
    CoreNotice,
    InputTaken,
    ItemTruncated,
    ReplyAudio,
    ReplyDelta,
    ReplyDone,
)
from tests.core.talking import Talk, load_parts, talking
from tests.engines.media import drawn_jpeg
from tests.questions import QUESTIONS, question_wav
from tests.tiny_gemma import tiny_gemma

Body = Callable[[Talk], Awaitable[None]]


@pytest.fixture(scope="module")
def blind_and_deaf(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Parts]:
    loaded = load_parts(tiny_gemma(tmp_path_factory.mktemp("tiny"), "text"))
    yield loaded
    loaded.engine.close()


def run(parts: Parts, body: Body, *, speak: bool = False, **tuning: object) -> Talk:
    async def main() -> Talk:
        async with talking(parts, speak, **tuning) as talk:
            await body(talk)
        return talk

    return asyncio.run(main())


def prompt(talk: Talk, parts: Parts) -> list[Message]:
    """What the model would be told now."""
    memory, engine = talk.session._memory, parts.engine
    return memory.prompt(parts.opening("assistant", ""), engine.context_tokens, 100, engine.tokens)


def kinds(talk: Talk) -> list[str]:
    return [event.kind for event in talk.of(InputTaken)]


def test_a_spoken_turn_is_heard_by_the_model_itself_and_captioned_beside_it(parts: Parts) -> None:
    async def body(talk: Talk) -> None:
        talk.speak(question_wav(QUESTIONS[0]))
        done = await talk.done(talk.ask())
        assert done.status in ("completed", "incomplete")
        await talk.until(lambda: "sound" in kinds(talk))

    talk = run(parts, body, speak=True)
    names = [type(event) for event in talk.told]
    assert names.index(CaptionFinal) < names.index(ReplyDelta) < names.index(ReplyAudio) < names.index(ReplyDone)
    assert talk.of(CaptionFinal)[0].text.lower().startswith(QUESTIONS[0].lower()[:10])
    (taken,) = talk.of(InputTaken)
    assert taken.turn == 1
    assert taken.took_ms > 0
    assert not talk.of(CoreError)


def test_with_captions_its_ears_rest(parts: Parts) -> None:
    async def body(talk: Talk) -> None:
        talk.speak(question_wav(QUESTIONS[0]))
        await talk.done(talk.ask())

    talk = run(parts, body, hearing__mode="captions")
    assert kinds(talk) == []
    assert talk.of(ReplyDelta)


def test_a_turn_too_long_for_its_ear_is_read_as_its_caption(parts: Parts) -> None:
    async def body(talk: Talk) -> None:
        talk.speak(question_wav(QUESTIONS[0]))
        talk.ask()
        await talk.until(lambda: bool(talk.of(ReplyDelta)))
        (asked,) = [m for m in prompt(talk, parts) if m.role == "user"]
        assert asked.audio_wav is None
        assert "capital of France" in asked.text
        await talk.done(1)

    run(parts, body, hearing__native_s=1)


def test_what_holds_no_words_is_not_answered_even_by_a_model_that_hears(parts: Parts) -> None:
    async def body(talk: Talk) -> None:
        talk.speak_noise(1.0)
        done = await talk.done(talk.ask())
        assert (done.status, done.reason, done.text) == ("cancelled", "no_words", "")
        assert (await talk.say("And now?")).text

    talk = run(parts, body)
    assert len(talk.of(CaptionFinal)) == 1
    assert [m.text for m in prompt(talk, parts) if m.role == "user"] == ["And now?"]


def test_after_a_barge_in_the_next_turn_tells_the_model_where_it_was_cut_off(parts: Parts) -> None:
    async def body(talk: Talk) -> None:
        talk.speak(question_wav(QUESTIONS[0]))
        turn = talk.ask()
        await talk.until(lambda: len(talk.of(ReplyAudio)) > 8)
        item_id = talk.of(ReplyAudio)[0].item_id
        talk.session.cancel()
        talk.session.truncate(item_id, 700)
        await talk.done(turn)
        heard = talk.of(ItemTruncated)[0].heard_text
        assert 0 < len(heard.split()) < 8
        cut = next(m for m in prompt(talk, parts) if m.role == "assistant")
        assert (cut.text, cut.cut) == (heard, "interrupted")
        assert (await talk.say("Go on.")).text

    run(parts, body, speak=True, answering__max_tokens=100)


def test_60_turns_roll_over_without_an_error_and_keep_a_fact_of_the_first(parts: Parts) -> None:
    async def body(talk: Talk) -> None:
        for number in range(60):
            text = "My name is Ada." if number == 0 else f"Tell me a story about the number {number}, please."
            done = await talk.say(text)
            assert done.status in ("completed", "incomplete"), done
            assert done.text
            assert done.usage.input_tokens < parts.engine.context_tokens

    talk = run(parts, body)
    assert talk.session._memory.roll_overs >= 2
    told = prompt(talk, parts)
    assert "My name is Ada." in told[0].text
    assert len(told) < 60
    assert not talk.of(CoreError)
    assert not talk.of(CoreNotice)


def test_a_change_between_two_turns_holds_for_the_next_and_the_talk_is_kept(parts: Parts) -> None:
    async def body(talk: Talk) -> None:
        first = await talk.say("Tell me a story.")
        assert first.usage.output_tokens >= 10
        talk.session.update(tuning={"answering.max_tokens": 1, "answering.temperature": 1.2})
        second = await talk.say("Another.")
        assert second.usage.output_tokens <= 4
        assert second.usage.input_tokens > first.usage.input_tokens

    run(parts, body, answering__max_tokens=30)


def test_a_soft_limit_ends_at_a_sentence_and_four_times_it_is_the_end_in_any_case(parts: Parts) -> None:
    async def body(talk: Talk) -> None:
        for number in range(6):
            done = await talk.say(f"Story {number}.")
            if done.status == "completed":
                assert done.text[-1] in ".!?"
            else:
                assert done.reason == "max_output_tokens"
            assert len(done.text.split()) >= 5
            assert done.usage.output_tokens <= 4 * 20

    talk = run(parts, body, answering__max_tokens=20)
    assert any(event.status == "completed" for event in talk.of(ReplyDone))


def test_two_talks_may_use_the_same_ids(parts: Parts) -> None:
    async def main() -> list[int]:
        cached: list[int] = []
        async with talking(parts) as first, talking(parts) as second:
            for talk, colour_rgb in ((first, (200, 30, 30)), (second, (30, 30, 200))):
                talk.session.add_item("user", "", item_id="same_1", picture=drawn_jpeg(colour_rgb))
                talk.session.add_item("user", "What is it?", item_id="same_2")
                cached.append((await talk.done(talk.ask())).usage.cached_tokens)
                await talk.until(lambda talk=talk: kinds(talk) == ["picture"])  # type: ignore[misc]
        return cached

    assert asyncio.run(main()) == [0, 0]


def test_nothing_comes_into_the_memory_after_a_reply_was_cancelled(parts: Parts) -> None:
    async def body(talk: Talk) -> None:
        talk.speak(question_wav(QUESTIONS[0]))
        turn = talk.ask()
        await asyncio.sleep(0.05)
        talk.session.cancel()
        done = await talk.done(turn)
        await talk.until(lambda: bool(talk.of(CaptionFinal)))
        await asyncio.sleep(0.3)
        replies = [message for message in prompt(talk, parts) if message.role == "assistant"]
        assert [message.text for message in replies] == [done.text]

    run(parts, body)


def test_sound_that_does_not_fit_is_read_as_its_caption(parts: Parts) -> None:
    async def body(talk: Talk) -> None:
        long = np.tile(soundfile.read(question_wav(QUESTIONS[0]), dtype="float32")[0], 30)[: 24_000 * 100]
        talk.session.update(input_rate_hz=24_000)
        talk.session.append((long * 32767).astype("<i2").tobytes())
        talk.session.commit()
        done = await talk.done(talk.ask())
        assert done.status in ("completed", "incomplete"), done
        assert done.text

    run(parts, body)


def test_a_picture_alone_is_answered(parts: Parts) -> None:
    async def body(talk: Talk) -> None:
        talk.session.add_item("user", "", picture=drawn_jpeg((200, 30, 30)))
        assert (await talk.done(talk.ask())).text

    run(parts, body, answering__preset="narrator")


# --- seeing -----------------------------------------------------------------------------------------------------------


async def show(talk: Talk, jpeg: bytes, said: str) -> ReplyDone:
    """A camera frame and a typed turn."""
    talk.session.add_item("user", "", picture=jpeg, frame=True)
    return await talk.say(said)


@pytest.mark.parametrize(
    ("policy", "seen"),
    [("every_turn", [1, 1, 1, 1]), ("when_changed", [1, 0, 1, 1]), ("on_request", [0, 0, 0, 1]), ("off", [0, 0, 0, 0])],
)
def test_frames_are_shown_as_the_settings_have_it(parts: Parts, policy: str, seen: list[int]) -> None:
    counts: list[int] = []

    async def body(talk: Talk) -> None:
        red, blue = drawn_jpeg((200, 30, 30)), drawn_jpeg((30, 30, 200))
        for jpeg, said in ((red, "Hello."), (red, "Tell me more."), (blue, "And then?"), (blue, "What do you see?")):
            before = len(talk.of(InputTaken))
            await show(talk, jpeg, said)
            counts.append(len(talk.of(InputTaken)) - before)

    run(parts, body, seeing__policy=policy)
    assert counts == seen


def test_a_frame_is_looked_at_while_the_user_still_speaks(parts: Parts) -> None:
    async def body(talk: Talk) -> None:
        talk.session.add_item("user", "", picture=drawn_jpeg((200, 30, 30)), frame=True)
        await talk.until(lambda: kinds(talk) == ["picture"])
        assert talk.of(InputTaken)[0].turn == -1
        talk.speak(question_wav(QUESTIONS[0]))
        done = await talk.done(talk.ask())
        assert done.usage.cached_tokens > 280

    run(parts, body)


def test_without_priming_it_is_looked_at_with_the_turn(parts: Parts) -> None:
    async def body(talk: Talk) -> None:
        await show(talk, drawn_jpeg((200, 30, 30)), "Hello.")
        assert [(event.kind, event.turn) for event in talk.of(InputTaken)] == [("picture", 1)]

    run(parts, body, seeing__prime=False)


def test_a_frame_of_an_utterance_that_was_none_is_forgotten(parts: Parts) -> None:
    async def body(talk: Talk) -> None:
        talk.session.add_item("user", "", item_id="frame", picture=drawn_jpeg((200, 30, 30)), frame=True)
        talk.session.delete("frame")
        assert (await talk.say("Hello.")).text

    talk = run(parts, body)
    assert all(message.image_jpeg is None for message in prompt(talk, parts))


@pytest.mark.parametrize("policy", ["when_changed", "every_turn"])
def test_and_the_same_scene_is_shown_with_the_next_turn(parts: Parts, policy: str) -> None:
    async def body(talk: Talk) -> None:
        red = drawn_jpeg((200, 30, 30))
        talk.session.add_item("user", "", item_id="frame", picture=red, frame=True)
        await talk.until(lambda: kinds(talk) == ["picture"])
        talk.session.delete("frame")
        await show(talk, red, "Hello.")
        assert kinds(talk) == ["picture", "picture"]

    run(parts, body, seeing__policy=policy)


def test_a_picture_that_the_talk_rolled_over_is_shown_again(parts: Parts) -> None:
    async def body(talk: Talk) -> None:
        red = drawn_jpeg((200, 30, 30))
        await show(talk, red, "Hello.")
        await show(talk, red, "Hello again.")
        assert kinds(talk) == ["picture"]
        while not talk.session._memory.roll_overs:
            await talk.say("Tell me a story, please. " * 20)
        await show(talk, red, "And now?")
        assert kinds(talk) == ["picture", "picture"]

    run(parts, body)


def test_a_picture_that_was_sent_on_purpose_is_shown_whatever_the_settings_say(parts: Parts) -> None:
    async def body(talk: Talk) -> None:
        talk.session.add_item("user", "", picture=drawn_jpeg((200, 30, 30)))
        await talk.say("Hello.")

    assert kinds(run(parts, body, seeing__policy="off")) == ["picture"]


def test_the_picture_budget_is_what_a_picture_takes(parts: Parts) -> None:
    taken: dict[int, int] = {}

    async def body(talk: Talk) -> None:
        done = await show(talk, drawn_jpeg((200, 30, 30)), "Hello.")
        taken[talk.session.tuning.seeing.image_tokens] = done.usage.input_tokens

    for budget in (70, 140, 280, 1120):
        run(parts, body, seeing__image_tokens=budget, seeing__prime=False)
    assert taken[70] + 60 < taken[140] < taken[280] - 100
    assert abs(taken[1120] - taken[280]) < 30  # all that this model can


# --- a model that neither hears nor sees ------------------------------------------------------------------------------


def test_a_text_model_talks_through_captions(blind_and_deaf: Parts) -> None:
    async def body(talk: Talk) -> None:
        talk.speak(question_wav(QUESTIONS[0]))
        assert (await talk.done(talk.ask())).text

    talk = run(blind_and_deaf, body)
    assert kinds(talk) == []
    assert prompt(talk, blind_and_deaf)[1].text == talk.of(CaptionFinal)[0].text


def test_a_text_model_is_told_of_a_picture_in_words_when_the_words_ask_for_it(blind_and_deaf: Parts) -> None:
    async def body(talk: Talk) -> None:
        await show(talk, drawn_jpeg((200, 30, 30)), "Hello.")
        assert not talk.of(CoreNotice)
        await show(talk, drawn_jpeg((200, 30, 30)), "What do you see?")

    talk = run(blind_and_deaf, body)
    (notice,) = talk.of(CoreNotice)
    assert "cannot see" in notice.text
    assert "red" in " ".join(message.text for message in prompt(talk, blind_and_deaf))

"""The core in a process of its own, with the real models, spoken to by the official client."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import socket
import subprocess
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, cast

import numpy as np
import psutil
import pytest
import soundfile
from openai.resources.realtime.realtime import AsyncRealtimeConnection
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from parlor_tui.core.admission import MOST_WAITING
from tests.conftest import Home, make_home
from tests.link.core_process import CoreProcess, start_core
from tests.speaking import transcribe, utterance_16k, word_error_rate

Talk = Callable[[AsyncRealtimeConnection], Awaitable[None]]


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CoreProcess]:
    folder = tmp_path_factory.mktemp("core")
    running = start_core(make_home(folder), folder)
    yield running
    running.stop()


def talk(core: CoreProcess, conversation: Talk) -> None:
    """Have `conversation` with the core through the official client."""

    async def run() -> None:
        async with core.client().realtime.connect(model="lite") as connection, asyncio.timeout(120):
            await conversation(connection)

    asyncio.run(run())


async def until(connection: AsyncRealtimeConnection, kind: str) -> list[Any]:
    """All events up to the first one of this kind."""
    events: list[Any] = []
    while True:
        event = await connection.recv()
        events.append(event)
        if event.type == kind:
            return events


def of(events: list[Any], kind: str) -> list[Any]:
    return [event for event in events if event.type == kind]


def pcm16_24k(text: str) -> bytes:
    from parlor_tui.devices.resample import resample_whole

    return (np.clip(resample_whole(utterance_16k(text), 16_000, 24_000), -1, 1) * 32767).astype("<i2").tobytes()


async def say(connection: AsyncRealtimeConnection, text: str) -> None:
    await connection.conversation.item.create(
        item={"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}
    )


def test_a_spoken_turn_through_the_official_client(core: CoreProcess, tmp_path: Path) -> None:
    async def conversation(connection: AsyncRealtimeConnection) -> None:
        (created,) = await until(connection, "session.created")
        assert created.session.audio.input.format.rate == 24_000
        await connection.session.update(
            session={"type": "realtime", "audio": {"output": {"voice": "af_heart"}}, "max_output_tokens": 30}
        )
        updated = (await until(connection, "session.updated"))[-1]
        assert updated.session.max_output_tokens == 30
        sound = pcm16_24k("What is the capital of France?")
        for start in range(0, len(sound), 4801):  # odd pieces: a sample may be cut in two
            await connection.input_audio_buffer.append(audio=base64.b64encode(sound[start : start + 4801]).decode())
        await connection.input_audio_buffer.commit()
        await connection.response.create(response={"metadata": {"parlor_turn": "5"}})
        events = await until(connection, "response.done")
        (committed,) = of(events, "input_audio_buffer.committed")
        (heard,) = of(events, "conversation.item.input_audio_transcription.completed")
        assert heard.item_id == committed.item_id
        assert word_error_rate("What is the capital of France?", heard.transcript) <= 0.2
        done = events[-1].response
        assert done.status == "completed"
        assert done.metadata == {"parlor_turn": "5"}
        assert done.usage.output_tokens > 0
        text = "".join(event.delta for event in of(events, "response.output_audio_transcript.delta"))
        assert done.output[0].content[0].transcript == text.strip()
        reply = b"".join(base64.b64decode(event.delta) for event in of(events, "response.output_audio.delta"))
        wav = tmp_path / "reply.wav"
        soundfile.write(wav, np.frombuffer(reply, "<i2"), 24_000)
        assert word_error_rate(text, transcribe(wav)) <= 0.1

    talk(core, conversation)


def test_captions_grow_before_the_user_is_done(core: CoreProcess) -> None:
    async def conversation(connection: AsyncRealtimeConnection) -> None:
        await until(connection, "parlor.ready")
        sound = pcm16_24k("Please tell me something about the weather in the north of Norway.")
        for start in range(0, len(sound), 9600):
            await connection.input_audio_buffer.append(audio=base64.b64encode(sound[start : start + 9600]).decode())
            await asyncio.sleep(0.1)
        partial = (await until(connection, "parlor.caption.partial"))[-1]
        await connection.input_audio_buffer.commit()
        events = await until(connection, "conversation.item.input_audio_transcription.completed")
        assert partial.item_id == events[-1].item_id
        assert partial.text
        assert len(events[-1].transcript) > len("Please tell me")

    talk(core, conversation)


def test_a_cancelled_reply_ends_at_once_and_the_next_one_is_heard_in_full(core: CoreProcess) -> None:
    async def conversation(connection: AsyncRealtimeConnection) -> None:
        await until(connection, "parlor.ready")
        await say(connection, "Tell me a long story about a dog.")
        await connection.response.create()
        events = await until(connection, "response.output_audio_transcript.delta")
        item_id = events[-1].item_id
        await connection.response.cancel()
        done = (await until(connection, "response.done"))[-1].response
        assert (done.status, done.status_details.reason) == ("cancelled", "client_cancelled")
        await connection.conversation.item.truncate(item_id=item_id, content_index=0, audio_end_ms=0)
        assert (await until(connection, "conversation.item.truncated"))[-1].parlor_heard == ""
        await say(connection, "What is the capital of Italy?")
        await connection.response.create()
        events = await until(connection, "response.done")
        assert events[-1].response.status == "completed"
        assert of(events, "response.output_audio.delta")
        assert "Rome" in events[-1].response.output[0].content[0].transcript

    talk(core, conversation)


def test_cancelling_fifty_times_at_any_moment_leaves_a_core_that_answers(core: CoreProcess) -> None:
    async def conversation(connection: AsyncRealtimeConnection) -> None:
        await until(connection, "parlor.ready")
        for delay_ms in range(0, 500, 10):
            await say(connection, "Count to one hundred.")
            await connection.response.create()
            await asyncio.sleep(delay_ms / 1000)
            await connection.response.cancel()
            await until(connection, "response.done")
        await say(connection, "What is the capital of Italy?")
        await connection.response.create()
        events = await until(connection, "response.done")
        assert events[-1].response.status == "completed"
        assert of(events, "response.output_audio.delta")

    talk(core, conversation)


def test_a_text_is_said_aloud_in_any_voice_and_is_no_part_of_the_talk(core: CoreProcess, tmp_path: Path) -> None:
    async def conversation(connection: AsyncRealtimeConnection) -> None:
        await until(connection, "parlor.ready")
        request: Any = {"type": "parlor.speech.create", "number": 1, "text": "The train is late. Please wait."}
        await connection.send(request)
        await connection.send(request | {"number": 2, "voice": "am_adam"})  # which ends the one before
        events = await until(connection, "parlor.speech.done")
        assert (events[-1].number, events[-1].reason) == (2, "")
        spoken = b"".join(base64.b64decode(e.delta) for e in of(events, "parlor.speech.delta") if e.number == 2)
        soundfile.write(tmp_path / "aloud.wav", np.frombuffer(spoken, "<i2"), 24_000)
        assert word_error_rate("The train is late. Please wait.", transcribe(tmp_path / "aloud.wav")) == 0
        assert not of(events, "conversation.item.added")
        await connection.send(request | {"number": 3})
        await connection.send(cast("Any", {"type": "parlor.speech.cancel"}))
        await connection.send(request | {"number": 4, "text": "***"})
        events = await until(connection, "parlor.speech.done")
        assert events[-1].number == 4
        assert "nothing" in events[-1].reason

    talk(core, conversation)


def test_text_alone_is_not_spoken(core: CoreProcess) -> None:
    async def conversation(connection: AsyncRealtimeConnection) -> None:
        await until(connection, "parlor.ready")
        await connection.session.update(session={"type": "realtime", "output_modalities": ["text"]})
        await say(connection, "What is the capital of Italy?")
        await connection.response.create()
        events = await until(connection, "response.done")
        assert "Rome" in "".join(event.delta for event in of(events, "response.output_text.delta"))
        assert not of(events, "response.output_audio.delta")

    talk(core, conversation)


@pytest.mark.parametrize(
    ("request_", "code"),
    [
        ({"type": "input_audio_buffer.commit"}, "input_audio_buffer_commit_empty"),
        ({"type": "response.cancel"}, "response_cancel_not_active"),
        (
            {"type": "conversation.item.truncate", "item_id": "none", "content_index": 0, "audio_end_ms": 0},
            "item_not_found",
        ),
        ({"type": "output_audio_buffer.clear"}, "invalid_event_type"),
        ("not json", "invalid_json"),
        (
            {
                "type": "conversation.item.create",
                "item": {
                    "type": "message",
                    "role": "user",
                    "content": [{"type": "input_image", "image_url": "data:image/png;base64,AAAA"}],
                },
            },
            "invalid_value",
        ),
    ],
)
def test_a_wrong_request_is_answered_and_the_talk_goes_on(core: CoreProcess, request_: Any, code: str) -> None:
    async def run() -> None:
        headers = {"Authorization": f"Bearer {core.token}"}
        async with connect(core.url, additional_headers=headers) as connection, asyncio.timeout(60):
            await connection.send(
                request_ if isinstance(request_, str) else json.dumps(request_ | {"event_id": "mine"})
            )
            while (event := json.loads(await connection.recv()))["type"] != "error":
                pass
            assert event["error"]["code"] == code
            assert event["error"]["event_id"] == (None if isinstance(request_, str) else "mine")
            await connection.send(json.dumps({"type": "input_audio_buffer.clear"}))
            while json.loads(await connection.recv())["type"] != "input_audio_buffer.cleared":
                pass

    asyncio.run(run())


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer wrong"}, {"Authorization": "Basic x"}])
def test_without_the_token_nobody_comes_in(core: CoreProcess, headers: dict[str, str]) -> None:
    async def run() -> None:
        with pytest.raises(InvalidStatus) as caught:
            async with connect(core.url, additional_headers=headers):
                pass
        assert caught.value.response.status_code == 401

    asyncio.run(run())


def test_the_core_listens_on_loopback_alone(core: CoreProcess) -> None:
    listening = [c for c in psutil.Process(core.process.pid).net_connections() if c.status == psutil.CONN_LISTEN]
    assert core.port in {c.laddr.port for c in listening}
    assert {c.laddr.ip for c in listening} == {"127.0.0.1"}


def test_the_token_is_in_no_log_and_on_no_command_line(core: CoreProcess) -> None:
    assert core.token not in core.log.read_text()
    assert core.token not in " ".join(psutil.Process(core.process.pid).cmdline())


def test_two_clients_have_two_conversations(core: CoreProcess) -> None:
    async def conversation(first: AsyncRealtimeConnection) -> None:
        async with core.client().realtime.connect(model="lite") as second:
            (one,), (two,) = await until(first, "session.created"), await until(second, "session.created")
            assert one.session.id != two.session.id
            await asyncio.gather(*(say(c, "What is the capital of Italy?") for c in (first, second)))
            await asyncio.gather(*(c.response.create() for c in (first, second)))
            for events in await asyncio.gather(*(until(c, "response.done") for c in (first, second))):
                assert events[-1].response.status == "completed"
                assert of(events, "response.output_audio.delta")

    talk(core, conversation)


async def ask_at_once(connection: AsyncRealtimeConnection, text: str, most_tokens: int = 400) -> None:
    await connection.session.update(
        session={"type": "realtime", "max_output_tokens": most_tokens, "output_modalities": ["text"]}
    )
    await say(connection, text)
    await connection.response.create()


def test_a_third_client_waits_for_its_turn(core: CoreProcess) -> None:
    async def conversation(first: AsyncRealtimeConnection) -> None:
        client = core.client()
        async with client.realtime.connect(model="lite") as second, client.realtime.connect(model="lite") as third:
            for connection in (first, second, third):
                await ask_at_once(connection, "What is the capital of Italy?", 20)
            for events in await asyncio.gather(*(until(c, "response.done") for c in (first, second, third))):
                assert events[-1].response.status == "completed"

    talk(core, conversation)


def test_when_the_line_is_full_the_next_one_is_told_so_and_nothing_is_left_of_those_who_go(core: CoreProcess) -> None:
    async def conversation(late: AsyncRealtimeConnection) -> None:
        await until(late, "parlor.ready")
        client = core.client()
        async with contextlib.AsyncExitStack() as waiting:
            for _ in range(2 + MOST_WAITING):
                connection = await waiting.enter_async_context(client.realtime.connect(model="lite"))
                await ask_at_once(connection, "Tell me a long story about a dog.")
                await until(connection, "response.created")
            await ask_at_once(late, "Am I late?")
            refused = (await until(late, "response.done"))[-1].response
            assert refused.status == "failed"
            assert refused.status_details.error.code == "server_busy"
            assert "try again" in refused.status_details.error.message
        await late.response.create()
        assert (await until(late, "response.done"))[-1].response.status == "completed"

    talk(core, conversation)


def test_audio_that_a_client_forgets_is_dropped_but_not_that_of_a_user_who_pauses(core: CoreProcess) -> None:
    sound = base64.b64encode(pcm16_24k("What is the capital of France?")).decode()

    async def forgotten(connection: AsyncRealtimeConnection) -> None:
        await until(connection, "parlor.ready")
        await connection.input_audio_buffer.append(audio=sound)
        began_s = time.monotonic()
        error = (await until(connection, "error"))[-1].error
        assert error.code == "input_timeout"
        assert "nothing followed for 2 s" in error.message
        assert 1.9 < time.monotonic() - began_s < 10
        await until(connection, "input_audio_buffer.cleared")
        await connection.input_audio_buffer.commit()
        assert (await until(connection, "error"))[-1].error.code == "input_audio_buffer_commit_empty"

    async def paused(connection: AsyncRealtimeConnection) -> None:
        await until(connection, "parlor.ready")
        await connection.input_audio_buffer.append(audio=sound)
        await connection.send(cast("Any", {"type": "parlor.input.paused", "turn": 1, "pause": 1, "answer": False}))
        await asyncio.sleep(3.0)
        await connection.input_audio_buffer.commit()
        events = await until(connection, "conversation.item.input_audio_transcription.completed")
        assert not of(events, "error")
        assert word_error_rate("What is the capital of France?", events[-1].transcript) <= 0.2

    async def conversation(first: AsyncRealtimeConnection) -> None:
        async with core.client().realtime.connect(model="lite") as second:
            await asyncio.gather(forgotten(first), paused(second))

    talk(core, conversation)


def test_a_port_that_is_taken_is_one_line(isolated_home: Home, tmp_path: Path) -> None:
    import sys

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        arguments = ["core", "--port", port, "--token-file", str(tmp_path / "token")]
        done = subprocess.run(
            [sys.executable, "-m", "parlor_tui", *arguments],
            env=isolated_home.env,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert done.returncode == 4
    assert "Traceback" not in done.stdout + done.stderr
    assert port in done.stderr

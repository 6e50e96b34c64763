"""Everything that crosses the link, checked against the official client's own types."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai.types.realtime import RealtimeClientEvent, RealtimeServerEvent
from pydantic import TypeAdapter

from parlor_tui import events
from parlor_tui.link import client_events, server_events, wire
from parlor_tui.link.client_events import (
    AppendAudio,
    CancelModel,
    CancelResponse,
    ClearAudio,
    ClientEvent,
    CommitAudio,
    CreateItem,
    CreateResponse,
    DeleteItem,
    ForgetAll,
    GetModel,
    SayAloud,
    StopSaying,
    TruncateItem,
    UpdateSession,
)
from parlor_tui.settings import Tuning

CLIENT: TypeAdapter[Any] = TypeAdapter(RealtimeClientEvent)
SERVER: TypeAdapter[Any] = TypeAdapter(RealtimeServerEvent)
HELLO = events.CoreHello("sess_1", "lite", "SmolLM2-135M", demo_grade=True)
USAGE = events.Usage(10, 5, 3, 140.5)


def view(rate_hz: int = 24_000) -> server_events.SessionView:
    return server_events.SessionView(HELLO, rate_hz, "Be kind.", True, Tuning())


CLIENT_EVENTS: list[ClientEvent] = [
    UpdateSession(input_rate_hz=24_000, tuning=Tuning().values()),
    UpdateSession(tuning={"answering.temperature": 0.7, "speaking.voice": "af_heart", "seeing.policy": "off"}),
    UpdateSession(instructions="Be kind.", speak=False),
    UpdateSession(tuning={"speaking.speed": 0.9, "answering.max_tokens": 50}),
    AppendAudio(b"\x01\x00\x02\x00"),
    CommitAudio(),
    ClearAudio(),
    CreateItem("user", "Hello."),
    CreateItem("assistant", "Hi.", item_id="item_9", after="item_8"),
    CreateItem("user", pcm16=b"\0\0" * 10),
    CreateItem("user", image=b"\xff\xd8\xff\xe0jpeg"),
    CreateItem("user", image=b"\xff\xd8\xff\xe0jpeg", item_id="frame_1", frame=True),
    DeleteItem("frame_1"),
    TruncateItem("item_1", 1500),
    CreateResponse(3),
    CreateResponse(4, speak=False),
    CancelResponse(),
    CancelResponse("resp_1"),
]


OUR_REQUESTS: list[ClientEvent] = [
    GetModel(),
    CancelModel(),
    SayAloud(3, "Hello."),
    SayAloud(4, "Hello.", "am_adam"),
    StopSaying(),
    ForgetAll(),
]


@pytest.mark.parametrize("event", OUR_REQUESTS, ids=lambda event: type(event).__name__)
def test_our_own_requests_have_names_of_their_own_and_are_read_as_they_were_meant(event: ClientEvent) -> None:
    message = client_events.encode(event)
    assert message["type"].startswith("parlor.")
    assert client_events.decode(json.loads(json.dumps(message))) == event


@pytest.mark.parametrize("event", CLIENT_EVENTS, ids=lambda event: type(event).__name__)
def test_what_the_terminal_says_is_realtime_and_is_read_as_it_was_meant(event: ClientEvent) -> None:
    message = client_events.encode(event)
    official = CLIENT.validate_python(message, strict=False)
    assert official.type == message["type"]
    assert client_events.decode(json.loads(json.dumps(message))) == event


def test_16_khz_is_our_one_addition_to_the_audio_formats() -> None:
    message = client_events.encode(UpdateSession(input_rate_hz=16_000))
    assert message["session"]["audio"]["input"]["format"] == {"type": "audio/pcm", "rate": 16_000}
    assert client_events.decode(message) == UpdateSession(input_rate_hz=16_000)


SERVER_EVENTS: list[events.CoreEvent] = [
    HELLO,
    events.SessionUpdated(),
    events.InputCommitted("item_1"),
    events.InputCleared(),
    events.ItemAdded("item_1", "user", "Hello.", done=True, previous_item_id="item_0"),
    events.ItemAdded("item_2", "assistant", "Hi.", done=False),
    events.CaptionFinal("item_1", "Hello.", 1200.0),
    events.CaptionFinal("item_1", "", 1200.0),
    events.ReplyCreated("resp_1", "item_2", 7),
    events.ReplyDelta("resp_1", "item_2", "Hi"),
    events.ReplyAudio("resp_1", "item_2", b"\0\0\1\0"),
    events.ReplyDone("resp_1", "item_2", 7, "completed", "Hi.", "", USAGE),
    events.ReplyDone("resp_1", "item_2", 7, "cancelled", "Hi", "client_cancelled", USAGE),
    events.ReplyDone("resp_1", "item_2", -1, "cancelled", "", "no_words", USAGE),
    events.ReplyDone("resp_1", "item_2", 7, "incomplete", "Hi", "max_output_tokens", USAGE),
    events.ReplyDone("resp_1", "item_2", 7, "failed", "", "the model broke", USAGE),
    events.ReplyDone("resp_1", "item_2", 7, "failed", "", "too many replies are being made", USAGE, "server_busy"),
    events.ItemTruncated("item_2", 500, "Hi"),
    events.ItemDeleted("item_1"),
    events.CoreError("invalid_value", "bad", "session.voice", "event_1"),
]
MACHINE = events.MachineRead(
    events.Reading("RTX 4070", 97.0, 5100.0, 12_878.6, 91.0, 188.4, 2610.0, 3105.0, True, "GPU hot", 1710.0, 55.0),
    core_mb=816.2,
    children_mb=0.0,
    budget_mb=8371.1,
    own_memory=True,
)
OURS: list[events.CoreEvent] = [
    events.CoreLoading("loading", 5, 10),
    events.CoreReady(1234.5, "lite", "SmolLM2-135M", hears=False, sees=False),
    events.CoreReady(1234.5, "lite", "SmolLM2-135M", hears=False, sees=False, voices=("af_heart", "bm_george")),
    events.InputTaken(3, "picture", 860.0, 12.5),
    events.CoreFailed("no model", missing=True),
    events.CoreOffer("gemma-4-e2b", "Gemma 4 E2B", ("2.6 GB", "x"), 26, 4, 99, ("Apache-2.0", "MIT"), fits=True),
    events.CoreFetching("gemma-4-e2b", "asking"),
    events.CoreFetching("gemma-4-e2b", "half", 5, 10, 2.5, 2.0),
    events.CoreFetched("gemma-4-e2b", "Gemma 4 E2B", "failed", "no network"),
    events.SpeechPiece(3, b"\0\0\1\0"),
    events.SpeechOver(3),
    events.SpeechOver(4, "nothing in it can be said"),
    events.CoreNotice("cannot see"),
    events.CoreGoverned(2, ("hot (91 °C)",), ("smaller pictures", "no eager replies")),
    events.CoreGoverned(4, ("throttled",), ("shorter memory",), "a new start"),
    events.CoreGoverned(0),
    MACHINE,
    events.MachineRead(events.Reading()),
    events.CaptionPartial("item_1", "Hel"),
    events.ReplyUnit("resp_1", "item_2", "Hi."),
]


@pytest.mark.parametrize("speaks", [True, False])
@pytest.mark.parametrize("event", SERVER_EVENTS, ids=lambda event: type(event).__name__)
def test_what_the_core_says_is_realtime(event: events.CoreEvent, speaks: bool) -> None:
    encoder = server_events.Encoder()
    encoder.encode(events.ReplyCreated("resp_1", "item_2", 7, speaks), view())
    for message in encoder.encode(event, view()):
        official = SERVER.validate_python(json.loads(json.dumps(message)))
        assert official.type == message["type"]
        assert type(official).__name__ != "BaseModel"


@pytest.mark.parametrize("event", [*SERVER_EVENTS, *OURS], ids=lambda event: type(event).__name__)
def test_the_terminal_reads_what_the_core_meant(event: events.CoreEvent) -> None:
    read = [
        server_events.decode(json.loads(json.dumps(message)))
        for message in server_events.Encoder().encode(event, view())
    ]
    told = [found for found in read if found is not None]
    if isinstance(event, events.ItemAdded | events.ItemDeleted):  # the terminal knows its own items
        assert told == []
    else:
        assert told == [event]


@pytest.mark.parametrize("event", OURS, ids=lambda event: type(event).__name__)
def test_our_own_events_have_names_of_their_own(event: events.CoreEvent) -> None:
    assert all(m["type"].startswith("parlor.") for m in server_events.Encoder().encode(event, view()))


def machine_message(**reading: Any) -> dict[str, Any]:
    (message,) = server_events.Encoder().encode(MACHINE, view())
    return message | {"reading": message["reading"] | reading}


def test_what_a_newer_core_says_of_its_machine_is_passed_over_and_what_an_older_one_does_not_is_unknown() -> None:
    newer = machine_message(npu_busy_percent=5.0)
    assert server_events.decode(newer) == MACHINE
    assert server_events.decode({"type": "parlor.machine", "reading": {}}) == events.MachineRead(events.Reading())


@pytest.mark.parametrize(
    "reading",
    [
        {"cpu_percent": "hot"},
        {"gpu_power_w": True},
        {"gpu_power_w": 1e999},
        {"gpu_power_w": 10**400},
        {"gpu_name": 5},
        {"throttled": "no"},
    ],
)
def test_a_reading_that_is_none_is_refused(reading: dict[str, Any]) -> None:
    with pytest.raises(wire.ProtocolError, match=r"parlor\.machine"):
        server_events.decode(machine_message(**reading))


def test_every_event_has_an_id_of_its_own() -> None:
    encoder = server_events.Encoder()
    ids = [message["event_id"] for event in SERVER_EVENTS for message in encoder.encode(event, view())]
    assert len(ids) == len(set(ids))


BAD: list[tuple[dict[str, Any], str | None]] = [
    ({}, "type"),
    ({"type": "nonsense"}, "type"),
    ({"type": 7}, "type"),
    ({"type": "session.update"}, "session"),
    ({"type": "session.update", "session": []}, "session"),
    ({"type": "session.update", "session": {"type": "transcription"}}, "session.type"),
    ({"type": "session.update", "session": {"max_output_tokens": 0}}, "session.max_output_tokens"),
    ({"type": "session.update", "session": {"max_output_tokens": True}}, "session.max_output_tokens"),
    ({"type": "session.update", "session": {"output_modalities": ["video"]}}, "session.output_modalities"),
    ({"type": "session.update", "session": {"audio": {"output": {"speed": 9}}}}, "session.audio.output.speed"),
    ({"type": "session.update", "session": {"audio": {"output": {"voice": 3}}}}, "session.audio.output.voice"),
    (
        {"type": "session.update", "session": {"audio": {"input": {"format": {"type": "audio/pcm", "rate": 8000}}}}},
        "session.audio.input.format",
    ),
    (
        {"type": "session.update", "session": {"audio": {"input": {"turn_detection": {"type": "server_vad"}}}}},
        "session.audio.input.turn_detection",
    ),
    (
        {"type": "session.update", "session": {"parlor": {"answering.temperature": "hot"}}},
        "session.parlor.answering.temperature",
    ),
    ({"type": "session.update", "session": {"parlor": {"core.threads": 1}}}, "session.parlor.core.threads"),
    ({"type": "session.update", "session": {"parlor": {"nonsense": 1}}}, "session.parlor.nonsense"),
    ({"type": "response.create", "response": {"metadata": {wire.TURN_KEY: "--5"}}}, "response.metadata.parlor_turn"),
    ({"type": "input_audio_buffer.append"}, "audio"),
    ({"type": "input_audio_buffer.append", "audio": "not base64!"}, "audio"),
    ({"type": "conversation.item.create"}, "item"),
    ({"type": "conversation.item.create", "item": {"type": "function_call"}}, "item.type"),
    ({"type": "conversation.item.create", "item": {"type": "message", "role": "system"}}, "item.role"),
    ({"type": "conversation.item.create", "item": {"type": "message", "role": "user", "content": []}}, "item.content"),
    (
        {
            "type": "conversation.item.create",
            "item": {
                "type": "message",
                "role": "user",
                "content": [{"type": "input_image", "image_url": "http://x/y"}],
            },
        },
        "item.content[0].image_url",
    ),
    (
        {
            "type": "conversation.item.create",
            "item": {"type": "message", "role": "assistant", "content": [{"type": "input_audio", "audio": ""}]},
        },
        "item.content[0].type",
    ),
    ({"type": "conversation.item.truncate", "item_id": "x", "audio_end_ms": -1}, "audio_end_ms"),
    ({"type": "conversation.item.truncate", "item_id": "x", "content_index": 2, "audio_end_ms": 1}, "content_index"),
    ({"type": "response.create", "response": {"metadata": {"parlor_turn": "x"}}}, "response.metadata.parlor_turn"),
    ({"type": "response.cancel", "response_id": 5}, "response_id"),
]


@pytest.mark.parametrize(("message", "param"), BAD)
def test_a_message_that_is_not_valid_is_refused_by_its_parameter(message: dict[str, Any], param: str | None) -> None:
    with pytest.raises(wire.ProtocolError) as caught:
        client_events.decode(message)
    assert caught.value.param == param


@pytest.mark.parametrize("text", ["", "null", "[]", "{", "\xff", '"x"', "1e999", "[" * 100_000])
def test_what_is_no_json_object_is_refused(text: str) -> None:
    with pytest.raises(wire.ProtocolError):
        wire.parse(text)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=12,
)
TYPES = st.sampled_from([client_events.encode(event)["type"] for event in [*CLIENT_EVENTS, *OUR_REQUESTS]])
KEYS = st.sampled_from(
    ["session", "audio", "item", "item_id", "audio_end_ms", "response", "content", "metadata", "type"]
)


@given(TYPES, st.dictionaries(KEYS, JSON, max_size=5))
def test_no_message_whatever_brings_the_server_down(kind: str, rest: dict[str, Any]) -> None:
    with contextlib.suppress(wire.ProtocolError):
        client_events.decode({**rest, "type": kind})


@given(
    st.sampled_from([m["type"] for e in [*SERVER_EVENTS, *OURS] for m in server_events.Encoder().encode(e, view())]),
    JSON,
)
def test_no_message_whatever_brings_the_terminal_down(kind: str, rest: Any) -> None:
    message = rest if isinstance(rest, dict) else {"session": rest, "response": rest, "item_id": rest, "error": rest}
    with contextlib.suppress(wire.ProtocolError):
        server_events.decode({**message, "type": kind})


def test_a_reply_is_told_in_the_standards_order() -> None:
    encoder = server_events.Encoder()
    told = [
        message["type"]
        for event in (
            events.ReplyCreated("r", "i", 1),
            events.ReplyDelta("r", "i", "Hi."),
            events.ReplyAudio("r", "i", b"\0\0"),
            events.ReplyDone("r", "i", 1, "completed", "Hi.", "", USAGE),
        )
        for message in encoder.encode(event, view())
    ]
    assert told == [
        "response.created",
        "response.output_item.added",
        "conversation.item.added",
        "response.content_part.added",
        "response.output_audio_transcript.delta",
        "response.output_audio.delta",
        "response.output_audio.done",
        "response.output_audio_transcript.done",
        "response.content_part.done",
        "response.output_item.done",
        "conversation.item.done",
        "response.done",
    ]


@pytest.mark.parametrize("text", ['{"type": "x", "text": "\\ud800 hi"}', '{"\\uDC00": 1}', '{"a": ["\\udfff"]}'])
def test_half_a_character_is_refused(text: str) -> None:
    with pytest.raises(wire.ProtocolError, match="half a character"):
        wire.parse(text)


def test_both_halves_are_a_character() -> None:
    assert wire.parse('{"text": "\\ud83d\\ude00"}') == {"text": "\U0001f600"}

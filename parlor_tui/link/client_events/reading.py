"""Reads what a client says, and tells in a line what is wrong with it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from parlor_tui.events import Role
from parlor_tui.link import turn_report
from parlor_tui.link.client_events.events import (
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
    PauseAudio,
    ReportCounts,
    ReportTurn,
    ResumeAudio,
    SayAloud,
    StopSaying,
    TruncateItem,
    UpdateSession,
)
from parlor_tui.link.wire import (
    IMAGE_PREFIXES,
    INPUT_RATES_HZ,
    MAX_MESSAGE_BYTES,
    MAX_NAME_CHARS,
    MAX_TEXT_CHARS,
    TURN_KEY,
    Json,
    ProtocolError,
    decode_bytes,
)
from parlor_tui.settings import SettingsError, Tuning

_MOST_TOKENS = 2048
"""What the standard's "inf" means here: as much as the settings allow."""
_LARGEST = 2**53
_MOST_PARTS = 64
"""Of one message's content."""


def decode(message: Json) -> ClientEvent:
    """The event in `message`; ProtocolError, naming the parameter, if it is none of ours or not valid."""
    match message.get("type"):
        case "session.update":
            return _read_session(_object(message, "session"))
        case "input_audio_buffer.append":
            return AppendAudio(decode_bytes(message.get("audio"), "audio"))
        case "input_audio_buffer.commit":
            return CommitAudio()
        case "input_audio_buffer.clear":
            return ClearAudio()
        case "parlor.input.paused":
            return PauseAudio(
                _whole(message, "turn", -1, _LARGEST),
                _whole(message, "pause", 0, _LARGEST),
                message.get("answer") is True,
            )
        case "parlor.input.resumed":
            return ResumeAudio()
        case "conversation.item.create":
            return _read_item(message)
        case "conversation.item.delete":
            return DeleteItem(_text(message, "item_id"))
        case "conversation.item.truncate":
            if message.get("content_index", 0) != 0:
                raise ProtocolError("a reply has one content part: content_index must be 0", param="content_index")
            return TruncateItem(_text(message, "item_id"), _whole(message, "audio_end_ms", 0, 86_400_000))
        case "response.create":
            return _read_response(message)
        case "response.cancel":
            return CancelResponse(_text(message, "response_id") if "response_id" in message else None)
        case "parlor.speech.create":
            return SayAloud(
                _whole(message, "number", 0, _LARGEST),
                _text(message, "text", most_chars=MAX_TEXT_CHARS),
                _optional_text(message, "voice", "voice") or "",
            )
        case "parlor.speech.cancel":
            return StopSaying()
        case "parlor.conversation.forget":
            return ForgetAll()
        case "parlor.models.get":
            return GetModel()
        case "parlor.models.cancel":
            return CancelModel()
        case turn_report.TYPE:
            return ReportTurn(turn_report.decode(message))
        case turn_report.COUNTS_TYPE:
            return ReportCounts(turn_report.decode_counts(message))
        case str(other):
            raise ProtocolError(f"{other} is not an event that this server takes", "invalid_event_type", "type")
        case _:
            raise ProtocolError("an event has a type", "missing_required_parameter", "type")


def _read_session(session: Json) -> UpdateSession:
    if session.get("type", "realtime") != "realtime":
        raise ProtocolError("session.type must be realtime", param="session.type")
    audio = _object(session, "audio", "session.audio", {})
    audio_in = _object(audio, "input", "session.audio.input", {})
    audio_out = _object(audio, "output", "session.audio.output", {})
    if audio_in.get("turn_detection") is not None:
        raise ProtocolError(
            "turns are detected by the client here: turn_detection must be null",
            param="session.audio.input.turn_detection",
        )
    for name, part, rates in (("input", audio_in, INPUT_RATES_HZ), ("output", audio_out, INPUT_RATES_HZ[:1])):
        form = _object(part, "format", f"session.audio.{name}.format", {"type": "audio/pcm"})
        rate = form.get("rate", rates[0])
        if form.get("type", "audio/pcm") != "audio/pcm" or not isinstance(rate, int) or rate not in rates:
            raise ProtocolError(
                f"the format must be audio/pcm at {' or '.join(map(str, rates))} Hz",
                param=f"session.audio.{name}.format",
            )
    rate = audio_in["format"].get("rate", INPUT_RATES_HZ[0]) if audio_in.get("format") else None
    return UpdateSession(
        input_rate_hz=rate,
        instructions=_optional_text(session, "instructions", "session.instructions", MAX_TEXT_CHARS),
        speak=_read_modalities(session.get("output_modalities"), "session.output_modalities"),
        tuning=_read_tuning(session, audio_out),
    )


def _read_tuning(session: Json, audio_out: Json) -> Json:
    """The values of live settings in `session`, each checked as the settings file's are."""
    most = session.get("max_output_tokens")
    if most == "inf":
        most = _MOST_TOKENS
    elif isinstance(most, int) and not isinstance(most, bool):
        most = min(most, _MOST_TOKENS)
    given = [
        ("speaking.voice", audio_out.get("voice"), "session.audio.output.voice"),
        ("speaking.speed", audio_out.get("speed"), "session.audio.output.speed"),
        ("answering.max_tokens", most, "session.max_output_tokens"),
    ]
    given += [(name, value, f"session.parlor.{name}") for name, value in _object(session, "parlor", "", {}).items()]
    tuning = Tuning()
    for name, value, param in given:
        if value is not None:
            if len(name) > MAX_NAME_CHARS:
                raise ProtocolError(f"no setting has a name of {len(name)} characters", param="session.parlor")
            if isinstance(value, list | dict):
                raise ProtocolError(f"{param} must be a single value", param=param)
            if isinstance(value, str) and len(value) > MAX_NAME_CHARS:
                raise ProtocolError(f"{param} has {len(value)} characters; at most {MAX_NAME_CHARS}", param=param)
            try:
                tuning = tuning.with_values({name: value}, param)
            except SettingsError as error:
                raise ProtocolError(str(error), param=param) from error
    checked = tuning.values()
    return {name: checked[name] for name, value, _ in given if value is not None}


def _read_modalities(value: Any, param: str) -> bool | None:
    if value is None:
        return None
    if value in (["audio"], ["text"]):
        return bool(value == ["audio"])
    raise ProtocolError(f'{param} must be ["audio"] or ["text"]', param=param)


@dataclass(slots=True)
class _Content:
    texts: list[str] = field(default_factory=list)
    pcm16: bytes = b""
    image: bytes | None = None


def _read_item(message: Json) -> CreateItem:
    item = _object(message, "item")
    if item.get("type") != "message":
        raise ProtocolError("only messages can be added to a conversation here", param="item.type")
    role = item.get("role")
    if role not in ("user", "assistant"):
        raise ProtocolError("item.role must be user or assistant", param="item.role")
    parts = item.get("content")
    if not isinstance(parts, list) or not parts:
        raise ProtocolError("item.content must be a list of content parts", param="item.content")
    if len(parts) > _MOST_PARTS:
        raise ProtocolError(f"a message has at most {_MOST_PARTS} content parts", param="item.content")
    content = _Content()
    for index, part in enumerate(parts):
        _read_part(part, f"item.content[{index}]", role, content)
    if sum(map(len, content.texts)) > MAX_TEXT_CHARS:
        raise ProtocolError(f"a message has at most {MAX_TEXT_CHARS} characters", param="item.content")
    if content.pcm16 and (content.texts or content.image):
        raise ProtocolError("send speech, and text or a picture, as items of their own", param="item.content")
    after = message.get("previous_item_id")
    return CreateItem(
        role,
        "\n".join(content.texts),
        content.pcm16,
        content.image,
        _optional_text(item, "id", "item.id"),
        _optional_text({"previous_item_id": after}, "previous_item_id", "previous_item_id"),
        item.get("parlor_frame") is True,
    )


def _read_part(part: Any, param: str, role: Role, content: _Content) -> None:
    if not isinstance(part, dict):
        raise ProtocolError(f"{param} must be an object", param=param)
    match (role, part.get("type")):
        case ("user", "input_text") | ("assistant", "output_text"):
            content.texts.append(_text(part, "text", f"{param}.text", MAX_TEXT_CHARS))
        case ("user", "input_audio"):
            content.pcm16 += decode_bytes(part.get("audio"), f"{param}.audio")
        case ("user", "input_image"):
            url = _text(part, "image_url", f"{param}.image_url", MAX_MESSAGE_BYTES)
            prefix = next((p for p in IMAGE_PREFIXES if url.startswith(p)), None)
            if prefix is None:
                raise ProtocolError(
                    "a picture must be a data URL of a JPEG or PNG in base64", param=f"{param}.image_url"
                )
            content.image = decode_bytes(url[len(prefix) :], f"{param}.image_url")
        case (_, kind):
            named = kind if isinstance(kind, str) else "that"
            raise ProtocolError(f"a message of the {role}'s cannot hold {named}", param=f"{param}.type")


def _read_response(message: Json) -> CreateResponse:
    response = _object(message, "response", "response", {})
    metadata = _object(response, "metadata", "response.metadata", {})
    turn = metadata.get(TURN_KEY, "-1")
    if not isinstance(turn, str) or not re.fullmatch(r"-?[0-9]{1,11}", turn):
        raise ProtocolError("the turn must be a whole number in text", param=f"response.metadata.{TURN_KEY}")
    return CreateResponse(int(turn), _read_modalities(response.get("output_modalities"), "response.output_modalities"))


def _object(message: Json, key: str, param: str = "", default: Json | None = None) -> Json:
    value = message.get(key)
    if value is None and default is not None:
        return default
    if not isinstance(value, dict):
        raise ProtocolError(f"{param or key} must be an object", param=param or key)
    return value


def event_id_of(message: Json) -> str | None:
    """The client's own name for its event, if it gave one. ProtocolError if it is longer than names are."""
    value = message.get("event_id")
    return _text(message, "event_id") if isinstance(value, str) and value else None


def _text(message: Json, key: str, param: str = "", most_chars: int = MAX_NAME_CHARS) -> str:
    value = message.get(key)
    if not isinstance(value, str) or not value:
        raise ProtocolError(f"{param or key} must be text", param=param or key)
    if len(value) > most_chars:
        raise ProtocolError(
            f"{param or key} has {len(value)} characters; at most {most_chars} are taken", param=param or key
        )
    return value


def _optional_text(message: Json, key: str, param: str, most_chars: int = MAX_NAME_CHARS) -> str | None:
    return None if message.get(key) is None else _text(message, key, param, most_chars)


def _whole(message: Json, key: str, low: int, high: int) -> int:
    value = message.get(key)
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise ProtocolError(f"{key} must be a whole number from {low} to {high}", param=key)
    return value

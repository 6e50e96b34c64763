"""Writes what the core says as the Realtime standard has it."""

from __future__ import annotations

import secrets
from dataclasses import asdict, dataclass

from parlor_tui.events import (
    CaptionFinal,
    CaptionPartial,
    CoreError,
    CoreEvent,
    CoreFailed,
    CoreFetched,
    CoreFetching,
    CoreGoverned,
    CoreHello,
    CoreLoading,
    CoreNotice,
    CoreOffer,
    CoreReady,
    EagerDropped,
    InputCleared,
    InputCommitted,
    InputTaken,
    ItemAdded,
    ItemDeleted,
    ItemTruncated,
    MachineRead,
    ReplyAudio,
    ReplyCreated,
    ReplyDelta,
    ReplyDone,
    ReplyReady,
    ReplyUnit,
    ReplyWords,
    SessionUpdated,
    SpeechOver,
    SpeechPiece,
    TurnJudged,
)
from parlor_tui.link import machine_event
from parlor_tui.link.wire import FAILED, OUTPUT_RATE_HZ, TURN_KEY, Json, encode_bytes
from parlor_tui.settings import Tuning

_STANDARD_REASONS = ("turn_detected", "client_cancelled", "max_output_tokens", "content_filter")


@dataclass(frozen=True, slots=True)
class SessionView:
    """What session.created and session.updated show of a session."""

    hello: CoreHello
    input_rate_hz: int
    instructions: str
    speak: bool
    tuning: Tuning


class Encoder:
    """Turns the core's events into the standard's, in the standard's order. One for each client."""

    def __init__(self) -> None:
        self._speaks: dict[str, bool] = {}

    def encode(self, event: CoreEvent, session: SessionView) -> list[Json]:
        """The messages that tell `event`, each with an event_id."""
        return [{"event_id": f"event_{secrets.token_hex(8)}", **message} for message in self._messages(event, session)]

    def _messages(self, event: CoreEvent, session: SessionView) -> list[Json]:
        match event:
            case CoreHello():
                return [{"type": "session.created", "session": _session(session)}]
            case SessionUpdated():
                return [{"type": "session.updated", "session": _session(session)}]
            case CoreLoading(text, done_bytes, total_bytes):
                return [{"type": "parlor.loading", "text": text, "done_bytes": done_bytes, "total_bytes": total_bytes}]
            case CoreReady():
                return [{"type": "parlor.ready", **asdict(event)}]
            case InputTaken(turn, kind, took_ms, ago_ms):
                return [
                    {"type": "parlor.input.taken", "turn": turn, "kind": kind, "took_ms": took_ms, "ago_ms": ago_ms}
                ]
            case SpeechPiece(number, pcm16):
                return [{"type": "parlor.speech.delta", "number": number, "delta": encode_bytes(pcm16)}]
            case SpeechOver(number, reason):
                return [{"type": "parlor.speech.done", "number": number, "reason": reason}]
            case MachineRead():
                return [machine_event.encode(event)]
            case CoreFailed(message, missing):
                return [{"type": "parlor.failed", "message": message, "missing": missing}]
            case CoreOffer():
                return [{"type": "parlor.models.offer", **asdict(event)}]
            case CoreFetching():
                return [{"type": "parlor.models.progress", **asdict(event)}]
            case CoreFetched():
                return [{"type": "parlor.models.over", **asdict(event)}]
            case CoreNotice(text):
                return [{"type": "parlor.notice", "text": text}]
            case CoreGoverned():
                return [{"type": "parlor.governor", **asdict(event)}]
            case CoreError(code, message, param, event_id):
                error = {"type": "invalid_request_error", "code": code, "message": message}
                return [{"type": "error", "error": error | {"param": param, "event_id": event_id}}]
            case InputCommitted(item_id):
                return [{"type": "input_audio_buffer.committed", "item_id": item_id, "previous_item_id": None}]
            case InputCleared():
                return [{"type": "input_audio_buffer.cleared"}]
            case ItemDeleted(item_id):
                return [{"type": "conversation.item.deleted", "item_id": item_id}]
            case ItemAdded():
                name = "conversation.item.done" if event.done else "conversation.item.added"
                return [{"type": name, "item": _item(event), "previous_item_id": event.previous_item_id}]
            case ItemTruncated(item_id, audio_end_ms, heard):
                place = {"item_id": item_id, "content_index": 0, "audio_end_ms": audio_end_ms}
                return [{"type": "conversation.item.truncated", **place, "parlor_heard": heard}]
            case TurnJudged():
                return [{"type": "parlor.turn.judged", **asdict(event)}]
            case ReplyReady(turn, pause):
                return [{"type": "parlor.eager.ready", "turn": turn, "pause": pause}]
            case EagerDropped(turn, ran_ms):
                return [{"type": "parlor.eager.dropped", "turn": turn, "ran_ms": ran_ms}]
            case CaptionPartial(item_id, text):
                return [{"type": "parlor.caption.partial", "item_id": item_id, "text": text}]
            case CaptionFinal():
                return _caption_final(event)
            case _:
                return self._reply(event)

    def _reply(self, event: CoreEvent) -> list[Json]:
        match event:
            case ReplyCreated(response_id, item_id, turn, speak, eager_ms):
                self._speaks[response_id] = speak
                item = _reply_item(item_id, "", "in_progress", speak)
                place = {"response_id": response_id, "output_index": 0}
                part = {"type": "audio", "transcript": ""} if speak else {"type": "text", "text": ""}
                return [
                    {
                        "type": "response.created",
                        "response": _response(response_id, item_id, turn, "in_progress", speak)
                        | {"parlor_eager_ms": eager_ms},
                    },
                    {"type": "response.output_item.added", **place, "item": item},
                    {"type": "conversation.item.added", "item": item, "previous_item_id": None},
                    {
                        "type": "response.content_part.added",
                        **place,
                        "item_id": item_id,
                        "content_index": 0,
                        "part": part,
                    },
                ]
            case ReplyDelta(response_id, item_id, text):
                kind = "output_audio_transcript" if self._speaks.get(response_id, True) else "output_text"
                return [{"type": f"response.{kind}.delta", **_place(response_id, item_id), "delta": text}]
            case ReplyUnit(response_id, item_id, text):
                return [{"type": "parlor.unit", **_place(response_id, item_id), "text": text}]
            case ReplyWords(response_id, item_id, text, ends_ms):
                ends = [list(end) for end in ends_ms]
                return [{"type": "parlor.words", **_place(response_id, item_id), "text": text, "ends_ms": ends}]
            case ReplyAudio(response_id, item_id, pcm16):
                delta = encode_bytes(pcm16)
                return [{"type": "response.output_audio.delta", **_place(response_id, item_id), "delta": delta}]
            case ReplyDone():
                return self._reply_done(event)
            case _:
                raise TypeError(f"no message for {event!r}")

    def _reply_done(self, event: ReplyDone) -> list[Json]:
        speak = self._speaks.pop(event.response_id, True)
        place = _place(event.response_id, event.item_id)
        whole = {"completed": "completed"}.get(event.status, "incomplete")
        item = _reply_item(event.item_id, event.text, whole, speak)
        if speak:
            part = {"type": "audio", "transcript": event.text}
            texts: list[Json] = [
                {"type": "response.output_audio.done", **place},
                {"type": "response.output_audio_transcript.done", **place, "transcript": event.text},
            ]
        else:
            part = {"type": "text", "text": event.text}
            texts = [{"type": "response.output_text.done", **place, "text": event.text}]
        details: Json = {"type": event.status}
        if event.reason in _STANDARD_REASONS:
            details["reason"] = event.reason
        elif event.reason:
            details["parlor_reason"] = event.reason
        if event.status == "failed":
            details["error"] = {"type": "server_error", "code": event.code or FAILED, "message": event.reason}
        response = _response(event.response_id, event.item_id, event.turn, event.status, speak) | {
            "status_details": details,
            "output": [item],
            "usage": {
                "input_tokens": event.usage.input_tokens,
                "output_tokens": event.usage.output_tokens,
                "total_tokens": event.usage.input_tokens + event.usage.output_tokens,
                "input_token_details": {"cached_tokens": event.usage.cached_tokens},
                "parlor_writing_ms": event.usage.writing_ms,
            },
        }
        return [
            *texts,
            {"type": "response.content_part.done", **place, "part": part},
            {"type": "response.output_item.done", "response_id": event.response_id, "output_index": 0, "item": item},
            {"type": "conversation.item.done", "item": item, "previous_item_id": None},
            {"type": "response.done", "response": response},
        ]


def _session(view: SessionView) -> Json:
    hello = view.hello
    speaking, answering = view.tuning.speaking, view.tuning.answering
    return {
        "type": "realtime",
        "object": "realtime.session",
        "id": hello.session_id,
        "model": hello.model,
        "output_modalities": ["audio" if view.speak else "text"],
        "instructions": view.instructions,
        "max_output_tokens": answering.max_tokens,
        "audio": {
            "input": {
                "format": {"type": "audio/pcm", "rate": view.input_rate_hz},
                "transcription": {"model": "whisper-1"},
                "turn_detection": None,
            },
            "output": {
                "format": {"type": "audio/pcm", "rate": OUTPUT_RATE_HZ},
                "voice": speaking.voice,
                "speed": speaking.speed,
            },
        },
        "parlor": {"profile": hello.profile, "demo_grade": hello.demo_grade, **view.tuning.values()},
    }


def _item(event: ItemAdded) -> Json:
    if event.role == "assistant":
        return _reply_item(event.item_id, event.text, "completed" if event.done else "in_progress", speak=False)
    return {
        "id": event.item_id,
        "object": "realtime.item",
        "type": "message",
        "role": "user",
        "status": "completed" if event.done else "in_progress",
        "content": [{"type": "input_text", "text": event.text}],
    }


def _reply_item(item_id: str, text: str, status: str, speak: bool) -> Json:
    part = {"type": "output_audio", "transcript": text} if speak else {"type": "output_text", "text": text}
    return {
        "id": item_id,
        "object": "realtime.item",
        "type": "message",
        "role": "assistant",
        "status": status,
        "content": [part],
    }


def _response(response_id: str, item_id: str, turn: int, status: str, speak: bool) -> Json:
    return {
        "id": response_id,
        "object": "realtime.response",
        "status": status,
        "output": [],
        "output_modalities": ["audio" if speak else "text"],
        "metadata": {TURN_KEY: str(turn)} if turn >= 0 else None,
        "parlor_item_id": item_id,
    }


def _place(response_id: str, item_id: str) -> Json:
    return {"response_id": response_id, "item_id": item_id, "output_index": 0, "content_index": 0}


def _caption_final(event: CaptionFinal) -> list[Json]:
    kind = "conversation.item.input_audio_transcription"
    place = {"item_id": event.item_id, "content_index": 0}
    usage = {"type": "duration", "seconds": event.audio_ms / 1000}
    return [
        *([{"type": f"{kind}.delta", **place, "delta": event.text}] if event.text else []),
        {"type": f"{kind}.completed", **place, "transcript": event.text, "usage": usage},
    ]

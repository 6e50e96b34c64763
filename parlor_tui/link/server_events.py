"""What the core says to a client: written by the server, read by the terminal."""

from __future__ import annotations

import secrets
from dataclasses import asdict, dataclass, fields
from typing import Any

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
    Usage,
)
from parlor_tui.link import machine_event
from parlor_tui.link.wire import OUTPUT_RATE_HZ, TURN_KEY, Json, ProtocolError, decode_bytes, encode_bytes
from parlor_tui.settings import Tuning

_FAILED = "failed"
"""The code of a failure of which nothing more is known."""
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
            details["error"] = {"type": "server_error", "code": event.code or _FAILED, "message": event.reason}
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


# --- reading ----------------------------------------------------------------------------------------------------------


def decode(message: Json) -> CoreEvent | None:
    """The event in `message`; None for one that says nothing new to us. ProtocolError if it is not well formed."""
    try:
        return _decode(message)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise ProtocolError(f"{message.get('type')}: not as the protocol has it ({error})") from error


def _decode(message: Json) -> CoreEvent | None:
    match message.get("type"):
        case "session.created":
            session = message["session"]
            ours = session.get("parlor") or {}
            return CoreHello(
                session_id=session.get("id", ""),
                profile=ours.get("profile", "remote"),
                model=session.get("model", ""),
                demo_grade=ours.get("demo_grade", False),
            )
        case "session.updated":
            return SessionUpdated()
        case "parlor.loading":
            return CoreLoading(message["text"], message["done_bytes"], message["total_bytes"])
        case "parlor.ready":
            said = {item.name: message[item.name] for item in fields(CoreReady) if item.name != "voices"}
            return CoreReady(**said, voices=tuple(message.get("voices", ())))
        case "parlor.input.taken":
            return InputTaken(message["turn"], message["kind"], message["took_ms"], message["ago_ms"])
        case "parlor.speech.delta":
            return SpeechPiece(int(message["number"]), decode_bytes(message["delta"], "delta"))
        case "parlor.speech.done":
            return SpeechOver(int(message["number"]), message["reason"])
        case machine_event.TYPE:
            return machine_event.decode(message)
        case "parlor.failed":
            return CoreFailed(message["message"], message["missing"])
        case "parlor.models.offer":
            return CoreOffer(
                name=message["name"],
                model=message["model"],
                lines=tuple(message["lines"]),
                left_bytes=message["left_bytes"],
                came_bytes=message["came_bytes"],
                free_bytes=message["free_bytes"],
                licences=tuple(message["licences"]),
                fits=message["fits"],
            )
        case "parlor.models.progress":
            return CoreFetching(
                name=message["name"],
                text=message["text"],
                done_bytes=message["done_bytes"],
                total_bytes=message["total_bytes"],
                bytes_per_s=message["bytes_per_s"],
                left_s=message["left_s"],
            )
        case "parlor.models.over":
            return CoreFetched(message["name"], message["model"], message["outcome"], message["text"])
        case "parlor.notice":
            return CoreNotice(message["text"])
        case "parlor.governor":
            reasons, reduced = (tuple(str(words) for words in message[name]) for name in ("reasons", "reduced"))
            return CoreGoverned(int(message["level"]), reasons, reduced, str(message["advice"]))
        case "parlor.turn.judged":
            return TurnJudged(**{item.name: message[item.name] for item in fields(TurnJudged)})
        case "parlor.eager.ready":
            return ReplyReady(message["turn"], message["pause"])
        case "parlor.eager.dropped":
            return EagerDropped(message["turn"], message["ran_ms"])
        case "parlor.caption.partial":
            return CaptionPartial(message["item_id"], message["text"])
        case "parlor.unit":
            return ReplyUnit(message["response_id"], message["item_id"], message["text"])
        case "parlor.words":
            ends = tuple((int(place), float(end_ms)) for place, end_ms in message["ends_ms"])
            return ReplyWords(message["response_id"], message["item_id"], message["text"], ends)
        case "error":
            error = message["error"]
            return CoreError(
                error.get("code") or error["type"], error["message"], error.get("param"), error.get("event_id")
            )
        case "input_audio_buffer.committed":
            return InputCommitted(message["item_id"])
        case "input_audio_buffer.cleared":
            return InputCleared()
        case "conversation.item.truncated":
            return ItemTruncated(message["item_id"], message["audio_end_ms"], message.get("parlor_heard", ""))
        case "conversation.item.input_audio_transcription.completed":
            seconds = message.get("usage", {}).get("seconds", 0.0)
            return CaptionFinal(message["item_id"], message["transcript"], seconds * 1000)
        case "response.created":
            return _decode_created(message["response"])
        case "response.output_audio_transcript.delta" | "response.output_text.delta":
            return ReplyDelta(message["response_id"], message["item_id"], message["delta"])
        case "response.output_audio.delta":
            return ReplyAudio(message["response_id"], message["item_id"], decode_bytes(message["delta"], "delta"))
        case "response.done":
            return _decode_done(message["response"])
        case _:
            return None


def _turn(response: Json) -> int:
    return int((response.get("metadata") or {}).get(TURN_KEY, -1))


def _decode_created(response: Json) -> ReplyCreated:
    speaks = response.get("output_modalities") != ["text"]
    eager_ms = response.get("parlor_eager_ms", 0.0)
    return ReplyCreated(response["id"], response.get("parlor_item_id", ""), _turn(response), speaks, eager_ms)


def _decode_done(response: Json) -> ReplyDone:
    output: list[Any] = response.get("output") or []
    parts = output[0]["content"] if output else []
    text = "".join(part.get("transcript") or part.get("text") or "" for part in parts)
    details = response.get("status_details") or {}
    counts = response.get("usage") or {}
    usage = Usage(
        counts.get("input_tokens", 0),
        counts.get("output_tokens", 0),
        (counts.get("input_token_details") or {}).get("cached_tokens", 0),
        counts.get("parlor_writing_ms", 0.0),
    )
    error = details.get("error") or {}
    reason = details.get("reason") or details.get("parlor_reason") or error.get("message", "")
    code = "" if error.get("code") in (None, _FAILED) else error["code"]
    item_id = output[0]["id"] if output else ""
    return ReplyDone(response["id"], item_id, _turn(response), response["status"], text, reason, usage, code)

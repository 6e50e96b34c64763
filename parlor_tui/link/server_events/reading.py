"""Reads what the core says."""

from __future__ import annotations

from dataclasses import fields
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
    ItemTruncated,
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
from parlor_tui.link.wire import FAILED, TURN_KEY, Json, ProtocolError, decode_bytes


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
    code = "" if error.get("code") in (None, FAILED) else error["code"]
    item_id = output[0]["id"] if output else ""
    return ReplyDone(response["id"], item_id, _turn(response), response["status"], text, reason, usage, code)

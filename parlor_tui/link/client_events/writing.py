"""Writes what a client says as the Realtime standard has it."""

from __future__ import annotations

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
from parlor_tui.link.wire import IMAGE_PREFIXES, TURN_KEY, Json, encode_bytes

_STANDARD_PLACES = {
    "speaking.voice": "voice",
    "speaking.speed": "speed",
    "answering.max_tokens": "max_output_tokens",
}


def encode(event: ClientEvent) -> Json:
    """`event` as the standard writes it."""
    match event:
        case UpdateSession():
            return {"type": "session.update", "session": _session(event)}
        case AppendAudio(pcm16):
            return {"type": "input_audio_buffer.append", "audio": encode_bytes(pcm16)}
        case CommitAudio():
            return {"type": "input_audio_buffer.commit"}
        case ClearAudio():
            return {"type": "input_audio_buffer.clear"}
        case PauseAudio(turn, pause, answer):
            return {"type": "parlor.input.paused", "turn": turn, "pause": pause, "answer": answer}
        case ResumeAudio():
            return {"type": "parlor.input.resumed"}
        case CreateItem():
            return _create_item(event)
        case DeleteItem(item_id):
            return {"type": "conversation.item.delete", "item_id": item_id}
        case TruncateItem(item_id, audio_end_ms):
            return {
                "type": "conversation.item.truncate",
                "item_id": item_id,
                "content_index": 0,
                "audio_end_ms": audio_end_ms,
            }
        case CreateResponse(turn, speak):
            response: Json = {"metadata": {TURN_KEY: str(turn)}}
            if speak is not None:
                response["output_modalities"] = ["audio" if speak else "text"]
            return {"type": "response.create", "response": response}
        case CancelResponse(response_id):
            return {"type": "response.cancel"} | ({"response_id": response_id} if response_id else {})
        case SayAloud(number, text, voice):
            return {"type": "parlor.speech.create", "number": number, "text": text} | (
                {"voice": voice} if voice else {}
            )
        case StopSaying():
            return {"type": "parlor.speech.cancel"}
        case ForgetAll():
            return {"type": "parlor.conversation.forget"}
        case GetModel():
            return {"type": "parlor.models.get"}
        case CancelModel():
            return {"type": "parlor.models.cancel"}
        case ReportTurn(report):
            return turn_report.encode(report)
        case ReportCounts(counts):
            return turn_report.encode_counts(counts)


def _session(event: UpdateSession) -> Json:
    audio_in: Json = {}
    if event.input_rate_hz is not None:
        audio_in = {"format": {"type": "audio/pcm", "rate": event.input_rate_hz}, "turn_detection": None}
    tuning = dict(event.tuning)
    standard = {key: tuning.pop(name) for name, key in _STANDARD_PLACES.items() if name in tuning}
    audio_out = {key: standard.pop(key) for key in ("voice", "speed") if key in standard}
    audio = {key: value for key, value in (("input", audio_in), ("output", audio_out)) if value}
    chosen = {
        "audio": audio or None,
        "instructions": event.instructions,
        "output_modalities": None if event.speak is None else ["audio" if event.speak else "text"],
        "parlor": tuning or None,
    }
    return {"type": "realtime"} | standard | {key: value for key, value in chosen.items() if value is not None}


def _create_item(event: CreateItem) -> Json:
    content: list[Json] = []
    if event.pcm16:
        content.append({"type": "input_audio", "audio": encode_bytes(event.pcm16)})
    if event.image is not None:
        content.append({"type": "input_image", "image_url": IMAGE_PREFIXES[0] + encode_bytes(event.image)})
    if event.text:
        content.append({"type": "input_text" if event.role == "user" else "output_text", "text": event.text})
    item: Json = {"type": "message", "role": event.role, "content": content}
    if event.item_id:
        item["id"] = event.item_id
    if event.frame:
        item["parlor_frame"] = True
    return {"type": "conversation.item.create", "item": item} | (
        {"previous_item_id": event.after} if event.after else {}
    )

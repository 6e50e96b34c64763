"""What a client says to the core: built by the terminal, read by the server."""

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
    ReportTurn,
    ResumeAudio,
    SayAloud,
    StopSaying,
    TruncateItem,
    UpdateSession,
)
from parlor_tui.link.client_events.reading import decode, event_id_of
from parlor_tui.link.client_events.writing import encode

__all__ = [
    "AppendAudio",
    "CancelModel",
    "CancelResponse",
    "ClearAudio",
    "ClientEvent",
    "CommitAudio",
    "CreateItem",
    "CreateResponse",
    "DeleteItem",
    "ForgetAll",
    "GetModel",
    "PauseAudio",
    "ReportTurn",
    "ResumeAudio",
    "SayAloud",
    "StopSaying",
    "TruncateItem",
    "UpdateSession",
    "decode",
    "encode",
    "event_id_of",
]

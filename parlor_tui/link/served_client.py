"""One client as the core serves it: what it says is carried out, and what happens is written for it."""

from __future__ import annotations

import asyncio
import json
import logging

from websockets.asyncio.server import ServerConnection

from parlor_tui.core.inference import InferenceCore
from parlor_tui.core.offering import Offering
from parlor_tui.core.profiles import Profile, label_of
from parlor_tui.core.session import Session
from parlor_tui.counts import Count, count
from parlor_tui.events import CoreEvent, CoreHello
from parlor_tui.link import client_events as say
from parlor_tui.link import wire
from parlor_tui.link.figures import Figures
from parlor_tui.link.server_events import Encoder, SessionView
from parlor_tui.settings import Settings

_log = logging.getLogger(__name__)


class ServedClient:
    """One client's session, its requests read and its events written."""

    def __init__(
        self,
        core: InferenceCore,
        settings: Settings,
        outbox: asyncio.Queue[str],
        connection: ServerConnection,
        offering: Offering | None,
        figures: Figures,
    ) -> None:
        self._offering = offering
        self._figures = figures
        self._outbox = outbox
        self._connection = connection
        self._encoder = Encoder()
        self.session = Session(core, self.emit, settings.tuning(core.profile.name))
        self._core = core
        self._ending: set[asyncio.Future[None]] = set()
        self._hello = _hello(core.profile, settings, self.session.session_id)
        self.emit(self._hello)

    def emit(self, event: CoreEvent) -> None:
        """Put what tells `event` into the outbox. A client that does not read is cut off."""
        self._figures.metrics.core_said(event)
        for message in self._encoder.encode(event, self._view()):
            try:
                self._outbox.put_nowait(json.dumps(message, ensure_ascii=False))
            except asyncio.QueueFull:
                _log.warning("a client does not read its events: cut off")
                count(Count.CLIENTS_CUT_OFF)
                self._connection.transport.abort()
                return

    def receive(self, message: bytes) -> None:
        """Carry out one request. Whatever is wrong with it is told in a line, and ends nothing."""
        event_id: str | None = None
        try:
            request = wire.parse(message)
            event_id = say.event_id_of(request)
            self._carry_out(say.decode(request), event_id)
        except wire.ProtocolError as error:
            count(Count.MESSAGES_REFUSED)
            self.session.refuse(error.code, str(error), event_id, error.param)
        except Exception:  # noqa: BLE001 - the edge to a client: no request of one ends the talk, least of all another's
            _log.exception("a request")
            count(Count.MESSAGES_REFUSED)
            self.session.refuse(
                "server_error", "the request could not be carried out; the core's log says why", event_id
            )

    def _carry_out(self, request: say.ClientEvent, event_id: str | None) -> None:
        session = self.session
        match request:
            case say.UpdateSession():
                session.update(
                    input_rate_hz=request.input_rate_hz,
                    instructions=request.instructions,
                    speak=request.speak,
                    tuning=request.tuning,
                    event_id=event_id,
                )
            case say.AppendAudio(pcm16):
                session.append(pcm16, event_id)
            case say.CommitAudio():
                session.commit(event_id)
            case say.ClearAudio():
                session.clear()
            case say.PauseAudio(turn, pause, answer):
                session.paused(turn, pause, answer=answer)
            case say.ResumeAudio():
                session.resumed()
            case say.CreateItem(pcm16=pcm16) if pcm16:
                session.add_audio_item(pcm16, item_id=request.item_id, after=request.after, event_id=event_id)
            case say.CreateItem(role, text, _, picture, item_id, after, frame):
                session.add_item(
                    role, text, item_id=item_id, after=after, picture=picture, frame=frame, event_id=event_id
                )
            case say.DeleteItem(item_id):
                session.delete(item_id, event_id)
            case say.TruncateItem(item_id, audio_end_ms):
                session.truncate(item_id, audio_end_ms, event_id)
            case say.CreateResponse(turn, speak):
                session.respond(turn, event_id, speak=speak)
            case say.CancelResponse(response_id):
                session.cancel(response_id, event_id)
            case say.SayAloud(number, text, voice):
                session.say_aloud(number, text, voice, event_id)
            case say.StopSaying():
                session.stop_saying()
            case say.ForgetAll():
                self._forget_all()
            case say.GetModel() | say.CancelModel():
                self._models(request, event_id)
            case say.ReportTurn(report):
                self._figures.metrics.turn_over(report)
            case say.ReportCounts(counts):
                self._figures.metrics.terminal_counted(counts)

    def _forget_all(self) -> None:
        """Begin a session with the settings of the one before, which may still end what it was at."""
        former, self.session = self.session, Session(self._core, self.emit, self.session.tuning)
        self.session.update(input_rate_hz=former.input_rate_hz, instructions=former.instructions, speak=former.speak)
        ending = asyncio.ensure_future(former.close())
        self._ending.add(ending)
        ending.add_done_callback(self._ending.discard)

    def _models(self, request: say.GetModel | say.CancelModel, event_id: str | None) -> None:
        if self._offering is None:
            self.session.refuse("nothing_offered", "this core offers no other model", event_id)
        elif isinstance(request, say.GetModel):
            self._offering.get()
        else:
            self._offering.cancel()

    def _view(self) -> SessionView:
        session = self.session
        return SessionView(self._hello, session.input_rate_hz, session.instructions, session.speak, session.tuning)


def _hello(profile: Profile, settings: Settings, session_id: str) -> CoreHello:
    return CoreHello(session_id, profile.name, label_of(profile, settings), profile.demo_grade)

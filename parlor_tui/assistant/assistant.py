"""The terminal side: one thread that owns the talk, fed through one bounded inbox; and the ordered stop of all."""

from __future__ import annotations

import contextlib
import logging
import queue
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from parlor_tui.assistant.core.offers import NotNow, not_now_file
from parlor_tui.assistant.demo.demo import Demo
from parlor_tui.assistant.dispatch import Dispatch
from parlor_tui.assistant.inbox import FromCore, LinkDown, LinkUp, Stop
from parlor_tui.assistant.requests import Requests
from parlor_tui.assistant.terminal_side import TerminalSide
from parlor_tui.devices.select import Opener
from parlor_tui.events import Event, Failed, ItemTruncated, now_s
from parlor_tui.hearing.turn import ReplyPhase
from parlor_tui.link.client_events import ClientEvent
from parlor_tui.link.supervisor import Supervisor, core_command
from parlor_tui.settings import Settings, log_file

_log = logging.getLogger(__name__)
_TICK_S = 0.03
_IDLE_S = 0.25
"""Without a reply to feed to the speaker there is nothing to do between messages."""
_HEARD_WITHIN_S = 0.2
"""Who leaves waits no longer for the core to say how much of a reply was heard."""


class Assistant(Requests):
    """Owns the devices, the core's supervisor and the talk. `listener` is called on the assistant's own thread; where
    a request finds no room, on that of who asked.

    `config` is the settings file the core is to read too, if the user named one. `core` is a command line that starts
    another core than the settings' own, `opener` brings other devices. `log` is where core and libraries print to, with
    journal and incidents beside it, if not in the usual place; `told` sees all that the core is told.
    """

    def __init__(
        self,
        settings: Settings,
        config: Path | None,
        listener: Callable[[Event], None],
        *,
        opener: Opener | None = None,
        core: Sequence[str] = (),
        demo: Demo | None = None,
        log: Path | None = None,
        told: Callable[[ClientEvent], None] | None = None,
    ) -> None:
        super().__init__(lambda why: listener(Failed(at_s=now_s(), text=why)))
        log = log or log_file()
        self._supervisor = Supervisor(
            list(core) or core_command(settings, config),
            log,
            on_up=lambda link: self._put(LinkUp(link)),
            on_event=lambda event: self._put(FromCore(event)),
            on_down=lambda reason, then: self._put(LinkDown(reason, then)),
        )
        self._side = TerminalSide(
            settings,
            config,
            listener,
            self._put,
            self._supervisor.restart,
            log,
            NotNow(not_now_file()),
            opener=opener,
            demo=demo,
            told=told,
        )
        self._dispatch = Dispatch(self._side)
        self._stopping = threading.Event()
        self._core_ends_by_s = 0.0
        self._thread = threading.Thread(target=self._run, name="assistant", daemon=True)

    # --- called by the screen, from any thread ------------------------------------------------------------------------

    @property
    def core_pid(self) -> int | None:
        """The core's process number, while there is one."""
        return self._supervisor.core_pid

    def start(self) -> None:
        """Open the devices and start the core in the background; trouble arrives as events."""
        self._thread.start()
        self._supervisor.start()

    def stop(self, timeout_s: float) -> None:
        """Stop everything: input, then the talk and the core, then output. Waits about `timeout_s` at most."""
        if self._thread.is_alive():
            self._core_ends_by_s = now_s() + timeout_s * 0.6
            self._stopping.set()
            with contextlib.suppress(queue.Full):
                self._inbox.put_nowait(Stop())
            self._thread.join(timeout_s)
        self._supervisor.stop(0.1)  # if that was never begun, or hangs

    # --- the assistant's own thread -----------------------------------------------------------------------------------

    def _run(self) -> None:
        try:
            self._side.open()
            while not self._stopping.is_set():
                try:
                    message = self._inbox.get(timeout=_IDLE_S if self._side.is_at_rest else _TICK_S)
                except queue.Empty:
                    pass
                else:
                    if isinstance(message, Stop):
                        break
                    self._dispatch.take(message)
                self._dispatch.lost(self._overflow.take())
                self._side.tick()
            self._break_off()
        except Exception as error:  # noqa: BLE001 - the edge of the thread: the screen must hear that nobody listens
            _log.exception("assistant")
            self._side.failed(error)
        finally:
            self._side.close(lambda: self._supervisor.stop(max(0.3, self._core_ends_by_s - now_s())))

    def _break_off(self) -> None:
        """A reply under way is interrupted: its turn is journalled, and kept as far as it was heard, like any other."""
        if self._side.talk.phase is ReplyPhase.NONE:
            return
        self._side.talk.interrupt("key")
        until_s = now_s() + _HEARD_WITHIN_S
        told = False
        while not told and (left_s := until_s - now_s()) > 0:
            with contextlib.suppress(queue.Empty):
                message = self._inbox.get(timeout=left_s)
                if isinstance(message, FromCore):
                    self._dispatch.take(message)
                    told = isinstance(message.event, ItemTruncated)

"""The offer of a better model as the terminal deals with it: told, taken, put off, gone on with after a crash."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from parlor_tui.events import (
    CoreFetched,
    CoreFetching,
    CoreOffer,
    Event,
    Failed,
    ModelComing,
    ModelOffered,
    ModelOver,
    now_s,
)
from parlor_tui.link.client_events import CancelModel, ClientEvent, GetModel
from parlor_tui.settings import APP
from parlor_tui.whole_file import whole_file

_log = logging.getLogger(__name__)


def not_now_file() -> Path:
    """Where it is kept to which models the user said "not now"."""
    import platformdirs

    return Path(platformdirs.user_state_path(APP, appauthor=False)) / "models-not-now"


class NotNow:
    """Names of the models that the user wants no more offers of, one a line in `file`.

    A file that cannot be read counts as empty, and one that cannot be written costs another question: both are logged.
    """

    def __init__(self, file: Path) -> None:
        self._file = file

    def __contains__(self, name: str) -> bool:
        """Whether there is to be no offer of `name`."""
        return name in self._names()

    def add(self, name: str) -> None:
        """No offer of `name` any more."""
        self._write(self._names() | {name})

    def discard(self, name: str) -> None:
        """Offers of `name` again."""
        if name in self:
            self._write(self._names() - {name})

    def _names(self) -> set[str]:
        try:
            return set(self._file.read_text("utf-8").split("\n")) - {""}
        except FileNotFoundError:
            return set()
        except (OSError, UnicodeDecodeError) as error:
            _log.warning("%s cannot be read: %s", self._file, error)
            return set()

    def _write(self, names: set[str]) -> None:
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            with whole_file(self._file) as file:
                file.write("".join(f"{name}\n" for name in sorted(names)).encode("utf-8"))
        except OSError as error:
            _log.warning("%s cannot be written: %s", self._file, error)


class Offers:
    """What the core offers and what the user wants of it. One thread."""

    def __init__(self, emit: Callable[[Event], None], send: Callable[[ClientEvent], None], not_now: NotNow) -> None:
        self._emit = emit
        self._send = send
        self._not_now = not_now
        self._offer: CoreOffer | None = None
        self._wanted = False
        self.got = ""
        """The model that is here now and that a new core would use; empty if there is none."""

    def core_new(self) -> None:
        """Another core is there: what the last one offered is void. What the user wanted is still wanted."""
        self._offer, self.got = None, ""

    def core_said(self, event: CoreOffer | CoreFetching | CoreFetched) -> None:
        """Take one event of the core's."""
        at_s = now_s()
        match event:
            case CoreOffer():
                self._offer = event
                if self._wanted:  # the core died while it got the model
                    self._send(GetModel())
                else:
                    self._emit(ModelOffered(at_s=at_s, declined=event.name in self._not_now, **asdict(event)))
            case CoreFetching():
                self._emit(ModelComing(at_s=at_s, **asdict(event)))
            case CoreFetched():
                self._wanted = False
                if event.outcome == "got":
                    self._offer, self.got = None, event.model
                self._emit(ModelOver(at_s=at_s, name=event.name, outcome=event.outcome, text=event.text))

    def get(self) -> None:
        """The user wants the model."""
        if self._offer is None:
            self._emit(Failed(at_s=now_s(), text="there is no model to get; `parlor-tui models list` names all"))
            return
        self._wanted = True
        self._not_now.discard(self._offer.name)
        self._send(GetModel())

    def cancel(self) -> None:
        """The user wants it no longer; what came is kept."""
        self._wanted = False
        self._send(CancelModel())

    def decline(self) -> None:
        """The user does not want it now, and no more offers of it. One that is on its way is cancelled."""
        if self._offer is None:
            return
        if self._wanted:
            self.cancel()
        name = self._offer.name
        self._not_now.add(name)
        text = f"{self._offer.model} is not offered again; `parlor-tui models get {name}` gets it at any time"
        self._emit(ModelOver(at_s=now_s(), name=name, outcome="declined", text=text))

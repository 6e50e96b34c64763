"""Offers Gemma where another profile is used for want of it, and gets it when a client asks, while the talk goes on."""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import logging
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from parlor_tui.core.inference import one_line
from parlor_tui.core.profiles import GEMMA, Profile
from parlor_tui.engines.device_memory import gpu_memory, main_memory
from parlor_tui.engines.memory_budget import CONTEXTS, OTHER_PARTS, Candidate, Device, NoFit, contexts_from, fit
from parlor_tui.events import CoreFetched, CoreFetching, CoreOffer, ModelOutcome
from parlor_tui.models import catalogue, needs
from parlor_tui.models.base import Cancelled, ModelError, Progress
from parlor_tui.models.store import Store, store_of
from parlor_tui.settings import Settings
from parlor_tui.speech.base import SpeechError
from parlor_tui.speech.runtime import runtime_here

OfferEvent = CoreOffer | CoreFetching | CoreFetched

_log = logging.getLogger(__name__)


def offering(settings: Settings, profile: Profile) -> Offering | None:
    """What the core in which `profile` was chosen has to offer.

    None if the user chose the profile, has Gemma, wants no offer, or if Gemma can neither be had nor run here.
    """
    wanted = settings.core.profile == "auto" and profile is not GEMMA and settings.models.offer
    possible = settings.models.hub and importlib.util.find_spec("litert_lm") is not None
    return Offering(store_of(settings), profile, settings) if wanted and possible else None


def shortage(
    settings: Settings,
    memory: Callable[[], Device] = main_memory,
    gpu: Callable[[], Device | None] = gpu_memory,
) -> str:
    """Why Gemma would not fit into this machine's memory, in one line; empty if it would.

    What other programs have of the memory now does not count: they may be gone when Gemma is here.
    """
    model = catalogue.find(needs.GEMMA)
    gemma = Candidate(GEMMA.model_label, Path(model.name) / model.files[0].name, model.size_bytes)
    core = settings.core
    why = ""
    for device, others in ((memory(), OTHER_PARTS), (gpu(), dict[str, int]())):
        if device is None:
            continue
        try:
            fit(
                [gemma],
                contexts_from(core.context_tokens, max(CONTEXTS)),
                replace(device, in_use_bytes=0),
                limit_percent=core.memory_percent,
                others=others,
                conversations=core.max_requests,
            )
        except NoFit as error:
            why = why or error.shortage
        else:
            return ""
    return why


class Offering:
    """One offer to all clients, and one download however many of them ask. To be used from one event loop.

    Looking for what is here and getting what is not happen on threads of their own.
    """

    def __init__(self, store: Store, profile: Profile, settings: Settings) -> None:
        self._store = store
        self._profile = profile
        self._settings = settings
        self._loop: asyncio.AbstractEventLoop | None = None
        self._watchers: list[Callable[[OfferEvent], None]] = []
        self._offer: CoreOffer | None = None
        self._coming: CoreFetching | None = None
        self._cancelled: threading.Event | None = None
        self._again = False

    def start(self) -> None:
        """Make the offer. Call once, in the event loop."""
        self._loop = asyncio.get_running_loop()
        threading.Thread(target=self._look, name="offer", daemon=True).start()

    def watch(self, watcher: Callable[[OfferEvent], None]) -> Callable[[], None]:
        """Tell `watcher` how things stand, now and at each change. Returns the call that ends it."""
        self._watchers.append(watcher)
        for event in (self._offer, self._coming):
            if event is not None:
                watcher(event)
        return lambda: self._watchers.remove(watcher)

    def get(self) -> None:
        """Get the model, or go on with it. While it is on its way nothing new happens."""
        if self._cancelled is not None:
            self._again = self._cancelled.is_set()
            return
        self._cancelled, self._again = threading.Event(), False
        self._progress(CoreFetching(needs.GEMMA, f"{GEMMA.model_label}: starting"))
        threading.Thread(target=self._fetch, args=(self._cancelled,), name="models-get", daemon=True).start()

    def cancel(self) -> None:
        """Stop getting it, soon; what came is kept, and gone on from."""
        self._again = False
        if self._cancelled is not None:
            self._cancelled.set()

    def close(self) -> None:
        """Stop getting it: the core ends."""
        self.cancel()

    # --- in the event loop --------------------------------------------------------------------------------------------

    def _tell(self, event: OfferEvent) -> None:
        for watcher in tuple(self._watchers):
            watcher(event)

    def _offered(self, offer: CoreOffer | None) -> None:
        self._offer = offer
        if offer is not None:
            self._tell(offer)

    def _progress(self, event: CoreFetching) -> None:
        if self._cancelled is not None and not self._cancelled.is_set():
            self._coming = event
            self._tell(event)

    def _over(self, event: CoreFetched, offer: CoreOffer | None) -> None:
        again = self._again and event.outcome == "cancelled"
        self._cancelled = self._coming = None
        self._tell(event)
        self._offered(offer)
        if again:
            self.get()

    # --- on threads of their own --------------------------------------------------------------------------------------

    def _look(self) -> None:
        offer = self._make()
        self._later(lambda: self._offered(offer))

    def _fetch(self, cancelled: threading.Event) -> None:
        def report(step: Progress) -> None:
            event = CoreFetching(
                step.model, step.text, step.done_bytes, step.total_bytes, step.bytes_per_s, step.left_s
            )
            self._later(lambda: self._progress(event))

        outcome: ModelOutcome = "failed"
        try:
            self._store.get_all(self._missing(), report, cancelled)
            outcome, text = "got", f"{GEMMA.model_label} is here"
        except Cancelled:
            outcome, text = "cancelled", f"{GEMMA.model_label} was cancelled; what came is kept"
        except ModelError as error:
            text = one_line(error)
        except Exception as error:  # noqa: BLE001 - the edge of the thread: every failure is told to the user
            _log.exception("getting %s", needs.GEMMA)
            text = f"{GEMMA.model_label} could not be got: {one_line(error)}"
        offer = None if outcome == "got" else self._make()
        over = CoreFetched(needs.GEMMA, GEMMA.model_label, outcome, text)
        self._later(lambda: self._over(over, offer))

    def _missing(self) -> tuple[str, ...]:
        """What Gemma takes beside what the profile in use brings anyway: itself first, then captions and speech."""
        runtime = ""
        with contextlib.suppress(SpeechError):  # loading says what is wrong with the runtime
            runtime = runtime_here(self._settings.speaking.runtime)
        runtime = runtime if runtime != "onnx" else ""
        used = needs.needed(self._profile.name, self._settings, runtime)
        names = needs.needed(GEMMA.name, self._settings, runtime)
        return tuple(name for name in names if name not in used and not self._store.has(name))

    def _make(self) -> CoreOffer | None:
        try:
            if why := shortage(self._settings):
                _log.info("no offer: %s", why)
                return None
            offer = self._store.offer(self._missing())
        except ModelError as error:
            _log.warning("no offer: %s", error)
            return None
        except Exception:  # noqa: BLE001 - the edge of the thread: what ends with an offer ends without one as well
            _log.exception("no offer")
            return None
        return CoreOffer(
            name=needs.GEMMA,
            model=GEMMA.model_label,
            lines=offer.lines(),
            left_bytes=offer.left_bytes,
            came_bytes=sum(model.size_bytes for model in offer.models) - offer.left_bytes,
            free_bytes=offer.free_bytes,
            licences=offer.licences,
            fits=offer.fits,
        )

    def _later(self, call: Callable[[], None]) -> None:
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop is closed: nobody is there to be told
                self._loop.call_soon_threadsafe(call)

"""The shared inference core: the models of one profile, loaded once and resident, and the threads that run them."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor

from parlor_tui.core.admission import Admission, Place
from parlor_tui.core.governor import SLOW_S, Caps
from parlor_tui.core.loading import Loader
from parlor_tui.core.profiles import Parts, Profile
from parlor_tui.events import CoreFailed, CoreLoading, CoreNotice, CoreReady, now_s

LoadingEvent = CoreLoading | CoreReady | CoreFailed | CoreNotice
_FEWEST_MS_BETWEEN_REPORTS = 100
_WATCH_EVERY_S = 0.25
WEDGED_S = 2.0
"""A native call that is overdue by this much will not come back."""


class InferenceCore:
    """Loads in the background; sessions wait for `parts`.

    Captions, answers and speech have threads of their own (answers one for each reply that may be made at the
    same time), so that the stages of a turn overlap. To be used from one event loop.

    `on_wedged` is called, on a thread of its own, when the engine does not come back from a native call, with the
    seconds it is overdue.
    """

    def __init__(self, profile: Profile, load: Loader, max_requests: int, on_wedged: Callable[[float], None]) -> None:
        self.profile = profile
        self._load = load
        self._on_wedged = on_wedged
        self.unheard: set[Callable[[], None]] = set()
        """Called when every place is taken and a reply is asked for: replies that nobody asked for yet make room."""
        self.caps = Caps()
        """What is done without at present, in every session."""
        self.on_inference: set[Callable[[float], None]] = set()
        """Called, in the event loop, after each single inference, with how long it took in seconds."""
        self.admission = Admission(max_requests)
        """Who has a place for a reply, and who waits for one."""
        self._cancelled = threading.Event()
        self._watchers: list[Callable[[LoadingEvent], None]] = []
        self._latest: LoadingEvent = CoreLoading("loading")
        self._notices: tuple[CoreNotice, ...] = ()
        self._parts: asyncio.Future[Parts] | None = None
        self.caption_pool = ThreadPoolExecutor(1, "captions")
        self.judge_pool = ThreadPoolExecutor(1, "end of turn")
        self.engine_pool = ThreadPoolExecutor(max_requests, "engine")
        self.voice_pool = ThreadPoolExecutor(1, "voice")

    def start(self) -> None:
        """Begin to load. Call once, in the event loop."""
        loop = asyncio.get_running_loop()
        self._parts = loop.create_future()
        # Not every core has somebody waiting for the parts; a failure is told to the watchers in any case.
        self._parts.add_done_callback(lambda parts: parts.cancelled() or parts.exception())
        threading.Thread(target=self._load_in_background, args=(loop, self._parts), name="load", daemon=True).start()

    def watch(self, watcher: Callable[[LoadingEvent], None]) -> Callable[[], None]:
        """Tell `watcher` the state of loading, now and at each change. Returns the call that ends it."""
        self._watchers.append(watcher)
        for notice in self._notices:
            watcher(notice)
        watcher(self._latest)
        return lambda: self._watchers.remove(watcher)

    async def parts(self) -> Parts:
        """The loaded models; waits for them. Raises what loading raised."""
        if self._parts is None:
            raise RuntimeError("the core was not started")
        return await asyncio.shield(self._parts)

    @property
    def loaded(self) -> Parts | None:
        """The loaded models; None as long as, and if, there are none."""
        parts = self._parts
        done = parts is not None and parts.done() and not parts.cancelled() and parts.exception() is None
        return parts.result() if parts is not None and done else None

    def inferred(self, took_s: float, *, whole: bool) -> None:
        """The engine has ended a single inference, which took it `took_s`; not `whole`: if quick, it says little."""
        if not whole and took_s <= SLOW_S:
            return
        for told in tuple(self.on_inference):
            told(took_s)

    @property
    def replying(self) -> int:
        """How many replies are being made."""
        return self.admission.inside

    @property
    def waiting(self) -> int:
        """How many wait for a place."""
        return self.admission.waiting

    def ask_for_place(self, client: Hashable) -> Place:
        """Stand in line for the place of one reply. Raises Busy where the line is full."""
        if not self.admission.has_place:
            for give_way in tuple(self.unheard):
                give_way()
        return self.admission.ask(client)

    async def granted(self, place: Place) -> bool:
        """Wait for the place; False if it was given up. Raises Busy; while the models load, no wait is too long."""
        return await place.granted(self._parts)

    def close(self) -> None:
        """Stop loading and take no more work. Does not wait for native calls, which cannot be interrupted."""
        self._cancelled.set()
        for pool in (self.caption_pool, self.judge_pool, self.engine_pool, self.voice_pool):
            pool.shutdown(wait=False, cancel_futures=True)

    def _watch_engine(self, parts: Parts) -> None:
        while not self._cancelled.wait(_WATCH_EVERY_S):
            stuck_s = parts.engine.stuck_s(now_s())
            if stuck_s > WEDGED_S:
                self._on_wedged(stuck_s)
                return

    def _tell(self, event: LoadingEvent) -> None:
        if not isinstance(event, CoreNotice):
            self._latest = event
        for watcher in tuple(self._watchers):
            watcher(event)

    def _load_in_background(self, loop: asyncio.AbstractEventLoop, parts: asyncio.Future[Parts]) -> None:
        began_s = now_s()
        last_report_s = 0.0
        last_text = ""

        def report(text: str, done_bytes: int, total_bytes: int) -> None:
            nonlocal last_report_s, last_text
            if text == last_text and (now_s() - last_report_s) * 1000 < _FEWEST_MS_BETWEEN_REPORTS:
                return
            last_report_s, last_text = now_s(), text
            loop.call_soon_threadsafe(self._tell, CoreLoading(text, done_bytes, total_bytes))

        def finish(loaded: Parts | None, error: BaseException | None) -> None:
            if error is None and loaded is not None:
                parts.set_result(loaded)
                able = loaded.engine.abilities
                self._notices = tuple(CoreNotice(notice) for notice in loaded.notices)
                for notice in self._notices:
                    self._tell(notice)
                took_ms = (now_s() - began_s) * 1000
                names, voices = (loaded.profile.name, loaded.engine.name), loaded.voice.voices
                self._tell(CoreReady(took_ms, *names, able.hears, able.sees, voices))
                threading.Thread(target=self._watch_engine, args=(loaded,), name="watchdog", daemon=True).start()
            elif error is not None:
                parts.set_exception(error)
                self._tell(CoreFailed(one_line(error), missing=bool(getattr(error, "missing", False))))

        try:
            loaded = self._load(report, self._cancelled)
        except Exception as error:  # noqa: BLE001 - the edge of a thread: every failure to load is told to the user
            outcome: tuple[Parts | None, BaseException | None] = (None, error)
        else:
            outcome = (loaded, None)
        if not loop.is_closed():
            loop.call_soon_threadsafe(finish, *outcome)


def one_line(error: BaseException) -> str:
    """An exception as one line for a person."""
    text = " ".join(str(error).split())
    return text or type(error).__name__

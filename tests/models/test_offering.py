"""The offer of Gemma: what it says, its download by a real store from an imitated hub, and all of it over the link."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from parlor_tui.core.inference import InferenceCore
from parlor_tui.core.offering import OfferEvent, Offering, offering, shortage
from parlor_tui.core.profiles import GEMMA, LITE, OnProgress, Parts
from parlor_tui.engines.memory_budget import Device
from parlor_tui.events import CoreError, CoreEvent, CoreFetched, CoreFetching, CoreHello, CoreOffer
from parlor_tui.link.client import Link
from parlor_tui.link.client_events import CancelModel, ClientEvent, GetModel
from parlor_tui.link.server import CoreServer
from parlor_tui.models import catalogue
from parlor_tui.models.base import ModelFile
from parlor_tui.models.hub_models import HUB_MODELS
from parlor_tui.models.sources import HubSource
from parlor_tui.models.store import Store, store_of
from parlor_tui.settings import Settings
from tests.models import samples
from tests.models.hub import Hub

WORDS = b"words" * 1000
WORDS_REPO = "some-org/some-words"
ALL_BYTES = samples.BIG_BYTES + len(samples.SMALL) + len(WORDS)


@pytest.fixture(autouse=True)
def small_models(monkeypatch: pytest.MonkeyPatch, hub: Hub) -> None:
    """Gemma and its captions are small ones, which the hub has; all else is as the catalogue has it."""
    gemma = replace(samples.model(samples.hub_source()), name="gemma-4-e2b")
    words = catalogue.Model(
        "whisper-base",
        "captions",
        "MIT",
        (samples.file_of("words.bin", WORDS),),
        (HubSource(WORDS_REPO, "main", {"words.bin": "words.bin"}),),
    )
    monkeypatch.setattr(catalogue, "MODELS", {**catalogue.MODELS, gemma.name: gemma, words.name: words})
    hub.files[f"{WORDS_REPO}/words.bin"] = WORDS


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings().with_values({"models.folder": str(tmp_path / "models"), "models.source_timeout_s": 20}, "test")


class Told:
    """What one watcher was told."""

    def __init__(self) -> None:
        self.events: list[OfferEvent] = []

    async def until(self, happened: Callable[[], bool], what: str) -> None:
        for _ in range(1500):
            if happened():
                return
            await asyncio.sleep(0.02)
        raise AssertionError(f"waited for {what} in vain; told {self.events[-5:]}")

    def offers(self) -> list[CoreOffer]:
        return [event for event in self.events if isinstance(event, CoreOffer)]

    def steps(self) -> list[CoreFetching]:
        return [event for event in self.events if isinstance(event, CoreFetching)]

    def overs(self) -> list[CoreFetched]:
        return [event for event in self.events if isinstance(event, CoreFetched)]


def play(settings: Settings, body: Callable[[Offering, Told], Awaitable[None]]) -> Told:
    """Have `body` deal with an offer that was just made."""
    told = Told()

    async def run() -> None:
        offered = offering(settings, LITE)
        assert offered is not None
        offered.watch(told.events.append)
        offered.start()
        await told.until(lambda: bool(told.offers()), "the offer")
        await body(offered, told)

    asyncio.run(run())
    return told


def weights_asked(hub: Hub) -> list[int]:
    return [first for path, first in hub.gets() if path == "weights.bin"]


def test_the_offer_says_in_words_what_comes_its_size_its_licences_and_the_room(settings: Settings) -> None:
    async def body(_: Offering, told: Told) -> None:
        pass

    (offer,) = play(settings, body).offers()
    assert (offer.name, offer.model) == ("gemma-4-e2b", "Gemma 4 E2B")
    assert offer.left_bytes == ALL_BYTES
    assert offer.came_bytes == 0
    assert offer.licences == ("Apache-2.0", "MIT")
    assert offer.fits
    assert offer.free_bytes > ALL_BYTES
    assert offer.lines[0] == "gemma-4-e2b: 1.5 MB, answers, licence Apache-2.0"
    assert offer.lines[1] == "whisper-base: 5 kB, captions, licence MIT"
    assert offer.lines[2].startswith("1.5 MB to download; ")
    assert len(offer.lines) == 3, "what the profile in use brings anyway is not spoken of"


def test_it_is_got_once_however_many_ask_and_tells_speed_and_time_left(settings: Settings, hub: Hub) -> None:
    hub.piece_pause_s = 0.02

    async def body(offered: Offering, told: Told) -> None:
        late = Told()
        for _ in range(3):
            offered.get()
        await told.until(lambda: any(step.bytes_per_s for step in told.steps()), "the speed")
        offered.get()
        offered.watch(late.events.append)
        assert [type(event) for event in late.events] == [CoreOffer, CoreFetching]
        await late.until(lambda: bool(late.overs()), "the end")

    told = play(settings, body)
    assert [(over.outcome, over.text) for over in told.overs()] == [("got", "Gemma 4 E2B is here")]
    assert weights_asked(hub) == [0]
    assert store_of(settings).has("gemma-4-e2b")
    assert store_of(settings).has("whisper-base")
    half = next(step for step in told.steps() if step.left_s is not None)
    assert half.bytes_per_s > 0
    assert half.total_bytes == ALL_BYTES - len(WORDS)
    assert "/s, " in half.text
    assert half.text.endswith(" left")
    assert len(told.offers()) == 1, "what is here is not offered again"


def test_cancelled_half_way_it_is_offered_again_and_gone_on_from(settings: Settings, hub: Hub) -> None:
    hub.piece_pause_s = 0.02

    async def body(offered: Offering, told: Told) -> None:
        offered.get()
        await told.until(lambda: any(s.done_bytes > samples.BIG_BYTES // 2 for s in told.steps()), "half of it")
        offered.cancel()
        offered.cancel()
        await told.until(lambda: len(told.offers()) == 2, "the offer to go on")
        assert [over.outcome for over in told.overs()] == ["cancelled"]
        again = told.offers()[1]
        assert again.came_bytes > samples.BIG_BYTES // 2
        assert again.left_bytes + again.came_bytes == ALL_BYTES
        assert "of it to go" in again.lines[0]
        hub.piece_pause_s = 0
        offered.get()
        await told.until(lambda: len(told.overs()) == 2, "the end")

    told = play(settings, body)
    assert told.overs()[-1].outcome == "got"
    first, second = weights_asked(hub)
    assert first == 0
    assert second > samples.BIG_BYTES // 2


def test_asked_again_while_a_cancel_is_under_way_it_goes_on(settings: Settings, hub: Hub) -> None:
    hub.piece_pause_s = 0.02

    async def body(offered: Offering, told: Told) -> None:
        offered.get()
        await told.until(lambda: any(step.done_bytes for step in told.steps()), "its beginning")
        offered.cancel()
        offered.get()
        await told.until(lambda: len(told.overs()) == 2, "the end of both")

    assert [over.outcome for over in play(settings, body).overs()] == ["cancelled", "got"]


def test_a_failure_is_one_line_and_the_offer_stands(settings: Settings, hub: Hub) -> None:
    hub.refuses, hub.token = (401, "GatedRepo"), "of somebody else"

    async def body(offered: Offering, told: Told) -> None:
        offered.get()
        await told.until(lambda: len(told.offers()) == 2, "the offer to try again")
        hub.refuses = None
        offered.get()
        await told.until(lambda: len(told.overs()) == 2, "the end")

    failed, got = play(settings, body).overs()
    assert failed.outcome == "failed"
    assert failed.text.startswith("gemma-4-e2b cannot be had: Hugging Face hub: ")
    assert "\n" not in failed.text
    assert got.outcome == "got"


def test_a_failure_after_which_nothing_can_be_offered_is_told_as_well(
    settings: Settings, hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(_store: Store, _names: tuple[str, ...]) -> None:
        raise PermissionError(13, "Permission denied", "/models")

    async def body(offered: Offering, told: Told) -> None:
        monkeypatch.setattr(Store, "offer", gone)
        hub.files.clear()
        offered.get()
        await told.until(lambda: bool(told.overs()), "the end")

    assert [over.outcome for over in play(settings, body).overs()] == ["failed"]


def test_captions_that_cannot_be_had_do_not_keep_gemma_away(
    settings: Settings, hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    del hub.files[f"{WORDS_REPO}/words.bin"]
    of_lite = replace(samples.model(samples.hub_source()), name="whisper-tiny.en", purpose="captions")
    monkeypatch.setattr(catalogue, "MODELS", {**catalogue.MODELS, of_lite.name: of_lite})
    store_of(settings).get(of_lite.name, lambda _step: None, threading.Event())

    async def body(offered: Offering, told: Told) -> None:
        offered.get()
        await told.until(lambda: bool(told.overs()), "the end")

    (over,) = play(settings, body).overs()
    assert over.outcome == "got"
    assert not store_of(settings).has("whisper-base")


@pytest.mark.parametrize(
    "chosen",
    [{"core.profile": "lite"}, {"models.offer": False}, {"models.hub": False}],
    ids=lambda chosen: next(iter(chosen)),
)
def test_nothing_is_offered_to_whoever_chose_otherwise(settings: Settings, chosen: dict[str, object]) -> None:
    assert offering(settings.with_values(chosen, "test"), LITE) is None


def test_who_has_gemma_is_offered_nothing(settings: Settings) -> None:
    assert offering(settings, GEMMA) is None


@pytest.mark.parametrize(
    ("total_gb", "gpu_gb", "fits"), [(16.0, None, True), (4.0, None, False), (4.0, 16.0, True), (4.0, 2.0, False)]
)
def test_it_is_not_for_machines_that_could_not_hold_it(
    total_gb: float, gpu_gb: float | None, fits: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalogue, "MODELS", {model.name: model for model in HUB_MODELS})
    memory = Device("memory", int(total_gb * 1e9), int(total_gb * 0.9e9))
    gpu = None if gpu_gb is None else Device("GPU memory", int(gpu_gb * 1e9), 0)
    why = shortage(Settings(), lambda: memory, lambda: gpu)
    assert (why == "") is fits
    assert fits or why.startswith("Gemma 4 E2B needs ")


def test_to_such_a_machine_nothing_is_offered(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    huge = replace(catalogue.MODELS["gemma-4-e2b"], files=(ModelFile("weights.bin", 10**15, "0" * 64),))
    monkeypatch.setattr(catalogue, "MODELS", {**catalogue.MODELS, huge.name: huge})
    told = Told()

    async def run() -> None:
        offered = offering(settings, LITE)
        assert offered is not None
        offered.watch(told.events.append)
        offered.start()
        await asyncio.sleep(1.0)

    asyncio.run(run())
    assert told.events == []


# --- over the link ----------------------------------------------------------------------------------------------------


class Client:
    """A terminal's link to the core; what it is told comes on the link's thread."""

    def __init__(self, url: str) -> None:
        self.events: list[CoreEvent] = []
        self._changed = threading.Condition()
        self._link = Link(url, "token", self._on_event, lambda _reason: None)
        self._link.start()

    def _on_event(self, event: CoreEvent) -> None:
        with self._changed:
            self.events.append(event)
            self._changed.notify_all()

    def send(self, event: ClientEvent) -> None:
        self._link.send(event)

    def wait(self, kind: type, count: int = 1) -> CoreEvent:
        def there() -> bool:
            return sum(isinstance(event, kind) for event in self.events) >= count

        with self._changed:
            assert self._changed.wait_for(there, 30), f"no {kind.__name__} number {count} in {self.events[-5:]}"
            return [event for event in self.events if isinstance(event, kind)][count - 1]

    def close(self) -> None:
        self._link.close()


def never(_progress: OnProgress, cancelled: threading.Event) -> Parts:
    """A profile that loads as long as the test lasts."""
    cancelled.wait()
    raise RuntimeError("the test is over")


@asynccontextmanager
async def serving(settings: Settings, offered: Offering | None) -> AsyncIterator[str]:
    core = InferenceCore(LITE, never, 1, lambda _stuck_s: None)
    listening = await CoreServer(core, settings, "token", offered).listen(0)
    core.start()
    if offered is not None:
        offered.start()
    try:
        yield f"ws://127.0.0.1:{listening.sockets[0].getsockname()[1]}/v1/realtime"
    finally:
        core.close()
        listening.close()
        await listening.wait_closed()


def converse(settings: Settings, offered: Offering | None, body: Callable[[str], None]) -> None:
    async def run() -> None:
        async with serving(settings, offered) as url:
            await asyncio.to_thread(body, url)

    asyncio.run(run())


def test_every_client_of_a_core_sees_the_same_offer_and_the_same_download(settings: Settings, hub: Hub) -> None:
    hub.piece_pause_s = 0.02

    def body(url: str) -> None:
        one, two = Client(url), Client(url)
        try:
            assert isinstance(one.wait(CoreHello), CoreHello)
            assert one.wait(CoreOffer) == two.wait(CoreOffer)
            one.send(GetModel())
            two.wait(CoreFetching)
            two.send(GetModel())
            one.wait(CoreFetching, 3)
            two.send(CancelModel())
            over = one.wait(CoreFetched)
            assert isinstance(over, CoreFetched)
            assert over.outcome == "cancelled"
            one.wait(CoreOffer, 2)
            one.send(GetModel())
            assert one.wait(CoreFetched, 2) == two.wait(CoreFetched, 2)
        finally:
            one.close()
            two.close()

    converse(settings, offering(settings, LITE), body)
    assert store_of(settings).has("gemma-4-e2b")


def test_a_core_that_offers_nothing_refuses_to_get_it(settings: Settings) -> None:
    def body(url: str) -> None:
        client = Client(url)
        try:
            for number, request in enumerate((GetModel(), CancelModel()), 1):
                client.send(request)
                refusal = client.wait(CoreError, number)
                assert isinstance(refusal, CoreError)
                assert refusal.code == "nothing_offered"
        finally:
            client.close()

    converse(settings, None, body)

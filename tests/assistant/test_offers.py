"""The offer of a better model on the terminal's side: what the user is told, what the core is asked, what is kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from parlor_tui.assistant.core.offers import NotNow, Offers
from parlor_tui.events import (
    CoreFetched,
    CoreFetching,
    CoreOffer,
    Event,
    Failed,
    ModelComing,
    ModelOffered,
    ModelOutcome,
    ModelOver,
)
from parlor_tui.link.client_events import CancelModel, ClientEvent, GetModel

OFFER = CoreOffer("gemma-4-e2b", "Gemma 4 E2B", ("2.6 GB",), 26, 0, 99, ("Apache-2.0",), fits=True)


def over(outcome: ModelOutcome) -> CoreFetched:
    return CoreFetched("gemma-4-e2b", "Gemma 4 E2B", outcome, f"it was {outcome}")


class Terminal:
    """The offers of one run of the terminal; `file` is what earlier runs left."""

    def __init__(self, file: Path) -> None:
        self.sent: list[ClientEvent] = []
        self.events: list[Event] = []
        self.offers = Offers(self.events.append, self.sent.append, NotNow(file))

    def told(self) -> list[str]:
        return [type(event).__name__ for event in self.events]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "state" / "models-not-now"


@pytest.fixture
def terminal(file: Path) -> Terminal:
    return Terminal(file)


def test_an_offer_its_download_and_its_end_are_told_as_the_core_says_them(terminal: Terminal) -> None:
    terminal.offers.core_said(OFFER)
    terminal.offers.get()
    terminal.offers.core_said(CoreFetching("gemma-4-e2b", "half", 13, 26, 2.0, 6.5))
    terminal.offers.core_said(over("got"))
    offered, coming, done = terminal.events
    assert isinstance(offered, ModelOffered)
    assert (offered.lines, offered.left_bytes, offered.free_bytes, offered.declined) == (("2.6 GB",), 26, 99, False)
    assert isinstance(coming, ModelComing)
    assert (coming.text, coming.done_bytes, coming.bytes_per_s, coming.left_s) == ("half", 13, 2.0, 6.5)
    assert isinstance(done, ModelOver)
    assert done.outcome == "got"
    assert terminal.sent == [GetModel()]
    assert terminal.offers.got == "Gemma 4 E2B"


def test_not_now_is_remembered_at_later_starts_until_the_model_is_wanted(terminal: Terminal, file: Path) -> None:
    terminal.offers.core_said(OFFER)
    terminal.offers.decline()
    assert isinstance(terminal.events[-1], ModelOver)
    assert terminal.events[-1].outcome == "declined"
    assert "parlor-tui models get gemma-4-e2b" in terminal.events[-1].text
    assert terminal.sent == []
    later = Terminal(file)
    later.offers.core_said(OFFER)
    assert isinstance(later.events[-1], ModelOffered)
    assert later.events[-1].declined
    later.offers.get()
    later.offers.core_said(over("cancelled"))
    later.offers.core_said(OFFER)
    assert isinstance(later.events[-1], ModelOffered)
    assert not later.events[-1].declined


def test_another_model_is_still_offered(terminal: Terminal, file: Path) -> None:
    file.parent.mkdir()
    file.write_text("gemma-4\n", "utf-8")
    terminal.offers.core_said(OFFER)
    assert isinstance(terminal.events[-1], ModelOffered)
    assert not terminal.events[-1].declined


def test_a_core_that_dies_while_it_gets_the_model_goes_on_with_it(terminal: Terminal) -> None:
    terminal.offers.core_said(OFFER)
    terminal.offers.get()
    terminal.offers.core_new()
    terminal.offers.core_said(OFFER)
    assert terminal.sent == [GetModel(), GetModel()]
    assert terminal.told() == ["ModelOffered"], "the user has answered already"


@pytest.mark.parametrize("outcome", ["failed", "cancelled"])
def test_what_did_not_come_is_not_asked_for_again_by_itself(terminal: Terminal, outcome: ModelOutcome) -> None:
    terminal.offers.core_said(OFFER)
    terminal.offers.get()
    terminal.offers.core_said(over(outcome))
    terminal.offers.core_said(OFFER)
    assert terminal.sent == [GetModel()]
    assert terminal.told() == ["ModelOffered", "ModelOver", "ModelOffered"]
    assert terminal.offers.got == ""


def test_cancelled_while_there_is_no_core_it_stays_cancelled(terminal: Terminal) -> None:
    terminal.offers.core_said(OFFER)
    terminal.offers.get()
    terminal.offers.cancel()
    terminal.offers.core_new()
    terminal.offers.core_said(OFFER)
    assert terminal.sent == [GetModel(), CancelModel()]
    assert terminal.told() == ["ModelOffered", "ModelOffered"]


def test_declined_while_it_comes_it_is_cancelled_too(terminal: Terminal) -> None:
    terminal.offers.core_said(OFFER)
    terminal.offers.get()
    terminal.offers.decline()
    assert terminal.sent == [GetModel(), CancelModel()]


def test_without_an_offer_there_is_nothing_to_get_or_decline(terminal: Terminal, file: Path) -> None:
    terminal.offers.get()
    assert isinstance(terminal.events[-1], Failed)
    terminal.offers.decline()
    assert len(terminal.events) == 1
    assert terminal.sent == []
    assert not file.exists()


def test_a_file_that_is_of_no_use_costs_a_question_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "in-the-way").write_bytes(b"\xff\xfe")
    for file in (tmp_path / "in-the-way", tmp_path / "in-the-way" / "models-not-now", tmp_path):
        terminal = Terminal(file)
        terminal.offers.core_said(OFFER)
        terminal.offers.decline()
        assert terminal.told() == ["ModelOffered", "ModelOver"]

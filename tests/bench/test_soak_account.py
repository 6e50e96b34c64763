"""What is made of the events of a soak: which restart a fault explains, when another can be borne; its report."""

from __future__ import annotations

import io
import json
from dataclasses import replace

import pytest

from parlor_tui.bench.soak.account import Account
from parlor_tui.bench.soak.fits import Drift
from parlor_tui.bench.soak.ledger import Loss
from parlor_tui.bench.soak.report import Happened, Report, Setup, as_json, by_fault
from parlor_tui.bench.soak.sampling import Memory
from parlor_tui.bench.soak.table import print_report
from parlor_tui.events import DeviceUsed, MicLevel, Notice, Ready, now_s

CRASHED = "the core crashed (SIGSEGV); starting it again, the talk goes on"
CUT = "the link to the core was lost; linking again, the talk goes on"


def ready(account: Account, at_s: float) -> None:
    account.listener(Notice(at_s=at_s, key="core", text=""))
    account.listener(Ready(at_s=at_s, profile="lite", model="M", load_ms=1))


def lose(account: Account, text: str = CRASHED, at_s: float | None = None) -> None:
    account.listener(Notice(at_s=now_s() if at_s is None else at_s, key="core", text=text))


def test_a_fault_explains_one_restart_and_no_other() -> None:
    account = Account()
    ready(account, now_s())
    trial = account.begin("core-crash", "thinks")
    lose(account)
    assert (account.deaths, account.unexpected) == (1, [])
    lose(account)
    assert (account.deaths, account.unexpected) == (1, [CRASHED]), "the next one died, too"
    ready(account, now_s())
    account.end()
    assert trial.faults == []
    lose(account)
    lose(account, CUT)
    assert account.unexpected == [CRASHED, CRASHED, CUT]
    assert account.links == 1
    account.begin("suspend", "idle")
    lose(account)
    assert len(account.unexpected) == 4, "a sleep is no reason to lose a core"


def test_a_core_that_died_again_and_again_is_left_alone_for_a_while() -> None:
    account = Account()
    at_s = now_s() - 1000
    for number in range(3):
        assert account.fits("core-kill"), number
        ready(account, at_s + number)
        lose(account, at_s=at_s + number + 0.5)
    assert not account.fits("core-kill")
    assert not account.fits("core-memory")
    assert account.fits("link-cut")
    assert account.fits("mic-lost")
    ready(account, now_s() - 10)
    assert not account.fits("core-kill")
    ready(account, now_s() - 100)
    assert account.fits("core-kill")


def test_a_device_that_comes_anew_without_a_fault_is_told_with_the_reason() -> None:
    account = Account()
    used = DeviceUsed(at_s=now_s(), kind="speaker", choice="x", label="S")
    account.listener(used)
    account.listener(MicLevel(at_s=now_s(), dbfs=-50, speech_probability=0.0))
    assert (account.used["speaker"], list(account.unasked)) == (1, [])
    account.listener(Notice(at_s=now_s(), key="speaker", text="the speaker is gone: it hangs"))
    account.listener(used)
    assert list(account.unasked) == ["the speaker is gone: it hangs"]
    account.begin("speaker-hung", "speaks")
    account.listener(used)
    assert len(account.unasked) == 1
    assert account.used["speaker"] == 3


def test_a_fault_that_could_not_be_made_leaves_nothing_behind() -> None:
    account = Account()
    account.begin("disk-full", "idle")
    account.take_back()
    assert account.trials == []
    lose(account)
    assert account.unexpected == [CRASHED]


def report() -> Report:
    account = Account()
    began_s = now_s()
    account.begin("core-crash", "spoken")
    lose(account, at_s=began_s + 0.5)
    ready(account, began_s + 6)
    happened = tuple(Happened.of(trial, began_s) for trial in account.trials)
    setup = Setup("0", "lite", "M", "stand-ins", 1, 3.0, 180.0, "Linux", 2, 0.5, None, {"mic-moved": "no server"})
    return Report(
        setup=setup,
        said={"answered": 3, "unheard": 1, "lost": 0},
        unsaid=0,
        losses=(),
        happened=happened,
        faults=by_fault(happened),
        restarts=1,
        links=0,
        unexpected=(),
        reopened={"microphone": 2},
        unasked=(),
        restored=1,
        forgotten=(),
        not_kept=(),
        memory=Memory.of([]),
        latency_ms=Drift.of([]),
        answers_ms=(),
        left_running=(),
        errors=(),
    )


def test_a_report_is_a_table_and_a_document_and_says_what_is_well() -> None:
    out = io.StringIO()
    print_report(report(), out)
    told = out.getvalue()
    assert "core-crash" in told
    assert "said: 4, of which 3 answered, 1 unheard, 0 lost" in told
    assert "left out: the recording is moved to the speaker (mic-moved): no server" in told
    assert told.rstrip().endswith("all is well")
    document = json.loads(as_json(report()))
    assert document["reasons"] == []
    (fault,) = document["faults"]
    assert (fault["fault"], fault["times"], fault["late"], fault["wrong"]) == ("core-crash", 1, 0, 0)
    assert fault["noticed_s"]["p50"] == pytest.approx(0.5, abs=0.1)
    assert document["latency_ms"]["first"] is None


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"losses": (Loss("Why?", "voice", 1.0, "no answer", "core-kill"),)}, "lost: 'Why?' (core-kill; no answer)"),
        ({"unexpected": (CRASHED,)}, "an unexpected restart: the core crashed"),
        ({"forgotten": ("Anna.",)}, "forgotten by a new core: 'Anna.'"),
        ({"not_kept": ("Yes.",)}, "not in the kept conversation: 'Yes.'"),
        ({"left_running": ("12 core",)}, "left running: 12 core"),
        ({"ended": "it ended before its time: the assistant failed"}, "it ended before its time"),
    ],
)
def test_whatever_is_not_well_is_a_reason(wrong: dict[str, object], said: str) -> None:
    found = replace(report(), **wrong)  # type: ignore[arg-type]
    assert [reason.startswith(said) for reason in found.reasons] == [True]
    out = io.StringIO()
    print_report(found, out)
    assert said in out.getvalue()
    assert out.getvalue().rstrip().endswith("not well")

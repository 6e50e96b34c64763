"""The table of faults: every row of the README is produced by a test, and what the tests measured is printed."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.conftest import ROOT
from tests.fault_table import NOTICED_S, Fault, Row, as_markdown, recorder, rows_of


def test_the_readmes_rows_are_the_faults_and_tests_produce_each_of_them() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    table = readme.partition("| fault | noticed after |")[2].partition("\n\n")[0].splitlines()[2:]
    assert [line.split(" | ")[0].removeprefix("| ") for line in table] == list(Fault)
    tests = "".join(path.read_text("utf-8") for path in (ROOT / "tests").rglob("test_*.py") if path != Path(__file__))
    assert [fault for fault in Fault if f"Fault.{fault.name}" not in tests] == []


def test_what_was_measured_comes_from_the_reports_in_the_readmes_order() -> None:
    kept: list[tuple[str, object]] = []
    record = recorder(lambda name, value: kept.append((name, value)))
    record(Row(Fault.DISK_FULL, "small", "/tmp/a/talk.jsonl: no room | left", 0.002, 0.9, "there is room"))
    record(Row(Fault.CORE_DIES, "SIGSEGV", "it crashed", 0.0571, 5.0, "the fault"))
    record(Row(Fault.CORE_DIES, "SIGSEGV", "it crashed", 0.061, 5.0, "the fault"))  # once more
    reports = [
        SimpleNamespace(when="call", user_properties=[("wer", 0.1), *kept]),
        SimpleNamespace(when="teardown", user_properties=kept),
        "a warning",
    ]
    assert as_markdown(rows_of(reports)) == [
        "| fault | noticed after | what you see | recovered after | lost |",
        "| --- | --- | --- | --- | --- |",
        '| the core crashes, or is killed: SIGSEGV | 61 ms | "it crashed" | 5000 ms after the fault | nothing |',
        '| the disk is full: small | 2 ms | "…/talk.jsonl: no room / left" | 900 ms after there is room | nothing |',
    ]


@pytest.mark.parametrize("noticed_s", [-0.1, NOTICED_S, 60.0])
def test_what_is_noticed_too_late_fails_its_test_and_is_in_the_table_all_the_same(noticed_s: float) -> None:
    kept: list[object] = []
    with pytest.raises(AssertionError, match="noticed after"):
        recorder(lambda _name, value: kept.append(value))(Row(Fault.LINK, "cut", noticed_s=noticed_s))
    assert len(kept) == 1

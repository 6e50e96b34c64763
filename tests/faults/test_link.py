"""The link to the core is cut, or goes dead: it is made anew, the core with its models is kept, and answers aloud."""

from __future__ import annotations

import pytest

from parlor_tui.events import AudioStarted, TurnCommitted, now_s
from tests.fault_table import Fault, RecordRow, Row
from tests.faults.sitting import TURN_S, Sitting, restored


@pytest.mark.parametrize(
    ("how", "words"), [("cut", "the link to the core was lost"), ("goes dead", "did not answer")], ids=["cut", "dead"]
)
@pytest.mark.usefixtures("thinking")
def test_a_link_that_is_cut_or_goes_dead_is_made_anew_and_what_was_said_is_answered(
    sitting: Sitting, fault_row: RecordRow, how: str, words: str
) -> None:
    pid, mark, told = sitting.core_pid, sitting.watch.mark(), len(sitting.sent)
    question, speaking = sitting.speak()
    committed = sitting.wait(mark, TurnCommitted, within_s=TURN_S)
    began_s = now_s()
    (sitting.between.cut if how == "cut" else sitting.between.freeze)()
    notice = sitting.told(mark, "core", "linking again, the talk goes on")
    assert words in notice.text
    ready = sitting.ready(mark)
    done = sitting.done(mark)
    speaking.join(5)
    assert done.turn == committed.turn
    sitting.wait(mark, AudioStarted, lambda event: event.turn == done.turn)
    assert sitting.core_pid == pid
    restored(sitting, told)
    sitting.answered(question, mark, done)
    sitting.over(mark, "core")
    fault_row(
        Row(
            Fault.LINK,
            f"{how} as it thinks",
            notice.text,
            notice.at_s - began_s,
            ready.at_s - began_s,
            "the fault; the core is kept, asked again",
        )
    )

"""Microphone, speaker and the sound server fail in a talk: noticed, told, and once they are back it goes on aloud."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable

import pytest

from parlor_tui.events import DevicesChanged, State, TurnCommitted, now_s
from tests.conftest import ROOT
from tests.fault_table import Fault, RecordRow, Row
from tests.faults.sitting import Sitting, pactl
from tests.rig import Rig

REPLUGGED = "it is back"
REST_UNHEARD = "the rest of that reply's sound"


def own_recording() -> str:
    """The server's number of the recording of this process."""
    listed = json.loads(pactl("--format=json", "list", "source-outputs"))
    own = [one for one in listed if one["properties"].get("application.process.id") == str(os.getpid())]
    return str(max(one["index"] for one in own))


def test_a_sound_server_that_hangs_in_a_reply_is_told_and_used_once_it_answers(
    rig: Rig, sitting: Sitting, fault_row: RecordRow
) -> None:
    sitting.settle()
    turn = sitting.begin_reply()
    fault, began_s = sitting.watch.mark(), now_s()
    rig.control("kill-server", "STOP")
    notices = [sitting.told(fault, kind, "the sound system hangs") for kind in ("microphone", "speaker")]
    mark, back_s = sitting.watch.mark(), now_s()
    rig.control("kill-server", "CONT")
    back = [sitting.used(mark, "microphone"), sitting.used(mark, "speaker")]
    assert sitting.done(fault, turn).status == "completed", "it can be read to its end"
    sitting.answers_aloud()
    fault_row(
        Row(
            Fault.SERVER_HANGS,
            "SIGSTOP in a reply",
            notices[0].text,
            max(notice.at_s for notice in notices) - began_s,
            max(used.at_s for used in back) - back_s,
            "it answers",
            REST_UNHEARD,
        )
    )


def test_a_sound_server_that_dies_in_a_reply_is_used_again_and_at_another_rate(
    rig: Rig, sitting: Sitting, fault_row: RecordRow, monkeypatch: pytest.MonkeyPatch
) -> None:
    sitting.settle()
    turn = sitting.begin_reply()
    fault, began_s = sitting.watch.mark(), now_s()
    rig.control("kill-server")
    gone = sitting.told(fault, "microphone", "is gone")
    notice = sitting.told(fault, "microphone", "the sound server does not run")
    sitting.told(fault, "speaker", "the sound server does not run")
    mark = sitting.watch.mark()
    monkeypatch.setitem(rig._base, "VIRTUAL_AUDIO_RATE", "44100")
    rig.control("start")
    back_s = now_s()
    back = [sitting.used(mark, "microphone"), sitting.used(mark, "speaker")]
    sitting.wait(mark, DevicesChanged, lambda event: event.microphones == ("Virtual_Microphone",))
    assert sitting.done(fault, turn).status == "completed", "it can be read to its end"
    sitting.answers_aloud()
    fault_row(
        Row(
            Fault.SERVER_DIES,
            "in a reply; at 44.1 in place of 48 kHz afterwards",
            notice.text,
            gone.at_s - began_s,
            max(0.0, max(used.at_s for used in back) - back_s),
            "it is back",
            REST_UNHEARD,
        )
    )


def lost(rig: Rig) -> None:
    rig.control("lose-speaker")


def plugged_in(rig: Rig) -> None:
    rig.control("restore-speaker")


def muted(_rig: Rig) -> None:
    pactl("set-sink-mute", "virtual_speaker", "1")


def unmuted(_rig: Rig) -> None:
    pactl("set-sink-mute", "virtual_speaker", "0")


@pytest.mark.parametrize(
    ("how", "do", "undo", "key", "words", "words_after"),
    [
        ("unplugged", lost, plugged_in, "", "Virtual_Speaker is gone: playing on", "playing on Virtual_Speaker now"),
        ("muted", muted, unmuted, "speaker-silent", "Virtual_Speaker is muted", ""),
    ],
    ids=["unplugged", "muted"],
)
def test_a_speaker_that_fails_in_a_reply_is_told_and_so_is_its_return(
    rig: Rig,
    sitting: Sitting,
    fault_row: RecordRow,
    how: str,
    do: Callable[[Rig], None],
    undo: Callable[[Rig], None],
    key: str,
    words: str,
    words_after: str,
) -> None:
    sitting.settle()
    sitting.begin_reply()
    mark, began_s = sitting.watch.mark(), now_s()
    do(rig)
    notice = sitting.told(mark, key, words)
    mark, back_s = sitting.watch.mark(), now_s()
    undo(rig)
    after = sitting.told(mark, key, words_after) if words_after else sitting.over(mark, key)
    assert sitting.watch.state is State.SPEAKING, "it plays on meanwhile"
    sitting.answers_aloud()
    fault_row(
        Row(
            Fault.SPEAKER,
            f"{how} in a reply",
            notice.text,
            notice.at_s - began_s,
            after.at_s - back_s,
            REPLUGGED,
            "nothing: it plays on" if how == "unplugged" else "what plays meanwhile",
        )
    )


def test_a_microphone_that_is_lost_as_one_speaks_is_not_taken_for_what_the_speaker_plays(
    rig: Rig, sitting: Sitting, fault_row: RecordRow
) -> None:
    sitting.settle()
    _, speaking = sitting.speak()
    mark, began_s = sitting.watch.mark(), now_s()
    rig.control("lose-mic")  # the server goes on with the monitor of the speaker
    notice = sitting.told(mark, "microphone", "Virtual_Microphone is there no more")
    sitting.told(mark, "microphone", "no microphone is there")
    speaking.join(10)
    assert not [event for event in sitting.watch.since(mark) if isinstance(event, TurnCommitted)]
    mark, back_s = sitting.watch.mark(), now_s()
    rig.control("restore-mic")
    over = sitting.over(mark, "microphone")
    sitting.answers_aloud()
    fault_row(
        Row(
            Fault.MICROPHONE_LOST,
            "unplugged as one speaks",
            notice.text,
            notice.at_s - began_s,
            over.at_s - back_s,
            REPLUGGED,
            "what was being said",
        )
    )


def test_a_recording_that_somebody_moved_to_the_speaker_comes_back(sitting: Sitting, fault_row: RecordRow) -> None:
    sitting.settle()
    mark, began_s = sitting.watch.mark(), now_s()
    pactl("move-source-output", own_recording(), "virtual_speaker.monitor")
    notice = sitting.told(mark, "microphone", "plug it in again or choose another one")
    back = sitting.used(mark, "microphone")
    sitting.answers_aloud()
    fault_row(
        Row(
            Fault.MICROPHONE_LOST,
            "moved to the monitor",
            notice.text,
            notice.at_s - began_s,
            back.at_s - began_s,
            "the fault",
            "what is said meanwhile",
        )
    )


def test_a_microphone_that_is_muted_at_the_source_is_told_by_its_name(sitting: Sitting, fault_row: RecordRow) -> None:
    sitting.settle()
    mark, began_s = sitting.watch.mark(), now_s()
    pactl("set-source-mute", "virtual_mic", "1")
    notice = sitting.told(mark, "microphone-silent", "Virtual_Microphone is muted")
    mark, back_s = sitting.watch.mark(), now_s()
    pactl("set-source-mute", "virtual_mic", "0")
    over = sitting.over(mark, "microphone-silent")
    sitting.answers_aloud()
    fault_row(
        Row(
            Fault.MICROPHONE_MUTED,
            "muted",
            notice.text,
            notice.at_s - began_s,
            over.at_s - back_s,
            "it is no more",
            "what is said meanwhile",
        )
    )


STANDS_STILL = """
import sys, threading
from parlor_tui.devices import select
from parlor_tui.events import now_s
came = []
microphone, speaker = select.open_microphone("default"), select.open_speaker("default", 500, 40)
microphone.start(lambda block, at_s: came.append((now_s(), at_s)), lambda reason: print("lost", reason, flush=True))
speaker.start(lambda reason: print("lost", reason, flush=True))
while not came:
    threading.Event().wait(0.02)
threading.Event().wait(0.5)
print("began", flush=True)
sys.stdin.readline()
on_s, before = now_s(), len(came)
threading.Event().wait(1.2)
new = [one for one in came[before:] if one[0] > on_s + 0.5]
print("ages", *sorted(round(given_s - at_s, 3) for given_s, at_s in new), flush=True)
microphone.stop(0.5)
speaker.stop(0.5)
"""


def test_a_program_that_stood_still_hears_and_plays_on_and_took_nothing_for_lost(rig: Rig) -> None:
    command = [sys.executable, "-c", STANDS_STILL]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        assert child.stdout.readline() == "began\n"
        child.send_signal(signal.SIGSTOP)
        threading.Event().wait(1.5)
        child.send_signal(signal.SIGCONT)
        child.stdin.write("\n")
        child.stdin.flush()
        told = child.stdout.read().splitlines()
        assert child.wait(5) == 0
    assert [line for line in told if line.startswith("lost")] == []
    ages_s = [float(age) for age in next(line for line in told if line.startswith("ages")).split()[1:]]
    assert len(ages_s) > 15, "sound comes as before"
    assert ages_s[len(ages_s) // 2] < 0.3, "and is not 1.5 s old"

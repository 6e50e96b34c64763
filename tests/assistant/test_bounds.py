"""Whatever waits anywhere in the terminal is bounded, and what finds no room is counted, and told where it hurts."""

from __future__ import annotations

import threading
import time

import numpy as np

from parlor_tui.assistant.talk import playback
from parlor_tui.assistant.talk.caption_turns import CaptionTurns
from parlor_tui.counts import Count, counts
from parlor_tui.devices.scripted import LONGEST_S, ScriptedMicrophone
from parlor_tui.engines.native_call import NativeCalls, Put
from parlor_tui.events import Failed, InputOver, ReplyAudio, now_s
from parlor_tui.ui.bridge import Bridge
from tests.assistant.loudspeaker import Loudspeaker
from tests.assistant.terminal import Terminal


def test_a_reply_that_is_too_long_to_be_kept_says_so_once() -> None:
    before = counts()[Count.REPLY_SAMPLES_UNHEARD]
    terminal = Terminal(Loudspeaker())
    terminal.talk.typed("Tell me everything.", None)
    terminal.begin_to_answer(1, "Everything")
    minute = bytes(2 * 24_000 * 60)
    for _ in range(playback.LONGEST_REPLY_S // 60 + 3):
        terminal.talk.core_said(ReplyAudio("resp_1", "item_1", minute))
    told = [event.text for event in terminal.events if isinstance(event, Failed)]
    assert told == ["only 10 minutes of a reply are kept to be heard: its end is text"]
    assert counts()[Count.REPLY_SAMPLES_UNHEARD] - before >= 2 * 24_000 * 60


def test_a_core_that_names_no_turn_fills_no_memory() -> None:
    before = counts()[Count.CAPTIONS_UNNAMED]
    turns = CaptionTurns()
    for turn in range(1000):
        turns.committed(turn)
    assert counts()[Count.CAPTIONS_UNNAMED] - before == 1000 - 64
    turns.named("item_1")
    assert turns.settled("item_1") == 1000 - 64
    for number in range(1000):
        turns.committed(number)
        turns.named(f"item_{number}")
    assert turns.turn_of("item_0", None) is None, "nobody waits for a caption of so long ago"


def test_what_a_script_says_too_fast_is_counted() -> None:
    before = counts()[Count.SCRIPT_BLOCKS_LOST]
    microphone = ScriptedMicrophone("script")
    for _ in range(2):
        microphone.say(np.zeros(int(LONGEST_S * 16_000), np.float32))
    assert counts()[Count.SCRIPT_BLOCKS_LOST] - before == int(LONGEST_S * 16_000 / 512)


def test_an_event_that_waits_for_the_screen_is_counted_once() -> None:
    before = counts()[Count.SCREEN_WAITS]
    bridge = Bridge(limit=1)
    bridge.put(InputOver(at_s=0.0))
    late = threading.Thread(target=bridge.put, args=(InputOver(at_s=1.0),))
    late.start()
    while counts()[Count.SCREEN_WAITS] == before:
        time.sleep(0.005)
    assert len(bridge.drain()) == 1
    late.join(5)
    assert len(bridge.drain()) == 1
    assert counts()[Count.SCREEN_WAITS] - before == 1


def test_what_a_model_writes_that_nobody_waits_for_is_not_kept() -> None:
    calls, go_on, over = NativeCalls(most_left=1), threading.Event(), threading.Event()
    kept: list[int] = []

    def work(put: Put) -> None:
        put("first")
        go_on.wait(20)
        for _ in range(1000):
            put("more")
        kept.extend(call.pieces.qsize() for call in calls._calls)
        over.set()

    began_s = now_s()
    outcome = calls.run(work, lambda: None, lambda _: True, lambda: now_s() > began_s + 0.1, expected_s=0.0)
    assert outcome == "left"
    go_on.set()
    assert over.wait(20)
    assert kept == [0]


def test_a_model_that_never_stops_is_cut_off() -> None:
    before = counts()[Count.REPLY_PIECES_LOST]
    calls, written, heard = NativeCalls(most_left=1), threading.Event(), 0

    def work(put: Put) -> None:
        for _ in range(20_000):
            put("x")
        written.set()

    def on_text(_piece: str) -> bool:
        nonlocal heard
        written.wait(20)
        heard += 1
        return True

    assert calls.run(work, lambda: None, on_text, lambda: False, expected_s=0.0) == "ended"
    assert 16_384 <= heard < 20_000
    assert counts()[Count.REPLY_PIECES_LOST] - before == 20_000 - heard

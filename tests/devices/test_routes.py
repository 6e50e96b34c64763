"""Where the sound server has put this process's streams: read from what it says, and asked only when it stirs."""

from __future__ import annotations

import json
import threading
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlor_tui.devices.routes import Route, Routes, RouteWatch, parse_routes, tells_of_routes

MINE = 4775


def stream(index: int, end: str, device: int, process: int = MINE, **more: Any) -> dict[str, Any]:
    volume = {"mono": {"value": 65536}}
    return {
        "index": index,
        end: device,
        "mute": False,
        "volume": volume,
        "properties": {"application.process.id": str(process)},
        **more,
    }


def device(index: int, name: str, **more: Any) -> dict[str, Any]:
    return {"index": index, "name": name, "description": name.title(), "mute": False, "monitor_source": "", **more}


def listed(**more: Any) -> dict[str, Any]:
    return {
        "sources": [device(1, "speaker.monitor", monitor_source="speaker"), device(3, "usb")],
        "sinks": [device(1, "speaker", monitor_source="speaker.monitor"), device(2, "hdmi")],
        "source_outputs": [stream(4, "source", 3), stream(9, "source", 1, process=1)],
        "sink_inputs": [stream(5, "sink", 1), stream(6, "sink", 2), {"index": 7, "sink": 1, "properties": {}}],
        **more,
    }


def routes(**more: Any) -> Routes:
    found = parse_routes(json.dumps(listed(**more)), MINE)
    assert found is not None
    return found


def test_the_newest_stream_of_each_kind_counts_and_only_ones_own() -> None:
    there = frozenset({"speaker.monitor", "usb", "speaker", "hdmi"})
    assert routes() == Routes(Route("usb", "Usb"), Route("hdmi", "Hdmi"), there)


def test_a_recording_of_what_a_speaker_plays_is_told_from_a_microphone() -> None:
    found = routes(source_outputs=[stream(4, "source", 1)]).microphone
    assert found == Route("speaker.monitor", "Speaker.Monitor", monitor=True)


@pytest.mark.parametrize(
    "more",
    [
        {"sources": [device(3, "usb", mute=True)]},
        {"sources": [device(3, "usb", volume={"left": {"value": 0}, "right": {"value": 0}})]},
        {"source_outputs": [stream(4, "source", 3, mute=True)]},
        {"source_outputs": [stream(4, "source", 3, volume={"mono": {"value": 0}})]},
    ],
)
def test_muted_at_the_device_or_at_the_stream_or_turned_down_to_nothing(more: dict[str, Any]) -> None:
    found = routes(**more).microphone
    assert found is not None
    assert found.muted


def test_a_stream_on_a_device_that_is_not_listed_is_nowhere() -> None:
    assert routes(source_outputs=[stream(4, "source", 4294967295)]).microphone is None
    assert routes(sink_inputs=[]).speaker is None


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda more: st.lists(more) | st.dictionaries(st.sampled_from(["index", "volume", "source", "properties"]), more),
    max_leaves=10,
)


@given(st.sampled_from(["sources", "sinks", "source_outputs", "sink_inputs"]), json_values)
def test_whatever_is_printed_is_routes(part: str, value: Any) -> None:
    assert isinstance(parse_routes(json.dumps({**listed(), part: value}), MINE), Routes)


@given(st.text() | st.sampled_from(["[" * 100_000, "null", "7", "[]"]))
def test_what_is_no_list_is_none(text: str) -> None:
    found = parse_routes(text, MINE)
    assert found is None or found == Routes()


@pytest.mark.parametrize(
    ("line", "means"),
    [
        ("Event 'change' on source-output #7", True),
        ("Event 'new' on sink-input #41", True),
        ("Event 'change' on source #3", True),
        ("Event 'remove' on sink #3", True),
        ("Event 'change' on client #3", False),
        ("Event 'new' on card #2", False),
    ],
)
def test_the_sound_servers_word(line: str, means: bool) -> None:
    assert tells_of_routes(line) is means


def test_it_is_asked_only_when_it_stirs_and_told_only_what_is_new_or_wanted_anew() -> None:
    now, asked = [Routes(Route("usb", "USB"))], []
    told: list[Routes] = []
    came = threading.Semaphore(0)

    def look() -> Routes | None:
        asked.append(now[0])
        came.release()
        return now[0]

    watch = RouteWatch(lambda found, _at_s: told.append(found), look)
    threading.Event().wait(0.2)
    assert asked == []

    def stir(*, anew: bool = False) -> int:
        watch.stir(anew=anew)
        assert came.acquire(timeout=5)
        threading.Event().wait(0.05)
        return len(told)

    assert stir() == 1
    assert stir() == 1, "nothing is new"
    assert stir(anew=True) == 2
    now[0] = Routes(Route("hdmi", "HDMI"))
    assert stir() == 3
    watch.stop()
    watch.stir()
    assert not came.acquire(timeout=0.3)

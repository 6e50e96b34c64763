"""The order in which backends are tried, and what is remembered and told of it."""

from __future__ import annotations

import json
import platform
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlor_tui.engines.backend_choice import MEMORY_FILE, RETRY_S, Chosen, Memory, choose_backends, machine_facts
from parlor_tui.engines.backends import PARTS, Backends, Wanted, hopeless, plan
from parlor_tui.engines.litert_probe import ProbeResult

WISHES = st.sampled_from(["auto", "cpu", "gpu", "npu"])
BOTH_GPU = Backends("gpu", "gpu", "cpu")
TEXT_GPU = Backends("gpu", "cpu", "cpu")
CPU = Backends("cpu", "cpu", "cpu")
NO_DRIVER = ProbeResult(False, "no Vulkan driver was found", part="text")
GOOD = ProbeResult(True, "", 900.0, 1500.0)


class Probes:
    """Stands in for the throw-away process: says what it was told to say, and counts."""

    def __init__(self, *results: ProbeResult) -> None:
        self.results = list(results)
        self.tried: list[Backends] = []

    def __call__(
        self,
        model: Path,
        backends: Backends,
        *,
        context_tokens: int,
        cache_folder: Path | None,
        cancelled: threading.Event | None = None,
    ) -> ProbeResult:
        self.tried.append(backends)
        return self.results[len(self.tried) - 1]


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "gemma.litertlm"
    path.write_bytes(b"model")
    return path


def choose(
    model: Path,
    probes: Probes,
    wanted: Wanted | None = None,
    *,
    folder: Path | None = None,
    at_unix_s: float = 1e9,
    context_tokens: int = 1024,
    cancelled: threading.Event | None = None,
) -> Chosen:
    return choose_backends(
        model,
        wanted or Wanted(),
        hears=True,
        sees=True,
        context_tokens=context_tokens,
        cache_folder=folder,
        at_unix_s=at_unix_s,
        cancelled=cancelled,
        try_out=probes,
    )


def test_auto_tries_the_gpu_for_text_and_pictures_and_never_for_sound() -> None:
    assert plan(Wanted(), hears=True, sees=True) == [BOTH_GPU, TEXT_GPU, CPU]
    assert plan(Wanted(), hears=False, sees=False) == [Backends("gpu"), Backends("cpu")]


def test_a_model_kept_off_the_gpu_needs_no_probe() -> None:
    assert plan(Wanted("cpu"), hears=True, sees=True) == [CPU]
    assert plan(Wanted("cpu", "gpu"), hears=True, sees=True) == [Backends("cpu", "gpu", "cpu"), CPU]


def test_an_explicit_wish_is_tried_first_and_given_up_last_for_the_text() -> None:
    assert plan(Wanted("npu", "gpu", "gpu"), hears=True, sees=True) == [
        Backends("npu", "gpu", "gpu"),
        Backends("npu", "gpu", "cpu"),
        Backends("npu", "cpu", "cpu"),
        CPU,
    ]


@given(WISHES, WISHES, WISHES, st.booleans(), st.booleans())
def test_every_plan_sets_exactly_the_parts_there_are_and_ends_on_the_processor(
    text: str, vision: str, audio: str, hears: bool, sees: bool
) -> None:
    attempts = plan(Wanted(text, vision, audio), hears=hears, sees=sees)  # type: ignore[arg-type]
    assert attempts[-1].only_cpu
    assert not any(attempt.only_cpu for attempt in attempts[:-1])
    assert len(set(attempts)) == len(attempts) <= 4
    for attempt in attempts:
        assert (attempt.audio is not None) == hears
        assert (attempt.vision is not None) == sees
    for wish, part in zip((text, vision, audio), PARTS, strict=True):
        if wish != "auto" and attempts[0].of(part) is not None:
            assert attempts[0].of(part) == wish


def test_a_part_that_failed_is_not_tried_there_again() -> None:
    assert hopeless(TEXT_GPU, {"text": "gpu"})
    assert not hopeless(TEXT_GPU, {"vision": "gpu"})


def test_a_good_gpu_is_taken_without_a_word(model: Path) -> None:
    probes = Probes(GOOD)
    assert choose(model, probes) == Chosen(BOTH_GPU, ())
    assert probes.tried == [BOTH_GPU]


def test_without_a_driver_one_probe_is_enough_and_one_line_says_why(model: Path) -> None:
    probes = Probes(NO_DRIVER)
    assert choose(model, probes) == Chosen(
        CPU, ("GPU not used for text and pictures: no Vulkan driver was found; running on the CPU (slower)",)
    )
    assert probes.tried == [BOTH_GPU]


def test_pictures_alone_step_down_when_only_they_fail(model: Path) -> None:
    probes = Probes(ProbeResult(False, "crashed: SIGSEGV", part="vision"), GOOD)
    assert choose(model, probes) == Chosen(
        TEXT_GPU, ("GPU not used for pictures: crashed: SIGSEGV; running on the CPU (slower)",)
    )


def test_a_fault_of_no_certain_part_is_looked_into_step_by_step(model: Path) -> None:
    probes = Probes(ProbeResult(False, "did not end within 180 s"), ProbeResult(False, "it ran out of memory"))
    assert choose(model, probes) == Chosen(
        CPU, ("GPU not used for text and pictures: did not end within 180 s; running on the CPU (slower)",)
    )
    assert probes.tried == [BOTH_GPU, TEXT_GPU]


def test_the_processor_alone_is_not_probed(model: Path) -> None:
    assert choose(model, Probes(), Wanted("cpu")) == Chosen(CPU, ())


def test_an_npu_that_is_refused_falls_back_with_the_reason(model: Path) -> None:
    refusal = ProbeResult(False, "NPU is supported only for Intel OpenVINO on Windows", part="text")
    assert choose(model, Probes(refusal), Wanted("npu", "cpu", "cpu")) == Chosen(
        CPU,
        ("NPU not used for text: NPU is supported only for Intel OpenVINO on Windows; running on the CPU (slower)",),
    )


def test_what_was_tried_once_costs_no_probe_until_something_changes(model: Path, tmp_path: Path) -> None:
    first = choose(model, Probes(NO_DRIVER), folder=tmp_path)
    assert choose(model, Probes(), folder=tmp_path, at_unix_s=1e9 + RETRY_S - 1) == first
    assert choose(model, Probes(GOOD), folder=tmp_path, at_unix_s=1e9 + RETRY_S).backends == BOTH_GPU
    assert choose(model, Probes(), folder=tmp_path, at_unix_s=1e9 + 9 * RETRY_S).backends == BOTH_GPU
    assert choose(model, Probes(NO_DRIVER), folder=tmp_path, context_tokens=8192).backends == CPU
    model.write_bytes(b"another model")
    assert choose(model, Probes(NO_DRIVER), folder=tmp_path).backends == CPU


def test_a_gpu_that_fails_in_earnest_is_not_taken_at_the_next_start(model: Path, tmp_path: Path) -> None:
    choose(model, Probes(GOOD), folder=tmp_path)
    Memory(tmp_path, model, 1024, 1e9).failed(BOTH_GPU, "crashed: SIGSEGV")
    again = choose(model, Probes(GOOD), folder=tmp_path, at_unix_s=1e9 + 60)
    assert again.backends == TEXT_GPU
    assert "crashed: SIGSEGV" in again.notices[0]


def test_a_gpu_that_takes_the_core_down_again_and_again_is_given_up(model: Path, tmp_path: Path) -> None:
    choose(model, Probes(GOOD), folder=tmp_path)

    def load_and_die() -> None:
        """What a process leaves behind that never comes back from loading."""
        Memory(tmp_path, model, 1024, 1e9).in_earnest(BOTH_GPU).__enter__()

    load_and_die()
    assert choose(model, Probes(), folder=tmp_path).backends == BOTH_GPU
    with Memory(tmp_path, model, 1024, 1e9).in_earnest(BOTH_GPU):
        pass
    load_and_die()
    assert choose(model, Probes(), folder=tmp_path).backends == BOTH_GPU, "only loads in a row count"
    load_and_die()
    stepped_down = choose(model, Probes(ProbeResult(False, "the same")), folder=tmp_path)
    assert stepped_down == Chosen(
        CPU, ("GPU not used for text and pictures: loading it ended the core 2 times; running on the CPU (slower)",)
    )
    assert choose(model, Probes(GOOD), folder=tmp_path, at_unix_s=1e9 + RETRY_S).backends == BOTH_GPU


def test_loading_on_the_processor_or_unprobed_leaves_no_mark(model: Path, tmp_path: Path) -> None:
    for backends in (CPU, BOTH_GPU):
        with Memory(tmp_path, model, 1024, 1e9).in_earnest(backends):
            pass
    with Memory(None, model, 1024, 1e9).in_earnest(BOTH_GPU):
        pass
    assert not (tmp_path / MEMORY_FILE).exists()


@pytest.mark.parametrize("text", ["", "not json", "[]", '{"x": 1}', '{"KEY": {"at_unix_s": "now", "result": 3}}'])
def test_a_damaged_memory_is_as_good_as_none(model: Path, tmp_path: Path, text: str) -> None:
    choose(model, Probes(GOOD), folder=tmp_path)
    (key,) = json.loads((tmp_path / MEMORY_FILE).read_text())
    (tmp_path / MEMORY_FILE).write_text(text.replace("KEY", key))
    assert choose(model, Probes(NO_DRIVER), folder=tmp_path).backends == CPU


def test_a_folder_that_cannot_be_written_only_costs_the_memory(model: Path, tmp_path: Path) -> None:
    for _ in range(2):
        probes = Probes(NO_DRIVER)
        assert choose(model, probes, folder=tmp_path / "absent").backends == CPU
        assert probes.tried == [BOTH_GPU]


def test_a_cancelled_probe_is_not_remembered(model: Path, tmp_path: Path) -> None:
    cancelled = threading.Event()
    cancelled.set()
    choose(model, Probes(*[ProbeResult(False, "cancelled")] * 2), folder=tmp_path, cancelled=cancelled)
    assert choose(model, Probes(GOOD), folder=tmp_path).backends == BOTH_GPU


def test_a_new_driver_is_another_machine(tmp_path: Path) -> None:
    before = machine_facts({}, tmp_path)
    assert machine_facts({}, tmp_path) == before
    icd = tmp_path / "usr/share/vulkan/icd.d/nvidia_icd.json"
    icd.parent.mkdir(parents=True)
    icd.write_text("{}")
    if sys.platform == "linux":  # elsewhere drivers come with the system, whose version is among the facts
        assert machine_facts({}, tmp_path) != before
        assert machine_facts({"VK_ICD_FILENAMES": str(icd)}, tmp_path) != machine_facts({}, tmp_path)
    assert platform.platform() in before

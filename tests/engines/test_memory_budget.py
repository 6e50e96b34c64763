"""What fits is loaded, what does not is stepped down from, and the sum is shown."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlor_tui.engines.device_memory import gpu_memory, main_memory, peak_mb
from parlor_tui.engines.memory_budget import (
    Attention,
    Candidate,
    Device,
    NoFit,
    context_bytes_per_token,
    contexts_from,
    fit,
    need_of,
)
from tests.conftest import ROOT
from tests.tiny_gemma import tiny_gemma

GB = 1_000_000_000
E4B = Candidate("gemma-4-e4b", Path("gemma-4-E4B-it.litertlm"), 3_654_467_584)
E2B = Candidate("gemma-4-e2b", Path("gemma-4-E2B-it.litertlm"), 2_588_147_712)


def device(total_gb: float, in_use_gb: float = 0) -> Device:
    return Device("memory", int(total_gb * GB), int(in_use_gb * GB))


def test_context_is_given_up_before_the_model() -> None:
    fitted = fit([E4B, E2B], (16_384, 8192, 4096), device(9), limit_percent=70)
    assert (fitted.model, fitted.context_tokens) == (E4B, 8192)
    assert fitted.steps_taken == (
        "gemma-4-e4b needs 6.8 GB (weights 3.7 + context 1.9 + runtime 0.5 + speech 0.4 + captions 0.3), "
        "70 % of 9.0 GB of memory is 6.3 GB: taking context 8192 instead of 16384",
    )


def test_the_model_is_given_up_when_no_context_helps_and_then_the_context_is_whole_again() -> None:
    fitted = fit([E4B, E2B], (4096, 2048), device(6.5))
    assert (fitted.model, fitted.context_tokens) == (E2B, 4096)
    assert fitted.steps_taken == (
        "gemma-4-e4b needs 5.1 GB (weights 3.7 + context 0.2 + runtime 0.5 + speech 0.4 + captions 0.3) even with "
        "context 2048, 65 % of 6.5 GB of memory is 4.2 GB: taking gemma-4-e2b instead",
    )


def test_both_steps_are_told() -> None:
    fitted = fit([E4B, E2B], (16_384, 2048), device(6.3))
    assert (fitted.model, fitted.context_tokens) == (E2B, 2048)
    assert [step.rpartition(": ")[2] for step in fitted.steps_taken] == [
        "taking gemma-4-e2b instead",
        "taking context 2048 instead of 16384",
    ]


def test_what_fits_takes_no_steps() -> None:
    fitted = fit([E2B], (4096,), device(16))
    assert (fitted.context_tokens, fitted.steps_taken) == (4096, ())


def test_nothing_fits_is_one_line_with_the_sum_and_what_to_do() -> None:
    with pytest.raises(NoFit) as refused:
        fit([E4B, E2B], (4096, 2048), device(4))
    assert str(refused.value) == (
        "gemma-4-e2b needs 3.9 GB (weights 2.6 + context 0.1 + runtime 0.5 + speech 0.4 + captions 0.3) even with "
        "context 2048, 65 % of 4.0 GB of memory is 2.6 GB: close other programs, raise core.memory_percent, "
        "or use --profile lite"
    )


def test_memory_that_others_hold_is_not_there() -> None:
    with pytest.raises(NoFit, match=r"2\.0 GB of 16\.0 GB of memory are free"):
        fit([E2B], (2048,), device(16, in_use_gb=14))


def test_without_a_model_there_is_nothing_to_choose() -> None:
    with pytest.raises(ValueError, match="no model"):
        fit([], (2048,), device(16))


MODELS = st.lists(
    st.builds(Candidate, st.sampled_from([E2B.name, E4B.name, "x"]), st.just(Path("m")), st.integers(1, 9 * GB)),
    min_size=1,
    max_size=3,
    unique_by=lambda model: model.name,
)  # fmt: skip


@given(
    MODELS,
    st.sampled_from([(4096,), (4096, 2048), (131_072, 8192, 2048)]),
    st.integers(0, 32 * GB),
    st.integers(0, 32 * GB),
    st.integers(10, 95),
    st.integers(1, 5),
)
def test_the_first_that_fits_is_taken_and_nothing_that_does_not(
    models: list[Candidate], contexts: tuple[int, ...], total: int, in_use: int, percent: int, conversations: int
) -> None:
    def fits(model: Candidate, tokens: int) -> bool:
        need = need_of(model, tokens, conversations=conversations).total_bytes
        return need <= min(int(total * percent / 100), max(0, total - in_use))

    expected = next(((model, tokens) for model in models for tokens in contexts if fits(model, tokens)), None)
    memory = Device("memory", total, in_use)
    if expected is None:
        with pytest.raises(NoFit) as refused:
            fit(models, contexts, memory, limit_percent=percent, conversations=conversations)
        assert "\n" not in str(refused.value)
        return
    fitted = fit(models, contexts, memory, limit_percent=percent, conversations=conversations)
    assert (fitted.model, fitted.context_tokens) == expected
    assert bool(fitted.steps_taken) == (expected != (models[0], contexts[0]))


@pytest.mark.parametrize(
    ("asked", "own", "contexts"),
    [
        (4096, 32_768, (4096, 2048)),
        (10_000, 32_768, (10_000, 8192, 4096, 2048)),
        (0, 8192, (8192, 4096, 2048)),
        (4096, 1024, (1024,)),
        (4096, 0, (4096, 2048)),
        (0, 0, (2048,)),
        (512, 2048, (512,)),
    ],
)
def test_contexts_go_down_from_what_was_asked_for(asked: int, own: int, contexts: tuple[int, ...]) -> None:
    assert contexts_from(asked, own) == contexts


def test_gemma_is_known_by_its_name_or_its_file_and_others_are_guessed_at() -> None:
    assert context_bytes_per_token(E2B) == 36_864
    assert context_bytes_per_token(E4B) == 114_688
    assert context_bytes_per_token(Candidate("mine", Path("Gemma-4-E4B-it-int4.litertlm"), GB)) == 114_688
    assert context_bytes_per_token(Candidate("llama-8b", Path("llama.litertlm"), 5 * GB)) == 250_000
    assert context_bytes_per_token(Candidate("tiny", Path("tiny.litertlm"), 1000)) == 8192


def test_the_estimate_is_close_to_a_published_run() -> None:
    """E4B, context 16,384, on a processor: 6,386,124 kB resident at most, nothing else loaded."""
    published_bytes = 6_386_124 * 1024
    assert 0.9 * published_bytes < need_of(E4B, 16_384, {}).total_bytes < 1.2 * published_bytes


USED = """
import sys
from pathlib import Path
import psutil
from parlor_tui.engines.base import Sampling
from parlor_tui.engines.litert_api import Model
from parlor_tui.engines.throwaway import leave

model = Model(
    Path(sys.argv[1]), text="cpu", vision="cpu", audio="cpu", context_tokens=2048, cache_folder=None, threads=0
)
sampling = Sampling(temperature=0.0, top_p=1.0, max_tokens=2)

def used(count):
    made = [model.begin([], sampling, 1) for _ in range(count)]
    for branch in made:
        for _ in branch.send([{"type": "text", "text": "Hello."}], max_tokens=2, image_tokens=0):
            pass
    return made

few = used(4)
before = psutil.Process().memory_info().rss
many = used(20)
print((psutil.Process().memory_info().rss - before) / 20)
leave()
"""


def test_a_conversation_takes_what_the_estimate_says(tmp_path: Path) -> None:
    """Measured on the tiny Gemma: two sliding layers of 32, two full ones of 64, with 2048 tokens of context."""
    done = subprocess.run(
        [sys.executable, "-c", USED, str(tiny_gemma(tmp_path))],
        env={"PYTHONPATH": str(ROOT)}, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    estimate_bytes = 2048 * Attention(2, 32, 2, 64).bytes_per_token
    assert 0.8 * estimate_bytes < float(done.stdout) < 1.3 * estimate_bytes


# Printed by nvidia-smi for a machine with two cards (MiB), and by one whose driver does not run.
TWO_CARDS = "8192, 1234\n24564, 987\n"
NO_DRIVER = "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\n"


def test_nvidia_tells_the_memory_of_its_largest_card(tmp_path: Path) -> None:
    found = gpu_memory("linux", lambda _: TWO_CARDS, tmp_path)
    assert found == Device("GPU memory", 24_564 * 2**20, 987 * 2**20)
    assert gpu_memory("win32", lambda _: TWO_CARDS, tmp_path) == found


@pytest.mark.parametrize("printed", ["", NO_DRIVER, "8192\n", "[N/A], [N/A]\n", "1, 2, 3\n"])
def test_what_is_no_memory_is_none(printed: str, tmp_path: Path) -> None:
    assert gpu_memory("linux", lambda _: printed, tmp_path) is None


def test_amd_tells_it_in_files_and_a_gpu_inside_the_processor_shares_the_machines(tmp_path: Path) -> None:
    def card(name: str, total: int, used: int) -> None:
        folder = tmp_path / name / "device"
        folder.mkdir(parents=True)
        (folder / "mem_info_vram_total").write_text(f"{total}\n")
        (folder / "mem_info_vram_used").write_text(f"{used}\n")

    card("card0", 512 * 2**20, 100 * 2**20)
    assert gpu_memory("linux", lambda _: "", tmp_path) is None
    card("card1", 17_163_091_968, 1_500_000_000)
    assert gpu_memory("linux", lambda _: "", tmp_path) == Device("GPU memory", 17_163_091_968, 1_500_000_000)
    assert gpu_memory("win32", lambda _: "", tmp_path) is None


def test_apples_gpu_shares_the_machines_memory(tmp_path: Path) -> None:
    def never(_command: object) -> str:
        raise AssertionError("nothing to ask")

    assert gpu_memory("darwin", never, tmp_path) is None


def test_a_machine_without_such_tools_has_no_gpu_memory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert gpu_memory("linux", None, tmp_path) is None


def test_the_machines_memory_is_read() -> None:
    memory = main_memory()
    assert memory.total_bytes == psutil.virtual_memory().total
    assert 0 < memory.in_use_bytes < memory.total_bytes


def test_the_peak_is_this_process_own() -> None:
    code = "from parlor_tui.engines.device_memory import peak_mb; print(peak_mb())"
    held = bytearray(300_000_000)  # of the parent, which a child must not count
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert 5 < float(done.stdout) < 150
    assert peak_mb() > len(held) / 1e6

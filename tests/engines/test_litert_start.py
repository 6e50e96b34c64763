"""What is settled before a model is loaded: the model, its context, its backends and its cache."""

from __future__ import annotations

from pathlib import Path

import pytest

from parlor_tui.engines.backends import Backends, Wanted
from parlor_tui.engines.litert_probe import ProbeResult
from parlor_tui.engines.litert_start import Limits, Settled, settle
from parlor_tui.engines.memory_budget import Candidate, Device, NoFit
from parlor_tui.engines.model_facts import ModelFacts

GB = 1_000_000_000
GOOD = ProbeResult(True, "")
NO_DRIVER = ProbeResult(False, "no Vulkan driver was found", part="text")
CPU, GPU = Backends("cpu", "cpu", "cpu"), Backends("gpu", "gpu", "cpu")


def memory(total_gb: float) -> Device:
    return Device("memory", int(total_gb * GB), 0)


class Machine:
    """A machine with so much memory, maybe a GPU with its own, and two models that claim a size."""

    def __init__(self, folder: Path, ram_gb: float, vram_gb: float | None, probed: ProbeResult) -> None:
        self.folder = folder
        self.ram = memory(ram_gb)
        self.vram = None if vram_gb is None else Device("GPU memory", int(vram_gb * GB), 0)
        self.probed = probed
        self.tried: list[tuple[str, int]] = []
        self.full_at_tokens = 10**9
        """The GPU runs out of memory at a context of that size, whatever it says of itself."""
        self.models = []
        for name, size_bytes in (("gemma-4-e4b", 3_654_467_584), ("gemma-4-e2b", 2_588_147_712)):
            path = folder / f"{name}.litertlm"
            path.write_bytes(name.encode())
            self.models.append(Candidate(name, path, size_bytes))

    def settle(self, wanted: Wanted | None = None, context_tokens: int = 4096, conversations: int = 1) -> Settled:
        def try_out(model: Path, backends: Backends, *, context_tokens: int, **_more: object) -> ProbeResult:
            self.tried.append((model.stem, context_tokens))
            too_much = backends.text == "gpu" and context_tokens >= self.full_at_tokens
            return ProbeResult(False, "it ran out of memory", part="text") if too_much else self.probed

        return settle(
            self.models,
            wanted or Wanted(),
            Limits(context_tokens, 65, 1000),
            lambda _path: ModelFacts(hears=True, sees=True, context_tokens=32_768),
            folder=self.folder / "cache",
            at_unix_s=1e9,
            conversations=conversations,
            memory=lambda: self.ram,
            gpu=lambda: self.vram,
            try_out=try_out,
        )


def test_a_large_gpu_takes_the_first_model_and_the_machines_memory_does_not_matter(tmp_path: Path) -> None:
    machine = Machine(tmp_path, ram_gb=8, vram_gb=24, probed=GOOD)
    settled = machine.settle()
    assert (settled.model.name, settled.context_tokens, settled.backends) == ("gemma-4-e4b", 4096, GPU)
    assert settled.notices == ()
    assert settled.cache_folder == tmp_path / "cache"


def test_a_smaller_gpu_takes_the_smaller_model_and_says_so(tmp_path: Path) -> None:
    settled = Machine(tmp_path, ram_gb=64, vram_gb=6, probed=GOOD).settle()
    assert (settled.model.name, settled.backends) == ("gemma-4-e2b", GPU)
    assert len(settled.notices) == 1
    assert settled.notices[0].endswith("65 % of 6.0 GB of GPU memory is 3.9 GB: taking gemma-4-e2b instead")


def test_a_gpu_too_small_for_any_is_not_even_probed(tmp_path: Path) -> None:
    machine = Machine(tmp_path, ram_gb=64, vram_gb=2, probed=GOOD)
    settled = machine.settle()
    assert (settled.model.name, settled.backends, machine.tried) == ("gemma-4-e4b", CPU, [])
    assert settled.notices[0].startswith("GPU not used for text and pictures: gemma-4-e2b needs 3.2 GB (")
    assert settled.notices[0].endswith("65 % of 2.0 GB of GPU memory is 1.3 GB; running on the CPU (slower)")


def test_a_gpu_that_does_not_work_sends_the_sum_back_to_the_machines_memory(tmp_path: Path) -> None:
    machine = Machine(tmp_path, ram_gb=6.5, vram_gb=24, probed=NO_DRIVER)
    settled = machine.settle()
    assert (settled.model.name, settled.backends) == ("gemma-4-e2b", CPU)
    assert machine.tried == [("gemma-4-e4b", 4096)]
    assert "no Vulkan driver was found" in settled.notices[0]
    assert settled.notices[1].endswith("65 % of 6.5 GB of memory is 4.2 GB: taking gemma-4-e2b instead")


def test_a_gpu_that_shares_the_machines_memory_is_measured_by_it(tmp_path: Path) -> None:
    settled = Machine(tmp_path, ram_gb=6.5, vram_gb=None, probed=GOOD).settle()
    assert (settled.model.name, settled.backends) == ("gemma-4-e2b", GPU)


def test_a_gpu_that_runs_out_of_memory_at_that_size_is_stepped_down_from(tmp_path: Path) -> None:
    machine = Machine(tmp_path, ram_gb=16, vram_gb=24, probed=GOOD)
    machine.full_at_tokens = 4096
    settled = machine.settle(context_tokens=4096)
    assert settled.backends == CPU
    assert settled.notices[0] == (
        "GPU not used for text and pictures: it ran out of memory; running on the CPU (slower)"
    )
    machine.full_at_tokens = 8192
    assert machine.settle(context_tokens=2048).backends.text == "gpu"


def test_on_the_processor_by_wish_nothing_is_probed(tmp_path: Path) -> None:
    machine = Machine(tmp_path, ram_gb=64, vram_gb=24, probed=GOOD)
    assert machine.settle(Wanted("cpu")).backends == CPU
    assert machine.tried == []


def test_the_probe_is_given_the_context_that_fits_and_more_talks_take_more(tmp_path: Path) -> None:
    machine = Machine(tmp_path, ram_gb=10, vram_gb=None, probed=GOOD)
    assert machine.settle(context_tokens=4096).context_tokens == 4096
    settled = machine.settle(context_tokens=4096, conversations=5)
    assert (settled.model.name, settled.context_tokens) == ("gemma-4-e4b", 2048)
    assert machine.tried[-1] == ("gemma-4-e4b", 2048)


def test_nothing_fits_anywhere(tmp_path: Path) -> None:
    with pytest.raises(NoFit, match=r"--profile lite$"):
        Machine(tmp_path, ram_gb=4, vram_gb=2, probed=GOOD).settle()

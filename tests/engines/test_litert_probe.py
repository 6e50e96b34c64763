"""Probes with the real library, a real child process and real crashes."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest

from parlor_tui.engines.backend_choice import MEMORY_FILE, choose_backends
from parlor_tui.engines.backends import Backends, Wanted
from parlor_tui.engines.litert_probe import PROBE_COMMAND, ProbeResult, adapter_in, probe, reason_in
from parlor_tui.events import now_s
from tests.conftest import ROOT
from tests.tiny_gemma import tiny_gemma

CPU = Backends("cpu", "cpu", "cpu")
NO_GPU = "no Vulkan driver was found"


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_gemma(tmp_path_factory.mktemp("model"))


@pytest.fixture(autouse=True)
def _package_and_no_gpu(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Children find the package; a GPU that this machine may have is hidden from the library."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("VK_ICD_FILENAMES", str(tmp_path / "no-driver.json"))
    monkeypatch.setenv("VK_DRIVER_FILES", str(tmp_path / "no-driver.json"))


def child(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def tried(model: Path, backends: Backends = CPU, folder: Path | None = None, **more: object) -> ProbeResult:
    return probe(model, backends, context_tokens=1024, cache_folder=folder, **more)  # type: ignore[arg-type]


def test_the_processor_works_and_what_it_took_is_told(model: Path, tmp_path: Path) -> None:
    result = tried(model, folder=tmp_path)
    assert (result.ok, result.reason, result.part) == (True, "", None)
    assert 0 < result.load_ms < 60_000
    assert 50 < result.peak_mb < 2000
    assert list(tmp_path.glob(f"{model.name}*xnnpack_cache*"))


@pytest.mark.parametrize(
    ("backends", "part"),
    [
        (Backends("gpu", "gpu", "cpu"), "text"),
        (Backends("cpu", "gpu", "cpu"), "vision"),
        (Backends("cpu", "cpu", "gpu"), "audio"),
    ],
)
def test_without_a_gpu_the_part_and_the_reason_are_found(model: Path, backends: Backends, part: str) -> None:
    result = tried(model, backends)
    if sys.platform == "linux":
        assert (result.ok, result.part) == (False, part)
        assert result.reason in {NO_GPU, "the Vulkan library (libvulkan) is not installed"}
    else:  # a GPU cannot be hidden from the library there: it works, or it is told what does not
        assert result.ok or (result.reason and result.part in {part, None})


def test_an_npu_is_refused_in_the_librarys_own_words(model: Path) -> None:
    result = tried(model, Backends("npu", "cpu", "cpu"))
    assert (result.ok, result.part) == (False, "text")  # this model is compiled for none
    assert result.reason.startswith("NPU is supported only for") or sys.platform == "win32"


def test_what_is_no_model_is_told_in_one_line(tmp_path: Path) -> None:
    junk = tmp_path / "junk.litertlm"
    junk.write_bytes(b"\x00\xff\x1b[31m junk" * 500)
    result = tried(junk)
    assert not result.ok
    assert "magic number" in result.reason
    assert result.reason.isprintable()
    assert "No such file or directory" in tried(tmp_path / "absent.litertlm").reason


CRASHED = "crashed: 0xc0000005" if sys.platform == "win32" else "crashed: SIGSEGV"
CRASH = "import ctypes; ctypes.string_at(0)"
HANG = "import time; time.sleep(600)"
STEP = 'print(\'{"step": "vision"}\', flush=True); '


def test_a_crash_costs_only_the_child(model: Path) -> None:
    assert tried(model, command=child(CRASH)) == ProbeResult(False, CRASHED, part="text")
    result = tried(model, Backends("gpu", "gpu", "cpu"), command=child(STEP + CRASH))
    assert (result.reason, result.part) == (CRASHED, "vision")


def test_a_crash_after_a_good_answer_is_one_all_the_same(model: Path) -> None:
    code = 'print(\'{"ok": true, "load_ms": 1, "peak_mb": 2}\', flush=True); ' + CRASH
    assert tried(model, command=child(code)).reason == CRASHED


def test_a_hang_is_ended_in_time(model: Path) -> None:
    began_s = now_s()
    assert tried(model, command=child(HANG), timeout_s=0.5).reason == "did not end within 0.5 s"
    assert now_s() - began_s < 5
    assert psutil.Process().children() == []


def test_cancelling_ends_it_at_once(model: Path) -> None:
    cancelled = threading.Event()
    threading.Timer(0.3, cancelled.set).start()
    began_s = now_s()
    assert tried(model, command=child(HANG), cancelled=cancelled).reason == "cancelled"
    assert now_s() - began_s < 5


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("print('hello')", "it gave no answer"),
        ("pass", "it gave no answer"),
        ("print('[1, 2]')", "it gave no answer"),
        ('print(\'{"ok": "yes", "load_ms": "x"}\')', "it gave no answer"),
        ("import sys; sys.stdout.buffer.write(b'\\xff\\xfe{\\n')", "it gave no answer"),
        ("import sys; sys.exit(3)", "failed with code 3"),
        ("while True: print('x' * 10000)", "printed without end"),
    ],
)
def test_an_answer_that_is_none_is_a_failure(model: Path, code: str, reason: str) -> None:
    assert tried(model, command=child(code)) == ProbeResult(False, reason, part="text")


def test_a_program_that_cannot_be_run_is_a_failure(model: Path, tmp_path: Path) -> None:
    assert "cannot be run" in tried(model, command=[str(tmp_path / "absent")]).reason


def test_the_child_ends_when_its_parent_is_gone(model: Path) -> None:
    waiting = (
        "import parlor_tui.engines.throwaway as t, time; t.read_request(); print('up', flush=True); time.sleep(600)"
    )
    running = subprocess.Popen(child(waiting), stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT)
    assert running.stdin is not None
    assert running.stdout is not None
    running.stdin.write(b"{}\n")
    running.stdin.flush()
    assert running.stdout.readline().strip() == b"up"
    running.stdin.close()
    assert running.wait(timeout=10) == 1
    running.stdout.close()


def test_a_start_without_a_gpu_probes_once_and_then_no_more(model: Path, tmp_path: Path) -> None:
    def choose() -> tuple[Backends, tuple[str, ...], float]:
        began_s = now_s()
        chosen = choose_backends(
            model,
            Wanted(),
            hears=True,
            sees=True,
            context_tokens=1024,
            cache_folder=tmp_path,
            at_unix_s=time.time(),
        )
        return chosen.backends, chosen.notices, now_s() - began_s

    backends, notices, _ = choose()
    if sys.platform == "linux":  # where a GPU can be hidden from the library
        assert backends == CPU
        assert len(notices) == 1
        assert notices[0].startswith("GPU not used for text and pictures: ")
        assert notices[0].endswith("; running on the CPU (slower)")
    assert (tmp_path / MEMORY_FILE).exists()
    *again, took_s = choose()
    assert again == [backends, notices]
    assert took_s < 0.1


# Printed by the library on machines without a GPU, with the driver that Mesa runs on the processor, and by NVIDIA's.
@pytest.mark.parametrize(
    ("noise", "error", "reason"),
    [
        (
            [
                "Warning: vkCreateInstance: Found no drivers!",
                "Warning: vkCreateInstance failed with VK_ERROR_INCOMPATIBLE_DRIVER",
                "    at CheckVkSuccessImpl (third_party/dawn/src/dawn/native/vulkan/VulkanError.cpp:106)",
            ],
            "m.litertlm: LiteRT-LM cannot load it: UNKNOWN:",
            NO_GPU,
        ),
        (
            [
                "INFO: [environment.cc:36] Creating LiteRT environment with options",
                "WARNING: [npu_registry.cc:34] NPU accelerator could not be loaded: kLiteRtStatusErrorNotFound.",
                "W0000 00:00:1796024702.688083    7118 litert_lm_loader.cc:391] Section not found: SP_Tokenizer",
                "Warning: Vulkan shaderUniform*ArrayDynamicIndexing required.",
                " - While initializing adapter (backend=BackendType::Vulkan)",
                "    at InitializeImpl (third_party/dawn/src/dawn/native/vulkan/PhysicalDeviceVk.cpp:253)",
                "ERROR: [delegate_webgpu.cc:359] Failed to initialize WebGPU environment: INTERNAL: No adapters found",
            ],
            "LiteRT-LM cannot begin a conversation: INTERNAL: ERROR: [third_party/vision_executor.cc:313] └ ERROR: "
            "[third_party/compiled_model.cc:1036]",
            "Vulkan shaderUniform*ArrayDynamicIndexing required",
        ),
        (
            ["Warning: Couldn't load Vulkan: libvulkan.so.1: cannot open shared object file"],
            "Failed to create LiteRT-LM engine for m.litertlm",
            "the Vulkan library (libvulkan) is not installed",
        ),
        (
            ["E0000 00:00:1796024445.525246    5687 engine.cc:854] Allocation failed: VK_ERROR_OUT_OF_DEVICE_MEMORY"],
            "",
            "it ran out of memory",
        ),
        (
            ["E0000 00:00:1796024445.525246    5687 engine.cc:854] Failed to create engine"],
            "m.litertlm: LiteRT-LM cannot load it: NOT_FOUND: ERROR: [x/utils.cc:283] └ ERROR: [x/utils.cc:168] └ "
            "tf_lite_vision_encoder not found in the model.",
            "NOT_FOUND: tf_lite_vision_encoder not found in the model.",
        ),
        ([], "", ""),
    ],
)  # fmt: skip
def test_the_reason_is_found_in_the_noise(noise: list[str], error: str, reason: str) -> None:
    assert reason_in(noise, error) == reason


# The line of the library's log on machines with an Apple, an NVIDIA and no GPU.
@pytest.mark.parametrize(
    ("line", "device", "is_software"),
    [
        ("I0000 1 2 environment.cc:532] Selected adapter: Apple M3 Pro, arch=common-3, vendor=apple, backend=Metal, "
         "adapterType=Integrated GPU", "Apple M3 Pro", False),
        ("Selected adapter: NVIDIA GeForce RTX 4090, arch=lovelace, vendor=nvidia, backend=Vulkan, "
         "adapterType=Discrete GPU", "NVIDIA GeForce RTX 4090", False),
        ("Selected adapter: llvmpipe (LLVM 20.1.2, 256 bits), arch=software, vendor=mesa, backend=Vulkan, "
         "adapterType=CPU / Software", "llvmpipe (LLVM 20.1.2, 256 bits)", True),
        ("Selected adapter: SwiftShader Device (Subzero), arch=swiftshader, vendor=google, backend=Vulkan, "
         "adapterType=CPU / Software", "SwiftShader Device (Subzero)", True),
        ("Created a WebGPU environment.", "", False),
    ],
)  # fmt: skip
def test_the_gpu_is_named_and_one_that_is_software_is_found_out(line: str, device: str, is_software: bool) -> None:
    assert adapter_in(["INFO: before", line]) == (device, is_software)


SAYS = "import sys; print({answer!r}); print({line!r}, file=sys.stderr)"


@pytest.mark.parametrize(("kind", "ok"), [("Discrete GPU", True), ("CPU / Software", False)])
def test_software_in_place_of_a_gpu_fails_however_well_it_works(model: Path, kind: str, ok: bool) -> None:
    code = SAYS.format(
        answer='{"ok": true, "load_ms": 5, "peak_mb": 6}', line=f"Selected adapter: X (Y), arch=z, adapterType={kind}"
    )
    result = tried(model, Backends("cpu", "gpu", "cpu"), command=child(code))
    assert (result.ok, result.device, result.load_ms) == (ok, "X (Y)", 5)
    assert (result.part, result.reason) == (
        (None, "") if ok else ("vision", "its only driver, X (Y), is software on the CPU")
    )


def test_the_probe_runs_without_the_current_folder_on_its_path() -> None:
    assert PROBE_COMMAND[:2] == (sys.executable, "-P")

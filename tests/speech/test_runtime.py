"""Which runtime speaks, and what is said if it cannot."""

from pathlib import Path

import pytest

from parlor_tui.speech.base import SpeechError
from parlor_tui.speech.runtime import installed, open_voice, runtime, runtime_here


@pytest.mark.parametrize(
    ("wanted", "system", "machine", "here", "chosen"),
    [
        ("auto", "Darwin", "arm64", {"mlx_audio"}, "mlx"),
        ("auto", "Darwin", "arm64", set(), "onnx"),
        ("auto", "Darwin", "arm64", {"kokoro"}, "onnx"),
        ("auto", "Darwin", "x86_64", {"mlx_audio", "kokoro"}, "onnx"),
        ("auto", "Linux", "x86_64", {"mlx_audio"}, "onnx"),  # MLX without Apple's GPU is far slower than ONNX
        ("auto", "Linux", "x86_64", {"kokoro"}, "onnx"),
        ("auto", "Linux", "x86_64", {"kokoro", "cuda"}, "torch"),
        ("auto", "Linux", "aarch64", {"cuda"}, "onnx"),
        ("auto", "Windows", "AMD64", {"kokoro", "cuda"}, "torch"),
        ("auto", "Windows", "AMD64", set(), "onnx"),
        ("onnx", "Darwin", "arm64", {"mlx_audio"}, "onnx"),
        ("mlx", "Linux", "x86_64", {"mlx_audio"}, "mlx"),
        ("torch", "Linux", "x86_64", {"kokoro"}, "torch"),
    ],
)
def test_the_runtime(wanted: str, system: str, machine: str, here: set[str], chosen: str) -> None:
    assert runtime(wanted, system, machine, here.__contains__) == chosen


@pytest.mark.parametrize(
    ("wanted", "system", "machine", "told"),
    [
        ("mlx", "Darwin", "arm64", "pip install 'parlor-tui[mlx]'"),
        ("mlx", "Linux", "x86_64", "MLX is for Apple silicon"),
        ("torch", "Linux", "x86_64", "pip install 'parlor-tui[cuda]'"),
    ],
)
def test_a_runtime_that_is_not_installed_names_its_extra(wanted: str, system: str, machine: str, told: str) -> None:
    with pytest.raises(SpeechError) as refused:
        runtime(wanted, system, machine, lambda _: False)
    assert told in str(refused.value)
    assert wanted in str(refused.value)


def test_an_unknown_runtime_names_those_that_there_are() -> None:
    with pytest.raises(SpeechError, match="onnx, mlx and torch"):
        runtime("tpu", "Linux", "x86_64", lambda _: True)


def test_cuda_is_looked_for_only_where_it_could_be_used() -> None:
    asked: list[str] = []

    def has(name: str) -> bool:
        asked.append(name)
        return False

    runtime("auto", "Linux", "x86_64", has)
    assert asked == ["kokoro"]


def test_this_machine_has_a_runtime() -> None:
    assert runtime_here("onnx") == "onnx"
    assert runtime_here("auto") in ("onnx", "mlx", "torch")
    assert installed("numpy")
    assert not installed("no_such_package_anywhere")


def test_a_folder_without_a_model_is_named(tmp_path: Path) -> None:
    with pytest.raises(SpeechError, match=r"there is no \*\.onnx"):
        open_voice("onnx", tmp_path, {}, threads=1)
    with pytest.raises(SpeechError, match=r"there is no \*\.safetensors"):
        open_voice("mlx", tmp_path, {}, threads=1)
    with pytest.raises(SpeechError, match=r"there is no \*\.pth"):
        open_voice("torch", tmp_path, {}, threads=1)


def test_a_folder_of_another_kokoro_is_refused(tmp_path: Path) -> None:
    (tmp_path / "kokoro.pth").write_bytes(b"")
    with pytest.raises(SpeechError, match=r"config\.json: missing"):
        open_voice("torch", tmp_path, {}, threads=1)
    (tmp_path / "config.json").write_text('{"vocab": {"a": 1}}', encoding="utf-8")
    with pytest.raises(SpeechError, match=r"not Kokoro v1\.0"):
        open_voice("torch", tmp_path, {}, threads=1)
    (tmp_path / "config.json").write_text("[]", encoding="utf-8")
    with pytest.raises(SpeechError, match="damaged"):
        open_voice("torch", tmp_path, {}, threads=1)

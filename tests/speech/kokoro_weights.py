"""Kokoro's weights as torch and MLX load them, made from the int8 ONNX file that the lite profile has.

The full-precision files come from the hub; a test must not need it. What is made here differs from them by the
rounding to 8 bits only.
"""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

CONFIG = Path(__file__).with_name("kokoro_config.json")
"""The configuration that is published with the model."""
Tensors = dict[str, NDArray[np.float32]]


def tensors(model: Path) -> Tensors:
    """The weights of the int8 graph `model` by the names that Kokoro's own checkpoint has for them."""
    import onnx
    from onnx import numpy_helper

    graph = onnx.load(model).graph
    arrays = {entry.name: numpy_helper.to_array(entry) for entry in graph.initializer}
    found: Tensors = {}
    for name, array in arrays.items():
        if array.dtype == np.float32 and name.startswith(("encoder.", "decoder.")) and not name.endswith("_scale"):
            found[_name(name)] = array
    for node in graph.node:
        _take(node, arrays, found)
    found["bert.pooler.weight"] = np.zeros((768, 768), np.float32)  # in the checkpoint, and never used
    found["bert.pooler.bias"] = np.zeros(768, np.float32)
    return {name: array for name, array in found.items() if ".stft." not in name}


def write_torch(made: Tensors, folder: Path) -> None:
    """`kokoro-v1_0.pth` and `config.json` in `folder`."""
    import torch

    parts: dict[str, dict[str, Any]] = {}
    for name, array in made.items():
        part, _, rest = name.partition(".")
        parts.setdefault(part, {})[f"module.{rest}"] = torch.from_numpy(array.copy())
    torch.save(parts, folder / "kokoro-v1_0.pth")
    shutil.copy(CONFIG, folder / "config.json")


def write_mlx(made: Tensors, folder: Path) -> None:
    """`kokoro-v1_0.safetensors` and `config.json` in `folder`, in bfloat16 as the published ones are."""
    import mlx.core

    halves = {
        name: mlx.core.array(np.ascontiguousarray(array)).astype(mlx.core.bfloat16) for name, array in made.items()
    }
    mlx.core.save_safetensors(str(folder / "kokoro-v1_0.safetensors"), halves)
    shutil.copy(CONFIG, folder / "config.json")


def write_onnx(made: Tensors, folder: Path) -> None:
    """`model.onnx` in full precision in `folder`, with the names of inputs that newer exports have."""
    import torch
    from kokoro.model import KModel, KModelForONNX

    write_torch(made, folder)
    config = json.loads(CONFIG.read_text(encoding="utf-8"))
    plain = KModel(repo_id="local", config=config, model=str(folder / "kokoro-v1_0.pth"), disable_complex=True)
    inputs = (torch.arange(40).unsqueeze(0), torch.zeros(1, 256), torch.ones(1))
    torch.onnx.export(
        KModelForONNX(plain.eval()).eval(),
        inputs,
        str(folder / "model.onnx"),
        input_names=["input_ids", "style", "speed"],
        output_names=["waveform", "duration"],
        dynamic_axes={"input_ids": {1: "letters"}, "waveform": {0: "samples"}, "duration": {0: "letters"}},
        dynamo=False,
    )


def _take(node: Any, arrays: dict[str, Any], found: Tensors) -> None:
    """Put the weights of one node into `found`."""
    if node.op_type in ("ConvInteger", "MatMulInteger"):
        weight = node.input[1]
        repeated = re.search(r"_\d+$", _name(node.name))  # ALBERT goes through its one layer twelve times
        if weight not in arrays or repeated:
            return
        scale = arrays[weight.replace("_quantized", "_scale")]
        if node.op_type == "ConvInteger":
            values = _real(arrays[weight], arrays[node.input[3]], scale)
            _put_convolution(_name(node.name), values, found)
        else:
            values = _real(arrays[weight], arrays[node.input[3]], scale).T
            found[f"{_name(node.name)}.weight"] = values
    elif node.op_type in ("ConvTranspose", "Conv") and ".stft." not in _name(node.name):
        if node.input[1] in arrays:
            _put_convolution(_name(node.name), arrays[node.input[1]], found)
    elif node.op_type == "MatMul" and node.input[1] in arrays:
        found[f"{_name(node.name)}.weight"] = arrays[node.input[1]].T
    elif node.op_type == "DynamicQuantizeLSTM":
        _put_lstm(_name(node.name), [arrays.get(entry) for entry in node.input], found)
    elif node.op_type == "DequantizeLinear" and "Gather_quant" in node.name:
        name = f"{_name(node.name)}.weight"
        quantised = arrays[next(entry for entry in arrays if _name(entry) == f"{name}_quantized")]
        found[name] = _real(quantised, arrays[node.input[2]], arrays[node.input[1]])


def _name(given: str) -> str:
    """The checkpoint's name for a node ("/encoder/F0.1/conv1/Conv_quant") or an initializer of the graph."""
    if not given.startswith("/"):
        return re.sub(r"^(encoder|decoder)\.(?=\w+\.)", "", given)
    parts: list[str] = []
    for part in given.strip("/").split("/")[1:]:
        if parts and re.fullmatch(re.escape(parts[-1]) + r"\.\d+", part):
            parts.pop()
        parts.append(part)
    if re.match(r"(Conv|MatMul|Gemm|LSTM|Gather)", parts[-1]):
        parts.pop()
    name = ".".join(parts)
    known = ("bert", "text_encoder", "predictor", "decoder")
    return name if name.startswith(known) else f"predictor.{name}"


def _real(quantised: NDArray[Any], zero: NDArray[Any], scale: NDArray[np.float32]) -> NDArray[np.float32]:
    return ((quantised.astype(np.float32) - zero.astype(np.float32)) * scale).astype(np.float32)


def _put_convolution(name: str, weight: NDArray[np.float32], found: Tensors) -> None:
    """A convolution; most are kept as a direction and a length for each of their rows."""
    if name.endswith(("F0_proj", "N_proj")) or ".noise_convs." in name:
        found[f"{name}.weight"] = weight
        return
    length = np.sqrt((weight.astype(np.float64) ** 2).sum(axis=(1, 2), keepdims=True)).astype(np.float32)
    found[f"{name}.weight_v"] = np.where(length == 0, np.float32(1), weight)  # a row of zeros has no direction
    found[f"{name}.weight_g"] = length


def _put_lstm(name: str, inputs: list[Any], found: Tensors) -> None:
    """ONNX keeps gates as i, o, f, c and both directions in one array; torch as i, f, c, o and one for each."""
    for direction, suffix in enumerate(("", "_reverse")):
        for kind, weight, scale, zero in (("ih", 1, 8, 9), ("hh", 2, 10, 11)):
            values = _real(inputs[weight][direction], inputs[zero][direction], inputs[scale][direction]).T
            found[f"{name}.weight_{kind}_l0{suffix}"] = _gates(values)
        for kind, bias in zip(("ih", "hh"), np.split(inputs[3][direction], 2), strict=True):
            found[f"{name}.bias_{kind}_l0{suffix}"] = _gates(bias)


def _gates(values: NDArray[np.float32]) -> NDArray[np.float32]:
    first, output, forget, cell = np.split(values, 4)
    return np.concatenate([first, forget, cell, output])

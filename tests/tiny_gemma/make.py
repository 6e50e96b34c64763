"""Makes the tiny Gemma 4 models of the tests, in the very format of the real ones. From the top folder of the project:

    python -m tests.tiny_gemma.make            # both, beside this file
    python -m tests.tiny_gemma.make text --into /tmp/models

Needs an environment of its own (Python 3.11 on Linux; 2.3 GB); it takes three minutes and 1 GB of memory:

    pip install litert-torch==0.10.0 litert-lm-builder==0.18.1 torch==2.13.0 transformers==5.24.0

On one machine the same versions make the same bytes. Other processors may round single weights otherwise.
"""

from __future__ import annotations

import argparse
import gzip
import importlib
import importlib.util
import os
import re
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from importlib.machinery import ModuleSpec
from multiprocessing import get_context
from pathlib import Path
from types import ModuleType
from typing import Any

from tests.tiny_gemma import PACKED
from tests.tiny_gemma.source import CONTEXT_TOKENS, IMAGE_TOKENS, write_model

PREFILL_TOKENS = [16, 128, 512]
"""Lengths of prompt that have a compiled graph; a longer prompt is read in several steps."""
MADE_AT = re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}")
RANDOM_NAME = re.compile(rb"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def import_exporter() -> ModuleType:
    """The exporter of litert-torch.

    It imports from TensorFlow the schema of a .tflite file and nothing else; ai_edge_litert has the same.
    """
    schema = importlib.import_module("ai_edge_litert.schema_py_generated")
    packages = ("tensorflow", "tensorflow.lite", "tensorflow.lite.python")
    stand_ins = {name: importlib.util.module_from_spec(ModuleSpec(name, None, is_package=True)) for name in packages}
    vars(stand_ins["tensorflow.lite.python"])["schema_py_generated"] = schema
    stand_ins["tensorflow.lite.python.schema_py_generated"] = schema
    sys.modules.update(stand_ins)
    exporter = importlib.import_module("litert_torch.generative.export_hf.export")
    for name in stand_ins:
        del sys.modules[name]  # other packages look for TensorFlow and must not find this
    return exporter


def compile_every_image_budget() -> None:
    """Let the exporter compile the picture encoder for each of IMAGE_TOKENS; by itself it takes one."""
    vision = importlib.import_module("litert_torch.generative.export_hf.model_ext.gemma4.vision_exportable")

    def for_each(inputs_of_one: Callable[..., dict[str, Any]]) -> Callable[..., dict[str, Any]]:
        def inputs(self: Any, model_config: Any, **options: Any) -> dict[str, Any]:
            found: dict[str, Any] = {}
            for tokens in IMAGE_TOKENS:
                found |= inputs_of_one(self, model_config, **options | {"gemma4_vision_max_soft_tokens": tokens})
            return found

        return inputs

    encoder, adapter = (
        vision.LiteRTExportableModuleForGemma4VisionEncoder,
        vision.LiteRTExportableModuleForGemma4VisionAdapter,
    )
    encoder.get_sample_inputs = for_each(encoder.get_sample_inputs)
    adapter.get_sample_inputs = for_each(adapter.get_sample_inputs)


def convert(folder: Path, kind: str) -> bytes:
    """The .litertlm made of the model in `folder`, less the time of making and the random name that each one gets."""
    exporter = import_exporter()
    options: dict[str, Any] = {"task": "text_generation"}
    if kind == "full":
        compile_every_image_budget()
        options = {"task": "multimodal_lm", "gemma4_vision_max_soft_tokens": max(IMAGE_TOKENS)}
    exporter.export(
        str(folder),
        str(folder / "converted"),
        externalize_embedder=True,
        prefill_lengths=PREFILL_TOKENS,
        cache_length=CONTEXT_TOKENS,
        **options,
    )
    content = (folder / "converted" / "model.litertlm").read_bytes()
    for stamp in (MADE_AT, RANDOM_NAME):
        content = stamp.sub(lambda found: re.sub(rb"[0-9a-f]", b"0", found[0]), content, count=1)
    return content


def in_its_own_process(step: Callable[..., Any], *arguments: Any) -> Any:
    """What `step(*arguments)` returns in a fresh interpreter, with the same hashes in every run.

    The converter writes sets down in the order of their hashes. It also replaces classes of `transformers`, which has
    no effect once a model was made of the old ones.
    """
    os.environ["PYTHONHASHSEED"] = "0"
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
        return process.submit(step, *arguments).result()


def make(kind: str, into: Path) -> None:
    """Write the packed model `kind` into the folder `into`."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        in_its_own_process(write_model, folder)
        content: bytes = in_its_own_process(convert, folder, kind)
    packed = gzip.compress(content, 9, mtime=0)
    file = into / PACKED[kind].name
    into.mkdir(parents=True, exist_ok=True)
    file.write_bytes(packed)
    sys.stdout.write(f"{file}: {len(packed):,} bytes, {len(content):,} unpacked\n")


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("kind", nargs="?", choices=[*PACKED, "both"], default="both", help="which model (both)")
    parser.add_argument(
        "--into", type=Path, default=Path(__file__).parent, metavar="FOLDER", help="where to write (beside this file)"
    )
    chosen = parser.parse_args()
    for kind in PACKED if chosen.kind == "both" else [chosen.kind]:
        make(kind, chosen.into)


if __name__ == "__main__":
    main()

"""The tiny Gemma 4 before its conversion: tokenizer, configuration and seeded random weights for `transformers`."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

SEED = 4
CONTEXT_TOKENS = 2048
IMAGE_TOKENS = (70, 140, 280)
"""The budgets for one picture that the model offers."""
VOCABULARY = 1024

SPECIAL_TOKENS = [
    *("<pad>", "<eos>", "<bos>", "<unk>", "<mask>", "<|turn>", "<turn|>", "<|channel>", "<channel|>", "<|think|>"),
    *("<|image>", "<|image|>", "<image|>", "<|audio>", "<|audio|>", "<audio|>", "<|video|>"),
    *("<|tool>", "<tool|>", "<|tool_call>", "<tool_call|>", "<|tool_response>", "<tool_response|>", '<|"|>'),
]
TOKEN_ID = {token: number for number, token in enumerate(SPECIAL_TOKENS)}
BYTE_TOKENS = [f"<0x{value:02X}>" for value in range(256)]
ROLES_OF_TOKENS = {
    "boi_token": "<|image>",
    "image_token": "<|image|>",
    "eoi_token": "<image|>",
    "boa_token": "<|audio>",
    "audio_token": "<|audio|>",
    "eoa_token": "<audio|>",
    "soc_token": "<|channel>",
    "eoc_token": "<channel|>",
    "stc_token": "<|tool_call>",
    "etc_token": "<tool_call|>",
    "str_token": "<|tool_response>",
    "escape_token": '<|"|>',
}
SENTENCES = """\
hello user, i am a model and this is my system. what do you see in the picture? i hear music and a warm voice.
the small boat waits near the old harbour. we walk along the river every morning before breakfast. look at the sky!
she keeps seven green apples in a paper bag. where did you put the blue cup? it stands on the kitchen table.
tell me a story about a bird that learned to whistle. how many hours until the train leaves? nobody knows.
yes, of course. no, thank you. please speak slowly. my friend plays the piano on sunday. rain falls on the roof.
a clever fox hides behind the garden wall. open the window and let fresh air inside. winter light is soft.
they build bridges from wood and stone. can you count from one to ten? two, three, four, five, six, eight, nine.
the baker sells bread, butter, cheese and honey. our train crosses a long valley. good night and sleep well.
"""
SENTENCE_MARKS = (".", "?", "!", ",")
MARKS_GAIN = 1.2
"""How much longer the rows of sentence marks are than those of words, so that replies have sentences."""
LOGITS_GAIN = 12.0
"""Makes some words much likelier than others. At 1, sampling draws nearly evenly, and also what must not come out."""

CHAT_TEMPLATE = """\
{{ bos_token }}{% for message in messages -%}
<|turn>{{ 'model' if message['role'] == 'assistant' else message['role'] }}
{% if message['content'] is string -%}
{{ message['content'] | trim }}
{%- else -%}
{%- for part in message['content'] -%}
{%- if part['type'] == 'text' -%}{{ part['text'] | trim }}
{%- elif part['type'] == 'image' -%}<|image|>
{%- elif part['type'] == 'audio' -%}<|audio|>
{%- endif -%}
{%- endfor -%}
{%- endif -%}<turn|>
{% endfor -%}
{%- if add_generation_prompt -%}<|turn>model
{% endif -%}
"""


def write_model(folder: Path) -> None:
    """Write the whole model into `folder`, in the form in which models are published."""
    write_tokenizer(folder)
    write_config(folder)
    write_weights(folder)


def write_tokenizer(folder: Path) -> None:
    """A byte-fallback BPE like Gemma's, learnt from SENTENCES."""
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", byte_fallback=True, fuse_unk=True))
    tokenizer.normalizer = normalizers.Replace(" ", "▁")
    tokenizer.pre_tokenizer = pre_tokenizers.Split("▁", "merged_with_next")
    tokenizer.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()])
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY,
        special_tokens=SPECIAL_TOKENS + BYTE_TOKENS,
        initial_alphabet=[chr(code) for code in range(ord("!"), ord("~") + 1)] + ["▁", "\n"],
        show_progress=False,
    )
    # Marks stand apart, so that no word is learnt together with one.
    tokenizer.train_from_iterator(re.findall(r" ?[a-z]+|[.?!,]|\n", SENTENCES), trainer)
    learnt = json.loads(tokenizer.to_str())
    learnt["added_tokens"] = [token for token in learnt["added_tokens"] if token["content"] in TOKEN_ID]
    write_json(folder / "tokenizer.json", learnt)
    write_json(
        folder / "tokenizer_config.json",
        {
            "tokenizer_class": "PreTrainedTokenizerFast",
            "bos_token": "<bos>",
            "eos_token": "<eos>",
            "pad_token": "<pad>",
            "unk_token": "<unk>",
            "add_bos_token": False,
            "clean_up_tokenization_spaces": False,
            "extra_special_tokens": ROLES_OF_TOKENS,
        },
    )
    (folder / "chat_template.jinja").write_text(CHAT_TEMPLATE, encoding="utf-8")


def write_config(folder: Path) -> None:
    """The shape of the model: every part of a Gemma 4 once, each as narrow as the converter allows.

    The converter fixes two widths: the picture encoder's (a patch, 16 x 16 x 3) and the audio encoder's output (1536).
    """
    text = {
        "model_type": "gemma4_text",
        "vocab_size": VOCABULARY,
        "vocab_size_per_layer_input": VOCABULARY,
        "hidden_size": 128,
        "hidden_size_per_layer_input": 32,
        "intermediate_size": 256,
        "num_hidden_layers": 6,
        "num_kv_shared_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 1,
        "head_dim": 32,
        "global_head_dim": 64,
        "layer_types": ["sliding_attention", "full_attention"] * 3,
        "sliding_window": 512,
        "max_position_embeddings": 2 * CONTEXT_TOKENS,
        "final_logit_softcapping": 30.0,
        "hidden_activation": "gelu_pytorch_tanh",
        "tie_word_embeddings": True,
        "pad_token_id": TOKEN_ID["<pad>"],
        "eos_token_id": TOKEN_ID["<eos>"],
        "bos_token_id": TOKEN_ID["<bos>"],
    }
    vision = {
        "model_type": "gemma4_vision",
        "hidden_size": 16 * 16 * 3,
        "intermediate_size": 256,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
        "num_key_value_heads": 2,
        "head_dim": 32,
        "patch_size": 16,
        "pooling_kernel_size": 3,
        "position_embedding_size": 512,
    }
    audio = {
        "model_type": "gemma4_audio",
        "hidden_size": 128,
        "output_proj_dims": 1536,
        "num_hidden_layers": 1,
        "num_attention_heads": 4,
        "subsampling_conv_channels": [128, 32],
        "conv_kernel_size": 5,
    }
    write_json(
        folder / "config.json",
        {
            "architectures": ["Gemma4ForConditionalGeneration"],
            "model_type": "gemma4",
            "tie_word_embeddings": True,
            "text_config": text,
            "vision_config": vision,
            "audio_config": audio,
            "boi_token_id": TOKEN_ID["<|image>"],
            "image_token_id": TOKEN_ID["<|image|>"],
            "eoi_token_id": TOKEN_ID["<image|>"],
            "boa_token_id": TOKEN_ID["<|audio>"],
            "audio_token_id": TOKEN_ID["<|audio|>"],
            "eoa_token_index": TOKEN_ID["<audio|>"],
            "video_token_id": TOKEN_ID["<|video|>"],
        },
    )
    stops = [TOKEN_ID["<eos>"], TOKEN_ID["<turn|>"]]
    write_json(folder / "generation_config.json", {"bos_token_id": TOKEN_ID["<bos>"], "eos_token_id": stops})
    write_json(
        folder / "preprocessor_config.json",
        {
            "image_processor_type": "Gemma4ImageProcessor",
            "patch_size": 16,
            "pooling_kernel_size": 3,
            "max_soft_tokens": max(IMAGE_TOKENS),
            "do_normalize": False,
            "feature_extractor_type": "Gemma4AudioFeatureExtractor",
            "feature_size": 128,
            "sampling_rate": 16_000,
        },
    )


def write_weights(folder: Path) -> None:
    """Seeded random weights, out of which only whole words and sentence marks can come.

    The output layer is the embedding: a token whose row is next to nothing never wins. So every reply is text that can
    be shown and spoken, and goes on to the limit that it is given.
    """
    import torch
    import transformers

    torch.manual_seed(SEED)
    config = transformers.AutoConfig.from_pretrained(folder)
    model = transformers.AutoModelForMultimodalLM.from_config(config, dtype=torch.float32)
    learnt = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))["model"]["vocab"]
    words = {f"▁{word}" for word in re.findall(r"[a-z]+", SENTENCES)}
    can_come_out = torch.zeros(VOCABULARY, dtype=torch.bool)
    can_come_out[[number for token, number in learnt.items() if token in words or token in SENTENCE_MARKS]] = True
    with torch.no_grad():
        rows = model.get_input_embeddings().weight
        rows[~can_come_out] *= 1e-3
        rows[[learnt[mark] for mark in SENTENCE_MARKS]] *= MARKS_GAIN
        model.model.language_model.norm.weight *= LOGITS_GAIN
    model.save_pretrained(folder)


def write_json(path: Path, content: dict[str, Any]) -> None:
    """Write `content` as UTF-8."""
    path.write_text(json.dumps(content, ensure_ascii=False, indent=1), encoding="utf-8")

"""A conversation had again in real time: the whole assistant and a stand-in microphone, before a scripted core."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from parlor_tui.commands.replay_live import replay
from parlor_tui.commands.replay_parts import Outcome, Talk, samples_of
from parlor_tui.conversations.export import sounds_in
from parlor_tui.conversations.record import Conversation, ConversationError, Mark, Turn
from parlor_tui.conversations.writer import wav
from parlor_tui.settings import Settings
from tests.assistant import scripted_core
from tests.speaking import make_utterance


def test_what_was_spoken_is_spoken_and_what_was_typed_is_typed(tmp_path: Path) -> None:
    make_utterance("What is the capital of France?", tmp_path / "0001-user.wav")
    turns = (
        Turn(1, said="What is the capital of France?", reply="Paris.", status="completed"),
        Turn(2, by="typed", said="And of Italy?", reply="Rome.", status="completed"),
    )
    conversation = Conversation("x", "", "lite", "small", turns, (Mark(1, "", {"answering.max_tokens": 5, "a.b": 1}),))
    log, told = tmp_path / "core.log", list[str]()
    core = [sys.executable, scripted_core.__file__, str(log)]
    outcome = Outcome()
    talk = Talk(conversation, sounds_in(tmp_path), lambda _: None)
    replay(talk, Settings(), None, outcome, told.append, core=core)
    spoken, typed = outcome.turns
    assert (spoken.spoken, typed.spoken) == (True, False)
    assert spoken.then.reply == "Paris."
    assert spoken.now is not None
    assert (spoken.now.reply, spoken.now.status) == ("An answer.", "completed")
    assert {"endpoint", "first_token"} <= set(spoken.now.stages_ms)
    assert typed.now is not None
    assert (typed.now.said, typed.now.reply) == ("And of Italy?", "An answer.")
    (note,) = outcome.notes
    assert note.startswith("left out: after turn 1: unknown key a.b")
    sent = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    kinds = [message.get("type") for message in sent]
    changed = [index for index, m in enumerate(sent) if m.get("session", {}).get("max_output_tokens") == 5]
    assert kinds.index("input_audio_buffer.commit") < changed[0] < kinds.index("conversation.item.create")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "no WAV file"),
        (b"RIFF", "no WAV file"),
        (wav(b"", 16_000), "is empty"),
        (b"\0" * 100, "no WAV file"),
        (wav(b"\0\0" * 100, 1), "has 1 samples a second"),
        (wav(b"\0\0" * 100, 2**31 - 1), "has 2147483647 samples a second"),
        (wav(bytes(2 * (1800 * 8000 + 1)), 8000), "is longer than 30 minutes"),
    ],
    ids=range(7),
)
def test_a_sound_that_is_none_is_named(content: bytes, said: str) -> None:
    with pytest.raises(ConversationError, match=f"the sound of turn 3 .*{said}"):
        samples_of(content, 3)


def test_a_sound_is_brought_to_the_microphones_rate() -> None:
    tone = (np.sin(np.arange(24_000) / 10) * 20_000).astype("<i2").tobytes()
    assert len(samples_of(wav(tone, 24_000), 1)) == 16_000
    assert np.array_equal(samples_of(wav(tone, 16_000), 1) * 32_768, np.frombuffer(tone, "<i2"))

"""Models for conversations with a core."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from parlor_tui.core.profiles import Parts
from tests.core.talking import load_parts
from tests.tiny_gemma import tiny_gemma


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Parts]:
    """Real ones, with the tiny Gemma to answer: it hears and sees, and its words are random."""
    loaded = load_parts(tiny_gemma(tmp_path_factory.mktemp("tiny")))
    yield loaded
    loaded.engine.close()

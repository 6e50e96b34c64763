"""The phrases of every language in which people ask to look."""

from __future__ import annotations

from parlor_tui.sight.phrases.asian import CHINESE, HINDI, JAPANESE, SIMPLIFIED
from parlor_tui.sight.phrases.base import Phrases
from parlor_tui.sight.phrases.germanic import ENGLISH, GERMAN
from parlor_tui.sight.phrases.romance import FRENCH, ITALIAN, PORTUGUESE, SPANISH

PHRASES = (ENGLISH, GERMAN, FRENCH, SPANISH, ITALIAN, PORTUGUESE, CHINESE, JAPANESE, HINDI)

__all__ = ["PHRASES", "SIMPLIFIED", "Phrases"]

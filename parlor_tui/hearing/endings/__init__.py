"""How sentences end, and how they go on, in every language that is known."""

from __future__ import annotations

from parlor_tui.hearing.endings.asian import CHINESE, JAPANESE
from parlor_tui.hearing.endings.base import Endings
from parlor_tui.hearing.endings.english import ENGLISH
from parlor_tui.hearing.endings.germanic import DUTCH, GERMAN
from parlor_tui.hearing.endings.romance import FRENCH, ITALIAN, PORTUGUESE, SPANISH

ENDINGS = (ENGLISH, GERMAN, DUTCH, FRENCH, SPANISH, ITALIAN, PORTUGUESE, CHINESE, JAPANESE)

__all__ = ["ENDINGS", "Endings"]

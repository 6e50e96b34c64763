"""The terminal side composed: devices, hearing, the link, and the talk between them."""

from parlor_tui.assistant.assistant import Assistant

__all__ = ["Assistant"]

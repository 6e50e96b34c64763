"""What the core says to a client: written by the server, read by the terminal."""

from parlor_tui.link.server_events.reading import decode
from parlor_tui.link.server_events.writing import Encoder, SessionView

__all__ = ["Encoder", "SessionView", "decode"]

"""What both ends of the link agree on: OpenAI Realtime events as JSON over WebSocket, and our additions to them."""

from __future__ import annotations

import base64
import binascii
import json
import re
from typing import Any

MAX_MESSAGE_BYTES = 16 * 1024 * 1024
"""A picture or a whole utterance in one message fits; nothing much larger does."""
OUTPUT_RATE_HZ = 24_000
INPUT_RATES_HZ = (24_000, 16_000)
"""The standard's rate, and ours: what microphones and recognisers use here, so that nothing is resampled twice."""
WEDGED_EXIT = 75
"""The exit code of a core whose model hangs in a native call."""
TURN_KEY = "parlor_turn"
"""The key of a response's metadata that carries the client's turn number."""

Json = dict[str, Any]


_HALF = re.compile(r"\\u[dD][89a-fA-F]")
"""Half of a character in JSON; without the other half it cannot be sent on."""


class ProtocolError(Exception):
    """A message that is not valid. `code`, `param` as in the standard's error event."""

    def __init__(self, message: str, code: str = "invalid_value", param: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.param = param


def parse(text: str | bytes) -> Json:
    """The JSON object in `text`; ProtocolError if there is none."""
    try:
        message = json.loads(text)
        if _HALF.search(text if isinstance(text, str) else text.decode("utf-8", "replace")):
            json.dumps(message, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise ProtocolError("a text in the message holds half a character", "invalid_json") from None
    except (ValueError, RecursionError):
        raise ProtocolError("the message is not JSON", "invalid_json") from None
    if not isinstance(message, dict):
        raise ProtocolError("the message is not a JSON object", "invalid_json")
    return message


def encode_bytes(data: bytes) -> str:
    """`data` as base64 text."""
    return base64.b64encode(data).decode("ascii")


def decode_bytes(text: Any, param: str) -> bytes:
    """The bytes of base64 `text`; ProtocolError naming `param` if it is none."""
    if not isinstance(text, str):
        raise ProtocolError(f"{param} must be text in base64", param=param)
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise ProtocolError(f"{param} is not valid base64", param=param) from None

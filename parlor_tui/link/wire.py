"""What both ends of the link agree on: OpenAI Realtime events as JSON over WebSocket, and our additions to them."""

from __future__ import annotations

import base64
import binascii
import json
import re
from typing import Any

MAX_MESSAGE_BYTES = 16 * 1024 * 1024
"""A picture or a whole utterance in one message fits; nothing much larger does."""
CLOSING_BYTES = 2 * MAX_MESSAGE_BYTES
"""A message that is larger than the one is refused in a line; one beyond this is not read, and ends the connection."""
MAX_TEXT_CHARS = 100_000
"""Of one text: hours of speech. Counting the tokens of more would hold up everybody else."""
MAX_NAME_CHARS = 256
"""Of ids and other names: they come back in what is answered."""
_MOST_TOLD_CHARS = 300
OUTPUT_RATE_HZ = 24_000
INPUT_RATES_HZ = (24_000, 16_000)
"""The standard's rate, and ours: what microphones and recognisers use here, so that nothing is resampled twice."""
WEDGED_EXIT = 75
"""The exit code of a core whose model hangs in a native call."""
NO_MEMORY_EXIT = 71
"""The exit code of a core that the system gives no more memory."""
IMAGE_PREFIXES = ("data:image/jpeg;base64,", "data:image/png;base64,")
FAILED = "failed"
"""The code of a failure of which nothing more is known."""
TURN_KEY = "parlor_turn"
"""The key of a response's metadata that carries the client's turn number."""

Json = dict[str, Any]


_HALF = re.compile(r"\\u[dD][89a-fA-F]")
"""Half of a character in JSON; without the other half it cannot be sent on."""


class ProtocolError(Exception):
    """A message that is not valid, in one line. `code`, `param` as in the standard's error event."""

    def __init__(self, message: str, code: str = "invalid_value", param: str | None = None) -> None:
        super().__init__(one_line(message))
        self.code = code
        self.param = None if param is None else one_line(param)


def one_line(text: str) -> str:
    """`text` as one line of bounded length: it may repeat what somebody sent."""
    line = " ".join("".join(sign if sign.isprintable() else " " for sign in text[: 2 * _MOST_TOLD_CHARS]).split())
    return line if len(line) <= _MOST_TOLD_CHARS else f"{line[: _MOST_TOLD_CHARS - 1]}…"


def parse(text: str | bytes) -> Json:
    """The JSON object in `text`, which is UTF-8; ProtocolError if there is none, or it is too large."""
    if len(text) > MAX_MESSAGE_BYTES:
        most_mb = MAX_MESSAGE_BYTES // 1024**2
        raise ProtocolError(f"the message has {len(text)} bytes; at most {most_mb} MB are taken", "message_too_large")
    try:
        text = text.decode("utf-8") if isinstance(text, bytes) else text
    except UnicodeDecodeError as error:
        raise ProtocolError(f"the message is not UTF-8 (byte {error.start})", "invalid_json") from None
    try:
        message = json.loads(text)
        if _HALF.search(text):
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

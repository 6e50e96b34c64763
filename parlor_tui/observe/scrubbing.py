"""Takes out of a text what is nobody's business: the name of the home folder, and what looks like a secret. Pure."""

from __future__ import annotations

import re
from pathlib import Path

GONE = "(taken out)"
_SECRETS = (
    re.compile(r"(?i)(\bbearer\s+)[^\s\"',;]+"),
    re.compile(r"()\b(?:hf_|sk-|ghp_|xox[a-z]-)[A-Za-z0-9_-]{8,}"),
    re.compile(
        r"(?i)((?:api[_-]?key|token|secret|password|passwd)[\"']?\s*[=:]\s*[\"']?)"
        r"(?=[^\s\"',;}&]*[A-Za-z])[^\s\"',;}&]{8,}"
    ),
    re.compile(r"(\b[a-z][a-z0-9+.-]{0,20}://)[^\s/@:]{1,200}:[^\s/@]{1,200}(?=@)"),
)


def scrubbed(text: str, home: Path) -> str:
    """`text` with `~` in place of `home`, and without what looks like a token, a key or a password."""
    for secret in _SECRETS:
        text = secret.sub(rf"\1{GONE}", text)
    if len(home.parts) > 1:
        for written in {str(home), str(home).replace("\\", "\\\\"), home.as_posix()}:
            text = re.sub(re.escape(written) + r"(?![\w.-]*\w)", "~", text)
    return text

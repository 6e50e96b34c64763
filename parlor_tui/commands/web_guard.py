"""Who may see the screen in the browser: a request to the address that was printed, from no page but its own. Pure."""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from dataclasses import dataclass

HEADERS: Mapping[str, str] = {
    "Referrer-Policy": "no-referrer",  # the token is in the address
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
BUSY = (
    "parlor is open in another window already, and there is one microphone for both.\n"
    "Leave it there, or close that window, and load this page again.\n"
)


@dataclass(frozen=True, slots=True)
class Guard:
    """`port` is the one that is listened on, `token` the first part of every path."""

    port: int
    token: str

    @property
    def hosts(self) -> frozenset[str]:
        """How a browser names a loopback address that it was given; a name that was bent to it is none of them."""
        return frozenset(f"{name}:{self.port}" for name in ("127.0.0.1", "localhost", "[::1]"))

    def refusal(self, headers: Mapping[str, str], path: str) -> str | None:
        """Why a request is refused, in words for whoever sent it; None if it is not.

        `headers` finds a header whatever its case. A request without an `Origin` is a person's, or of this page.
        """
        host = headers.get("Host", "").lower()
        if host not in self.hosts:
            return "parlor answers to its own address alone: take the one that `parlor-tui web` printed.\n"
        origin = headers.get("Origin")
        if origin is not None and origin.lower() != f"http://{host}":
            return "parlor talks to its own page alone.\n"
        token = path.removeprefix("/").partition("/")[0]
        if not hmac.compare_digest(token.encode(), self.token.encode()):
            return "This address lacks the token: take the whole one that `parlor-tui web` printed.\n"
        return None

    def content_policy(self) -> str:
        """What the page may load: nothing from anywhere else."""
        sockets = " ".join(f"ws://{host}" for host in sorted(self.hosts) if not host.startswith("["))
        return (
            "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; font-src 'self'; "
            f"img-src 'self' data:; connect-src 'self' {sockets}; frame-ancestors 'none'; base-uri 'none'"
        )


def number_in(query: Mapping[str, str], name: str, otherwise: int, *, low: int, high: int) -> int:
    """The whole number `name` of a page's address, within its limits; `otherwise` if there is none."""
    text = query.get(name, "")
    return min(max(int(text), low), high) if text.isascii() and text.isdigit() and len(text) < 6 else otherwise

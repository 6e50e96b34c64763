"""The two pages that the core serves beside the link: `/healthz` and `/metrics`.

`/healthz` needs no token: it tells that a core is here, how it is, with which model and since when, and is asked by
what starts and watches services. The figures tell when somebody talks, and how much; they take the token, unless the
settings open them to everybody on this machine. What is told without a token is told to this machine's own programs
alone: not to a page in a browser, whose site's name was bent to the loopback address.
"""

from __future__ import annotations

import hmac
import http
import json
import re
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Literal

from websockets.asyncio.server import ServerConnection
from websockets.http11 import Request, Response

_HEALTH, _METRICS = "/healthz", "/metrics"
_LOOPBACK = re.compile(r"(127\.0\.0\.1|localhost|\[::1\])(:[0-9]{1,5})?", re.IGNORECASE)
_OPEN_HINT = "the figures take the core's token (Authorization: Bearer ...), or the setting core.metrics_open\n"


@dataclass(frozen=True, slots=True)
class Health:
    """How the core is. `model` is the one that is loaded, or is being loaded."""

    status: Literal["ready", "loading", "failed"]
    profile: str
    model: str
    uptime_s: float


@dataclass(frozen=True, slots=True)
class Pages:
    """Answers requests that are not for the link. `metrics` gives a page and its content type."""

    token: str
    metrics_open: bool
    health: Callable[[], Health]
    metrics: Callable[[], tuple[bytes, str]]

    def answer(self, connection: ServerConnection, request: Request) -> Response | None:
        """The page that is asked for, or why it is not given; None if none of the pages is asked for."""
        path = request.path.partition("?")[0]
        if path not in (_HEALTH, _METRICS):
            return None
        allowed = is_allowed(request, self.token)
        if not allowed and path == _METRICS and not self.metrics_open:
            return connection.respond(http.HTTPStatus.UNAUTHORIZED, _OPEN_HINT)
        if not allowed and not _names_loopback(request):
            return connection.respond(http.HTTPStatus.FORBIDDEN, "the core answers to its own address alone\n")
        if path == _METRICS:
            page, content_type = self.metrics()
            return _page(connection, http.HTTPStatus.OK, page.decode(), content_type)
        health = self.health()
        status = http.HTTPStatus.OK if health.status == "ready" else http.HTTPStatus.SERVICE_UNAVAILABLE
        return _page(connection, status, json.dumps(asdict(health)) + "\n", "application/json")


def is_allowed(request: Request, token: str) -> bool:
    """Whether the request shows the token."""
    given = request.headers.get_all("Authorization")
    return len(given) == 1 and hmac.compare_digest(given[0].encode(), f"Bearer {token}".encode())


def _names_loopback(request: Request) -> bool:
    hosts = request.headers.get_all("Host")
    return len(hosts) == 1 and _LOOPBACK.fullmatch(hosts[0]) is not None


def _page(connection: ServerConnection, status: http.HTTPStatus, text: str, content_type: str) -> Response:
    response = connection.respond(status, text)
    del response.headers["Content-Type"]
    response.headers["Content-Type"] = content_type
    response.headers["Cache-Control"] = "no-store"
    return response

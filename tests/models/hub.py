"""An imitation of a Hugging Face hub on loopback, which can break, stall, trickle, lie or say nothing."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

COMMIT = "0123456789abcdef0123456789abcdef01234567"
PIECE_BYTES = 16_384


@dataclass
class Hub:
    """`files` are the bytes offered, by `ORG/REPO/PATH`; `asked` is what was asked for: method, path, first byte."""

    url: str = ""
    files: dict[str, bytes] = field(default_factory=dict)
    asked: list[tuple[str, str, int]] = field(default_factory=list)
    break_after_bytes: int | None = None
    breaks: int = 0
    stall_after_bytes: int | None = None
    piece_pause_s: float = 0.0
    silent: bool = False
    ignores_ranges: bool = False
    tells_sha256: bool = True
    over: threading.Event = field(default_factory=threading.Event)

    def gets(self) -> list[tuple[str, int]]:
        return [(path, first) for method, path, first in self.asked if method == "GET"]


@contextmanager
def running() -> Iterator[Hub]:
    hub = Hub()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *values: Any) -> None:  # noqa: A002 - the name it has in the library
            pass

        def do_HEAD(self) -> None:
            self._answer(body=False)

        def do_GET(self) -> None:
            self._answer(body=True)

        def _answer(self, *, body: bool) -> None:
            if hub.silent:
                hub.over.wait(60)
                self.close_connection = True
                return
            org, repo, _, _, *rest = self.path.lstrip("/").split("/")
            path = "/".join(rest)
            content = hub.files.get(f"{org}/{repo}/{path}")
            wanted = self.headers.get("Range", "")
            first = int(wanted.removeprefix("bytes=").split("-")[0]) if wanted and not hub.ignores_ranges else 0
            hub.asked.append((self.command, path, first))
            if content is None:
                self.send_response(404)
                self.send_header("X-Error-Code", "EntryNotFound")
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            self.send_response(206 if first else 200)
            if first:
                self.send_header("Content-Range", f"bytes {first}-{len(content) - 1}/{len(content)}")
            self.send_header("X-Repo-Commit", COMMIT)
            digest = hashlib.sha256(content) if hub.tells_sha256 else hashlib.sha1(content, usedforsecurity=False)
            self.send_header("ETag", f'"{digest.hexdigest()}"')
            self.send_header("Content-Length", str(len(content) - first))
            self.end_headers()
            if body:
                self._send(content, first)

        def _send(self, content: bytes, first: int) -> None:
            for start in range(first, len(content), PIECE_BYTES):
                sent = start - first
                if hub.break_after_bytes is not None and hub.breaks > 0 and sent >= hub.break_after_bytes:
                    hub.breaks -= 1
                    self.close_connection = True
                    return
                if hub.stall_after_bytes is not None and start >= hub.stall_after_bytes:
                    hub.over.wait(60)
                    self.close_connection = True
                    return
                try:
                    self.wfile.write(content[start : start + PIECE_BYTES])
                except OSError:
                    self.close_connection = True
                    return
                time.sleep(hub.piece_pause_s)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    hub.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield hub
    finally:
        hub.over.set()
        server.shutdown()
        server.server_close()
        thread.join(timeout=5)

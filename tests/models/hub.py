"""An imitation of a Hugging Face hub on loopback, which can break, stall, trickle, lie, refuse or say nothing."""

from __future__ import annotations

import hashlib
import json
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
    """`files` are the bytes offered, by `ORG/REPO/PATH`; `asked` is what was asked for: method, path, first byte.

    `revisions` are those it knows, every one if None. `refuses` is a status and an `X-Error-Code` for whoever has not
    the `token`. `tokens` are those that came. `kept_by_git` are the paths of which the API states no sha256.
    `sent_instead` are other bytes than the API speaks of.
    """

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
    revisions: set[str] | None = None
    refuses: tuple[int, str] | None = None
    token: str = ""
    tokens: list[str] = field(default_factory=list)
    kept_by_git: tuple[str, ...] = ()
    sent_instead: dict[str, bytes] = field(default_factory=dict)
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
            hub.tokens.append(self.headers.get("Authorization", "").removeprefix("Bearer "))
            if hub.refuses and hub.tokens[-1] != hub.token:
                self._refuse(*hub.refuses)
                return
            if self.path.startswith("/api/models/"):
                self._describe(*self.path.removeprefix("/api/models/").partition("?")[0].split("/")[:2])
                return
            org, repo, _, revision, *rest = self.path.lstrip("/").split("/")
            path = "/".join(rest)
            if hub.revisions is not None and revision not in hub.revisions:
                hub.asked.append((self.command, path, 0))
                self._refuse(404, "RevisionNotFound")
                return
            name = f"{org}/{repo}/{path}"
            content = hub.sent_instead.get(name, hub.files.get(name))
            wanted = self.headers.get("Range", "")
            first = int(wanted.removeprefix("bytes=").split("-")[0]) if wanted and not hub.ignores_ranges else 0
            hub.asked.append((self.command, path, first))
            if content is None:
                self._refuse(404, "EntryNotFound")
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

        def _refuse(self, status: int, code: str) -> None:
            self.send_response(status)
            if code:
                self.send_header("X-Error-Code", code)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def _describe(self, org: str, repo: str) -> None:
            """Answer the API: the newest commit, each file with its size, and its sha256 unless git itself keeps it."""
            hub.asked.append((self.command, f"api {org}/{repo}", 0))
            siblings = []
            for name, content in hub.files.items():
                if not name.startswith(f"{org}/{repo}/"):
                    continue
                path = name.removeprefix(f"{org}/{repo}/")
                sibling: dict[str, Any] = {"rfilename": path, "size": len(content), "blobId": "0" * 40}
                if path not in hub.kept_by_git:
                    sha256 = hashlib.sha256(content).hexdigest()
                    sibling["lfs"] = {"size": len(content), "sha256": sha256, "pointerSize": 134}
                siblings.append(sibling)
            body = json.dumps({"id": f"{org}/{repo}", "sha": COMMIT, "siblings": siblings}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

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

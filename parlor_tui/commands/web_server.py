"""Serves the screen to a browser: textual-serve's script and its link to the program, our own page and guard.

The only module that imports textual-serve and aiohttp.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import signal
import socket
import sys
import webbrowser
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from parlor_tui.commands.web_guard import BUSY, HEADERS, Guard, number_in

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from aiohttp.web import Application, Request, StreamResponse, WebSocketResponse
    from textual_serve.app_service import AppService

    _Handler = Callable[[Request], Awaitable[StreamResponse]]

LOOPBACK = "127.0.0.1"
END_WITHIN_S = 4.0
"""The screen ends by itself within two seconds; one that does not is ended by force."""
FREE_WITHIN_S = 2.5
"""A page that is loaded anew waits so long for the screen of the one before it to end."""
RESIZE_EVERY_S = 0.1
MOST_CELLS = 1000
"""In each direction: no window has more."""
_PAGE = Path(__file__).with_name("web_page")
_TOKEN_BYTES = 24
_HEARTBEAT_S = 15.0
"""A browser that does not answer for so long is gone."""


def serve(command: str, port: int, *, opened: bool) -> int:
    """Serve the screen that the shell's `command` starts, until Ctrl-C; 0. `opened`: open the browser, too.

    Raises OSError for a port that cannot be had.
    """
    try:
        listening = socket.create_server((LOOPBACK, port))
    except OSError as error:
        raise OSError(error.errno, error.strerror, f"port {port}") from None
    with listening:
        asyncio.run(_serve(command, listening, opened))
    return 0


async def _serve(command: str, listening: socket.socket, opened: bool) -> None:
    from aiohttp.web import AppRunner, SockSite

    over = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        with contextlib.suppress(NotImplementedError):  # Windows: there Ctrl-C raises KeyboardInterrupt
            asyncio.get_running_loop().add_signal_handler(number, over.set)
    guard = Guard(listening.getsockname()[1], secrets.token_urlsafe(_TOKEN_BYTES))
    screen = ServedScreen(command, guard)
    runner = AppRunner(screen.application(), access_log=None, shutdown_timeout=END_WITHIN_S + 1)
    await runner.setup()
    await SockSite(runner, listening).start()
    address = f"http://{LOOPBACK}:{guard.port}/{guard.token}/"
    sys.stdout.write(f"{address} for one window; sound is this machine's own; Ctrl-C ends it\n")
    sys.stdout.flush()
    if opened:
        await asyncio.to_thread(webbrowser.open, address)
    try:
        await over.wait()
    finally:
        await screen.close()
        await runner.cleanup()


class ServedScreen:
    """One screen at most, which lives as long as the socket of its page."""

    def __init__(self, command: str, guard: Guard) -> None:
        from textual_serve.server import Server

        self._command = command
        self._guard = guard
        self._library = Server(command, LOOPBACK, guard.port, title="parlor")
        self._free = asyncio.Event()
        self._free.set()
        self._socket: WebSocketResponse | None = None

    def application(self) -> Application:
        """What answers requests; each passes the guard first."""
        from aiohttp import web

        @web.middleware
        async def guarded(request: Request, handler: _Handler) -> StreamResponse:
            refusal = self._guard.refusal(request.headers, request.path)
            if refusal is not None:
                return web.Response(status=403, text=refusal, headers=HEADERS)
            return await handler(request)

        async def sealed(_: Request, response: StreamResponse) -> None:
            response.headers.update(HEADERS)
            response.headers["Content-Security-Policy"] = self._guard.content_policy()

        async def script(_: Request) -> StreamResponse:
            return web.FileResponse(_PAGE / "page.js")

        application = web.Application(middlewares=[guarded])
        application.on_response_prepare.append(sealed)
        under = f"/{self._guard.token}"
        application.add_routes(
            [
                web.get(f"{under}/", self._page),
                web.get(f"{under}/page.js", script),
                web.get(f"{under}/ws", self._session),
                web.get(f"{under}/download/{{key}}", self._library.handle_download),
                web.static(f"{under}/static", self._library.statics_path),
            ]
        )
        return application

    async def close(self) -> None:
        """End the screen, if there is one, and wait until it has ended."""
        if self._socket is not None:
            await self._socket.close()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._free.wait(), END_WITHIN_S + 1)

    async def _page(self, request: Request) -> StreamResponse:
        from aiohttp.web import Response

        try:
            await asyncio.wait_for(self._free.wait(), FREE_WITHIN_S)
        except TimeoutError:
            return Response(status=409, text=BUSY)
        under = f"{request.host}/{self._guard.token}"
        page = (_PAGE / "index.html").read_text(encoding="utf-8")
        words = {
            "STATIC": f"http://{under}/static",
            "SOCKET": f"ws://{under}/ws",
            "FONT_SIZE": str(number_in(request.query, "fontsize", 16, low=6, high=64)),
        }
        for word, value in words.items():
            page = page.replace(word, value)
        return Response(text=page, content_type="text/html")

    async def _session(self, request: Request) -> StreamResponse:
        from aiohttp.web import Response, WebSocketResponse
        from textual_serve.app_service import AppService

        if not self._free.is_set():
            return Response(status=409, text=BUSY)
        self._free.clear()
        service: AppService | None = None
        beside: list[asyncio.Task[None]] = []
        try:
            self._socket = browser = WebSocketResponse(heartbeat=_HEARTBEAT_S)
            await browser.prepare(request)
            service = AppService(
                self._command,
                write_bytes=browser.send_bytes,
                write_str=browser.send_str,
                close=lambda: _close(browser),
                download_manager=self._library.download_manager,
            )
            columns = number_in(request.query, "width", 80, low=1, high=MOST_CELLS)
            rows = number_in(request.query, "height", 24, low=1, high=MOST_CELLS)
            await service.start(columns, rows)
            size = Size(columns, rows)
            beside = [
                asyncio.create_task(_close_at_end(service, browser)),
                asyncio.create_task(_follow(size, service)),
            ]
            await _pass_on(browser, service, size)
        finally:
            for task in beside:
                task.cancel()
            self._socket = None
            if service is not None:
                await _end(service)
            self._free.set()
        return browser


@dataclass(slots=True)
class Size:
    """How large the page's terminal is, in cells."""

    columns: int
    rows: int


async def _follow(size: Size, service: AppService) -> None:
    """Tell the screen its new size: a window that is drawn larger has more of them than can be drawn."""
    told = replace(size)
    while True:
        await asyncio.sleep(RESIZE_EVERY_S)
        if size != told:
            told = replace(size)
            await service.set_terminal_size(told.columns, told.rows)


async def _pass_on(browser: WebSocketResponse, service: AppService, size: Size) -> None:
    """Give the screen what the browser sends, until it is closed; what cannot be read is left out."""
    from aiohttp import WSMsgType

    async for message in browser:
        if message.type is not WSMsgType.TEXT:
            continue
        with contextlib.suppress(ValueError, TypeError, KeyError, AttributeError):
            kind, *values = message.json()
            match kind, values:
                case "stdin", [str(text)]:
                    await service.send_bytes(text.encode())
                case "resize", [{"width": int(columns), "height": int(rows)}]:
                    size.columns, size.rows = min(max(columns, 1), MOST_CELLS), min(max(rows, 1), MOST_CELLS)
                case "ping", [token]:
                    await browser.send_json(["pong", token])
                case "blur", _:
                    await service.blur()
                case "focus", _:
                    await service.focus()


async def _close(browser: WebSocketResponse) -> None:
    await browser.close()


async def _close_at_end(service: AppService, browser: WebSocketResponse) -> None:
    """A screen that ended without a word ends its page, too."""
    if (process := service._process) is not None:
        await process.wait()
        await browser.close()


async def _end(service: AppService) -> None:
    """Ask the screen to leave; read what it still writes, or it would wait for that; then end it by force."""
    process = service._process
    if process is None:
        return

    async def leave() -> None:
        await service.stop()
        while process.stdout is not None and await process.stdout.read(65536):
            pass
        await process.wait()

    try:
        await asyncio.wait_for(leave(), END_WITHIN_S)
    except (TimeoutError, RuntimeError, OSError):
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()

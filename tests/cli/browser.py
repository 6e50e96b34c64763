"""Headless Chromium for tests, driven over its own DevTools protocol: no driver besides the browser is needed."""

from __future__ import annotations

import base64
import contextlib
import json
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from websockets.sync.client import connect

NAMES = ("chromium", "chromium-browser", "google-chrome")


class Browser:
    """One browser with pages; `folder` holds its profile. WebGL is off, so that what a terminal shows is text."""

    def __init__(self, folder: Path) -> None:
        program = next((found for name in NAMES if (found := shutil.which(name))), None)
        assert program, "this test loads a page in a real browser: install chromium"
        switches = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-3d-apis", "--disable-dev-shm-usage"]
        switches += ["--no-first-run", "--disable-extensions", "--remote-debugging-port=0", f"--user-data-dir={folder}"]
        self._process = subprocess.Popen(
            [program, *switches, "--window-size=1000,700", "about:blank"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        port_file = folder / "DevToolsActivePort"
        until_s = time.monotonic() + 20
        while not (port_file.exists() and port_file.read_text().count("\n")):
            assert time.monotonic() < until_s, "chromium did not start"
            time.sleep(0.05)
        port, path = port_file.read_text().split("\n")[:2]
        self._held = contextlib.ExitStack()
        self._link = self._held.enter_context(connect(f"ws://127.0.0.1:{port}{path}", max_size=None))
        self._number = 0

    def call(self, method: str, session: str | None = None, **parameters: Any) -> dict[str, Any]:
        """The answer to one command; events that come before it are left out."""
        self._number += 1
        said: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        self._link.send(json.dumps(said | ({"sessionId": session} if session else {})))
        while True:
            answer = json.loads(self._link.recv(timeout=20))
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                result: dict[str, Any] = answer["result"]
                return result

    def open(self, address: str) -> Page:
        """A page of its own at `address`."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.call("Emulation.setFocusEmulationEnabled", session, enabled=True)
        self.call("Page.navigate", session, url=address)
        return Page(self, session, target)

    def close(self) -> None:
        """End the browser."""
        self._held.close()
        self._process.terminate()
        self._process.wait(10)


class Page:
    """One page of a `Browser`."""

    def __init__(self, browser: Browser, session: str, target: str) -> None:
        self._browser = browser
        self._session = session
        self._target = target

    def text(self) -> str:
        """What is written on the page."""
        answer = self._browser.call(
            "Runtime.evaluate", self._session, expression="document.body ? document.body.innerText : ''"
        )
        return str(answer["result"].get("value", "")).replace("\u00a0", " ")

    def wait_for(self, is_so: Callable[[str], bool], limit_s: float = 15.0) -> str:
        """The text, once `is_so` holds for it."""
        until_s = time.monotonic() + limit_s
        while not is_so(text := self.text()):
            assert time.monotonic() < until_s, text
            time.sleep(0.1)
        return text

    def type(self, text: str) -> None:
        """Type `text`, of letters and spaces, where the focus is."""
        for letter in text:
            self.press(letter, ord(letter.upper()), text=letter)

    def press(self, key: str, code: int, *, ctrl: bool = False, text: str = "") -> None:
        """Press a key: its name, the number that browsers give it, and what it writes."""
        facts = {"key": key, "windowsVirtualKeyCode": code, "modifiers": 2 if ctrl else 0}
        self._browser.call("Input.dispatchKeyEvent", self._session, type="keyDown", text=text, **facts)
        self._browser.call("Input.dispatchKeyEvent", self._session, type="keyUp", **facts)

    def picture(self) -> bytes:
        """A PNG of the page."""
        return base64.b64decode(self._browser.call("Page.captureScreenshot", self._session)["data"])

    def load_again(self) -> None:
        """Load the page anew."""
        self._browser.call("Page.reload", self._session)

    def close(self) -> None:
        """Close the page."""
        self._browser.call("Target.closeTarget", targetId=self._target)

"""The screen in a browser: who may see it, and that a real one shows it, types into it and leaves it."""

from __future__ import annotations

import argparse
import contextlib
import http.client
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin

from parlor_tui.commands import web
from parlor_tui.commands.web_guard import Guard, number_in
from tests.cli.browser import Browser
from tests.conftest import Home

GUARD = Guard(8765, "secret-token")
OURS = {"Host": "127.0.0.1:8765"}


@pytest.mark.parametrize(
    ("headers", "path", "says"),
    [
        (OURS, "/secret-token/", None),
        (OURS | {"Origin": "http://127.0.0.1:8765"}, "/secret-token/ws", None),
        ({"Host": "LOCALHOST:8765"}, "/secret-token/static/js/textual.js", None),
        ({"Host": "[::1]:8765"}, "/secret-token/", None),
        (OURS, "/", "lacks the token"),
        (OURS, "/secret-toke/", "lacks the token"),
        (OURS, "/secret-tokenx/", "lacks the token"),
        (OURS, "/static/secret-token/", "lacks the token"),
        (OURS, "/s\u00e9cret/", "lacks the token"),
        ({"Host": "evil.example:8765"}, "/secret-token/", "its own address alone"),
        ({"Host": "127.0.0.1:80"}, "/secret-token/", "its own address alone"),
        ({"Host": "127.0.0.1"}, "/secret-token/", "its own address alone"),
        ({}, "/secret-token/", "its own address alone"),
        (OURS | {"Origin": "http://evil.example"}, "/secret-token/ws", "its own page alone"),
        (OURS | {"Origin": "null"}, "/secret-token/ws", "its own page alone"),
        (OURS | {"Origin": "http://127.0.0.1:8000"}, "/secret-token/ws", "its own page alone"),
        (OURS | {"Origin": "http://localhost:8765"}, "/secret-token/ws", "its own page alone"),
        (OURS | {"Origin": "https://127.0.0.1:8765"}, "/secret-token/ws", "its own page alone"),
    ],
)
def test_only_the_printed_address_is_answered(headers: dict[str, str], path: str, says: str | None) -> None:
    refusal = GUARD.refusal(headers, path)
    assert (refusal is None) == (says is None)
    assert says is None or says in str(refusal)


@given(st.text(max_size=20), st.text(max_size=40), st.text(max_size=40))
def test_nothing_else_gets_in(host: str, origin: str, path: str) -> None:
    assert GUARD.refusal({"Host": host, "Origin": origin}, path) is not None


@given(st.text(max_size=8))
def test_a_number_in_the_address_is_within_its_limits(text: str) -> None:
    assert 6 <= number_in({"fontsize": text}, "fontsize", 16, low=6, high=64) <= 64


def test_the_screen_is_started_with_the_options_that_were_given() -> None:
    given_options = argparse.Namespace(
        command="web", port=0, open=False, config=Path("/a b/c.toml"), profile="lite", model=None, mic="it's"
    )
    command = web.screen_command(given_options)
    assert command[1:] == ["-m", "parlor_tui", "--config=/a b/c.toml", "--profile=lite", "--mic=it's"]
    if sys.platform != "win32":
        assert shlex.split(web.shell_words(command)) == ["exec", *command]


def test_without_the_extra_it_says_what_to_install(isolated_home: Home) -> None:
    program = (
        "import sys; sys.modules['textual_serve'] = None; from parlor_tui.cli import main; sys.exit(main(['web']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=isolated_home.env, capture_output=True, text=True, check=False, timeout=30,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == "parlor-tui: the browser needs an extra: `pip install 'parlor-tui[web]'`, then try again\n"


@dataclass(frozen=True, slots=True)
class Served:
    """A running `parlor-tui web`."""

    process: subprocess.Popen[str]
    address: str

    @property
    def port(self) -> int:
        return int(self.address.split(":")[2].partition("/")[0])

    @property
    def path(self) -> str:
        return "/" + self.address.partition("//")[2].partition("/")[2]

    def ask(self, path: str, **headers: str) -> tuple[int, str]:
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        link.request("GET", path, headers=headers)
        answer = link.getresponse()
        return answer.status, answer.read().decode()

    def screens(self) -> list[psutil.Process]:
        """What runs below it."""
        return list(psutil.Process(self.process.pid).children(recursive=True))

    def wait_for_no_screen(self, limit_s: float = 6.0) -> None:
        until_s = time.monotonic() + limit_s
        while running := self.screens():
            assert time.monotonic() < until_s, running
            time.sleep(0.05)


@pytest.fixture
def served(isolated_home: Home) -> Iterator[Served]:
    options = ["--profile", "lite", "--mic", "none", "--speaker", "none"]
    with subprocess.Popen(
        [sys.executable, "-m", "parlor_tui", "web", *options],
        env=isolated_home.env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        found = re.match(r"(http://127\.0\.0\.1:\d+/[\w-]{32}/) for one window; sound is this machine's own; ", line)
        try:
            assert found, line
            yield Served(process, found.group(1))
        finally:
            with contextlib.suppress(psutil.NoSuchProcess):
                for screen in psutil.Process(process.pid).children(recursive=True):
                    screen.kill()
            process.kill()


def test_a_browser_shows_the_screen_types_and_leaves(served: Served, tmp_path: Path) -> None:
    assert served.ask("/")[0] == 403
    assert served.ask(served.path, Host=f"evil.example:{served.port}")[0] == 403
    with (
        pytest.raises(InvalidStatus, match="403"),
        connect(f"ws{served.address[4:]}ws", origin=Origin("http://evil.example")),
    ):
        pytest.fail("another page got in")
    assert served.screens() == []
    browser = Browser(tmp_path)
    try:
        page = browser.open(served.address)
        text = page.wait_for(lambda text: "type here" in text and "^q quit" in text)
        assert "parlor" in text
        assert "╭─ Talk ─" in text
        page.type("Name two colours")
        page.wait_for(lambda text: "❯ Name two colours" in text)
        page.press("Enter", 13, text="\r")
        page.wait_for(lambda text: re.search(r"you +Name two colours", text) is not None)

        with pytest.raises(InvalidStatus, match="409"), connect(f"ws{served.address[4:]}ws"):
            pytest.fail("a second session began")
        second = browser.open(served.address)
        second.wait_for(lambda text: "parlor is open in another window already" in text)
        second.close()

        assert served.screens() != []
        page.press("q", 81, ctrl=True)
        page.wait_for(lambda text: "parlor has ended" in text)
        served.wait_for_no_screen()

        page.load_again()
        page.wait_for(lambda text: "type here" in text)
        assert "Name two colours" not in page.text()
        page.close()
        served.wait_for_no_screen()
    finally:
        browser.close()
    served.process.send_signal(signal.SIGINT)
    assert served.process.wait(5) == 0


def test_a_screen_does_not_outlive_who_serves_it(served: Served) -> None:
    with connect(f"ws{served.address[4:]}ws?width=80&height=24") as page:
        while b"type here" not in page.recv(timeout=15):
            pass
        screens = served.screens()
        assert screens
        served.process.kill()
        gone, alive = psutil.wait_procs(screens, timeout=6)
        assert (len(gone), alive) == (len(screens), [])

"""The first start of the real program without Gemma, in a real terminal, with an imitated hub that has a tiny one."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from parlor_tui.models import catalogue
from parlor_tui.models.base import ModelFile
from parlor_tui.settings import Settings, models_folder, toml_value
from tests.conftest import Home, make_home
from tests.e2e.running import headless
from tests.models.hub import COMMIT, Hub, running
from tests.terminal import Tmux
from tests.tiny_gemma import tiny_gemma

READY_S = 90.0
TURN_S = 60.0
REPO = "litert-community/gemma-4-E2B-it-litert-lm"
SECONDS_TO_GET = 12.0
SURROUNDINGS = {
    "NO_PROXY": "127.0.0.1",
    "no_proxy": "127.0.0.1",
    "PIP_CONFIG_FILE": os.devnull,
    "PIP_NO_INDEX": "1",
}
"""Nothing but the imitated hub can be reached: captions other than those of lite are not to be had."""


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Hub]:
    """Its newest commit has the tiny model under Gemma's name; of the pinned one it knows nothing any more."""
    with running() as hub:
        (file,) = catalogue.find("gemma-4-e2b").files
        assert isinstance(file, ModelFile)
        content = tiny_gemma(tmp_path / "tiny").read_bytes()
        hub.files[f"{REPO}/{file.name}"] = content
        hub.revisions = {COMMIT}
        hub.piece_pause_s = SECONDS_TO_GET / (len(content) / 16_384)
        yield hub


@pytest.fixture
def home(tmp_path: Path, hub: Hub) -> Home:
    """A home whose folder of models holds those of lite alone, and whose hub is the imitation."""
    home = make_home(tmp_path)
    folder = tmp_path / "models"
    folder.mkdir()
    for name in catalogue.PROFILES["lite"]:
        model = models_folder(Settings()) / name
        assert model.is_dir(), f"{model} is missing: run `parlor-tui models get --profile lite`"
        (folder / name).symlink_to(model, target_is_directory=True)
    devices = '[devices]\nmicrophone = "none"\nspeaker = "none"\n'
    home.config.write_text(f"[models]\nfolder = {toml_value(str(folder))}\n{devices}", encoding="utf-8")
    kept = {name: value for name, value in home.env.items() if not name.startswith(("HF_", "HUGGING", "PIP_"))}
    return Home({**kept, **SURROUNDINGS, "HF_ENDPOINT": hub.url, "HF_HOME": str(tmp_path / "hf")}, home.config)


@pytest.fixture
def screen(home: Home, tmp_path: Path) -> Iterator[Tmux]:
    names = ("HOME", "PYTHONPATH", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")
    hubs = ("HF_ENDPOINT", "HF_HOME", *SURROUNDINGS)
    terminal = Tmux(tmp_path, {name: home.env[name] for name in (*names, *hubs)})
    yield terminal
    terminal.close()


def start(screen: Tmux) -> None:
    screen.run(f"{sys.executable} -m parlor_tui")
    screen.wait_for("Get Gemma 4 E2B?", READY_S)


def percent(screen: Tmux) -> int:
    """Where the bar stands; -1 without one."""
    found = re.search(r"─ +(\d+) %|━ +(\d+) %", screen.picture())
    return int(found[1] or found[2]) if found else -1


def leave(screen: Tmux) -> None:
    screen.keys("C-q")
    assert screen.wait_for_end() == 0
    screen.assert_terminal_is_whole()


def test_taken_it_comes_while_one_talks_and_then_answers_itself(screen: Tmux, home: Home) -> None:
    start(screen)
    picture = screen.picture()
    assert "gemma-4-e2b: 2.6 GB, answers, licence Apache-2.0" in picture
    assert "GB free for" in picture or "MB free for" in picture
    assert "^g download  ^x not now" in picture
    screen.wait_for("ready after", READY_S)
    screen.keys("C-g")
    screen.wait_for(" left", 20)
    assert re.search(r"gemma-4-e2b: [\d.]+ [kM]B of [\d.]+ MB, [\d.]+ [kM]B/s, \d+ s left", screen.picture())
    screen.keys("What is the capital of Italy?", "Enter")
    screen.wait_for("Rome", TURN_S)
    assert "^x cancel" in screen.picture(), "lite answered while the model was still on its way"
    screen.wait_for("Gemma 4 E2B is here: starting with it", 60)
    screen.wait_for("gemma · Gemma 4 E2B", READY_S)
    screen.wait("the new core", lambda: screen.picture().count("ready after") == 2, READY_S)
    picture = screen.picture()
    assert "demo-grade" not in picture.splitlines()[0]
    assert "^x" not in picture
    assert "Rome" in picture, "the talk stays where it was"
    assert "error" not in picture
    screen.keys("And of France?", "Enter")
    screen.wait("an answer", lambda: picture_after(screen, "And of France?").strip() not in ("", "…"), TURN_S)
    leave(screen)
    with headless(home=home) as live:
        ready = live.wait("ready", timeout_s=READY_S)
        assert ready["profile"] == "gemma"
        assert live.count("model_offered") == 0


def picture_after(screen: Tmux, words: str) -> str:
    """What parlor said to `words`, as far as it stands on the screen."""
    _, _, after = screen.picture().rpartition(words)
    found = re.search(r"parlor +(\S.*?) *│", after)
    return found[1] if found else ""


def test_cancelled_half_way_it_goes_on_from_there(screen: Tmux, hub: Hub) -> None:
    start(screen)
    screen.wait_for("ready after", READY_S)
    screen.keys("C-g")
    screen.wait("half of it", lambda: percent(screen) >= 50, 60)
    screen.keys("C-x")
    screen.wait_for("what came is kept", 10)
    screen.wait_for("^g go on  ^x not now", 10)
    hub.asked.clear()
    screen.keys("C-g")
    screen.wait_for("Gemma 4 E2B is here: starting with it", 60)
    screen.wait("the new core", lambda: screen.picture().count("ready after") == 2, READY_S)
    assert "gemma · Gemma 4 E2B" in screen.picture()
    (content,) = hub.files.values()
    firsts = [first for path, first in hub.gets() if path.endswith(".litertlm")]
    assert firsts
    assert min(firsts) > len(content) * 0.45, "what came before was not asked for again"
    leave(screen)


def test_a_core_that_is_killed_half_way_is_followed_by_one_that_goes_on_by_itself(screen: Tmux, hub: Hub) -> None:
    start(screen)
    screen.wait_for("ready after", READY_S)
    screen.keys("C-g")
    screen.wait("half of it", lambda: percent(screen) >= 50, 60)
    (core,) = [child for child in psutil.Process(screen.program_pid()).children() if "core" in child.cmdline()]
    core.kill()
    screen.wait_for("starting it again", 10)
    hub.asked.clear()
    screen.wait_for("Gemma 4 E2B is here: starting with it", 90)
    screen.wait_for("gemma · Gemma 4 E2B", READY_S)
    (content,) = hub.files.values()
    firsts = [first for path, first in hub.gets() if path.endswith(".litertlm")]
    assert firsts
    assert min(firsts) > len(content) * 0.45
    leave(screen)


def test_not_now_holds_at_the_next_start(screen: Tmux, home: Home, hub: Hub) -> None:
    start(screen)
    screen.keys("C-x")
    screen.wait_for("is not offered again", 10)
    screen.wait("the bar to go", lambda: "^x" not in screen.picture(), 10)
    leave(screen)
    with headless(home=home) as live:
        assert live.wait("model_offered", timeout_s=READY_S)["declined"] is True
    assert hub.asked == [], "nothing was asked of the hub"

"""Fixtures for all tests: the audio rig, and a home of their own for processes under test."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import hypothesis
import pytest

from parlor_tui.settings import Settings, models_folder, toml_value
from tests.fault_table import RecordRow, as_markdown, recorder, rows_of
from tests.rig import Rig

ROOT = Path(__file__).resolve().parent.parent
SOUND_VARIABLES = ("PULSE_SERVER", "PULSE_RUNTIME_PATH", "PULSE_COOKIE", "ALSA_CONFIG_PATH", "VIRTUAL_AUDIO_DIR")


LIVE_FOLDERS = ("assistant", "cli", "conversations", "devices", "e2e", "engines", "faults", "link", "rig")
BESIDE_OTHERS = ("faults",)
"""Their tests sound as well, but what they measure allows for a busy machine."""
LIVE_MODULES = (
    "test_bench_command",
    "test_children",
    "test_command",
    "test_escape",
    "test_poor_terminals",
    "test_real_terminal",
    "test_soak_command",
)
"""Their tests start the program, a core, processes or devices."""


def pytest_configure(config: pytest.Config) -> None:
    hypothesis.settings.register_profile("shared", deadline=None)  # two files run beside each other: no tight times
    hypothesis.settings.load_profile("shared")
    config.addinivalue_line("markers", "rig: needs the virtual microphone and speaker, and so Linux (set by itself)")
    config.addinivalue_line("markers", "live: starts processes or devices; by two at most (set by itself)")
    config.addinivalue_line("markers", "alone: sound that is measured, with nothing else beside it (set by itself)")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        folder = item.path.relative_to(ROOT).parts[1]
        if "rig" in getattr(item, "fixturenames", ()):
            item.add_marker("rig")
            if folder not in BESIDE_OTHERS:
                item.add_marker("alone")
        if "rig" in getattr(item, "fixturenames", ()) or folder in LIVE_FOLDERS or item.path.stem in LIVE_MODULES:
            item.add_marker("live")


@pytest.fixture(scope="session")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    """The virtual microphone and speaker; this process and its children use them as long as the tests run."""
    running = Rig(tmp_path_factory.mktemp("rig"))
    with pytest.MonkeyPatch.context() as patch:
        for name, value in running.env.items():
            patch.setenv(name, value)
        yield running
    running.stop()


@pytest.fixture(autouse=True)
def _rig_as_new(request: pytest.FixtureRequest) -> None:
    """Whatever a test did to the rig, the next one finds it whole."""
    if "rig" in request.fixturenames:
        running: Rig = request.getfixturevalue("rig")
        running.reset()


@pytest.fixture
def fault_row(record_property: Callable[[str, object], None]) -> RecordRow:
    """Puts what became of a fault into the table at the end of the run; it fails where that was noticed too late."""
    return recorder(record_property)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    rows = rows_of(report for reports in terminalreporter.stats.values() for report in reports)
    if rows:
        terminalreporter.section("faults, for the README")
        for line in as_markdown(rows):
            terminalreporter.write_line(line)


@dataclass(frozen=True, slots=True)
class Home:
    """Folders of its own for a process under test; only the models are those of this machine.

    `env` is a whole environment, without a sound device of the rig: use `{**home.env, **rig.env}` to have one.
    """

    env: dict[str, str]
    config: Path

    def write_config(self, text: str) -> None:
        """Add `text` (TOML with sections other than [models]) to the settings file."""
        self.config.write_text(f"{text}\n{self.config.read_text(encoding='utf-8')}", encoding="utf-8")


@pytest.fixture
def isolated_home(tmp_path: Path) -> Home:
    """No settings, cache, data or log of the user is read or written by a process started with this `env`."""
    return make_home(tmp_path)


def make_home(folder: Path) -> Home:
    """A home in `folder`."""
    home = folder / "home"
    places = {
        "HOME": home,
        "USERPROFILE": home,
        "XDG_CONFIG_HOME": home / "config",
        "XDG_DATA_HOME": home / "data",
        "XDG_STATE_HOME": home / "state",
        "XDG_CACHE_HOME": home / "cache",
        "APPDATA": home / "appdata",
        "LOCALAPPDATA": home / "localappdata",
    }
    for place in places.values():
        place.mkdir(parents=True, exist_ok=True)
    kept = {name: value for name, value in os.environ.items() if name not in SOUND_VARIABLES}
    path = os.pathsep.join(filter(None, (str(ROOT), kept.get("PYTHONPATH"))))
    env = {**kept, **{name: str(place) for name, place in places.items()}, "PYTHONPATH": path}
    config = home / "config" / "parlor-tui" / "config.toml"
    config.parent.mkdir()
    folder_line = f"folder = {toml_value(str(models_folder(Settings())))}"
    config.write_text(f"[models]\n{folder_line}\noffer = false\n", encoding="utf-8")
    return Home(env, config)

"""The gemma profile as people use it, on the virtual microphone and speaker: the real engine and a tiny Gemma."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from tests.conftest import Home
from tests.e2e.running import READY_S, headless, parlor
from tests.engines.media import drawn_jpeg
from tests.questions import QUESTIONS, question_wav
from tests.rig import Rig
from tests.speaking import word_error_rate
from tests.tiny_gemma import tiny_gemma


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_gemma(tmp_path_factory.mktemp("tiny"))


def gemma(model: Path) -> Sequence[str]:
    return ("--profile", "gemma", "--model", str(model))


def test_it_hears_sees_and_answers_and_says_that_there_is_no_gpu(
    rig: Rig, isolated_home: Home, model: Path, tmp_path: Path
) -> None:
    picture = tmp_path / "red.jpg"
    picture.write_bytes(drawn_jpeg((200, 30, 30)))
    with headless(*gemma(model), "--camera", picture, home=isolated_home, env=rig.env) as live:
        ready = live.wait("ready", timeout_s=READY_S)
        assert (ready["profile"], ready["hears"], ready["sees"]) == ("gemma", True, True)
        notices = [notice["text"] for notice in live.of("notice")]
        assert any(text.startswith("GPU not used for text") and "CPU" in text for text in notices), notices
        with rig.record() as recording:
            rig.speak(question_wav(QUESTIONS[0]))
            done = live.wait("turn_done", timeout_s=120)
        assert word_error_rate(QUESTIONS[0], done["heard"]) <= 0.1
        assert done["status"] == "completed"
        assert done["reply"]
        stages = {"endpoint", "see", "hear", "first_token", "first_sentence", "first_audio", "playout"}
        assert set(done["stages_ms"]) == stages | {"voice_to_voice"}
        assert all(taken["took_ms"] > 0 for taken in live.of("media_taken"))
        assert np.abs(recording.audio()).max() > 0.05
        kinds = [taken["kind"] for taken in live.of("media_taken")]
        assert kinds == ["picture", "sound"]


def test_a_voice_stops_it_and_the_talk_goes_on(rig: Rig, isolated_home: Home, model: Path) -> None:
    with headless(*gemma(model), home=isolated_home, env=rig.env) as live:
        live.wait("ready", timeout_s=READY_S)
        rig.speak(question_wav(QUESTIONS[5]))
        live.wait("audio_started")
        rig.speak(question_wav(QUESTIONS[0]))
        interrupted = live.wait("interrupted")
        assert interrupted["by"] == "voice"
        turn = interrupted["turn"] + 1
        caption = live.wait("caption", turn=turn, final=True)
        assert word_error_rate(QUESTIONS[0], caption["text"]) <= 0.2
        live.wait("audio_started", turn=turn)


WEDGE = """
# Takes a native call that never comes back in place of the next one that is asked for, once.
import ctypes, importlib.abc, importlib.machinery, sys
from pathlib import Path

MARK = Path({mark!r})


class Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name != "parlor_tui.engines.litert_api":
            return None
        sys.meta_path.remove(self)
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        run = spec.loader.exec_module

        def exec_module(module):
            run(module)
            send = module.Branch.send

            def wedged(self, *content, **rest):
                if MARK.exists():
                    MARK.unlink()
                    ctypes.CDLL(None).sleep(3600)
                return send(self, *content, **rest)

            module.Branch.send = wedged

        spec.loader.exec_module = exec_module
        return spec


sys.meta_path.insert(0, Finder())
"""


@pytest.mark.timeout(400)
def test_a_model_that_hangs_is_given_up_on_and_the_talk_goes_on(
    rig: Rig, isolated_home: Home, model: Path, tmp_path: Path
) -> None:
    mark, site = tmp_path / "wedge", tmp_path / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text(textwrap.dedent(WEDGE.format(mark=str(mark))))
    env = {**rig.env, "PYTHONPATH": f"{site}:{isolated_home.env['PYTHONPATH']}"}
    isolated_home.write_config("[answering]\nmax_tokens = 16\n")  # what it writes is long and means nothing
    with headless(*gemma(model), home=isolated_home, env=env) as live:
        live.wait("ready", timeout_s=READY_S)
        rig.speak(question_wav(QUESTIONS[0]))
        live.wait("turn_done", status="completed", timeout_s=120)
        mark.touch()
        rig.speak(question_wav(QUESTIONS[1]))
        live.wait("turn_committed", count=2)
        notice = live.wait("notice", key="core")
        assert "hung" in notice["text"]
        live.wait("ready", count=2, timeout_s=READY_S)
        done = live.wait("turn_done", count=2, status="completed", timeout_s=120)
        assert word_error_rate(QUESTIONS[1], done["heard"]) <= 0.2
        assert done["reply"]
        assert not mark.exists()


def test_a_text_only_model_is_asked_about_a_picture_and_says_that_it_cannot_see(
    isolated_home: Home, tmp_path: Path
) -> None:
    model = tiny_gemma(tmp_path, "text")
    picture = tmp_path / "red.jpg"
    picture.write_bytes(drawn_jpeg((200, 30, 30)))
    done = parlor(
        "ask", *gemma(model), "--wav", question_wav(QUESTIONS[0]), "--image", picture, "--json", env=isolated_home.env
    )
    assert done.returncode == 0, done.stderr
    assert "cannot hear or see: it reads captions instead and it is told of pictures in words" in done.stderr


@pytest.mark.parametrize(
    ("name", "line"),
    [("nosuch.litertlm", "there is no such model file"), ("text.litertlm", "not a .litertlm file")],
)
def test_a_model_file_that_is_none_is_one_line(isolated_home: Home, tmp_path: Path, name: str, line: str) -> None:
    (tmp_path / "text.litertlm").write_text("no model")
    done = parlor("ask", "--model", tmp_path / name, "--text", "Hello?", env=isolated_home.env)
    assert done.returncode in (3, 4)
    assert len(done.stderr.splitlines()) == 1
    assert line in done.stderr

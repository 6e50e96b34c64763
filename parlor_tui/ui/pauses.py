"""What a pause waits for and why a turn ended, in plain words."""

from __future__ import annotations

from parlor_tui.events import PauseJudged, SpeechStopped

NO_SILENCE_MS = 60
"""The turn machine ends no turn after less silence than this, unless the turn has its longest length."""

_IN_WORDS = {
    "fixed": "always as long",
    "unknown": "nothing else is known",
    "sound": "by its sound",
    "question": "a whole question",
    "done": "finished",
    "open word": "more must follow",
    "introduction": "more must follow",
    "clause": "half a sentence",
    "filler": "you are thinking",
    "number": "within a number",
    "trails off": "it trails off",
}
"""What decided, in words; a reason that is not here stands as it is."""


def pause_words(judged: PauseJudged) -> str:
    """What is waited for while the pause lasts."""
    sounds = "" if judged.finished is None else f" · sounds {judged.finished * 100:.0f} % finished"
    return f"pause: ends after {judged.wait_ms} ms: {_why(judged)}{sounds}"


def ended_words(stopped: SpeechStopped, judged: PauseJudged | None) -> str:
    """Why a turn that was not dropped ended. `judged` is what was known of its last pause."""
    silence_ms = (stopped.at_s - stopped.last_speech_at_s) * 1000
    if silence_ms < NO_SILENCE_MS:
        return "ended at the longest length of a turn"
    return f"ended after {silence_ms:.0f} ms" + (f": {_why(judged)}" if judged is not None else "")


def _why(judged: PauseJudged) -> str:
    return _IN_WORDS.get(judged.why, judged.why)

"""espeak-ng as a library: text in one language to espeak's own phonemes. The only module that calls it."""

from __future__ import annotations

import ctypes
import sys
import threading

from parlor_tui.speech.base import SpeechError

_SYNCHRONOUS = 2
_DO_NOT_EXIT = 0x8000
_UTF8 = 1
_IPA_WITH_BARS = 0x02 | ord("_") << 8
_MNEMONICS = 0

_lock = threading.Lock()
_library: ctypes.CDLL | None = None


def units(text: str, language: str) -> str:
    """IPA of `text`: a bar (`_`) between phonemes, a space between words, no punctuation.

    `language` is espeak's name of it, such as "en-us". Raises SpeechError.
    """
    return _phonemes(text, language, _IPA_WITH_BARS)


def mnemonics(text: str, language: str) -> str:
    """The same in espeak's own ASCII, which tells apart what its IPA does not: the tones of Mandarin."""
    return _phonemes(text, language, _MNEMONICS)


def _phonemes(text: str, language: str, mode: int) -> str:
    # Behind an abbreviation espeak reads on to the next space, and without one into the text of the next call.
    text = text.replace("\0", " ") + " "
    with _lock:  # espeak keeps its language and its place in the text in global variables
        library = _loaded()
        if library.espeak_SetVoiceByName(language.encode()) != 0:
            raise SpeechError(f"espeak-ng does not know the language {language!r}")
        rest = ctypes.c_char_p(text.encode())
        clauses: list[str] = []
        while rest.value:
            clause = library.espeak_TextToPhonemes(ctypes.byref(rest), _UTF8, mode)
            clauses.append((clause or b"").decode("utf-8", "replace"))
    return " ".join(clauses)


def _loaded() -> ctypes.CDLL:
    global _library  # noqa: PLW0603 - espeak is one per process, whatever holds it
    if _library is None:
        import espeakng_loader

        data_folder: str = espeakng_loader.get_data_path()
        try:
            library = ctypes.CDLL(espeakng_loader.get_library_path())
        except OSError as error:
            raise SpeechError(f"espeak-ng, which makes the phonemes, does not load: {error}") from error
        library.espeak_TextToPhonemes.restype = ctypes.c_char_p
        # espeak opens its files with the C library, which on Windows takes the system's own encoding.
        data = data_folder.encode("mbcs" if sys.platform == "win32" else "utf-8", "replace")
        if library.espeak_Initialize(_SYNCHRONOUS, 0, data, _DO_NOT_EXIT) < 0:
            raise SpeechError(f"espeak-ng, which makes the phonemes, finds no data in {data_folder}")
        _library = library
    return _library

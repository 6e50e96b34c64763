"""What found no room or came to nothing, counted in one place, so that it can be seen that anything was lost.

Each process has counts of its own, from its start. Any thread may count, and any may read. The terminal tells its own
to the core, which shows all of them on `/metrics`; the journal has those of the terminal, and `parlor-tui journal
summary` sums them up.
"""

from __future__ import annotations

import threading
from collections import Counter
from enum import StrEnum


class Count(StrEnum):
    """Everything that is counted: what the terminal counts, and below it what the core does."""

    MICROPHONE_PIECES_LOST = "microphone_pieces_lost"
    """Pieces of sound that the sound system gave and nobody took in time."""
    INBOX_BLOCKS_LOST = "inbox_blocks_lost"
    """Blocks of the microphone, 32 ms each, that the assistant did not keep up with."""
    INBOX_MESSAGES_LOST = "inbox_messages_lost"
    """Anything else that it did not keep up with: keys, events of the core and of devices."""
    SCREEN_WAITS = "screen_waits"
    """Events that had to wait for the screen to catch up."""
    REPLY_SAMPLES_UNHEARD = "reply_samples_unheard"
    """Samples at 24 kHz of replies that were longer than is kept for the speaker."""
    SCRIPT_BLOCKS_LOST = "script_blocks_lost"
    """Blocks of a demo that were too many for its microphone."""
    CAPTIONS_UNNAMED = "captions_unnamed"
    """Spoken turns that the core never gave a name to."""
    LINK_OUTBOX_FULL = "link_outbox_full"
    """Links that were given up since the core did not read."""
    KEEPING_STOPPED = "keeping_stopped"
    """Times that a conversation could not be kept any more: the disk is full, broken, or too slow."""
    JOURNAL_LINES_LOST = "journal_lines_lost"
    """Lines of the journal that waited for room on the disk, and were too many."""
    TURN_REPORTS_LOST = "turn_reports_lost"
    """Turns that were over while there was no core, and were too many for it to hear of them."""
    CORES_DIED = "cores_died"
    """Cores that were of no use any more, and were not asked to end."""
    TURNS_LOST = "turns_lost"
    """Turns without an answer, since the core that they were put to died, or the link to it was lost."""
    CLIENTS_CUT_OFF = "clients_cut_off"
    """Clients of the core that did not read what they were told."""
    MESSAGES_REFUSED = "messages_refused"
    """Messages of clients that were not as the protocol has it, or too large."""
    AUDIO_REFUSED = "audio_refused"
    """Pieces of audio beyond the longest turn."""
    INPUT_TIMEOUTS = "input_timeouts"
    """Audio that was sent and never committed, and so dropped."""
    SERVER_BUSY = "server_busy"
    """Replies that were refused since too many were being made."""
    REPLY_PIECES_LOST = "reply_pieces_lost"
    """Pieces of text beyond the longest reply, from a model that did not stop."""


OF_CORE = frozenset(
    {
        Count.CLIENTS_CUT_OFF,
        Count.MESSAGES_REFUSED,
        Count.AUDIO_REFUSED,
        Count.INPUT_TIMEOUTS,
        Count.SERVER_BUSY,
        Count.REPLY_PIECES_LOST,
    }
)
OF_TERMINAL = tuple(one for one in Count if one not in OF_CORE)

_counts: Counter[Count] = Counter()
_lock = threading.Lock()


def count(what: Count, more: int = 1) -> None:
    """Count `what`, or `more` of it."""
    with _lock:
        _counts[what] += more


def counts() -> dict[str, int]:
    """All counts of this process so far by their names, those at zero included."""
    with _lock:
        return {str(what): _counts[what] for what in Count}

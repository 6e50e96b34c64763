"""The talk as data: events in, entries out. Nothing here draws."""

from __future__ import annotations

from parlor_tui.events import (
    AskedAgain,
    Caption,
    ConversationBegun,
    Event,
    Failed,
    HeardText,
    Interrupted,
    MediaTaken,
    Notice,
    PauseJudged,
    Ready,
    ReplyAudioArrived,
    ReplyText,
    ReplyTimed,
    ReplyUnitReady,
    Severity,
    SpeakerLevel,
    SpeechStarted,
    SpeechStopped,
    State,
    StateChanged,
    TurnCommitted,
    TurnDone,
)
from parlor_tui.ui.entries import Changes, Entry, LineEntry, TurnEntry, earlier_entry
from parlor_tui.ui.pauses import ended_words
from parlor_tui.ui.spoken import Spoken
from parlor_tui.ui.text import clean

__all__ = ["ENTRIES_LIMIT", "Changes", "Entry", "LineEntry", "Transcript", "TurnEntry"]
ENTRIES_LIMIT = 200
"""Entries kept on the screen; the oldest go first."""
BANNERED = 3
"""So many of the newest troubles that last stand in a banner as well."""


class Transcript:
    """Entries of the talk, oldest first, kept up to date by `apply` and `typed`."""

    def __init__(self, limit: int = ENTRIES_LIMIT) -> None:
        self._limit = limit
        self._entries: dict[int, Entry] = {}
        self._turns: dict[int, TurnEntry] = {}
        self._changes = Changes()
        self._next_number = 0
        self._forgotten_turn = -1
        self._joins_next = False
        self._over_reply: SpeechStarted | None = None
        self._lasting: dict[str, LineEntry] = {}
        self._loading = True
        self._sees = False

    @property
    def entries(self) -> list[Entry]:
        """Everything kept, oldest first."""
        return list(self._entries.values())

    def take_changes(self) -> Changes:
        """What changed since the last call."""
        changes, self._changes = self._changes, Changes()
        return changes

    def typed(self, text: str, at_s: float) -> None:
        """The user typed `text`: it stands in the talk at once, and waits there until the assistant takes it up."""
        caption = clean(text)
        entry = TurnEntry(self._number(), at_s, None, typed=True, caption=caption, settled=True, early=self._loading)
        self._add(entry)

    def line(self, text: str, severity: Severity, at_s: float) -> None:
        """Put one line into the talk: at its end, but above what was typed before there was a core to answer it."""
        self._line(LineEntry(self._number(), at_s, clean(text), severity))

    def _line(self, line: LineEntry) -> None:
        self._add(line)
        for entry in self.entries:
            if isinstance(entry, TurnEntry) and entry.waits:
                self._move_last(entry)

    def apply(self, event: Event) -> None:
        """Take one event over; those that concern no entry change nothing."""
        match event:
            case StateChanged(state=State.LOADING):
                self._loading = True
            case Ready():
                self._loading, self._sees = False, event.sees
            case ConversationBegun():
                self._begin(event)
            case Notice():
                self._notice(event)
            case Failed():
                self._failed(event)
            case SpeechStarted():
                self._speech(event)
            case SpeechStopped(dropped=True):
                self._drop(event.turn)
            case SpeechStopped() if entry := self._turns.get(event.turn):
                entry.ended = ended_words(event, entry.pause)
                self._touch(entry)
            case PauseJudged() if entry := self._turns.get(event.turn):
                entry.pause = event
            case Caption():
                self._caption(event)
            case TurnCommitted():
                self._committed(event)
            case MediaTaken(kind="picture") if entry := self._turns.get(event.turn):
                entry.shown, entry.shown_s = True, event.at_s
                self._touch(entry)
            case ReplyText() if entry := self._turn(event.turn, event.at_s):
                entry.reply = clean(event.whole) if event.whole else entry.reply + clean(event.delta)
                entry.reply_final = entry.reply_final or event.final
                self._touch(entry)
            case (
                AskedAgain()
                | ReplyUnitReady()
                | ReplyAudioArrived()
                | ReplyTimed()
                | SpeakerLevel()
                | Interrupted()
                | HeardText()
                | TurnDone()
            ) if entry := self._turns.get(event.turn):
                self._replied(entry, event)

    def _replied(self, entry: TurnEntry, event: Event) -> None:
        """What is heard of the reply to a turn, and what becomes of it."""
        match event:
            case AskedAgain():
                entry.reply, entry.reply_final, entry.spoken = "", False, Spoken()
                self._touch(entry)
            case ReplyUnitReady():
                entry.spoken.add_unit(clean(event.text))
            case ReplyAudioArrived():
                entry.spoken.add_samples(event.samples)
            case ReplyTimed():
                entry.spoken.add_words(clean(event.text), event.ends_ms)
            case SpeakerLevel():
                self._sounds(entry, event.played_ms)
            case Interrupted():
                self._sounds(entry, event.played_ms)
                entry.cut_by, entry.played_ms, entry.cut_s = event.by, event.played_ms, event.at_s
                self._touch(entry)
            case HeardText():
                entry.heard = clean(event.heard)
                self._touch(entry)
            case TurnDone():
                self._done(entry, event)

    def _begin(self, event: ConversationBegun) -> None:
        """Another conversation: what was typed for the former and not sent yet is not sent."""
        self._joins_next, self._over_reply = False, None
        for entry in self._entries.values():
            if isinstance(entry, TurnEntry) and entry.turn is None and entry.at_s <= event.asked_at_s:
                entry.refused = True
                self._touch(entry)
        began = f"{event.name[:10]} {event.name[11:13]}:{event.name[13:15]}"
        told = f"the talk of {began} goes on" if event.name else "new conversation: nothing from above is remembered"
        self._add(LineEntry(self._number(), event.at_s, told, "info", rule=True))
        for earlier in event.earlier:
            self._add(earlier_entry(earlier, self._number(), event.at_s))

    def _failed(self, event: Failed) -> None:
        """The oldest turn that waits is not sent. What a trouble that lasts says already is not said again."""
        if waiting := self._waiting():
            waiting.refused = True
            self._touch(waiting)
        if all(line.text != clean(event.text) for line in self._lasting.values()):
            self.line(event.text, "error", event.at_s)

    def _notice(self, event: Notice) -> None:
        """A line for each notice; a trouble that lasts gets one line however often it is told."""
        if not event.key:
            self.line(event.text, event.severity, event.at_s)
            return
        line = self._lasting.pop(event.key, None)
        if event.text:
            if line is None or line.text != clean(event.text):
                line = LineEntry(self._number(), event.at_s, clean(event.text), event.severity)
                self._line(line)
            self._lasting[event.key] = line
        bannered = {lasting.text for lasting in list(self._lasting.values())[-BANNERED:]}
        for entry in self._entries.values():
            if isinstance(entry, LineEntry) and entry.lasts is not (entry.text in bannered):
                entry.lasts = not entry.lasts
                self._touch(entry)

    def _speech(self, event: SpeechStarted) -> None:
        """Over a reply it may be no more than a cough: nothing moves before it has words, or the reply is cut."""
        if any(entry.committed and entry.status is None for entry in self._turns.values()):
            self._over_reply = event
        else:
            self._turn(event.turn, event.at_s)

    def _caption(self, event: Caption) -> None:
        text = clean(event.text)
        if event.turn not in self._turns and (waiting := self._waiting(text)):
            self._take_up(waiting, event.turn)
            return
        if entry := self._turn(event.turn, event.at_s):
            entry.caption, entry.settled = text, event.final
            self._touch(entry)

    def _committed(self, event: TurnCommitted) -> None:
        if event.last_speech_at_s is None and event.turn not in self._turns and (waiting := self._waiting()):
            self._take_up(waiting, event.turn)
        if entry := self._turn(event.turn, event.at_s):
            entry.committed, entry.unseen = True, event.pictured and self._sees
            self._touch(entry)

    def _done(self, entry: TurnEntry, event: TurnDone) -> None:
        entry.status, entry.output_tokens = event.status, event.output_tokens
        entry.voice_to_voice_ms = event.stages_ms.get("voice_to_voice")
        entry.settled = entry.settled or event.status != "joined"  # whose caption may come still
        entry.reply_final = True
        if event.reply:
            entry.reply = clean(event.reply)
        if (speech := self._over_reply) is not None and event.status in ("interrupted", "joined"):
            self._over_reply = None
            self._turn(speech.turn, speech.at_s)
        if event.status == "joined":
            self._join_next(entry)
        self._touch(entry)

    def _join_next(self, joined: TurnEntry) -> None:
        """The next turn, which may have begun already, answers `joined` too."""
        later = [entry for turn, entry in self._turns.items() if joined.turn is not None and turn > joined.turn]
        if later:
            later[0].follows_joined = True
            self._touch(later[0])
        else:
            self._joins_next = True

    def _sounds(self, entry: TurnEntry, played_ms: float) -> None:
        """So much of the reply was heard; a meter may be late, and tell of one that is over."""
        sounded = entry.spoken.heard(played_ms)
        grown = len(sounded) > len(entry.sounded)  # times that become known late take nothing back
        if entry.status is None and entry.cut_by is None and grown:
            entry.sounded = sounded
            self._touch(entry)

    def _waiting(self, text: str | None = None) -> TurnEntry | None:
        """The oldest typed turn that was not taken up yet (with this text, if given; else one not refused)."""
        for entry in self._entries.values():
            if isinstance(entry, TurnEntry) and entry.turn is None:
                same = not entry.refused if text is None else entry.caption.strip() == text.strip()
                if same:
                    return entry
        return None

    def _take_up(self, entry: TurnEntry, turn: int) -> None:
        entry.turn, entry.refused = turn, False
        self._turns[turn] = entry
        self._touch(entry)

    def _turn(self, turn: int, at_s: float) -> TurnEntry | None:
        """The entry of `turn`, made if it is new; None if it scrolled out of memory."""
        if turn <= self._forgotten_turn:
            return None
        entry = self._turns.get(turn)
        if entry is None:
            entry = self._turns[turn] = TurnEntry(self._number(), at_s, turn, follows_joined=self._joins_next)
            self._joins_next = False
            self._add(entry)
        return entry

    def _drop(self, turn: int) -> None:
        self._over_reply = None
        entry = self._turns.get(turn)
        if entry and not entry.committed:
            self._joins_next = self._joins_next or entry.follows_joined
            self._remove(entry)

    def _number(self) -> int:
        self._next_number += 1
        return self._next_number

    def _add(self, entry: Entry) -> None:
        self._entries[entry.number] = entry
        self._changes.added.append(entry)
        while len(self._entries) > self._limit:
            oldest = next(iter(self._entries.values()))
            self._remove(oldest)
            if isinstance(oldest, TurnEntry) and oldest.turn is not None:
                self._forgotten_turn = max(self._forgotten_turn, oldest.turn)

    def _remove(self, entry: Entry) -> None:
        del self._entries[entry.number]
        if isinstance(entry, TurnEntry) and entry.turn is not None:
            self._turns.pop(entry.turn, None)
        if entry in self._changes.added:
            self._changes.added.remove(entry)
        else:
            self._changes.removed.add(entry.number)
        self._changes.changed.discard(entry.number)

    def _move_last(self, entry: TurnEntry) -> None:
        """Put `entry` below everything else: a new entry to whoever draws."""
        del self._entries[entry.number]
        if entry in self._changes.added:
            self._changes.added.remove(entry)
        else:
            self._changes.removed.add(entry.number)
        self._changes.changed.discard(entry.number)
        entry.number = self._number()
        self._entries[entry.number] = entry
        self._changes.added.append(entry)

    def _touch(self, entry: Entry) -> None:
        self._changes.changed.add(entry.number)

"""The command line's options, commands and help texts; what is wrong with a command line, in one line."""

from __future__ import annotations

import argparse
import difflib
import importlib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from parlor_tui import __version__

PROGRAM = "parlor-tui"

EXIT_CODES = "exit codes: 0 done, 2 wrong usage or settings, 3 something is missing (said which), 4 failed, 130 Ctrl-C"

ABOUT = """\
Talk to a language model that runs wholly on this machine. Without a command, the screen opens: just talk, or type.
Ctrl-C or Ctrl-Q leaves it. What is missing is downloaded on first use."""

EXAMPLES = """\
examples:
  parlor-tui                                  talk with the default microphone and speaker
  parlor-tui --mic none --speaker none        type, and read the replies
  parlor-tui --camera 0                       show things, too
  parlor-tui --headless --mic question.wav    no screen: one JSON line for every event
  parlor-tui --plain                          no screen: plain lines, for screen readers
  parlor-tui --demo                           a talk that runs by itself
  parlor-tui ask --text "Why is the sky blue?"
  parlor-tui doctor                           what works here, and what to do about what does not
"""

COMMANDS: Mapping[str, tuple[str, str]] = {
    "ask": (
        "put one question, print the answer, and save it spoken with --out",
        """\
examples:
  parlor-tui ask --text "What is a fjord?"
  parlor-tui ask --wav question.wav --out answer.wav --json
  parlor-tui ask --wav question.wav --image photo.jpg
""",
    ),
    "core": (
        "run the process that thinks, by itself",
        """\
The screen starts a core of its own. Start one by hand to share it between terminals, or to use it from any client of
the OpenAI Realtime protocol; it prints its address once it listens. Clients must show the token that is in
--token-file, which is made if it does not exist. Without it, the token comes from the process that starts this one.
On the same port it answers /healthz to everybody on this machine, and /metrics (see `parlor-tui observe`) with the
token.

examples:
  parlor-tui core --port 8800 --token-file ~/parlor.token
""",
    ),
    "doctor": (
        "check what works here, and say what to do about what does not",
        """\
Exit code 0 means that nothing needed is missing, 3 that something is. Warnings do not count.

examples:
  parlor-tui doctor
  parlor-tui doctor --json
  parlor-tui doctor --mic none --speaker none   for a machine on which one only types
""",
    ),
    "devices": (
        "list microphones, speakers and cameras",
        """\
What it prints as name or number can be given to --mic, --speaker and --camera.

examples:
  parlor-tui devices
  parlor-tui devices --json
""",
    ),
    "models": (
        "list, download, check, measure and remove models",
        """\
examples:
  parlor-tui models list
  parlor-tui models get gemma-4-e2b
  parlor-tui models verify
  parlor-tui models bench --backend all
""",
    ),
    "bench": (
        "measure a whole talk in real time: answers, interruptions, pauses, echo",
        """\
Speaks utterances (made once, with several voices) into the assistant through stand-ins for
microphone and speaker, in real time. What is heard is read off the sound of both sides, the
rest off the assistant's own events; the table marks which. No microphone or speaker is used,
unless --rig asks for them.

examples:
  parlor-tui bench --quick                    under a minute
  parlor-tui bench                            everything; three quarters of an hour
  parlor-tui bench --only talk,barge_in --turns 20 --html bench.html
  parlor-tui bench --costs m3-pro --camera photo.jpg
""",
    ),
    "soak": (
        "let a whole talk go on for a while with random faults in it, and count what is lost",
        """\
The whole assistant talks in real time, as a user would talk to it, while things happen: its core crashes,
is killed or stands still, the link is cut, devices are unplugged, hang or are muted, the disk is full,
the machine sleeps. Sound and camera are stand-ins, unless --rig asks for the system's. What it keeps
(conversation, journal, log) goes into a folder of its own, deleted if all is well.

examples:
  parlor-tui soak --minutes 3
  parlor-tui soak --minutes 480 --seed 7 --json > night.json
  parlor-tui soak --minutes 1 --faults core-crash,mic-lost
""",
    ),
    "conversations": (
        "list, search, show, delete and export conversations that were kept",
        """\
A conversation is kept only if the setting conversations.record says so, or the screen's palette. Without an action
they are listed. `export` writes Markdown, JSON (which `replay` reads) or one page with everything in it.

examples:
  parlor-tui conversations
  parlor-tui conversations search green tea 2026-11
  parlor-tui conversations export last --out talk.html
""",
    ),
    "journal": (
        "show, follow and sum up how the turns went: times, tokens, troubles",
        """\
Each turn is one line: its stages, tokens, settings that are not at their default, and how the machine was. No word
that was said is in it, unless journal.words is on. It never leaves this machine.

examples:
  parlor-tui journal --last 20
  parlor-tui journal --since 2h --slower-than 1500
  parlor-tui journal --follow --kind core
  parlor-tui journal summary --since 2026-11-30 --json
""",
    ),
    "incident": (
        "list, show and pack what is kept when the core dies or a talk goes badly",
        """\
An incident holds the last minutes of the journal, settings, versions, the machine's readings, the end of the log and
what each thread was doing. It is kept on this machine; `pack` makes a file of it that can be sent to the maintainers.
The home folder's name and what looks like a secret are taken out; names of devices are in it. Look through it first.

examples:
  parlor-tui incident list
  parlor-tui incident show last
  parlor-tui incident pack last --out incident.tar.gz
""",
    ),
    "replay": (
        "have a kept conversation again, with the models and settings of today",
        """\
What was said is spoken into the assistant again in real time, through a stand-in for the microphone; what was typed is
typed, and settings are changed where they were changed. Words, answers and times are printed side by side. Of turns
without sound the words are typed. Ctrl-C ends it, with what was answered until then.

examples:
  parlor-tui replay last
  parlor-tui replay 2026-11-30-141852 --fast
  parlor-tui replay talk.json --json
""",
    ),
    "observe": (
        "write a Grafana dashboard, alert rules and a Prometheus configuration",
        """\
The core shows its figures at /metrics to whoever knows its token, and its health at /healthz, on its port of this
machine. `export` writes what Prometheus and Grafana need to read, show and watch them; it changes no file that is
there, unless told to. Nothing that was said is in any figure.

examples:
  parlor-tui core --port 8800 --token-file ~/parlor.token
  parlor-tui observe export monitoring --port 8800 --token-file ~/parlor.token
  prometheus --config.file=monitoring/prometheus.yml
""",
    ),
    "web": (
        "show the screen in a browser on this machine",
        """\
Prints an address with a random token, which works on this machine alone, for one window at a
time. The microphone, the speaker and the camera are this machine's own, not the browser's.
Needs an extra: pip install 'parlor-tui[web]'

examples:
  parlor-tui web --open
  parlor-tui web --port 8765 --profile lite
""",
    ),
    "config": (
        "print every setting, as a settings file",
        """\
Settings at their default are commented out, so that what is printed can be saved and edited.

examples:
  parlor-tui config
  parlor-tui config --path
  parlor-tui config > my.toml; parlor-tui --config my.toml
""",
    ),
}


class UsageError(Exception):
    """The command line cannot be understood; the message is one line."""


class _Parser(argparse.ArgumentParser):
    """An argparse parser that raises UsageError instead of printing its usage and leaving."""

    def __init__(self, prog: str | None = None, **words: Any) -> None:
        super().__init__(prog, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False, **words)

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}; `{self.prog} --help` tells more")


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """The options in `argv`; `command` is None for the screen.

    Raises UsageError, one line; SystemExit after --help and --version.
    """
    parser, commands = _parsers(argv)
    try:
        arguments, unknown = parser.parse_known_args(argv)
    except UsageError as error:
        raise _misspelt_option(argv, parser) or _unknown_command(error) or error from None
    if unknown:
        raise _unknown_option(unknown[0], parser, commands.get(arguments.command))
    if arguments.command == "ask":
        for option in ("mic", "speaker", "camera"):
            if getattr(arguments, option, None) is not None:
                raise UsageError(f"--{option} is not an option of ask, which takes --wav, --image and --out")
    for option in ("demo", "first_run"):
        if getattr(arguments, option) and arguments.command:
            name = option.replace("_", "-")
            raise UsageError(f"--{name} is an option of the screen, not of {arguments.command}")
    if arguments.headless and arguments.command:
        raise UsageError(f"--headless is an option of the screen, not of {arguments.command}")
    if arguments.plain and arguments.command:
        raise UsageError(f"--plain is an option of the screen, not of {arguments.command}")
    if arguments.plain and arguments.headless:
        raise UsageError("--plain and --headless say the same in two ways: give one of them")
    return arguments


def _parsers(argv: Sequence[str]) -> tuple[_Parser, dict[str, _Parser]]:
    """The parser, and that of each command; modules with options of their own are imported only if in `argv`."""
    parser = _Parser(PROGRAM, description=ABOUT, epilog=_epilog(EXAMPLES))
    parser.add_argument("--version", action="version", version=f"{PROGRAM} {__version__}")
    parser.add_argument(
        "--headless", action="store_true", help="no screen: one JSON line on the output for every event"
    )
    parser.add_argument(
        "--plain",
        action="store_true",
        help="no screen: plain lines, for screen readers and pipes; type, or /help",
    )
    parser.add_argument(
        "--demo", action="store_true", help="a talk that runs by itself: a second voice asks, no microphone is needed"
    )
    parser.add_argument("--first-run", action="store_true", help="show the checks of the first start again")
    _add_common(parser, default=None)
    _add_devices(parser, default=None)
    group = parser.add_subparsers(title="commands", dest="command", metavar="COMMAND")
    commands: dict[str, _Parser] = {}
    for name, (about, epilog) in COMMANDS.items():
        command = group.add_parser(name, help=about, description=_sentence(about), epilog=_epilog(epilog))
        _add_common(command, default=argparse.SUPPRESS)
        commands[name] = command
    _add_ask(commands["ask"])
    _add_core(commands["core"])
    _add_web(commands["web"])
    _add_devices(commands["doctor"], default=argparse.SUPPRESS)
    own = (
        "doctor",
        "devices",
        "models",
        "bench",
        "soak",
        "conversations",
        "journal",
        "incident",
        "observe",
        "replay",
        "config",
    )
    for name in own:
        if name in argv:
            importlib.import_module(f"parlor_tui.commands.{name}").add_arguments(commands[name])
    return parser, commands


def _add_common(parser: argparse.ArgumentParser, default: object) -> None:
    parser.add_argument(
        "--config", type=Path, metavar="FILE", default=default, help="this settings file (see `parlor-tui config`)"
    )
    parser.add_argument("--profile", metavar="P", default=default, help="which models to use: auto, gemma, lite")
    parser.add_argument(
        "--model", metavar="M", default=default, help="gemma's own: gemma-4-e2b, gemma-4-e4b, or a .litertlm file"
    )
    parser.add_argument("--backend", metavar="B", default=default, help="what gemma runs on: auto, gpu, cpu, npu")


def _add_devices(parser: argparse.ArgumentParser, default: object) -> None:
    add = parser.add_argument
    add("--mic", metavar="X", default=default, help="a microphone's name or number, a sound file in its place, or none")
    add("--speaker", metavar="X", default=default, help="a speaker's name or number, a .wav to record into, or none")
    add("--camera", metavar="X", default=default, help="a camera's number, a video or picture in its place, or none")


def _add_ask(parser: argparse.ArgumentParser) -> None:
    question = parser.add_mutually_exclusive_group(required=True)
    question.add_argument("--wav", type=Path, metavar="F", help="the question as a sound file")
    question.add_argument("--text", metavar="T", help="the question as text")
    parser.add_argument("--image", type=Path, metavar="F", help="a picture that goes with the question")
    parser.add_argument("--out", type=Path, metavar="F.wav", help="where to write the spoken answer")
    parser.add_argument("--json", action="store_true", help="print one JSON object: words, answer and times")


def _add_core(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--port", type=port_number, metavar="N", help="listen on this port, 0: any free one; by default core.port's"
    )
    parser.add_argument("--token-file", type=Path, metavar="F", help="where the token is, or is to be kept")


def _add_web(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--port", type=port_number, default=0, metavar="N", help="listen on this port; 0, the default: any free one"
    )
    parser.add_argument("--open", action="store_true", help="open the browser, too")
    _add_devices(parser, default=argparse.SUPPRESS)


def port_number(text: str) -> int:
    """A port on the command line: 0 to 65535. Raises argparse.ArgumentTypeError."""
    if not (text.isascii() and text.isdigit() and int(text) <= 65535):
        raise argparse.ArgumentTypeError(f"{text!r} is not a port: a whole number from 0 to 65535")
    return int(text)


def _epilog(examples: str) -> str:
    return f"{examples}\n{EXIT_CODES}" if examples else EXIT_CODES


def _sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}."


def _misspelt_option(argv: Sequence[str], parser: _Parser) -> UsageError | None:
    """The error about a first option that does not exist: what follows it would be taken for a command."""
    first = next(iter(argv), "").partition("=")[0]
    if not first.startswith("-") or first in re.findall(r"(?<![\w-])--?[a-z][a-z-]*", parser.format_help()):
        return None
    return _unknown_option(first, parser, None)


def _unknown_command(error: UsageError) -> UsageError | None:
    """The same error in plain words, if it is about a command or action that does not exist."""
    found = re.match(r"argument (COMMAND|ACTION): invalid choice: '(.*?)' \(choose from (.*?)\)", str(error))
    if not found:
        return None
    kind, word, known = found.groups()
    return UsageError(f"unknown {kind.lower()} {word}{_hint(word, re.findall(r'[a-z]+', known))}")


def _unknown_option(word: str, parser: _Parser, command: _Parser | None) -> UsageError:
    kind = "option" if word.startswith("-") else "argument"
    word = word.partition("=")[0] if kind == "option" else word
    known = re.findall(r"--[a-z][a-z-]*", (command or parser).format_usage())
    if command and word in known:
        return UsageError(f"{word} is an option of {command.prog}: it goes after the command")
    return UsageError(f"unknown {kind} {word}{_hint(word, known, (command or parser).prog)}")


def _hint(word: str, known: Sequence[str], prog: str = PROGRAM) -> str:
    near = difflib.get_close_matches(word, known, n=1)
    return f"; did you mean {near[0]}?" if near else f"; `{prog} --help` lists what there is"

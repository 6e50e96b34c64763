"""From what a model writes to plain words: no tokens of its own, no code, Markdown, HTML, formulas or emoji. Pure.

Markdown is read by markdown-it-py, emoji are known to emoji. What only looks like markup stays.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cache
from html import unescape
from typing import TYPE_CHECKING

from parlor_tui.speech.formulas import formulas

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_THOUGHTS = "think|thinking|thought|reasoning|tool_call|tool_response|function_call|script|style"
_TAGS = (
    "a|abbr|b|big|blockquote|body|br|caption|center|cite|code|dd|del|details|div|dl|dt|em|font|footer|h[1-6]|head|header|"
    "hr|html|i|img|ins|kbd|li|mark|ol|p|pre|q|s|samp|section|small|span|strike|strong|sub|summary|sup|table|tbody|td|"
    "tfoot|th|thead|title|tr|tt|u|ul|var"
)
_ATTRIBUTE = r"""\s+[\w:-]+\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'<>]+)"""
_RAW: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE | re.DOTALL), replacement)
    for pattern, replacement in (
        (rf"<(?P<tag>{_THOUGHTS})\b[^<>]{{0,200}}>.*?(?:</(?P=tag)>|$)", " "),
        (rf"^.*</(?:{_THOUGHTS})>", " "),  # the beginning was part of the prompt
        (r"<\|channel\|?>\s*(?:analysis|commentary|thought)\b.*?(?:<\|(?:end|start)\|>|<channel\|>|$)", " "),
        (r"<\|channel\|?>\s*final\b", " "),
        (r"<\|start\|>\s*assistant\b", " "),
        (r"<\|[^|<>]{0,60}\|?>|<[^|<>\s]{0,60}\|>|<｜[^｜<>]{0,60}｜>", " "),
        (r"</?(?:start|end)_of_(?:turn|image|audio|text)>(?:(?:model|user)\b\n?)?", " "),
        (r"</?(?:s|bos|eos|pad|unk|mask|sep|cls|eot|image_soft_token|audio_soft_token|unused\d+)>", " "),
        (r"\[/?(?:INST|SYS|AVAILABLE_TOOLS|TOOL_CALLS|IMG|AUDIO)\]|<</?SYS>>", " "),
        (r"<!--.*?(?:-->|$)", " "),
        (rf"</?(?:{_TAGS})(?:{_ATTRIBUTE})*\s*/?>", " "),
    )
)
_FENCE = re.compile(r"(`{3,}|^ {0,3}~{3,}).*?(?:\1[`~]*|\Z)", re.DOTALL | re.MULTILINE)
_MAYBE_MARKDOWN = re.compile(r"[*_`~\[\\&]|^\s*(?:#{1,6}\s|>|[-+•‣▪◦]\s|[-=_]{2,}\s*$)|\|", re.MULTILINE)
_RULER = re.compile(r"^[\s|:+=_-]*[-=_]{2,}[\s|:+=_-]*$", re.MULTILINE)
_ENDS = ".!?…:;,。！？，；：।؟"


def plain(text: str) -> str:
    """The words of `text`, in one line. Digits, signs and symbols are as they were."""
    text = "".join(c if c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cs", "Co", "Cn") else " " for c in text)
    for pattern, replacement in _RAW:
        text = pattern.sub(replacement, text)
    text = formulas(_FENCE.sub(" ", text))
    if _MAYBE_MARKDOWN.search(text):
        text = _from_markdown(text)
    return " ".join(without_pictures(text).split())


def without_pictures(text: str) -> str:
    """`text` without emoji, of one character or many, and without `:short_codes:` of them."""
    if text.isascii() and ":" not in text:
        return text
    import emoji

    known = re.sub(r":[a-z0-9_+-]{2,40}:", lambda code: emoji.emojize(code[0], language="alias"), text)
    kept = emoji.replace_emoji(known, " ")
    return "".join(character for character in kept if not _is_picture(character))


def _is_picture(character: str) -> bool:
    if character in "°℃℉№℀℅◌\u200c\u200d":
        return False
    if character in "^`":
        return False
    return unicodedata.category(character) in ("So", "Sk", "Cf") or character in "\u20e3\ufe0e\ufe0f"


def _from_markdown(text: str) -> str:
    text = re.sub(r"(?<=\d)\s*\*\s*(?=\d)", " × ", text)  # "2*3*4" is no emphasis
    text = re.sub(r"(?m)^(\s*)[•‣▪◦]\s+", r"\1- ", text)
    text = re.sub(r"(?m)^(\s*(?:[-+*]|\d{1,3}[.)])\s+)\[[ xX]\]\s", r"\1", _RULER.sub("", text))
    text = re.sub(r"\[\^?\d{1,3}\](?!\()", "", text)  # notes
    text = "\n".join(map(_row, text.split("\n")))
    made: list[str] = []
    said = ""
    for token in _markdown().parse(text):
        if token.type == "list_item_open" and token.info:
            said = f"{token.info}{token.markup} "
        elif token.type == "inline":
            if words := " ".join((said + _inline(token.children or ())).split()):
                made.append(words)
            said = ""
    ended = [block if block[-1] in _ENDS else f"{block}." for block in made[:-1]]
    return " ".join([*ended, *made[-1:]])


def _row(line: str) -> str:
    """A row of a table as a sentence."""
    if "|" not in line:
        return line
    cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
    row = ", ".join(cell for cell in cells if cell)
    return f"{row}." if line.strip()[:1] == "|" and row[-1:] not in tuple(_ENDS) and row else row


def _inline(tokens: Sequence[Token]) -> str:
    made = ""
    for token in tokens:
        if token.type == "image":
            made += _inline(token.children or ())
        elif token.type == "code_inline":
            made += unescape(token.content)
        elif token.type in ("text", "text_special", "html_inline"):
            made += token.content
        elif token.type in ("softbreak", "hardbreak"):
            made += "\n"
    return made


@cache
def _markdown() -> MarkdownIt:
    from markdown_it import MarkdownIt

    # Indented text is no code here, and "[a]: b" is something to say.
    return MarkdownIt("commonmark", {"html": False}).enable("strikethrough").disable(["code", "reference", "fence"])

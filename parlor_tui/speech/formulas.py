"""Formulas in TeX, as models write them, in words or plain signs. Pure."""

from __future__ import annotations

import re

_DELIMITED = re.compile(
    r"\$\$(.+?)\$\$|\\\[(.+?)\\\]|\\\((.+?)\\\)|(?<![\w$\\])\$(?=\S)([^$\n]{1,200}?)(?<=\S)\$(?![\w$])", re.DOTALL
)
_COMMANDS = {
    "times": "×", "cdot": "×", "div": "÷", "pm": "±", "leq": "≤", "le": "≤", "geq": "≥", "ge": "≥", "neq": "≠",
    "ne": "≠",
    "approx": "≈", "infty": "infinity", "to": "→", "rightarrow": "→", "circ": "°", "degree": "°", "ldots": "…",
    "dots": "…", "cdots": "…", "left": "", "right": "", "quad": "", "qquad": "", "text": "", "mathrm": "", "mathbf": "",
    "mathbb": "", "operatorname": "", "displaystyle": "", "int": "integral", "lim": "limit", "ln": "L N", "sim": "≈",
}  # fmt: skip
_POWERS = {"2": "²", "3": "³"}


def formulas(text: str) -> str:
    """`text` with each formula of it in words and plain signs; sums of money are none."""
    if "$" not in text and "\\" not in text:
        return text
    return _DELIMITED.sub(_formula, text)


def _formula(found: re.Match[str]) -> str:
    inside = next(group for group in found.groups() if group is not None)
    if found[4] is not None and not re.search(r"[\\^_=+<>]|^[A-Za-z]{1,2}$|^[A-Za-z]\(", inside):
        return found[0]  # "between $5 and $6" holds no formula
    return f" {_said(inside)} "


def _said(formula: str) -> str:
    for _ in range(4):  # innermost first
        formula = re.sub(r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}", r" \1 over \2 ", formula)
        formula = re.sub(r"\\sqrt\s*\{([^{}]*)\}", r" square root of \1 ", formula)
        formula = re.sub(r"\\(?:text|mathrm|mathbf|mathbb|operatorname)\s*\{([^{}]*)\}", r" \1 ", formula)
        formula = re.sub(r"\^\s*\{([^{}]*)\}", _power, formula)
        formula = re.sub(r"_\s*\{([^{}]*)\}", r" \1 ", formula)
    formula = re.sub(r"\^\s*(\\[A-Za-z]+|[A-Za-z0-9])", _power, formula)
    formula = re.sub(r"\\([A-Za-z]+)", lambda name: f" {_COMMANDS.get(name[1], name[1])} ", formula)
    return re.sub(r"[\\{}_^$&]", " ", formula)


def _power(found: re.Match[str]) -> str:
    power = found[1].strip()
    if power == r"\circ":
        return "°"
    return _POWERS.get(power) or f" to the power of {power} "

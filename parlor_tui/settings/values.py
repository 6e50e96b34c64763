"""All settings as one value, the live part of them as another, and the check of a single one."""

from __future__ import annotations

import difflib
import math
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from parlor_tui.settings.declare import SettingsError
from parlor_tui.settings.keys import Keys
from parlor_tui.settings.sections import (
    SECTIONS,
    Answering,
    Captions,
    Conversations,
    Core,
    Devices,
    Hearing,
    Journal,
    Models,
    Screen,
    Seeing,
    Speaking,
)


@dataclass(frozen=True, slots=True)
class Tuning:
    """Everything that may change while a talk goes on, as one snapshot: replaced as a whole, never altered."""

    hearing: Hearing = field(default_factory=Hearing)
    seeing: Seeing = field(default_factory=Seeing)
    answering: Answering = field(default_factory=Answering)
    speaking: Speaking = field(default_factory=Speaking)

    def values(self) -> dict[str, Any]:
        """Every value that can be changed live, by its `section.key`."""
        return {
            f"{part.name}.{item.name}": getattr(getattr(self, part.name), item.name)
            for part in fields(self)
            for item in fields(getattr(self, part.name))
            if item.metadata["live"]
        }

    def with_values(self, values: Mapping[str, Any], where: str) -> Tuning:
        """A copy with `{"section.key": value}` set. Raises SettingsError, naming `where` the value came from."""
        changed = self
        for name, value in values.items():
            section, _, item = name.partition(".")
            known = SECTIONS.get(section)
            declared = {f.name: f for f in fields(known)}.get(item) if known is not None else None
            if declared is not None and (section not in TUNED or not declared.metadata["live"]):
                raise SettingsError(f"{where}: {name} needs a new start")
            if section not in TUNED:
                check(section, item, value, where)  # which says what is meant
            part = replace(getattr(changed, section), **{item: check(section, item, value, where)})
            changed = replace(changed, **{section: part})
        return changed


TUNED = tuple(item.name for item in fields(Tuning))
"""The sections that make up a Tuning."""


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings. `explicit` holds the `section.key` that a person set; the others follow the profile."""

    hearing: Hearing = field(default_factory=Hearing)
    seeing: Seeing = field(default_factory=Seeing)
    captions: Captions = field(default_factory=Captions)
    answering: Answering = field(default_factory=Answering)
    speaking: Speaking = field(default_factory=Speaking)
    devices: Devices = field(default_factory=Devices)
    core: Core = field(default_factory=Core)
    models: Models = field(default_factory=Models)
    conversations: Conversations = field(default_factory=Conversations)
    journal: Journal = field(default_factory=Journal)
    screen: Screen = field(default_factory=Screen)
    keys: Keys = field(default_factory=Keys)
    explicit: frozenset[str] = frozenset()

    def tuning(self, profile: str) -> Tuning:
        """The live part, with the defaults of `profile` wherever nobody chose otherwise."""
        parts = {name: _for_profile(getattr(self, name), name, profile, self.explicit) for name in TUNED}
        return Tuning(**parts)

    def with_values(self, values: Mapping[str, Any], where: str) -> Settings:
        """A copy with `{"section.key": value}` set.

        Raises SettingsError, naming `where` the value came from, for an unknown key or a bad value.
        """
        changed = self
        for name, value in values.items():
            section, _, item = name.partition(".")
            part = getattr(changed, section)
            part = replace(part, **{item: check(section, item, value, where)})
            changed = replace(changed, **{section: part, "explicit": changed.explicit | {name}})
        return changed


def _for_profile(part: Any, section: str, profile: str, explicit: frozenset[str]) -> Any:
    own = {
        item.name: item.metadata["profiles"][profile]
        for item in fields(part)
        if profile in item.metadata["profiles"] and f"{section}.{item.name}" not in explicit
    }
    return replace(part, **own)


def allowed(section: str, item: str) -> str:
    """What may stand for `section.item`, in words."""
    declared = {f.name: f for f in fields(SECTIONS[section])}[item]
    info = declared.metadata
    if info["choices"]:
        return "one of " + ", ".join(map(str, info["choices"]))
    kind = {"bool": "true or false", "int": "a whole number", "float": "a number", "str": "text in quotes"}
    words = kind[str(declared.type)]
    if info["low"] is not None:
        form = "g" if str(declared.type) == "float" else "d"
        words += f" from {info['low']:{form}} to {info['high']:{form}}"
    return words + (f" ({info['unit']})" if info["unit"] else "")


def check(section: str, item: str, value: Any, where: str) -> Any:
    """`value` in the type of `section.item`; SettingsError if it is not one that is allowed."""
    declared = {f.name: f for f in fields(SECTIONS[section])}.get(item) if section in SECTIONS else None
    if declared is None:
        known = [f"{name}.{f.name}" for name, part in SECTIONS.items() for f in fields(part)]
        near = difflib.get_close_matches(f"{section}.{item}", known, n=1)
        hint = f"; did you mean {near[0]}?" if near else "; `parlor-tui config` prints every key"
        raise SettingsError(f"{where}: unknown key {section}.{item}{hint}")
    info, kind = declared.metadata, str(declared.type)
    bad = SettingsError(f"{where}: {section}.{item} = {value!r}: must be {allowed(section, item)}")
    if kind == "float" and isinstance(value, int) and not isinstance(value, bool):
        value = float(value) if abs(value) <= sys.float_info.max else math.inf
    types: dict[str, type] = {"bool": bool, "int": int, "float": float, "str": str}
    if type(value) is not types[kind] or (isinstance(value, float) and not math.isfinite(value)):
        raise bad
    if info["low"] is not None and not info["low"] <= value <= info["high"]:
        raise bad
    if info["choices"] and value not in info["choices"]:
        raise bad
    if info["form"] is not None:
        try:
            value = info["form"](value)
        except ValueError as error:
            raise SettingsError(f"{where}: {section}.{item} = {value!r}: {error}") from None
    return value

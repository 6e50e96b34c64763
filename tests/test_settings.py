"""Settings: what a person may write, what is said about the rest, and that what is printed can be read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import Field, fields
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as bounds
from hypothesis import strategies as st

from parlor_tui.settings import (
    SECTIONS,
    Settings,
    SettingsError,
    allowed,
    check,
    describe,
    load,
    models_folder,
    parse,
    toml_value,
)

KEYS: list[tuple[str, Field[Any]]] = [(section, item) for section, part in SECTIONS.items() for item in fields(part)]


def any_value(item: Field[Any]) -> st.SearchStrategy[Any]:
    """Every value that `item` may have."""
    info, kind = item.metadata, str(item.type)
    if info["form"]:  # keys: others could be those of another action
        return st.just(item.default)
    if info["choices"]:
        return st.sampled_from(info["choices"])
    if kind == "bool":
        return st.booleans()
    if kind == "int":
        return st.integers(info["low"], info["high"])
    if kind == "float":
        return st.floats(info["low"], info["high"])
    return st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


CHOSEN = st.fixed_dictionaries({}, optional={f"{section}.{item.name}": any_value(item) for section, item in KEYS})


def refusal(call: Callable[[], object]) -> str | None:
    """The one line with which `call` is refused; None if it is not."""
    try:
        call()
    except SettingsError as error:
        said = str(error)
    else:
        return None
    assert "\n" not in said
    return said


@bounds(deadline=None)  # a whole settings file each time
@given(CHOSEN)
def test_what_is_described_reads_back_the_same(values: dict[str, Any]) -> None:
    settings = Settings().with_values(values, "test")
    assert parse(describe(settings), "test") == settings


@pytest.mark.parametrize(("section", "item"), KEYS, ids=[f"{section}.{item.name}" for section, item in KEYS])
def test_every_default_is_allowed_and_explained(section: str, item: Field[Any]) -> None:
    for value in (item.default, *item.metadata["profiles"].values()):
        assert check(section, item.name, value, "test") == value
    assert item.metadata["why"]
    assert allowed(section, item.name)
    assert f"{item.name} = {toml_value(item.default)}" in describe(Settings())


@given(
    st.sampled_from(KEYS),
    st.one_of(st.integers(), st.floats(), st.text(), st.booleans(), st.none(), st.lists(st.integers())),
)
def test_any_value_is_taken_or_refused_in_one_line(key: tuple[str, Field[Any]], value: object) -> None:
    section, item = key
    said = refusal(lambda: check(section, item.name, value, "here"))
    if said is None:
        assert type(check(section, item.name, value, "here")).__name__ == item.type
        taken = check(section, item.name, value, "here")
        assert taken == (item.metadata["form"] or (lambda kept: kept))(value)
    else:
        assert said.startswith(f"here: {section}.{item.name} = ")
        if item.metadata["form"] and isinstance(value, str):
            with pytest.raises(ValueError, match=r"^[^\n]+$") as wrong:
                item.metadata["form"](value)
            assert said.endswith(f": {wrong.value}")
        else:
            assert said.endswith(f"must be {allowed(section, item.name)}")


@given(st.text())
def test_any_text_is_settings_or_an_error_with_a_place(text: str) -> None:
    said = refusal(lambda: parse(text, "x.toml"))
    assert said is None or said.startswith("x.toml:")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "[hearing]\nsilence_ms = 50",
            "x.toml:2: hearing.silence_ms = 50: must be a whole number from 100 to 5000 (ms)",
        ),
        ("[hearing]\n\nsilence_ms = 'long'", "x.toml:3: hearing.silence_ms = 'long': must be a whole number from 100"),
        (
            "[devices]\njitter_buffer_ms = 2000",
            "x.toml:2: devices.jitter_buffer_ms = 2000: must be a whole number from 60 to 500 (ms)",
        ),
        ("[core]\nmax_requests = 16", "x.toml:2: core.max_requests = 16: must be a whole number from 1 to 8 (replies)"),
        ("[hearing]\nbarge_in = 1", "x.toml:2: hearing.barge_in = 1: must be true or false"),
        ("[answering]\ntemperature = nan", "x.toml:2: answering.temperature = nan: must be a number from 0 to 2"),
        ("[answering]\nmax_tokens = true", "x.toml:2: answering.max_tokens = True: must be a whole number"),
        ("[core]\nprofile = 'huge'", "x.toml:2: core.profile = 'huge': must be one of auto, gemma, lite"),
        (
            "# c\n[hearing]\nsilense_ms = 600",
            "x.toml:3: unknown key hearing.silense_ms; did you mean hearing.silence_ms?",
        ),
        ("[hearing]\nq7q7q7q7q7 = 1", "x.toml:2: unknown key hearing.q7q7q7q7q7; `parlor-tui config` prints every key"),
        ("\n[hearin]\nsilence_ms = 600", "x.toml:2: unknown section [hearin]; did you mean [hearing]?"),
        ("[zzz]", "x.toml:1: unknown section [zzz]; there are [hearing], [seeing], [captions]"),
        ("\nsilence_ms = 600", "x.toml:2: unknown key silence_ms; keys stand under a section: [hearing], "),
        ("hearing.silence_ms = 50", "x.toml:1: hearing.silence_ms = 50: must be"),
        ("[hearing]\nsilence_ms = ", "x.toml:2: not valid TOML: invalid value"),
        ("[hearing\n", "x.toml:1: not valid TOML: expected ']'"),
        ("[hearing]\nsilence_ms = 200\nsilence_ms = 300", "x.toml:3: not valid TOML: cannot overwrite a value"),
        ("[[hearing]]\nsilence_ms = 200", "x.toml:1: unknown key hearing; keys stand under a section"),
    ],
)
def test_an_error_names_file_line_key_and_what_is_allowed(text: str, message: str) -> None:
    with pytest.raises(SettingsError) as raised:
        parse(text, "x.toml")
    assert str(raised.value).startswith(message)


def test_a_named_file_must_exist_and_be_text(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"absent\.toml: there is no such settings file"):
        load(tmp_path / "absent.toml")
    with pytest.raises(SettingsError, match="cannot be read"):
        load(tmp_path)
    latin = tmp_path / "latin.toml"
    latin.write_bytes(b"[speaking]\nvoice = '\xe9'")
    with pytest.raises(SettingsError, match=r"latin\.toml: not UTF-8 text \(byte 20\)"):
        load(latin)


def test_windows_line_ends_and_a_byte_order_mark_are_read(tmp_path: Path) -> None:
    file = tmp_path / "windows.toml"
    file.write_bytes(b"\xef\xbb\xbf[hearing]\r\nsilence_ms = 700\r\n")
    assert load(file).hearing.silence_ms == 700


def test_the_profile_has_defaults_of_its_own_that_a_person_overrules() -> None:
    assert Settings().tuning("lite").answering.temperature == 0.1
    assert Settings().tuning("gemma").answering.temperature == 0.7
    chosen = parse("[answering]\ntemperature = 0.7", "test")
    assert chosen.tuning("lite").answering.temperature == 0.7


def test_a_whole_number_is_a_number() -> None:
    assert parse("[answering]\ntemperature = 1", "test").answering.temperature == 1.0


def test_the_models_folder_may_start_with_the_home_folder() -> None:
    assert models_folder(parse("[models]\nfolder = '~/m'", "test")) == Path.home() / "m"


@pytest.mark.parametrize("value", ["9" * 400, "9" * 5000, "[" * 50_000], ids=["huge", "too long to read", "too deep"])
def test_a_value_beyond_all_measure_is_refused_in_one_line(value: str) -> None:
    said = refusal(lambda: parse(f"[speaking]\nspeed = {value}\n", "x.toml"))
    assert said is not None
    assert said.startswith("x.toml:")

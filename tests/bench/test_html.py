"""The report as a page, read as a browser would."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parlor_tui.bench import waterfall
from parlor_tui.bench.html import render
from parlor_tui.bench.markup import Markup, element
from parlor_tui.bench.report import Report
from parlor_tui.observe.stages import STAGES
from tests.bench.a_report import NASTY, a_turn, empty_report, full_report, simulated_report

VOID = {"meta", "br"}


@dataclass
class Node:
    name: str
    attributes: dict[str, str | None] = field(default_factory=dict)
    children: list[Node] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return " ".join([*self.texts, *(child.text for child in self.children)])

    def all(self, name: str, class_: str | None = None) -> list[Node]:
        own = [self] if self.name == name and class_ in (None, self.attributes.get("class")) else []
        return [*own, *(found for child in self.children for found in child.all(name, class_))]


class Reader(HTMLParser):
    """Builds the tree, and fails where a tag is not closed as it was opened."""

    def __init__(self) -> None:
        super().__init__()
        self.open = [Node("")]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        node = Node(tag, dict(attrs))
        self.open[-1].children.append(node)
        if tag not in VOID:
            self.open.append(node)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open[-1].children.append(Node(tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop().name == tag

    def handle_data(self, data: str) -> None:
        self.open[-1].texts.append(data)


def read(page: str) -> Node:
    reader = Reader()
    reader.feed(page)
    reader.close()
    assert len(reader.open) == 1, "a tag was not closed"
    return reader.open[0]


@pytest.fixture(scope="module")
def page() -> Node:
    return read(render(full_report()))


@pytest.mark.parametrize(
    "report", [full_report(), simulated_report(), empty_report()], ids=["full", "simulated", "empty"]
)
def test_it_stands_alone(report: Report) -> None:
    text = render(report)
    tree = read(text)
    assert text.startswith("<!doctype html>")
    names = {node.name for node in _everything(tree)}
    assert not names & {"script", "link", "img", "iframe", "object", "base", "form", "a"}
    attributes = {name for node in _everything(tree) for name in node.attributes}
    assert not [name for name in attributes if name.startswith("on") or name in {"src", "href", "action"}]
    assert not re.search(r"https?:|url\(|@import|\bnan\b|\binf\b|None", text)


def test_what_was_said_stands_as_it_was_said(page: Node) -> None:
    assert page.text.count(NASTY) >= 2
    assert not page.all("script")


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=40).filter(str.strip))
@settings(max_examples=40, deadline=None)
def test_any_text_stands_as_it_is(text: str) -> None:
    turn = a_turn(1, said=text)
    tree = read(render(replace(full_report(), turns=(turn,), notes=(text,))))
    assert text in [found for node in tree.all("li") for found in node.texts]
    assert text in [found for node in tree.all("td") for found in node.texts]


def test_attributes_cannot_be_broken_out_of() -> None:
    made = element("p", "<", title='"><script>', class_=None)
    assert made == '<p title="&quot;&gt;&lt;script&gt;">&lt;</p>'
    assert element("p", Markup("<b>x</b>"), data_x=1) == '<p data-x="1"><b>x</b></p>'


def test_every_turn_is_drawn_as_long_as_it_took(page: Node) -> None:
    report = full_report()
    drawn = [turn for turn in report.turns if turn.voice_to_voice_ms is not None]
    bars = page.all("svg", "bar")
    assert len(bars) == len(drawn) == 10
    scale = waterfall.Scale.of((waterfall.Row.of(turn).whole_ms for turn in report.turns), 900)
    for turn, picture in zip(drawn, bars, strict=True):
        pieces = picture.all("rect")
        titles = [piece.all("title")[0].text for piece in pieces]
        stages = [stage for stage in STAGES if stage in turn.stages_ms]
        assert titles[: len(stages)] == [f"{s.replace('_', ' ')}: {turn.stages_ms[s]:.0f} ms" for s in stages]
        assert titles[-1] == "not in the stages: 12 ms"
        width = sum(float(piece.attributes["width"] or 0) for piece in pieces)
        expected = min(1.0, (turn.voice_to_voice_ms or 0) / scale.end_ms) * 1000
        assert width == pytest.approx(expected, abs=0.5)
        assert len(picture.all("line", "goal")) == 1
        at = [float(piece.attributes["x"] or 0) for piece in pieces]
        assert at == sorted(at)


def test_stages_stand_where_they_were_whatever_the_assistant_took_for_the_end_of_speech() -> None:
    scale = waterfall.Scale(1000, 900)
    late = waterfall.Row("late", {"endpoint": 200, "playout": 50}, 320, {"audio_started": 310})
    soon = waterfall.Row("soon", {"endpoint": 500, "playout": 50}, 300, {"audio_started": 300})
    drawn = [
        [(piece.all("title")[0].text, piece.attributes["x"], piece.attributes["width"]) for piece in tree.all("rect")]
        for tree in (read(waterfall.bar(row, scale)) for row in (late, soon))
    ]
    grey = "not in the stages"
    assert drawn[0] == [
        (f"{grey}: 60 ms", "0.0", "60.0"),
        ("endpoint: 200 ms", "60.0", "200.0"),
        ("playout: 50 ms", "260.0", "50.0"),
        (f"{grey}: 10 ms", "310.0", "10.0"),
    ]
    assert drawn[1] == [("endpoint: 500 ms", "0.0", "250.0"), ("playout: 50 ms", "250.0", "50.0")]
    assert not late.is_accounted_for
    assert soon.is_accounted_for


def test_colours_are_one_for_each_stage(page: Node) -> None:
    assert set(waterfall.COLOURS) == set(STAGES)
    assert len(set(waterfall.COLOURS.values())) == len(STAGES)
    for stage in STAGES:
        assert stage.replace("_", " ") in page.all("p", "legend")[0].text


def test_what_is_far_out_is_cut_and_says_so(page: Node) -> None:
    values = [node.text for node in page.all("div", "value")]
    assert sum("▸" in value for value in values) == 1
    assert any("4 957" in value.replace("\u202f", " ") and "▸" in value for value in values)


def test_targets_are_counted_and_told_in_words(page: Node) -> None:
    assert "4 of 7 targets met" in page.text
    verdicts = [node.text for card in page.all("div", "card") for node in card.all("span")]
    assert verdicts.count("✓ met") == 4
    assert verdicts.count("✗ missed") == 2
    assert verdicts.count("not measured") == 1
    assert "p50 <= 900 ms" in page.text


def test_a_figure_says_what_it_was_read_off_and_what_must_be_known(page: Node) -> None:
    rows = {row.all("td")[0].text: [cell.text for cell in row.all("td")] for row in page.all("tr") if row.all("td")}
    (alone,) = [cells for label, cells in rows.items() if "answered itself" in label]
    assert "(of 83 s)" in alone[0]
    assert alone[-1] == "its own events"
    assert rows["silent"][-1] == "sound"


def test_every_value_of_a_turn_is_in_the_table(page: Node) -> None:
    rows = {row.all("td")[0].text: row for row in page.all("tr") if row.all("td")}
    eighth = [cell.text for cell in rows["Questions and answers 8"].all("td")]
    assert eighth[2:9] == ["1\u202f369 ms", "220 ms", "42 ms", "231 ms", "189 ms", "630 ms", "45 ms"]
    assert "unanswered" in rows["Questions and answers 11"].text


def test_the_distribution_has_a_line_for_each_turn(page: Node) -> None:
    (strip,) = page.all("svg", "strip")
    assert len(strip.all("line", "dot")) == 10
    assert len(strip.all("line", "p50")) == len(strip.all("line", "p90")) == 1


def test_what_the_run_was_is_told(page: Node) -> None:
    for told in ("SmolLM2-135M", "x86_64, Linux 6.1", "2026-01-02 03:04", "the machine was busy", "9, thrown away: 1"):
        assert told in page.text


def test_a_simulation_says_so_and_stands_beside_parlor_v1() -> None:
    tree = read(render(simulated_report()))
    banners = [node.text for node in tree.all("p", "banner")]
    assert "m3-pro" in banners[0]
    assert "Simulated" in banners[0]
    assert "Stopped" in banners[1]
    assert "3\u202f410 ms" in tree.text
    assert "Whisper" in tree.text  # what is taken for granted
    assert "median turn of about 3 s" in tree.text


def test_a_real_run_says_nothing_of_the_kind(page: Node) -> None:
    assert not page.all("p", "banner")
    assert "imulated: the models" not in page.text
    assert "Beside Parlor v1" not in page.text


@given(st.lists(st.floats(1, 1e5), max_size=20), st.floats(100, 2000))
def test_a_scale_shows_the_goal_and_what_is_not_far_out(values_ms: list[float], goal_ms: float) -> None:
    scale = waterfall.Scale.of(values_ms, goal_ms)
    assert 0 < scale.x(goal_ms) < 1000
    for value in values_ms:
        assert scale.x(value) == 1000 or value < scale.end_ms
        assert value > 4 * goal_ms or scale.x(value) < 1000
    ticks = scale.ticks_ms()
    assert ticks[0] == 0
    assert ticks[-1] <= scale.end_ms


def _everything(node: Node) -> list[Node]:
    return [node, *(found for child in node.children for found in _everything(child))]

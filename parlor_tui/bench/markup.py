"""HTML that cannot be broken by what stands in it: text is escaped unless it was made here. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape


class Markup(str):
    """Finished HTML."""

    __slots__ = ()


_EMPTY_TAGS = frozenset({"meta", "rect", "line", "br"})


def element(name: str, /, *children: object, **attributes: object) -> Markup:
    """`<name attributes>children</name>`. Children that are no Markup are escaped, and so are the attributes.

    Attributes that are None are left out; `_` in their names is `-`, and one at the end is dropped (`class_`).
    """
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(str(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    inside = joined(children)
    if name in _EMPTY_TAGS and not inside:
        return Markup(f"<{name}{given}>" if name in {"meta", "br"} else f"<{name}{given}/>")
    return Markup(f"<{name}{given}>{inside}</{name}>")


def joined(children: Iterable[object]) -> Markup:
    """Children one after the other, escaped where they are no Markup."""
    return Markup("".join(child if isinstance(child, Markup) else escape(str(child)) for child in children))


def table(head: Iterable[object], rows: Iterable[Iterable[object]], *, numbers_from: int = 1) -> Markup:
    """A table that can be scrolled sideways; columns from `numbers_from` on are set to the right."""

    def cells(kind: str, row: Iterable[object]) -> Markup:
        found = [
            element(
                kind, cell, class_="number" if index >= numbers_from else None, scope="col" if kind == "th" else None
            )
            for index, cell in enumerate(row)
        ]
        return element("tr", *found)

    made = element(
        "table",
        element("thead", cells("th", head)),
        element("tbody", *(cells("td", row) for row in rows)),
    )
    return element("div", made, class_="scroll")

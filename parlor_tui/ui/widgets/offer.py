"""The offer of a better model: what it takes, then how far its download has come. It never takes the keyboard."""

from __future__ import annotations

from textual.app import RenderResult
from textual.content import Content
from textual.reactive import reactive
from textual.style import Style
from textual.widget import Widget

from parlor_tui.events import ModelComing, ModelOffered
from parlor_tui.settings import Keys
from parlor_tui.ui.actions import first_key
from parlor_tui.ui.text import clean

Shown = ModelOffered | ModelComing | None
FEW_ROWS = 20
"""On a screen lower than this the offer says what it takes in one line."""
MARK = "↓ "


def offer_lines(offer: ModelOffered, keys: Keys, width: int, rows: int) -> list[Content]:
    """The question with its keys, then the offer in words, each in `width` cells; `rows` is how high the screen is."""
    if offer.fits:
        title = Content(f"Get {clean(offer.model)}? It hears, sees and answers better.")
    else:
        title = Content.styled(f"{clean(offer.model)} needs more room on the disk.", "$text-warning")
    words = "go on" if offer.came_bytes and offer.left_bytes else "download"
    choices = [
        _key(first_key("get_model", keys), words, "get_model"),
        _key(first_key("no_model", keys), "not now", "no_model"),
    ]
    told = offer.lines[-1:] if rows < FEW_ROWS else offer.lines
    rest = [Content.styled(f"  {clean(line)}".replace("\n", " "), "dim") for line in told]
    return [_head(title, Content("  ").join(choices), width), *(line.truncate(width, ellipsis=True) for line in rest)]


def coming_lines(coming: ModelComing, keys: Keys, width: int) -> list[Content]:
    """Where the download stands, with the key that ends it, and a bar, each in `width` cells."""
    cancel = _key(first_key("no_model", keys), "cancel", "no_model")
    head = _head(Content(clean(coming.text).replace("\n", " ")), cancel, width)
    done = min(max(coming.done_bytes, 0), coming.total_bytes)
    percent = f" {done * 100 // coming.total_bytes:>3} %" if coming.total_bytes > 0 else "      "
    cells = max(width - len(MARK) - len(percent), 0)
    filled = cells * done // coming.total_bytes if coming.total_bytes > 0 else 0
    bar = [("━" * filled, "$state-listening"), ("─" * (cells - filled), "dim")]
    return [head, Content.assemble("  ", *bar, percent).truncate(width)]


def _head(title: Content, keys: Content, width: int) -> Content:
    """`title` on the left, which gives way, `keys` on the right."""
    room = max(width - len(MARK) - keys.cell_length - 2, 0)
    title = title.truncate(room, ellipsis=True)
    gap = max(width - len(MARK) - title.cell_length - keys.cell_length, 0)
    return Content.assemble(MARK, title, " " * gap, keys).truncate(width)


def _key(key: str, words: str, action: str) -> Content:
    """A key and what it does, to be clicked as well."""
    text = Content.assemble((key, "bold $accent"), f" {words}") if key else Content.styled(words, "underline")
    return text.stylize(Style.from_meta({"@click": f"app.{action}"}))


class OfferBar(Widget):
    """Up to four lines; absent while nothing is offered or on its way."""

    shown: reactive[Shown] = reactive(None, layout=True)

    def __init__(self, keys: Keys) -> None:
        super().__init__()
        self._keys = keys

    def watch_shown(self, shown: Shown) -> None:
        """Come and go with the offer."""
        self.display = shown is not None

    def render(self) -> RenderResult:
        """The lines for the present width."""
        width = self.content_size.width
        match self.shown:
            case ModelOffered() as offer:
                return Content("\n").join(offer_lines(offer, self._keys, width, self.app.size.height))
            case ModelComing() as coming:
                return Content("\n").join(coming_lines(coming, self._keys, width))
        return Content("")

"""A list of lines, one of which is marked."""

from __future__ import annotations

from textual.widgets import OptionList


class Lines(OptionList):
    """An `OptionList` that can be paged before it has any room on the screen, when textual's own fails."""

    def action_page_up(self) -> None:
        """Mark a line a page further up."""
        if self.scrollable_content_region:
            super().action_page_up()  # type: ignore[no-untyped-call]

    def action_page_down(self) -> None:
        """Mark a line a page further down."""
        if self.scrollable_content_region:
            super().action_page_down()  # type: ignore[no-untyped-call]

"""What the core does without while its machine is in trouble, on the screen: a banner that goes when it is over."""

from __future__ import annotations

from parlor_tui.assistant.core.governed import Governance
from parlor_tui.events import CoreGoverned, Event
from parlor_tui.ui.widgets.progress import Banner
from tests.ui import stand_in
from tests.ui.stand_in import make_app
from tests.ui.test_keys import show


async def test_a_banner_says_what_is_the_matter_and_what_is_done_without_until_that_is_over() -> None:
    app, assistant = make_app()
    told: list[Event] = []
    governance = Governance(told.append)
    async with app.run_test(size=(80, 24)) as pilot:
        await show(app, pilot, assistant, *stand_in.ready())
        banner = app.query_one(Banner)

        async def after(event: CoreGoverned) -> str:
            told.clear()
            governance.core_said(event)
            return await show(app, pilot, assistant, *told)

        assert "hot (91 °C): smaller pictures" in await after(CoreGoverned(1, ("hot (91 °C)",), ("smaller pictures",)))
        text = await after(CoreGoverned(2, ("hot (93 °C)",), ("smaller pictures", "no eager replies")))
        assert "hot (93 °C): smaller pictures, no eager replies" in text
        assert banner.size.height == 1, "it takes the place of the one before"
        await after(CoreGoverned(0))
        assert not banner.display

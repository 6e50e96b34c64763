"""Draws the picture of the README: `python -m tests.ui.readme_picture themes/screenshot.svg`."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from tests.ui import stand_in


async def picture() -> str:
    """What is on the screen after a scripted talk at 120x36, as SVG."""
    app, assistant = stand_in.make_app()
    async with app.run_test(size=(120, 36)) as pilot:
        assistant.replay(stand_in.readme_talk())
        app.drain()
        await pilot.pause()
        await pilot.pause()
        return app.export_screenshot(title="parlor-tui")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit("usage: python -m tests.ui.readme_picture FILE.svg")
    Path(sys.argv[1]).write_text(asyncio.run(picture()), encoding="utf-8")

"""What every screen that opens over the talk shares."""

from __future__ import annotations

from textual.await_complete import AwaitComplete
from textual.screen import ModalScreen, ScreenResultType


class OverScreen(ModalScreen[ScreenResultType]):
    """Ends once: a second Enter, pressed before the first was answered, ends nothing else."""

    def dismiss(self, result: ScreenResultType | None = None) -> AwaitComplete:
        """End with `result`; without effect where the screen is not the one on top."""
        return super().dismiss(result) if self.app.screen is self else AwaitComplete()

"""What getting models would take, as plain data that a screen or a command shows before anything is fetched."""

from __future__ import annotations

from dataclasses import dataclass

from parlor_tui.models.base import in_words


@dataclass(frozen=True, slots=True)
class Offered:
    """One model of an offer: whether it is `here`, and else the `left_bytes` that still have to come.

    They are 0 too if another program got the model and it only has to be taken over from there.
    """

    name: str
    purpose: str
    licence: str
    size_bytes: int
    left_bytes: int
    here: bool


@dataclass(frozen=True, slots=True)
class Offer:
    """Models that may be got into `folder`, whose disk has `free_bytes`, of which `needed_bytes` would be used."""

    models: tuple[Offered, ...]
    folder: str
    free_bytes: int
    needed_bytes: int

    @property
    def names(self) -> tuple[str, ...]:
        """Of the models, in their order."""
        return tuple(model.name for model in self.models)

    @property
    def left_bytes(self) -> int:
        """What still has to come of all of them."""
        return sum(model.left_bytes for model in self.models)

    @property
    def licences(self) -> tuple[str, ...]:
        """Each licence once."""
        return tuple(dict.fromkeys(model.licence for model in self.models))

    @property
    def fits(self) -> bool:
        """Whether the disk has room for it."""
        return self.free_bytes >= self.needed_bytes

    def lines(self) -> tuple[str, ...]:
        """The offer in words: a line for each model, then one for the whole."""
        rows = [
            f"{model.name}: {in_words(model.size_bytes)}, {_left(model)}{model.purpose}, licence {model.licence}"
            for model in self.models
        ]
        room = "" if self.fits else f": too little, {in_words(self.needed_bytes)} are needed"
        whole = f"{in_words(self.left_bytes)} to download" if self.left_bytes else "nothing to download"
        return (*rows, f"{whole}; {in_words(self.free_bytes)} free for {self.folder}{room}")


def _left(model: Offered) -> str:
    if model.here:
        return "here, "
    if model.left_bytes == 0:
        return "on this disk already, "
    return f"{in_words(model.left_bytes)} of it to go, " if model.left_bytes < model.size_bytes else ""

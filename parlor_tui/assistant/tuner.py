"""The settings that change while a talk goes on: as they are saved, as they are now, and what changed them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from parlor_tui.events import Event, Failed, Notice, Tuned, now_s
from parlor_tui.settings import Settings, SettingsError, Tuning, config_file
from parlor_tui.settings.presets import (
    COME_ALONG,
    delete_preset,
    load_preset,
    preset_names,
    presets_folder,
    save_preset,
)
from parlor_tui.settings.saving import save_values


class Tuner:
    """Used by one thread. `file` is the settings file to save into, None the usual one.

    Nothing is raised: what is refused is emitted as `Failed`, in one line, and changes nothing; everything that is done
    is answered by one `Tuned`.
    """

    def __init__(
        self, settings: Settings, file: Path | None, emit: Callable[[Event], None], presets: Path | None = None
    ) -> None:
        self._emit = emit
        self._file = file
        self._folder = presets
        self._saved = settings
        self._chosen = settings
        self._profile = settings.core.profile
        self._now = settings.tuning(self._profile)
        self._preset = ""
        self._names: tuple[str, ...] = tuple(COME_ALONG)

    @property
    def now(self) -> Tuning:
        """The live settings that are in use."""
        return self._now

    def use_profile(self, profile: str) -> Tuning:
        """The core runs `profile`, whose defaults hold where nobody chose otherwise; what is in use from now on."""
        self._profile = profile
        self._now = self._chosen.tuning(profile)
        self._tell(())
        return self._now

    def change(self, values: Mapping[str, Any], preset: str = "") -> dict[str, Any]:
        """Set `{"section.key": value}`; None has one as it was saved. What is another value now than before."""
        before = self.now.values()
        wanted = {name: value for name, value in values.items() if value is not None}
        try:
            self.now.with_values(wanted, "not changed")
            chosen = self._as_saved([name for name in values if values[name] is None]).with_values(
                wanted, "not changed"
            )
        except SettingsError as error:
            self._emit(Failed(at_s=now_s(), text=str(error)))
            return {}
        self._chosen, self._preset, self._now = chosen, preset, chosen.tuning(self._profile)
        changed = {name: value for name, value in self.now.values().items() if value != before[name]}
        self._tell(tuple(changed))
        return changed

    def manage(self, wish: Literal["save", "tell", "use", "keep", "delete"], name: str) -> dict[str, Any]:
        """Do what the user wants with the settings as a whole. Which of the live ones have another value by that."""
        try:
            match wish:
                case "use":
                    return self.change(load_preset(name, self._own()).values, name)
                case "save":
                    self._save()
                case "keep":
                    file = save_preset(name, self.now.values(), self._own())
                    self._preset = name
                    self._emit(Notice(at_s=now_s(), text=f"kept as the preset {name}, in {file}"))
                case "delete":
                    delete_preset(name, self._own())
                    self._emit(Notice(at_s=now_s(), text=f"the preset {name} is deleted"))
        except SettingsError as error:
            self._emit(Failed(at_s=now_s(), text=str(error)))
            return {}
        self._names = preset_names(self._own())
        self._tell(())
        return {}

    def _own(self) -> Path:
        return self._folder or presets_folder()

    def _save(self) -> None:
        now, saved = self.now.values(), self._saved.tuning(self._profile).values()
        changed = {name: value for name, value in now.items() if value != saved[name]}
        file = self._file or config_file()
        if not changed:
            self._emit(Notice(at_s=now_s(), text="nothing to save: everything is as it was saved"))
            return
        save_values(file, changed)
        self._saved = self._saved.with_values(changed, str(file))
        self._emit(Notice(at_s=now_s(), text=f"saved in {file}: {', '.join(changed)}"))

    def _as_saved(self, names: list[str]) -> Settings:
        """The chosen settings, but for `names`, which are as they were saved: chosen then, or following the profile."""
        live = self.now.values()
        for name in names:
            if name not in live:
                self.now.with_values({name: None}, "not changed")  # which says why it is none
        saved = {name: getattr(getattr(self._saved, name.split(".")[0]), name.split(".")[1]) for name in names}
        back = self._chosen.with_values(saved, "not changed")
        return replace(back, explicit=back.explicit - (saved.keys() - self._saved.explicit))

    def _tell(self, changed: tuple[str, ...]) -> None:
        self._emit(
            Tuned(
                at_s=now_s(),
                values=self.now.values(),
                saved=self._saved.tuning(self._profile).values(),
                changed=changed,
                preset=self._preset,
                presets=self._names,
            )
        )

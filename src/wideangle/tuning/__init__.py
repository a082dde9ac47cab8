"""Choosing λ, K and other settings by what is held out."""

from wideangle.tuning.results import SettingsSearch, SettingsTrial, Trial, Tuning
from wideangle.tuning.search import choose_settings
from wideangle.tuning.validation import cross_validate

__all__ = ["SettingsSearch", "SettingsTrial", "Trial", "Tuning", "choose_settings", "cross_validate"]

"""Choosing λ, K and other settings by what is held out, and the granularity of a fit by labels."""

from wideangle.tuning.granularity import GranularityChoice, GranularityTrial, choose_granularity
from wideangle.tuning.halving import choose_settings
from wideangle.tuning.results import SettingsSearch, SettingsTrial, Trial, Tuning
from wideangle.tuning.validation import cross_validate

__all__ = [
    "GranularityChoice",
    "GranularityTrial",
    "SettingsSearch",
    "SettingsTrial",
    "Trial",
    "Tuning",
    "choose_granularity",
    "choose_settings",
    "cross_validate",
]

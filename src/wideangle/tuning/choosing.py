"""Which trial is taken, and how sure that is.

The rule starts from the trial with the highest mean. A trial is no worse beyond noise if it is behind by at most one
standard error of the paired differences over folds. Where λ = 0 at the same K is no worse beyond noise, no λ has shown
a gain. The estimator's own λ is then taken if it, too, is no worse beyond noise: it parts near-copies of components at
no measurable cost, and it was chosen on more data than this. Otherwise the highest mean is taken.

`choose_among` is the rule of the search, whose fits are shorter. λ gains more in short fits than in long ones, so that
the rule is stricter: another λ must be better than λ = 0 by more than two standard errors, and a precision by more than
one point besides, which is what λ or a finer granularity may gain in a short fit alone (docs/models.md has learning
curves). Otherwise the estimator's own λ is taken where it is no worse than λ = 0 beyond noise, and else 0.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from wideangle.finishing import granularity_name
from wideangle.tuning.candidates import without_diversity
from wideangle.tuning.results import Scored, SettingsTrial, Trial, standard_error

SHORT_FITS = 2.0  # so many standard errors must be gained in a short fit,
SHORT_GAIN = 0.01  # and so much of a precision


def choose(trials: Sequence[Trial], measure: str, own: float) -> tuple[Trial, str]:
    """The trial to take and a sentence about it. `own` is the estimator's λ."""
    highest = max(trials, key=lambda trial: trial.mean)
    at_its_K = {trial.diversity: trial for trial in trials if trial.n_components == highest.n_components}
    plain, default = at_its_K.get(0.0), at_its_K.get(own)
    several = len({trial.n_components for trial in trials}) > 1
    taken = highest
    if len(at_its_K) == 1:
        reason = f"only λ = {highest.diversity:g} was tried: {_score(highest, measure)}"
    elif plain is None:
        reason = f"λ = {highest.diversity:g} has the best mean, {_score(highest, measure)}; λ = 0 was not tried"
    elif plain is not highest and not within_noise(plain, highest):
        reason = (
            f"λ = {highest.diversity:g} is better than λ = 0 beyond noise: {_score(highest, measure)}, "
            f"{_difference(highest, plain)} over the same folds"
        )
        if highest.diversity == max(at_its_K):
            reason += "; it is the largest tried, and a larger one may be better still"
    else:
        reason = f"no λ is better than 0 beyond noise (λ = 0 has {_score(plain, measure)}"
        reason += ")" if plain is highest else f", λ = {highest.diversity:g} {_difference(highest, plain)})"
        if default is not None and default is not highest and own > 0 and within_noise(default, highest):
            taken = default
            reason += f"; took the estimator's own λ = {own:g}, {_difference(default, highest)} from the best mean"
            reason += ", which keeps components apart at no measurable cost"
        else:
            reason += f"; took the best mean, λ = {highest.diversity:g}"
    if several:
        reason = f"K = {taken.n_components}: {reason}"
        smaller = [t for t in trials if t.n_components < taken.n_components and within_noise(t, highest)]
        if smaller:
            least = min(smaller, key=lambda t: (t.n_components, -t.mean))
            reason += f"; K = {least.n_components} with λ = {least.diversity:g} is no worse beyond noise"
    return taken, f"{reason[0].upper() if reason[0] != 'λ' else 'λ'}{reason[1:]}."


def choose_among(trials: Sequence[SettingsTrial], measure: str, own: float) -> tuple[SettingsTrial, str]:
    """The trial to take among those that differ in λ alone, of which one has λ = 0, and a sentence about it."""
    at = {trial.diversity: trial for trial in trials}
    highest, plain = max(trials, key=lambda trial: trial.mean), at[0.0]
    what = ", ".join(_said(name, value) for name, value in without_diversity(highest.settings).items())
    what = f" ({what})" if what else ""
    if highest.diversity > 0 and clearly_better(highest, plain, measure):
        return highest, (
            f"λ = {highest.diversity:g}{what} is better than λ = 0 beyond noise: {_score(highest, measure)}, "
            f"{_difference(highest, plain)} for the same queries."
        )
    reason = f"No λ{what} is better than 0 beyond noise: λ = 0 has {_score(plain, measure)}"
    if highest.diversity > 0:
        reason += f", λ = {highest.diversity:g} {_difference(highest, plain)}"
    if own not in (0.0, highest.diversity):
        reason += f", the model's own λ = {own:g} {_difference(at[own], plain)}"
    if own > 0 and within_noise(at[own], plain):
        kept = "which keeps components apart at no measurable cost"
        return at[own], f"{reason}; took the model's own λ = {own:g}, {kept}."
    return plain, f"{reason}; took λ = 0."


def clearly_better(trial: Scored, other: Scored, measure: str) -> bool:
    """Whether a short fit is better than another by so much that long ones can be expected to be better as well."""
    least = SHORT_GAIN if measure.startswith("P@") else 0.0
    return not within_noise(other, trial, SHORT_FITS) and trial.mean - other.mean > least


def within_noise(trial: Scored, best: Scored, errors: float = 1.0) -> bool:
    """Whether a trial is behind the best by no more than so many standard errors of their differences over folds."""
    behind = np.subtract(best.scores, trial.scores)
    return bool(behind.mean() <= errors * standard_error(behind))


def _said(name: str, value: Any) -> str:
    return f"for {granularity_name(value)}" if name == "granularity" else str(value)


def _score(trial: Scored, measure: str) -> str:
    return f"{measure} {trial.mean:.4f} ± {trial.error:.4f}"


def _difference(trial: Scored, other: Scored) -> str:
    apart = np.subtract(trial.scores, other.scores)
    return f"{apart.mean():+.4f} ± {standard_error(apart):.4f}".replace("-", "−")

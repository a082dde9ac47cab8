"""How estimators show themselves: in a notebook's cell, and as the explorer page."""

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from wideangle.functional import pair_angles

if TYPE_CHECKING:
    from wideangle.report import Page

NEAR = 30.0  # degrees under which two components say nearly the same
MOST_MEASURED = 2000  # components whose angles a cell may wait for
TOPICS, WORDS = 5, 8


class Displayed:
    """A fitted estimator's summary under scikit-learn's diagram, and `explore`."""

    def explore(self, other: Any = None, **options: Any) -> "Page":
        """The explorer page of this fitted model, alone or beside another; shown inline in notebooks.

        `page.save(path)` writes it to a file. Options are those of `wideangle.report.explore`.
        """
        from wideangle.report import explore  # the page stands above the models: the one door up

        return explore(self, other, **options)

    def _shown_components(self) -> NDArray[Any]:
        """The rows whose angles matter, K×D."""
        return self.components_  # type: ignore[attr-defined]

    def _repr_html_inner(self) -> str:
        return super()._repr_html_inner() + _summary(self)  # type: ignore[misc]

    def _repr_mimebundle_(self, **options: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**options)  # type: ignore[misc]
        if "text/html" in bundle:
            bundle["text/html"] += _summary(self)
        return bundle


def shown_components(model: Any) -> NDArray[Any]:
    """The K×D components of a fitted estimator; of a network, those of its first layer."""
    if not isinstance(model, Displayed):
        raise TypeError(f"only the estimators of wideangle.models can be shown; got {type(model).__name__}.")
    check_is_fitted(model, model._essential)  # type: ignore[attr-defined]
    return model._shown_components()


def known_vocabulary(model: Any) -> Sequence[str] | None:
    """What a model itself knows of its columns' names."""
    return getattr(model, "vocabulary_", getattr(model, "feature_names_in_", None))


def _summary(model: Any) -> str:
    """What was learned in a few escaped lines; nothing before `fit`."""
    if not hasattr(model, model._essential):
        return ""
    components = model._shown_components()
    lines = [f"<b>{len(components)}</b> components of {components.shape[1]:,} columns", *_angles(components)]
    words = known_vocabulary(model)
    ranked = model.effects() if hasattr(model, "effects") else components
    listed = "" if words is None else "".join(f"<li>{escape(topic)}</li>" for topic in _topics(ranked, words))
    rest = len(components) - TOPICS
    more = f"<p>and {rest} more: <code>.explore()</code> shows all.</p>" if listed and rest > 0 else ""
    return (
        '<div class="wideangle-summary" style="font: 0.9em/1.4 system-ui, sans-serif; margin-top: 0.5em">'
        f"<p>{'; '.join(lines)}.</p>{f'<ol>{listed}</ol>' if listed else ''}{more}</div>"
    )


def _angles(components: NDArray[Any]) -> list[str]:
    alive = np.asarray(components[np.asarray(components).any(axis=1)], dtype=np.float64)
    dead = len(components) - len(alive)
    lines = [f"{dead} all zeros"] if dead else []
    if not 2 <= len(alive) <= MOST_MEASURED:
        return lines
    angles = np.rad2deg(pair_angles(alive))
    near = int((angles < NEAR).sum())
    return [
        f"mean angle {angles.mean():.0f}°",
        f"smallest {angles.min():.0f}°",
        f"{near} near-duplicate pair{'' if near == 1 else 's'} under {NEAR:.0f}°",
        *lines,
    ]


def _topics(ranked: NDArray[Any], words: Sequence[str]) -> list[str]:
    """The first words of the first components."""
    order = np.argsort(-ranked[:TOPICS], axis=1, kind="stable")[:, :WORDS]
    return [", ".join(str(words[column]) for column in row) for row in order.tolist()]

"""How estimators show themselves: in a notebook's cell, and as the explorer page."""

from html import escape
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from wideangle.evaluation.diversity import NEAR, angle_summary
from wideangle.view import ModelView

if TYPE_CHECKING:
    from wideangle.report import Page

MOST_MEASURED = 2000  # The angles of more components would keep a notebook's cell waiting.
TOPICS, WORDS = 5, 8


class Displayed:
    """A fitted estimator's summary under scikit-learn's diagram, and `explore`."""

    def explore(self, other: Any = None, **options: Any) -> "Page":
        """The explorer page of this fitted model, alone or beside another; shown inline in notebooks.

        `page.save(path)` writes it to a file. Options are those of `wideangle.report.explore`.
        """
        from wideangle.report import explore  # This is the only import from a room above the models.

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


def _summary(model: Any) -> str:
    """What was learned, in a few lines of escaped HTML; empty before `fit`."""
    if not hasattr(model, model._essential):
        return ""
    view = ModelView.of(model)
    K, D = view.components.shape
    lines = [f"<b>{K}</b> components of {D:,} columns", *_angles(view)]
    topics = [] if view.column_names is None else view.top_words(WORDS)[:TOPICS]
    listed = "".join(f"<li>{escape(', '.join(words))}</li>" for words in topics)
    more = f"<p>and {K - TOPICS} more: <code>.explore()</code> shows all.</p>" if listed and K > TOPICS else ""
    return (
        '<div class="wideangle-summary" style="font: 0.9em/1.4 system-ui, sans-serif; margin-top: 0.5em">'
        f"<p>{'; '.join(lines)}.</p>{f'<ol>{listed}</ol>' if listed else ''}{more}</div>"
    )


def _angles(view: ModelView) -> list[str]:
    components = view.components
    dead = int((~components.any(axis=1)).sum())
    lines = [f"{dead} all zeros"] if dead else []
    if not 2 <= len(components) - dead <= MOST_MEASURED:
        return lines
    directions = view.directions()
    found = angle_summary(directions.rows)
    return [
        f"mean angle {found.mean:.0f}°, {directions.kind}",
        f"smallest {found.smallest:.0f}°",
        f"{found.redundant} near-duplicate pair{'' if found.redundant == 1 else 's'} under {NEAR:.0f}°",
        *lines,
    ]

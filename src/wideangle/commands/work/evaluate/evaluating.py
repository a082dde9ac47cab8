"""What `wideangle evaluate` does: the numbers that say how good a model is, and how diverse."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from wideangle._wording import number_of
from wideangle.commands.shell.guard import CommandError
from wideangle.commands.shell.output import Output, new_table, number, silent
from wideangle.commands.work.evaluate.by_labels import KS, NEIGHBORS, ByLabels, by_labels
from wideangle.commands.work.evaluate.sides import Sides, choose_sides, count_same_as_searched, held_out
from wideangle.commands.work.shared.angles import CLOSER, Angles
from wideangle.commands.work.shared.answering import Answers, divided_for, joined_rows
from wideangle.commands.work.shared.finishing import GranularityTable
from wideangle.commands.work.shared.inputs import read_new
from wideangle.commands.work.shared.models import load_model, name_of_model, regrouped
from wideangle.evaluation import document_npmi, redundant_pairs, topic_diversity, topic_overlap
from wideangle.reading import ReadingOptions, Rows
from wideangle.reading.places import DataPath
from wideangle.tuning.granularity import MOST_QUERIES as MOST_COMPARED
from wideangle.tuning.granularity import compared
from wideangle.view import ModelView

if TYPE_CHECKING:
    from rich.console import Console

TOP_WORDS = 10
MOST_QUERIES = 10_000
OF_EACH_CLASS = 10  # Where queries are drawn, so many of each class are among them.
MOST_PAIRS = 100  # At most this many near-duplicates are listed.
FLATTERING = 0.1  # A note is printed if at least this share of the queries are among the searched documents themselves.


@dataclass(frozen=True)
class Diversity:
    """How different the components are, and whether their words belong together."""

    angles: Angles
    near_duplicates: tuple[tuple[int, int], ...]
    """the closest pairs; components count from 1"""
    of: Literal["topics", "components"]
    """whose words the next three are about: the topics of the documents or, without them, the components"""
    topic_diversity: float
    """the share of distinct words among the top 10 of all topics"""
    topic_overlap: float
    coherence: float | None
    """the mean NPMI of top words within documents; None where the documents' words are not known"""


@dataclass(frozen=True)
class Evaluation:
    """All the numbers, and how they were found."""

    path: Path
    model: str
    protocol: str | None
    queries: int
    database: int
    by_labels: ByLabels | None
    diversity: Diversity
    perplexity: float | None
    granularity: float | None
    """how finely documents were told apart; None where nothing finishes what the model says"""
    asked_granularity: bool
    """whether it was asked for, and is not the model's own"""
    granularities: GranularityTable | None
    """what each granularity of the same fit finds; None without labels"""


def evaluate_model(
    model_path: Path,
    path: DataPath | None = None,
    how: ReadingOptions | None = None,
    *,
    perplexity: bool = False,
    queries: int = MOST_QUERIES,
    granularity: float | str | None = None,
    dask: str | None = None,
    output: Output | None = None,
) -> Evaluation:
    """Measure a model by its own documents, or by those of a path.

    `dask` is the address of a cluster that reads and represents these. Without one, the processors of this computer do
    so where there are many.
    """
    how, output = how or ReadingOptions(), output or silent()
    view = load_model(model_path, granularity)
    name = name_of_model(view.model)
    if perplexity and not hasattr(view.model, "perplexity"):
        raise CommandError(
            f"--perplexity needs a model of word counts that has one, and {model_path} is a {name}. Leave it out."
        )
    rows, said = (None, None) if path is None else _read(path, model_path, view, how, dask, output)
    if granularity is not None:
        regrouped(view, output)
    every = choose_sides(view, rows, said)
    every = None if every is None else every.labelled()
    sides = None if every is None else every.sampled(queries, of_each_class=OF_EACH_CLASS)
    labelled = None if sides is None else by_labels(view, sides)
    most = min(queries, MOST_COMPARED)
    if sides is not None and labelled is not None:
        _tell_what_flatters(sides, output)
    _tell_what_is_missing(view, rows, sides is not None, labelled is not None, output)
    return Evaluation(
        model_path,
        name,
        None if sides is None else sides.protocol,
        0 if sides is None else len(sides.queries),
        0 if sides is None else len(sides.database),
        labelled,
        _diversity(view, rows),
        float(view.model.perplexity(rows.X[held_out(rows)])) if perplexity and rows is not None else None,
        view.granularity,
        granularity is not None,
        None if every is None or labelled is None else _granularities(view, every, most, labelled),
    )


@dataclass(frozen=True)
class SayOfRows:
    """Asks a model what it says of documents, whose counts of words are wanted too."""

    keeps_rows = True

    def prepared(self, model_path: Path) -> tuple[ModelView, Callable[[Rows], NDArray[np.float32]]]:
        """Load the model, and give what answers."""
        view = load_model(model_path)
        return view, lambda rows: view.said(rows.X)


def _read(
    path: DataPath, model_path: Path, view: ModelView, how: ReadingOptions, dask: str | None, output: Output
) -> tuple[Rows, NDArray[np.float32] | None]:
    """The rows of a path, and what the model says of them where others were asked for that."""
    divided = divided_for(path, view, how, dask)
    if divided is None:
        return read_new(path, view, how, output), None
    parts = list(Answers(SayOfRows(), model_path, *divided, output))
    return joined_rows([part.rows for part in parts]), np.concatenate([part.value for part in parts])


def _granularities(view: ModelView, sides: Sides, most: int, labelled: ByLabels) -> GranularityTable | None:
    """What the same fit finds at other granularities; None where it has none or there is no precision to compare."""
    some = sides.sampled(most)
    if some.said is None or some.asked is None or some.stored is None or not labelled.precision:
        return None
    return GranularityTable.of(compared(view, some.said[0], some.asked, some.said[1], some.stored, some.own, k=KS[0]))


def _diversity(view: ModelView, rows: Rows | None) -> Diversity:
    directions = view.directions()
    words = _topic_words(view)
    of: Literal["topics", "components"] = "topics" if words else "components"
    words = words or view.top_columns(TOP_WORDS).tolist()
    coherence = None
    several = [topic for topic in words if len(topic) > 1]
    counts = None if rows is None or view.reading.kind == "numbers" else rows.counts
    if counts is not None and several:
        coherence = float(document_npmi(several, sp.csr_array(counts)).mean())
    pairs = redundant_pairs(directions.rows)[:MOST_PAIRS] + 1
    return Diversity(
        Angles.of(directions),
        tuple((int(i), int(j)) for i, j in pairs),
        of,
        topic_diversity(words),
        topic_overlap(words),
        coherence,
    )


def _topic_words(view: ModelView) -> list[list[int]]:
    """The columns of the words of the model's topics; none where it has no topics."""
    columns = {word: column for column, word in enumerate(view.vocabulary or view.columns)}
    topics = getattr(view.model, "topics_", ())
    lists = ([columns[word] for word in topic.words[:TOP_WORDS] if word in columns] for topic in topics)
    return [words for words in lists if words]


def _tell_what_flatters(sides: Sides, output: Output) -> None:
    same, every = count_same_as_searched(sides), len(sides.queries)
    if same >= FLATTERING * every:
        output.note(
            f"{same:,} of {number_of(every, 'query', 'queries')} {'has' if same == 1 else 'have'} the same "
            "representation as a searched document. If they are the same documents, they find themselves and precision "
            "is too high: evaluate on other documents."
        )


def _tell_what_is_missing(view: ModelView, rows: Rows | None, sides: bool, labelled: bool, output: Output) -> None:
    if not sides:
        output.note("the model keeps no documents, so nothing was searched. Pass PATH to evaluate with.")
    elif not labelled:
        output.note("without labels of at least two classes there is no precision. Give labelled documents as PATH.")
    if rows is None and view.reading.kind != "numbers":
        output.note("coherence needs the documents' words, and a model keeps none. Pass PATH to measure it.")


def show(found: Evaluation, console: "Console") -> None:
    """Print the numbers for people."""
    if found.by_labels is not None:
        _show_labels(found.by_labels, console)
    if found.granularities is not None:
        own = "asked for" if found.asked_granularity else "the model's own"
        title = f"Granularity of the same fit, chosen on these documents{_some(found)}"
        found.granularities.show(console, title, own, advise=True)
        console.print()
    table = new_table("measure", "value", right=("value",))
    for name, value in _measures(found):
        table.add_row(name, value)
    console.print(table)
    console.print(f"Angles are {found.diversity.angles.kind}.", highlight=False)
    if found.protocol is not None:
        console.print(
            f"{number_of(found.queries, 'query', 'queries')}, {found.database:,} searched: {found.protocol}.",
            markup=False,
            highlight=False,
        )


def _some(found: Evaluation) -> str:
    return f" ({MOST_COMPARED:,} of the queries)" if found.queries > MOST_COMPARED else ""


def _show_labels(labelled: ByLabels, console: "Console") -> None:
    if not labelled.precision:
        return
    names = ("k", "precision", "ceiling", "head", "tail")
    table = new_table(*names, right=names)
    for at in labelled.precision:
        values = (at.precision, at.ceiling, at.head, at.tail)
        table.add_row(str(at.k), *(number(value) for value in values))
    console.print("Precision at k; head and tail are the frequent and the rare classes", highlight=False)
    console.print(table)
    console.print()


def _measures(found: Evaluation) -> list[tuple[str, str]]:
    rows = []
    if (labelled := found.by_labels) is not None:
        rows += [
            ("accuracy", labelled.accuracy),
            (f"{NEIGHBORS}-nearest-neighbour accuracy", labelled.knn_accuracy),
            ("average precision of pairs", labelled.pair_average_precision),
            ("k-means accuracy", labelled.kmeans_accuracy),
            ("k-means NMI", labelled.kmeans_nmi),
        ]
    diversity = found.diversity
    rows += [
        (f"distinct words of {diversity.of} (first {TOP_WORDS})", diversity.topic_diversity),
        (f"overlap of {diversity.of}", diversity.topic_overlap),
        (f"coherence of {diversity.of} (document NPMI)", diversity.coherence),
    ]
    shown = [(name, number(value)) for name, value in rows if value is not None]
    if found.perplexity is not None:
        shown.append(("perplexity", number(found.perplexity, 1)))
    angles = diversity.angles
    shown += [("mean angle", number(angles.mean, 1, "°")), ("smallest angle", number(angles.smallest, 1, "°"))]
    return [*shown, (CLOSER, str(angles.near_duplicates))]

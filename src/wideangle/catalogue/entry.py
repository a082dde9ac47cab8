"""One record of an estimator, and the defaults that records speak of."""

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from importlib import import_module
from typing import Any, Literal

from wideangle.catalogue.measure_names import PRECISION

COMPONENTS = 50  # the default number of components
UPDATES = 2000  # the default number of updates of a Boltzmann machine
MOST_COMPONENTS = 100  # the most components of a distance with n_components=None


@dataclass(frozen=True)
class Entry:
    """What the rest of the package must know about an estimator before it is imported and after it is fitted."""

    name: str
    """the name of the class, which model files use"""
    home: str
    """the module that defines the class; it is imported on first use"""
    estimator: type | None = field(default=None, repr=False)
    """the class itself, if it was registered; None: it is imported from its home"""

    command: str | None = None
    """what `wideangle fit --model` calls it; None: the commands do not fit it"""
    summary: str = ""
    """what it is in a few words, for `wideangle fit --help`"""

    takes: Literal["counts", "shares", "numbers"] = "numbers"
    """the rows it is fitted on: word counts, values from 0 to 1, or any numbers"""
    weighting: Literal["counts", "presence", "tf-idf"] = "tf-idf"
    """how the commands turn the words of a document into its columns"""
    target: Literal["classes", "numbers"] | None = None
    """what it learns from besides the rows: y of `fit`; None: nothing"""

    any_units: bool = False
    """whether columns may have different units, because it measures each by its deviation"""

    from_disk: bool = False
    """whether it is fitted on `wideangle.data.CountsOnDisk` too, which need not fit into memory"""

    size: str | None = "n_components"
    """the parameter that says how many components there are; None: each column is one"""
    layered: bool = False
    """whether it is a network: `size` then holds the widths of its hidden layers, and its file holds its layers"""
    most_components: int | None = None
    """the most components that it takes where `size` is None: as many as there are columns, up to this"""
    finds_components: bool = False
    """whether it finds how many components the rows carry, up to `most_components`, where `size` is None"""
    at_most_columns: bool = False
    """whether the commands take no more components than columns or rows by default, because more make little sense"""

    grid: tuple[float, ...] = ()
    """the λ that tuning tries; empty: it has no parameter `diversity`"""
    measures: tuple[str, ...] = (PRECISION,)
    """the measures for tuning with labels or targets, the usual one first"""
    measures_without_labels: tuple[str, ...] = ()
    """the measures for tuning without labels, the usual one first"""
    tried_with_labels: Mapping[str, tuple[Any, ...]] = field(default_factory=dict, hash=False)
    """parameters besides λ that `choose_settings` tries where there are labels; one that is set is not tried"""
    tried_on_one_fit: Mapping[str, tuple[Any, ...]] = field(default_factory=dict, hash=False)
    """the same for parameters that `fit` does not depend on, so that one fit is measured with each value"""
    likelihood: Literal["words", "rows"] | None = None
    """whether `log_likelihood` is that of words or of rows; for words there is a perplexity too. A baseline may have a
    `perplexity` of its own kind without it"""

    needs: str | None = None
    """a package that it needs and that is not installed with this one"""
    squares_rows: bool = False
    """whether a fit costs the square of the rows, so that experiments fit it on some of them"""

    searched_by: Literal["transform", "logits"] = "transform"
    """what search compares: `transform`, or `hidden_logits`, from which `transform` is made"""
    metric: Literal["euclidean", "cosine"] = "cosine"
    """the distance of search"""
    query_from: Literal["mean", "empty"] = "mean"
    """what is subtracted from the logits of a query: those of the average document, or of a row without words"""

    by_direction: bool = False
    """whether only the direction of what `transform` gives matters: evaluation and tuning then compare by the cosine"""

    takes_words: bool = False
    """whether its `fit` takes the word counts of the documents besides their vectors"""

    linear: bool = False
    """whether `transform` gives A x, the response of each component to a row"""
    noun: str = "component"
    """what one component is called"""
    either_sign: bool = False
    """whether the sign of a component means nothing, so that its words are those of the largest absolute weight"""

    learned: Mapping[str, str] = field(default_factory=lambda: {"components_": "KD"}, hash=False)
    """the float arrays that a fit learns, and their shapes: K components, D columns; a network has layers instead"""
    shares: tuple[str, ...] = ()
    """the names of those learned arrays that hold values from 0 to 1"""
    weights: tuple[str, ...] = ()
    """the names of those learned arrays that hold float64 weights of columns, all above 0"""
    averages: tuple[str, ...] = ()
    """the names of those learned arrays that hold float64 averages of columns, in the units of these"""
    deviations: tuple[str, ...] = ()
    """the names of those learned arrays that hold float64 deviations of columns, in the units of these, all above 0"""
    settled: tuple[str, ...] = ()
    """further attributes that a fit leaves and that the estimator needs: numbers and strings"""

    @classmethod
    def of(cls, estimator: type, **differences: Any) -> "Entry":
        """The record of a class of yours. Other fields are those of the class in the catalogue that it inherits from.

        The commands can fit it if `command` gives it a name.
        """
        if not isinstance(estimator, type):
            raise TypeError(f"an entry describes a class; got {estimator!r}. Pass the class, not an instance.")
        unknown = sorted(set(differences) - {each.name for each in fields(cls)})
        if unknown:
            known = [each.name for each in fields(cls)]
            raise TypeError(f"an Entry has no field {unknown[0]!r}.{did_you_mean(unknown[0], known)}")
        from wideangle.catalogue.registry import of_parents  # It imports this module.

        parent = of_parents(estimator)
        made: dict[str, Any] = {"name": estimator.__name__, "home": estimator.__module__, "estimator": estimator}
        if parent is None:
            return cls(**(made | differences))
        return replace(parent, **({"command": None, "summary": ""} | made | differences))

    def load(self) -> type:
        """The class."""
        found: type = self.estimator if self.estimator is not None else getattr(import_module(self.home), self.name)
        return found

    @property
    def all_measures(self) -> tuple[str, ...]:
        """The measures with labels and those without."""
        return (*self.measures, *self.measures_without_labels)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A hint after a message about an unknown name; empty where no known name is like it."""
    near = difflib.get_close_matches(name, list(known), 1, 0.5)
    return f" Did you mean {near[0]!r}?" if near else ""

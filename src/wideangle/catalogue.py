"""Which estimators there are and how they differ: one record per estimator, from which everything else is read.

The public names, the command line, tuning, saving, the page, notebooks and the tests ask a record, never the name of a
class. A new estimator of this package needs its own file and one entry in `SHIPPED`; one of yours joins by `register`:

>>> from sklearn.decomposition import NMF
>>> from wideangle import catalogue
>>> class Parts(NMF):
...     "Non-negative parts."
>>> catalogue.register(catalogue.Entry.of(Parts, takes="counts", weighting="counts", command="parts"))
>>> catalogue.entry_of(Parts(5)).measures
('P@10',)
>>> catalogue.unregister("Parts")

`wideangle.tuning` can then tune it, and the commands of the same process can use it. To be saved and loaded, the class
must also inherit `wideangle.persistence.Saveable`. Nothing heavy is imported here, because --help reads these records.
"""

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from importlib import import_module
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

__all__ = ["Entry", "entries", "entry_of", "register", "unregister"]

# The measures by which a fit can be judged; `wideangle.tuning.measures` computes them. The first four need labels or
# targets.
PRECISION, PAIRS_AND_NEIGHBOURS, ACCURACY, R2 = "P@10", "AP + 3-NN", "accuracy", "R²"
AGREEMENT, HALF_RETRIEVAL = "agreement of halves", "half retrieval"
HELD_OUT_WORDS = "log-likelihood of held-out words"
PER_WORD, PER_ROW = "log-likelihood per word", "log-likelihood per row"
COMPONENTS = 50  # the default number of components
UPDATES = 2000  # the default number of updates of a Boltzmann machine
MOST_COMPONENTS = 100  # the most components of a distance with n_components=None
WITH_LABELS = (PRECISION, PAIRS_AND_NEIGHBOURS, ACCURACY, R2)
WITHOUT_LABELS = (AGREEMENT, HALF_RETRIEVAL, HELD_OUT_WORDS, PER_WORD, PER_ROW)


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

    size: str = "n_components"
    """the parameter that says how many components there are"""
    layered: bool = False
    """whether it is a network: `size` then holds the widths of its hidden layers, and its file holds its layers"""
    most_components: int | None = None
    """the most components that it takes where `size` is None: as many as there are columns, up to this"""
    at_most_columns: bool = False
    """whether the commands take no more components than columns or rows by default, because more make little sense"""

    grid: tuple[float, ...] = ()
    """the λ that tuning tries; empty: it has no parameter `diversity`"""
    measures: tuple[str, ...] = (PRECISION,)
    """the measures for tuning with labels or targets, the usual one first"""
    measures_without_labels: tuple[str, ...] = ()
    """the measures for tuning without labels, the usual one first"""
    tried_with_labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)
    """parameters besides λ that `choose_settings` tries where there are labels; one that is set is not tried"""
    tried_on_one_fit: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)
    """the same for parameters that `fit` does not depend on, so that one fit is measured with each value"""
    likelihood: Literal["words", "rows"] | None = None
    """whether `log_likelihood` is that of words or of rows; for words there is a perplexity too"""

    searched_by: Literal["transform", "logits"] = "transform"
    """what search compares: `transform`, or `hidden_logits`, from which `transform` is made"""
    metric: Literal["euclidean", "cosine"] = "cosine"
    """the distance of search"""
    query_from: Literal["mean", "empty"] = "mean"
    """what is subtracted from the logits of a query: those of the average document, or of a row without words"""

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
            raise TypeError(f"an Entry has no field {unknown[0]!r}.{_did_you_mean(unknown[0], known)}")
        parent = _of_parents(estimator)
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


_BOLTZMANN: dict[str, Any] = {
    "searched_by": "logits",
    "metric": "cosine",
    "learned": {
        "components_": "KD",
        "intercept_hidden_": "K",
        "intercept_visible_": "D",
        "presence_": "D",
        "mean_row_": "D",
    },
    "shares": ("presence_", "mean_row_"),
    "settled": ("kept_share_", "n_rows_"),
}
_WEIGHTED: dict[str, Any] = _BOLTZMANN | {
    "learned": _BOLTZMANN["learned"] | {"rarity_": "D"},
    "weights": ("rarity_",),
    "settled": (*_BOLTZMANN["settled"], "weighting_"),
}
_NETWORK: dict[str, Any] = {"size": "hidden_layer_sizes", "layered": True, "metric": "cosine", "learned": {}}

# A distance of a baseline: -k is the number of principal components that it sees, of which it may leave out some.
_METRIC: dict[str, Any] = {
    "size": "n_principal",
    "at_most_columns": True,
    "measures": (PAIRS_AND_NEIGHBOURS,),
    "metric": "euclidean",
    "linear": True,
    "either_sign": True,
}
_LABELLED_METRIC: dict[str, Any] = _METRIC | {"target": "classes"}

# The order is that of the documentation. The first entry with a command is the default of the commands.
# The grids hold the λ that the benchmarks found good or harmless; see docs/models.md, distance.md and networks.md.
SHIPPED = (
    Entry(
        "ReplicatedSoftmax",
        "wideangle.models.replicated_softmax",
        command="replicated-softmax",
        summary="topics of word counts",
        takes="counts",
        weighting="counts",
        grid=(0.0, 0.1, 0.3, 1.0),
        measures_without_labels=(AGREEMENT, HALF_RETRIEVAL, HELD_OUT_WORDS, PER_WORD),
        tried_with_labels={"weighting": ("counts", "balanced", "tf-idf")},
        tried_on_one_fit={"representation": ("centred probabilities", "centred logits")},
        likelihood="words",
        query_from="mean",
        noun="topic",
        **_WEIGHTED,
    ),
    Entry(
        "BernoulliRBM",
        "wideangle.models.rbm",
        command="bernoulli-rbm",
        summary="a machine of values from 0 to 1",
        takes="shares",
        weighting="presence",
        grid=(0.0, 0.1, 0.3, 1.0),
        measures_without_labels=(PER_ROW,),
        likelihood="rows",
        query_from="empty",
        **_BOLTZMANN,
    ),
    Entry(
        "DistanceLearner",
        "wideangle.models.distance",
        command="distance",
        summary="a distance, from labels",
        target="classes",
        most_components=MOST_COMPONENTS,
        at_most_columns=True,
        grid=(0.0, 0.1, 0.5, 2.0),
        measures=(PAIRS_AND_NEIGHBOURS,),
        metric="euclidean",
        linear=True,
        either_sign=True,
    ),
    Entry(
        "MLPClassifier",
        "wideangle.models.mlp_classifier",
        command="mlp",
        summary="a network, from labels",
        target="classes",
        grid=(0.0, 0.01, 0.1, 1.0),
        measures=(ACCURACY,),
        **_NETWORK,
    ),
    Entry(
        "MLPRegressor",
        "wideangle.models.mlp_regressor",
        target="numbers",
        grid=(0.0, 0.01, 0.1, 1.0),
        measures=(R2,),
        **_NETWORK,
    ),
    Entry(
        "Euclidean",
        "wideangle.baselines.metrics.euclidean",
        command="euclidean",
        summary="plain distances",
        **_METRIC,
    ),
    Entry(
        "XingMetric",
        "wideangle.baselines.metrics.xing",
        command="xing",
        summary="Xing's distance, from labels",
        **_LABELLED_METRIC,
    ),
    Entry(
        "LMNN",
        "wideangle.baselines.metrics.lmnn",
        command="lmnn",
        summary="large margin neighbours, from labels",
        **_LABELLED_METRIC,
    ),
    Entry(
        "ITML",
        "wideangle.baselines.metrics.itml",
        command="itml",
        summary="the distance nearest to a prior, from labels",
        **_LABELLED_METRIC,
    ),
    Entry(
        "DMLEig",
        "wideangle.baselines.metrics.dml_eig",
        command="dml-eig",
        summary="a distance by eigenvalues, from labels",
        **_LABELLED_METRIC,
    ),
    Entry(
        "Seraph",
        "wideangle.baselines.metrics.seraph",
        command="seraph",
        summary="a distance by entropy, from labels",
        **_LABELLED_METRIC,
    ),
    Entry(
        "NCA",
        "wideangle.baselines.metrics.nca",
        command="nca",
        summary="neighbourhood components, from labels",
        **_LABELLED_METRIC,
    ),
)

_REGISTERED: dict[str, Entry] = {}


def entries() -> tuple[Entry, ...]:
    """All records, those of the package first."""
    return (*SHIPPED, *_REGISTERED.values())


def entry_of(what: Any) -> Entry:
    """The record of an estimator, of a class, or of the name of a class or command. A subclass may use its parent's.

    Examples
    --------
    >>> from wideangle.catalogue import entry_of
    >>> entry_of("bernoulli-rbm").name
    'BernoulliRBM'
    """
    if isinstance(what, str):
        for entry in entries():
            if what in (entry.name, entry.command):
                return entry
        names = [name for entry in entries() for name in (entry.name, entry.command) if name is not None]
        raise ValueError(f"there is no estimator {what!r}.{_did_you_mean(what, names)} There are {', '.join(names)}.")
    kind = what if isinstance(what, type) else type(what)
    found = _of_parents(kind)
    if found is None:
        raise TypeError(
            f"expected an estimator: {', '.join(entry.name for entry in entries())}; got {kind.__name__}. One of "
            f"your own joins these by wideangle.catalogue.register(Entry.of({kind.__name__}))."
        )
    return found


def register(entry: Entry) -> None:
    """Make an estimator of yours known, so that it can be saved, loaded, tuned and used by the commands.

    It replaces a class that was registered under the same name, so that a notebook's cell can be run twice.
    """
    if not isinstance(entry, Entry):
        raise TypeError(f"register takes an Entry; got {entry!r}. Make one by Entry.of(YourClass).")
    if entry.name in {each.name for each in SHIPPED}:
        raise ValueError(f"{entry.name} is the name of an estimator of wideangle. Give your class another.")
    check_values(entry)
    for other in entries():
        if other.name != entry.name and entry.command is not None and other.command == entry.command:
            raise ValueError(f"the command line calls {other.name} {entry.command!r}. Take another command for yours.")
    entry.load()  # A wrong home raises an error now, not when a model file names the class.
    _REGISTERED[entry.name] = entry


def unregister(name: str) -> None:
    """Forget an estimator that `register` was called for."""
    if name not in _REGISTERED:
        raise ValueError(f"{name!r} was not registered.{_did_you_mean(name, _REGISTERED)}")
    del _REGISTERED[name]


def commands() -> tuple[str, ...]:
    """The names of models on the command line, the default first."""
    return tuple(entry.command for entry in entries() if entry.command is not None)


def homes_in(package: str) -> dict[str, str]:
    """Names and modules of the estimators in a part of this package, for names that are loaded on first use."""
    return {entry.name: entry.home for entry in SHIPPED if entry.home.startswith(f"{package}.")}


def _of_parents(kind: type) -> Entry | None:
    """The record of a class, or of the nearest of its parents that has one."""
    for parent in kind.__mro__:
        for entry in entries():
            by_name = entry.estimator is None and (entry.home, entry.name) == (parent.__module__, parent.__name__)
            if entry.estimator is parent or by_name:
                return entry
    return None


def check_values(entry: Entry) -> None:
    """Raise an error where a field has an unknown value."""
    for name, hint in get_type_hints(Entry).items():
        parts = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
        choices = [value for part in parts if get_origin(part) is Literal for value in get_args(part)]
        choices += [None] if choices and type(None) in parts else []
        if choices and getattr(entry, name) not in choices:
            raise ValueError(f"{name} of {entry.name} must be one of {choices}; got {getattr(entry, name)!r}.")
    for name, known in (("measures", WITH_LABELS), ("measures_without_labels", WITHOUT_LABELS)):
        for measure in getattr(entry, name):
            if measure not in known:
                near = _did_you_mean(measure, known)
                raise ValueError(f"{name} of {entry.name} must be some of {known}; got {measure!r}.{near}")


def _did_you_mean(name: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, list(known), 1, 0.5)
    return f" Did you mean {near[0]!r}?" if near else ""

"""All records: those of the package, and those that `register` adds."""

from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from wideangle.catalogue.documents import DOCUMENTS
from wideangle.catalogue.entry import Entry, did_you_mean
from wideangle.catalogue.measure_names import WITH_LABELS, WITHOUT_LABELS
from wideangle.catalogue.metrics import METRICS
from wideangle.catalogue.models import MODELS

SHIPPED = (*MODELS, *DOCUMENTS, *METRICS)  # The order is that of the documentation.
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
        raise ValueError(f"there is no estimator {what!r}.{did_you_mean(what, names)} There are {', '.join(names)}.")
    kind = what if isinstance(what, type) else type(what)
    found = of_parents(kind)
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
    if not isinstance(name, str):
        raise TypeError(f"name must be that of a class; got {type(name).__name__}.")
    if name not in _REGISTERED:
        raise ValueError(f"{name!r} was not registered.{did_you_mean(name, _REGISTERED)}")
    del _REGISTERED[name]


def commands() -> tuple[str, ...]:
    """The names of models on the command line, the default first."""
    return tuple(entry.command for entry in entries() if entry.command is not None)


def homes_in(package: str) -> dict[str, str]:
    """Names and modules of the estimators in a part of this package, for names that are loaded on first use."""
    return {entry.name: entry.home for entry in SHIPPED if entry.home.startswith(f"{package}.")}


def of_parents(kind: type) -> Entry | None:
    """The record of a class, or of the nearest of its parents that has one."""
    for parent in kind.__mro__:
        for entry in entries():
            by_name = entry.estimator is None and (entry.home, entry.name) == (parent.__module__, parent.__name__)
            if entry.estimator is parent or by_name:
                return entry
    return None


def check_values(entry: Entry) -> None:
    """Raise an error where a field has an unknown value."""
    if not isinstance(entry, Entry):
        raise TypeError(f"register takes an Entry; got {type(entry).__name__}. Make one by Entry.of(YourClass).")
    for name, hint in get_type_hints(Entry).items():
        parts = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
        choices = [value for part in parts if get_origin(part) is Literal for value in get_args(part)]
        choices += [None] if choices and type(None) in parts else []
        if choices and getattr(entry, name) not in choices:
            raise ValueError(f"{name} of {entry.name} must be one of {choices}; got {getattr(entry, name)!r}.")
    for name, known in (("measures", WITH_LABELS), ("measures_without_labels", WITHOUT_LABELS)):
        for measure in getattr(entry, name):
            if measure not in known:
                near = did_you_mean(measure, known)
                raise ValueError(f"{name} of {entry.name} must be some of {known}; got {measure!r}.{near}")

"""What docs/stability.md promises: public names stay, all of them are told in the reference, and old files are read."""

import importlib
import inspect
import re

import pytest
from public_names import RECORD, lines, listed, methods, parameters
from robustness.public import public_callables

import wideangle
from wideangle import persistence
from wideangle.catalogue import SHIPPED

LISTED = list(listed())
# Public by the lists of their packages, for other rooms of this package.
FOR_OTHER_ROOMS = {
    "wideangle.catalogue.check_values",
    "wideangle.catalogue.commands",
    "wideangle.catalogue.homes_in",
    "wideangle.documents.class_names",
    "wideangle.experiments.tasks.answers_of",
    "wideangle.experiments.tasks.task_of",
    "wideangle.experiments.tasks.unasked_by",
    "wideangle.regularizer.selected_layers",
    "wideangle.searching.shown_from",
    "wideangle.titles.title_of",
}


def of(module, name):
    return getattr(importlib.import_module(module), name)


def test_the_public_names_are_those_that_were_recorded():
    recorded, now = RECORD.read_text(encoding="utf-8").splitlines(), lines()
    gone, new = sorted(set(recorded) - set(now)), sorted(set(now) - set(recorded))
    assert not gone + new, (
        "what is public has changed. docs/stability.md says how something that was released is deprecated first. "
        "Then write the record anew: python tests/public_names.py"
    )


def test_each_public_name_is_in_the_reference():
    told = {id(of(*each)) for each in LISTED}
    public = public_callables() | {f"{entry.home}.{entry.name}": entry.load() for entry in SHIPPED}
    errors = {f"wideangle.exceptions.{name}": what for name, what in vars(wideangle.exceptions).items()}
    public |= {name: what for name, what in errors.items() if inspect.isclass(what)}
    assert {name for name, what in public.items() if id(what) not in told} == FOR_OTHER_ROOMS


def test_the_reference_lists_each_name_once():
    assert len({id(of(*each)) for each in LISTED}) == len(LISTED)


@pytest.mark.parametrize(("module", "name"), LISTED)
def test_each_public_name_says_what_it_is(module, name):
    what = of(module, name)
    assert inspect.getdoc(what)
    if inspect.isclass(what) and module.startswith("wideangle"):
        for method in methods(what):
            assert inspect.getdoc(getattr(what, method.partition("(")[0])), f"{name}.{method} has no docstring"


@pytest.mark.parametrize(
    "changed",
    [
        lambda X, k=10, *, gamma=1.0: None,  # renamed
        lambda X, y=None: None,  # gone
        lambda X, y, *, gamma=1.0: None,  # no longer optional
        lambda X, *, y=None, gamma=1.0: None,  # no longer by position
        lambda y=None, X=None, *, gamma=1.0: None,  # in another order
    ],
)
def test_a_change_that_breaks_a_call_is_seen(changed):
    def promised(X, y=None, *, gamma=1.0):
        pass

    assert parameters(promised) == "(X, y=, *, gamma=)"
    assert parameters(changed) != parameters(promised)


def test_a_new_default_is_no_change_of_the_record():
    assert parameters(lambda X, y=1: None) == parameters(lambda X, y=2: None)


def test_each_older_format_of_model_files_is_brought_up_to_date():
    assert sorted(persistence.UPGRADES) == list(range(1, persistence.FORMAT))


# `fit` takes y and `checkpoint` in all estimators, and their own pages tell of them.
TOLD_ELSEWHERE = {"y", "checkpoint"}
NOT_TOLD = {
    "MLPRegressor": "it tells of those that differ, and names the classifier for the others",
    "read": "the seed is told with `hold_out`",
    "count_words": "the source that texts were read from is passed by the reading room alone",
}


def told_parameters(what):
    """The names under "Parameters" in a docstring; None where it has no such part."""
    found = re.search(
        r"^Parameters\n-+\n(.*?)(?=^\w[\w ]*\n-+\n|\Z)", inspect.getdoc(what) or "", re.DOTALL | re.MULTILINE
    )
    if found is None:
        return None
    rows = re.findall(r"^(\*{0,2}\w+(?:, \w+)*)(?= ?:|$)", found[1], re.MULTILINE)
    return {name.strip("*") for row in rows for name in row.split(", ")}


def functions_of(module, name):
    """A public name, and the methods of ours where it is a class."""
    what = of(module, name)
    yield name, what
    if inspect.isclass(what):
        for method in methods(what):
            if inspect.isfunction(member := getattr(what, method.partition("(")[0])):
                yield f"{name}.{member.__name__}", member


@pytest.mark.parametrize(("module", "name"), LISTED)
def test_parameters_that_are_told_are_those_that_there_are(module, name):
    for label, what in functions_of(module, name):
        told = told_parameters(what)
        if told is None or label in NOT_TOLD:
            continue
        have = set(inspect.signature(what).parameters) - {"self"}
        assert told <= have, f"{label} tells of {told - have}"
        assert not have - told - TOLD_ELSEWHERE, f"{label} does not tell of {have - told}"


def test_each_exception_is_still_needed():
    found = {label: what for each in LISTED for label, what in functions_of(*each) if label in NOT_TOLD}
    for label, what in found.items():
        assert told_parameters(what) != set(inspect.signature(what).parameters) - {"self"}, label
    assert set(found) == set(NOT_TOLD)

"""All that is public is given odd values: a new function, method or argument that is not is reported."""

import inspect

import pytest
from robustness.estimator_cases import ALL_CALLS, calls_of, good_arguments, methods_of, parameters_of
from robustness.function_cases import CASES
from robustness.good_arguments import GOOD, NOT_CALLED
from robustness.judging import judged
from robustness.parameter_cases import ALL_PARAMETERS
from robustness.public import public_callables

from wideangle.catalogue import entries

# Objects that users do not make themselves, functions of the user, and what tests of its own try.
NOT_REPLACED = {
    "wideangle.distributed.Checkpoints": {"about"},
    "wideangle.functional.value_and_gradient": {"by_rows"},
    "wideangle.reading.read_new": {"tally"},
    "wideangle.reading.read_new_parts": {"tally"},
    "wideangle.report.explore": {"served"},
    "wideangle.searching.rank_documents": {"index"},
    "wideangle.topics.find_topics": {"like", "halves", "sureness"},
    "wideangle.tuning.cross_validate": {"journal"},
}
# Their only good value is one that a test cannot have: data that is fetched, a name that nobody registered, a finish.
WITHOUT_GOOD_VALUES = {
    "BagOfWords.learn_distance",
    "BernoulliRBM.learn_distance",
    "GaussianRBM.learn_distance",
    "TfIdf.learn_distance",
    "wideangle.catalogue.register",
    "wideangle.catalogue.unregister",
    "wideangle.data.load",
    "wideangle.data.read_reuters",
}


def test_each_public_function_has_good_arguments_or_a_reason():
    public = set(public_callables())
    assert public - set(GOOD) - set(NOT_CALLED) == set()
    assert set(GOOD) - public == set(), "no longer public"


@pytest.mark.parametrize("name", sorted(GOOD))
def test_each_argument_of_a_function_has_a_good_value(name):
    missing = set(parameters_of(public_callables()[name])) - set(GOOD[name]) - NOT_REPLACED.get(name, set())
    assert not missing


@pytest.mark.parametrize("name", [entry.name for entry in entries()])
def test_each_argument_of_a_method_has_a_good_value(name):
    kind = next(entry for entry in entries() if entry.name == name).load()
    for method, function in methods_of(kind):
        missing = set(parameters_of(function)) - set(good_arguments(name, method))
        assert not missing, f"{name}.{method}"
    assert {call.method for call in calls_of(name)} == {method for method, _ in methods_of(kind)}


@pytest.mark.parametrize("case", ALL_PARAMETERS, ids=str)
def test_each_parameter_of_a_constructor_is_replaced(case):
    kind = next(entry for entry in entries() if entry.name == case.estimator).load()
    assert {name for name, _ in case.arguments} == set(inspect.signature(kind).parameters)


@pytest.mark.quick_cases(8)
@pytest.mark.parametrize("case", [*CASES, *ALL_CALLS], ids=str)
def test_good_arguments_are_good(case, tmp_path):
    """Where they were refused, no odd value would be looked at."""
    verdict = judged(lambda: case.on({}, tmp_path), name=str(case))
    assert verdict.kind == ("refused" if str(case) in WITHOUT_GOOD_VALUES else "result"), verdict.reason

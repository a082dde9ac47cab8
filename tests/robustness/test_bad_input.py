"""Odd input gives a documented result or our ValueError or TypeError, and is left as it was."""

import copy

import numpy as np
import pytest
import scipy.sparse as sp
from robustness.campaign import run_group
from robustness.comparing import equal
from robustness.estimator_cases import ALL_CALLS
from robustness.function_cases import CASES
from robustness.groups import groups
from robustness.judging import judged
from robustness.odd_values import THINGS, WRAPPERS, Odd, wrapped
from robustness.parameter_cases import ALL_PARAMETERS
from robustness.trying import Trial, trials

EXAMPLES = 10  # per argument in the slow tests


@pytest.mark.quick_cases(14)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_few_odd_values_of_each_argument_of_a_function(case, tmp_path, monkeypatch):
    _check(case, tmp_path, monkeypatch)


@pytest.mark.quick_cases(8)
@pytest.mark.parametrize("case", [*ALL_CALLS, *ALL_PARAMETERS], ids=str)
def test_a_few_odd_values_of_each_argument_of_an_estimator(case, tmp_path, monkeypatch):
    _check(case, tmp_path, monkeypatch)


def _check(case, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # A text may be taken for the name of a file.
    faults = [
        f"{trial}: {verdict.reason}" for trial in trials(case, 2) if (verdict := trial.judged(tmp_path)).kind == "fault"
    ]
    assert not faults, "\n".join(faults)


@pytest.mark.slow
@pytest.mark.parametrize("group", groups())
def test_many_odd_values_in_a_process_with_limits(group):
    result = run_group(group, EXAMPLES)
    assert not result.kinds["fault"], "\n".join(result.lines_of_faults())
    assert result.kinds["refused"]


class Careless:
    """A callable that does what callables of ours must not do."""

    arguments = ()
    work = frozenset()

    def __init__(self, does):
        self.does = does

    def prepare(self):
        """There is nothing to make ready."""

    def on(self, replaced, folder):
        return self.does(replaced["value"])


def _overwrites(array):
    array[0] = 7
    return


@pytest.mark.parametrize(
    ("does", "value", "told"),
    [
        (lambda value: value.nothing, 3, "AttributeError"),
        (lambda value: value + 1, "text", "foreign TypeError"),
        (lambda value: np.log(value), np.zeros(2), "RuntimeWarning"),
        (lambda value: value * np.nan, np.ones(2), "NaN or infinity"),
        (_overwrites, np.ones(2), "changes what it was given"),
    ],
)
def test_each_kind_of_fault_is_told(does, value, told, tmp_path):
    odd = Odd("odd", lambda: copy.deepcopy(value))
    verdict = Trial(Careless(does), "value", odd).judged(tmp_path)
    assert verdict.kind == "fault"
    assert told in verdict.reason


def test_a_call_that_takes_too_long_is_told():
    assert "more than 0.2 seconds" in judged(lambda: [None for _ in iter(int, 1)], seconds=0.2).reason


@pytest.mark.parametrize("name", sorted(WRAPPERS))
def test_a_value_equals_itself_made_anew(name):
    def make():
        return wrapped(name, np.arange(6.0).reshape(2, 3))

    assert equal(make(), make())


@pytest.mark.parametrize("name", sorted(THINGS))
def test_a_thing_equals_itself_made_anew(name):
    assert equal(THINGS[name](), THINGS[name]())


def test_another_order_of_the_same_entries_is_a_change():
    one = sp.csr_array(np.ones((1, 2)))
    other = one.copy()
    other.indices[:] = [1, 0]
    assert not equal(one, other)

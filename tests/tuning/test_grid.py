"""What is tried where nothing is said."""

import numpy as np
import pytest
from tuning_cases import COUNTS, KINDS, TOPICS, WINE, quick

from wideangle._own_settings import own_components, with_setting
from wideangle.catalogue import entries
from wideangle.models import DistanceLearner, MLPClassifier, MLPRegressor
from wideangle.models._parameters import diversity_of
from wideangle.tuning import cross_validate
from wideangle.tuning.grid import diversities


@pytest.mark.parametrize("entry", [entry for entry in entries() if entry.grid], ids=lambda entry: entry.name)
def test_default_grids_have_zero_and_the_estimators_own_weight(entry):
    kind = entry.load()
    assert {0.0, diversity_of(kind())} <= set(diversities(kind(), None))
    assert 0.017 in diversities(kind(diversity=0.017), None)
    assert 4 <= len(diversities(kind(), None)) <= 5
    if "surrogate" in kind().get_params():
        volume = diversities(kind(surrogate="volume", diversity=0.0), None)
        assert max(volume) == pytest.approx(max(entry.grid) / 100)


@pytest.mark.parametrize("entry", [entry for entry in entries() if entry.size is None], ids=lambda entry: entry.name)
def test_where_each_column_is_a_component_there_is_no_number_to_try(entry):
    found = cross_validate(entry.load()(), COUNTS, TOPICS)
    assert [trial.n_components for trial in found.trials] == [COUNTS.shape[1]]
    with pytest.raises(ValueError, match=f"{entry.name} has no number of components to try"):
        cross_validate(entry.load()(), COUNTS, TOPICS, n_components=[2])


def test_the_own_number_of_components_is_the_default():
    assert cross_validate(quick, COUNTS, TOPICS, diversity=[0]).best.n_components == 4
    free = DistanceLearner(max_updates=5)
    assert cross_validate(free, WINE, KINDS, diversity=[0]).best.n_components == WINE.shape[1]


def test_a_distance_of_many_columns_has_as_many_components_as_its_fit():
    X, y = np.random.default_rng(0).random((30, 130)), np.arange(30) % 2
    fitted = DistanceLearner(max_updates=2, n_similar=20, n_dissimilar=20).fit(X, y)
    assert own_components(DistanceLearner(), 130) == len(fitted.components_) < 130


def test_widths_of_a_network_keep_their_proportion():
    network = MLPClassifier((200, 100))
    assert with_setting(network, 50, 0.0).hidden_layer_sizes == (50, 25)
    assert with_setting(network, 200, 0.0).hidden_layer_sizes == (200, 100)
    assert with_setting(network, 1, 0.0).hidden_layer_sizes == (1, 1)
    assert with_setting(MLPRegressor(30), 7, 0.0).hidden_layer_sizes == (7,)

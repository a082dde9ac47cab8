"""What each test row was answered is kept with a fit, and gives the measure again."""

import json
from dataclasses import replace
from importlib import import_module

import fake_fits
import numpy as np
import pytest

from wideangle.data import Corpus
from wideangle.evaluation import knn_accuracy, knn_correct
from wideangle.experiments.jobs import Job
from wideangle.experiments.runner import run_job
from wideangle.experiments.tasks import answers_of, task_of
from wideangle.experiments.tasks._answers import packed, unpacked


@pytest.mark.parametrize("numbers", [[], [0], [3, 0, 255, 7], [3, 0, 256, 65535], [True, False, True]])
def test_packed_numbers_come_back_from_json(numbers):
    found = unpacked(json.loads(json.dumps(packed(numbers))))
    assert found.tolist() == [float(each) for each in numbers]


@pytest.mark.parametrize("numbers", [[-1], [65536], [0.5]])
def test_what_is_no_small_whole_number_is_refused(numbers):
    with pytest.raises(ValueError, match="whole numbers from 0 to 65535"):
        packed(numbers)


def test_hits_of_thousands_of_queries_take_a_few_kilobytes():
    hits = np.random.default_rng(0).binomial(100, 0.6, size=7500)
    assert len(json.dumps(packed(hits))) < 8000


@pytest.fixture
def long_tailed(tmp_path, monkeypatch):
    """A small corpus as "docstrings", with classes of different sizes, of which one has no query."""
    path = fake_fits.write_small_corpus(tmp_path / "small.npz")
    corpus = Corpus.open(path)
    labels = np.repeat([4, 1, 5, 2, 3, 0], [6, 5, 3, 3, 2, 1])[np.arange(len(corpus)) % 20]
    labels[~corpus.is_train & (labels == 0)] = 4
    labels[np.flatnonzero(~corpus.is_train & (labels == 2))[1:]] = (
        4  # The rarer classes have unlike numbers of queries.
    )
    replace(corpus, labels=labels, label_names=None).save(path)
    monkeypatch.setenv("WIDEANGLE_DOCSTRINGS", str(path))
    split = import_module("wideangle.experiments.tasks.documents").split
    split.cache_clear()
    yield
    split.cache_clear()


@pytest.mark.usefixtures("long_tailed")
def test_documents_keep_the_hits_of_each_query():
    record = json.loads(json.dumps(run_job(Job("documents", "docstrings", "LSI", {"n_components": 3}))))
    assert "failed" not in record, record["failed"]
    asked = [each for each in record["details"]["queries of classes"] if each]
    assert len(asked) == len(record["details"]["classes"]) - 1
    assert len(set(asked[-record["details"]["rarer classes"] :])) > 1
    for measure in ("precision", "rarer half"):
        answers = answers_of(record, measure)
        assert len(answers.values) == sum(record["details"]["queries of classes"])
        assert np.average(answers.values, weights=answers.weights) == pytest.approx(record["measures"][measure])
    assert answers_of(record, "clustering") is None
    del record["details"]["hits"]  # as older records
    assert answers_of(record, "precision") is None


@pytest.mark.usefixtures("long_tailed")
def test_folds_keep_no_answers():
    record = run_job(Job("documents", "docstrings", "LSI", {"n_components": 3}, fold=0))
    assert answers_of(record, "precision") is None


@pytest.mark.parametrize(
    ("task", "data", "estimator", "settings", "measure"),
    [
        ("distances", "15scenes", "DistanceLearner", {"n_components": 2, "max_updates": 2}, "3-NN"),
        ("networks", "phoneme", "MLPClassifier", {"hidden_layer_sizes": 3, "max_updates": 2}, "accuracy"),
    ],
)
def test_rows_of_other_tasks_keep_whether_they_were_right(monkeypatch, task, data, estimator, settings, measure):
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3
    X = (rng.normal(size=(60, 4)) + y[:, None]).astype(np.float32)
    module = task_of(task)
    monkeypatch.setattr(module, "split", lambda *given: (X[:40], y[:40], X[40:], y[40:], None))
    if task == "distances":
        monkeypatch.setattr(module, "n_test_pairs", lambda name: 50)
    record = run_job(Job(task, data, estimator, settings))
    assert "failed" not in record, record["failed"]
    answers = answers_of(record, measure)
    assert set(answers.values) <= {0.0, 1.0}
    assert len(answers.values) == 20
    assert answers.values.mean() == pytest.approx(record["measures"][measure])
    assert answers_of(record, "mean angle") is None


def test_which_rows_are_right_by_their_neighbours():
    train, labels = [[0.0], [1.0], [2.0], [9.0]], ["a", "a", "b", "b"]
    right = knn_correct(train, labels, [[0.4], [8.0], [0.5]], ["a", "a", "b"], 1)
    assert right.tolist() == [True, False, False]
    assert knn_accuracy(train, labels, [[0.4], [8.0], [0.5]], ["a", "a", "b"], 1) == pytest.approx(1 / 3)

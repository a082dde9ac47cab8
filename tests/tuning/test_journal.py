"""A cross-validation that was interrupted goes on with the fits that are missing, and finds the same."""

import json

import pytest

from wideangle.data import synthetic_corpus
from wideangle.exceptions import CheckpointError, DataError
from wideangle.models import ReplicatedSoftmax
from wideangle.tuning import cross_validate, validation

COUNTS = synthetic_corpus(90, 4, 50).corpus.counts
GRID = {"diversity": [0.0, 0.3], "folds": 2}


def model(**others):
    return ReplicatedSoftmax(3, max_updates=20, **others)


def validated(monkeypatch, journal, stop_after=None, **asked):
    """The result, and how many fits were made; or None where it was interrupted after so many."""
    made, run_fits = [], validation.run_fits

    def counted(*args, **named):
        for done in run_fits(*args, **named):
            if len(made) == stop_after:
                raise KeyboardInterrupt
            made.append(done)
            yield done

    with monkeypatch.context() as patch:
        patch.setattr(validation, "run_fits", counted)
        try:
            return cross_validate(model(), COUNTS, **GRID | asked, journal=journal), len(made)
        except KeyboardInterrupt:
            return None, len(made)


@pytest.mark.parametrize("stopped_after", [0, 1, 3])
def test_it_goes_on_with_the_fits_that_are_missing(tmp_path, monkeypatch, stopped_after):
    whole, n_fits = validated(monkeypatch, None)
    assert n_fits == 4
    journal = tmp_path / "journal.jsonl"
    assert validated(monkeypatch, journal, stopped_after) == (None, stopped_after)
    tuning, made = validated(monkeypatch, journal)
    assert made == 4 - stopped_after
    assert (tuning.trials, tuning.best, tuning.reason) == (whole.trials, whole.best, whole.reason)
    again, made = validated(monkeypatch, journal)
    assert made == 0
    assert again.trials == whole.trials


def test_a_line_that_was_cut_off_is_done_again(tmp_path, monkeypatch):
    journal = tmp_path / "journal.jsonl"
    validated(monkeypatch, journal, 2)
    journal.write_bytes(journal.read_bytes()[:-9])
    tuning, made = validated(monkeypatch, journal)
    assert made == 3
    assert tuning.trials == validated(monkeypatch, None)[0].trials
    assert all(json.loads(line) for line in journal.read_text().splitlines())


@pytest.mark.parametrize(
    ("asked", "said"),
    [({"folds": 3}, "folds was 2, and is 3"), ({"seed": 5}, "seed was 0, and is 5")],
)
def test_a_journal_of_another_cross_validation_is_refused(tmp_path, monkeypatch, asked, said):
    journal = tmp_path / "journal.jsonl"
    validated(monkeypatch, journal, 1)
    before = journal.read_bytes()
    with pytest.raises(CheckpointError, match=said):
        validated(monkeypatch, journal, **asked)
    with pytest.raises(CheckpointError, match="content of X was"):
        cross_validate(model(), COUNTS * 2, **GRID, journal=journal)
    with pytest.raises(CheckpointError, match="weighting .*None.*'tf-idf'"):
        cross_validate(model(weighting="tf-idf"), COUNTS, **GRID, journal=journal)
    assert journal.read_bytes() == before


def test_what_is_no_journal_is_refused_and_left_as_it_is(tmp_path, monkeypatch):
    journal = tmp_path / "notes.txt"
    journal.write_text("my notes\nof years\n")
    with pytest.raises(DataError, match=r"notes\.txt, line 1\b"):
        validated(monkeypatch, journal)
    assert journal.read_text() == "my notes\nof years\n"

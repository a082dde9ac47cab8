"""The containers: what they refuse, how they split, what survives saving."""

import numpy as np
import pytest
import scipy.sparse as sp

from wideangle.data import Corpus, Dataset
from wideangle.exceptions import DataError


def corpus(**changes):
    arguments = {
        "counts": sp.csr_array(np.array([[1, 0, 2], [0, 0, 0], [3, 1, 0], [0, 0, 1]])),
        "vocabulary": np.array(["ant", "bee", "cat"]),
        "labels": np.array([0, 1, 1, 0]),
        "label_names": np.array(["x", "y"]),
        "is_train": np.array([True, True, False, True]),
        "texts": np.array(["ant cat cat", "", "a longer téxt with ünïcode", "cat"], dtype=object),
        "names": np.array(["first", "empty", "dritte Straße", ""], dtype=object),
    }
    return Corpus(**(arguments | changes))


def test_sizes_and_split():
    made = corpus()
    assert len(made) == 4
    assert made.lengths.tolist() == [3, 0, 4, 1]
    assert made.class_sizes().tolist() == [2, 2]
    assert made.train.counts.toarray().tolist() == [[1, 0, 2], [0, 0, 0], [0, 0, 1]]
    assert made.test.labels.tolist() == [1]
    assert made.test.texts.tolist() == ["a longer téxt with ünïcode"]
    assert made.test.names.tolist() == ["dritte Straße"]
    assert made.subset([3, 0]).labels.tolist() == [0, 0]
    assert made.subset([3, 0]).vocabulary is made.vocabulary


def test_random_split_is_reproducible_and_named():
    made = corpus(is_train=None)
    with pytest.raises(DataError, match="no split.*split_randomly"):
        _ = made.train
    first, again, other = (made.split_randomly(0.5, seed) for seed in (1, 1, 2))
    assert first.is_train.tolist() == again.is_train.tolist() != other.is_train.tolist()
    assert first.is_train.sum() == 2
    assert first.source == "random 50% split, seed 1"


@pytest.mark.parametrize("kind", [sp.csr_matrix, sp.csr_array, sp.coo_array, np.asarray])
@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.float32, np.uint16])
def test_any_whole_numbers_become_int32_csr(kind, dtype):
    made = corpus(counts=kind(np.array([[1, 0, 2], [0, 0, 0], [3, 1, 0], [0, 0, 1]], dtype=dtype)))
    assert isinstance(made.counts, sp.csr_array)
    assert made.counts.dtype == np.int32
    assert made.counts.indices.dtype == np.int32


def test_duplicate_entries_are_summed_and_the_callers_arrays_left_alone():
    data, indices, indptr = np.array([1, 1, 0], dtype=np.int32), np.array([2, 2, 0], dtype=np.int32), np.array([0, 3])
    made = Corpus(counts=sp.csr_array((data, indices, indptr), shape=(1, 3)))
    assert made.counts.toarray().tolist() == [[0, 0, 2]]
    assert made.counts.nnz == 1
    assert data.tolist() == [1, 1, 0]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"counts": np.array([[0.5, 0, 0]])}, "whole numbers.*tf-idf"),
        ({"counts": np.array([[np.nan, 0, 0]])}, "whole numbers"),
        ({"counts": np.array([[np.inf, 0, 0]])}, "between 0"),
        ({"counts": np.array([[-1, 0, 0]])}, "between 0.*-1"),
        ({"vocabulary": np.array(["a"])}, "3 columns but 1 words"),
        ({"labels": np.array([0, 1])}, "4 rows but 2 labels"),
        ({"labels": np.array([0, 1, 2, 0])}, "label 2 has no name"),
        ({"labels": np.array([0, -2, 1, 0])}, "from 0, or are -1 for none; got -2"),
        ({"is_train": np.array([True])}, "4 rows but 1 is_train"),
    ],
)
def test_what_does_not_fit_is_refused(changes, message):
    with pytest.raises(DataError, match=message):
        corpus(**changes)


def test_saved_and_opened_again(tmp_path):
    made = corpus()
    made.save(tmp_path / "c.npz")
    back = Corpus.open(tmp_path / "c.npz")
    assert (back.counts != made.counts).nnz == 0
    for name in ("vocabulary", "labels", "label_names", "is_train", "texts", "names"):
        assert getattr(back, name).tolist() == getattr(made, name).tolist()
    assert [p.name for p in tmp_path.iterdir()] == ["c.npz"]


def test_a_file_from_before_there_were_names(tmp_path):
    made = corpus(names=None)
    made.save(tmp_path / "c.npz")
    back = Corpus.open(tmp_path / "c.npz")
    assert back.names is None
    assert back.texts.tolist() == made.texts.tolist()


def test_damaged_files_are_refused(tmp_path):
    path = tmp_path / "c.npz"
    corpus().save(path)
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(DataError, match="damaged"):
        Corpus.open(path)
    np.savez(path, data=np.ones(3))
    with pytest.raises(DataError, match="indices, indptr, shape"):
        Corpus.open(path)
    with pytest.raises(FileNotFoundError):
        Corpus.open(tmp_path / "nowhere.npz")


def test_pickles_are_never_loaded(tmp_path):
    np.savez(tmp_path / "evil.npz", data=np.array([{}], dtype=object), indices=[0], indptr=[0, 1], shape=[1, 1])
    with pytest.raises((DataError, ValueError), match="holds an array of objects"):
        Corpus.open(tmp_path / "evil.npz")


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.zeros(3), "shape"),
        (np.array([[np.nan]]), "NaN"),
        (np.array([["a"]]), "numbers"),
        (np.zeros((2, 3)), "3 columns but 1 feature_names"),
    ],
)
def test_bad_features_are_refused(X, message):
    with pytest.raises(DataError, match=message):
        Dataset(X=X, feature_names=np.array(["only"]))


def test_every_row_of_a_part_keeps_its_label_and_its_group():
    rows, numbers = np.arange(6, dtype=float)[:, None], np.arange(6)
    data = Dataset(X=rows, labels=numbers, is_train=numbers % 2 == 0, groups=10 * numbers)
    for part, chosen in ((data.train, [0, 2, 4]), (data.test, [1, 3, 5]), (data.subset([4, 1]), [4, 1])):
        assert part.X[:, 0].tolist() == chosen
        assert part.labels.tolist() == chosen
        assert part.groups.tolist() == [10 * number for number in chosen]


def test_printed_on_one_line():
    one = Corpus(counts=sp.csr_array(np.array([[1, 0]])), labels=np.array([0]))
    assert str(one) == "Corpus(1 document, 2 words, 1 class)"
    assert repr(Dataset(X=np.eye(3))) == "Dataset(3 rows, 3 features)"
    assert len(repr(corpus())) < 80

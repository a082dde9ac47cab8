"""Labels of .npz files: the class of each row has its own name, also where some classes have no row."""

import numpy as np
import pytest
import scipy.sparse as sp

from wideangle.data import Corpus
from wideangle.exceptions import DataError
from wideangle.reading import read

X = np.arange(12.0).reshape(4, 3)


def classes(path, **arrays):
    np.savez(path / "x.npz", X=X, **arrays)
    return read(path / "x.npz").classes.tolist()


def test_a_class_without_rows_leaves_the_names_of_the_others(tmp_path):
    names = np.array(["corn", "wheat", "oil", "gold"])
    assert classes(tmp_path, y=np.array([3, 0, 3, 2]), label_names=names) == ["gold", "corn", "gold", "oil"]


@pytest.mark.parametrize(
    "labels", [np.array([7, 3, 7, 3]), np.array([-1, 5, 0, 5]), np.array(["b", "a", "b", "z"])], ids=str
)
def test_labels_without_names_are_their_own(labels, tmp_path):
    assert classes(tmp_path, y=labels) == labels.astype(str).tolist()
    assert classes(tmp_path, labels=labels) == labels.astype(str).tolist()


@pytest.mark.parametrize("label", [2, -2])
def test_a_label_beyond_the_names_is_an_error(label, tmp_path):
    with pytest.raises(DataError, match="2 label_names"):
        classes(tmp_path, y=np.array([0, 1, label, 0]), label_names=np.array(["a", "b"]))


@pytest.mark.parametrize("names", [None, np.array(["corn", "wheat", "oil", "gold", "tin"])])
def test_a_corpus_whose_labels_have_gaps(names, tmp_path):
    labels = np.array([4, 1, 4, 3])
    Corpus(counts=sp.csr_array(X), labels=labels, label_names=names).save(tmp_path / "c.npz")
    expected = labels.astype(str) if names is None else names[labels]
    assert read(tmp_path / "c.npz").classes.tolist() == expected.tolist()

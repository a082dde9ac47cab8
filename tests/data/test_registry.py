"""Named data sets: the real ones where they are, clear messages where not."""

from urllib.error import URLError

import numpy as np
import pytest
import scipy.sparse as sp

from wideangle.data import Corpus, Dataset, load, names
from wideangle.data.registry import ordered_dataset
from wideangle.exceptions import DataError

REAL = {
    "20news": (18846, 5000, 20, 11314),
    "reuters": (7195, 5000, 9, 5158),
    "tdt2": (9394, 5000, 30, 6576),
    "15scenes": (4485, 1000, 15, 3140),
    "6activities": (10299, 265, 6, 7352),
    "phoneme": (4509, 256, 5, 3340),
    "mnist": (70000, 784, 10, 60000),
}


@pytest.mark.parametrize(("name", "sizes"), REAL.items(), ids=REAL.keys())
def test_real_data(name, sizes, data_folder):
    n, d, classes, n_train = sizes
    data = load(name)
    rows = data.counts if isinstance(data, Corpus) else data.X
    assert rows.shape == (n, d)
    assert (data.class_sizes() > 0).sum() == classes
    assert data.is_train.sum() == n_train
    assert len(data.train) + len(data.test) == n
    assert len(data.checksum) == 64


def test_reuters_has_the_papers_class_sizes(data_folder):
    sizes = load("reuters").class_sizes()
    assert sorted(sizes, reverse=True) == [3713, 2055, 321, 298, 245, 197, 142, 114, 110]


def test_20news_keeps_its_empty_documents(data_folder):
    assert (load("20news").lengths == 0).sum() == 7


def test_tdt2_split_depends_on_the_seed_and_says_so(data_folder):
    one, other = load("tdt2", seed=1), load("tdt2", seed=2)
    assert (one.is_train != other.is_train).any()
    assert "seed 1" in one.source
    frequency = np.bincount(one.counts.indices, minlength=5000)
    assert frequency.min() >= 1


def test_names():
    assert set(names()) == set(REAL)


def test_unknown_name_lists_the_known():
    with pytest.raises(DataError, match="'20news', 'reuters'"):
        load("21news")


@pytest.mark.parametrize("name", REAL)
def test_absent_data_says_where_it_was_looked_for_and_how_to_get_it(name, empty_cache):
    with pytest.raises(DataError, match=f"is not in {empty_cache}.*(Get|Call)"):
        load(name, fetch=False)


def test_no_network_says_so_and_how_else_to_get_it(empty_cache, monkeypatch):
    def no_network(*args, **kwargs):
        raise URLError("Name or service not known")

    monkeypatch.setattr("sklearn.datasets.fetch_openml", no_network)
    with pytest.raises(
        DataError, match=f"'mnist' is not in {empty_cache} and could not be fetched.*not known.*Get|Call"
    ):
        load("mnist")


def test_what_cannot_be_fetched_says_so_even_when_allowed(empty_cache):
    with pytest.raises(DataError, match="SGML"):
        load("reuters")


def test_wrong_folder_is_named(monkeypatch, empty_cache):
    monkeypatch.setenv("WIDEANGLE_DATA", "/no/such/folder")
    with pytest.raises(DataError, match="WIDEANGLE_DATA.*/no/such"):
        load("reuters")


def small_corpus():
    return Corpus(
        counts=sp.csr_array(np.eye(3, dtype=int)), labels=np.array([0, 1, 1]), is_train=np.array([1, 1, 0]) > 0
    )


def test_checksum_of_a_prepared_file_is_verified(empty_cache):
    empty_cache.mkdir(parents=True)
    small_corpus().save(empty_cache / "reuters_top9_counts.npz")
    with pytest.raises(DataError, match="SHA-256.*verify=False"):
        load("reuters")
    assert len(load("reuters", verify=False)) == 3


def test_the_folder_comes_before_the_cache(empty_cache, monkeypatch, tmp_path):
    for folder, n in ((empty_cache, 3), (tmp_path / "mine", 2)):
        folder.mkdir(parents=True)
        small_corpus().subset(range(n)).save(folder / "reuters_top9_counts.npz")
    assert len(load("reuters", verify=False)) == 3
    monkeypatch.setenv("WIDEANGLE_DATA", str(tmp_path / "mine"))
    assert len(load("reuters", verify=False)) == 2


def test_fetched_data_is_read_from_the_cache_the_next_time(empty_cache):
    from wideangle.data.registry import _write

    made = ordered_dataset(np.arange(12.0).reshape(6, 2), np.arange(6) % 2, np.array(["a", "b"]), 4, "har")
    _write(made, empty_cache / "fetched-har_265.npz")
    back = load("6activities")
    assert isinstance(back, Dataset)
    assert np.array_equal(back.X, made.X)
    assert back.is_train.tolist() == [True] * 4 + [False] * 2


def test_a_copy_that_is_too_small_is_refused():
    with pytest.raises(DataError, match="6 rows, too few for 60000"):
        ordered_dataset(np.zeros((6, 2)), np.zeros(6, dtype=int), np.array(["a"]), 60_000, "mnist_784")

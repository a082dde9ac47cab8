"""Data sets by name: found in a folder, in the cache, or fetched where scikit-learn has them."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, overload

import numpy as np

from wideangle._arguments import checked, flag, text
from wideangle._arguments import seed as a_seed
from wideangle.data.corpus import Corpus, Dataset, open_npz, write_npz
from wideangle.data.locate import VARIABLE, cache_folder, data_folders, find_file, verified
from wideangle.data.text import TOKEN, count_words, newsgroup_text
from wideangle.exceptions import DataError

CorpusName = Literal["20news", "reuters", "tdt2"]
DatasetName = Literal["15scenes", "6activities", "phoneme", "mnist"]


@dataclass(frozen=True)
class _Entry:
    file: str
    sha256: str
    how: str
    """how to get it, for the message"""
    fetch: Callable[[], Corpus | Dataset] | None = None


@overload
def load(name: CorpusName, *, seed: int = 0, fetch: bool = True, verify: bool = True) -> Corpus: ...
@overload
def load(name: DatasetName, *, seed: int = 0, fetch: bool = True, verify: bool = True) -> Dataset: ...
@checked(name=text, seed=a_seed, fetch=flag, verify=flag)
def load(name: str, *, seed: int = 0, fetch: bool = True, verify: bool = True) -> Corpus | Dataset:
    """Load a data set of the paper by name.

    Looks in the folder named by the environment variable WIDEANGLE_DATA, then in the cache (`wideangle` in
    scikit-learn's data home), then fetches it if scikit-learn or OpenML has it, and keeps it in the cache.

    Parameters
    ----------
    name : {"20news", "reuters", "tdt2", "15scenes", "6activities", "phoneme", "mnist"}
        The first three are a `Corpus`, the others a `Dataset`.
    seed : int, default=0
        The seed of the random 70/30 split of "tdt2", which has no official split. It does not change the others.
    fetch : bool, default=True
        Whether to fetch what is not there.
    verify : bool, default=True
        Whether a prepared file must have the checksum that is known here. Fetched files are not compared with it.

    Returns
    -------
    Corpus or Dataset
        Its `source` and `checksum` name the file that was read.
    """
    if name not in _ENTRIES:
        raise DataError(f"there is no data set {name!r}; there are {', '.join(map(repr, _ENTRIES))}.")
    entry = _ENTRIES[name]
    path = find_file(entry.file)
    folders = " or ".join(str(folder) for folder in data_folders())
    if path is not None:
        checksum = verified(path, entry.sha256 if verify else None)
        data = _read(name, path, checksum)
    elif (fetched := cache_folder() / f"fetched-{entry.file}").is_file():
        data = _read(name, fetched, verified(fetched, None))
    elif fetch and entry.fetch is not None:
        try:
            fetched_data = entry.fetch()
        except OSError as error:  # no network, or nobody at its other end
            raise DataError(f"{name!r} is not in {folders} and could not be fetched: {error}. {entry.how}") from error
        _write(fetched_data, fetched)
        data = _read(name, fetched, verified(fetched, None))
    else:
        raise DataError(f"{entry.file} is not in {folders} ({VARIABLE} names the first). {entry.how}")
    return data.split_randomly(0.7, seed) if name == "tdt2" else data


def names() -> tuple[str, ...]:
    """The names `load` knows."""
    return tuple(_ENTRIES)


def _read(name: str, path: Path, checksum: str) -> Corpus | Dataset:
    if name not in ("20news", "reuters", "tdt2"):
        return _read_dataset(path, checksum)
    corpus = Corpus.open(path, checksum)
    if name == "tdt2":  # the file has all words; the paper takes the 5000 of largest document frequency
        with open_npz(path, ("top5000_columns",)) as file:
            columns = np.sort(file["top5000_columns"])
        corpus = replace(corpus, counts=corpus.counts[:, columns])
    return corpus


def _read_dataset(path: Path, checksum: str) -> Dataset:
    with open_npz(path, ("X_train", "y_train", "X_test", "y_test", "class_names")) as file:
        sizes = len(file["y_train"]), len(file["y_test"])
        groups = next((kind for kind in ("subject", "speaker") if f"{kind}_train" in file), None)
        return Dataset(
            X=np.concatenate([file["X_train"], file["X_test"]]),
            labels=np.concatenate([file["y_train"], file["y_test"]]).astype(np.int64),
            label_names=file["class_names"],
            is_train=np.repeat([True, False], sizes),
            feature_names=file.get("feature_names"),
            groups=np.concatenate([file[f"{groups}_train"], file[f"{groups}_test"]]) if groups else None,
            source=path.name,
            checksum=checksum,
        )


def _write(data: Corpus | Dataset, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(data, Corpus):
        data.save(path)
        return
    train, test = data.train, data.test
    arrays = {"X_train": train.X, "y_train": train.labels, "X_test": test.X, "y_test": test.labels}
    write_npz(path, arrays | {"class_names": data.label_names})


def _fetch_20news() -> Corpus:
    from sklearn.datasets import fetch_20newsgroups

    parts = [fetch_20newsgroups(subset=subset, remove=()) for subset in ("train", "test")]
    return newsgroups_corpus([(part.data, part.target, part.target_names) for part in parts])


def newsgroups_corpus(parts: list[tuple[list[str], np.ndarray, list[str]]]) -> Corpus:
    """Raw messages, class numbers and names of the training and the test part, as counts."""
    texts = [newsgroup_text(raw) for messages, _, _ in parts for raw in messages]
    labels = [group_names[number] for _, numbers, group_names in parts for number in numbers]
    is_train = np.repeat([True, False], [len(messages) for messages, _, _ in parts])
    return count_words(
        texts,
        n_words=5000,
        stop_words="english",
        token_pattern=TOKEN,
        labels=labels,
        is_train=is_train,
        source="scikit-learn's 20 Newsgroups, bydate",
    )


def _fetch_mnist() -> Dataset:
    from sklearn.datasets import fetch_openml

    bunch = fetch_openml("mnist_784", version=1, as_frame=False, parser="liac-arff")
    X, labels = bunch.data.astype(np.uint8), bunch.target.astype(np.int64)
    return ordered_dataset(X, labels, np.array([str(digit) for digit in range(10)]), n_train=60_000, source="mnist_784")


def _fetch_har() -> Dataset:
    from sklearn.datasets import fetch_openml

    bunch = fetch_openml("har", version=1, as_frame=False, parser="liac-arff")
    activities = ["walking", "walking upstairs", "walking downstairs", "sitting", "standing", "laying"]
    labels = bunch.target.astype(np.int64) - 1
    return ordered_dataset(bunch.data.astype(np.float32), labels, np.array(activities), n_train=7352, source="har")


def ordered_dataset(X: np.ndarray, labels: np.ndarray, label_names: np.ndarray, n_train: int, source: str) -> Dataset:
    """OpenML's copies keep the official order: the training rows come first."""
    if len(X) <= n_train:
        raise DataError(
            f"{source} has {len(X)} rows, too few for {n_train} training rows; the copy is not the one we know."
        )
    is_train = np.arange(len(X)) < n_train
    return Dataset(X=X, labels=labels, label_names=label_names, is_train=is_train, source=f"OpenML's {source}")


_ENTRIES = {
    "20news": _Entry(
        "20news_bydate_counts.npz",
        "c9f73760029a0f2043f1cba75b2f35e4ef64818ef51d048451c043b57d0653c0",
        "Call load('20news', fetch=True), which has scikit-learn download it.",
        _fetch_20news,
    ),
    "reuters": _Entry(
        "reuters_top9_counts.npz",
        "740284f6b62dff93b282d5f91fd5268038cf85d2289948f6239c1ad5b97a2871",
        "Get Reuters-21578 (for research only) and read its SGML files with wideangle.data.read_reuters(folder).",
    ),
    "tdt2": _Entry(
        "tdt2_counts.npz",
        "b48a775e5661eef88da8ce776cb24c412c10c289abe92dece32dded132cbedf2",
        "Get Deng Cai's TDT2 counts and save them as data, indices, indptr, shape, labels and top5000_columns.",
    ),
    "15scenes": _Entry(
        "scenes15_bow1000.npz",
        "caaf24d44686f97cb0167adcafc9eb9951a275e670bfaa13cba10f4c5a150db1",
        "Get the 15-Scenes images and build their visual words with wideangle.data.scenes.read_scenes(folder).",
    ),
    "6activities": _Entry(
        "har_265.npz",
        "0f7bcbacb0d1589260ec7e24a6057ec682b9be5d19490f88bc485bf0ae2e0b1c",
        "Call load('6activities', fetch=True), which downloads all 561 features from OpenML.",
        _fetch_har,
    ),
    "phoneme": _Entry(
        "phoneme.npz",
        "149a833d0cc7180b18860c17eb8b76ebd1c41e073e47a2b23e6a7ba37adeb7b9",
        "Get phoneme.data of Hastie, Tibshirani and Friedman's book and save its parts as X_train, y_train, X_test, "
        "y_test and class_names, split by speaker.",
    ),
    "mnist": _Entry(
        "mnist.npz",
        "aaec1af72d328ed1642bbe1bc4dba500cad014d2e6ca0c6f9eb363b073eff44a",
        "Call load('mnist', fetch=True), which downloads it from OpenML.",
        _fetch_mnist,
    ),
}

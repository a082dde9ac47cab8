"""Which documents of a file repeat another one: short ones are compared by all their words and numbers."""

import dataclasses

import numpy as np
import pytest
import scipy.sparse as sp

from wideangle.documents import Strings
from wideangle.reading import ReadingOptions, read
from wideangle.reading.repeats import ComparedWords, find_repeats

LONG = "the farmer sold wheat corn barley rye oats and much more grain to a merchant who owned ships in the old harbour"


def written(tmp_path, texts, **options):
    path = tmp_path / "texts.txt"
    path.write_text("".join(f"{text}\n" for text in texts))
    weighting = options.pop("weighting", "counts")
    return read(path, ReadingOptions(**options), weighting=weighting)


@pytest.mark.parametrize("weighting", ["counts", "tf-idf", "presence"])
def test_equal_texts_are_the_same_for_every_model(tmp_path, weighting):
    rows = written(tmp_path, ["late delivery", LONG, "Late  delivery!", "late refund", LONG], weighting=weighting)
    assert find_repeats(rows).tolist() == [0, 1, 0, 3, 1]


def test_none_where_nothing_repeats(tmp_path):
    assert find_repeats(written(tmp_path, ["late delivery", "broken parcel"])) is None


def test_short_texts_that_differ_in_what_the_vocabulary_does_not_know(tmp_path):
    titles = [f"history of the town {name}" for name in ("ulm", "ghent", "york", "ulm")]
    rows = written(tmp_path, [*titles, *(f"history and town {n}" for n in range(8))], n_words=2)
    found = find_repeats(rows)
    assert rows.vocabulary == ["history", "town"]
    assert found[:4].tolist() == [0, 1, 2, 0]
    assert (found[4:] == np.arange(4, 12)).all()  # numbers are no words, but tell these apart


def test_texts_in_letters_that_the_pattern_does_not_know(tmp_path):
    texts = ["война и мир report", "дом и сад report", "война и мир report"]
    assert find_repeats(written(tmp_path, texts)).tolist() == [0, 1, 0]


def test_titles_tell_short_texts_apart(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text(
        "title,text\nUlm,nothing to say here\nGhent,nothing to say here\nUlm,nothing to say here\nYork,else\n"
    )
    rows = read(path, ReadingOptions(title_column="title", text_column="text"))
    assert find_repeats(rows).tolist() == [0, 1, 0, 3]


def test_numbers_and_texts_without_words_repeat_nothing(tmp_path):
    path = tmp_path / "numbers.csv"
    path.write_text("a,b\n1.5,2\n1.5,2\n1.5,2\n")
    assert find_repeats(read(path, weighting="tf-idf")) is None
    assert find_repeats(written(tmp_path, ["wheat corn", "12 34", "12 34"])) is None


def test_counts_without_texts_need_enough_words(tmp_path):
    counts = np.zeros((4, 30), dtype=int)
    counts[:2, :5], counts[2:, 10:25] = 1, 1
    sp.save_npz(tmp_path / "m.npz", sp.csr_matrix(counts))
    assert find_repeats(read(tmp_path / "m.npz")).tolist() == [0, 1, 2, 2]


class OnDisk:
    """Counts that can only be asked for."""

    def __init__(self, counts):
        self._counts = counts
        self.shape, self.nnz = counts.shape, counts.nnz

    def __getitem__(self, rows):
        return self._counts[rows].astype(np.float32)


@pytest.mark.parametrize("entries", [1, 40, 10**6])
@pytest.mark.parametrize("weighting", ["counts", "tf-idf"])
def test_counts_and_texts_on_disk_give_the_same(tmp_path, entries, weighting, monkeypatch):
    rng = np.random.default_rng(0)
    words = [f"word{chr(97 + number // 26)}{chr(97 + number % 26)}" for number in range(60)]
    texts = [" ".join(rng.choice(words, rng.integers(1, 60))) for _ in range(60)]
    texts = [texts[number] for number in [*range(60), *rng.integers(60, size=30)]]
    rows = written(tmp_path, texts, n_words=40, weighting=weighting)
    titles = [str(number) for number in rng.integers(3, size=90)]
    expected = find_repeats(dataclasses.replace(rows, titles=titles))
    monkeypatch.setattr("wideangle.data.count_blocks.ENTRIES", entries)
    lists = dataclasses.replace(rows, X=OnDisk(rows.X), snippets=Strings.of(rows.snippets), titles=Strings.of(titles))
    assert (find_repeats(lists) == expected).all()
    assert 3 < (expected != np.arange(90)).sum() < 30  # titles tell short texts apart


def test_short_documents_have_the_words_of_their_own_beginnings(tmp_path):
    """Counts of a block beside the hashed words of its few-word documents, put together in one piece."""
    from sklearn.feature_extraction.text import HashingVectorizer

    texts = [" ".join(f"{word}{chr(97 + number)}" for word in LONG.split()) for number in range(6)]
    texts = [f"{texts[0]} {texts[1]} {texts[2]}", "late delivery", LONG, f"{texts[3]} {texts[4]} {texts[5]}", "refund"]
    rows = written(tmp_path, texts)
    known = np.diff(rows.X.indptr)
    assert (known >= 30).tolist() == [True, False, False, True, False]
    counter = HashingVectorizer(n_features=2**20, token_pattern=r"(?u)\w+", alternate_sign=False, norm=None)
    hashed = counter.transform([f" {text}" if few else "" for text, few in zip(texts, known < 30, strict=True)])
    expected = sp.hstack([rows.X, hashed], format="csr")
    found = ComparedWords(rows)
    for chosen in (slice(0, 5), slice(1, 3), [4, 0, 1]):
        assert (found[chosen] != expected[chosen]).nnz == 0

"""Counts on disk: those of count_words, read when they are asked for."""

import json

import numpy as np
import pytest
import scipy.sparse as sp

from wideangle._mapped import is_mapped
from wideangle.data import Document, TextSource, count_words, open_counts, write_counts
from wideangle.data.stored import counts as counts_module
from wideangle.data.stored import joining, writing
from wideangle.data.stored.parts import CountedPart, WordRules, count_part
from wideangle.exceptions import DataError, NoWordsError


def documents(n=50, labelled=True):
    generator = np.random.default_rng(0)
    words = [f"{a}{b}{c}" for a in "abcdef" for b in "ghij" for c in "klm"]
    return [
        Document(" ".join(generator.choice(words, 12)), f"class{i % 3}" if labelled else None, str(i)) for i in range(n)
    ]


@pytest.mark.parametrize("size", [200, 1000, 2**20])
@pytest.mark.parametrize("settings", [{"n_words": 40}, {"n_words": 60, "ngrams": 2}, {"min_df": 3, "max_df": 0.3}])
def test_they_are_what_count_words_counts(size, settings, tmp_path, monkeypatch):
    monkeypatch.setattr(writing, "PART", size)
    made = documents()
    counts = write_counts(made, tmp_path / "c", **settings)
    corpus = count_words([d.text for d in made], labels=[d.label for d in made], **settings)
    assert counts.shape == corpus.counts.shape
    assert counts.vocabulary.tolist() == corpus.vocabulary.tolist()
    assert counts.nnz == corpus.counts.nnz
    assert (counts[:] != corpus.counts).nnz == 0
    assert counts.labels.tolist() == corpus.labels.tolist()
    assert counts.label_names.tolist() == corpus.label_names.tolist()
    assert counts.sum(axis=1).tolist() == corpus.counts.sum(axis=1).tolist()
    assert counts.sum(axis=0).tolist() == corpus.counts.sum(axis=0).tolist()
    assert counts.document_frequency.tolist() == (corpus.counts > 0).sum(axis=0).tolist()


@pytest.mark.parametrize("little", [0, 2**26])
def test_rows_are_taken_as_from_a_matrix(little, tmp_path, monkeypatch):
    monkeypatch.setattr(counts_module, "LITTLE", little)
    counts = write_counts([*documents(30), Document("", None, "empty"), *documents(9)], tmp_path / "c")
    whole = counts[:]
    assert whole.dtype == np.float32
    generator = np.random.default_rng(1)
    asked = [slice(3, 20, 4), slice(None, None, -1), [], [7, 7, -1, 0, 30], generator.random(40) < 0.5]
    for rows in asked:
        found = counts[rows]
        assert found.has_canonical_format
        expected = whole[rows] if not isinstance(rows, list) or rows else sp.csr_array((0, whole.shape[1]))
        assert (found != expected).nnz == 0
    assert (sp.vstack(list(counts.blocks(7))) != whole).nnz == 0


def test_some_documents_are_an_object_of_the_same_kind(tmp_path):
    counts = write_counts(documents(), tmp_path / "c")
    whole, mask = counts[:], np.arange(50) % 3 == 1
    some = counts.only(mask).only([4, 2, 9])
    rows = np.flatnonzero(mask)[[4, 2, 9]]
    assert some.shape == (3, whole.shape[1])
    assert some.nnz == whole[rows].nnz
    assert (some[:] != whole[rows]).nnz == 0
    assert (some[[2, 0]] != whole[rows[[2, 0]]]).nnz == 0
    assert some.labels.tolist() == counts.labels[rows].tolist()
    assert some.sum(axis=1).tolist() == whole[rows].sum(axis=1).tolist()
    assert some.document_frequency.tolist() == (whole[rows] > 0).sum(axis=0).tolist()


@pytest.mark.parametrize("rows", [[50], [-51], np.zeros(7, dtype=bool), np.zeros((2, 2), dtype=int)])
def test_rows_that_are_not_there(rows, tmp_path):
    with pytest.raises(IndexError):
        write_counts(documents(), tmp_path / "c")[rows]


def test_of_equally_frequent_words_the_first_in_the_alphabet_are_taken(tmp_path):
    """All come once but for one word, which comes twice and is the last in the alphabet."""
    words = [f"{a}{b}{c}" for a in "fedcba" for b in "jihg" for c in "mlk"]
    texts = [*(" ".join(words[start : start + 9]) for start in range(0, len(words), 9)), "zzz", "zzz"]
    made = write_counts([Document(text, None, str(n)) for n, text in enumerate(texts)], tmp_path / "c", n_words=20)
    assert made.vocabulary.tolist() == [*sorted(words)[:19], "zzz"]
    assert made.vocabulary.tolist() == count_words(texts, n_words=20).vocabulary.tolist()


def test_large_counts_are_whole(tmp_path):
    texts = ["cats " * 300 + "dogs", "cats " * 70_000]
    counts = write_counts([Document(text, None, "") for text in texts], tmp_path / "c")
    assert counts[:].toarray().tolist() == [[300, 1], [70_000, 0]]


def test_they_are_memory_mapped_and_reopened(tmp_path):
    write_counts(documents(labelled=False), tmp_path / "c")
    counts = open_counts(tmp_path / "c")
    assert is_mapped(counts.words.columns)
    assert is_mapped(counts.words.times)
    assert counts.labels is None


def test_from_a_file_and_from_a_generator(tmp_path):
    path = tmp_path / "d.jsonl"
    path.write_text("".join(json.dumps({"text": d.text, "label": d.label}) + "\n" for d in documents()))
    assert len(write_counts(TextSource(path), tmp_path / "c")) == 50
    assert len(write_counts((d for d in documents()), tmp_path / "g")) == 50


def test_documents_without_a_label_are_kept(tmp_path):
    labels = write_counts(documents(3) + documents(2, labelled=False), tmp_path / "c").labels
    assert (labels[:3] >= 0).all()
    assert labels[3:].tolist() == [-1, -1]


def test_mistakes(tmp_path):
    with pytest.raises(DataError, match="generator"):
        write_counts((d for d in documents()), tmp_path / "c", ngrams=2)
    for nothing in ([Document("", None, "")], []):
        with pytest.raises(NoWordsError):
            write_counts(nothing, tmp_path / "c")
    assert not list(tmp_path.iterdir())
    write_counts(documents(), tmp_path / "c")
    with pytest.raises(DataError, match="exists already"):
        write_counts(documents(), tmp_path / "c")
    with pytest.raises(DataError, match="no folder of counts"):
        open_counts(tmp_path)
    with (tmp_path / "c" / "columns").open("ab") as file:
        file.write(b"x")
    with pytest.raises(DataError, match="bytes instead of"):
        open_counts(tmp_path / "c")
    (tmp_path / "c" / "columns").unlink()
    with pytest.raises(DataError, match="is not there"):
        open_counts(tmp_path / "c")
    (tmp_path / "c" / "counts.json").write_text("{")
    with pytest.raises(DataError, match="damaged"):
        open_counts(tmp_path / "c")


def test_a_failed_write_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(writing, "PART", 100)

    def breaks():
        yield from documents(5)
        raise OSError("disk on fire")

    with pytest.raises(OSError, match="disk on fire"):
        write_counts(breaks(), tmp_path / "c")
    assert not list(tmp_path.iterdir())


def test_the_rarest_words_are_forgotten_while_counting(tmp_path, monkeypatch):
    monkeypatch.setattr(joining, "MOST_WORDS", 40)
    monkeypatch.setattr(writing, "PART", 500)
    rare = [f"{a}{b}{c}" for a in "qrst" for b in "uvwx" for c in "yzqrstuvwx"]
    # The frequent words come early, so that they would be missed if they were forgotten then.
    made = [Document(f"{'apple banana cherry ' if i < 90 else ''}{word}", None, "") for i, word in enumerate(rare)]
    assert write_counts(made, tmp_path / "few", n_words=3).vocabulary.tolist() == ["apple", "banana", "cherry"]
    # Were none forgotten, there would be 163 words.
    kept = write_counts(made, tmp_path / "many", n_words=1000).vocabulary.tolist()
    assert 20 <= len(kept) <= 40
    assert {"apple", "banana", "cherry"} <= set(kept)


def test_a_part_is_read_as_it_was_written(tmp_path):
    made = [
        Document("Über das Meer", "a", "", True, "A title", 12, row=3),
        Document("", None, "empty", False),
        Document("Meer \ufffd " * 300, "b", "", row=9),
    ]
    part = count_part(made, WordRules(r"\b\w{3,}\b"))
    part.save(tmp_path / "part.npz")
    again = CountedPart.load(tmp_path / "part.npz")
    assert list(again.words) == list(part.words) == ["das", "meer", "über"]
    assert (again.counts != part.counts).nnz == 0
    assert (list(again.names), again.rows.tolist(), again.n_rows) == (["", "empty", ""], [3, 2, 9], 9)
    assert (again.empty, again.replaced, again.dropped) == (1, 1, 0)
    assert again.is_train.tolist() == [1, 0, -1]
    assert list(again.titles) == ["A title", "", ""]
    (tmp_path / "part.npz").write_bytes(b"PK\x03\x04 nothing")
    with pytest.raises(DataError, match="damaged"):
        CountedPart.load(tmp_path / "part.npz")

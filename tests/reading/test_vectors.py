"""Vectors that come with documents: from files, columns and encoders; what is refused."""

import json

import numpy as np
import pytest
from own_encoder import Threes

from wideangle.exceptions import DataError
from wideangle.reading import ReadingOptions, read, read_new

pd = pytest.importorskip("pandas")
VECTORS = np.random.default_rng(0).normal(size=(6, 3)).astype(np.float32)
TEXTS = ["corn and wheat", "ships at sea", "corn or barley", "ships and ports", "wheat prices", "a port at sea"]
LABELS = ["farm", "sea", "farm", "sea", "farm", "sea"]


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "texts.csv"
    pd.DataFrame({"text": TEXTS, "label": LABELS}).to_csv(path, index=False)
    return path


def written(path, kind):
    """The vectors in a file of some kind."""
    to = path.parent / f"vectors.{kind}"
    if kind == "npy":
        np.save(to, VECTORS.astype(np.float64))
    elif kind == "npz":
        np.savez(to, embeddings=VECTORS, names=np.array(TEXTS))
    elif kind == "columns.parquet":
        pd.DataFrame(VECTORS, columns=list("abc")).to_parquet(to)
    else:
        pd.DataFrame({"v": list(VECTORS)}).to_parquet(to)
    return to


@pytest.mark.parametrize("kind", ["npy", "npz", "columns.parquet", "list.parquet"])
def test_a_file_of_vectors(table, kind):
    options = ReadingOptions(vectors=str(written(table, kind)))
    rows = read(table, options)
    np.testing.assert_allclose(rows.X, VECTORS)
    assert rows.reading.kind == "vectors"
    assert rows.words.shape == (6, len(rows.vocabulary))
    assert rows.reading.words == tuple(rows.vocabulary)
    again = read_new(table, rows.reading, None, options, n_features=3)
    np.testing.assert_allclose(again.X, VECTORS)
    np.testing.assert_array_equal(again.words.toarray(), rows.words.toarray())


@pytest.mark.parametrize("kind", ["jsonl", "parquet", "csv", "json in csv"])
def test_a_column_of_vectors(tmp_path, kind):
    lists = VECTORS.round(4).tolist()
    frame = pd.DataFrame({"text": TEXTS, "label": LABELS, "embedding": lists})
    path = tmp_path / f"texts.{kind.split()[-1]}"
    if kind == "parquet":
        frame.to_parquet(path)
    elif kind == "jsonl":
        frame.to_json(path, orient="records", lines=True)
    else:
        said = json.dumps if kind == "json in csv" else lambda row: " ".join(map(str, row))
        frame.assign(embedding=frame.embedding.map(said)).to_csv(path, index=False)
    rows = read(path, ReadingOptions(vectors="embedding"))
    np.testing.assert_allclose(rows.X, VECTORS.round(4), rtol=1e-6)
    assert rows.reading.vector_column == "embedding"
    assert rows.classes.tolist() == LABELS
    new = read_new(path, rows.reading, n_features=3)  # The column is known.
    np.testing.assert_allclose(new.X, rows.X)


def test_vectors_without_texts(tmp_path):
    path = tmp_path / "labels.csv"
    pd.DataFrame({"label": LABELS, "size": range(6)}).to_csv(path, index=False)
    rows = read(path, ReadingOptions(vectors=str(written(path, "npy"))))
    np.testing.assert_allclose(rows.X, VECTORS)
    assert (rows.words, rows.reading.words) == (None, ())
    assert rows.classes.tolist() == LABELS


def test_an_array_alone(tmp_path):
    np.save(tmp_path / "v.npy", VECTORS)
    rows = read(tmp_path / "v.npy")
    np.testing.assert_allclose(rows.X, VECTORS)
    assert rows.reading.kind == "numbers"


def test_unlabelled_documents_are_left_out_with_their_vectors(tmp_path):
    path = tmp_path / "texts.csv"
    pd.DataFrame({"text": TEXTS, "label": [None, *LABELS[1:]]}).to_csv(path, index=False)
    rows = read(path, ReadingOptions(vectors=str(written(path, "npy")), drop_unlabelled=True))
    np.testing.assert_allclose(rows.X, VECTORS[1:])


def test_an_encoder_of_another_package(table, monkeypatch):
    encoder = Threes()
    monkeypatch.setattr("wideangle.reading.vectors.encoder_of", lambda name: _checked(encoder))
    monkeypatch.setattr("wideangle.reading.vectors.cached", lambda made: made)
    rows = read(table, ReadingOptions(encoder="own"))
    np.testing.assert_allclose(rows.X, encoder.encode(TEXTS), rtol=1e-6)
    assert (rows.reading.encoder, rows.reading.encoder_name) == ("own", encoder.name)
    np.testing.assert_allclose(read_new(table, rows.reading, n_features=rows.X.shape[1]).X, rows.X)
    encoder.name = "another version"
    with pytest.raises(ValueError, match="another version"):
        read_new(table, rows.reading, n_features=rows.X.shape[1])


def _checked(encoder):
    from wideangle.encoders import CheckedEncoder

    return CheckedEncoder(encoder)


@pytest.mark.parametrize(
    ("vectors", "message"),
    [
        (VECTORS[:5], "5 vectors, and texts.csv 6 documents"),
        (np.vstack([VECTORS, VECTORS]), "12 vectors, and texts.csv 6 documents"),
        (VECTORS[0], "one row of numbers for each document"),
        (np.where(np.arange(3) == 1, np.nan, VECTORS), "row 1: the vector has NaN"),
        (VECTORS.astype(str), "one row of numbers for each document"),
    ],
)
def test_files_that_do_not_fit(table, vectors, message):
    np.save(table.parent / "v.npy", vectors)
    with pytest.raises(DataError, match=message):
        read(table, ReadingOptions(vectors=str(table.parent / "v.npy")))


def test_what_is_no_source_of_vectors(table):
    (table.parent / "damaged.npy").write_bytes(b"nothing")
    for named, message in [
        ("embedding", "there is no such column, and a file of vectors ends in .npy, .npz, .parquet"),
        (str(table.parent / "missing.npy"), "is no file"),
        (str(table.parent / "damaged.npy"), "cannot be read as vectors"),
        ("text", "holds the vectors, and can be nothing else|no vector"),
    ]:
        with pytest.raises(DataError, match=message):
            read(table, ReadingOptions(vectors=named))
    with pytest.raises(DataError, match="not both"):
        read(table, ReadingOptions(vectors="embedding", encoder="own"))


@pytest.mark.parametrize(
    ("column", "message"),
    [
        ([[1.0, 2.0]] * 5 + [None], "row 6: 'v' holds no vector"),
        ([[1.0, 2.0]] * 5 + [[1.0]], "row 6: the vector has 1 number, and others have 2"),
        (["a b"] * 6, "row 1: 'v' holds no vector"),
    ],
)
def test_columns_that_hold_no_vectors(tmp_path, column, message):
    path = tmp_path / "texts.jsonl"
    rows = [{"text": text, "v": value} for text, value in zip(TEXTS, column, strict=True)]
    path.write_text("\n".join(map(json.dumps, rows)))
    with pytest.raises(DataError, match=message):
        read(path, ReadingOptions(vectors="v"))


def test_new_documents_need_vectors_of_the_same_width(table):
    rows = read(table, ReadingOptions(vectors=str(written(table, "npy"))))
    with pytest.raises(DataError, match="those of new ones are missing"):
        read_new(table, rows.reading, n_features=3)
    np.save(table.parent / "wide.npy", np.ones((6, 4)))
    with pytest.raises(DataError, match="4"):
        read_new(table, rows.reading, None, ReadingOptions(vectors=str(table.parent / "wide.npy")), n_features=3)
    counted = read(table)
    with pytest.raises(DataError, match="the model knows no vectors"):
        read_new(table, counted.reading, counted.vocabulary, ReadingOptions(vectors="v.npy"))


def test_a_corpus_keeps_vectors(tmp_path):
    from wideangle.data import Corpus, count_words

    counted = count_words(TEXTS, labels=LABELS)
    corpus = Corpus(counts=counted.counts, vocabulary=counted.vocabulary, labels=counted.labels, vectors=VECTORS)
    corpus.save(tmp_path / "corpus.npz")
    again = Corpus.open(tmp_path / "corpus.npz")
    np.testing.assert_array_equal(again.vectors, VECTORS)
    np.testing.assert_array_equal(again.subset([2, 0]).vectors, VECTORS[[2, 0]])
    rows = read(tmp_path / "corpus.npz", ReadingOptions(vectors=str(tmp_path / "corpus.npz")))
    np.testing.assert_array_equal(rows.X, VECTORS)
    assert rows.reading.words == tuple(counted.vocabulary)
    with pytest.raises(DataError, match="6 rows but 5 vectors"):
        Corpus(counts=counted.counts, vectors=VECTORS[:5])
    with pytest.raises(DataError, match="vectors hold NaN"):
        Corpus(counts=counted.counts, vectors=np.full((6, 2), np.nan))

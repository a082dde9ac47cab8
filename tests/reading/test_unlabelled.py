"""Rows without a label beside rows that have one."""

import numpy as np
import pytest
import scipy.sparse as sp

from wideangle.data import Corpus, count_words
from wideangle.documents import Documents, class_names
from wideangle.exceptions import DataError
from wideangle.reading import ReadingOptions, read

TABLE = "text,label\nwheat corn,a\nships sea,\nloan bank,b\ncorn barley,NA\nport ship,b\n"
DROP = ReadingOptions(drop_unlabelled=True)


@pytest.fixture
def table(tmp_path):
    (tmp_path / "d.csv").write_text(TABLE)
    return tmp_path / "d.csv"


def test_they_are_kept_and_counted(table):
    rows = read(table)
    assert rows.labels.tolist() == [0, -1, 1, -1, 1]
    assert rows.classes.tolist() == ["a", "", "b", "", "b"]
    assert rows.labelled.tolist() == [True, False, True, False, True]
    assert any(note.startswith("2 of 5 rows have no label. They are kept") for note in rows.notes)


def test_they_are_left_out_where_asked(table):
    rows = read(table, DROP)
    assert rows.classes.tolist() == ["a", "b", "b"]
    assert rows.names == ["row 1", "row 3", "row 5"]
    assert "sea" not in rows.vocabulary
    assert "2 rows without a label are left out." in rows.notes
    table.write_text(TABLE.replace("a\n", "\n").replace(",b", ","))
    with pytest.raises(DataError, match="--drop-unlabelled.*d.csv"):
        read(table, DROP)


def test_numbers(tmp_path):
    (tmp_path / "n.csv").write_text("x,y,label\n1,2,a\n3,4,\n5,6,b\n")
    rows = read(tmp_path / "n.csv")
    assert rows.labels.tolist() == [0, -1, 1]
    kept = read(tmp_path / "n.csv", DROP)
    assert kept.X.toarray()[:, 0].tolist() == [1, 5]
    assert (kept.classes.tolist(), kept.names) == (["a", "b"], ["row 1", "row 3"])
    assert "1 row without a label is left out." in kept.notes


@pytest.mark.parametrize(
    ("y", "classes"),
    [
        (np.array(["b", "", "a"]), ["b", "", "a"]),
        (np.array([2.0, np.nan, 1.0]), ["2.0", "", "1.0"]),
        (np.array([1, -1, 1]), ["1", "-1", "1"]),  # Two classes are often called so.
    ],
)
def test_arrays(y, classes, tmp_path):
    np.savez(tmp_path / "d.npz", X=np.eye(3), y=y)
    assert read(tmp_path / "d.npz").classes.tolist() == classes
    assert len(read(tmp_path / "d.npz", DROP)) == len([name for name in classes if name])


def test_a_folder_with_files_beside_the_classes(tmp_path):
    for name in ("a/1.txt", "b/2.txt", "3.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("wheat corn")
    assert dict(zip(read(tmp_path).names, read(tmp_path).classes, strict=True)) == {
        "a/1.txt": "a",
        "b/2.txt": "b",
        "3.txt": "",
    }
    assert read(tmp_path, ReadingOptions(label_column="none")).labels is None


def test_a_corpus_keeps_them_on_disk(tmp_path):
    corpus = count_words(["wheat corn", "ships", "corn"], labels=["b", None, "a"])
    assert corpus.labels.tolist() == [1, -1, 0]
    assert corpus.class_sizes().tolist() == [1, 1]
    corpus.save(tmp_path / "c.npz")
    assert Corpus.open(tmp_path / "c.npz").labels.tolist() == [1, -1, 0]
    assert read(tmp_path / "c.npz").classes.tolist() == ["b", "", "a"]
    bare = Corpus(counts=sp.csr_array(np.eye(2, dtype=int)), labels=np.array([-1, -1]))
    bare.save(tmp_path / "c.npz")
    assert read(tmp_path / "c.npz").labels is None


@pytest.mark.parametrize("names", [None, ["left", "right"]])
def test_documents(names):
    documents = Documents.of(np.eye(3), labels=[1, -1, 0], label_names=names)
    right, left = ("1", "0") if names is None else ("right", "left")
    assert documents.classes.tolist() == [right, "", left]
    assert [documents.class_of(row) for row in range(3)] == [right, None, left]
    assert Documents.of(np.eye(2), labels=[-1, -1], label_names=names).classes is None
    assert class_names(np.array([0, -1]), ["only"]).tolist() == ["only", ""]

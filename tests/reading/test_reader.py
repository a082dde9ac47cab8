"""Files to rows, for Python users: what `read` and `read_new` give and say."""

import json
from dataclasses import replace

import numpy as np
import pytest

from wideangle import ReplicatedSoftmax, load
from wideangle.data import count_words
from wideangle.exceptions import DataError, NoWordsError
from wideangle.reading import ReadingOptions, TextSource, read, read_new

COMMENTS = ["late, and broken", "quick delivery", "broken again; late", "", "quick and whole"]
MARKS = ["train", "Test", "train", "valid", "training"]


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "reviews.csv"
    lines = ["id;comment;stars;split;note"]
    lines += [f'r{i};"{COMMENTS[i]}";{i % 2};{MARKS[i]};7' for i in range(5)]
    path.write_text("\n".join(lines))
    return path


def test_all_that_is_known_of_the_rows(table):
    rows = read(table)
    expected = count_words(COMMENTS)
    assert rows.vocabulary == expected.vocabulary.tolist()
    np.testing.assert_array_equal(rows.X.toarray(), expected.counts.toarray())
    assert rows.names == ["r0", "r1", "r2", "r3", "r4"]
    assert rows.classes.tolist() == ["0", "1", "0", "1", "0"]
    assert rows.training.tolist() == [True, False, True, False, True]
    assert rows.description == (
        "reviews.csv: 5 rows, separated by ';', text from column 'comment', labels from column 'stars', "
        "ids from column 'id', split by column 'split' (3 to fit on, 2 held out); 1 text is empty; not used: 'note'"
    )
    assert rows.notes == ("1 of 5 documents has no word of the vocabulary; it is kept.",)


def test_from_a_file_to_a_model_and_to_new_rows(table, tmp_path):
    rows = read(table)
    model = ReplicatedSoftmax(2, max_updates=5, random_state=0).fit(rows.X[rows.training])
    model.save(tmp_path / "m", vocabulary=rows.vocabulary, reading=rows.reading)
    again = load(tmp_path / "m")
    (tmp_path / "new.jsonl").write_text('{"comment": "late delivery", "id": 5}\n{"id": 6}\n')
    new = read_new(tmp_path / "new.jsonl", again.reading_, again.vocabulary_)
    assert new.names == ["5", "6"]
    assert new.X.sum(axis=1).tolist() == [2, 0]
    assert "1 text is empty" in new.description
    assert vars(again.reading_) == vars(rows.reading)


def test_a_split_that_says_nothing_is_said(tmp_path):
    (tmp_path / "d.csv").write_text("text,split\nwheat corn,a\nship port,b\n")
    rows = read(tmp_path / "d.csv")
    assert rows.is_train is None
    assert any("'split' is not used" in note for note in rows.notes)
    (tmp_path / "d.csv").write_text("text,split\nwheat corn,test\nship port,test\n")
    with pytest.raises(DataError, match="d.csv is left to fit on"):
        read(tmp_path / "d.csv")
    assert read(tmp_path / "d.csv", ReadingOptions(split_column="none")).is_train is None


@pytest.mark.parametrize(("yes", "no"), [("true", "false"), ("1", "0"), (True, False), (1, 0)])
def test_a_column_of_truths(yes, no, tmp_path):
    rows = [{"text": "wheat corn", "is_train": yes}, {"text": "ship port", "is_train": no}]
    (tmp_path / "d.jsonl").write_text("\n".join(map(json.dumps, rows)))
    assert read(tmp_path / "d.jsonl").is_train.tolist() == [True, False]


def test_a_split_and_a_share_held_out(table):
    with pytest.raises(DataError, match="rows are held out"):
        read(table, hold_out=0.2)
    rows = read(table, ReadingOptions(split_column="none"), hold_out=0.4, seed=1)
    assert rows.training.sum() == 3


def test_the_rarity_of_words_is_of_the_training_rows_alone(table):
    from sklearn.feature_extraction.text import TfidfTransformer

    rows = read(table, weighting="tf-idf")
    counts = count_words(COMMENTS).counts[[0, 2, 4]]
    np.testing.assert_allclose(rows.reading.rarity, TfidfTransformer().fit(counts).idf_)


def test_wide_tables_of_numbers_are_aligned_by_name(tmp_path):
    (tmp_path / "a.csv").write_text("id,x,y,label\n1,0.5,2,a\n2,1.5,3,b\n")
    (tmp_path / "b.csv").write_text("y,more,x\n7,some words here,5\n8,and more here,6\n")
    rows = read(tmp_path / "a.csv", weighting="presence")
    assert (rows.reading.kind, rows.vocabulary, rows.names) == ("numbers", ["x", "y"], ["1", "2"])
    new = read_new(tmp_path / "b.csv", rows.reading, rows.vocabulary)
    assert new.X.tolist() == [[5, 7], [6, 8]]
    (tmp_path / "c.csv").write_text("x,z\n1,2\n")
    with pytest.raises(DataError, match="lacks the columns 'y'"):
        read_new(tmp_path / "c.csv", rows.reading, rows.vocabulary)


def test_a_late_row_decides_too(tmp_path):
    """Columns are told by every row: the text begins after thousands of rows without one."""
    rows = [{"id": f"the id of row {i}"} for i in range(12_000)] + [{"id": "x", "comment": "wheat and corn"}]
    (tmp_path / "d.jsonl").write_text("\n".join(map(json.dumps, rows)))
    assert read(tmp_path / "d.jsonl").vocabulary == ["corn", "wheat"]


def test_new_files_are_read_by_the_columns_of_the_old_where_they_have_them(tmp_path):
    (tmp_path / "a.csv").write_text("note,text,kind,key\nwheat corn,ignored words,a,k1\nship port,ignored words,b,k2\n")
    options = ReadingOptions(text_column="note", label_column="kind", id_column="key")
    rows = read(tmp_path / "a.csv", options)
    again = read_new(tmp_path / "a.csv", rows.reading, rows.vocabulary)
    assert (again.names, again.label_names, again.X.toarray().tolist()) == (
        ["k1", "k2"],
        ["a", "b"],
        rows.X.toarray().tolist(),
    )
    (tmp_path / "b.csv").write_text("text,label\nwheat ship,c\n")
    other = read_new(tmp_path / "b.csv", rows.reading, rows.vocabulary)
    assert (other.label_names, other.X.sum()) == (["c"], 2)
    named = read_new(tmp_path / "a.csv", rows.reading, rows.vocabulary, ReadingOptions(text_column="text"))
    assert named.X.sum() == 0


def test_files_without_a_word_have_an_error_of_their_own(tmp_path):
    (tmp_path / "a.txt").write_text("1 2 3\n")
    with pytest.raises(NoWordsError, match="--token-pattern"):
        read(tmp_path / "a.txt")
    (tmp_path / "b.txt").write_text("")
    with pytest.raises(DataError) as empty:
        read(tmp_path / "b.txt")
    assert not isinstance(empty.value, NoWordsError)


def test_titles_are_read_and_not_counted(tmp_path):
    path = tmp_path / "d.csv"
    path.write_text("title,text\nBarley prices,wheat and corn\n,ships at sea\nThe  port\t,ships and wheat\n")
    rows = read(path)
    assert rows.titles == ["Barley prices", "", "The port"]
    assert "barley" not in rows.vocabulary
    assert "text from column 'text', titles from column 'title'" in rows.description
    assert rows.reading.title_column == "title"
    assert [document.title for document in TextSource(path)] == ["Barley prices", None, "The  port\t"]
    again = read_new(path, rows.reading, rows.vocabulary)
    assert again.titles == rows.titles
    without = read(path, ReadingOptions(title_column="none"))
    assert (without.titles, without.reading.title_column) == (None, None)
    assert "not used: 'title'" in without.description


def test_new_documents_have_their_titles_where_the_training_file_had_them(tmp_path):
    (tmp_path / "d.csv").write_text("motto,text\nBarley prices,wheat and corn\nOn ships,ships at sea\n")
    rows = read(tmp_path / "d.csv", ReadingOptions(title_column="motto"))
    (tmp_path / "new.csv").write_text("motto,text\nFarms,wheat and corn\n")
    assert read_new(tmp_path / "new.csv", rows.reading, rows.vocabulary).titles == ["Farms"]
    (tmp_path / "other.csv").write_text("text,label\nwheat and corn,a\n")
    assert read_new(tmp_path / "other.csv", rows.reading, rows.vocabulary).titles is None


def test_a_corpus_with_names_gives_them_to_its_documents(tmp_path):
    corpus = count_words(["wheat and corn", "ships at sea"], keep_texts=True)
    corpus.save(tmp_path / "plain.npz")
    assert read(tmp_path / "plain.npz").names == ["row 1", "row 2"]
    replace(corpus, names=np.array(["farm", "sea"], dtype=object)).save(tmp_path / "named.npz")
    assert read(tmp_path / "named.npz").names == ["farm", "sea"]

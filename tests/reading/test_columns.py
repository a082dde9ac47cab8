"""Which columns are taken for what."""

import json

import numpy as np
import pytest

from wideangle.exceptions import DataError
from wideangle.reading import ReadingOptions, read
from wideangle.reading.columns import choose_columns
from wideangle.reading.opening import open_path
from wideangle.reading.survey import survey_table


def chosen(tmp_path, rows, **options):
    path = tmp_path / "d.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    settings = ReadingOptions(**options)
    opened = open_path(path, settings)
    return choose_columns(survey_table(opened.table), settings, "d.jsonl")


COMMENT = ["late and broken again", "quick and friendly", "never again, thank you", "quite good"]
URL = [f"https://example.org/reviews/of/very-long-and-wordy-address/{i}/index.html" for i in range(4)]


@pytest.mark.parametrize(
    ("columns", "text"),
    [
        ({"url": URL, "comment": COMMENT}, "comment"),
        ({"url": URL, "opinion": COMMENT}, "opinion"),
        ({"when": ["2020-01-02T10:00:00"] * 4, "what": ["a", "word", "or", "two"]}, "what"),
        ({"uuid4": [f"3fa85f6{i}-5717-4562-b3fc-2c963f66afa6" for i in range(4)], "t": ["ok then"] * 4}, "t"),
        ({"title": COMMENT, "plot": [f"{c} and much more of it" for c in COMMENT]}, "plot"),
        ({"reviewText": COMMENT, "summary": [c * 5 for c in COMMENT]}, "reviewText"),
        ({"text_id": ["abc def", "ghi jkl", "x y", "z w"], "remarks": COMMENT}, "remarks"),
        ({"text": URL, "remarks": COMMENT}, "remarks"),
        ({"mail": [f"some.one{i}@example.org" for i in range(4)], "x": ["hm"] * 4}, "x"),
        ({"name": ["Ann Lee"] * 4, "zh": ["这是一个很好的产品我非常喜欢"] * 4}, "zh"),
    ],
)
def test_the_text(columns, text, tmp_path):
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    assert chosen(tmp_path, rows).text == text
    assert chosen(tmp_path, [dict(reversed(row.items())) for row in rows]).text == text


def test_labels_ids_and_split(tmp_path):
    rows = [
        {"id": i, "comment": COMMENT[i], "stars": i % 2, "split": "train" if i else "test", "price": 3.5}
        for i in range(4)
    ]
    found = chosen(tmp_path, rows)
    assert (found.id, found.label, found.split, found.unused) == ("id", "stars", "split", ("price",))
    none = chosen(tmp_path, rows, id_column="none", label_column="none", split_column="none")
    assert (none.id, none.label, none.split) == (None, None, None)
    assert none.text == "comment"


def test_an_id_is_unique_and_a_label_of_many_words_repeats(tmp_path):
    rows = [{"id": i // 2, "topic": text} for i, text in enumerate(COMMENT)]
    found = chosen(tmp_path, rows)
    assert (found.id, found.label, found.text) == (None, None, "topic")


def test_columns_that_are_not_there_or_are_two_things(tmp_path):
    rows = [{"text": "wheat corn", "label": "a"}]
    for option in ("text_column", "label_column", "id_column", "split_column"):
        with pytest.raises(DataError, match="'z'.*'text', 'label'"):
            chosen(tmp_path, rows, **{option: "z"})
    with pytest.raises(DataError, match="both the text and the label"):
        chosen(tmp_path, rows, text_column="text", label_column="text")
    with pytest.raises(DataError, match="'label' .*training"):
        chosen(tmp_path, rows, split_column="label")


@pytest.mark.parametrize("blank", ["", " ", "NA", "nan", "null", "?"])
def test_a_blank_leaves_a_table_one_of_numbers_and_is_named(blank, tmp_path):
    lines = ["u,v,label", f"1,{blank},a", *(f"{i},{i / 7},b" for i in range(20))]
    (tmp_path / "d.csv").write_text("\n".join(lines))
    with pytest.raises(DataError, match="d.csv, row 1: 'v' is empty"):
        read(tmp_path / "d.csv")


def test_a_number_that_is_none_or_infinite_is_named(tmp_path):
    for wrong, message in (
        ("x1", "'x1', not a number"),
        ("inf", "'inf', not a finite"),
        ("1e99", "'1e99', not a finite"),
    ):
        lines = ["u,v", *(f"{i},{i / 7}" for i in range(20)), f"{wrong},1"]
        (tmp_path / "d.csv").write_text("\n".join(lines))
        with pytest.raises(DataError, match=f"row 21: 'u' is {message}"):
            read(tmp_path / "d.csv")


def test_numbers_beside_dates_and_ids(tmp_path):
    rows = [{"id": i, "when": "2020-01-02", "a": i * 2, "b": None if i < 0 else i / 3} for i in range(6)]
    (tmp_path / "d.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = read(tmp_path / "d.jsonl")
    np.testing.assert_allclose(found.X, [[i * 2, i / 3] for i in range(6)], rtol=1e-6)
    assert found.names == [str(i) for i in range(6)]
    assert found.description.endswith("numbers from 2 columns, ids from column 'id'; not used: 'when'")


def test_nothing_to_use(tmp_path):
    with pytest.raises(DataError, match="column of text"):
        chosen(tmp_path, [{"when": "2020-01-02", "url": URL[0]}])


@pytest.mark.parametrize("name", ["d.csv", "d.jsonl"])
def test_large_tables_with_a_sparse_column(name, tmp_path):
    """Full columns are not looked at for ever, and what is known of them stays known."""
    rows = [
        {
            "id": f"r{i}",
            "text": "wheat and corn",
            "split": "train" if i < 4000 else "test",
            "rare": "x" if i == 4500 else "",
        }
        for i in range(5000)
    ]
    if name == "d.csv":
        lines = [",".join(rows[0]), *(",".join(row.values()) for row in rows)]
        (tmp_path / name).write_text("\n".join(lines))
    else:
        (tmp_path / name).write_text("\n".join(map(json.dumps, rows)))
    found = read(tmp_path / name)
    assert (found.names[-1], found.training.sum()) == ("r4999", 4000)
    blank = (tmp_path / name).read_text().replace("r4998", "")
    (tmp_path / name).write_text(blank)
    assert read(tmp_path / name).names[-2:] == ["row 4999", "r4999"]


@pytest.mark.parametrize(("header", "said"), [("7,wheat and corn", True), ("text,more", False)])
def test_a_table_without_names_is_pointed_out(header, said, tmp_path):
    (tmp_path / "d.csv").write_text(f"{header}\n8,ships at sea\n9,wheat and barley\n")
    assert any("looks like data" in note for note in read(tmp_path / "d.csv").notes) == said


HEADLINE = ["a late parcel", "the friendly shop", "three lost letters", "one good thing"]


@pytest.mark.parametrize(
    ("columns", "title"),
    [
        ({"title": HEADLINE, "text": COMMENT}, "title"),
        ({"Headline": HEADLINE, "body": COMMENT}, "Headline"),
        ({"name": HEADLINE, "title": HEADLINE[::-1], "body": COMMENT}, "title"),
        ({"subject": HEADLINE, "message": COMMENT}, "subject"),
        ({"subject": ["politics", "sport"] * 2, "message": COMMENT}, None),  # a class
        ({"name": HEADLINE, "description": COMMENT}, "name"),
        ({"name": ["Ann Lee", "Bo Lee", "Ann Lee", "Cy Roe"], "comment": COMMENT}, None),  # who wrote it
        ({"title": ["1", "2", "3", "4"], "comment": COMMENT}, None),
        ({"title": URL, "comment": COMMENT}, None),
        ({"title": COMMENT, "n": [1, 2, 3, 4]}, None),  # the only text there is
        ({"title": ["", "", "", ""], "comment": COMMENT}, None),
        ({"title": HEADLINE, "a": [1, 2, 3, 4], "b": [2, 3, 4, 5], "title2": COMMENT}, "title"),
    ],
)
def test_the_title(columns, title, tmp_path):
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    found = chosen(tmp_path, rows)
    assert found.title == title
    assert title is None or title not in (found.text, found.label, found.id, *found.unused)
    assert chosen(tmp_path, rows, title_column="none").title is None


def test_a_title_that_is_named_is_not_the_text(tmp_path):
    rows = [{"remark": "short " * 9 + text, "opinion": text} for text in COMMENT]
    assert chosen(tmp_path, rows).text == "remark"
    found = chosen(tmp_path, rows, title_column="remark")
    assert (found.text, found.title) == ("opinion", "remark")
    with pytest.raises(DataError, match="'opinion'.* text and the title"):
        chosen(tmp_path, rows, text_column="opinion", title_column="opinion")
    with pytest.raises(DataError, match="no column 'z'"):
        chosen(tmp_path, rows, title_column="z")


def test_numbers_have_no_titles(tmp_path):
    rows = [{"title": HEADLINE[i], "a": i, "b": i * i} for i in range(4)]
    with pytest.raises(DataError, match="no column of text"):
        chosen(tmp_path, rows, title_column="title")


@pytest.mark.parametrize(
    ("text", "label", "id_column", "title"),
    [
        ("Beschreibung", "Kategorie", "Nr", "Betreff"),
        ("Nachricht", "Klasse", "Kennung", "Titel"),
        ("texte", "catégorie", "identifiant", "titre"),
        ("contenu", "étiquette", "numéro", "sujet"),
        ("texto", "categoría", "número", "título"),
        ("testo", "categoria", "id", "titolo"),
        ("текст", "категория", "номер", "заголовок"),
        ("内容", "类别", "编号", "标题"),
        ("评论内容", "标签", "序号", "题目"),
        ("本文", "カテゴリ", "番号", "タイトル"),
        ("내용", "분류", "번호", "제목"),
        ("Ticket_Beschreibung", "Thema", "Nummer", "Überschrift"),
    ],
)
def test_usual_names_in_other_languages(text, label, id_column, title, tmp_path):
    """The remarks have the most words, so that the names alone tell which column is the text."""
    rows = [
        {id_column: f"n{i}", "xyz": f"{COMMENT[i]} " * 3, title: HEADLINE[i], label: "ab"[i % 2], text: COMMENT[i]}
        for i in range(4)
    ]
    found = chosen(tmp_path, rows)
    assert (found.text, found.label, found.id, found.title) == (text, label, id_column, title)


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["a;b", "1,5;2", "-0,25;3", "1.234,5;4"], [[1.5, 2], [-0.25, 3], [1234.5, 4]]),
        (["a;b", "1,5;1,234", "2,5;1.234"], [[1.5, 1.234], [2.5, 1234]]),
        (["a,b", '"1,5",2', '"2,75",3'], [[1.5, 2], [2.75, 3]]),
        (["a;b", "1 234,5;2", "12\u00a0345,25;3"], [[1234.5, 2], [12345.25, 3]]),
        (["a;b", "1,5e3;2", "0,5;3"], [[1500, 2], [0.5, 3]]),
    ],
)
def test_decimal_commas(lines, expected, tmp_path):
    (tmp_path / "d.csv").write_text("\n".join(lines), encoding="utf-8")
    rows = read(tmp_path / "d.csv")
    np.testing.assert_allclose(rows.X, expected, rtol=1e-6)
    assert "with decimal commas" in rows.description


def test_commas_that_may_group_thousands_are_no_decimal_commas(tmp_path):
    (tmp_path / "d.csv").write_text("a\tb\n1,234\t2\n5,678\t3\n")
    rows = read(tmp_path / "d.csv")
    assert rows.vocabulary == ["b"]
    assert "not used: 'a'" in rows.description
    (tmp_path / "d.csv").write_text("a\tb\n1,5\t2.5\n5,6\t3.5\n")
    assert read(tmp_path / "d.csv").vocabulary == ["b"]


def test_a_wrong_number_among_decimal_commas_is_named(tmp_path):
    lines = ["u;v", *(f"{i},5;{i}" for i in range(20)), "x1;1"]
    (tmp_path / "d.csv").write_text("\n".join(lines))
    with pytest.raises(DataError, match="row 21: 'u' is 'x1'"):
        read(tmp_path / "d.csv")

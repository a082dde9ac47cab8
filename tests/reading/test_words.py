"""Stop words, and queries read as documents are."""

import numpy as np
import pytest
from languages import SENTENCES
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from wideangle._alphabets import WORDS
from wideangle.data import Document, count_words, write_counts
from wideangle.data.languages import stop_words_of
from wideangle.documents import Reading
from wideangle.exceptions import DataError
from wideangle.reading import ReadingOptions, read, read_new, read_query, read_stop_words

TEXTS = ["new york is a state", "the state of new jersey", "york and the state", "state of new york"]


def test_the_lists(tmp_path):
    assert set(read_stop_words("english")) == ENGLISH_STOP_WORDS
    assert read_stop_words("none") == ()
    (tmp_path / "stop.txt").write_bytes("\ufeffWheat\nCorn ship wheat".encode())
    assert read_stop_words(str(tmp_path / "stop.txt")) == ("wheat", "corn", "ship")
    with pytest.raises(DataError, match="there is no such file"):
        read_stop_words(str(tmp_path / "nothing.txt"))
    with pytest.raises(DataError, match="is a folder"):
        read_stop_words(str(tmp_path))
    (tmp_path / "stop.txt").write_bytes(b"caf\xe9")
    with pytest.raises(DataError, match="stop.txt"):
        read_stop_words(str(tmp_path / "stop.txt"))


def test_a_language_by_its_name_or_code():
    assert {"und", "der", "nicht"} <= set(read_stop_words("german"))
    assert read_stop_words("German") == read_stop_words("de")
    with pytest.raises(DataError, match=r"'martian'.*de \(German\)"):
        read_stop_words("martian")


def test_pairs_of_neighbours_and_document_frequencies():
    counted = count_words(TEXTS, ngrams=2)
    assert counted.vocabulary.tolist() == sorted(
        ["new", "york", "state", "jersey", "new york", "york state", "state new", "new jersey"]
    )
    row = dict(zip(counted.vocabulary.tolist(), counted.counts.toarray()[0].tolist(), strict=True))
    assert {word for word, times in row.items() if times} == {"new", "york", "state", "new york", "york state"}
    assert count_words(TEXTS, min_df=3).vocabulary.tolist() == ["new", "state", "york"]
    assert count_words(TEXTS, max_df=0.8).vocabulary.tolist() == ["jersey", "new", "york"]
    assert count_words(TEXTS, min_df=0.5, max_df=3).vocabulary.tolist() == ["new", "york"]
    for wrong in ({"min_df": 5}, {"min_df": 4, "max_df": 2}, {"max_df": 0.01}):
        with pytest.raises(DataError, match="no word is left"):
            count_words(TEXTS, **wrong)
    with pytest.raises(ValueError, match="ngrams"):
        count_words(TEXTS, ngrams=0)


def test_counts_on_disk_count_as_count_words_does(tmp_path):
    documents = [Document(text, None, "") for text in TEXTS]
    for settings in ({}, {"ngrams": 2}, {"min_df": 2, "max_df": 0.8}):
        counts = write_counts(documents, tmp_path / str(len(settings)) / "-".join(settings), **settings)
        expected = count_words(TEXTS, **settings)
        assert counts.vocabulary.tolist() == expected.vocabulary.tolist()
        np.testing.assert_array_equal(counts[:].toarray(), expected.counts.toarray())


@pytest.mark.parametrize("stop_words", ["english", "none"])
@pytest.mark.parametrize("ngrams", [1, 2])
@pytest.mark.parametrize("strip_html", [False, True])
@pytest.mark.parametrize("weighting", ["counts", "tf-idf", "presence"])
def test_new_documents_and_queries_are_read_as_the_old(weighting, strip_html, ngrams, stop_words, tmp_path):
    """Every choice about words is taken from what the model keeps, none from the options."""
    lines = [text.replace(" ", " <b>", 1) + "</b>" for text in TEXTS]
    (tmp_path / "d.txt").write_text("\n".join(lines))
    options = ReadingOptions(stop_words=stop_words, ngrams=ngrams, strip_html=strip_html, token_pattern=r"\b\w+\b")
    rows = read(tmp_path / "d.txt", options, weighting=weighting)
    assert ("b" in rows.vocabulary) != strip_html
    again = read_new(tmp_path / "d.txt", rows.reading, rows.vocabulary)
    np.testing.assert_array_equal(again.X.toarray(), rows.X.toarray())
    assert again.snippets == rows.snippets
    for number, line in enumerate(lines):
        asked = read_query(line, rows.reading, rows.vocabulary)
        np.testing.assert_allclose(asked.row.toarray(), rows.X.toarray()[number : number + 1], rtol=1e-6)


def test_what_of_a_query_is_known():
    reading = Reading("counts", r"\b[a-z]{3,}\b", stop_words=("the",), ngrams=2)
    found = read_query("The New York of the moon", reading, ["new", "york", "new york"])
    assert found.known == ("new", "york", "new york")
    assert found.unknown == ("moon",)
    assert found.left_out == ("the",)
    assert found.row.toarray().tolist() == [[1, 1, 1]]
    old = read_query("the interest of wheat", Reading("counts", r"\b[a-z]{3,}\b"), ["wheat"])
    assert old.left_out == ("the", "interest")  # a file that does not say which were left out


def test_old_models_without_a_list_keep_all_their_words():
    """A file written before stop words were kept may have been fitted without any."""
    found = read_query("the wheat", Reading("counts", r"\b[a-z]{3,}\b"), ["the", "wheat"])
    assert found.row.toarray().tolist() == [[1, 1]]


@pytest.mark.parametrize(
    ("query", "known"),
    [
        ("MODELE", ["modèle"]),
        ("cote", ["coté", "côte"]),
        ("strasse", ["straße"]),
        ("αθηνα", ["αθήνα"]),
        ("modèle", ["modèle"]),
        ("据", ["数据", "据库"]),
        ("数据库", ["数据", "据库"]),
    ],
)
def test_what_a_keyboard_lacks_is_found_nevertheless(query, known):
    vocabulary = ["coté", "côte", "modèle", "straße", "αθήνα", "数据", "据库"]
    found = read_query(query, Reading("counts", WORDS, stop_words=()), vocabulary)
    assert (list(found.known), found.unknown) == (known, ())
    assert found.row.sum() == len(known)


@pytest.mark.parametrize("language", ["fr", "zh", "ru"])
def test_language_of_a_file(language, tmp_path):
    path = tmp_path / "texts.txt"
    path.write_text("\n".join(SENTENCES[language]), encoding="utf-8")
    rows = read(path)
    assert (rows.reading.language, rows.reading.stop_list) == (language, "auto")
    assert set(rows.reading.stop_words) == set(stop_words_of(language))
    assert any("--language none turns it off" in note for note in rows.notes)
    named = read(path, ReadingOptions(language=language))
    assert (named.vocabulary, named.reading.language, named.notes) == (rows.vocabulary, language, ())
    without = read(path, ReadingOptions(language="none"))
    assert (without.reading.language, without.reading.stop_words, without.notes) == ("none", (), ())
    assert len(without.vocabulary) > len(rows.vocabulary)
    own = read(path, ReadingOptions(stop_words="none"))
    assert (own.vocabulary, own.reading.language) == (without.vocabulary, None)
    with pytest.raises(DataError, match="no language 'klingon'"):
        read(path, ReadingOptions(language="klingon"))


def test_more_pairs_of_characters_than_words_are_kept():
    rng = np.random.default_rng(0)
    characters = [chr(0x4E00 + number) for number in range(200)]
    chinese = ["".join(rng.choice(characters, 100)) for _ in range(400)]
    assert len(count_words(chinese).vocabulary) == 20_000
    letters = list("abcdefghij")
    latin = [" ".join("".join(rng.choice(letters, 5)) for _ in range(100)) for _ in range(400)]
    assert len(count_words(latin + chinese[:5]).vocabulary) == 5000
    assert len(count_words(chinese, n_words=300).vocabulary) == 300

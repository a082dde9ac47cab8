"""What is written to files bit by bit is what is made of everything at once."""

import os

import numpy as np
import pytest
import scipy.sparse as sp

from wideangle._mapped import is_mapped
from wideangle._packed import ArrayFile, StringsFile, WordListsFile
from wideangle.documents import Strings, WordLists

TEXTS = ["first", "", "zwölf", "三", "x" * 50, "\ud800 alone", ""]


@pytest.mark.parametrize("each", [1, 3, 7])
def test_strings(tmp_path, each):
    file, expected = StringsFile(tmp_path / "texts"), Strings.of(TEXTS)
    for start in range(0, len(TEXTS), each):
        file.add(TEXTS[start : start + each])
    found = file.strings()
    np.testing.assert_array_equal(found.content, expected.content)
    np.testing.assert_array_equal(found.ends, expected.ends)
    assert (found.content.dtype, found.ends.dtype) == (expected.content.dtype, expected.ends.dtype)
    assert is_mapped(found.content)


@pytest.mark.parametrize("times", [True, False])
@pytest.mark.parametrize("largest", [3, 300, 70_000, 0.5])
@pytest.mark.parametrize("n_words", [6, 70_000])
def test_words(tmp_path, largest, times, n_words):
    counts = sp.lil_array((20, n_words))
    counts[:, :6] = np.random.default_rng(0).integers(3, size=(20, 6))
    counts[11, 2] = largest
    counts[5] = 0
    counts = sp.csr_array(counts)
    expected, file = WordLists.of(counts, times=times), WordListsFile(tmp_path / "words", n_words, times=times)
    for start in range(0, 20, 6):
        file.add(counts[start : start + 6])
    found = file.words()
    for name in ("columns", "ends", "times"):
        one, other = getattr(found, name), getattr(expected, name)
        assert (one is None) == (other is None)
        if one is not None:
            np.testing.assert_array_equal(one, other)
            assert one.dtype == other.dtype


def test_wrong_rows_are_refused(tmp_path):
    file = ArrayFile(tmp_path / "a", "uint8")
    with pytest.raises(ValueError, match="a holds uint8"):
        file.add([256])
    with pytest.raises(ValueError, match="rows of 2 numbers"):
        ArrayFile(tmp_path / "b", "float32", width=2).add([[1.0]])


def test_parts_and_rows_of_word_lists_are_those_of_the_counts():
    counts = np.random.default_rng(0).integers(3, size=(12, 5))
    counts[[0, 4, 11]] = 0
    lists = WordLists.of(counts)
    for part in (slice(0, 12), slice(0, 0), slice(4, 9), slice(11, 12), slice(12, 12)):
        np.testing.assert_array_equal(lists.part(part).counts(5).toarray(), counts[part])
    for rows in ([], [3], [11, 0, 3, 3, 4]):
        np.testing.assert_array_equal(lists.taken(rows).counts(5).toarray(), counts[rows])


@pytest.mark.skipif(os.name == "nt", reason="Windows removes no file that is mapped")
def test_who_has_mapped_a_file_keeps_it_when_it_is_written_anew(tmp_path):
    before = ArrayFile(tmp_path / "rows", np.int64)
    before.add([1, 2, 3])
    mapped = before.array()
    now = ArrayFile(tmp_path / "rows", np.int64)
    now.add([7, 8, 9])
    assert (mapped.tolist(), now.array().tolist()) == ([1, 2, 3], [7, 8, 9])

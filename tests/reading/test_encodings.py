"""Texts in every usual encoding, told by their bytes."""

import io

import pytest

from wideangle.exceptions import DataError
from wideangle.reading import TextSource
from wideangle.reading.encodings import CHUNK, guess_encoding

GERMAN = "id;text\n1;Käse und Brötchen über Öl\n2;Straße\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252"])
@pytest.mark.parametrize("name", ["d.csv", "d.txt"])
def test_a_file_in_any_encoding(name, encoding, tmp_path):
    (tmp_path / name).write_bytes(GERMAN.encode(encoding))
    source = TextSource(tmp_path / name)
    texts = [d.text for d in source]
    expected = ["Käse und Brötchen über Öl", "Straße"] if name == "d.csv" else GERMAN.splitlines()
    assert texts == expected
    said = "" if encoding.startswith("utf-8") else f"encoded in {encoding}"
    assert said in source.description


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "cp1252"])
def test_a_folder_of_files_each_in_its_own_encoding(encoding, tmp_path):
    (tmp_path / "a.txt").write_bytes("Käse".encode(encoding))
    (tmp_path / "b.txt").write_bytes("Öl".encode())
    assert [d.text for d in TextSource(tmp_path)] == ["Käse", "Öl"]


def test_a_few_broken_letters_do_not_make_another_encoding():
    whole = ("Käse über Öl " * 20).encode()
    assert guess_encoding(io.BytesIO(whole + b"\xe9 end")) == "utf-8"
    assert guess_encoding(io.BytesIO("lost: \ufffd".encode())) == "utf-8"


def test_a_letter_cut_by_the_end_of_a_chunk_is_no_broken_one():
    assert guess_encoding(io.BytesIO(b"a" * (CHUNK - 1) + "ä".encode() + b"b" * 10)) == "utf-8"
    assert guess_encoding(io.BytesIO(b"a" * (CHUNK - 1) + "ä".encode("cp1252") + b"b" * 10)) == "cp1252"


@pytest.mark.parametrize("name", ["d.csv", "d.txt", "d.jsonl"])
def test_bytes_that_are_no_text(name, tmp_path):
    (tmp_path / name).write_bytes(bytes(range(256)) * 20)
    with pytest.raises(DataError, match=f"{name} cannot be read as text: it holds binary data"):
        list(TextSource(tmp_path / name))


def test_bytes_of_the_very_end():
    assert guess_encoding(io.BytesIO("cafés et thé".encode("cp1252"))) == "cp1252"

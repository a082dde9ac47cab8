"""Texts in memory: what the commands say of the same texts in a file."""

import csv

import numpy as np
import pytest
from small_corpus import documents

import wideangle
from wideangle.cli import main
from wideangle.exceptions import DataError
from wideangle.new_texts import assign_texts, load_once, represent_texts

TEXTS = [text.replace("e", "&#101;") for text, _ in documents()]  # Words that only a reader of HTML knows.


@pytest.fixture(scope="module", params=["replicated-softmax", "tf-idf"])
def saved(request, tmp_path_factory):
    """A model file, and the folder with the texts it was fitted on."""
    folder = tmp_path_factory.mktemp("texts")
    (folder / "d.txt").write_text("".join(f"<p>{text}</p>\n" for text in TEXTS))
    size = ("-k", "6", "--updates", "100") if request.param == "replicated-softmax" else ()
    read = ("--model", request.param, "--strip-html", "--language", "en")
    assert main(["fit", str(folder / "d.txt"), *size, *read, "-q", "-o", str(folder / "m.wideangle")]) == 0
    (folder / "new.txt").write_text("".join(f"<p>{text}</p>\n" for text in [*TEXTS[:20], "unknownword"]))
    return folder


def new_texts(saved):
    return (saved / "new.txt").read_text().splitlines()


def table(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_vectors_are_those_of_transform(saved):
    assert (
        main(["transform", str(saved / "m.wideangle"), str(saved / "new.txt"), "-q", "-o", str(saved / "v.npz")]) == 0
    )
    with np.load(saved / "v.npz") as arrays:
        expected = arrays["X"]
    found = represent_texts(load_once(saved / "m.wideangle"), new_texts(saved))
    assert np.allclose(found, expected, atol=1e-5)


def test_topics_are_those_of_assign(saved):
    model = wideangle.load(saved / "m.wideangle")
    assert main(["assign", str(saved / "m.wideangle"), str(saved / "new.txt"), "-q", "-o", str(saved / "t.csv")]) == 0
    rows = table(saved / "t.csv")
    found = assign_texts(model, new_texts(saved))
    assert [str(topic + 1) if topic >= 0 else "" for topic in found.topics] == [row["topic"] for row in rows]
    assert found.topics[-1] == -1  # The model knows no word of it.
    assert np.allclose(found.sure[:-1], [float(row["sure"]) for row in rows[:-1]], atol=1e-3)


def test_a_model_is_loaded_once(saved, tmp_path):
    path = tmp_path / "m.wideangle"
    path.write_bytes((saved / "m.wideangle").read_bytes())
    first = load_once(path)
    assert load_once(path) is first
    path.write_bytes((saved / "m.wideangle").read_bytes())
    assert load_once(path) is not first


def test_mistakes(saved):
    model = load_once(saved / "m.wideangle")
    with pytest.raises(TypeError, match="list of strings; got 'corn'"):
        represent_texts(model, "corn")
    plain = wideangle.BernoulliRBM(2, max_updates=5, random_state=0).fit(np.eye(6))
    with pytest.raises(DataError, match="fitted on numbers"):
        represent_texts(plain, ["corn"])
    with pytest.raises(DataError, match="the model has no topics"):
        assign_texts(plain, ["corn"])

"""Models of many documents, whose arrays stay in the file and are gone through in parts, answer as small ones do.

The small ones of the other tests are taken for large here: all limits are set to nearly nothing.
"""

import json
import math
import re
import shutil

import numpy as np
import pytest

import wideangle
from wideangle import _blocks, _rows
from wideangle._mapped import is_mapped
from wideangle._model_files import array_file
from wideangle.commands.work.evaluate import evaluating
from wideangle.commands.work.update import updating
from wideangle.evaluation import _preparing, _second_look
from wideangle.exceptions import ModelFileError
from wideangle.report import map_documents

KINDS = ["replicated-softmax", "bernoulli-rbm", "lsi", "mlp"]
USES = {
    "info": ["info"],
    "topics": ["topics"],
    "meaning": ["search", "wheat corn", "--by", "meaning"],
    "words": ["search", "wheat corn", "--by", "words"],
    "both": ["search", "wheat ships interest", "-n", "30"],
    "euclidean": ["search", "wheat corn", "--metric", "euclidean"],
    "faiss": ["search", "wheat corn", "--method", "faiss"],
    "evaluate": ["evaluate"],
}


@pytest.fixture
def as_if_large(monkeypatch):
    def switch():
        monkeypatch.setattr(array_file, "MAPPED_FROM", 1)
        monkeypatch.setattr(_blocks, "BLOCK", 200)
        monkeypatch.setattr(_rows, "GATHERED", 5)
        monkeypatch.setattr(_second_look, "BLOCK_COLUMNS", 16)
        for module in (_rows, _preparing):
            monkeypatch.setattr(module, "IN_MEMORY", 0)

    return switch


def assert_alike(one, other):
    """Numbers but for rounding."""
    if isinstance(one, float) and isinstance(other, float):
        assert math.isclose(one, other, rel_tol=1e-5, abs_tol=1e-5)
    elif isinstance(one, dict):
        assert one.keys() == other.keys()
        for key in one:
            assert_alike(one[key], other[key])
    elif isinstance(one, list):
        assert len(one) == len(other)
        for pair in zip(one, other, strict=True):
            assert_alike(*pair)
    else:
        assert one == other


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("use", USES)
@pytest.mark.quick_cases(6)
def test_commands_say_the_same(use, kind, models, run, as_if_large):
    command, *more = USES[use]
    if use == "faiss":
        pytest.importorskip("faiss")
    line = [command, models[kind], *more, "--json", "-q"]
    code, before, _ = run(*line)
    as_if_large()
    assert is_mapped(wideangle.load(models[kind]).documents_.vectors)
    again, after, _ = run(*line)
    assert code == again
    if not code:
        assert_alike(json.loads(before), json.loads(after))


def test_assigned_documents_are_the_same(models, corpus, run, as_if_large):
    line = ["assign", models["replicated-softmax"], corpus / "corpus.csv", "--csv", "-q"]
    before = run(*line)
    as_if_large()
    assert run(*line) == before


def test_the_page_is_the_same(models, tmp_path, run, as_if_large, monkeypatch):
    monkeypatch.setattr(map_documents, "MOST", 40)
    pages = []
    for name in ("before", "after"):
        assert run("explore", models["replicated-softmax"], "-o", tmp_path / f"{name}.html", "-q")[0] == 0
        pages.append((tmp_path / f"{name}.html").read_text())
        as_if_large()
    # Places of the map and angles are rounded, and what is rounded may differ in its last digit.
    one, other = (re.sub(r'"(points|nearest|matrix)":"[^"]*"', "", page) for page in pages)
    assert len(one) == len(other)
    assert sum(a != b for a, b in zip(one, other, strict=True)) < 0.01 * len(one)


class TestChanging:
    """A model is changed in the file that its arrays are in."""

    @pytest.fixture
    def model(self, models, tmp_path, as_if_large):
        path = tmp_path / "m.wideangle"
        shutil.copy(models["replicated-softmax"], path)
        as_if_large()
        return path

    def test_names_and_merges_are_kept(self, model, run):
        documents = wideangle.load(model).documents_
        assert run("topics", model, "--rename", "1", "Bread", "-q")[0] == 0
        assert run("topics", model, "--merge", "1,2", "-q")[0] == 0
        again = wideangle.load(model).documents_
        np.testing.assert_array_equal(again.vectors, documents.vectors)  # The replaced file is there while it is used.
        assert list(again.names) == list(documents.names)

    def test_documents_join(self, model, run, corpus, monkeypatch):
        monkeypatch.setattr(updating, "MANY", 10)
        before = len(wideangle.load(model).documents_)
        more = model.with_name("more.jsonl")
        more.write_text(json.dumps({"id": "new", "text": "wheat corn barley wheat harvest"}))
        code, _, err = run("update", model, more)
        assert code == 0
        assert "holds all of them in memory" in err
        assert len(wideangle.load(model).documents_) == before + 1

    def test_learning_on(self, model):
        loaded = wideangle.load(model)
        loaded.partial_fit(loaded.documents_.words.counts(loaded.n_features_in_))
        assert len(loaded.topics(n_topics=3)) == 3
        loaded.save(model)
        assert len(wideangle.load(model).documents_) == len(loaded.documents_)

    def test_the_same_bytes_when_it_is_saved_again(self, model):
        content = model.read_bytes()
        wideangle.load(model).save(model)
        assert model.read_bytes() == content

    @pytest.mark.parametrize("name", ["vectors", "snippets.content", "words.columns"])
    def test_damage_to_what_stays_in_the_file_is_noticed(self, model, name):
        values = wideangle.load(model)
        for part in f"documents_.{name}".split("."):
            values = getattr(values, part)
        content = bytearray(model.read_bytes())
        place = content.index(values.tobytes()) + values.nbytes // 2
        content[place] ^= 1
        model.write_bytes(content)
        with pytest.raises(ModelFileError, match="damaged: its SHA-256"):
            wideangle.load(model)


def test_queries_that_are_drawn_have_some_of_each_class(models, run, monkeypatch):
    found = json.loads(run("evaluate", models["replicated-softmax"], "--json", "-q", "--queries", "10")[1])
    assert found["queries"] == 10
    assert all(row["queries"] for row in found["by_labels"]["classes"])
    assert "1 of each class at least" in found["protocol"]
    monkeypatch.setattr(evaluating, "OF_EACH_CLASS", 0)
    found = json.loads(run("evaluate", models["replicated-softmax"], "--json", "-q", "--queries", "10")[1])
    assert "of each class" not in found["protocol"]

"""The embedded corpus: real, long-tailed, deterministic."""

import ast
from pathlib import Path

import networkx
import numpy as np
import pytest

from wideangle.data import python_docs
from wideangle.data.docstrings import docstrings_of


@pytest.fixture(scope="module")
def docs(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SCIKIT_LEARN_DATA", str(tmp_path_factory.mktemp("home")))
        built = python_docs()
        cached = python_docs()
    return built, cached


def test_size_and_tail(docs):
    corpus = docs[0]
    sizes = np.sort(corpus.class_sizes())[::-1]
    assert 4000 < len(corpus) < 10_000
    assert len(sizes) > 60
    assert sizes[0] > 10 * np.median(sizes)
    assert sizes[-1] >= 8
    assert (corpus.lengths > 0).all()
    assert corpus.counts.shape[1] == 5000


def test_split_covers_every_class(docs):
    corpus = docs[0]
    assert corpus.is_train.mean() == pytest.approx(0.7, abs=0.02)
    assert set(corpus.train.labels) == set(corpus.labels)


def test_the_cache_holds_the_same(docs):
    built, cached = docs
    assert (built.counts != cached.counts).nnz == 0
    assert built.texts.tolist() == cached.texts.tolist()
    assert built.names.tolist() == cached.names.tolist()
    assert built.source == cached.source
    assert "numpy 2." in built.source or "numpy 1." in built.source


def test_documents_are_what_python_shows(docs):
    import scipy.stats

    corpus = docs[0]
    (row,) = [i for i, text in enumerate(corpus.texts) if text.startswith("scipy stats  stats py pearsonr\n")]
    assert scipy.stats.pearsonr.__doc__.split()[:8] == corpus.texts[row].split()[5:13]
    assert corpus.label_names[corpus.labels[row]] == "scipy.stats"
    assert corpus.names[row] == "scipy.stats._stats_py.pearsonr"


@pytest.mark.slow
def test_nothing_is_missed_that_a_full_parse_finds():
    root = Path(networkx.__file__).parent
    expected = set()
    for path in root.rglob("*.py"):
        if any(part.startswith("test") or part == "conftest.py" for part in path.relative_to(root).parts):
            continue
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
                text = ast.get_docstring(node)
                if text and len(text) >= 400:
                    expected.add((node.name, text))
    found = {(document.name.rsplit(".", 1)[1], document.text) for document in docstrings_of("networkx")}
    assert found == expected


def test_an_absent_package_has_no_docstrings():
    assert list(docstrings_of("no_such_package_anywhere")) == []

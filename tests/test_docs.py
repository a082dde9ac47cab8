"""What the pages say of the code is so: messages that are quoted, and code that is shown."""

import ast
import importlib
import inspect
import math
import re
import runpy

import pytest
from figures import ROOT

DOCS = ROOT / "docs"
SOURCES = sorted((ROOT / "src").rglob("*.py"))


def sentences_of_the_code():
    """Each string of the package, with … in place of what is filled in."""
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.JoinedStr):
                yield "".join(part.value if isinstance(part, ast.Constant) else "…" for part in node.values)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value


def is_said(message, sentences):
    """Whether one sentence holds all parts of a message, in their order; … stands for anything."""
    pattern = re.compile(".*".join(re.escape(part.strip()) for part in message.split("…")), re.DOTALL)
    return any(pattern.search(sentence) for sentence in sentences)


def quoted_messages():
    return re.findall(r"^### `(.+)`$", (DOCS / "faq.md").read_text(encoding="utf-8"), re.MULTILINE)


def test_messages_of_the_faq_are_those_of_the_code():
    sentences = list(sentences_of_the_code())
    messages = quoted_messages()
    assert len(messages) >= 10
    assert [message for message in messages if not is_said(message, sentences)] == []


@pytest.mark.parametrize("message", ["… does not exist. Czech the path.", "no word has a document left: …"])
def test_a_message_that_nobody_says_is_seen(message):
    assert not is_said(message, list(sentences_of_the_code()))


@pytest.mark.parametrize(
    ("link", "said"),
    [
        ('<a href="other.html#here">', ""),
        ('<a href="#top">', ""),
        ('<a href="https://example.org/">', ""),
        ('<a href="other.html#there">', "names nothing on that page"),
        ('<a href="nowhere.html">', "leads to no file"),
        ('<a href="folder/">', "is a folder"),
        ('<script src="https://example.org/code.js">', "is loaded from elsewhere"),
        ('<img src="picture.png">', "leads to no file"),
    ],
)
def test_a_link_that_leads_nowhere_is_seen(link, said, tmp_path):
    checker = runpy.run_path(str(DOCS / "check_links.py"))
    (tmp_path / "folder").mkdir()
    (tmp_path / "other.html").write_text('<p id="here"></p>')
    page = tmp_path / "index.html"
    page.write_text(f'<h1 id="top"></h1>{link}')
    pages = {path: checker["read_page"](path) for path in tmp_path.glob("*.html")}
    found = checker["faults"](page, pages)
    assert [said in one for one in found] == ([True] if said else [])


def estimators():
    for room in ("wideangle.models", "wideangle.baselines.documents", "wideangle.baselines.metrics"):
        yield from (getattr(importlib.import_module(room), name) for name in importlib.import_module(room).__all__)


@pytest.mark.parametrize("estimator", estimators(), ids=lambda estimator: estimator.__name__)
def test_every_estimator_has_an_example_that_is_run(estimator):
    # pytest runs the doctests of all modules under src.
    assert ">>> " in inspect.getdoc(estimator)


def run_page(name):
    """The names that the Python code of a page leaves behind, its blocks run one after the other."""
    blocks = re.findall(r"```python\n(.*?)```", (DOCS / name).read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) >= 4
    names = {}
    for block in blocks:
        exec(compile(block, name, "exec"), names)
    return names


def test_code_for_users_of_other_libraries_runs():
    pytest.importorskip("gensim")
    names = run_page("coming_from.md")
    assert names["model"].__class__.__name__ == "VectorSpace"
    assert names["rows"].norm(dim=1).detach().numpy() == pytest.approx(1, abs=1e-6)


def test_code_for_torch_runs():
    names = run_page("torch.md")
    assert len(names["angles"]) == 5
    assert 0 < names["score"] <= math.pi / 2

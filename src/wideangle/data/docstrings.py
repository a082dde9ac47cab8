"""A real corpus that needs no download: the docstrings of the installed scientific stack."""

import ast
import hashlib
import re
import zlib
from collections.abc import Iterator
from dataclasses import replace
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import numpy as np

from wideangle.data.corpus import Corpus
from wideangle.data.locate import cache_folder
from wideangle.data.text import TOKEN, count_words

PACKAGES = {"numpy": "numpy", "scipy": "scipy", "sklearn": "scikit-learn", "torch": "torch", "sympy": "sympy"}
PACKAGES |= {"networkx": "networkx"}
"""import names and distribution names; torch brings the last two"""

SHORTEST = 400  # characters; shorter docstrings are one-liners about arguments
FEWEST = 8  # documents per class
# Tests, vendored code, and the inside of torch's compiler say nothing to users. NumPy's _core holds public names.
_SKIPPED = ("test", "_vendor", "externals", "conftest", "benchmark")
_PRIVATE_BUT_PUBLIC = {"_core"}


_OBJECT = re.compile(r"^(?:def|class) ([A-Za-z]\w*)", re.MULTILINE)
_STRING = re.compile(r'"""(?:[^\\]|\\.)*?"""', re.DOTALL)


class Docstring(NamedTuple):
    """An object of a package: its full name, its module (the class) and its documentation."""

    name: str
    module: str
    text: str


def python_docs(n_words: int = 5000, *, cache: bool = True) -> Corpus:
    """Docstrings of numpy, scipy, scikit-learn, torch, sympy and networkx as a labelled corpus.

    Each public function or class is one document; its label is the subpackage it lives in ("scipy.stats"). About 5,000
    documents in over 60 classes, long-tailed by nature. The split depends on the objects' names alone. Deterministic
    for given versions of the packages; built in seconds, then cached. Nothing is imported: sources are parsed.

    Parameters
    ----------
    n_words : int, default=5000
        Size of the vocabulary.
    cache : bool, default=True
        Keep the result in the cache folder and read it from there the next time.

    Returns
    -------
    Corpus
        With `texts`, and `names` such as "scipy.stats._stats_py.pearsonr"; the source names the packages and their
        versions.
    """
    versions = ", ".join(f"{name} {version(dist)}" for name, dist in PACKAGES.items() if find_spec(name))
    key = hashlib.sha256(f"{versions}; {n_words}; {SHORTEST}; {FEWEST}; format 3".encode()).hexdigest()[:16]
    path = cache_folder() / f"python-docs-{key}.npz"
    source = f"docstrings of {versions}"
    if cache and path.exists():
        return replace(Corpus.open(path), source=source)
    found = {document.text: document for name in PACKAGES for document in docstrings_of(name)}  # one of equal texts
    documents = sorted(found.values())
    modules, sizes = np.unique([document.module for document in documents], return_counts=True)
    kept = set(modules[sizes >= FEWEST])
    documents = [document for document in documents if document.module in kept]
    corpus = count_words(
        [f"{document.name.replace('.', ' ').replace('_', ' ')}\n{document.text}" for document in documents],
        n_words=n_words,
        stop_words="english",
        token_pattern=TOKEN,
        labels=[document.module for document in documents],
        is_train=[zlib.crc32(document.name.encode()) % 10 < 7 for document in documents],
        keep_texts=True,
        source=source,
    )
    corpus = replace(corpus, names=np.array([document.name for document in documents], dtype=object))
    if cache:
        path.parent.mkdir(parents=True, exist_ok=True)
        corpus.save(path)
    return corpus


def docstrings_of(package: str) -> Iterator[Docstring]:
    """Documented public functions and classes of an installed package, in the order of its files."""
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        return
    root = Path(spec.origin).parent
    for path in sorted(root.rglob("*.py")):
        parts = path.relative_to(root).with_suffix("").parts
        if not _is_public(parts):
            continue
        module = package if parts == ("__init__",) else f"{package}.{parts[0].lstrip('_')}"
        for name, text in _documented(path.read_bytes().decode("utf-8", errors="replace")):
            yield Docstring(f"{package}.{'.'.join(parts)}.{name}", module, text)


def _documented(source: str) -> Iterator[tuple[str, str]]:
    """Names and docstrings of the public functions and classes at the top level of a file.

    Parsing whole files takes four times as long: each object is cut off behind its first long string.
    """
    for begin in _OBJECT.finditer(source):
        string = _STRING.search(source, begin.end())
        if string is None or len(string.group()) < SHORTEST:
            continue
        try:
            node = ast.parse(source[begin.start() : string.end()]).body[0]
        except SyntaxError:  # the string is not at the head of this object, or the file is a template
            continue
        text = ast.get_docstring(node) if isinstance(node, ast.FunctionDef | ast.ClassDef) else None
        if text is not None and len(text) >= SHORTEST:
            yield begin.group(1), text


def _is_public(parts: tuple[str, ...]) -> bool:
    if any(part.startswith(_SKIPPED) for part in parts):
        return False
    return all(not folder.startswith("_") or folder in _PRIVATE_BUT_PUBLIC for folder in parts[:-1])

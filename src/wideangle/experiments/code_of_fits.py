"""Which code decides what a fit gives, and its hash: whether a record was made by the code that is here now."""

import ast
import hashlib
import io
import sys
import tokenize
from dataclasses import fields
from functools import cache
from pathlib import Path

import wideangle
from wideangle.catalogue import entry_of
from wideangle.experiments.tasks import unasked_by

__all__ = ["fit_digest", "modules_of_fit"]

PACKAGE = wideangle.__name__
ROOT = Path(wideangle.__file__).parent
# Rooms that fits may import and that change no measure: how models are shown, saved and searched, how files of users
# are read (the checksum of the data tells what was read), and messages. Of the catalogue an entry counts by itself.
OTHER_ROOMS = (
    *("report", "reading", "topics", "searching", "persistence", "documents", "catalogue", "exceptions"),
    *("_encoding", "_files", "_model_files", "_optional", "_patterns", "_progress", "_version"),
    *("models._display", "models._topics", "experiments.jobs"),
)
NOT_OF_FITS = {"estimator", "command", "summary", "needs", "grid", "measures", "measures_without_labels"}
NOT_OF_FITS |= {"any_units", "averages", "deviations"}
"""fields of an entry that change no measure of a fit with given settings"""


@cache
def fit_digest(task: str, estimator: str) -> str:
    """A short hash of the code that fits an estimator and measures it, without comments and docstrings.

    Most changes of the package leave it as it is, so that most records stay records of the present code.
    """
    entry = entry_of(estimator)
    asked = {each.name: getattr(entry, each.name) for each in fields(entry) if each.name not in NOT_OF_FITS}
    found = hashlib.sha256(repr(asked).encode())
    for name in modules_of_fit(task, estimator):
        path = _path(name)
        code = "" if path is None else _bare(path.read_text(encoding="utf-8"))
        found.update(f"\n{name}\n{code}".encode())
    return found.hexdigest()[:12]


@cache
def modules_of_fit(task: str, estimator: str) -> tuple[str, ...]:
    """The modules that may decide a measure: those that the task and the estimator import, and so on from them."""
    left_out = tuple(f"{PACKAGE}.{room}" for room in (*OTHER_ROOMS, *unasked_by(task)))
    waiting = [f"{PACKAGE}.experiments.tasks.{task}", entry_of(estimator).home]
    found: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name in found or any(name == room or name.startswith(f"{room}.") for room in left_out):
            continue
        found.add(name)
        waiting += _imported(name)
    return tuple(sorted(found))


def _imported(name: str) -> list[str]:
    """The modules of the package that a module imports, wherever in it; of names for type checkers none."""
    path = _path(name)
    if path is None or not name.startswith(f"{PACKAGE}."):
        return []
    return [_home(module, each) for module, each in _imports(path.read_text(encoding="utf-8"))]


@cache
def _imports(text: str) -> tuple[tuple[str, str], ...]:
    """Module and name of each import from the package."""
    found, waiting = [], list(ast.parse(text).body)
    while waiting:
        node: ast.AST = waiting.pop()
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == PACKAGE:
            found += [(str(node.module), each.name) for each in node.names]
        elif isinstance(node, ast.Import):
            found += [(each.name, "") for each in node.names if each.name.split(".")[0] == PACKAGE]
        waiting += [each for each in ast.iter_child_nodes(node) if isinstance(each, ast.stmt)]
    return tuple(found)


def _home(module: str, name: str) -> str:
    """The module that a name comes from. Packages hand names on, and what else they hand on is not asked for."""
    if _path(f"{module}.{name}") is not None:
        return f"{module}.{name}"
    path = _path(module)
    if path is not None and path.name == "__init__.py":
        for other, handed_on in _imports(path.read_text(encoding="utf-8")):
            if handed_on == name and other != module:
                return _home(other, name)
    return module


def _path(name: str) -> Path | None:
    """The file of a module; None: there is none."""
    if name != PACKAGE and not name.startswith(f"{PACKAGE}."):  # an estimator of a user
        file = getattr(sys.modules.get(name), "__file__", None)
        return None if file is None else Path(file)
    place = ROOT.joinpath(*name.split(".")[1:])
    candidates = (place.with_name(f"{place.name}.py"), place / "__init__.py")
    return next((path for path in candidates if path.is_file()), None)


@cache
def _bare(text: str) -> str:
    """Code without comments, docstrings and empty lines."""
    lines = text.splitlines()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column]
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            first, last = node.lineno - 1, node.end_lineno or node.lineno
            lines[first:last] = [""] * (last - first)
    return "\n".join(line.rstrip() for line in lines if line.strip())

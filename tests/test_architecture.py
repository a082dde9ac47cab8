"""Arrows between rooms point one way. Reads the imports; runs nothing."""

import ast
from pathlib import Path

import pytest

import wideangle

ROOT = Path(wideangle.__file__).parent

# Each room and the rooms it may import. Those of `OPEN_TO_ALL` and the bare package (its version) are open to all.
MAY_IMPORT = {
    "functional": set(),
    "_texts": set(),
    "_validation": {"_texts"},
    "recent_rows": {"functional"},
    "diversity": {"functional", "recent_rows"},
    "optim": {"functional", "diversity"},
    "_draws": set(),
    "_layers": set(),
    "_responses": {"functional", "recent_rows", "_draws", "_layers"},
    "_kept_inputs": {"_responses", "_draws"},
    "regularizer": {"functional", "diversity", "recent_rows", "_responses", "_kept_inputs", "_draws", "_layers"},
    "integrations": {"regularizer", "functional", "_kept_inputs"},
    "theory": {"functional"},
    "data": {"_alphabets", "_validation", "_files", "_packed", "_wording", "documents"},
    "reading": {"_alphabets", "_engines", "_files", "_locks", "_wording", "data", "documents", "encoders"},
    "encoders": {"_alphabets", "_files", "catalogue", "data"},
    "evaluation": {"functional", "_validation"},
    "_alphabets": set(),
    "_arguments": set(),
    "_arrays": set(),
    "_blocks": set(),
    "_rare_groups": set(),
    "_mapped": set(),
    "_packed": {"_files", "documents"},
    "_engines": set(),
    "_parallel": set(),
    "_rows": set(),
    "_encoding": set(),
    "process_group": {"functional"},
    "_cells": set(),
    "_files": {"_locks"},
    "_forking": set(),
    "_json_lines": {"_files", "_locks"},
    "_locks": set(),
    "_quiet": set(),
    "_resumed": set(),
    "_listening": set(),
    "_patterns": {"_alphabets"},
    "_progress": set(),
    "_wording": set(),
    "catalogue": set(),
    "titles": set(),
    "documents": {"titles"},
    "finishing": {"evaluation"},
    "word_counts": {"data"},
    "view": {"catalogue", "documents", "evaluation", "finishing", "functional"},
    "topics": {"_alphabets", "_wording", "documents", "encoders", "evaluation", "reading", "view"},
    "_model_files": {"_encoding", "_patterns", "catalogue", "documents", "finishing", "topics"},
    "searching": {"_alphabets", "documents", "evaluation", "finishing", "reading", "view"},
    "_version": set(),
    "persistence": {
        "_validation",
        "_encoding",
        "_files",
        "_model_files",
        "catalogue",
        "documents",
        "topics",
    },
    "new_texts": {"persistence", "reading", "topics", "view"},
    "models": {
        "data",
        "functional",
        "diversity",
        "recent_rows",
        "optim",
        "regularizer",
        "_validation",
        "_encoding",
        "_files",
        "_locks",
        "_progress",
        "process_group",
        "persistence",
        "catalogue",
        "view",
        "evaluation",
        "finishing",
        "topics",
        "word_counts",
    },
    "distributed": {"_encoding", "_files", "catalogue", "data", "models", "process_group"},
    "baselines": {
        "finishing",
        "functional",
        "diversity",
        "optim",
        "regularizer",
        "_validation",
        "persistence",
        "catalogue",
        "evaluation",
        "models",
        "process_group",
        "word_counts",
    },
    "_own_settings": {"catalogue", "finishing", "models"},
    "tuning": {
        "_own_settings",
        "process_group",
        "_files",
        "_json_lines",
        "finishing",
        "functional",
        "models",
        "evaluation",
        "data",
        "catalogue",
        "view",
    },
    "experiments": {
        "models",
        "baselines",
        "evaluation",
        "data",
        "functional",
        "theory",
        "persistence",
        "_validation",
        "catalogue",
        "tuning",
        "topics",
        "view",
        "_cells",
        "_engines",
        "_files",
        "_json_lines",
        "_progress",
    },
    "report": None,  # on top: may import everything
    "commands": None,
    "cli": None,
    "__main__": None,
}
OPEN_TO_ALL = {
    *(
        "exceptions",
        "_arguments",
        "_arrays",
        "_blocks",
        "_forking",
        "_lazy",
        "_mapped",
        "_optional",
        "_parallel",
        "_quiet",
        "_resumed",
        "_rows",
    ),
}
LOWEST = {"wideangle._blocks", "wideangle._mapped", "wideangle.exceptions"}  # what rooms open to all may import
ON_TOP = {"report", "commands", "cli", "__main__"}
# The doors up, each a lazy import inside one function: `model.explore()` shows the page that stands above the models,
# and `data.TextSource` is in the reading room.
DOORS = {("models/_display.py", "wideangle.report"), ("data/__init__.py", "wideangle.reading")}
FORBIDDEN_PACKAGES = {"functional": {"sklearn"}, "optim": {"sklearn"}, "regularizer": {"sklearn"}}


def room_of(path):
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def imports_of(path):
    """Dotted names a file imports, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute here"
            yield node.module


FILES = sorted(path for path in ROOT.rglob("*.py") if path != ROOT / "__init__.py")


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(ROOT)))
def test_no_arrow_points_backward(path):
    room = room_of(path)
    if room in OPEN_TO_ALL:
        assert not [name for name in imports_of(path) if name.startswith("wideangle") and name not in LOWEST]
        return
    assert room in MAY_IMPORT, f"a new room {room!r}: say in MAY_IMPORT which rooms it may import"
    for name in imports_of(path):
        if name.split(".")[0] in FORBIDDEN_PACKAGES.get(room, ()):
            pytest.fail(f"{room} must not import {name}")
        if not name.startswith("wideangle.") or (path.relative_to(ROOT).as_posix(), name) in DOORS:
            continue
        target = name.split(".")[1]
        allowed = MAY_IMPORT[room]
        assert target not in ON_TOP or room in ON_TOP, f"{room} must not import {target}, which is on top"
        assert allowed is None or target in allowed | OPEN_TO_ALL | {room}, f"{room} must not import {target}"


def test_the_rule_catches_a_backward_arrow(tmp_path, monkeypatch):
    monkeypatch.setattr(f"{__name__}.ROOT", tmp_path)
    (tmp_path / "functional").mkdir()
    wrong = tmp_path / "functional" / "angles.py"
    for line in ("from wideangle.models import rbm", "import sklearn.utils", "def f():\n    import wideangle.cli"):
        wrong.write_text(line)
        with pytest.raises((AssertionError, pytest.fail.Exception)):
            test_no_arrow_points_backward(wrong)


@pytest.mark.parametrize("door", sorted(DOORS), ids=lambda door: door[0])
def test_a_door_is_opened_only_when_used(door):
    path, name = ROOT / door[0], door[1]
    tree = ast.parse(path.read_text())
    inside = {
        id(node) for function in ast.walk(tree) if isinstance(function, ast.FunctionDef) for node in ast.walk(function)
    }
    typing_only = {
        id(node)
        for test in tree.body
        if isinstance(test, ast.If) and isinstance(test.test, ast.Name) and test.test.id == "TYPE_CHECKING"
        for node in ast.walk(test)
    }
    uses = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module == name]
    # A table of names that are imported on first use has the name of the module as a string.
    in_a_table = any(isinstance(node, ast.Constant) and node.value == name for node in ast.walk(tree))
    used = in_a_table or any(id(node) in inside for node in uses)
    assert used, "a door that nobody uses: take it out of DOORS"
    assert all(id(node) in inside | typing_only for node in uses)


HEAVY = {"numpy", "scipy", "torch", "sklearn", "rich", "pandas"}


def imported_at_once(path):
    """Modules that are imported with a file, and not within its functions or for type checkers."""
    waiting = list(ast.parse(path.read_text()).body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif not isinstance(node, ast.FunctionDef):
            waiting += ast.iter_child_nodes(node)


ARGUMENTS = [path for path in FILES if room_of(path) == "commands" and "work" not in path.relative_to(ROOT).parts]


@pytest.mark.parametrize("path", ARGUMENTS, ids=lambda p: str(p.relative_to(ROOT)))
def test_arguments_do_not_wait_for_the_work(path):
    for name in imported_at_once(path):
        assert name.split(".")[0] not in HEAVY, f"import {name} in the function that needs it"
        assert not name.startswith("wideangle.commands.work"), f"import {name} when the arguments are checked"


def test_the_rule_catches_work_that_is_imported_at_once(tmp_path):
    file = tmp_path / "fit.py"
    for line in ("import torch", "from wideangle.commands import work", "class A:\n    import numpy as np"):
        file.write_text(line)
        with pytest.raises((AssertionError, pytest.fail.Exception)):
            test_arguments_do_not_wait_for_the_work(file)
    file.write_text("def run():\n    from wideangle.commands.work.fit.fitting import fit_model")
    test_arguments_do_not_wait_for_the_work(file)

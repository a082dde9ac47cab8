"""The public names, as the reference (docs/api.md) lists them, in one text that can be compared.

`python tests/public_names.py` prints what differs from the record, tests/public_names.txt, and writes it anew. A line
is a name with its parameters: those after `*` are passed by name, and `=` marks those that may be left out.
"""

import argparse
import difflib
import importlib
import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from wideangle.cli import build_parser

REFERENCE = Path(__file__).parents[1] / "docs" / "api.md"
RECORD = Path(__file__).with_suffix(".txt")
INHERITED = ("sklearn.", "torch.", "lightning.", "builtins.")  # Methods of other packages are theirs to keep.


def listed() -> Iterator[tuple[str, str]]:
    """Each module and name of the reference."""
    module = ""
    for line in REFERENCE.read_text(encoding="utf-8").splitlines():
        if found := re.match(r"\.\. currentmodule:: (\S+)", line):
            module = found[1]
        elif found := re.match(r" {3}(\w+)$", line):
            yield module, found[1]


def lines() -> list[str]:
    """All that is promised: names with their parameters, and the command line with its options and their values."""
    found = []
    for module, name in listed():
        what = getattr(importlib.import_module(module), name)
        found += [f"{module}.{name}{parameters(what)}"]
        found += [f"{module}.{name}.{method}" for method in methods(what)]
    return [*sorted(found), *command_line()]


def parameters(what: Any) -> str:
    """The parameters of a function or a class, without types and values."""
    if not callable(what) or (inspect.isclass(what) and issubclass(what, BaseException)):
        return ""
    try:
        signature = inspect.signature(what)
    except ValueError:  # Classes that C made have none.
        return ""
    shown, by_name = [], False
    for each in signature.parameters.values():
        if each.name == "self" or each.name.startswith("_"):
            continue
        if each.kind is each.KEYWORD_ONLY and not by_name:
            by_name = True
            shown.append("*")
        stars = "*" if each.kind is each.VAR_POSITIONAL else "**" if each.kind is each.VAR_KEYWORD else ""
        by_name = by_name or each.kind is each.VAR_POSITIONAL
        shown.append(stars + each.name + ("" if each.default is each.empty else "="))
    return f"({', '.join(shown)})"


def methods(what: Any) -> Iterator[str]:
    """The methods and properties of a class that are ours, with their parameters."""
    if not inspect.isclass(what):
        return
    for name in dir(what):
        if name.startswith("_"):
            continue
        member, home = next((vars(each)[name], each.__module__) for each in what.__mro__ if name in vars(each))
        if f"{home}.".startswith(INHERITED):
            continue
        plain = getattr(member, "__func__", member)
        if inspect.isfunction(plain) or isinstance(plain, property):
            yield name if isinstance(plain, property) else name + parameters(plain)


def command_line() -> Iterator[str]:
    """The commands with their arguments and options."""
    (commands,) = (action for action in build_parser()._actions if isinstance(action, argparse._SubParsersAction))
    for name, parser in sorted(commands.choices.items()):
        for action in parser._actions:
            known = action.choices if action.dest != "shell" else None  # shtab knows more shells in later versions.
            choices = f" {{{','.join(map(str, known))}}}" if known else ""
            yield f"$ wideangle {name} {', '.join(action.option_strings) or action.dest.upper()}{choices}"


def main() -> None:
    """Print what differs from the record, and write it anew."""
    recorded, now = RECORD.read_text(encoding="utf-8").splitlines() if RECORD.exists() else [], lines()
    RECORD.write_text("\n".join(now) + "\n", encoding="utf-8")
    sys.stdout.writelines(f"{line}\n" for line in difflib.unified_diff(recorded, now, lineterm="", n=0))


if __name__ == "__main__":
    main()

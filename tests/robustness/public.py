"""What is public: the names in the lists of the packages and of the modules right below `wideangle`."""

import dataclasses
import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from typing import Any

import wideangle
from wideangle.catalogue import entries


def public_modules() -> Iterator[str]:
    """Packages without an underscore, and modules right below `wideangle`. Deeper modules are for other rooms."""
    yield "wideangle"
    for found in pkgutil.walk_packages(wideangle.__path__, "wideangle."):
        private = any(part.startswith("_") for part in found.name.split("."))
        if not private and (found.ispkg or found.name.count(".") == 1):
            yield found.name


def public_callables() -> dict[str, Any]:
    """Functions and classes by the first public name that they have, but for estimators, records and types.

    A record is a data class without checks of its own: functions make it, and there is nothing to call in it.
    """
    estimators = {id(entry.load()) for entry in entries()}
    found: dict[str, Any] = {}
    seen = set()
    for module_name in public_modules():
        module = importlib.import_module(module_name)
        for name in getattr(module, "__all__", ()):
            what = getattr(module, name)
            if id(what) in seen or id(what) in estimators or not (inspect.isfunction(what) or _is_called(what)):
                continue
            seen.add(id(what))
            found[f"{module_name}.{name}"] = what
    return found


def _is_called(what: Any) -> bool:
    if not inspect.isclass(what) or issubclass(what, BaseException) or inspect.isabstract(what):
        return False
    if dataclasses.is_dataclass(what):
        return hasattr(what, "__post_init__")
    return "__init__" in vars(what)

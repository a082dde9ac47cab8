"""Packages that only some features need."""

from importlib import import_module
from typing import Any


def optional_import(name: str, *, extra: str, purpose: str) -> Any:
    """Import a module of an optional package. If that fails, the error says what needs it and how to install it.

    Examples
    --------
    >>> from wideangle._optional import optional_import
    >>> optional_import("no_such.package", extra="parquet", purpose="reading Parquet")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    ImportError: reading Parquet needs no_such, which cannot be imported (...): pip install 'wideangle[parquet]'
    """
    try:
        return import_module(name)
    except ImportError as error:
        package = name.split(".")[0]
        raise ImportError(
            f"{purpose} needs {package}, which cannot be imported ({error}): pip install 'wideangle[{extra}]'"
        ) from error

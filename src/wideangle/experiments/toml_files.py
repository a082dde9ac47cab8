"""TOML files whose mistakes are told with the file and the line."""

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

from wideangle.exceptions import SpecError

__all__ = ["TomlFile"]


@dataclass(frozen=True)
class TomlFile:
    """A file as text and as values."""

    path: Path
    text: str
    values: Mapping[str, Any]

    @classmethod
    def read(cls, path: Path) -> "TomlFile":
        # Python 3.10 has no tomllib; tomli is the same code.
        toml = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
        try:
            text = path.read_text(encoding="utf-8")
        except FileNotFoundError as error:
            raise SpecError(f"{path} does not exist. Check the path.") from error
        except (OSError, UnicodeDecodeError) as error:
            raise SpecError(f"{path} cannot be read: {error}") from error
        try:
            return cls(path, text, toml.loads(text))
        except ValueError as error:  # TOMLDecodeError, or a number of thousands of digits
            raise SpecError(f"{path} is not TOML: {error}") from None
        except RecursionError:
            raise SpecError(f"{path} is nested too deeply to be a spec. Write tables of plain values.") from None

    def fail(self, about: str, message: str, *, within: str = "") -> NoReturn:
        """Tell what is wrong, with the first line that has this word or value in it.

        The search begins at the line that defines the key or table `within`: the value may stand in a title before it.
        """
        begin = self._line(rf"^\s*\[?[\"']?{re.escape(within)}[\"']?\s*[\]=]", 1) or 1 if within else 1
        number = self._line(rf"(?<![\w-]){re.escape(about)}(?![\w-])", begin) or begin
        raise SpecError(f"{self.path}, line {number}: {message}")

    def _line(self, pattern: str, begin: int) -> int | None:
        """The first line, from `begin` on, in which the pattern is found outside of a comment."""
        lines = enumerate(self.text.splitlines()[begin - 1 :], begin)
        return next((number for number, line in lines if re.search(pattern, line.partition("#")[0])), None)

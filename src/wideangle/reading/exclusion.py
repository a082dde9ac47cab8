"""Files of a folder that are left out by patterns, written as in .gitignore."""

import re
from collections.abc import Callable, Sequence

from wideangle.exceptions import DataError

__all__ = ["exclusion"]

# Parts of a pattern and what they match: stars over folders first, because one star is a part of two.
SIGNS = {"**/": r"(?:[^/]+/)*", "/**": r"/.*", "**": r"[^/]*", "*": r"[^/]*", "?": r"[^/]"}
PART = re.compile(r"\*\*/|/\*\*$|\*\*|\*|\?|\[!?[^\]/]+\]|\\.|.", re.DOTALL)


def exclusion(patterns: Sequence[str]) -> Callable[[str], bool]:
    """Whether a path inside a folder, with slashes, is left out by the patterns.

    A pattern without a slash, or with one at its end alone, matches a file or folder of this name anywhere below the
    folder; with a slash it matches from the folder itself. `*` and `?` match within a name, `**` over folders. What
    lies in a folder that matches is left out with it. Of several patterns the last that matches decides, and one that
    begins with `!` takes back in.

    Examples
    --------
    >>> from wideangle.reading.exclusion import exclusion
    >>> excluded = exclusion(["drafts/", "*.old.txt", "!keep.old.txt", "/notes.txt"])
    >>> [excluded(path) for path in ("a/drafts/x.txt", "b/x.old.txt", "b/keep.old.txt", "notes.txt", "b/notes.txt")]
    [True, True, False, True, False]
    """
    rules = [(_matcher(pattern.removeprefix("!")), not pattern.startswith("!")) for pattern in patterns if pattern]

    def excluded(path: str) -> bool:
        return next((leaves_out for matches, leaves_out in reversed(rules) if matches.fullmatch(path)), False)

    return excluded


def _matcher(pattern: str) -> re.Pattern[str]:
    is_folder = pattern.endswith("/")
    pattern = pattern.rstrip("/")
    anywhere = "" if "/" in pattern else r"(?:.*/)?"
    inside = "/.+" if is_folder else "(?:/.+)?"
    signs = "".join(map(_sign, PART.findall(pattern.lstrip("/"))))
    try:
        return re.compile(anywhere + signs + inside, re.DOTALL)
    except re.error as error:
        raise DataError(f"--exclude {pattern!r} is no pattern: {error}. Write it as in .gitignore.") from error


def _sign(part: str) -> str:
    if part in SIGNS:
        return SIGNS[part]
    if part.startswith("[") and len(part) > 2:
        return part.replace("[!", "[^").replace("\\", "\\\\")
    return re.escape(part[-1])

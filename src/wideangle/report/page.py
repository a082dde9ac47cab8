"""The page itself: template, style, scripts and data in one file, which needs no network."""

import base64
import hashlib
import html
import json
import os
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from wideangle._files import replacing

FIRST, LAST = ("base.js", "theme.js"), ("main.js",)  # All other scripts stand between them and do not mind their order.
# Characters that could end a script element or a line of script; in JSON they occur only inside strings.
ESCAPED = {ord(char): f"\\u{ord(char):04x}" for char in "<>&\u2028\u2029"}
INLINE_HEIGHT = 860  # The frame in a notebook has this height in pixels.


@dataclass(frozen=True)
class Page:
    """An explorer page. Notebooks show it inline."""

    html: str
    title: str

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the page. An existing file is replaced once the new one is complete."""
        with replacing(path) as temporary:
            temporary.write_text(self.html, encoding="utf-8", newline="\n")
        return Path(path)

    def __repr__(self) -> str:
        return f"Page({self.title!r}, {len(self.html.encode()) / 1e6:.1f} MB)"

    def _repr_html_(self) -> str:
        """A frame whose scripts cannot reach the notebook around it."""
        return (
            f'<iframe title="{html.escape(self.title)}" sandbox="allow-scripts allow-downloads" '
            f'style="width: 100%; height: {INLINE_HEIGHT}px; border: 0" srcdoc="{html.escape(self.html)}"></iframe>'
        )


def render(title: str, content: dict[str, Any]) -> Page:
    """The page of some content, with plotly's script taken from the installed package."""
    from plotly.offline import get_plotlyjs  # Importing it takes long, so it is imported only here.

    script = "\n".join(["(() => {", '"use strict";', *map(_asset, _scripts()), "})();"])
    plotly = get_plotlyjs().replace("\r\n", "\n")  # Browsers read it so, and hash that text.
    parts = {
        "title": html.escape(title),
        "policy": _policy(plotly, script),
        "style": _asset("style.css"),
        "data": as_json(content),
        "plotly": plotly,
        "script": script,
    }
    pieces = []
    for number, piece in enumerate(_asset("page.html").split("@@")):
        pieces.append(parts[piece] if number % 2 else piece)
    return Page("".join(pieces), title)


def as_json(content: Any) -> str:
    """JSON that may stand inside a script element whatever its strings hold.

    Examples
    --------
    >>> from wideangle.report.page import as_json
    >>> as_json({"word": "</script>"})
    '{"word":"\\\\u003c/script\\\\u003e"}'
    """
    text = json.dumps(
        content, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=vars
    )  # `vars` turns dataclasses into dictionaries.
    return text.translate(ESCAPED)


def _policy(*scripts: str) -> str:
    """A security policy that allows no network, and no scripts except these, which it names by their hashes."""
    hashes = " ".join(f"'sha256-{base64.b64encode(hashlib.sha256(s.encode()).digest()).decode()}'" for s in scripts)
    return f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data: blob:"


def _scripts() -> list[str]:
    """The names of all scripts of the page, in an order in which each finds what it uses while it is read."""
    names = sorted(file.name for file in files("wideangle.report").joinpath("static").iterdir())
    between = [name for name in names if name.endswith(".js") and name not in FIRST + LAST]
    return [*FIRST, *between, *LAST]


def _asset(name: str) -> str:
    return files("wideangle.report").joinpath("static").joinpath(name).read_text(encoding="utf-8")

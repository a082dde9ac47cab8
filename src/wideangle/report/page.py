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
from wideangle.report.packing import packed_bytes
from wideangle.report.text_block import text_block

# All other scripts stand between these and do not mind their order; so do styles, after style.css.
FIRST, LAST = ("base.js", "theme.js", "state.js"), ("main.js",)
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


def render(
    title: str, content: dict[str, Any], texts: dict[str, Any] | None = None, index: bytes = b"", pixels: bytes = b""
) -> Page:
    """The page of some content.

    Names, titles and texts of documents, the index of their words and their pictures are the bulk of the page, and come
    packed.
    """
    content, steps = _without_steps(content)
    script = "\n".join(["(async () => {", '"use strict";', *map(_asset, _scripts()), "})();"])
    parts = {
        "title": html.escape(title),
        "loading": html.escape(_loading(content)),
        "policy": _policy(script, served=bool(content.get("served"))),
        "style": "\n".join(map(_asset, _styles())),
        "data": as_json(content),
        "steps": steps,
        "texts": "" if texts is None else packed_bytes(text_block(texts)),
        "index": packed_bytes(index) if index else "",
        "pixels": packed_bytes(pixels) if pixels else "",
        "script": script,
    }
    pieces = []
    for number, piece in enumerate(_asset("page.html").split("@@")):
        pieces.append(parts[piece] if number % 2 else piece)
    return Page("".join(pieces), title)


def _without_steps(content: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """The content without the documents of the slider from broad to fine, and these documents of each model.

    They are most of its bytes. They stand behind the script, which need not read them before the page is drawn.
    """
    models, steps = [], []
    for model in content.get("models", []):
        slider = dict(model.get("slider") or {})
        steps.append(slider.pop("steps", ""))
        models.append({**model, "slider": slider or None})
    return ({**content, "models": models} if models else content), " ".join(steps)


def _loading(content: dict[str, Any]) -> str:
    """What stands on the page until it is drawn."""
    documents = content.get("documents")
    return f"Loading {documents['shown']:,} {content.get('noun', 'document')}s …" if documents else "Loading …"


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


def _policy(script: str, *, served: bool) -> str:
    """A security policy: no script but this one, named by its hash, and no network but a served page's own."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    own = "; connect-src 'self'" if served else ""
    return f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; img-src data: blob:{own}"


def _scripts() -> list[str]:
    """The names of all scripts of the page, in an order in which each finds what it uses while it is read."""
    between = [name for name in _names(".js") if name not in FIRST + LAST]
    return [*FIRST, *between, *LAST]


def _styles() -> list[str]:
    return sorted(_names(".css"), key=lambda name: (name != "style.css", name))


def _names(ending: str) -> list[str]:
    folder = files("wideangle.report").joinpath("static")
    return sorted(file.name for file in folder.iterdir() if file.name.endswith(ending))


def _asset(name: str) -> str:
    return files("wideangle.report").joinpath("static").joinpath(name).read_text(encoding="utf-8")

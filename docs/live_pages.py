"""The explorer pages that one can click: `make pages` builds them, and the gallery links to those that are there.

    python docs/live_pages.py                  all whose data is here
    python docs/live_pages.py docstrings       one of them

20-News and Reuters need the data sets (WIDEANGLE_DATA). Pages hold the texts of their documents. So they are built
where they are wanted, and are neither committed nor shipped. Sphinx takes this file as an extension, which writes the
list of pages.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

LIVE = Path(__file__).parent / "live"
EXTRA = LIVE / "html"  # for html_extra_path: what is here has the same path on the site
PAGES = EXTRA / "pages"


class LivePage(NamedTuple):
    """A page, and how it is made."""

    title: str
    about: str
    source: Callable[[Path], Path]
    """from a folder to the file that is fitted on, which may be made there"""
    fit: Sequence[str] = ()
    explore: Sequence[str] = ()
    data: str = ""
    """the file under WIDEANGLE_DATA that it needs"""


def docstrings(folder: Path) -> Path:
    """The embedded corpus as a file."""
    from wideangle.data import python_docs

    python_docs().save(folder / "docstrings.npz")
    return folder / "docstrings.npz"


def digits(folder: Path) -> Path:
    """The digits of scikit-learn as a file."""
    import numpy as np
    from sklearn.datasets import load_digits

    images, labels = load_digits(return_X_y=True)
    np.savez(folder / "digits.npz", X=images, y=labels)
    return folder / "digits.npz"


def data_set(name: str) -> Callable[[Path], Path]:
    """A file under WIDEANGLE_DATA."""
    return lambda folder: Path(os.environ["WIDEANGLE_DATA"]) / name


NEWS, REUTERS = "20news_bydate.jsonl.gz", "reuters_top9.jsonl.gz"
LIVE_PAGES = {
    "docstrings": LivePage("Docstrings", "functions and classes of scientific Python packages", docstrings),
    "20news": LivePage("20-News", "posts to twenty newsgroups", data_set(NEWS), ("--strip-mail",), data=NEWS),
    "reuters": LivePage("Reuters", "news of the nine largest subjects", data_set(REUTERS), data=REUTERS),
    "digits": LivePage(
        "Digits",
        "handwritten digits, by a learned distance; its components are drawn as pictures",
        digits,
        ("--model", "distance", "-k", "20"),
        ("--shape", "8x8"),
    ),
}


def lacks(page: LivePage) -> bool:
    """Whether the data of a page is not here."""
    return bool(page.data) and not (Path(os.environ.get("WIDEANGLE_DATA") or LIVE / "no data") / page.data).exists()


def build(name: str, page: LivePage) -> None:
    """Fit the model and write the page."""
    PAGES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        model = str(Path(folder) / f"{name}.wideangle")
        source = str(page.source(Path(folder)))
        for command in (
            ["fit", source, *page.fit, "--quiet", "-o", model],
            ["explore", model, *page.explore, "--quiet", "-o", str(PAGES / f"{name}.html")],
        ):
            subprocess.run([sys.executable, "-m", "wideangle", *command], check=True)


def listed() -> str:
    """What the gallery says of the pages, as reStructuredText."""
    lines = [
        "Pages to click",
        "--------------",
        "",
        "What ``wideangle explore`` makes: one file with a map of the documents, their topics and a search.",
        "",
    ]
    for name, page in LIVE_PAGES.items():
        if (PAGES / f"{name}.html").exists():
            lines.append(f"* `{page.title} <../pages/{name}.html>`__: {page.about}")
        else:
            needs = " where ``WIDEANGLE_DATA`` names the data sets" if page.data else ""
            lines.append(f"* {page.title}: {page.about}. Not built here: ``make pages PAGES={name}`` does it{needs}.")
    return "\n".join([*lines, ""])


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx: the list must be there before pages are read, and the folder before the paths are checked."""
    PAGES.mkdir(parents=True, exist_ok=True)
    (LIVE / "list.txt").write_text(listed(), encoding="utf-8")
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def main() -> None:
    unknown = set(sys.argv[1:]) - set(LIVE_PAGES)
    if unknown:
        sys.exit(f"no page is called {', '.join(sorted(unknown))}; there are {', '.join(LIVE_PAGES)}.")
    for name in sys.argv[1:] or LIVE_PAGES:
        if lacks(LIVE_PAGES[name]):
            print(f"{name}: left out, {LIVE_PAGES[name].data} is not under WIDEANGLE_DATA")
            continue
        build(name, LIVE_PAGES[name])
        print(f"{name}: {PAGES / f'{name}.html'}, {(PAGES / f'{name}.html').stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()

"""Whether every link of the built site leads somewhere: `make docs` runs this after Sphinx.

Links within the site must name a file that is there and, behind #, an element of it. Nothing may be loaded from
elsewhere, so that the pages also work from disk. Links to other sites are asked for where a network is there, as
example.org tells: an answer that the page is gone is an error, and whatever else goes wrong is only told.
"""

import argparse
import sys
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

LOADED = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src", "video": "src"}
NOT_LOADED = {"canonical", "search", "index", "next", "prev", "author", "copyright"}  # of <link rel=…>
GONE = (404, 410)
SECONDS = 15
CONTROL = "https://example.org/"  # which answers where a network is there


@dataclass
class Page(HTMLParser):
    """What one page links to, what it loads, and the names of its elements."""

    links: set[str] = field(default_factory=set)
    loaded: set[str] = field(default_factory=set)
    names: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        said = {name: value for name, value in attrs if value is not None}
        self.names |= {said[name] for name in ("id", "name") if name in said}
        if tag == "a" and "href" in said:
            self.links.add(said["href"])
        if tag in LOADED and LOADED[tag] in said and said.get("rel") not in NOT_LOADED:
            self.loaded.add(said[LOADED[tag]])


def main() -> None:
    """Read all pages, then say what is wrong with them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("site", type=Path, help="the folder that Sphinx wrote")
    parsed = parser.parse_args()
    site: Path = parsed.site.resolve()
    pages = {path: read_page(path) for path in sorted(site.rglob("*.html")) if "_static" not in path.parts}
    wrong = [f"{path.relative_to(site)}: {fault}" for path in pages for fault in faults(path, pages)]
    links = sum(len(page.links) for page in pages.values())
    outside = sorted({urldefrag(link).url for page in pages.values() for link in page.links if is_outside(link)})
    print(f"{len(pages)} pages, {links:,} links, {len(outside)} other sites.")
    if answer_of(CONTROL) == 200:
        gone, unanswered = ask(outside)
        wrong += gone
        print(*unanswered, sep="\n")
    else:
        print("No network is there, so that other sites were not asked.")
    if wrong:
        sys.exit("\n".join(wrong))


def read_page(path: Path) -> Page:
    """The links and names of a file."""
    page = Page()
    page.feed(path.read_text(encoding="utf-8"))
    return page


def is_outside(link: str) -> bool:
    """Whether a link leads to another site."""
    return urlsplit(link).scheme in ("http", "https") or link.startswith("//")


def faults(path: Path, pages: dict[Path, Page]) -> list[str]:
    """What is wrong with the links of a page."""
    page = pages[path]
    found = [f"{url} is loaded from elsewhere" for url in sorted(page.loaded) if is_outside(url)]
    for link in sorted(page.links | page.loaded):
        parts = urlsplit(link)
        if parts.scheme or link.startswith("//"):
            continue
        target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
        if target.is_dir():
            found.append(f"{link} is a folder, which a browser does not open from disk as a page")
        elif not target.exists():
            found.append(f"{link} leads to no file")
        elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].names:
            found.append(f"{link} names nothing on that page")
    return found


def ask(urls: list[str]) -> tuple[list[str], list[str]]:
    """What other sites say is gone, and what could not be asked."""
    with ThreadPoolExecutor(8) as pool:
        answers = dict(zip(urls, pool.map(answer_of, urls), strict=True))
    gone = [f"{url} is gone ({answer})" for url, answer in answers.items() if answer in GONE]
    return gone, [f"{url} could not be checked: {said}" for url, said in answers.items() if isinstance(said, str)]


def answer_of(url: str) -> int | str:
    """The status of a page, or what went wrong."""
    request = urllib.request.Request(url, method="HEAD", headers={"User-Agent": "links of the wideangle docs"})
    try:
        with urllib.request.urlopen(request, timeout=SECONDS) as response:
            return int(response.status)
    except urllib.error.HTTPError as error:
        return error.code
    except (OSError, ValueError) as error:
        return str(error)


if __name__ == "__main__":
    main()

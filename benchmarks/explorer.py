"""How soon can the explorer page be used, and how large is it?

    python benchmarks/explorer.py [--quick] [--sizes]

The size of the page of K = 100, 5,000 words and 300, 8,000 and 100,000 documents, with what its texts and its index of
words take of it and how many characters of each text it holds; that of 8,000 documents also beside another model. How
long it takes to make it is told without the layout of the map. With --sizes that is all.

The pages of 8,000 documents are then opened from disk in Chromium, as fast as the machine is and slowed down four times
by the browser itself: the time from the start of navigation until something is painted, until list and search can be
used, until the first screen is drawn, until everything is drawn, and until texts can be read and searched; the time
until everything is drawn as a ratio to that of an empty page, opened by turns in the same run.
"""

import argparse
import json
import math
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from _browser import LONGEST, chromium, lacking, open_file

from wideangle.data import synthetic_corpus
from wideangle.models import ReplicatedSoftmax
from wideangle.report import explore
from wideangle.view import ModelView

EMPTY = """<!doctype html><meta charset="utf-8"><title>empty</title><body><script>
const moments = document.documentElement.dataset;
moments.usable = moments.drawn = moments.ready = performance.now();
</script>"""
SYLLABLES = ("ba", "con", "de", "er", "fi", "ga", "in", "lo", "mer", "no", "pre", "ra", "sti", "ten", "u", "ver")
LIMITS = {"size": 4.0, "usable": 1000, "drawn": 2000}
SIZES = (300, 8000, 100_000)
OPENED = 8000  # documents of the pages that are opened


def made_up(K: int, V: int, n_documents: int, seed: int) -> ReplicatedSoftmax:
    """A model of that size with documents of known topics, whose texts are longer than what is kept of them."""
    corpus = synthetic_corpus(n_documents, 60, V, seed=0).corpus
    model = ReplicatedSoftmax(K, max_updates=30, random_state=seed).fit(corpus.counts)
    generator = np.random.default_rng(0)
    words = np.array([f"{''.join(generator.choice(SYLLABLES, 3))}{number}" for number in range(V)])
    texts = (
        " ".join(generator.choice(words[columns], 250)) if len(columns) else ""
        for columns in np.split(corpus.counts.indices, corpus.counts.indptr[1:-1])
    )
    model.vocabulary_ = words.tolist()
    model.documents_ = ModelView.of(model).documents(
        corpus.counts, texts=texts, labels=corpus.labels, counts=corpus.counts
    )
    model.topics(n_topics=50)
    return model


def written(name: str, folder: Path, model: ReplicatedSoftmax, other: ReplicatedSoftmax | None = None) -> Path:
    """The page of one model or two, and what is said of its size."""
    n = len(model.documents_)
    layout = np.random.default_rng(0).standard_normal((n, 2))
    began = time.perf_counter()
    page = explore(model, other, layout=layout)
    took, path = time.perf_counter() - began, page.save(folder / f"{name}.html")
    block = {kind: len(page.html.split(f'id="{kind}">')[1].split("<")[0]) / 1e6 for kind in ("texts", "index")}
    about = json.loads(page.html.split('id="data">')[1].split("</script>")[0])["documents"]
    K, V = model.components_.shape
    limit = f" (limit {LIMITS['size']})" if n <= OPENED and other is None else ""
    print(
        f"size: K={K}, V={V}, {n} documents, {name}: {path.stat().st_size / 1e6:.2f} MB{limit}, of which texts "
        f"{block['texts']:.2f} and index {block['index']:.2f}; {about['shown']} documents are shown with "
        f"{about['kept']} characters of each; made in {took:.1f} s",
        flush=True,
    )
    return path


def pages(K: int, V: int, sizes: Sequence[int], opened: int, folder: Path) -> dict[str, Path]:
    """The pages that are opened; those of other sizes are only weighed."""
    found = {}
    for n in sizes:
        model = made_up(K, V, n, 0)
        path = written(f"{n} alone", folder, model)
        if n == opened:
            found = {"alone": path, "beside another": written("beside another", folder, model, made_up(K, V, n, 1))}
    empty = folder / "empty.html"
    empty.write_text(EMPTY)
    return {**found, "empty": empty}


def opening(found: dict[str, Path], slower: int, repeats: int) -> None:
    """Open the pages by turns, and print the middle of when each was painted, usable, drawn, whole and unpacked."""
    moments: dict[str, list[dict[str, float]]] = {name: [] for name in found}
    for _ in range(repeats):
        for name, path in found.items():
            with chromium() as browser:
                browser.execute_cdp_cmd("Emulation.setCPUThrottlingRate", {"rate": slower})
                moments[name].append({"whole": open_file(browser, path), **said_by(browser, name != "empty")})
    middle = {
        name: {what: statistics.median(each[what] for each in runs) for what in runs[0]}
        for name, runs in moments.items()
    }
    empty = middle.pop("empty")["whole"]
    for name, at in middle.items():
        print(
            f"opening, {slower} × slower, {name}: painted after {at['painted']:.0f} ms, usable after "
            f"{at['usable']:.0f} ms (limit {LIMITS['usable']}), drawn after {at['drawn']:.0f} ms "
            f"(limit {LIMITS['drawn']}), whole after {at['whole']:.0f} ms, texts after {at['unpacked']:.0f} ms, "
            f"an empty page {empty:.0f} ms: {at['whole'] / empty:.1f}",
            flush=True,
        )


def said_by(browser: Any, whole: bool) -> dict[str, float]:
    """When the page was first painted, usable and drawn, and when its texts were unpacked, in milliseconds."""
    deadline = time.monotonic() + LONGEST
    script = "const {usable, drawn, unpacked} = document.documentElement.dataset; return [usable, drawn, unpacked]"
    while None in (said := browser.execute_script(script)) and whole and time.monotonic() < deadline:
        time.sleep(0.05)
    paint = browser.execute_script("return performance.getEntriesByType('paint').map(({startTime}) => startTime)")
    usable, drawn, unpacked = said
    first = min(paint, default=math.nan)
    return {"painted": first, "usable": float(usable), "drawn": float(drawn), "unpacked": float(unpacked or drawn)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--sizes", action="store_true")
    asked = parser.parse_args()
    quick = asked.quick
    with tempfile.TemporaryDirectory() as folder:
        sizes, opened = ((50, 200), 200) if quick else (SIZES, OPENED)
        found = pages(*((10, 300) if quick else (100, 5000)), sizes, opened, Path(folder))
        if asked.sizes:
            return
        reason = lacking()
        if reason is not None:
            print(f"opening: not run: {reason}")
            return
        for slower in (1, 4):
            opening(found, slower, 1 if quick else 3)


if __name__ == "__main__":
    main()

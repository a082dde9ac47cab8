"""How soon can the explorer page be used, and how large is it?

    python benchmarks/explorer.py [--quick]

The size of the page of K = 100, 5,000 words and 8,000 documents, alone and beside another model, and how long it takes
to make it without the layout of the map. The page is then opened from disk in Chromium, as fast as the machine is and
slowed down four times by the browser itself: the time from the start of navigation until list and search can be used,
and until everything is drawn; each as a ratio to that of an empty page, opened by turns in the same run.
"""

import argparse
import statistics
import tempfile
import time
from pathlib import Path

import numpy as np
from _browser import chromium, lacking, open_file

from wideangle.data import synthetic_corpus
from wideangle.documents import Documents
from wideangle.models import ReplicatedSoftmax
from wideangle.report import explore

EMPTY = """<!doctype html><meta charset="utf-8"><title>empty</title><body><script>
document.documentElement.dataset.ready = document.documentElement.dataset.usable = performance.now();
</script>"""
SENTENCES = ("What follows is about", "Some words on", "A note that explains", "Nobody asked for", "An introduction to")
LIMITS = {"size": 2.5, "usable": 1000, "drawn": 3000}


def made_up(K: int, V: int, n_documents: int, seed: int) -> ReplicatedSoftmax:
    """A model of that size with documents of known topics, whose texts are as long as a page keeps them."""
    corpus = synthetic_corpus(n_documents, 60, V, seed=0).corpus
    model = ReplicatedSoftmax(K, max_updates=30, random_state=seed).fit(corpus.counts)
    words = [f"word{number}" for number in range(V)]
    generator = np.random.default_rng(0)
    texts = [
        f"{SENTENCES[row % 5]} " + " ".join(words[word] for word in generator.permutation(columns)[:45])
        for row, columns in enumerate(np.split(corpus.counts.indices, corpus.counts.indptr[1:-1]))
    ]
    model.vocabulary_ = words
    model.documents_ = Documents.of(
        model.transform(corpus.counts),
        texts=texts,
        labels=corpus.labels,
        counts=corpus.counts,
        logits=model.hidden_logits(corpus.counts),
    )
    model.topics(n_topics=50)
    return model


def pages(K: int, V: int, n_documents: int, folder: Path) -> dict[str, Path]:
    """The pages, and what they weigh."""
    first, second = (made_up(K, V, n_documents, seed) for seed in (0, 1))
    layout = np.random.default_rng(0).standard_normal((n_documents, 2))
    found = {}
    for name, other in (("alone", None), ("beside another", second)):
        began = time.perf_counter()
        found[name] = explore(first, other, layout=layout).save(folder / f"{name}.html")
        took, size = time.perf_counter() - began, found[name].stat().st_size / 1e6
        sizes = f"K={K}, V={V}, {n_documents} documents"
        print(f"size: {sizes}, {name}: {size:.2f} MB (limit {LIMITS['size']}), made in {took:.1f} s", flush=True)
    empty = folder / "empty.html"
    empty.write_text(EMPTY)
    return {**found, "empty": empty}


def opening(found: dict[str, Path], slower: int, repeats: int) -> None:
    moments: dict[str, dict[str, list[float]]] = {name: {"usable": [], "drawn": []} for name in found}
    for _ in range(repeats):
        for name, path in found.items():
            with chromium() as browser:
                browser.execute_cdp_cmd("Emulation.setCPUThrottlingRate", {"rate": slower})
                moments[name]["drawn"].append(open_file(browser, path))
                usable = browser.execute_script("return document.documentElement.dataset.usable")
                moments[name]["usable"].append(float(usable))
    empty = statistics.median(moments["empty"]["drawn"])
    for name in found:
        if name != "empty":
            middle = {what: statistics.median(values) for what, values in moments[name].items()}
            print(
                f"opening, {slower} × slower, {name}: usable after {middle['usable']:.0f} ms (limit "
                f"{LIMITS['usable']}), drawn after {middle['drawn']:.0f} ms (limit {LIMITS['drawn']}), an empty page "
                f"{empty:.0f} ms: {middle['drawn'] / empty:.1f}",
                flush=True,
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    with tempfile.TemporaryDirectory() as folder:
        found = pages(*((10, 300, 200) if quick else (100, 5000, 8000)), Path(folder))
        reason = lacking()
        if reason is not None:
            print(f"opening: not run: {reason}")
            return
        for slower in (1, 4):
            opening(found, slower, 1 if quick else 3)


if __name__ == "__main__":
    main()

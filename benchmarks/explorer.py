"""How soon can the explorer page be used, and how large is it?

A page of K = 500 components of 5,000 words, with documents, is opened from disk in Chromium. Inside the page: the time
from the start of navigation until list, map, histogram and long tail are drawn, as a ratio to that of a page that only
loads plotly's script and draws one point, opened by turns in the same run. The size is that of K = 100 and 5,000 words.
"""

import argparse
import statistics
import tempfile
import time
from pathlib import Path

import numpy as np
from _browser import chromium, lacking, open_file

from wideangle.documents import Documents
from wideangle.models import ReplicatedSoftmax
from wideangle.report import explore

POINT = """<!doctype html><meta charset="utf-8"><body><div id="point"></div><script>{script}</script><script>
Plotly.newPlot("point", [{{x: [1], y: [1]}}]).then(() => {{
  document.documentElement.dataset.ready = performance.now();
}});
</script>"""


def made_up(K: int, V: int, n_documents: int = 8000) -> ReplicatedSoftmax:
    """A model of that size, its components and documents random: a page takes no less for it."""
    generator = np.random.default_rng(0)
    model = ReplicatedSoftmax(K, max_updates=1, random_state=0).fit(generator.poisson(0.1, (200, V)))
    model.components_ = generator.standard_normal((K, V)) + 0.3 * generator.standard_normal(V)
    model.vocabulary_ = [f"word{number}" for number in range(V)]
    model.documents_ = Documents.of(
        generator.random((n_documents, K)),
        texts=["A sentence of usual length about nothing. " * 8] * n_documents,
        labels=np.minimum(generator.geometric(0.05, n_documents) - 1, 60),
    )
    return model


def plotly_alone(path: Path) -> Path:
    from plotly.offline import get_plotlyjs

    path.write_text(POINT.format(script=get_plotlyjs()), encoding="utf-8")
    return path


def size(K: int, V: int, folder: Path) -> None:
    model = made_up(K, V)
    for other, words in ((None, "alone"), (made_up(K, V), "beside another")):
        began = time.perf_counter()
        page = explore(model, other).save(folder / "size.html")
        took = time.perf_counter() - began
        print(f"size: K={K}, V={V}, {words}: {page.stat().st_size / 1e6:.2f} MB (limit 8), made in {took:.1f} s")


def opening(K: int, V: int, repeats: int, folder: Path) -> None:
    reason = lacking()
    if reason is not None:
        print(f"opening: not run: {reason}")
        return
    pages = {
        "explorer": explore(made_up(K, V)).save(folder / "explorer.html"),
        "plotly alone": plotly_alone(folder / "plotly.html"),
    }
    moments: dict[str, list[float]] = {name: [] for name in (*pages, "usable")}
    for _ in range(repeats):
        for name, path in pages.items():
            with chromium() as browser:
                moments[name].append(open_file(browser, path))
                if name == "explorer":  # the list, its panel and the search, before plotly's script is read
                    usable = browser.execute_script("return document.documentElement.dataset.usable")
                    moments["usable"].append(float(usable))
    middle = {name: statistics.median(found) for name, found in moments.items()}
    ratio = middle["explorer"] / middle["plotly alone"]
    print(
        f"opening: K={K}, V={V}: list and search usable after {middle['usable']:.0f} ms, charts drawn after "
        f"{middle['explorer']:.0f} ms (limit 3000), "
        f"plotly alone {middle['plotly alone']:.0f} ms: {ratio:.2f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    with tempfile.TemporaryDirectory() as folder:
        size(*((20, 500) if quick else (100, 5000)), Path(folder))
        opening(*((20, 500, 1) if quick else (500, 5000, 5)), Path(folder))


if __name__ == "__main__":
    main()

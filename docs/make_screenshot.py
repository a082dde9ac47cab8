"""Takes the picture of the explorer page for docs/explorer.md: two topic models of docstrings side by side."""

import sys
import tempfile
from pathlib import Path

import torch

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "benchmarks"))

from _browser import chromium, lacking, open_file  # noqa: E402

from wideangle.data import python_docs  # noqa: E402
from wideangle.documents import Documents  # noqa: E402
from wideangle.models import ReplicatedSoftmax  # noqa: E402
from wideangle.report import Page, explore  # noqa: E402

IMAGE = ROOT / "docs" / "images" / "explorer.png"


def page() -> Page:
    corpus = python_docs()
    assert corpus.texts is not None
    models = [
        ReplicatedSoftmax(25, max_updates=2000, random_state=0, **options).fit(corpus.train.counts)
        for options in ({"diversity": 0.0}, {})
    ]
    documents = [
        Documents.of(
            model.transform(corpus.counts),
            texts=[text.partition("\n")[2] for text in corpus.texts],
            names=[text.partition("\n")[0].replace(" ", ".") for text in corpus.texts],
            labels=corpus.labels,
            label_names=corpus.label_names,
            is_train=corpus.is_train,
        )
        for model in models
    ]
    return explore(
        *models,
        vocabulary=list(corpus.vocabulary),
        documents=documents[0],
        other_documents=documents[1],
        names=("plain", "diverse"),
        title="Topics of Python docstrings",
    )


def main() -> None:
    reason = lacking()
    if reason is not None:
        sys.exit(reason)
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder, chromium(1400, 1540) as browser:
        path = page().save(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(folder) / "page.html")
        open_file(browser, path)
        browser.execute_script("document.getElementById('option-1').click()")
        browser.execute_script("document.getElementById('panel').scrollTop = 0; window.scrollTo(0, 0)")
        browser.save_screenshot(str(IMAGE))
    print(f"{IMAGE.relative_to(ROOT)}: {IMAGE.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()

"""A small labelled corpus in every form the commands read, and models fitted on it."""

import csv
import json

import numpy as np
import pytest
from small_corpus import documents
from small_models import sized

from wideangle.cli import main


@pytest.fixture(scope="session")
def corpus(tmp_path_factory):
    """The folder that holds the corpus as folder, corpus.csv, .tsv, .jsonl, .parquet, .npz, and tables of numbers."""
    root = tmp_path_factory.mktemp("corpus")
    rows = list(documents())
    for number, (text, label) in enumerate(rows):
        path = root / "folder" / label / f"{number:02}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    for name, delimiter in (("corpus.csv", ","), ("corpus.tsv", "\t")):
        with (root / name).open("w", newline="") as file:
            writer = csv.writer(file, delimiter=delimiter)
            writer.writerow(("id", "text", "label"))
            writer.writerows((number, text, label) for number, (text, label) in enumerate(rows))
    (root / "corpus.jsonl").write_text("".join(json.dumps({"body": t, "category": c}) + "\n" for t, c in rows))
    (root / "corpus.txt").write_text("".join(f"{text}\n" for text, _ in rows))
    _write_arrays(root, rows)
    return root


def _write_arrays(root, rows):
    import pyarrow as pa
    import pyarrow.parquet as pq
    import scipy.sparse as sp

    from wideangle.data import count_words

    texts, labels = zip(*rows, strict=True)
    pq.write_table(pa.table({"content": texts, "class": labels}), root / "corpus.parquet")
    is_train = np.arange(len(rows)) % 4 > 0
    counted = count_words(texts, labels=labels, is_train=is_train, keep_texts=True)
    counted.save(root / "corpus.npz")
    sp.save_npz(root / "matrix.npz", sp.csr_matrix(counted.counts))
    codes = counted.labels
    rng = np.random.default_rng(1)
    X = np.clip(np.eye(3)[codes].repeat(2, axis=1) * 0.6 + rng.random((len(rows), 6)) * 0.4, 0, 1)
    np.savez(root / "arrays.npz", X=X, y=np.asarray(labels))
    with (root / "numbers.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*(f"x{i}" for i in range(6)), "label"])
        writer.writerows([*row, label] for row, label in zip(X, labels, strict=True))
    pq.write_table(pa.table({**{f"x{i}": X[:, i] for i in range(6)}, "label": list(labels)}), root / "numbers.parquet")


@pytest.fixture(scope="session")
def models(corpus, tmp_path_factory):
    """Model files by the name of the model, fitted on the folder with a quarter held out; "numbers" on a table."""
    return Fitted(corpus, tmp_path_factory.mktemp("models"))


class Fitted(dict):
    """Model files that are fitted when a test first asks for them."""

    def __init__(self, corpus, root):
        super().__init__()
        self.corpus, self.root = corpus, root

    def __missing__(self, name):
        self[name] = path = self.root / f"{name}.wideangle"
        if name == "numbers":
            read = [str(self.corpus / "numbers.csv"), *sized("distance", 3, 50)]
        else:
            read = [str(self.corpus / "folder"), *sized(name, 6, 300), "--hold-out", "0.25", "--seed", "3"]
            read += ["--language", "en"]  # These documents have no stop words that would tell it.
        assert main(["fit", *read, "--quiet", "-o", str(path)]) == 0
        return path


@pytest.fixture
def run(capsys):
    """Run a command: its exit code, what it wrote to stdout and to stderr."""

    def call(*arguments):
        capsys.readouterr()
        code = main([str(argument) for argument in arguments])
        written = capsys.readouterr()
        return code, written.out, written.err

    return call


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    """`wideangle tune` keeps its journal in the present folder, and tests must not find that of others."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def answer(run):
    """Run a command that succeeds with --json; the document."""

    def call(*arguments):
        code, out, err = run(*arguments, "--json")
        assert code == 0, err
        return json.loads(out)

    return call

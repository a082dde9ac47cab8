"""Everything that writes: one entry per job. A new command joins the tests of faults by one entry in `JOBS`."""

import csv
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from small_corpus import documents

QUICK = ("-k", "3", "--updates", "20", "--quiet")


@dataclass(frozen=True)
class Job:
    """Work that writes files into a folder, of which `before` are there from the beginning."""

    name: str
    work: Callable[[Path, Path], int]
    """is called with the folder of inputs and that of outputs, and gives the exit code"""
    writes: tuple[str, ...]
    before: tuple[str, ...] = ()
    """names of files or folders of the inputs that are copied to the outputs first"""
    leaves: tuple[str, ...] = ()
    """what may be there after a failure: finished parts, which the next run uses"""
    goes_on: bool = False
    """whether it warns where it cannot write, and goes on"""

    def prepare(self, inputs, out):
        """Put what was there before into the folder of outputs."""
        for name in self.before:
            copy = shutil.copytree if (inputs / name).is_dir() else shutil.copyfile
            copy(inputs / name, out / name)


def command(*arguments):
    """A job that is a command. {inputs} and {out} stand for the two folders."""

    def work(inputs, out):
        from wideangle.cli import main

        return main([argument.format(inputs=inputs, out=out) for argument in arguments])

    return work


def saved_model(inputs, out):
    import wideangle

    wideangle.load(inputs / "m.wideangle").save(out / "m.wideangle")
    return 0


def saved_corpus(inputs, out):
    from wideangle.data import count_words

    texts, labels = zip(*documents(), strict=True)
    count_words(texts, labels=labels, keep_texts=True).save(out / "corpus.npz")
    return 0


def counts_on_disk(inputs, out):
    from wideangle.data import Document, write_counts

    write_counts([Document(text, label, "") for text, label in documents()], out / "counts")
    return 0


def checkpointed_fit(inputs, out):
    import wideangle
    from wideangle.data import count_words
    from wideangle.models._training.checkpoint import Checkpoints

    with Checkpoints(out / "checkpoints", every_seconds=0):
        counts = count_words([text for text, _ in documents()]).counts
        wideangle.ReplicatedSoftmax(3, max_updates=20, random_state=0, device="cpu").fit(counts)
    return 0


def reproduced(inputs, out):
    from wideangle.cli import main

    os.environ["WIDEANGLE_DOCSTRINGS"] = str(inputs / "small.npz")
    return main(["reproduce", str(inputs / "spec" / "made_up.toml"), "--records", str(out / "records"), "--quiet"])


READ, MODEL = "{inputs}/corpus.csv", "{inputs}/m.wideangle"
JOBS = [
    Job("fit", command("fit", READ, *QUICK, "-o", "{out}/m.wideangle"), ("m.wideangle",), ("m.wideangle",)),
    Job(
        "fit --stream",
        command("fit", READ, "--stream", *QUICK, "-o", "{out}/m.wideangle"),
        ("m.wideangle",),
        ("m.wideangle",),
        leaves=("m.wideangle.parts",),
    ),
    Job(
        "update",
        command("update", "{out}/m.wideangle", "{inputs}/new.csv", "--quiet"),
        ("m.wideangle",),
        ("m.wideangle",),
    ),
    Job("topics --rename", command("topics", "{out}/m.wideangle", "--rename", "1", "Grain"), *2 * (("m.wideangle",),)),
    Job("topics", command("topics", MODEL, "-o", "{out}/t.csv"), ("t.csv",), ("t.csv",)),
    Job("assign", command("assign", MODEL, READ, "-o", "{out}/a.csv", "--quiet"), ("a.csv",), ("a.csv",)),
    Job("assign to a workbook", command("assign", MODEL, READ, "-o", "{out}/a.xlsx", "--quiet"), ("a.xlsx",)),
    Job("assign to Parquet", command("assign", MODEL, READ, "-o", "{out}/a.parquet", "--quiet"), ("a.parquet",)),
    Job("transform", command("transform", MODEL, READ, "-o", "{out}/v.npz", "--quiet"), ("v.npz",)),
    Job("transform to JSON", command("transform", MODEL, READ, "-o", "{out}/v.jsonl", "--quiet"), ("v.jsonl",)),
    Job("explore", command("explore", MODEL, "-o", "{out}/p.html", "--quiet"), ("p.html",)),
    Job(
        "tune",
        command("tune", READ, "-k", "2", "--diversity", "0,1", "--updates", "5", "-o", "{out}/c.png", "--quiet"),
        ("c.png",),
        leaves=("c.tuning.jsonl",),
    ),
    Job("reproduce", reproduced, ("records/documents.jsonl",), leaves=("records",)),
    Job("model.save", saved_model, ("m.wideangle",), ("m.wideangle",)),
    Job("Corpus.save", saved_corpus, ("corpus.npz",), ("corpus.npz",)),
    Job("write_counts", counts_on_disk, ("counts/counts.json",)),
    Job("checkpoints", checkpointed_fit, ("checkpoints/fit-0001.checkpoint",), leaves=("checkpoints",), goes_on=True),
]
BY_NAME = {job.name: job for job in JOBS}


def write_inputs(folder):
    """The files that jobs read, and those that they find where they write."""
    import fake_fits

    rows = list(documents())
    _write_csv(folder / "corpus.csv", [(f"d{number}", *row) for number, row in enumerate(rows)])
    _write_csv(
        folder / "new.csv",
        [(f"n{number}", f"{text} new{number}", label) for number, (text, label) in enumerate(rows[:12])],
    )
    run = command("fit", READ, *QUICK, "--language", "en", "-o", MODEL)
    assert run(folder, folder) == 0
    assert BY_NAME["topics"].work(folder, folder) == 0
    assert BY_NAME["assign"].work(folder, folder) == 0
    saved_corpus(folder, folder)
    fake_fits.write_small_corpus(folder / "small.npz")
    fake_fits.write_spec(folder / "spec", fake_fits.changed(models='["plain"]', seeds="1", sizes="[2, 4]"))
    return folder


def _write_csv(path, rows):
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([("id", "text", "label"), *rows])


def contents(folder):
    """The bytes of all files in a folder by their paths; hidden ones among them."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def is_whole(path):
    """Whether a file can be read to its end by what reads its kind."""
    import json

    import wideangle
    from wideangle.data import Corpus, open_counts

    match path.suffix:
        case ".wideangle":
            wideangle.load(path)
        case ".npz" if path.name == "corpus.npz":
            Corpus.open(path)
        case ".npz":
            dict(np.load(path))
        case ".csv":
            return len(list(csv.reader(path.read_text().splitlines()))) > 1
        case ".xlsx":
            import openpyxl

            return openpyxl.load_workbook(path).active.max_row == 61
        case ".parquet":
            import pyarrow.parquet as pq

            return pq.read_table(path).num_rows == 60
        case ".jsonl":
            return all(isinstance(json.loads(line), dict) for line in path.read_text().splitlines())
        case ".html":
            return path.read_text().rstrip().endswith("</html>")
        case ".png":
            return path.read_bytes().endswith(b"IEND\xaeB`\x82")
        case ".json":
            open_counts(path.parent)
        case ".checkpoint":
            from wideangle.models._training.checkpoint_files import parse

            parse(path, path.read_bytes())
    return True

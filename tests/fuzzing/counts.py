"""Counts on disk: the folders that `write_counts` makes, and the parts of a source that `read_to_disk` counted."""

import json
import random

import numpy as np
from fuzzing.folders import folder_packed, mutate_folder, unpack_to
from fuzzing.of_archives import mutate_archive, mutate_array
from fuzzing.of_bytes import mutate_bytes
from fuzzing.of_values import mutate_values
from fuzzing.target import BrokenLawError, Subject, Target, only
from small_corpus import documents

from wideangle._engines import LocalProcesses
from wideangle.data import Document, write_counts
from wideangle.data.stored.counts import open_counts
from wideangle.exceptions import DataError
from wideangle.reading.to_disk import Counting, read_to_disk

ALONE = Counting(LocalProcesses(1), part=2500)
TYPES = ["uint8", "uint16", "uint32", "int64", "float64", "<u2", ">u2", "object", "U5", "int8", "V0", "i4,i4", "x", ""]


def targets():
    """The folder that a model is fitted on, and the folder of a reading that was interrupted."""
    return [Target("counts on disk", _counts), Target("counted parts", _parts)]


def _counts(folder):
    labelled = [Document(text, label, f"row {number}") for number, (text, label) in enumerate(documents())]
    write_counts(labelled, folder / "labelled")
    write_counts((Document(each.text, None, each.name) for each in labelled), folder / "plain")
    case = folder / "case"

    def read(content):
        unpack_to(case, content)
        counts = open_counts(case)
        numbers = random.Random(len(content))
        rows = [numbers.randrange(len(counts)) for _ in range(5)] if len(counts) else []
        for taken in (counts[rows], counts[:7], *counts.blocks(16)):
            taken.check_format(full_check=True)
            if not np.isfinite(taken.data).all():
                raise BrokenLawError("a count is not finite")
        if counts.sum(axis=1).sum() != counts.sum(axis=0).sum():
            raise BrokenLawError("rows and columns have different sums")
        if counts.document_frequency.sum() != counts.nnz:
            raise BrokenLawError("words are in more or fewer documents than there are entries")

    seeds = [folder_packed(folder / name) for name in ("labelled", "plain")]
    return Subject(seeds, lambda rng, content: mutate_folder(rng, content, _file), read, only(DataError))


def _parts(folder):
    source = folder / "source.jsonl"
    rows = [{"id": f"d{number}", "text": text, "label": label} for number, (text, label) in enumerate(documents())]
    source.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    whole = read_to_disk(source, folder / "store", counting=ALONE)
    interrupted = folder_packed(folder / "store")
    case = folder / "case"

    def read(content):
        unpack_to(case, content)
        rows = read_to_disk(source, case, counting=ALONE)
        if rows.X.shape[0] != whole.X.shape[0]:
            raise BrokenLawError(f"{rows.X.shape[0]} rows were made of {whole.X.shape[0]}")
        rows.X[:].check_format(full_check=True)
        list(rows.names), list(rows.snippets or ())

    def mutate(rng, content):
        # A part under the name of another one is not noticed: a part does not know which one it is.
        return mutate_folder(rng, content, _file, swaps=False)

    return Subject([interrupted], mutate, read, only(DataError))


def _file(rng, name, held):
    """A file of either folder with one change."""
    if name.endswith(".npz"):
        return mutate_archive(rng, held, mutate_array)
    if name.endswith(".json") and rng.random() < 0.7:
        try:
            return json.dumps(mutate_values(rng, json.loads(held), TYPES)).encode()
        except (ValueError, RecursionError):
            return mutate_bytes(rng, held)
    if rng.random() < 0.6 and len(held) > 8:  # The length stays, because a wrong one is refused at once.
        at = rng.randrange(len(held))
        piece = bytes(rng.choice([0, 1, 127, 128, 255, rng.randrange(256)]) for _ in range(rng.choice([1, 1, 2, 8])))
        return (held[:at] + piece + held[at + len(piece) :])[: len(held)]
    return mutate_bytes(rng, held)

"""Files of documents and of numbers, as users bring them: CSV, JSON lines, Parquet, workbooks and arrays."""

import csv
import gzip
import io
import json
from functools import partial

import numpy as np
import scipy.sparse as sp
from fuzzing.of_archives import mutate_archive, mutate_array, mutate_xml
from fuzzing.of_bytes import mutate_bytes
from fuzzing.of_texts import mutate_json_lines, mutate_table
from fuzzing.target import BrokenLawError, Subject, Target, only
from small_corpus import documents

from wideangle.data import count_words
from wideangle.exceptions import DataError
from wideangle.reading import read, read_new

ROWS = 24


def targets():
    """One per kind of file."""
    return [
        Target("CSV", partial(_subject, ending="csv", seeds=_csv, mutate=mutate_table)),
        Target("JSON lines", partial(_subject, ending="jsonl", seeds=_json_lines, mutate=mutate_json_lines)),
        Target("Parquet", partial(_subject, ending="parquet", seeds=_parquet, mutate=mutate_bytes)),
        Target(
            "XLSX",
            partial(_subject, ending="xlsx", seeds=_workbooks, mutate=partial(mutate_archive, inside=mutate_xml)),
        ),
        Target(
            "npz",
            partial(_subject, ending="npz", seeds=_arrays, mutate=partial(mutate_archive, inside=mutate_array)),
        ),
    ]


def _subject(folder, ending, seeds, mutate):
    path = folder / f"case.{ending}"
    good = folder / f"good.{ending}"

    def rows_of(content):
        path.write_bytes(content)
        rows = read(path)
        _check(rows)
        _check(read_new(path, rows.reading, rows.vocabulary, n_features=rows.X.shape[1]))

    made = seeds(good)
    return Subject(made, mutate, rows_of, only(DataError))


def _check(rows):
    """Whether rows are what `Rows` promises: finite numbers, with one name, label and split each."""
    X = rows.X
    if sp.issparse(X):
        X.check_format(full_check=True)
    if not np.isfinite(X.data if sp.issparse(X) else X).all():
        raise BrokenLawError("the rows hold NaN or infinities")
    for what in ("names", "labels", "is_train", "snippets", "titles", "dates"):
        value = getattr(rows, what)
        if value is not None and len(list(value)) != X.shape[0]:
            raise BrokenLawError(f"there are {X.shape[0]} rows but {len(list(value))} {what}")
    if rows.vocabulary is not None and len(rows.vocabulary) != X.shape[1]:
        raise BrokenLawError("there are more or fewer words than columns")
    if rows.labels is not None and rows.label_names is not None and not max(rows.labels) < len(rows.label_names):
        raise BrokenLawError("a label has no name")
    for text in (*rows.names, *(rows.label_names or ()), rows.description, *rows.notes):
        if not isinstance(text, str):
            raise BrokenLawError(f"{text!r} should be a text")


def _rows():
    return [
        {"id": f"d{n}", "title": f"Title {n}", "text": text, "label": label, "date": f"2024-01-{1 + n:02d}", "n": n / 7}
        for n, (text, label) in zip(range(ROWS), documents(), strict=False)
    ]


def _numbers():
    rng = np.random.default_rng(0)
    return [{"id": f"r{n}", "a": rng.random(), "b": n, "c": -1e3 * rng.random(), "k": "xy"[n % 2]} for n in range(9)]


def _as_csv(rows, separator=","):
    stream = io.StringIO(newline="")
    writer = csv.DictWriter(stream, rows[0], delimiter=separator)
    writer.writeheader()
    writer.writerows(rows)
    return stream.getvalue().encode()


def _csv(_):
    texts = _as_csv(_rows())
    compressed, wide = gzip.compress(texts, mtime=0), texts.decode().encode("utf-16")
    return [texts, _as_csv(_numbers()), _as_csv(_rows(), ";"), compressed, wide]


def _json_lines(_):
    texts = b"".join(json.dumps(row).encode() + b"\n" for row in _rows())
    nested = [{"id": row["id"], "payload": {"text": row["text"], "tags": ["a", 1]}} for row in _rows()]
    return [
        texts,
        b"".join(json.dumps(row).encode() + b"\n" for row in _numbers()),
        b"".join(json.dumps(row).encode() + b"\n" for row in nested),
        gzip.compress(texts, mtime=0),
        json.dumps(_rows()).encode(),
    ]


def _parquet(path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    found = []
    for rows, options in ((_rows(), {}), (_numbers(), {"compression": "none"}), (_rows(), {"use_dictionary": False})):
        pq.write_table(pa.Table.from_pylist(rows), path, row_group_size=9, **options)
        found.append(path.read_bytes())
    return found


def _workbooks(path):
    import openpyxl

    found = []
    for rows in (_rows(), _numbers()):
        workbook = openpyxl.Workbook()
        sheet = workbook.active
        for record in (list(rows[0]), *(list(row.values()) for row in rows)):
            sheet.append(record)
        workbook.create_sheet("empty")
        workbook.save(path)
        found.append(path.read_bytes())
    return found


def _arrays(path):
    texts, labels = zip(*documents(), strict=True)
    corpus = count_words(texts, labels=labels).split_randomly()
    X = np.random.default_rng(0).random((9, 4))
    others = {
        "y": np.arange(9) % 2,
        "label_names": np.array(["a", "b"]),
        "names": np.arange(9).astype(str),
    }
    corpus.save(path)
    found = [path.read_bytes()]
    sp.save_npz(path, sp.csr_array(np.round(3 * X)))
    found.append(path.read_bytes())
    np.savez(path, X=X, **others)
    found.append(path.read_bytes())
    np.savez_compressed(path, X=np.round(9 * X).astype(int), vocabulary=np.array(list("abcd")), is_train=X[:, 0] > 0.2)
    return [*found, path.read_bytes()]

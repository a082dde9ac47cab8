"""Files that are read part by part: the same rows as when they are read at once, whatever becomes of the reading."""

import csv
import json
import os
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest

from wideangle._engines import LocalProcesses
from wideangle.exceptions import DataError
from wideangle.reading import ReadingOptions, read
from wideangle.reading import to_disk as module
from wideangle.reading.opened_documents import OpenedDocuments
from wideangle.reading.opening import size_of
from wideangle.reading.to_disk import Counting, read_to_disk

WORDS = [
    "wheat",
    "corn",
    "ship",
    "harbour",
    "loan",
    "credit",
    "zwölf",
    "мир",
    "grain",
    "the",
    "and",
    "of",
    "tanker",
    "farmer",
]
ALONE = Counting(LocalProcesses(1), part=700)


def made_rows(n=90):
    """Rows with ids, titles, labels, dates and a split, of which some are missing or empty."""
    generator = np.random.default_rng(3)
    for number in range(n):
        text = " ".join(generator.choice(WORDS, generator.integers(0, 25)))
        yield {
            "id": f"doc {number}",
            "title": f"Title {number}" if number % 4 else "",
            "text": "" if number == 7 else f"{text}\nsecond line {number}",
            "label": None if number % 9 == 4 else "abc"[number % 3],
            "date": f"2024-0{1 + number % 9}-11" if number % 5 else "",
        }


def write(path, rows):
    rows = list(rows)
    if path.suffix == ".jsonl":
        lines = [json.dumps(row, ensure_ascii=False) for row in rows]
        path.write_text("\ufeff" + "\n\n".join(lines) + "\n", encoding="utf-8")  # blank lines and a byte-order mark
    elif path.suffix == ".csv":
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows(rows)
    elif path.suffix == ".parquet":
        pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
        pq.write_table(pa.Table.from_pylist(rows), path, row_group_size=11)
    elif path.suffix == ".txt":
        path.write_text("\n\n".join(row["text"].replace("\n", " ") for row in rows), encoding="utf-8")
    else:
        for row in rows:
            folder = path / (row["label"] or "none")
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"{row['id']}.txt").write_text(row["text"], encoding="utf-8")
    return path


def assert_same(found, expected):
    assert (found.X[:] != expected.X).nnz == 0
    for name in ("vocabulary", "label_names", "description", "notes"):
        assert getattr(found, name) == getattr(expected, name), name
    for name in ("names", "snippets", "titles"):
        one, other = getattr(found, name), getattr(expected, name)
        assert (one is None) == (other is None), name
        assert one is None or list(one) == list(other), name
    for name in ("labels", "dates", "is_train"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
    assert vars(found.reading) == vars(expected.reading)


OPTIONS = {
    "usual": {},
    "rows without names": {"id_column": "none"},
    "no labels": {"label_column": "none", "title_column": "none"},
    "labelled rows": {"drop_unlabelled": True, "id_column": "none"},
    "pairs of words": {"ngrams": 2, "min_df": 2, "stop_words": "english"},
    "all words": {"stop_words": "none", "n_words": 5, "max_df": 0.9},
    "own pattern": {"token_pattern": r"\b[a-z]{4,}\b", "language": "none"},
}


@pytest.mark.quick_cases(9)
@pytest.mark.parametrize("choice", OPTIONS)
@pytest.mark.parametrize("name", ["d.jsonl", "d.csv", "d.parquet", "d.txt", "folder"])
def test_rows_are_those_of_a_file_that_is_read_at_once(name, choice, tmp_path):
    path = write(tmp_path / name, made_rows())
    options = dict(OPTIONS[choice])
    if name in ("d.txt", "folder"):
        options = {key: value for key, value in options.items() if not key.endswith("_column")}
    if name == "d.txt":
        options.pop("drop_unlabelled", None)
    how = ReadingOptions(**options)
    found = read_to_disk(path, tmp_path / "store", how, hold_out=0.2, seed=1, counting=ALONE)
    assert_same(found, read(path, how, hold_out=0.2, seed=1))
    assert len(list((tmp_path / "store" / "parts").iterdir())) > 2


def test_mails_html_and_repeated_lines_are_left_out_alike(tmp_path):
    rows = [
        {"text": f"From: a@b.c\nSubject: x\n\n<p>{row['text']}</p>\nSent from my own telephone"} for row in made_rows()
    ]
    path = write(tmp_path / "d.jsonl", rows)
    how = ReadingOptions(strip_mail=True, strip_html=True, strip_repeated=True)
    assert_same(read_to_disk(path, tmp_path / "s", how, counting=ALONE), read(path, how))


def test_a_split_of_the_file_is_kept(tmp_path):
    rows = [row | {"split": "train" if number % 3 else "test"} for number, row in enumerate(made_rows())]
    path = write(tmp_path / "d.jsonl", rows)
    found = read_to_disk(path, tmp_path / "s", counting=ALONE)
    assert_same(found, read(path))
    assert found.is_train.sum() == 60


def test_languages_are_guessed_alike(tmp_path):
    german = "der Hund und die Katze sind nicht im Garten aber auf dem Dach"
    path = write(tmp_path / "d.jsonl", [{"text": f"{german} {word}"} for word in WORDS * 3])
    found = read_to_disk(path, tmp_path / "s", counting=ALONE)
    assert_same(found, read(path))
    assert found.reading.language == "de"
    how = ReadingOptions(ngrams=2)
    assert_same(read_to_disk(path, tmp_path / "s", how, counting=ALONE), read(path, how))


@pytest.mark.parametrize("encoding", ["utf-16", "cp1252"])
def test_other_encodings(encoding, tmp_path):
    path = tmp_path / "d.txt"
    path.write_text("\n".join("Größe und Käse für alle Mädchen" for _ in range(60)), encoding=encoding)
    how = ReadingOptions(encoding=encoding)
    assert_same(read_to_disk(path, tmp_path / "s", how, counting=ALONE), read(path, how))


@pytest.mark.parametrize("size", [1, 7, 64, 10**6])
def test_parts_of_any_size_are_the_whole_file(size, tmp_path):
    for ends in ("\n", "\r\n"):
        path = tmp_path / "d.jsonl"
        path.write_bytes(ends.join(json.dumps({"text": f"word {n}"}) for n in range(20)).encode())
        opened = module.open_path(path, ReadingOptions())
        columns = opened.choose_columns(ReadingOptions())
        documents = OpenedDocuments(opened, columns, ReadingOptions())
        parts = module.parts_of(documents, size)
        assert parts[0].start == 0
        assert parts[-1].end == path.stat().st_size
        assert [one.end for one in parts[:-1]] == [other.start for other in parts[1:]]
        assert [d.text for part in parts for d in documents.read(part)] == [d.text for d in documents.read()]


@pytest.mark.parametrize("size", [1, 20, 50, 300])
def test_lines_keep_their_numbers_between_blank_ones(size, tmp_path):
    generator = np.random.default_rng(size)
    lines = [f"corn and wheat {n}" if generator.random() < 0.5 else " " * generator.integers(3) for n in range(60)]
    path = tmp_path / "d.txt"
    path.write_text("\n".join(lines) + "\n\n")
    found = read_to_disk(path, tmp_path / "s", counting=Counting(LocalProcesses(1), size))
    assert_same(found, read(path))


@pytest.mark.parametrize("name", ["d.jsonl", "d.csv"])
def test_several_processes_count_the_same(name, tmp_path):
    path = write(tmp_path / name, made_rows())
    found = read_to_disk(path, tmp_path / "s", counting=Counting(LocalProcesses(2), 1500))
    assert_same(found, read(path))


def test_parts_that_were_finished_are_used_again(tmp_path, monkeypatch):
    path = write(tmp_path / "d.jsonl", made_rows())
    counted, count = [], module.count_task

    def stops(task):
        if len(counted) == 3:
            raise OSError(28, "No space left on device", str(task.file))
        counted.append(task.file.name)
        return count(task)

    monkeypatch.setattr(module, "count_task", stops)
    with pytest.raises(OSError, match="No space left"):
        read_to_disk(path, tmp_path / "s", counting=ALONE)
    assert len(list((tmp_path / "s" / "parts").iterdir())) == 3
    again, said = [], []
    monkeypatch.setattr(module, "count_task", lambda task: (again.append(task.file.name), count(task))[1])
    found = read_to_disk(path, tmp_path / "s", counting=ALONE, say=said.append)
    assert_same(found, read(path))
    assert not set(again) & set(counted)
    assert said == ["3 parts of an earlier run that was interrupted are used again."]


@pytest.mark.parametrize("change", ["source", "options", "size"])
def test_parts_of_something_else_are_counted_anew(change, tmp_path):
    path = write(tmp_path / "d.jsonl", made_rows())
    read_to_disk(path, tmp_path / "s", counting=ALONE)
    how, counting, said = ReadingOptions(), ALONE, []
    if change == "source":
        write(path, [*made_rows(), {"text": "something new and something old"}])
    elif change == "options":
        how = ReadingOptions(token_pattern=r"\b[a-z]{5,}\b")
    else:
        counting = Counting(LocalProcesses(1), 900)
    found = read_to_disk(path, tmp_path / "s", how, counting=counting, say=said.append)
    assert_same(found, read(path, how))
    assert said == []


def test_a_source_that_changes_meanwhile_is_told(tmp_path, monkeypatch):
    path = write(tmp_path / "d.jsonl", made_rows())
    count = module.count_task

    def changes(task):
        with path.open("a") as file:
            file.write('{"text": "one more"}\n')
        return count(task)

    monkeypatch.setattr(module, "count_task", changes)
    with pytest.raises(DataError, match=r"d\.jsonl changed"):
        read_to_disk(path, tmp_path / "s", counting=ALONE)


def test_a_file_that_has_become_shorter_is_told(tmp_path):
    path = write(tmp_path / "d.jsonl", made_rows())
    opened = module.open_path(path, ReadingOptions())
    span = opened.table.spans(500)[-1]
    path.write_text('{"text": "short"}\n')
    with pytest.raises(DataError, match="has become shorter"):
        list(opened.table.rows_of(span))


def test_a_line_that_is_no_json_is_told_with_its_place(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "SURVEYED", 5)  # Otherwise it is found by the first look at the file,
    monkeypatch.setattr(module, "LOOK", 5)  # or by the second.
    path = write(tmp_path / "d.jsonl", made_rows())
    with path.open("a") as file:
        file.write("{broken\n")
    with pytest.raises(DataError, match=r"d\.jsonl, line \d+ .*byte [\d,]+"):
        read_to_disk(path, tmp_path / "s", counting=ALONE)


def test_a_damaged_part_is_told(tmp_path):
    path = write(tmp_path / "d.jsonl", made_rows())
    read_to_disk(path, tmp_path / "s", counting=ALONE)
    (tmp_path / "s" / "parts" / "part-000001.npz").write_bytes(b"nothing")
    with pytest.raises(DataError, match=r"part-000001\.npz .*Delete it"):
        read_to_disk(path, tmp_path / "s", counting=ALONE)


def test_mistakes(tmp_path):
    numbers = tmp_path / "numbers.csv"
    numbers.write_text("a,b\n1,2\n3,4\n")
    with pytest.raises(DataError, match="holds numbers"):
        read_to_disk(numbers, tmp_path / "s")
    for name, content in (("short.jsonl", '{"text": "of it"}\n'), ("stop.txt", "the and of\n")):
        (tmp_path / name).write_text(content)
        with pytest.raises(DataError, match="A word has"):
            read_to_disk(tmp_path / name, tmp_path / "s", counting=ALONE)
    (tmp_path / "folder").mkdir()
    with pytest.raises(DataError, match="holds no document"):
        read_to_disk(tmp_path / "folder", tmp_path / "s", counting=ALONE)
    path = write(tmp_path / "d.jsonl", ({"text": row["text"]} for row in made_rows()))
    with pytest.raises(DataError, match="no row of d.jsonl has one"):
        read_to_disk(path, tmp_path / "t", ReadingOptions(drop_unlabelled=True), counting=ALONE)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter").write_text("Dear …")
    with pytest.raises(DataError, match="holds something else"):
        read_to_disk(path, tmp_path / "mine", counting=ALONE)
    assert (tmp_path / "mine" / "letter").exists()


def test_the_size_of_texts(tmp_path):
    folder = write(tmp_path / "folder", made_rows(5))
    assert size_of(folder) == sum(file.stat().st_size for file in folder.rglob("*.txt"))
    (tmp_path / "d.jsonl.gz").write_bytes(bytes(100))
    assert size_of(tmp_path / "d.jsonl.gz") == 400


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")
def test_a_killed_run_goes_on_where_it_was(tmp_path):
    path = write(tmp_path / "d.jsonl", made_rows(20_000))
    code = textwrap.dedent(f"""
        from wideangle._engines import LocalProcesses
        from wideangle.reading.to_disk import Counting, read_to_disk
        read_to_disk({str(path)!r}, {str(tmp_path / "s")!r}, counting=Counting(LocalProcesses(2), 30_000))
        """)
    worker = subprocess.Popen([sys.executable, "-c", code], start_new_session=True)
    kept = tmp_path / "s" / "parts"
    while worker.poll() is None and not (kept.is_dir() and len(list(kept.glob("part-*"))) > 5):
        time.sleep(0.02)
    os.killpg(worker.pid, signal.SIGKILL)
    worker.wait()
    finished = len(list(kept.glob("part-*")))
    assert finished > 5
    said = []
    found = read_to_disk(path, tmp_path / "s", counting=Counting(LocalProcesses(2), 30_000), say=said.append)
    assert "are used again" in said[0]
    assert_same(found, read(path))

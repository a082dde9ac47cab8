"""Files larger than memory to rows on disk: words are counted part by part, by several processes, and joined."""

import json
import shutil
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any

from wideangle._engines import DaskCluster, Engine, LocalProcesses
from wideangle._files import replacing
from wideangle._locks import sole_writer
from wideangle._wording import number_of
from wideangle.data.languages import guess_language
from wideangle.data.stored.joining import Joined, WordChoice, join_parts
from wideangle.data.stored.parts import CountedPart, WordRules, count_part
from wideangle.data.text import left_out_by
from wideangle.documents import Document
from wideangle.exceptions import DataError, NoWordsError
from wideangle.reading.counted_texts import kept_words, told_of
from wideangle.reading.division import SENT_AT_ONCE, Source, all_parts, parts_of
from wideangle.reading.opened_documents import OpenedDocuments, Part
from wideangle.reading.opening import open_path
from wideangle.reading.options import ReadingOptions
from wideangle.reading.places import PathLike
from wideangle.reading.reader import kept_columns, with_reading
from wideangle.reading.repeated import find_repeated
from wideangle.reading.rows import Rows
from wideangle.reading.said import require_labels
from wideangle.reading.signs import LOOK, Signs, said_of_left_out
from wideangle.reading.stop_words import languages_by, stop_words_by
from wideangle.reading.watching import Watched
from wideangle.reading.words import WHAT_A_WORD_IS, said_of_language

__all__ = ["Counting", "DaskCluster", "LocalProcesses", "may_be_text", "read_to_disk"]

PART = 2**25  # Each part has about so many bytes or characters, which a process has in memory.
SURVEYED = 100_000  # Which columns there are is told by so many rows,
REPEATED_IN = 200_000  # and which lines many documents share by so many documents.
OF_EACH_PART = 200  # So many documents of each part tell their language, where it must be known beforehand.
MANIFEST = "parts.json"
FORMAT = 1

Told = Callable[[int, int, str], None]
"""a function that is called with how many parts are done, of how many, and a note"""


@dataclass(frozen=True)
class Counting:
    """Who counts the words of a source, and in parts of which size."""

    engine: Engine = field(default_factory=LocalProcesses)
    part: int = field(default_factory=lambda: PART)
    """bytes or characters of each part"""


def may_be_text(path: PathLike, options: ReadingOptions) -> bool:
    """Whether `read_to_disk` takes a path: its first rows have a text."""
    opened = open_path(path, options)
    columns = opened.choose_columns(options, most=LOOK)
    return not opened.is_arrays and (columns is None or columns.text is not None)


def read_to_disk(
    path: PathLike,
    folder: PathLike,
    options: ReadingOptions | None = None,
    *,
    hold_out: float = 0.0,
    seed: int = 0,
    counting: Counting | None = None,
    told: Told = lambda done, total, note: None,
    say: Callable[[str], None] = lambda text: None,
) -> Rows:
    """Rows of texts that need not fit into memory, as `read` gives them; their counts, names and beginnings stay in
    files of the folder.

    Parameters
    ----------
    path : path
        Texts, of which JSON lines, Parquet, plain lines, folders and data sets of many files are read by several
        processes at once. Of other files one process reads the texts and the others count their words.
    folder : path
        Where the files are written. If a former call with the same source and options was interrupted, the parts that
        it finished are used again; other content of this kind is replaced. Delete the folder when the rows are no
        longer needed.
    options, hold_out, seed
        As for `read`.
    counting : Counting, optional
        Which processes there are, here or on a Dask cluster, and how large parts are.
    told : callable, optional
        Is called with (parts done, of how many, a note); the number is 0 while it is not known.
    say : callable, optional
        Is called with a sentence for people where finished parts are used again.

    Notes
    -----
    The counts are those of `read`. Three choices are made by some documents instead of all: which columns there are by
    the first 100,000 rows, which lines are repeated by the first 200,000 documents, and the language by beginnings
    whose spaces were tidied.
    """
    options, counting = options or ReadingOptions(), counting or Counting()
    watched = Watched.of(path, options)
    opened = open_path(path, options)
    columns = opened.choose_columns(options, most=SURVEYED)
    if opened.is_arrays or (columns is not None and columns.text is None):
        raise DataError(f"{opened.name} holds numbers, and only texts are counted to disk. Read it with read.")
    documents, said = OpenedDocuments(opened, columns, options), ""
    if options.strip_repeated:
        found = find_repeated(document.text for document in islice(documents.read(), REPEATED_IN))
        documents, said = replace(documents, repeated=found.lines), said_of_left_out(found)
    signs = Signs()
    for document in islice(documents.read(), LOOK):
        signs.look(document.text)
    parts = parts_of(documents, counting.part)
    stop_words, languages = stop_words_by(options), languages_by(options)
    left_out = None
    if stop_words is None and options.ngrams > 1:  # Stop words must be known before neighbours are counted.
        left_out = left_out_by(guess_language(_some_texts(documents, parts)))
    known = left_out.words if left_out is not None else stop_words
    rules = WordRules(options.token_pattern, None if known is None else tuple(known), options.ngrams)
    source = Source.of(path, documents)
    store = Path(folder)
    choice = WordChoice(
        "auto" if options.n_words is None else options.n_words, options.min_df, options.max_df, known is None
    )
    with sole_writer(store, "choose another folder"):
        files = _counted(source, documents, watched, parts, rules, store, counting, told, say)
        loaders = [partial(CountedPart.load, file) for file in files]
        try:
            joined = join_parts(loaders, store, rules, choice, row_name="row" if columns is not None else "line")
        except NoWordsError as error:
            if options.drop_unlabelled:
                loaded = [load() for load in loaders]
                require_labels(sum(map(len, loaded)), sum(part.dropped for part in loaded), opened.name)
            raise NoWordsError(f"{error} {WHAT_A_WORD_IS}") from error
    rows = _rows(joined, documents)
    left_out = joined.left_out or left_out
    if left_out is not None:
        stop_words, languages = left_out.words, left_out.languages
    notes = [said_of_language(left_out) if left_out is not None else "", *signs.notes(), said]
    rows = replace(rows, notes=(*rows.notes, *filter(None, notes)))
    kept = kept_columns(columns) | kept_words(options, stop_words, languages) | {"repeated": documents.repeated}
    return with_reading(rows, kept, "counts", hold_out, seed, path)


@dataclass(frozen=True)
class Task:
    """One part to be counted."""

    source: Source
    part: Part | Sequence[Document]
    """where the documents are, or the documents themselves"""
    rules: WordRules
    file: Path | None
    """the file to write; None: the content of such a file is the result"""


def count_task(task: Task) -> bytes | None:
    """Count the words of one part, and write them to its file or give them back."""
    documents = task.source.documents(task.part)
    counted = count_part(documents, task.rules, drop_unlabelled=task.source.options.drop_unlabelled)
    if task.file is None:
        return counted.to_bytes()
    counted.save(task.file)
    return None


def _counted(
    source: Source,
    documents: OpenedDocuments,
    watched: Watched,
    parts: Sequence[Part] | None,
    rules: WordRules,
    folder: Path,
    counting: Counting,
    told: Told,
    say: Callable[[str], None],
) -> list[Path]:
    """The files of all parts in their order. What an earlier call finished is not counted again."""
    engine = counting.engine
    size = counting.part if engine.sees_disk else min(counting.part, SENT_AT_ONCE)
    wanted = asdict(source) | {"rules": asdict(rules), "state": watched.state}
    finished = _prepared(folder, wanted | {"part": counting.part if parts is not None else size}, say)
    files: list[Path] = []
    waiting: deque[Path] = deque()

    def tasks() -> Iterator[Task]:
        for number, part in enumerate(all_parts(documents, parts, size)):
            file = folder / "parts" / f"part-{number:06d}.npz"
            files.append(file)
            if file.name not in finished:
                waiting.append(file)
                yield Task(source, part, rules, file if engine.sees_disk else None)

    total = 0 if parts is None else len(parts)
    used = 0
    for done, content in enumerate(engine.work(count_task, tasks()), 1):
        file = waiting.popleft()
        if content is not None:
            with replacing(file) as temporary:
                temporary.write_bytes(content)
        used = done
        told(min(done + len(finished), total or done + len(finished)), total, "")
    watched.check_unchanged(": it is counted anew")
    if not files:
        raise DataError(documents.none_found)
    if finished and not used:
        told(len(files), len(files), "")
    return files


def _prepared(folder: Path, wanted: dict[str, Any], say: Callable[[str], None]) -> set[str]:
    """Make the folder ready, and give the names of the parts in it that can be used again."""
    manifest = folder / MANIFEST
    wanted = json.loads(json.dumps({"format": FORMAT, **wanted}))
    kept = folder / "parts"
    try:
        same = json.loads(manifest.read_text(encoding="utf-8")) == wanted
    except (OSError, ValueError):
        same = False
    if not same:
        others = [file for file in folder.iterdir() if not file.name.startswith(".")] if folder.exists() else []
        if others and not manifest.exists():
            raise DataError(f"{folder} exists, and holds something else. Move it, or choose another folder.")
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        with replacing(manifest) as temporary:  # It comes first: by it the next run knows the folder.
            temporary.write_text(json.dumps(wanted), encoding="utf-8")
    kept.mkdir(exist_ok=True)
    finished = {file.name for file in kept.glob("part-*.npz")}
    if finished:
        say(f"{number_of(len(finished), 'part')} of an earlier run that was interrupted {_are(finished)} used again.")
    return finished


def _are(things: set[str]) -> str:
    return "is" if len(things) == 1 else "are"


def _some_texts(documents: OpenedDocuments, parts: Sequence[Part] | None) -> Iterator[str]:
    """Texts that are spread over the source, or all where it can only be read from its beginning."""
    if parts is None:
        return (document.text for document in documents.read())
    read = (islice(documents.read(part), OF_EACH_PART) for part in parts)
    return (document.text for document in chain.from_iterable(read))


def _rows(joined: Joined, documents: OpenedDocuments) -> Rows:
    """The rows with all that is said of them."""
    counts = joined.counts
    rows = Rows(
        counts,
        counted=True,
        names=joined.names,
        snippets=joined.texts,
        labels=counts.labels,
        label_names=None if counts.label_names is None else counts.label_names.tolist(),
        is_train=joined.is_train,
        vocabulary=counts.vocabulary.tolist(),
        titles=joined.titles,
        dates=joined.dates,
    )
    return told_of(rows, documents, joined.dropped, joined.empty, joined.replaced)

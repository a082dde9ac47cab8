"""New documents that an engine reads in parts and asks a model about: its processes or workers load the model once."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from threading import Lock
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp

from wideangle._engines import DaskCluster, Engine, LocalProcesses
from wideangle._parallel import n_cores
from wideangle.commands.shell.guard import CommandError
from wideangle.commands.shell.output import Output
from wideangle.commands.work.fit.on_disk import LARGE
from wideangle.commands.work.shared.inputs import PartNotes
from wideangle.exceptions import DataError
from wideangle.reading import ReadingOptions, Rows
from wideangle.reading.files import STANDARD_INPUT
from wideangle.reading.new_parts import Divided, NewPart, divide_new, read_new_part
from wideangle.reading.opening import size_of
from wideangle.reading.places import DataPath
from wideangle.reading.rows import numbered_labels
from wideangle.view import ModelView

__all__ = ["Answer", "Answers", "Question", "divided_for", "joined_rows"]


class Question(Hashable, Protocol):
    """What is asked about documents. It travels to other processes, and is compared, so that it is asked once."""

    def prepared(self, model_path: Path) -> tuple[ModelView, Callable[[Rows], Any]]:
        """Load the model, and give what answers the question for rows."""
        ...

    @property
    def keeps_rows(self) -> bool:
        """Whether the counts of words travel back."""
        ...


@dataclass(frozen=True, eq=False)
class Answer:
    """What the model says about the documents of a part, and these documents by their names in the whole."""

    rows: Rows
    value: Any


def divided_for(
    path: DataPath, view: ModelView, how: ReadingOptions, dask: str | None
) -> tuple[Divided, Engine] | None:
    """New documents that are read in parts, and who reads them; None where they are read here, as a whole.

    They are divided for a cluster, and for the processors of this computer where there are many texts.
    """
    engine: Engine = LocalProcesses() if dask is None else DaskCluster(dask)
    if dask is None and (str(path) == STANDARD_INPUT or n_cores() == 1 or size_of(path, how) <= LARGE):
        return None
    if dask is not None and str(path) == STANDARD_INPUT:
        raise CommandError("--dask reads files that workers see, and standard input is none. Name files or a URL.")
    divided = divide_new(path, view.reading, how)
    if divided is None and dask is not None:
        raise CommandError(f"--dask is for texts, and {path} or the model has numbers. Leave out --dask.")
    # Where one process must read all, the others would wait for it.
    if divided is None or (dask is None and divided.parts is None):
        return None
    return divided, engine


@dataclass(frozen=True, eq=False)
class Answers:
    """The answers for all parts, in their order, as they come."""

    question: Question
    model_path: Path
    divided: Divided
    engine: Engine
    output: Output

    def __iter__(self) -> Iterator[Answer]:
        work = partial(answer_part, self.question, self.divided.source)
        notes, before, found = PartNotes(self.output), 0, 0
        self.output.note(f"{self.divided.description}; read in parts by {self.engine}.")
        with self.output.progress("reading and asking the model, in parts") as show:
            total = len(self.divided.parts or ())
            answers = self.engine.work_with_file(work, self.model_path, self.divided.tasks())
            for done, (part, value) in enumerate(answers, 1):
                show(min(done, total or done), total, "")
                if part.rows is not None:
                    rows = replace(part.rows, names=part.names(before, self.divided.documents.row_name))
                    notes.tell(rows.notes, f"rows {before + 1:,} to {before + part.n_rows:,}: ")
                    found += len(rows)
                    yield Answer(rows, value)
                before += part.n_rows
        if not found:
            raise DataError(self.divided.documents.none_found)
        self.divided.check_unchanged()


def answer_part(question: Question, source: Any, model_path: Path, part: Any) -> tuple[NewPart, Any]:
    """Read a part and ask about it, in another process."""
    with _LOADING:  # A worker may have several threads, and one of them loads the model.
        view, asked = _prepared(question, model_path)
    words = view.column_names
    if words is None:
        raise DataError("the model has no vocabulary, and texts were given. Give it rows as it was fitted on.")
    read = read_new_part(source, part, view.reading, words)
    if read.rows is None:
        return read, None
    value = asked(read.rows)
    rows = read.rows
    if not question.keeps_rows:
        rows = replace(rows, X=sp.csr_array((len(rows), 0), dtype=np.float32), snippets=None, vocabulary=None)
    return replace(read, rows=rows), value


_LOADING = Lock()


@lru_cache(maxsize=1)
def _prepared(question: Question, model_path: Path) -> tuple[ModelView, Callable[[Rows], Any]]:
    return question.prepared(model_path)


def joined_rows(parts: Sequence[Rows]) -> Rows:
    """The rows of all parts, one after the other."""
    classes: list[str | None] = []
    for part in parts:
        classes += [None] * len(part) if part.classes is None else [name or None for name in part.classes.tolist()]
    labels, label_names = numbered_labels(classes)
    split = [part.is_train for part in parts]
    titled = any(part.titles is not None for part in parts)
    return replace(
        parts[0],
        X=sp.csr_array(sp.vstack([part.X for part in parts])),
        names=[name for part in parts for name in part.names],
        snippets=None,
        labels=labels,
        label_names=label_names,
        is_train=None if any(each is None for each in split) else np.concatenate(split),  # type: ignore[arg-type]
        titles=[title for part in parts for title in part.titles or [""] * len(part)] if titled else None,
        dates=None,
        notes=(),
    )

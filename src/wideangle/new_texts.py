"""A saved model asked about texts that are in memory, as batches of Spark and requests of a service are."""

import os
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from wideangle import _arguments as rules
from wideangle._arguments import checked
from wideangle.exceptions import DataError
from wideangle.persistence import load
from wideangle.reading.cleaning import cleaner
from wideangle.reading.rows import weighed
from wideangle.reading.vectors import encoder_of_model
from wideangle.reading.words import counter_of
from wideangle.topics import Topics
from wideangle.topics.found import Assignment
from wideangle.view import ModelView

__all__ = ["assign_texts", "load_once", "represent_texts"]


@checked(path=rules.path)
def load_once(path: str | os.PathLike[str]) -> Any:
    """The model of a file, loaded once per process: functions that Spark sends to a worker are made anew per task.

    A file that was replaced is loaded anew.
    """
    about = os.stat(path)
    return _loaded(os.path.abspath(path), about.st_size, about.st_mtime_ns)


@lru_cache(maxsize=2)
def _loaded(path: str, size: int, time: int) -> Any:
    return load(path)


@checked(texts=rules.texts)
def represent_texts(model: Any, texts: Sequence[str]) -> NDArray[np.float32]:
    """The vectors of texts, one row per text, as `wideangle transform` gives them.

    Parameters
    ----------
    model : estimator
        A model that `wideangle fit` fitted to texts: `wideangle.load("model.wideangle")`.
    texts : sequence of str
        Each is a document; an empty one has no words.

    Examples
    --------
    >>> import wideangle
    >>> from wideangle.documents import Reading
    >>> from wideangle.new_texts import represent_texts
    >>> model = wideangle.ReplicatedSoftmax(2, random_state=0).fit([[2, 1, 0], [0, 1, 3]] * 20)
    >>> model.vocabulary_, model.reading_ = ["corn", "price", "ship"], Reading("counts")
    >>> represent_texts(model, ["Ships and a ship", "the price of corn"]).shape
    (2, 2)
    """
    view = ModelView.of(model)
    return view.represent(_counted(view, texts))


@checked(texts=rules.texts)
def assign_texts(model: Any, texts: Sequence[str]) -> Assignment:
    """The topic of each text and how sure it is, as `wideangle assign` gives them.

    `model.topics_[number].name` names a topic; −1 stands for a text without a word that the model knows.
    """
    topics: Topics | None = getattr(model, "topics_", None)
    if topics is None:
        raise DataError("the model has no topics. Fit it by wideangle fit, on texts and without --no-documents.")
    view = ModelView.of(model)
    rows = _counted(view, texts)
    written = np.asarray((rows != 0).sum(axis=1)).ravel() > 0
    return topics.assign(view.represent(rows, topics.granularity), written)


def _counted(view: ModelView, texts: Sequence[str]) -> Any:
    """The words of texts as the model sees them, or their vectors."""
    words, reading = view.column_names, view.reading
    if reading.kind == "vectors" and reading.encoder is None:
        raise DataError("the model's documents came with their vectors. Give vectors to model.transform.")
    if reading.encoder is None and (words is None or reading.kind == "numbers"):
        raise DataError("the model was fitted on numbers, and knows no words. Give rows to model.transform.")
    clean = cleaner(
        mail=reading.strip_mail,
        keep_quotations=reading.keep_quotations,
        html=reading.strip_html,
        repeated=reading.repeated,
        keep_lines=False,
    )
    if words is None:
        return encoder_of_model(reading).encode([clean(text) for text in texts])
    counts = counter_of(reading, words).transform(clean(text) for text in texts)
    rows = sp.csr_array(weighed(counts, reading.kind, reading.rarity))
    rows.eliminate_zeros()
    return rows

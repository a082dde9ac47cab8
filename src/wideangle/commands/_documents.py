"""The rows of a file as the documents of a model, and the classes of such documents."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideangle.commands._models import represent
from wideangle.documents import Documents, Strings
from wideangle.reading import Rows


def documents_of(model: Any, rows: Rows) -> Documents:
    """All that search, evaluate and explore want to know of the rows."""
    return Documents(
        represent(model, rows.X),
        Strings.of(rows.names),
        None if rows.snippets is None else Strings.of(rows.snippets),
        rows.labels,
        None if rows.label_names is None else Strings.of(rows.label_names),
        rows.is_train,
    )


def ids_of(rows: Rows) -> list[str]:
    """What tells a row apart in a file that is written, of the user's own making where the file that was read has it.

    Rows know where they were found and nothing more. When they bring ids of their own, this is the place to take them.
    """
    return rows.names


def classes_of(documents: Documents) -> NDArray[np.str_] | None:
    """The name of each document's class."""
    if documents.labels is None:
        return None
    if documents.label_names is None:
        return documents.labels.astype(np.str_)
    return np.asarray(list(documents.label_names), dtype=np.str_)[documents.labels]

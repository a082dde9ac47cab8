"""The rows of a file as the documents of a model."""

from wideangle.documents import Documents, Strings, WordLists
from wideangle.reading import Rows
from wideangle.view import ModelView


def documents_of(view: ModelView, rows: Rows) -> Documents:
    """All that search, evaluate and explore need to know about the rows."""
    return Documents(
        view.represent(rows.X),
        Strings.of(rows.names),
        None if rows.snippets is None else Strings.of(rows.snippets),
        rows.labels,
        None if rows.label_names is None else Strings.of(rows.label_names),
        rows.is_train,
        view.logits(rows.X),
        WordLists.of(rows.X) if rows.counted else None,
        None if rows.titles is None else Strings.of(rows.titles),
    )


def ids_of(rows: Rows) -> list[str]:
    """What identifies each row in a file that is written: its name, which is the user's id where the input has one."""
    return rows.names

"""The rows of a file as the documents of a model."""

from wideangle.documents import Documents, Strings
from wideangle.reading import Rows
from wideangle.view import ModelView


def documents_of(view: ModelView, rows: Rows) -> Documents:
    """All that search, evaluate and explore want to know of the rows."""
    return Documents(
        view.represent(rows.X),
        Strings.of(rows.names),
        None if rows.snippets is None else Strings.of(rows.snippets),
        rows.labels,
        None if rows.label_names is None else Strings.of(rows.label_names),
        rows.is_train,
        view.logits(rows.X),
    )


def ids_of(rows: Rows) -> list[str]:
    """What tells a row apart in a file that is written, of the user's own making where the file that was read has it.

    Rows know where they were found and nothing more. When they bring ids of their own, this is the place to take them.
    """
    return rows.names

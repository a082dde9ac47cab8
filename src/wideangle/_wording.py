"""Counted nouns for messages: "1 document", "2,000 documents"."""

__all__ = ["number_of"]


def number_of(count: int, noun: str, several: str | None = None) -> str:
    """A number and its noun, in the singular for 1. `several` is the plural where it is not made by an "s".

    Examples
    --------
    >>> from wideangle._wording import number_of
    >>> number_of(1, "document"), number_of(2000, "document"), number_of(0, "class", "classes")
    ('1 document', '2,000 documents', '0 classes')
    """
    return f"{count:,} {noun if count == 1 else several or f'{noun}s'}"

"""Documents that join those of a model: which are new, which are there already, and both together."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideangle.documents import NO_DATE, NO_LABEL, Documents, Strings, WordLists
from wideangle.reading import Rows
from wideangle.reading.repeats import find_repeats
from wideangle.view import ModelView

ONLY_A_PLACE = re.compile(r"(row|line) \d+")  # Such a name says where a document was, and another one may have it too.


@dataclass(frozen=True, eq=False)
class Plan:
    """Which documents of the model stay, and which of the new ones join them."""

    stays: NDArray[np.bool_]
    joins: NDArray[np.bool_]
    replaced: int
    """new documents that have the id of an old one and another text, and take its place"""
    there_already: int
    """new documents that the model has already"""


def plan_of(old: Documents, new: Documents) -> Plan:
    """Compare documents by their ids. Those that have none are compared by their texts, as far as these are known."""
    old_texts, new_texts = _same_knowledge(old, new)
    own_name = np.array([ONLY_A_PLACE.fullmatch(name) is None for name in new.names], dtype=bool)
    by_name: dict[str, list[int]] = {}
    for row, name in enumerate(old.names):
        by_name.setdefault(name, []).append(row)
    every_text = set(old_texts)
    stays, joins = np.ones(len(old), dtype=bool), np.ones(len(new), dtype=bool)
    replaced = 0
    for row, (name, text) in enumerate(zip(new.names, new_texts, strict=True)):
        rows = by_name.get(name, []) if own_name[row] else []
        if rows:
            joins[row] = text is None or text not in {old_texts[each] for each in rows}
            stays[rows] &= not joins[row]
            replaced += int(joins[row])
        elif not own_name[row]:
            joins[row] = text is None or text not in every_text
    return Plan(stays, joins, replaced, int((~joins).sum()))


def _same_knowledge(old: Documents, new: Documents) -> tuple[list[bytes | None], list[bytes | None]]:
    """A fingerprint of each text, of what is known about the texts of both; None where nothing is known."""
    fields = [name for name in ("snippets", "titles") if getattr(old, name) and getattr(new, name)]
    words = old.words is not None and new.words is not None
    times = words and old.words.times is not None and new.words.times is not None  # type: ignore[union-attr]
    if not fields and not words:
        return [None] * len(old), [None] * len(new)
    return list(_fingerprints(old, fields, words, times)), list(_fingerprints(new, fields, words, times))


def _fingerprints(documents: Documents, fields: list[str], words: bool, times: bool) -> Iterator[bytes]:
    start = 0
    for row in range(len(documents)):
        found = blake2b(digest_size=16)
        for name in fields:
            found.update(getattr(documents, name)[row].encode() + b"\0")
        if words:
            assert documents.words is not None
            end = int(documents.words.ends[row])
            found.update(documents.words.columns[start:end].tobytes())
            if times:
                assert documents.words.times is not None
                found.update(documents.words.times[start:end].astype(np.uint32).tobytes())
            start = end
        yield found.digest()


def named_apart(names: Sequence[str], taken: Strings, source: str) -> list[str]:
    """The names; one that only says a place and that is taken gets the name of its file before it.

    Examples
    --------
    >>> from wideangle.commands.work.update.joining import named_apart
    >>> from wideangle.documents import Strings
    >>> named_apart(["row 1", "row 9", "b7"], Strings.of(["row 1", "may.csv, row 1", "b7"]), "may.csv")
    ['may.csv, row 1 (2)', 'row 9', 'b7']
    """
    used = Counter(taken)
    found = []
    for name in names:
        if ONLY_A_PLACE.fullmatch(name) and used[name]:
            with_file = name = f"{source}, {name}"
            number = 1
            while used[name]:
                number += 1
                name = f"{with_file} ({number})"
        used[name] += 1
        found.append(name)
    return found


def taken(documents: Documents, rows: NDArray[np.intp]) -> Documents:
    """Some of the documents. Which repeat another one must be found anew."""
    changes: dict[str, Any] = {}
    for name, value in vars(documents).items():
        if name == "label_names" or value is None or isinstance(value, bool):
            continue
        if isinstance(value, Strings):
            changes[name] = value.taken(rows.tolist())
        elif isinstance(value, WordLists):
            changes[name] = value.taken(rows)
        else:
            changes[name] = value[rows]
    return replace(documents, **{**changes, "same_as": None})


def joined(first: Documents, second: Documents) -> Documents:
    """Both, one after the other. What only one of them has is left out, but for titles, dates and the split."""
    n, m = len(first), len(second)
    labels, label_names = _joined_labels(first, second)
    return Documents(
        np.concatenate([first.vectors, second.vectors]),
        _joined_strings(first.names, second.names),
        _both(first.snippets, second.snippets, _joined_strings),
        labels,
        label_names,
        None if first.is_train is second.is_train is None else np.concatenate([_train(first), _train(second)]),
        _both(first.logits, second.logits, lambda one, other: np.concatenate([one, other])),
        _both(first.words, second.words, _joined_words),
        _either(first.titles, second.titles, lambda k: Strings.of([""] * k), n, m, _joined_strings),
        first.finished,
        None,
        _either(first.dates, second.dates, lambda k: np.full(k, NO_DATE), n, m, lambda a, b: np.concatenate([a, b])),
        _both(first.pixels, second.pixels, lambda one, other: np.concatenate([one, other])),
    )


def _both(one: Any, other: Any, join: Any) -> Any:
    return None if one is None or other is None else join(one, other)


def _either(one: Any, other: Any, empty: Any, n: int, m: int, join: Any) -> Any:
    if one is None and other is None:
        return None
    return join(empty(n) if one is None else one, empty(m) if other is None else other)


def _train(documents: Documents) -> NDArray[np.bool_]:
    return np.ones(len(documents), dtype=bool) if documents.is_train is None else documents.is_train


def _joined_strings(one: Strings, other: Strings) -> Strings:
    before = int(one.ends[-1]) if len(one) else 0
    return Strings(np.concatenate([one.content, other.content]), np.concatenate([one.ends, other.ends + before]))


def _joined_words(one: WordLists, other: WordLists) -> WordLists:
    ends = np.concatenate([one.ends, other.ends + len(one.columns)])
    times = _both(one.times, other.times, lambda a, b: np.concatenate([a, b]))
    return WordLists(np.concatenate([one.columns, other.columns]), ends, times)


def _joined_labels(first: Documents, second: Documents) -> tuple[NDArray[np.int64] | None, Strings | None]:
    """Labels of both by the same numbers; none where neither has any."""
    if first.labels is None and second.labels is None:
        return None, None
    one, other = (
        [""] * len(each) if each.classes is None else [str(name) for name in each.classes] for each in (first, second)
    )
    names = [name for name in dict.fromkeys([*(first.label_names or sorted(set(one))), *other]) if name]
    number = {name: place for place, name in enumerate(names)} | {"": NO_LABEL}
    return np.array([number[name] for name in (*one, *other)], dtype=np.int64), Strings.of(names)


def repeats_among(documents: Documents, view: ModelView) -> NDArray[np.int64] | None:
    """For each document the first one that it repeats, as `find_repeats` finds them when a model is fitted."""
    if documents.words is None:
        return None
    known, n_words = documents.words.times is not None, len(view.vocabulary or ())
    rows = Rows(
        documents.words.counts(n_words) if known else documents.words.matrix(n_words),
        counted=True,
        names=[],
        snippets=None if documents.snippets is None else list(documents.snippets),
        titles=None if documents.titles is None else list(documents.titles),
        reading=view.reading if known else None,
    )
    return find_repeats(rows)

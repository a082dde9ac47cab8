"""Whether what a model file carries besides the model makes sense: documents, how they were read, and topics."""

from codecs import getincrementaldecoder
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, get_type_hints

import numpy as np

from wideangle._blocks import parts
from wideangle._encoding import (
    LARGEST_WEIGHT,
    LEAST_WEIGHT,
    ContentError,
    check_finite,
    check_usable,
    fits,
    in_short,
    named,
)
from wideangle._mapped import let_go
from wideangle._patterns import PatternError, check_pattern
from wideangle.documents import Documents, Reading, Strings, WordLists
from wideangle.topics import Topic, Topics

__all__ = ["check_carried_documents", "check_reading", "check_topics"]

STRINGS_AT_ONCE = 2**15
HOW_OFTEN = "how often its documents have each of their words must be a number of at least 1 for each"
SEEN = ("vectors", "logits")  # what the model made of the documents: rows × components


def check_carried_documents(documents: Documents, components: int | None, width: int, n_words: int) -> None:
    """Check the documents of a model of so many components and columns; their words are columns of so many."""
    for name in SEEN:
        vectors = getattr(documents, name)
        if vectors is None:
            continue
        if vectors.ndim != 2 or vectors.shape[1] != (vectors.shape[1] if components is None else components):
            raise ContentError(
                f"its documents have {name} of shape {vectors.shape}, but the model has {components} components"
            )
        check_usable(f"the {name} of its documents", vectors)
    for name, value in vars(documents).items():
        if isinstance(value, Strings):
            _check_packed(f"{name} of its documents", value)
        elif isinstance(value, np.ndarray) and value.ndim != 1 and name not in (*SEEN, "pixels"):
            raise ContentError(f"{name} of its documents must have one dimension; got shape {value.shape}")
    if documents.words is not None:
        _check_words(documents.words, n_words)
    pixels = documents.pixels
    if pixels is not None and (pixels.ndim != 2 or pixels.shape[1] != width or pixels.dtype != np.uint8):
        raise ContentError(f"pixels of its documents must be bytes, {width} of each row; got {in_short(pixels.shape)}")


def _check_words(words: WordLists, width: int) -> None:
    columns, ends, times = words.columns, words.ends, words.times
    _check_ends("the words of its documents", ends, len(columns))
    if columns.ndim != 1 or columns.dtype.kind != "u":
        raise ContentError(f"the words of its documents must be columns from 0 to {width - 1}")
    if times is not None and times.shape != columns.shape:
        raise ContentError(HOW_OFTEN)
    for part in parts(len(columns), columns, times):
        if int(columns[part].max()) >= width:
            raise ContentError(f"the words of its documents must be columns from 0 to {width - 1}")
        some = columns[part.start : part.stop + 1]  # with the first one of the next part
        rises = some[1:] > some[:-1]
        first, last = np.searchsorted(ends, (part.start + 1, part.start + len(some)))
        rises[ends[first:last] - part.start - 1] = True  # From one document to the next they may fall.
        if not rises.all():
            raise ContentError("the words of its documents must be in rising order")
        if times is not None and int(times[part].min()) < 1:
            raise ContentError(HOW_OFTEN)
    let_go(ends)


def _check_ends(what: str, ends: np.ndarray[Any, Any], length: int) -> None:
    if ends.ndim != 1 or (ends[-1] if len(ends) else 0) != length:
        raise ContentError(f"{what} do not end where their content ends")
    if len(ends) and (ends[0] < 0 or (ends[1:] < ends[:-1]).any()):
        raise ContentError(f"{what} end in the wrong order")


def check_topics(topics: Topics, components: int | None, documents: Documents | None) -> None:
    """Check that topics are a level of their tree, and that they are of these documents."""
    _check_fields(topics.items)
    tree = topics.tree
    L, width = len(tree.centres), components if components is not None else tree.centres.shape[-1]
    shapes = {"centres": (L, width), "sizes": (L,), "merges": (max(L - 1, 0), 2)}
    for name, shape in shapes.items():
        if not L or getattr(tree, name).shape != shape:
            raise ContentError(f"{name} of its tree of topics have shape {getattr(tree, name).shape}, not {shape}")
    if topics.centre.shape != (width,):
        raise ContentError(f"the centre of its topics has shape {topics.centre.shape}, and must have {(width,)}")
    for name, array in (("centres", tree.centres), ("centre", topics.centre)):
        check_usable(f"{name} of its topics", array)
    _check_merges(tree.merges, L)
    if topics.found is not None:
        first, nodes = replace(tree, merges=topics.found.merges), topics.found.nodes.tolist()
        if first.merges.shape != tree.merges.shape:
            raise ContentError(f"the merges that were found first have shape {first.merges.shape}")
        _check_merges(first.merges, L)
        if not 1 <= len(nodes) <= L or sorted(nodes) != sorted(set(first.cut(len(nodes)).tolist())):
            raise ContentError("the topics that were found first are no level of their tree")
    leaves = topics.leaves
    if leaves.ndim != 1 or (len(leaves) and (leaves.min() < -1 or leaves.max() >= L)):
        raise ContentError(f"its documents must be in leaves −1 to {L - 1} of its tree of topics")
    if documents is not None and len(leaves) != len(documents):
        raise ContentError(
            f"its topics are of {len(leaves)} documents, and it has {len(documents)}. Set documents_ and call topics()"
        )
    if not 1 <= len(topics.items) <= L or {topic.node for topic in topics.items} != set(
        tree.cut(len(topics.items)).tolist()
    ):
        raise ContentError("its topics are no level of their tree")
    if topics.granularity is not None and not 0 <= topics.granularity <= 1:
        raise ContentError(f"the granularity of its topics must be from 0 to 1; got {topics.granularity!r}")
    if topics.sureness is not None:
        if topics.sureness.shape != (L, 3):
            raise ContentError(f"the sureness of its topics has shape {topics.sureness.shape}, and must have {(L, 3)}")
        check_finite("the sureness of its topics", topics.sureness)
        if (topics.sureness[:, 1] < 0).any() or (np.abs(topics.sureness[:, 2] - 0.5) > 0.5).any():
            raise ContentError("its topics cannot be surer on their borders, and shares must be from 0 to 1")
    for topic in topics.items:
        if not all(fits(row, int) and 0 <= row < len(leaves) for row in topic.central):
            raise ContentError(f"a central document of its topic {topic.number} is not there")
    for node, name in (*topics.renamed.items(), *topics.kept_names.items()):
        if not fits(node, int) or not 0 <= node < tree.n_nodes or not isinstance(name, str):
            raise ContentError(f"{name!r} cannot be the name of node {node!r} of its topics")


def _check_fields(items: Sequence[Any]) -> None:
    """Check that topics are topics, and that all that they say is of its type."""
    hints = get_type_hints(Topic)
    for place, topic in enumerate(items):
        if not isinstance(topic, Topic):
            raise ContentError(f"number {place} of its topics is no topic; got {in_short(topic)}")
        for name, hint in hints.items():
            if not fits(value := getattr(topic, name), hint):
                raise ContentError(f"{name} of its topic {place} must be {named(hint)}; got {in_short(value)}")


def _check_merges(merges: np.ndarray[Any, Any], L: int) -> None:
    """Check that each node but the last is merged once, and only after it was made."""
    if L > 1 and (np.sort(merges.ravel()) != np.arange(2 * L - 2)).any():
        raise ContentError("its tree of topics does not merge each node once")
    if (merges >= L + np.arange(L - 1)[:, None]).any():
        raise ContentError("its tree of topics merges a node before it is made")


def _check_packed(what: str, strings: Strings) -> None:
    content, ends = strings.content, strings.ends
    if content.ndim != 1:
        raise ContentError(f"{what} must have one dimension; got shape {content.shape}")
    _check_ends(what, ends, len(content))
    decoder = getincrementaldecoder("utf-8")()  # A character may begin in one part and end in the next.
    try:
        for part in parts(len(content), content):
            decoder.decode(content[part].tobytes())
        decoder.decode(b"", final=True)
    except UnicodeDecodeError as error:
        raise ContentError(f"{what} are not UTF-8") from error
    for part in parts(len(ends), ends, content, each=STRINGS_AT_ONCE):
        inside = ends[part][ends[part] < len(content)]
        if (content[inside] & 0xC0 == 0x80).any():  # Such a byte is the second or a later one of a character.
            raise ContentError(f"{what} are cut within a character")


def check_reading(reading: Reading, width: int) -> None:
    """Check how new documents are read for a model of so many columns."""
    for name, hint in get_type_hints(Reading).items():
        if not fits(value := getattr(reading, name), hint):
            raise ContentError(f"{name} of how documents are read must be {named(hint)}; got {in_short(value)}")
    if reading.kind == "tf-idf" and reading.rarity is None:
        raise ContentError("documents are read as tf-idf, but the rarity of the words is missing")
    if reading.rarity is not None:
        if reading.rarity.shape != (width,):
            raise ContentError(f"the rarity of words has shape {reading.rarity.shape}, and must have {(width,)}")
        check_finite("the rarity of words", reading.rarity)
        if reading.rarity.min() < LEAST_WEIGHT or reading.rarity.max() > LARGEST_WEIGHT:
            raise ContentError(f"the rarity of words must be from {LEAST_WEIGHT} to {LARGEST_WEIGHT:g}")
    if len(set(reading.words)) != len(reading.words) or not all(reading.words):
        raise ContentError("the words of documents with vectors must be different, and none may be empty")
    if reading.ngrams < 1:
        raise ContentError(f"at least 1 word in a row must count as one; got {reading.ngrams}")
    for what, strings in (
        ("stop words", reading.stop_words or ()),
        ("repeated lines", reading.repeated),
        ("words of documents", reading.words),
    ):
        if not all(isinstance(each, str) for each in strings):
            raise ContentError(f"its {what} must be strings")
    if reading.token_pattern is not None:
        try:
            check_pattern(reading.token_pattern)
        except PatternError as error:
            raise ContentError(f"its pattern of words, {error}, is refused") from error

"""Reuters-21578: its SGML files, the ModApte split, and the largest classes."""

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from wideangle._arguments import checked, whole
from wideangle._arguments import path as a_path
from wideangle.data.corpus import Corpus
from wideangle.data.text import TOKEN, count_words

Split = Literal["train", "test"]

# The files are no XML: bare ampersands, unquoted ">" and references to control characters. But "<" is always
# escaped inside texts and no element holds another of its name, so that patterns find the elements.
STORY = re.compile(r"<REUTERS\b([^>]*)>(.*?)(</REUTERS>|(?=<REUTERS\b)|\Z)", re.DOTALL)
ATTRIBUTE = re.compile(r'([\w-]+)\s*=\s*"([^"]*)"')
TEXT = re.compile(r'<TEXT(?:\s+TYPE="(\w+)")?\s*>(.*)</TEXT>', re.DOTALL)
TAG = re.compile(r"</?[A-Z]+[^>]*>")
ENTITY = re.compile(r"&(?:(lt|gt|amp|quot|apos)|#(\d{1,7}));", re.IGNORECASE)
CHARACTER = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
# The agency's name closes nearly every story, in a line of its own.
SIGNATURE = re.compile(r"\n\s+(?:Reuter|REUTER)\s*\Z")

ALLOWED = {
    "LEWISSPLIT": ("TRAIN", "TEST", "NOT-USED"),
    "TOPICS": ("YES", "NO", "BYPASS"),
}


@dataclass(frozen=True)
class ReutersStory:
    """One story of Reuters-21578, its texts free of entities and control characters."""

    id: int
    """NEWID, which counts through the whole collection from 1"""
    topics: tuple[str, ...]
    lewis_split: str
    """TRAIN, TEST or NOT-USED"""
    topics_attribute: str
    """YES, NO or BYPASS: whether the original collection's indexers gave topics, which may still be none"""
    title: str
    """empty where the markup has none, as in stories of type UNPROC"""
    body: str
    """without the closing line "Reuter"; empty in stories of type BRIEF, the whole text in those of type UNPROC"""
    date: str


@dataclass(frozen=True)
class LabelledTexts:
    """Texts of the largest classes, in the order of the stories."""

    ids: NDArray[np.int64]
    texts: list[str]
    """title, line break, body"""
    labels: NDArray[np.int64]
    label_names: list[str]
    """of labels 0, 1, …, the largest class first"""
    is_train: NDArray[np.bool_]


@checked(folder=a_path, minimum=whole(least=1), n_words=whole(least=1))
def read_reuters(folder: str | os.PathLike[str], *, minimum: int = 100, n_words: int = 5000) -> Corpus:
    """The corpus of the paper from the raw SGML files: largest single-topic classes, ModApte split, word counts.

    Parameters
    ----------
    folder : path
        The folder with reut2-000.sgm … reut2-021.sgm.
    minimum : int, default=100
        The size of the smallest class kept.
    n_words : int, default=5000
        Size of the vocabulary, by document frequency.
    """
    documents = top_classes(modapte(read_reuters_sgml(folder)), minimum)
    corpus = count_words(
        documents.texts,
        n_words=n_words,
        stop_words="english",
        token_pattern=TOKEN,
        is_train=documents.is_train,
        keep_texts=True,
    )
    names = np.array(documents.label_names)
    return replace(corpus, labels=documents.labels, label_names=names, source="Reuters-21578, ModApte")


def read_reuters_sgml(
    folder_or_files: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
) -> Iterator[ReutersStory]:
    """The stories of Reuters-21578 as D. Lewis distributes it, one file in memory at a time.

    Parameters
    ----------
    folder_or_files : path or iterable of paths
        The folder with reut2-000.sgm … reut2-021.sgm, or the files themselves.

    Returns
    -------
    iterator of ReutersStory
        In the order of the files (by name, for a folder) and of the stories in them.

    Raises
    ------
    FileNotFoundError
        At once, where there is no such file, or none in the folder.
    ValueError
        On the way, with file and line, at a story that cannot be read: a damaged copy shall not pass for a small one.
    """
    if isinstance(folder_or_files, str | os.PathLike):
        given = Path(folder_or_files)
        files = [given]
        if given.is_dir():
            files = sorted(path for path in given.iterdir() if path.suffix.lower() == ".sgm")
            if not files:
                raise FileNotFoundError(
                    f"no .sgm file in {given}; unpack reuters21578.tar.gz (reut2-000.sgm to reut2-021.sgm) there."
                )
    else:
        files = [Path(file) for file in folder_or_files]
    for file in files:
        if not file.is_file():
            raise FileNotFoundError(f"{file} is not a file; give the folder or the files of Reuters-21578 (.sgm).")
    return (story for file in files for story in _stories(file))


def modapte(stories: Iterable[ReutersStory]) -> Iterator[tuple[ReutersStory, Split]]:
    """The stories of the ModApte split with their part: those with TOPICS="YES" that LEWISSPLIT trains or tests on."""
    for story in stories:
        if story.topics_attribute == "YES" and story.lewis_split != "NOT-USED":
            yield story, "train" if story.lewis_split == "TRAIN" else "test"


def top_classes(stories_with_split: Iterable[tuple[ReutersStory, Split]], minimum: int = 100) -> LabelledTexts:
    """The stories with exactly one topic, a title and a body, of the topics with at least `minimum` of them.

    With the ModApte split of the whole collection and 100 these are the paper's 9 classes and 7195 documents.
    Headlines without a story (type BRIEF) and unstructured texts (UNPROC) are not among them.

    Parameters
    ----------
    stories_with_split : iterable of (ReutersStory, "train" or "test")
        What `modapte` gives.
    minimum : int, default=100
        The size of the smallest class kept, counted over both parts.

    Returns
    -------
    LabelledTexts

    Examples
    --------
    >>> from wideangle.data.reuters import ReutersStory, modapte, top_classes
    >>> story = ReutersStory(9, ("earn",), "TRAIN", "YES", "CHAMPION SPLITS", "Champion said\\n", "26-FEB-1987")
    >>> documents = top_classes(modapte([story]), minimum=1)
    >>> documents.label_names, documents.texts
    (['earn'], ['CHAMPION SPLITS\\nChampion said\\n'])
    """
    if minimum < 1:
        raise ValueError(f"minimum is the size of the smallest class kept and must be at least 1; got {minimum}.")
    single = [
        (story, split)
        for story, split in stories_with_split
        if len(story.topics) == 1 and story.title and story.body.strip()
    ]
    sizes = Counter(story.topics[0] for story, _ in single)
    # Classes of one size come in the order of their names, not of the files.
    names = sorted((name for name in sizes if sizes[name] >= minimum), key=lambda name: (-sizes[name], name))
    if not names:
        largest = max(sizes.values(), default=0)
        raise ValueError(f"no class has {minimum} stories with one topic; the largest has {largest}. Lower minimum.")
    label = {name: index for index, name in enumerate(names)}
    kept = [(story, split) for story, split in single if story.topics[0] in label]
    return LabelledTexts(
        ids=np.array([story.id for story, _ in kept], dtype=np.int64),
        texts=[f"{story.title}\n{story.body}" for story, _ in kept],
        labels=np.array([label[story.topics[0]] for story, _ in kept], dtype=np.int64),
        label_names=names,
        is_train=np.array([split == "train" for _, split in kept], dtype=np.bool_),
    )


def _stories(file: Path) -> Iterator[ReutersStory]:
    # Every byte is a character of Latin-1; in UTF-8 reut2-017.sgm cannot be read.
    content = file.read_text(encoding="latin-1")
    found = False
    for match in STORY.finditer(content):
        found = True
        try:
            if not match[3]:
                raise ValueError("it has no </REUTERS>")
            story = _story(dict(ATTRIBUTE.findall(match[1])), match[2])
        except ValueError as error:
            line = content.count("\n", 0, match.start()) + 1
            raise ValueError(
                f"{file}, line {line}: cannot read this story: {error}. Fetch the file again, or mend or cut the story."
            ) from None
        yield story
    if not found:
        raise ValueError(f"{file} has no <REUTERS> element; it is not a file of Reuters-21578, or was cut.")


def _story(attributes: dict[str, str], content: str) -> ReutersStory:
    for name, allowed in ALLOWED.items():
        if attributes.get(name) not in allowed:
            raise ValueError(f"its {name} is {attributes.get(name)!r}, not one of {', '.join(allowed)}")
    if not attributes.get("NEWID", "").isdecimal():
        raise ValueError(f"its NEWID is {attributes.get('NEWID')!r}, not a number")
    text = TEXT.search(content)
    if text is None:
        raise ValueError("it has no <TEXT> element")
    head = content[: text.start()]
    topics = _element("TOPICS", head)
    if topics is None:
        raise ValueError("it has no <TOPICS> element")
    if text[1] == "UNPROC":
        title, body = "", TAG.sub("", text[2])
    else:
        # A BRIEF has a title and then filler ("Blah blah blah."), outside of any element.
        title, body = _element("TITLE", text[2]) or "", _element("BODY", text[2]) or ""
    return ReutersStory(
        id=int(attributes["NEWID"]),
        topics=tuple(_clean(topic) for topic in re.findall(r"<D>(.*?)</D>", topics, re.DOTALL)),
        lewis_split=attributes["LEWISSPLIT"],
        topics_attribute=attributes["TOPICS"],
        title=_clean(title).strip("\n"),
        body=SIGNATURE.sub("\n", _clean(body)).lstrip("\n"),
        date=_clean(_element("DATE", head) or "").strip(),
    )


def _element(name: str, content: str) -> str | None:
    match = re.search(f"<{name}>(.*?)</{name}>", content, re.DOTALL)
    return None if match is None else match[1]


def _clean(text: str) -> str:
    """Entities become characters; control characters go. An ampersand that begins no entity stays as it is."""
    return CONTROL.sub("", ENTITY.sub(_character, text))


def _character(entity: re.Match[str]) -> str:
    if entity[1]:
        return CHARACTER[entity[1].lower()]
    return chr(int(entity[2])) if int(entity[2]) <= 0x10FFFF else entity[0]

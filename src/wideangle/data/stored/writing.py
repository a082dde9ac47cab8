"""Documents to counts on disk."""

import os
import shutil
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Literal

from wideangle._alphabets import WORDS
from wideangle._arguments import checked
from wideangle._arguments import path as a_path
from wideangle._files import making_folder
from wideangle.data.languages import guess_language
from wideangle.data.stored.counts import CountsOnDisk, open_counts
from wideangle.data.stored.joining import WordChoice, join_parts
from wideangle.data.stored.parts import CountedPart, WordRules, count_part, in_parts
from wideangle.data.text import RULES_OF_WORDS, left_out_by
from wideangle.documents import Document
from wideangle.exceptions import DataError

__all__ = ["PART", "write_counts"]

PART = 2**25  # So many characters are in memory at once while words are counted.


@checked(folder=a_path, **RULES_OF_WORDS)
def write_counts(
    documents: Iterable[Document],
    folder: str | os.PathLike[str],
    *,
    n_words: int | Literal["auto"] | None = "auto",
    stop_words: str | Sequence[str] | None = "auto",
    token_pattern: str = WORDS,
    ngrams: int = 1,
    min_df: float = 1,
    max_df: float = 1.0,
) -> CountsOnDisk:
    """Count words of documents that need not fit into memory, with the same counts as `count_words`.

    The documents are gone through once, and counted part by part. Where stop_words="auto" and words in a row are
    counted, they are gone through before that for their language: pass a `TextSource` then, not a generator. The folder
    appears when it is complete. The other parameters are those of `count_words`.
    """
    target = Path(folder)
    if target.exists():
        raise DataError(f"{target} exists already; choose another folder, or open it with open_counts.")
    rules = WordRules(token_pattern, _stop_words(documents, stop_words, ngrams), ngrams)
    with making_folder(target) as temporary:
        kept = temporary / "parts"
        kept.mkdir()
        files: list[Path] = []
        for part in in_parts(documents, PART):
            files.append(kept / f"part-{len(files):05d}.npz")
            count_part(part, rules).save(files[-1])
        choice = WordChoice(n_words, min_df, max_df, stop_words == "auto" and ngrams == 1)
        join_parts([partial(CountedPart.load, file) for file in files], temporary, rules, choice)
        shutil.rmtree(kept)
    return open_counts(target)


def _stop_words(
    documents: Iterable[Document], stop_words: str | Sequence[str] | None, ngrams: int
) -> str | tuple[str, ...] | None:
    """The stop words that must be known before words are counted. Single words can be left out after that."""
    if stop_words == "auto":
        if ngrams == 1:
            return None
        if iter(documents) is documents:
            raise DataError(
                "documents are gone through twice where stop_words='auto' and ngrams > 1, and a generator can be gone "
                "through once: pass a TextSource, or say which words to leave out."
            )
        return left_out_by(guess_language(document.text for document in documents)).words
    return stop_words if stop_words is None or isinstance(stop_words, str) else tuple(stop_words)

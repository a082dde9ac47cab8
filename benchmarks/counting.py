"""How fast are words counted, compared with scikit-learn, gensim and tomotopy?

    python benchmarks/counting.py [--quick]

Each way finds and counts all words of documents that are in memory as strings, on one core. scikit-learn's
`CountVectorizer` has the same pattern, by the fastest regular expressions that find the same words, and gives the same
words and counts, which is checked. gensim's `simple_preprocess` and `doc2bow` have a pattern of their own, and so has
tomotopy's `SimpleTokenizer`. "n_words=5000" keeps the 5000 words of the most documents, which saves the sorting of the
others. The time is that of the processor and the least of several turns, in each of which every way has its turn: so
other work on the machine matters less. A corpus "× 3" has the same documents three times, so that few words are new.
Texts are looked for in the folder WIDEANGLE_DATA; without them docstrings are counted.
"""

import argparse
import gzip
import json
import resource
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from itertools import islice
from typing import Any

from _timing import fastest_seconds
from sklearn.feature_extraction.text import CountVectorizer

from wideangle._alphabets import WORDS, find_words, folded
from wideangle.data import count_words, python_docs
from wideangle.data.locate import find_file
from wideangle.data.text import TOKEN

FILES = {
    "20 Newsgroups": "20news_bydate.jsonl.gz",
    "Reuters": "reuters_top9.jsonl.gz",
    "French": "pydocs_fr.jsonl.gz",
    "Spanish": "pydocs_es.jsonl.gz",
    "Chinese": "pydocs_zh_cn.jsonl.gz",
}
REPEATED = 3
PEER, OURS = "scikit-learn", "wideangle"

Counts = tuple[Any, list[str]]  # documents × words, and the words


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few documents, one turn")
    options = parser.parse_args()
    corpora = corpora_of(40 if options.quick else None)
    turns = 1 if options.quick else 2
    print(f"{'':>31} {'MB':>6} {'documents':>9} {'words':>8} {'counted by':>23} {'s':>7} {'MB/s':>6} {'times':>6}")
    for name, texts in corpora.items():
        for said, pattern in (("any alphabet", WORDS), ("a to z", TOKEN)):
            compare(f"{name}, {said}", texts, pattern, {}, turns)
    name, texts = next(iter(corpora.items()))
    compare(f"{name} × {REPEATED}, any alphabet", texts * REPEATED, WORDS, {}, 1)
    compare(f"{name}, pairs", texts, WORDS, {"ngrams": 2, "min_df": 5}, 1)
    print(f"most memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MB, of all ways together")


def corpora_of(n: int | None) -> dict[str, list[str]]:
    """The texts that are here by their name, `n` of each."""
    found: dict[str, list[str]] = {}
    for name, file in FILES.items():
        if path := find_file(file):
            with gzip.open(path, "rt", encoding="utf-8") as lines:
                found[name] = [json.loads(line)["text"] for line in islice(lines, n)]
    if not found:
        texts = python_docs().texts
        assert texts is not None
        found["docstrings"] = texts.tolist()[:n]
    return found


def compare(name: str, texts: Sequence[str], pattern: str, options: dict[str, int], turns: int) -> None:
    """Print the time of each way, and how many times faster it is than scikit-learn."""
    ways: dict[str, Callable[[], object]] = {
        PEER: lambda: by_scikit_learn(texts, pattern, **options),
        OURS: lambda: by_wideangle(texts, pattern, None, **options),
        f"{OURS}, n_words=5000": lambda: by_wideangle(texts, pattern, 5000, **options),
    }
    if find_spec("gensim") and not options:
        ways["gensim"] = lambda: by_gensim(texts)
    if find_spec("tomotopy") and not options:
        ways["tomotopy"] = lambda: by_tomotopy(texts)
    counts, words = by_wideangle(texts, pattern, None, **options)
    expected, names = by_scikit_learn(texts, pattern, **options)
    if words != names or (counts != expected).nnz:
        raise SystemExit(f"{name}: the counts differ")
    seconds = fastest_seconds({way: processor_time(run) for way, run in ways.items()}, turns)
    size = sum(len(text.encode("utf-8", "surrogatepass")) for text in texts) / 1e6
    for way, taken in seconds.items():
        shown = f"{name:>31} {size:6.1f} {len(texts):9,} {len(words):8,}" if way == PEER else " " * 57
        print(f"{shown} {way:>23} {taken:7.3f} {size / taken:6.1f} {seconds[PEER] / taken:6.1f}", flush=True)


def processor_time(run: Callable[[], object]) -> Callable[[], float]:
    """A way for `fastest_seconds`."""

    def seconds() -> float:
        start = time.process_time()
        run()
        return time.process_time() - start

    return seconds


def by_wideangle(texts: Sequence[str], pattern: str, n_words: int | None, ngrams: int = 1, min_df: int = 1) -> Counts:
    """Counts and words as `count_words` gives them."""
    corpus = count_words(texts, stop_words=None, n_words=n_words, token_pattern=pattern, ngrams=ngrams, min_df=min_df)
    assert corpus.vocabulary is not None
    return corpus.counts, corpus.vocabulary.tolist()


def by_scikit_learn(texts: Sequence[str], pattern: str, ngrams: int = 1, min_df: int = 1) -> Counts:
    """Counts and words by the pattern."""
    vectorizer = CountVectorizer(
        preprocessor=folded,
        tokenizer=find_words(pattern),
        token_pattern=None,
        ngram_range=(1, ngrams),
        min_df=min_df,
    )
    return vectorizer.fit_transform(texts), vectorizer.get_feature_names_out().tolist()


def by_gensim(texts: Sequence[str]) -> list[object]:
    """Documents as pairs of a word's number and its count, by gensim's pattern."""
    cut = import_module("gensim.utils").simple_preprocess
    dictionary = import_module("gensim.corpora").Dictionary(prune_at=None)
    return [dictionary.doc2bow(cut(text, min_len=3, max_len=10**6), allow_update=True) for text in texts]


def by_tomotopy(texts: Sequence[str]) -> object:
    """Words by tomotopy's tokenizer, as a corpus of its own."""
    utils = import_module("tomotopy.utils")
    corpus = utils.Corpus(tokenizer=utils.SimpleTokenizer())
    corpus.process(texts)
    return corpus


if __name__ == "__main__":
    main()

"""Shards on disk: the counts of count_words, read batch by batch."""

import json

import numpy as np
import pytest
import scipy.sparse as sp

from wideangle.data import Document, TextSource, count_words, open_shards, shards, write_shards
from wideangle.exceptions import DataError


def documents(n=50, labelled=True):
    generator = np.random.default_rng(0)
    words = [f"{a}{b}{c}" for a in "abcdef" for b in "ghij" for c in "klm"]
    return [
        Document(" ".join(generator.choice(words, 12)), f"class{i % 3}" if labelled else None, str(i)) for i in range(n)
    ]


@pytest.mark.parametrize("per_shard", [7, 50, 1000])
def test_shards_hold_what_count_words_counts(per_shard, tmp_path):
    made = documents()
    shards = write_shards(made, tmp_path / "s", n_words=40, documents_per_shard=per_shard)
    corpus = count_words([d.text for d in made], n_words=40, labels=[d.label for d in made])
    assert shards.shape == corpus.counts.shape
    assert shards.vocabulary.tolist() == corpus.vocabulary.tolist()
    batches = list(shards.batches(6))
    assert (sp.vstack([counts for counts, _ in batches]) != corpus.counts).nnz == 0
    assert np.concatenate([labels for _, labels in batches]).tolist() == corpus.labels.tolist()
    assert shards.label_names.tolist() == corpus.label_names.tolist()


def test_of_equally_frequent_words_the_first_in_the_alphabet_are_taken(tmp_path):
    """All come once but for one word, which comes twice and is the last in the alphabet."""
    words = [f"{a}{b}{c}" for a in "fedcba" for b in "jihg" for c in "mlk"]
    texts = [*(" ".join(words[start : start + 9]) for start in range(0, len(words), 9)), "zzz", "zzz"]
    made = write_shards([Document(text, None, str(n)) for n, text in enumerate(texts)], tmp_path / "s", n_words=20)
    assert made.vocabulary.tolist() == [*sorted(words)[:19], "zzz"]
    assert made.vocabulary.tolist() == count_words(texts, n_words=20).vocabulary.tolist()


def test_shuffled_batches_are_a_permutation_that_depends_on_the_seed(tmp_path):
    shards = write_shards(documents(), tmp_path / "s", documents_per_shard=20)
    plain, one, again, other = (
        sp.vstack([counts for counts, _ in shards.batches(8, seed=seed)]).toarray() for seed in (None, 1, 1, 2)
    )
    assert np.array_equal(one, again)
    assert not np.array_equal(one, other)
    assert sorted(map(tuple, one)) == sorted(map(tuple, plain))


def test_shards_are_memory_mapped_and_reopened(tmp_path):
    write_shards(documents(labelled=False), tmp_path / "s")
    shards = open_shards(tmp_path / "s")
    counts, labels = shards.shard(0)
    base = counts.data
    while not isinstance(base, np.memmap) and getattr(base, "base", None) is not None:
        base = base.base
    assert isinstance(base, np.memmap)
    assert labels is None


def test_from_a_file(tmp_path):
    path = tmp_path / "d.jsonl"
    path.write_text("".join(json.dumps({"text": d.text, "label": d.label}) + "\n" for d in documents()))
    assert len(write_shards(TextSource(path), tmp_path / "s")) == 50


def test_documents_without_a_label_are_kept(tmp_path):
    shards = write_shards(documents(3) + documents(2, labelled=False), tmp_path / "s")
    labels = shards.shard(0)[1]
    assert (labels[:3] >= 0).all()
    assert labels[3:].tolist() == [-1, -1]


def test_mistakes(tmp_path):
    with pytest.raises(DataError, match="generator"):
        write_shards((d for d in documents()), tmp_path / "s")
    with pytest.raises(DataError, match="no document has a word left"):
        write_shards([Document("", None, "")], tmp_path / "s")
    assert not list(tmp_path.iterdir())
    write_shards(documents(), tmp_path / "s")
    with pytest.raises(DataError, match="exists already"):
        write_shards(documents(), tmp_path / "s")
    with pytest.raises(DataError, match="no folder of shards"):
        open_shards(tmp_path)
    (tmp_path / "s" / "shard-00000.data.npy").unlink()
    with pytest.raises(DataError, match=r"lacks shards \[0\]"):
        open_shards(tmp_path / "s")
    (tmp_path / "s" / "shards.json").write_text("{")
    with pytest.raises(DataError, match="damaged"):
        open_shards(tmp_path / "s")


def test_a_failed_write_leaves_nothing(tmp_path):
    class Breaks:
        times = 0

        def __iter__(self):
            self.times += 1
            yield from documents(5)
            if self.times == 2:
                raise OSError("disk on fire")

    with pytest.raises(OSError, match="disk on fire"):
        write_shards(Breaks(), tmp_path / "s", documents_per_shard=2)
    assert not list(tmp_path.iterdir())


def test_the_rarest_words_are_forgotten_while_counting(tmp_path, monkeypatch):
    monkeypatch.setattr(shards, "MOST_WORDS", 40)
    rare = [f"{a}{b}{c}" for a in "qrst" for b in "uvwx" for c in "yzqrstuvwx"]
    # The frequent words come early, so that they would be missed if they were forgotten then.
    made = [Document(f"{'apple banana cherry ' if i < 90 else ''}{word}", None, "") for i, word in enumerate(rare)]
    assert write_shards(made, tmp_path / "few", n_words=3).vocabulary.tolist() == ["apple", "banana", "cherry"]
    # Were none forgotten, there would be 163 words.
    kept = write_shards(made, tmp_path / "many", n_words=1000).vocabulary.tolist()
    assert 20 <= len(kept) <= 40
    assert {"apple", "banana", "cherry"} <= set(kept)

"""What do topics and retrieval gain and lose where mails are read without headers, quotations and signatures?

    python benchmarks/mail.py [--quick]

Posts of 20 Newsgroups as they were sent, read in four ways: as they are; subject and body, as the paper's counts are
made; and as `wideangle fit --strip-mail` reads them, with `--keep-quotations` and without. P@10 is that of each post
among all others. Quotations and names of posters give a group away: an answer quotes what it answers, and people have
their groups. So precision falls where they go, most of all for posts of which few words are left. The raw posts are
looked for as 20news_bydate.jsonl.gz in the folder WIDEANGLE_DATA; without them nothing is measured.
"""

import argparse
import gzip
import json
from collections.abc import Callable
from functools import partial

import numpy as np

from wideangle.data import count_words
from wideangle.data.locate import find_file
from wideangle.data.text import newsgroup_text
from wideangle.evaluation import precision_among
from wideangle.models import ReplicatedSoftmax
from wideangle.reading.mail import text_of_mail
from wideangle.topics.of_model import topics_of_documents
from wideangle.view import ModelView

FILE = "20news_bydate.jsonl.gz"
NEAREST = 10
FEW = 20  # A post of fewer words is short.
WAYS: dict[str, Callable[[str], str]] = {
    "as sent": str,
    "subject and body": newsgroup_text,
    "--keep-quotations": partial(text_of_mail, keep_quotations=True),
    "--strip-mail": text_of_mail,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few posts and updates, one seed")
    options = parser.parse_args()
    path = find_file(FILE)
    if path is None:
        print(f"{FILE} is not there, so that nothing is measured.")
        return
    n, updates, seeds = (300, 50, 1) if options.quick else (3000, 2000, 2)
    with gzip.open(path, "rt", encoding="utf-8") as file:
        posts = [json.loads(line) for line in file]
    for seed in range(seeds):
        drawn = np.random.default_rng(seed).permutation(len(posts))[:n]
        texts, labels = ([posts[row][key] for row in drawn] for key in ("text", "label"))
        print(f"seed {seed}: {n:,} posts, K = 50, {updates:,} updates; short posts have fewer than {FEW} known words")
        print(f"{'':>17} {'words':>6} {'short':>6} {'P@10':>6} {'±':>6} {'of short ones':>14} {'of the others':>14}")
        found = []
        for way, read in WAYS.items():
            corpus = count_words([read(text) for text in texts], labels=labels)
            assert corpus.vocabulary is not None
            assert corpus.labels is not None
            model = ReplicatedSoftmax(50, max_updates=updates, random_state=seed).fit(corpus.counts)
            model.vocabulary_ = [str(word) for word in corpus.vocabulary]
            view = ModelView.of(model)
            documents = view.documents(corpus.counts, counts=corpus.counts)
            precision = precision_among(view.vectors(documents), corpus.labels, NEAREST)
            words = np.asarray(corpus.counts.sum(axis=1)).ravel()
            short = words < FEW
            of_parts = [f"{precision[part].mean():.3f}" if part.any() else "–" for part in (short, ~short)]
            error = precision.std() / np.sqrt(n)
            print(
                f"{way:>17} {np.median(words):6.0f} {short.mean():6.1%} {precision.mean():6.3f} {error:6.3f} "
                f"{of_parts[0]:>14} {of_parts[1]:>14}",
                flush=True,
            )
            topics = topics_of_documents(view, documents, random_state=seed)
            gathered = short[topics.of_documents == 0].mean()
            largest = "; ".join(f"{topic.name} ({topic.size})" for topic in topics[:5])
            found.append(f"{way}: {len(topics)} topics, the largest: {largest}; {gathered:.0%} of the first are short")
        print(*found, sep="\n", flush=True)


if __name__ == "__main__":
    main()

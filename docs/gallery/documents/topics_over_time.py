"""
Topics over time
================

Documents with dates: which subjects come and go?
"""

# %%
# A made corpus of short messages to a shop, from two years. Deliveries are late each
# December, a faulty charger is complained of from one summer on, and questions about
# invoices stay as they are.

import matplotlib.pyplot as plt
import numpy as np

from wideangle.data import count_words
from wideangle.models import ReplicatedSoftmax
from wideangle.topics.over_time import topics_over_time

subjects = {
    "delivery": "delivery parcel late courier waited tracking arrived delayed address driver days door",
    "charger": "charger cable hot smell smoke battery socket melted plug charging broken dangerous",
    "invoice": "invoice payment card refund charged amount account bank receipt total number paid",
    "size": "size shirt small large fits tight exchange sleeves length colour fabric wash",
}
words = {name: text.split() for name, text in subjects.items()}
common = [
    "hello",
    "please",
    "thanks",
    "order",
    "shop",
    "customer",
    "again",
    "still",
    "would",
    "help",
]
rng = np.random.default_rng(0)
months = np.datetime64("2023-01") + np.arange(24)
rates = {
    "delivery": np.where(np.arange(24) % 12 == 11, 80, 15),
    "charger": np.where(np.arange(24) < 18, 0, [0] * 18 + [5, 15, 40, 30, 20, 15]),
    "invoice": np.full(24, 20),
    "size": np.full(24, 15),
}
texts, dates, truth = [], [], []
for name, per_month in rates.items():
    for month, rate in zip(months, per_month, strict=True):
        for _ in range(rng.poisson(rate)):
            texts.append(
                " ".join([*rng.choice(words[name], 9), *rng.choice(common, 4)])
            )
            dates.append(
                int(
                    (month.astype("datetime64[s]") + rng.integers(28 * 86400)).astype(
                        np.int64
                    )
                )
            )
            truth.append(name)
print(f"{len(texts)} messages, the first: {texts[0]!r}")

# %%
# The model knows neither dates nor subjects.

corpus = count_words(texts, stop_words=None, min_df=2)
model = ReplicatedSoftmax(random_state=0).fit(corpus.counts)
topics = model.topics(corpus.counts, 4, vocabulary=corpus.vocabulary)
for topic in topics:
    mine = np.array(truth)[topics.of_documents == topic.number]
    names, sizes = np.unique(mine, return_counts=True)
    print(f"{topic.number}: {topic.size:4} documents, {sizes.max() / len(mine):.0%} of them {names[sizes.argmax()]}:",
          ", ".join(topic.words[:5]))  # fmt: skip

# %%
# Documents of each topic per month:

counted = topics_over_time(topics.of_documents, dates, len(topics), "month")
figure, panels = plt.subplots(len(topics), 1, figsize=(7.2, 5.2), sharex=True)
for axes, topic, colour in zip(panels, topics, ("C0", "C1", "C3", "C4"), strict=True):
    axes.bar(
        range(len(counted.starts)),
        counted.counts[topic.number],
        color=colour,
        width=0.8,
    )
    axes.set_title(", ".join(topic.words[:4]), loc="left", fontsize=9)
    axes.set_ylabel("messages")
ticks = range(0, len(counted.starts), 6)
panels[-1].set(xticks=ticks, xticklabels=[counted.starts[i] for i in ticks])
plt.show()

# %%
# The number of topics was given here. Where nobody gives it, it is found, and is larger
# than that of our subjects, which fall into parts that the random words make:

print("topics found:", len(model.topics(corpus.counts, vocabulary=corpus.vocabulary)))

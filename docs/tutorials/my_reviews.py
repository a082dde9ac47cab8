"""
My reviews
==========

You have a table of reviews and want to know what they are about. First on the command line, then in Python.
"""

# %%
# A table that looks like yours
# -----------------------------
#
# There is no data set in this package that we may give you, so this script makes one:
# 300 reviews of headphones, as a shop might export them. Most of them mix two subjects.
# Seven customers write of a charger that gets hot, which is what nobody should
# overlook. A few reviews are copies, one is German, and one is empty. Skip this block:
# your own table takes its place.

import csv
import random
import subprocess
import sys
import tempfile
from pathlib import Path

PHRASES = {
    "sound": """the bass is {deep|full|strong} and never muddy; voices sound {clear|thin|natural} even at low volume
        the treble is {harsh|crisp|sharp} at high volume; noise cancelling {removes|hides} the hum of the train
        music has {detail|warmth|depth} that my old pair never had; the sound stage is {wide|narrow}""",
    "comfort": """the ear pads are {soft|stiff|warm} after an hour; the headband {presses|pinches|fits} on big heads
        with glasses the pads {hurt|press} behind the ears; they are {light|heavy} and stay in place when I run
        my ears get {hot|sweaty} in summer under the leather; the fit is {tight|loose} on small heads""",
    "delivery": """the parcel came {two|three|five} days late; the courier left the box {outside|with a neighbour}
        tracking showed delivered but nothing had arrived; shipping took {a week|two weeks} longer than promised
        it arrived {the next day|quickly} and well packed; the box was {crushed|torn|open} on arrival""",
    "battery": """the battery lasts {thirty|twenty|eight} hours on one charge; after {a month|half a year} it holds half
        it needs {two|three} hours until fully charged; standby {drains|empties} the battery over night
        the battery indicator {jumps|lies} from forty to zero percent; charging once a week is enough for my commute""",
    "service": """support answered {after a week|within an hour|never}; the refund took {three|six} weeks to my account
        customer service asked for the same receipt {twice|again}; they replaced my pair without any questions
        the return label never came by email; the agent on the phone was {friendly|rude|patient}""",
    "app": """the app {crashes|freezes} when it looks for firmware; pairing with my phone {fails|drops} after updates
        bluetooth connects to {the laptop|the tablet} at once; the equaliser in the app forgets its settings
        the firmware update {failed|hung} at ninety percent; switching between two devices is {slow|easy}""",
}
CHARGER = """the charger became so hot that it smelled of burnt plastic; smoke came out of the charging plug
    the charger melted at the socket and left a burn mark; dangerous charger, the plug was too hot to touch"""
OPENINGS = (
    "Bought these in spring.",
    "Second pair for me.",
    "A present for my son.",
    "Hm.",
    "Used daily at work.",
    "",
)
GERMAN = "Der Klang ist gut, aber der Bügel drückt nach einer Stunde und der Akku hält nicht lange."
rng = random.Random(0)


def phrases_of(text):
    """The phrases of a subject, with one choice of each {a|b}."""
    for phrase in text.replace("\n", ";").split(";"):
        while "{" in phrase:
            before, rest = phrase.split("{", 1)
            choices, after = rest.split("}", 1)
            phrase = before + rng.choice(choices.split("|")) + after
        yield phrase.strip()


def review(subjects):
    """Some sentences about the subjects."""
    chosen = [
        phrase
        for subject in subjects
        for phrase in rng.sample(list(phrases_of(subject)), 2)
    ]
    rng.shuffle(chosen)
    return " ".join(
        [
            rng.choice(OPENINGS),
            *(f"{phrase[0].upper()}{phrase[1:]}." for phrase in chosen),
        ]
    ).strip()


def write_table(path, first_id, month, reviews):
    """A table of reviews, as a shop exports it."""
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["id", "date", "stars", "review"])
        for number, text in enumerate(reviews):
            rows.writerow(
                [
                    f"R{first_id + number}",
                    f"{month}-{rng.randint(1, 28):02}",
                    rng.randint(1, 5),
                    text,
                ]
            )


folder = Path(tempfile.mkdtemp())
reviews = [
    review(rng.sample(list(PHRASES.values()), rng.choice([1, 2, 2])))
    for _ in range(285)
]
reviews += (
    [review([CHARGER]) for _ in range(7)]
    + [reviews[3]] * 4
    + [reviews[8]] * 2
    + [GERMAN, ""]
)
rng.shuffle(reviews)
write_table(folder / "reviews.csv", 1001, "2024-09", reviews)
october = [review([text]) for text in PHRASES.values()] + [review([CHARGER])]
october += [review([CHARGER, PHRASES["battery"]]) for _ in range(11)]
write_table(folder / "october.csv", 2001, "2024-10", october)
print((folder / "reviews.csv").read_text(encoding="utf-8")[:400], "…")

# %%
# On the command line
# -------------------
#
# You would type these commands in a shell; here a function runs them and shows what
# they print.


def wideangle(*arguments):
    """Run a command in the folder, and show what it prints."""
    print(
        "$ wideangle",
        " ".join(f'"{each}"' if " " in each else each for each in arguments),
    )
    command = [sys.executable, "-m", "wideangle", *arguments]
    done = subprocess.run(
        command,
        cwd=folder,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
    )
    for line in [*done.stdout.splitlines(), *done.stderr.splitlines()]:
        print(line.rstrip())


# %%
# **Fit.** The command says what it took the table for. Read its notes: they tell which
# column is the text, that copies do not shape the topics, and what else it saw. By
# itself it would have taken the stars for classes. We want subjects, and stars are
# none, so we say that no column has labels.

wideangle("fit", "reviews.csv", "--label-column", "none", "-o", "reviews.wideangle")

# %%
# **Topics.** Groups of documents, the largest first, with the words that set them
# apart. Nothing says what is right, so read the words: do they name subjects that you
# know? The hot charger has a topic of its own, the last one.

wideangle("topics", "reviews.wideangle")

# %%
# **Search**, by meaning and by words. A copy is shown once, with the number of the
# others that are like it.

wideangle("search", "reviews.wideangle", "hot charger smoke", "-n", "6")

# %%
# **Assign.** The reviews of October get a topic each, and the probability that it is
# right. Few documents teach little, so that these probabilities are not high.

wideangle("assign", "reviews.wideangle", "october.csv", "-o", "october_topics.csv")
print((folder / "october_topics.csv").read_text(encoding="utf-8")[:600], "…")

# %%
# **Update.** The new reviews join the model. Topics keep their numbers and names, and
# one that has grown beyond chance is told: the charger.

wideangle("update", "reviews.wideangle", "october.csv", "-o", "both.wideangle")

# %%
# **The page.** One file that works from disk and can be sent to a colleague: a map,
# topics that merge and split, search.

wideangle("explore", "both.wideangle", "-o", "reviews.html")

# %%
# In Python
# ---------
#
# A model file opens in Python too. It knows how texts are read.

import matplotlib.pyplot as plt
import numpy as np

import wideangle as wa
from wideangle.new_texts import assign_texts

model = wa.load(folder / "both.wideangle")
complaint = "My charger got hot and there was a smell of smoke."
found = assign_texts(model, [complaint])
print(
    complaint, "→", model.topics_[int(found.topics[0])].name, f"({found.sure[0]:.2f})"
)

# %%
# Or all of it in Python: ``read`` reads a table as the command does, and the model is a
# scikit-learn estimator. The reviews of October are read as those of September were.

from wideangle.models import ReplicatedSoftmax
from wideangle.reading import ReadingOptions, read, read_new

rows = read(folder / "reviews.csv", ReadingOptions(label_column="none"))
mine = ReplicatedSoftmax(random_state=0).fit(rows.X)
topics = mine.topics(rows.X, vocabulary=rows.vocabulary)
mine.save(folder / "mine.wideangle", vocabulary=rows.vocabulary, reading=rows.reading)

saved = wa.load(folder / "mine.wideangle")
october = saved.assign(
    read_new(folder / "october.csv", saved.reading_, saved.vocabulary_).X
)
print(len(topics), "topics; of", len(october.topics), "new reviews",
      (october.topics >= 0).sum(), "have one, with a mean probability of", october.sure.mean().round(2))  # fmt: skip

# %%
# The share of each topic in September and in October, those with the largest change on
# top.

before = np.bincount(
    topics.of_documents[topics.of_documents >= 0], minlength=len(topics)
) / len(rows)
after = np.bincount(october.topics[october.topics >= 0], minlength=len(topics)) / len(
    october.topics
)
order = np.argsort(np.abs(after - before))[-8:]
figure, axes = plt.subplots(figsize=(7.2, 3.6))
for place, number in enumerate(order):
    axes.plot([before[number], after[number]], [place, place], color="0.8", zorder=0)
axes.plot(before[order], range(8), "o", color="C2", label="September")
axes.plot(after[order], range(8), "o", color="C1", label="October")
axes.set(
    yticks=range(8),
    yticklabels=[", ".join(topics[int(i)].words[:3]) for i in order],
    xlabel="share of the reviews",
)
axes.legend(loc="lower right")
plt.show()

# %%
# What to remember
# ----------------
#
# * Read the notes of ``fit``, and correct what was guessed wrong.
# * Topics are offered, not true. Names can be changed (``--rename``), topics merged and split (``--merge``,
#   ``--split``), and all commands and the page follow.
# * These reviews were made of phrases, so their topics are cleaner than yours will be.
# * For titles of a few words, ``--model tf-idf`` or vectors of an encoder (``--encoder wordllama``) may do better.

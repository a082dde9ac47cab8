"""Topics of documents that are in Spark: a saved model in `mapInPandas`.

A model is fitted to a few texts and saved, and Spark's workers ask it for the topic of each row of a data frame. Each
Python worker loads the model once. Needs `pip install pyspark` and Java.
"""

import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
from pyspark import SparkFiles
from pyspark.sql import SparkSession

from wideangle.cli import main as wideangle_command
from wideangle.new_texts import assign_texts, load_once, represent_texts

SUBJECTS = (
    "wheat corn barley harvest field tractor grain soil farmer crop",
    "rate credit loan mortgage market dollar deposit fund yield bond",
    "ship harbour tanker cargo port vessel captain wave anchor sailor",
)


def topics_of_batches(batches: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
    """What Spark calls on its workers: data frames with a column `text` in, topics and vectors out."""
    model = load_once(SparkFiles.get("model.wideangle"))  # Spark has copied the file to each machine.
    for batch in batches:
        texts = batch["text"].fillna("").tolist()
        found = assign_texts(model, texts)
        names = [model.topics_[int(topic)].name if topic >= 0 else None for topic in found.topics]
        vectors = represent_texts(model, texts).tolist()
        yield pd.DataFrame({"id": batch["id"], "topic": names, "sure": found.sure, "vector": vectors})


def texts() -> list[str]:
    """Documents of three subjects, each with other words of its subject."""
    words = [subject.split() for subject in SUBJECTS]
    return [" ".join(words[n % 3][(n + 3 * k) % 10] for k in range(7)) for n in range(90)]


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        documents, saved = Path(folder) / "documents.txt", Path(folder) / "model.wideangle"
        documents.write_text("".join(f"{text}\n" for text in texts()))
        wideangle_command(["fit", str(documents), "-k", "6", "--updates", "200", "--quiet", "-o", str(saved)])
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # Workers need the packages of this Python.
        spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
        spark.sparkContext.addFile(str(saved))
        frame = spark.createDataFrame(pd.DataFrame({"id": range(90), "text": texts()})).repartition(4)
        found = frame.mapInPandas(topics_of_batches, "id long, topic string, sure double, vector array<float>")
        rows = sorted(found.collect(), key=lambda row: row["id"])
        spark.stop()
        here = assign_texts(load_once(saved), texts())
    print(f"{len(rows)} documents, {len({row['topic'] for row in rows})} topics, {len(rows[0]['vector'])} numbers each")
    agreed = sum(abs(row["sure"] - sure) < 1e-3 for row, sure in zip(rows, here.sure, strict=True))
    print(f"{agreed} of {len(rows)} are as sure as where the model is asked here")


if __name__ == "__main__":
    main()

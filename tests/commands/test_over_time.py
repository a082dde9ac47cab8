"""`wideangle topics --over-time`."""

import csv
import io

import pytest
from small_corpus import documents

from wideangle.cli import main


@pytest.fixture(scope="module")
def dated(tmp_path_factory):
    """A model of documents of one month after the other; the last one has no date."""
    root = tmp_path_factory.mktemp("dated")
    with (root / "d.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("text", "label", "published"))
        for number, (text, label) in enumerate(documents()):
            month = 1 + number // 6
            writer.writerow(
                (text, label, "" if number == 59 else f"2023-{month:02}-15" if month < 13 else "2024-01-02")
            )
    options = ["-k", "4", "--updates", "60", "--language", "en", "--quiet", "-o", str(root / "m")]
    assert main(["fit", str(root / "d.csv"), *options]) == 0
    return root / "m"


def test_counts_per_topic_and_period(dated, answer):
    found = answer("topics", dated, "-t", 3, "--over-time")
    assert found["period"] == "month"
    assert found["periods"] == [f"2023-{month:02}" for month in range(1, 11)]
    assert sum(sum(topic["counts"]) for topic in found["topics"]) == 59
    assert found["undated"] == 1
    years = answer("topics", dated, "-t", 3, "--over-time", "year")
    assert years["periods"] == ["2023"]


def test_the_chart_fits_eighty_columns(dated, run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    code, out, err = run("topics", dated, "--over-time", "day")
    assert (code, err) == (0, "")
    assert max(map(len, out.splitlines())) <= 80
    assert "█" in out
    assert "274 days, 2023-01-15 to 2023-10-15" in out
    assert "left out: 1 document." in out


def test_numbers_are_written(dated, run, tmp_path):
    code, out, _ = run("topics", dated, "-t", 2, "--over-time", "quarter", "--csv")
    assert code == 0
    rows = list(csv.reader(io.StringIO(out)))
    assert rows[0] == ["topic", "name", "documents", "2023-Q1", "2023-Q2", "2023-Q3", "2023-Q4"]
    assert [sum(map(int, row[3:])) for row in rows[1:]] == [int(row[2]) for row in rows[1:]]
    code, out, _ = run("topics", dated, "--over-time", "-o", tmp_path / "t.csv")
    assert code == 0
    assert "t.csv" in out
    assert (tmp_path / "t.csv").exists()


def test_documents_without_dates_say_what_to_do(models, run):
    code, _, err = run("topics", models["replicated-softmax"], "--over-time")
    assert code == 1
    assert "have no dates" in err
    assert "--date-column" in err


def test_nothing_else_is_done_at_the_same_time(dated, run):
    code, _, err = run("topics", dated, "--over-time", "--merge", "1,2")
    assert code == 2
    assert "--over-time goes with" in err


def test_dates_go_on_after_an_update(dated, tmp_path, answer):
    (tmp_path / "new.csv").write_text("text,published\nwheat corn barley harvest field tractor,2024-05-01\n")
    answer("update", dated, tmp_path / "new.csv", "-o", tmp_path / "m2", "--no-training")
    found = answer("topics", tmp_path / "m2", "--over-time", "month")
    assert found["periods"][-1] == "2024-05"
    assert sum(topic["counts"][-1] for topic in found["topics"]) == 1

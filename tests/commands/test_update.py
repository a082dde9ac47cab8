"""`wideangle update`: documents join a model, its topics and its search."""

import csv
import json
import shutil

import numpy as np
import pytest
from small_corpus import documents

import wideangle
from wideangle.commands.work.update.joining import joined, plan_of, taken
from wideangle.commands.work.update.updated import changes_of
from wideangle.documents import NO_DATE, Documents

ROWS = list(documents())


def write(path, rows, header=("id", "text", "label")):
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows(rows)
    return path


def numbered(rows, start=0):
    return [(f"d{start + number}", text, label) for number, (text, label) in enumerate(rows)]


@pytest.fixture(scope="module")
def first(tmp_path_factory):
    """A model of the first documents of each class."""
    from wideangle.cli import main

    root = tmp_path_factory.mktemp("first")
    data = write(root / "first.csv", numbered(ROWS[: 2 * len(ROWS) // 3]))
    model = root / "first.wideangle"
    options = ["-k", "6", "--updates", "100", "--language", "en", "--quiet", "-o", str(model)]
    assert main(["fit", str(data), *options]) == 0
    return model


@pytest.fixture
def model(first, tmp_path):
    return shutil.copy(first, tmp_path / "m.wideangle")


@pytest.fixture
def more(tmp_path):
    n = 2 * len(ROWS) // 3
    return write(tmp_path / "more.csv", numbered(ROWS[n:], n))


def test_documents_join_topics_and_search(model, more, answer):
    before = wideangle.load(model)
    told = answer("update", model, more)
    n = len(ROWS)
    assert (told["documents"], told["joined"], told["there_already"]) == (n, n - len(before.documents_), 0)
    assert told["untrained"] is None
    assert told["updates"] > 0
    after = wideangle.load(model)
    assert after.n_updates_ == before.n_updates_ + told["updates"]
    assert (after.components_ != before.components_).any()
    assert sum(topic["documents"] for topic in told["topics"]) == n
    listed = answer("topics", model)["topics"]
    assert [topic["name"] for topic in listed] == [topic["name"] for topic in told["topics"] if topic["number"]]
    last = ROWS[-1][0]
    hits = answer("search", model, last, "-n", 5)["hits"]
    assert f"d{n - 1}" in {hit["name"] for hit in hits}


def test_old_documents_are_represented_anew(model, more, answer):
    answer("update", model, more)
    after = wideangle.load(model)
    counts = after.documents_.words.counts(len(after.vocabulary_))
    from wideangle.view import ModelView

    view = ModelView.of(after)
    np.testing.assert_allclose(view.vectors(after.documents_), after.transform(counts.astype(np.float32)), atol=1e-4)


def test_topics_keep_names_and_numbers(model, more, answer):
    answer("topics", model, "--rename", 2, "mine")
    before = answer("topics", model)["topics"]
    told = answer("update", model, more)["topics"]
    for topic in told:
        if topic["number_before"] is not None and topic["number"] is not None:
            assert topic["name"] == before[topic["number_before"] - 1]["name"]
            assert topic["documents_before"] == before[topic["number_before"] - 1]["size"]
    assert answer("topics", model)["topics"][1]["name"] == "mine"


def test_the_same_documents_do_not_join_twice(model, more, run, answer):
    answer("update", model, more)
    content = model.read_bytes()
    told = answer("update", model, more)
    assert (told["joined"], told["there_already"]) == (0, len(ROWS) - 2 * len(ROWS) // 3)
    assert told["topics"] is None
    assert model.read_bytes() == content
    code, out, err = run("update", model, more)
    assert code == 0
    assert "0 documents joined" in out
    assert "were there already" in out
    assert "unknown" not in err


def test_a_document_with_the_same_id_is_replaced(model, tmp_path, answer):
    changed = write(tmp_path / "c.csv", [("d0", ROWS[-1][0], ROWS[-1][1]), ("d1", *ROWS[1])])
    told = answer("update", model, changed)
    assert (told["joined"], told["replaced"], told["there_already"]) == (0, 1, 1)
    documents = wideangle.load(model).documents_
    names = list(documents.names)
    assert names.count("d0") == names.count("d1") == 1
    assert documents.snippets[names.index("d0")].split()[:5] == ROWS[-1][0].split()[:5]
    assert len(documents) == 2 * len(ROWS) // 3


def test_all_documents_can_be_replaced(model, tmp_path, answer):
    n = 2 * len(ROWS) // 3
    told = answer("update", model, write(tmp_path / "c.csv", numbered(ROWS[len(ROWS) - n :])))
    assert (told["joined"], told["replaced"], told["documents"]) == (0, n, n)
    assert sum(topic["documents"] for topic in told["topics"]) == n


def test_documents_without_ids_are_known_by_their_texts(tmp_path, run, answer):
    fitted = write(tmp_path / "old.csv", [(text,) for text, _ in ROWS[:40]], ("text",))
    model = tmp_path / "m"
    assert run("fit", fitted, "-k", 4, "--updates", 30, "--language", "en", "-o", model)[0] == 0
    new = write(tmp_path / "new.csv", [(text,) for text, _ in ROWS[30:50]], ("text",))
    told = answer("update", model, new, "--no-training")
    assert (told["joined"], told["there_already"]) == (10, 10)
    names = list(wideangle.load(model).documents_.names)
    assert len(set(names)) == 50
    assert names[-1] == "new.csv, row 20"


def test_another_file_leaves_the_model_as_it_is(model, more, tmp_path, answer):
    content = model.read_bytes()
    told = answer("update", model, more, "-o", tmp_path / "new")
    assert told["path"] == str(tmp_path / "new")
    assert model.read_bytes() == content
    assert len(wideangle.load(tmp_path / "new").documents_) == len(ROWS)


def test_a_crash_while_writing_leaves_the_old_model(model, more, run, monkeypatch):
    content = model.read_bytes()

    def crash(path, arrays, header):
        path.write_bytes(header[: len(header) // 2])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("wideangle.persistence.write_arrays", crash)
    code, _, err = run("update", model, more)
    assert code == 1
    assert "disk is full" in err or "cannot be written" in err
    assert model.read_bytes() == content
    assert [path.name for path in model.parent.glob(".*")] == []


def test_without_training_nothing_moves(model, more, run):
    before = wideangle.load(model)
    code, out, err = run("update", model, more, "--no-training")
    assert code == 0
    assert "--no-training was given" in err
    assert "no training" in out
    after = wideangle.load(model)
    assert (after.components_ == before.components_).all()
    n = len(before.documents_)
    assert (after.documents_.vectors[:n] == before.documents_.vectors).all()
    kept = [topic.name for topic in after.topics_][: len(before.topics_)]
    assert kept == [topic.name for topic in before.topics_]


@pytest.mark.parametrize(
    ("name", "why"),
    [("lsi", "lsi learns in one go"), ("mlp", "mlp learns from labels"), ("distance", "distance learns from labels")],
)
def test_models_that_do_not_go_on_learning_say_so(name, why, models, corpus, tmp_path, run):
    model = shutil.copy(models[name], tmp_path / "m")
    new = tmp_path / "folder" / ROWS[0][1]
    new.mkdir(parents=True)
    (new / "new.txt").write_text(ROWS[0][0] + " " + ROWS[1][0])
    code, _, err = run("update", model, tmp_path / "folder")
    assert code == 0, err
    assert why in err
    assert len(wideangle.load(model).documents_) == len(wideangle.load(models[name]).documents_) + 1


def test_a_machine_of_presence_goes_on_learning(models, tmp_path, answer):
    model = shutil.copy(models["bernoulli-rbm"], tmp_path / "m")
    new = write(
        tmp_path / "new.csv", [(f"n{n}", text + " " + ROWS[0][0], label) for n, (text, label) in enumerate(ROWS[:9])]
    )
    told = answer("update", model, new)
    assert told["untrained"] is None
    assert told["updates"] > 0


def test_held_out_documents_stay_held_out(models, tmp_path, answer):
    model = shutil.copy(models["replicated-softmax"], tmp_path / "m")
    held = (~wideangle.load(model).documents_.is_train).sum()
    new = write(
        tmp_path / "new.csv", [(f"n{n}", text + " " + ROWS[0][0], label) for n, (text, label) in enumerate(ROWS[:9])]
    )
    answer("update", model, new)
    documents = wideangle.load(model).documents_
    assert (~documents.is_train).sum() == held
    assert documents.is_train[-9:].all()


def test_old_files_join_without_training(tmp_path, run):
    from pathlib import Path

    old = Path(__file__).parent.parent / "model_files" / "format_5" / "ReplicatedSoftmax.wideangle"
    model = shutil.copy(old, tmp_path / "m")
    new = write(
        tmp_path / "new.csv",
        [("a", "wheat corn corn", "grain"), ("b", "bank trade oil", "money")],
        ("id", "body", "label"),
    )
    code, _, err = run("update", model, new)
    assert code == 0, err
    assert "Fit the model again once" in err
    after = wideangle.load(model)
    documents = after.documents_
    assert len(documents) == 22
    # The file keeps documents as `transform` gave them, and so the new ones are kept too.
    assert documents.finished
    counts = np.array([[1, 2, 0, 0, 0, 0], [0, 0, 1, 1, 1, 0]], dtype=np.float32)
    np.testing.assert_allclose(documents.vectors[-2:], after.transform(counts), atol=1e-5)


def test_unknown_words_are_told(model, tmp_path, run, answer):
    rows = [(f"u{n}", f"zeppelin zeppelin {ROWS[n][0]}", ROWS[n][1]) for n in range(20)]
    new = write(tmp_path / "new.csv", rows)
    told = answer("update", model, new, "-o", tmp_path / "out")
    assert told["unknown_words"][0] == {"word": "zeppelin", "documents": 20}
    assert 0 < told["unknown_share"] < 0.5
    _, _, err = run("update", model, new, "-o", tmp_path / "out")
    assert "zeppelin (20)" in err
    assert "a subject that the model cannot see" in " ".join(err.split())
    strange = write(tmp_path / "strange.csv", [("s1", f"quux florb {ROWS[0][0].split()[0]}", ROWS[0][1])] * 6)
    _, _, err = run("update", model, strange, "-o", tmp_path / "out")
    assert "from 50% of unknown words on" in err


def test_topics_can_be_found_anew(model, more, answer):
    answer("topics", model, "--rename", 1, "mine")
    before = answer("topics", model)["topics"]
    told = answer("update", model, more, "--regroup")["topics"]
    for topic in told:
        if topic["number"] and topic["number_before"]:
            assert topic["name"] == before[topic["number_before"] - 1]["name"]
    numbers = [topic["number_before"] for topic in told if topic["number"] and topic["number_before"]]
    assert numbers == sorted(numbers)


def test_labels_that_only_some_have_are_kept(model, tmp_path, run):
    before = wideangle.load(model).documents_
    new = write(tmp_path / "new.csv", [("x", ROWS[-1][0])], ("id", "text"))
    assert run("update", model, new, "--no-training")[0] == 0
    after = wideangle.load(model).documents_
    assert after.classes.tolist() == [*before.classes.tolist(), ""]
    assert after.class_of(len(before)) is None


def test_new_classes_get_numbers_of_their_own(model, tmp_path, answer):
    new = write(tmp_path / "new.csv", [("x", ROWS[-1][0], "another"), ("y", ROWS[-2][0], ROWS[0][1])])
    answer("update", model, new, "--no-training")
    documents = wideangle.load(model).documents_
    assert documents.classes[-2:].tolist() == ["another", ROWS[0][1]]
    assert documents.classes[0] == ROWS[0][1]


def test_a_model_without_documents_says_what_to_do(tmp_path, corpus, more, run):
    model = tmp_path / "bare"
    assert run("fit", corpus / "corpus.csv", "-k", 3, "--updates", 5, "--no-documents", "-o", model)[0] == 0
    code, _, err = run("update", model, more)
    assert code == 1
    assert "has no documents that others could join" in err


def test_a_file_that_is_no_model_is_not_replaced(model, more, tmp_path, run):
    (tmp_path / "notes.txt").write_text("mine")
    code, _, err = run("update", model, more, "-o", tmp_path / "notes.txt")
    assert code == 2
    assert "that wideangle fit did not write" in err
    code, _, err = run("update", model, more, "-o", more)
    assert code == 2
    assert "would replace" in err


def test_the_table_keeps_to_eighty_columns(model, more, run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    code, out, _ = run("update", model, more)
    assert code == 0
    assert max(map(len, out.splitlines()[:-1])) <= 80  # The last line has the path.
    assert out.split()[:4] == ["#", "documents", "before", "topic"]


def made(names, texts, **others):
    counts = [[text.count(letter) for letter in "abc"] for text in texts]
    return Documents.of(np.ones((len(names), 2)), names=names, texts=texts, counts=counts, **others)


def test_documents_are_compared_by_ids_or_texts():
    old = made(["x", "row 2", "y"], ["a b", "b b", "c"])
    new = made(["x", "row 1", "y", "row 9", "z"], ["a b", "b b", "c c", "a", "a b"])
    plan = plan_of(old, new)
    assert plan.joins.tolist() == [False, False, True, True, True]
    assert plan.stays.tolist() == [True, True, False]
    assert (plan.replaced, plan.there_already) == (1, 2)


def test_the_same_beginning_is_not_the_same_text():
    long = "a b " * 200
    plan = plan_of(made(["row 1"], [long + "c"]), made(["row 1"], [long + "c c"]))
    assert plan.joins.all()


def test_joined_documents_have_what_both_have():
    first = made(
        ["x", "w"], ["a b", "b"], labels=[1, 0], label_names=["p", "q"], is_train=[True, False], titles=["t", "u"]
    )
    second = made(["y"], ["c " * 300], labels=[0], label_names=["q"], dates=[7])
    both = joined(first, second)
    assert list(both.names) == ["x", "w", "y"]
    assert both.classes.tolist() == ["q", "p", "q"]
    assert both.is_train.tolist() == [True, False, True]
    assert list(both.titles) == ["t", "u", ""]
    assert both.dates.tolist() == [NO_DATE, NO_DATE, 7]
    assert both.words.counts(3).toarray().tolist() == [[1, 1, 0], [0, 1, 0], [0, 0, 300]]
    some = taken(both, np.array([2, 0]))
    assert list(some.names) == ["y", "x"]
    assert some.words.counts(3).toarray().tolist() == [[0, 0, 300], [1, 1, 0]]
    assert some.classes.tolist() == ["q", "q"]


def test_growth_is_more_than_chance():
    class Item:
        def __init__(self, number, size):
            self.number, self.size, self.name, self.words = number, size, str(number), ()

    before = [Item(0, 100), Item(1, 100), Item(2, 100), Item(3, 5)]
    now = [Item(0, 210), Item(1, 300), Item(2, 100), Item(3, 20)]
    found = changes_of(before, now, {0: 0, 1: 1, 2: 2})
    assert [(topic.change, topic.number, topic.number_before) for topic in found] == [
        ("same", 1, 1),
        ("grown", 2, 2),
        ("shrunk", 3, 3),
        ("new", 4, None),
        ("gone", None, 4),
    ]
    assert json.dumps([vars(topic) for topic in found])

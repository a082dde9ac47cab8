"""Documents that come with vectors, or whose vectors an encoder makes, through all commands."""

import json

import numpy as np
import pytest

import wideangle

WORDS = {"farm": ["corn", "wheat", "barley", "harvest"], "sea": ["ship", "anchor", "port", "tide"]}


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    """Sixty texts of two classes with vectors that tell them apart; a folder with both."""
    rng = np.random.default_rng(0)
    folder = tmp_path_factory.mktemp("vectors")
    rows, vectors = [], []
    for number in range(60):
        label = ("farm", "sea")[number % 2]
        words = rng.choice(WORDS[label], 6).tolist()
        vector = rng.normal(size=8) * 0.4 + 2 * np.eye(8)[number % 2] + 1
        rows.append({"id": f"d{number}", "text": " ".join(words), "class": label, "embedding": vector.tolist()})
        vectors.append(vector)
    (folder / "column.jsonl").write_text("\n".join(map(json.dumps, rows)))
    for row in rows:
        del row["embedding"]
    (folder / "texts.jsonl").write_text("\n".join(map(json.dumps, rows)))
    np.save(folder / "vectors.npy", np.array(vectors, dtype=np.float32))
    return folder


@pytest.fixture(scope="module")
def model(texts, tmp_path_factory):
    from wideangle.cli import main

    to = tmp_path_factory.mktemp("model") / "m.wideangle"
    assert main(["fit", str(texts / "column.jsonl"), "--vectors", "embedding", "-o", str(to), "--quiet"]) == 0
    return to


def test_topics_are_named_by_words_and_found_by_vectors(model, answer):
    found = answer("topics", model, "-t", 2)["topics"]
    assert [topic["size"] for topic in found] == [30, 30]
    assert {frozenset(topic["words"][:4]) for topic in found} == {frozenset(words) for words in WORDS.values()}
    loaded = wideangle.load(model)
    assert loaded.reading_.kind == "vectors"
    assert not hasattr(loaded, "vocabulary_")
    assert len(loaded.reading_.words) == 8


def test_a_file_gives_the_same_model_as_a_column(texts, model, answer, tmp_path):
    told = answer("fit", texts / "texts.jsonl", "--vectors", texts / "vectors.npy", "-o", tmp_path / "m")
    assert (told["model"], told["reading"], told["features"]) == ("vectors", "vectors", 8)
    one, other = wideangle.load(model), wideangle.load(tmp_path / "m")
    np.testing.assert_allclose(one.documents_.vectors, other.documents_.vectors, atol=1e-5)


@pytest.mark.parametrize("by", ["both", "meaning", "words"])
def test_search_without_an_encoder(model, answer, by):
    hits = answer("search", model, "barley", "--by", by, "-n", 5)["hits"]
    assert {hit["label"] for hit in hits} == {"farm"}


def test_documents_are_assigned_evaluated_and_join(texts, model, answer, run, tmp_path):
    assert answer("assign", model, texts / "column.jsonl", "-o", tmp_path / "a.csv")["documents"] == 60
    found = answer("evaluate", model, texts / "column.jsonl")
    assert found["by_labels"]["knn_accuracy"] == 1.0
    assert found["diversity"]["coherence"] is not None
    rows = [json.loads(line) for line in (texts / "column.jsonl").read_text().splitlines()][:10]
    for row in rows:
        row["id"] = f"new {row['id']}"
    (tmp_path / "new.jsonl").write_text("\n".join(map(json.dumps, rows)))
    told = answer("update", model, tmp_path / "new.jsonl", "-o", tmp_path / "u.wideangle", "--keep-duplicates")
    assert (told["joined"], told["documents"]) == (10, 70)
    assert len(wideangle.load(tmp_path / "u.wideangle").topics_.leaves) == 70
    code, _, _ = run("transform", model, texts / "column.jsonl", "-o", tmp_path / "t.csv")
    assert code == 0


def test_new_documents_without_vectors_are_refused(texts, model, run, tmp_path):
    code, _, said = run("assign", model, texts / "texts.jsonl", "-o", tmp_path / "a.csv")
    assert code == 1
    assert "Name their file or column by --vectors" in said


def test_the_page_has_words(model, run, tmp_path):
    code, _, _ = run("explore", model, "-o", tmp_path / "page.html")
    assert code == 0
    assert "barley" in (tmp_path / "page.html").read_text()


def test_components_are_told_by_words(model, answer):
    found = answer("topics", model, "--components")["topics"]
    assert {*found[0]["words"][:2]} < {*WORDS["farm"], *WORDS["sea"]}


def test_vectors_alone_with_labels(texts, answer, tmp_path):
    lines = [json.loads(line) for line in (texts / "texts.jsonl").read_text().splitlines()]
    (tmp_path / "labels.jsonl").write_text("\n".join(json.dumps({"label": line["class"]}) for line in lines))
    told = answer("fit", tmp_path / "labels.jsonl", "--vectors", texts / "vectors.npy", "-o", tmp_path / "m")
    assert (told["classes"], told["topics"]) == (2, None)
    assert answer("evaluate", tmp_path / "m")["by_labels"]["knn_accuracy"] == 1.0


def test_other_models_of_numbers_take_vectors(texts, answer, tmp_path):
    told = answer(
        *("fit", texts / "column.jsonl", "--vectors", "embedding", "--model", "distance", "-k", 2),
        *("--updates", 20, "-o", tmp_path / "m"),
    )
    assert (told["model"], told["reading"], told["n_components"]) == ("distance", "vectors", 2)
    assert told["topics"] >= 1


def test_models_of_words_refuse_vectors(texts, run, tmp_path):
    code, _, said = run(
        *("fit", texts / "column.jsonl", "--vectors", "embedding", "--model", "replicated-softmax"),
        *("-o", tmp_path / "m"),
    )
    assert code == 2
    assert "replicated-softmax is no model of vectors" in said


def test_an_encoder_makes_vectors_of_texts_and_queries(texts, answer, run, tmp_path, monkeypatch):
    pytest.importorskip("wordllama", reason="needs wordllama: pip install 'wideangle[encoders]'")
    monkeypatch.setenv("WIDEANGLE_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    told = answer("fit", texts / "texts.jsonl", "--encoder", "wordllama:64", "-o", tmp_path / "m")
    assert (told["reading"], told["features"]) == ("vectors", 64)
    loaded = wideangle.load(tmp_path / "m")
    assert loaded.reading_.encoder == "wordllama:64"
    assert loaded.reading_.encoder_name.startswith("wordllama:")
    hits = answer("search", tmp_path / "m", "a boat on the ocean", "--by", "meaning", "-n", 5)["hits"]
    assert {hit["label"] for hit in hits} == {"sea"}  # none of these words is in the texts
    assert answer("assign", tmp_path / "m", texts / "texts.jsonl", "-o", tmp_path / "a.csv")["calibrated"]
    from wideangle.new_texts import assign_texts, represent_texts

    assert represent_texts(loaded, ["corn", "a ship"]).shape == (2, loaded.components_.shape[0])
    loaded.topics(n_topics=2)
    assert len({*assign_texts(loaded, ["barley and wheat", "anchor, tide and port"]).topics.tolist()}) == 2


def test_one_source_of_vectors(texts, run, tmp_path):
    code, _, said = run(
        *("fit", texts / "column.jsonl", "--vectors", "embedding", "--encoder", "wordllama", "-o", tmp_path / "m")
    )
    assert code != 0
    assert "Give --vectors or --encoder, not both" in said

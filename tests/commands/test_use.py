"""A fitted model file in use: topics, transform, search, evaluate, tune, explore."""

import json

import numpy as np
import pytest
from small_corpus import WORDS

import wideangle
from wideangle.catalogue import commands, entry_of
from wideangle.catalogue.metrics import METRICS
from wideangle.documents import Documents
from wideangle.evaluation import precision_at_k
from wideangle.models import ReplicatedSoftmax
from wideangle.view import ModelView

MODELS = commands()
DISTANCES = {"distance", *(entry.command for entry in METRICS)}
NEEDS_MORE = {"pitman-yor", "lida", "paragraph-vector"}  # They learn little from 45 short documents.


@pytest.mark.quick_cases(4)
@pytest.mark.parametrize("name", [name for name in MODELS if entry_of(name).size is not None])
def test_topics_agree_with_the_components(name, models, answer):
    told = answer("topics", models[name], "-n", 5, "--by", "weight")
    model = wideangle.load(models[name])
    A = model.coefs_[0].T if name == "mlp" else model.components_
    either_sign = entry_of(name).either_sign
    assert [topic["number"] for topic in told["topics"]] == [*range(1, len(A) + 1)]
    # Boltzmann machines are trained in the metric of their data, and so shown by the correlations of their logits.
    logits = model.documents_.logits if model.documents_.finished else model.documents_.vectors
    logits = logits if entry_of(name).searched_by == "logits" else None
    rows = A if logits is None else (logits - logits.mean(axis=0, dtype=float)).T
    kind = "of the weights" if logits is None else "as the documents see them"
    assert told["angles"]["kind"] == kind
    cosine = np.abs(rows @ rows.T) / np.outer(np.linalg.norm(rows, axis=1), np.linalg.norm(rows, axis=1))
    np.fill_diagonal(cosine, -1)
    for k, topic in enumerate(told["topics"]):
        weights = np.abs(A[k]) if either_sign else A[k]
        best = [model.vocabulary_[column] for column in np.argsort(-weights, kind="stable")[:5]]
        assert [word.lstrip("−") for word in topic["words"]] == best
        # Rows that are orthogonal up to rounding have no nearest that another sum would find again.
        assert cosine[k][topic["nearest"] - 1] == pytest.approx(cosine[k].max(), abs=1e-6)
        assert topic["angle"] == pytest.approx(np.degrees(np.arccos(min(1, cosine[k].max()))), abs=1e-3)
        assert topic["near_duplicate"] == (topic["angle"] < 30)


def test_empty_documents_are_evaluated_searched_and_shown(run, answer, tmp_path):
    lines = ["label,text"] + ["farm,wheat corn field farm", "sea,ship port cargo sea"] * 8 + ["farm,1", "sea,2"] * 2
    (tmp_path / "c.csv").write_text("\n".join(lines) + "\n")
    model = tmp_path / "m"
    options = ("-k", 2, "--updates", 5, "--stop-words", "none", "--keep-duplicates")
    assert run("fit", tmp_path / "c.csv", *options, "-o", model)[0] == 0
    fitted = wideangle.load(model)
    vectors = ModelView.of(fitted).vectors(fitted.documents_)
    assert (~vectors.any(axis=1)).sum() == 4
    found = answer("evaluate", model)["by_labels"]
    assert 0 <= found["kmeans_accuracy"] <= 1
    assert np.isfinite(found["precision"][0]["precision"])
    hits = answer("search", model, "wheat corn", "-n", 20)["hits"]
    assert all(np.isfinite(hit["distance"]) for hit in hits)
    assert [hit["label"] for hit in hits[:8]] == ["farm"] * 8
    assert run("explore", model, "-o", tmp_path / "page.html")[0] == 0


def test_logits_are_evaluated_by_the_cosine(answer, tmp_path):
    """Lengths of logits say how much a document says, not what. Euclidean distance would go by them."""
    counts = np.random.default_rng(0).integers(0, 4, (30, 6)).astype(float)
    model = ReplicatedSoftmax(3, representation="logits", max_updates=5, random_state=0, device="cpu").fit(counts)
    labels, train, vectors = np.arange(30) % 2, np.arange(30) % 3 > 0, model.transform(counts)
    documents = Documents.of(vectors, labels=labels, label_names=["a", "b"], is_train=train)
    model.save(tmp_path / "m", documents=documents)
    sides = vectors[~train], labels[~train], vectors[train], labels[train], 10
    expected = precision_at_k(*sides, metric="cosine")
    assert expected != pytest.approx(precision_at_k(*sides), abs=1e-6)
    assert answer("evaluate", tmp_path / "m")["by_labels"]["precision"][0]["precision"] == pytest.approx(expected)


def test_signs_of_a_distance_are_relative_to_the_first_word(models, answer):
    model = wideangle.load(models["distance"])
    listed = answer("topics", models["distance"], "--components")["topics"]
    for topic, row in zip(listed, model.components_, strict=True):
        order = np.argsort(-np.abs(row))[:10]
        signs = np.sign(row[order]) * np.sign(row[order[0]])
        assert [word.startswith("−") for word in topic["words"]] == (signs < 0).tolist()


@pytest.mark.parametrize("name", ["replicated-softmax", "bernoulli-rbm"])
def test_rare_words_do_not_lead_topics_by_effect(name, answer, tmp_path):
    rng = np.random.default_rng(0)
    lines = []
    for number in range(200):
        words = rng.choice(WORDS["farm"] if number % 2 else WORDS["sea"], 12).tolist()
        odd = "".join("abcdefghij"[int(digit)] for digit in f"{number:03}")  # a word of this document alone
        lines.append({"text": " ".join([*words, f"odd{odd}"])})
    (tmp_path / "c.jsonl").write_text("\n".join(map(json.dumps, lines)))
    answer("fit", tmp_path / "c.jsonl", "--model", name, "-k", 4, "--updates", 100, "-o", tmp_path / "m")
    rare = dict.fromkeys(("effect", "weight"), 0)
    for by in rare:
        topics = answer("topics", tmp_path / "m", "-n", 5, "--by", by)["topics"]
        rare[by] = sum(word.startswith("odd") for topic in topics for word in topic["words"])
    assert rare["effect"] < rare["weight"]
    assert rare["effect"] <= len(topics)


def test_topics_by_angle_begin_with_the_nearest(models, answer):
    angles = [topic["angle"] for topic in answer("topics", models["replicated-softmax"], "--sort", "angle")["topics"]]
    assert angles == sorted(angles)


def test_topics_without_a_vocabulary_name_features(answer, tmp_path):
    X = np.repeat(np.eye(4), 5, axis=0)
    wideangle.BernoulliRBM(1, max_updates=3, random_state=0).fit(X).save(tmp_path / "m")
    topic = answer("topics", tmp_path / "m", "-n", 2)["topics"][0]
    assert all(word.startswith("feature ") for word in topic["words"])
    assert topic["nearest"] is None
    assert topic["angle"] is None


@pytest.mark.quick_cases(10)
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("form", ["folder", "corpus.csv", "corpus.parquet", "corpus.npz", "corpus.jsonl"])
def test_new_documents_are_treated_as_the_training_ones_were(name, form, models, corpus, answer, tmp_path):
    """The folder was fitted on; in any other form the same documents have the same representations."""
    told = answer("transform", models[name], corpus / form, "-o", tmp_path / "o.npz")
    with np.load(tmp_path / "o.npz", allow_pickle=False) as out:
        X, labels = out["X"], out["labels"]
    fitted = wideangle.load(models[name])
    kept = fitted.documents_
    assert (told["rows"], told["components"], told["labelled"]) == (*kept.vectors.shape, True)
    assert len(kept) == 60
    # The folder lists its documents class by class, and in the other files classes come by turns.
    order = np.arange(60) if form == "folder" else np.arange(60).reshape(20, 3)[:, [1, 0, 2]].T.ravel()
    np.testing.assert_allclose(X[order], ModelView.of(fitted).vectors(kept), rtol=1e-4, atol=1e-5)
    assert labels[order].tolist() == [kept.label_names[code] for code in kept.labels]


def test_parquet_has_the_same(models, corpus, answer, tmp_path):
    import pyarrow.parquet as pq

    answer("transform", models["mlp"], corpus / "folder", "-o", tmp_path / "o.parquet")
    answer("transform", models["mlp"], corpus / "folder", "-o", tmp_path / "o.npz")
    table = pq.read_table(tmp_path / "o.parquet")
    assert table.column_names == ["id", "label", *(f"c{k}" for k in range(1, 7))]
    with np.load(tmp_path / "o.npz") as out:
        np.testing.assert_array_equal(np.column_stack([table[f"c{k}"] for k in range(1, 7)]), out["X"])
        assert table["id"].to_pylist() == out["names"].tolist()


def test_columns_of_a_table_are_found_by_name(models, answer, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.random((5, 6))
    names = [f"x{i}" for i in range(6)]
    for path, order in (("a.csv", range(6)), ("b.csv", [3, 1, 5, 0, 2, 4])):
        lines = [",".join([*(names[i] for i in order), "more"])]
        lines += [",".join([*(str(row[i]) for i in order), "7"]) for row in X]
        (tmp_path / path).write_text("\n".join(lines))
        answer("transform", models["numbers"], tmp_path / path, "-o", tmp_path / f"{path}.npz")
    one, other = (np.load(tmp_path / f"{name}.csv.npz")["X"] for name in "ab")
    np.testing.assert_array_equal(one, other)


@pytest.mark.quick_cases(12)
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("label", WORDS)
def test_words_find_documents_of_their_class(name, label, models, answer):
    found = answer("search", models[name], *WORDS[label][:3], "-n", 5)
    assert [hit["rank"] for hit in found["hits"]] == [1, 2, 3, 4, 5]
    assert [hit["score"] for hit in found["hits"]] == sorted((hit["score"] for hit in found["hits"]), reverse=True)
    assert [hit["label"] for hit in found["hits"]].count(label) >= (1 if name in NEEDS_MORE else 4)
    best = found["hits"][0]
    assert best["name"].startswith(f"{label}/") or best["label"] != label
    assert set(best["snippet"].split()) & set(WORDS[best["label"]])
    assert found["known"] == WORDS[label][:3]


@pytest.mark.parametrize("method", ["faiss", "faiss-hnsw"])
def test_faiss_finds_what_the_exact_search_finds(method, models, answer):
    pytest.importorskip("faiss")
    for by in ("both", "meaning", "words"):
        asked = ("search", models["replicated-softmax"], "ship cargo", "-n", 3, "--by", by)
        exact, other = answer(*asked), answer(*asked, "--method", method)
        assert [hit["score"] for hit in other["hits"]] == pytest.approx([hit["score"] for hit in exact["hits"]])


def test_unknown_words_are_named(models, run):
    code, out, err = run("search", models["mlp"], "the", "wheat", "spaceship")
    assert code == 0
    assert "does not know: spaceship." in err
    assert "the," not in err
    assert "documents for: wheat" in out


def test_search_elsewhere_and_by_another_metric(models, corpus, answer, tmp_path):
    (tmp_path / "few.txt").write_text("wheat corn field\nship port cargo\nloan credit fund\n")
    found = answer("search", models["distance"], "ship vessel", "--in", tmp_path / "few.txt", "--metric", "cosine")
    assert found["searched"] == 3
    assert found["hits"][0]["name"] == "line 2"
    assert found["metric"] == "cosine"


@pytest.mark.quick_cases(4)
@pytest.mark.parametrize("name", MODELS)
def test_evaluate_by_what_was_held_out(name, models, answer):
    told = answer("evaluate", models[name])
    assert told["protocol"] == "held-out documents of the model query those it was fitted on"
    assert (told["queries"], told["database"]) == (15, 45)
    labelled = told["by_labels"]
    assert [at["k"] for at in labelled["precision"]] == [10]
    assert labelled["precision"][0]["precision"] > (1 / 3 if name in NEEDS_MORE else 0.6)
    assert labelled["knn_accuracy"] > (1 / 3 if name in NEEDS_MORE else 0.8)
    assert 0 <= labelled["kmeans_nmi"] <= 1
    assert (labelled["accuracy"] is not None) == (name == "mlp")
    assert (labelled["pair_average_precision"] is not None) == (name in DISTANCES)
    assert {row["label"] for row in labelled["classes"]} == set(WORDS)
    assert told["diversity"]["coherence"] is None
    assert told["perplexity"] is None


def test_evaluate_agrees_with_the_library(models, answer):
    from wideangle.evaluation import knn_accuracy, precision_at_k, precision_ceiling

    documents = wideangle.load(models["distance"]).documents_
    train, V, y = documents.is_train, documents.vectors, documents.labels
    labelled = answer("evaluate", models["distance"])["by_labels"]
    assert labelled["precision"][0]["precision"] == pytest.approx(
        precision_at_k(V[~train], y[~train], V[train], y[train], 10)
    )
    assert labelled["precision"][0]["ceiling"] == pytest.approx(precision_ceiling(y[~train], y[train], 10).mean())
    assert labelled["knn_accuracy"] == knn_accuracy(V[train], y[train], V[~train], y[~train], 3)


def test_accuracy_of_a_network_is_that_of_its_predictions(models, corpus, answer, tmp_path):
    told = answer("evaluate", models["mlp"], corpus / "corpus.csv")
    assert told["by_labels"]["accuracy"] > 0.95
    assert told["queries"] == 60
    answer("fit", corpus / "arrays.npz", "--model", "mlp", "-k", 3, "--updates", 8, "-o", tmp_path / "m")
    with np.load(corpus / "arrays.npz") as arrays:
        accuracy = wideangle.load(tmp_path / "m").score(arrays["X"].astype(np.float32), arrays["y"])
    assert accuracy < 1
    assert answer("evaluate", tmp_path / "m")["by_labels"]["accuracy"] == pytest.approx(accuracy)
    assert told["protocol"].startswith("the documents of PATH query")


def test_evaluate_leaves_each_document_out(corpus, answer, tmp_path):
    """Against loops over all pairs."""
    answer("fit", corpus / "folder", "--model", "distance", "-k", 3, "--updates", 5, "-o", tmp_path / "m")
    told = answer("evaluate", tmp_path / "m")
    documents = wideangle.load(tmp_path / "m").documents_
    V, y = documents.vectors.astype(float), documents.labels
    hits, right = [], []
    for i in range(60):
        far = np.linalg.norm(V - V[i], axis=1)
        far[i] = np.inf
        order = np.argsort(far, kind="stable")
        hits.append(np.mean(y[order[:10]] == y[i]))
        votes = np.bincount(y[order[:3]], minlength=3)
        right.append((y[order[0]] if votes.max() == 1 else votes.argmax()) == y[i])
    assert told["by_labels"]["precision"][0]["precision"] == pytest.approx(np.mean(hits))
    assert told["by_labels"]["precision"][0]["ceiling"] == 1.0
    assert told["by_labels"]["knn_accuracy"] == pytest.approx(np.mean(right))
    assert told["protocol"].startswith("each document of the model queries the others")
    again = answer("evaluate", tmp_path / "m", corpus / "folder")
    assert again["protocol"].startswith("PATH is what the model was fitted on")
    assert again["by_labels"]["precision"] == told["by_labels"]["precision"]


def test_evaluate_samples_queries_and_says_so(corpus, models, answer):
    told = answer("evaluate", models["distance"], corpus / "corpus.csv", "--queries", 20)
    assert told["queries"] == 20
    assert "20 of 60 queries, drawn at random" in told["protocol"]


def test_perplexity_and_coherence_of_given_documents(models, corpus, answer):
    told = answer("evaluate", models["replicated-softmax"], corpus / "corpus.npz", "--perplexity")
    assert told["queries"] == 15  # the file says which rows are held out
    assert 5 < told["perplexity"] < 35
    assert -1 <= told["diversity"]["coherence"] <= 1


def test_without_documents_or_labels_the_angles_remain(corpus, run, tmp_path):
    fit = ("--updates", 20, "-k", 3, "--quiet", "-o", tmp_path / "m")
    assert run("fit", corpus / "folder", *fit, "--no-documents")[0] == 0
    code, out, err = run("evaluate", tmp_path / "m")
    assert code == 0
    assert "keeps no documents" in err
    assert "mean angle" in out
    code, out, _ = run("evaluate", tmp_path / "m", corpus / "folder")
    assert "3-nearest-neighbour" in out
    assert run("fit", corpus / "corpus.txt", *fit)[0] == 0
    code, out, err = run("evaluate", tmp_path / "m")
    assert code == 0
    assert "without labels" in err
    code, out, err = run("search", tmp_path / "m", "wheat")
    assert code == 0


def test_majority_breaks_ties_by_fewer_neighbours():
    from wideangle.commands.work.evaluate.by_labels import majority

    votes = np.array([["a", "b", "b"], ["c", "b", "a"], ["a", "a", "b"], ["b", "a", "a"]])
    assert majority(votes).tolist() == ["b", "c", "a", "a"]
    assert majority(np.array([["a", "b", "b", "a"]])).tolist() == ["b"]


def test_tune_shows_a_table_and_draws_a_curve(corpus, run, answer, tmp_path):
    options = ("--diversity", "0,0.3", "-k", "2,3", "--updates", 30, "--folds", 2, "-o", tmp_path / "curve.png")
    told = answer("tune", corpus / "corpus.csv", *options)
    trials = told["tuning"]["trials"]
    assert sorted((trial["n_components"], trial["diversity"]) for trial in trials) == [
        (2, 0),
        (2, 0.3),
        (3, 0),
        (3, 0.3),
    ]
    assert all(len(trial["scores"]) == 2 for trial in trials)
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")
    code, out, _ = run("tune", corpus / "corpus.csv", *options)
    assert code == 0
    assert "← best" in out
    assert f"Next: wideangle fit {corpus / 'corpus.csv'} -k" in out


@pytest.mark.quick_cases(3)
@pytest.mark.parametrize("name", [*MODELS, "numbers"])
def test_explore_writes_a_page(name, models, answer, tmp_path):
    told = answer("explore", models[name], "-o", tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert told["bytes"] == (tmp_path / "page.html").stat().st_size
    assert page.lstrip().lower().startswith("<!doctype html>")
    assert ("x3" if name == "numbers" else "tractor") in page


def test_explore_beside_another_model(models, answer, run, tmp_path, monkeypatch):
    both = (models["replicated-softmax"], "--compare", models["bernoulli-rbm"])
    answer("explore", *both, "-o", tmp_path / "page.html")
    assert "bernoulli-rbm" in (tmp_path / "page.html").read_text()
    monkeypatch.chdir(tmp_path)
    code, out, _ = run("explore", *both)
    assert code == 0
    assert out.startswith("replicated-softmax.html (")


@pytest.mark.slow
def test_explore_tells_where_two_models_carry_other_documents(run, tmp_path):
    """Two unrelated files of as many rows, the same texts under other labels, and the same file twice."""
    farm, sea = (
        [" ".join(WORDS[name][(row + step) % 10] for step in range(6)) for row in range(12)] for name in ("farm", "sea")
    )
    files = {"farm": (farm, "ab"), "again": (farm, "ab"), "sea": (sea, "ab"), "other": (farm, "ba")}
    for name, (texts, labels) in files.items():
        lines = [json.dumps({"text": text, "label": labels[row % 2]}) for row, text in enumerate(texts)]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines))
        fit = ("fit", tmp_path / f"{name}.jsonl", "-k", "2", "--updates", "2", "--quiet", "-o", tmp_path / name)
        assert run(*fit)[0] == 0

    def told(other, *options):
        page = ("explore", tmp_path / "farm", "--compare", tmp_path / other, "-o", tmp_path / "page.html")
        code, out, err = run(*page, *options)
        assert code == 0
        assert "page.html (" in out
        return err

    assert told("again") == ""
    unrelated = told("sea")
    assert "farm and sea do not" in unrelated
    assert "12 of 12 texts differ" in unrelated
    assert "labels" not in unrelated
    assert unrelated.removeprefix("Note: ").strip() in (tmp_path / "page.html").read_text()
    assert "same documents: 12 of 12 labels differ (the first is that of " in told("other")
    assert told("sea", "--quiet") == ""


def test_explore_opens_the_page_where_asked(models, answer, tmp_path, monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    answer("explore", models["mlp"], "-o", tmp_path / "page.html", "--open")
    assert opened == [(tmp_path / "page.html").as_uri()]

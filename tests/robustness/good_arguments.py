"""Good arguments of every public function: what an odd value takes the place of. A new function is entered here."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from own_encoder import Threes
from robustness.estimator_cases import COUNTS, POINTS, WORDS, copy_of

from wideangle.catalogue import entry_of
from wideangle.documents import Document, Documents, Reading
from wideangle.evaluation import class_table, topic_coverage
from wideangle.models import MLPClassifier, ReplicatedSoftmax
from wideangle.reading import ReadingOptions, Rows
from wideangle.theory import HiddenLayer, loss_constants
from wideangle.view import ModelView

_LABELS = np.repeat([0, 1], 12)
_A = POINTS[:4]
_TENSOR = torch.tensor(POINTS[:3, :5])
_SHARES = np.abs(POINTS[:3]) / np.abs(POINTS[:3]).sum(axis=1, keepdims=True)
_TOPICS = [["corn", "wheat"], ["ship", "port"]]
_TEXTS = ["corn and wheat", "ship in port", "corn in port", "wheat", "ship and corn", "port of wheat"]
_QUERIES = {"queries": POINTS[:5], "query_labels": _LABELS[10:15], "database": POINTS, "database_labels": _LABELS}
_NEIGHBOURS = {"train": POINTS, "train_labels": _LABELS, "test": POINTS[:5], "test_labels": _LABELS[:5]}
_SEARCH = {"k": 3, "metric": "cosine", "memory": 2**20}
_C = {"C1": 1.0, "C3": 1.0, "C4": 1.0}
_LAYERS = [HiddenLayer(4, 1.0, 0.5), HiddenLayer(3, 1.0, 0.4)]
_DEEP = {"layers": _LAYERS, "C1": 1.0, "C4": 1.0, "activation": "sigmoid", "biases": True}


@cache
def texts_model() -> Any:
    """A model of texts that carries documents and topics, for what asks a model about texts."""
    model = copy_of("ReplicatedSoftmax")
    model.vocabulary_, model.reading_ = list(WORDS), Reading("counts", r"\w+")
    return model


def _documents() -> Documents:
    model = texts_model()
    return ModelView.of(model).documents(COUNTS, counts=COUNTS)


def _network() -> Any:
    return copy_of("MLPClassifier")


def _table_of_classes() -> Any:
    return list(class_table(_LABELS, np.linspace(0, 1, 24), _LABELS, k=3))


def _text_file(folder: Path) -> Path:
    path = folder / "texts.csv"
    if not path.exists():
        path.write_text("text,label\n" + "\n".join(f"{text},{number % 2}" for number, text in enumerate(_TEXTS * 3)))
    return path


def _model_file(folder: Path) -> Path:
    path = folder / "good.wideangle"
    if not path.exists():
        texts_model().save(path)
    return path


def _counts_folder(folder: Path) -> Path:
    from wideangle.data import write_counts

    if not (folder / "counts").exists():
        write_counts(
            [Document(text, "a", f"d{n}") for n, text in enumerate(_TEXTS)], folder / "counts", stop_words=None
        )
    return folder / "counts"


def _folder(folder: Path) -> Path:
    return folder / "cache"


def _objective(A: Any, batch: Any = None) -> Any:
    return -((A - 1) ** 2).sum()


# Values that are made for each call: of a folder, or because the function may change them.
Made = Callable[[Path], Any]
GOOD: dict[str, dict[str, Any]] = {
    "wideangle.MutualAngularRegularizer": {"surrogate": "angle", "gamma": 1.0, "layers": None, "every": 1, "rows": 5}
    | {"seed": 0, "metric": "identity", "sample": 10},
    "wideangle.ObliqueAdam": {"params": [torch.nn.Parameter(_TENSOR.clone())], "lr": 0.1, "betas": (0.9, 0.99)}
    | {"eps": 1e-8, "maximize": False},
    "wideangle.ObliqueSGD": {
        "params": [torch.nn.Parameter(_TENSOR.clone())],
        "lr": 0.1,
        "momentum": 0.5,
        "maximize": True,
    },
    "wideangle.fit_components": {"objective": _objective, "A": _A, "diversity": 0.1, "surrogate": "angle", "gamma": 1.0}
    | {"metric": None, "batches": None, "max_iterations": 2, "inner_steps": 2, "learning_rate": 0.1, "tolerance": 1e-4}
    | {"callback": None, "seed": 0},
    "wideangle.load": {"path": _model_file},
    "wideangle.log_volume": {"A": _A, "metric": None},
    "wideangle.mutual_angular_bound": {"A": _A, "gamma": 1.0, "metric": None},
    "wideangle.mutual_angular_score": {"A": _A, "gamma": 1.0, "metric": None},
    "wideangle.pairwise_angles": {"A": _A, "metric": None},
    "wideangle.catalogue.entry_of": {"what": "LSI"},
    "wideangle.catalogue.register": {"entry": None},
    "wideangle.catalogue.unregister": {"name": None},
    "wideangle.catalogue.check_values": {"entry": entry_of("LSI")},
    "wideangle.catalogue.homes_in": {"package": "wideangle.models"},
    "wideangle.encoders.CheckedEncoder": {"encoder": Threes()},
    "wideangle.encoders.cached": {"encoder": Threes(), "folder": _folder},
    "wideangle.encoders.encode_halves": {"encoder": Threes(), "texts": _TEXTS, "seed": 0},
    "wideangle.encoders.encoder_of": {"what": Threes(), "name": None},
    "wideangle.encoders.same_encoder": {"name": Threes.name, "encoder": Threes()},
    "wideangle.data.Corpus": {"counts": sp.csr_array(COUNTS), "vocabulary": np.array(WORDS), "labels": _LABELS}
    | {"label_names": np.array(["a", "b"]), "is_train": _LABELS > 0, "source": "", "checksum": None}
    | {"texts": np.array(["a"] * 24, dtype=object), "names": np.array(["a"] * 24, dtype=object), "vectors": POINTS},
    "wideangle.data.Dataset": {"X": POINTS, "feature_names": np.array(WORDS), "labels": _LABELS, "groups": _LABELS}
    | {"label_names": np.array(["a", "b"]), "is_train": _LABELS > 0, "source": "", "checksum": None},
    "wideangle.data.count_words": {
        "texts": _TEXTS,
        "n_words": 5,
        "stop_words": None,
        "token_pattern": r"\w+",
        "ngrams": 1,
    }
    | {"min_df": 1, "max_df": 1.0, "vocabulary": None, "labels": list("ababab"), "is_train": [True] * 6}
    | {"keep_texts": True, "source": "here"},
    "wideangle.data.find_duplicates": {"counts": COUNTS, "threshold": 0.9},
    "wideangle.data.load": {"name": None, "fetch": False, "verify": True, "seed": 0},
    "wideangle.data.make_pairs": {
        "labels": _LABELS,
        "n_similar": 5,
        "n_dissimilar": 5,
        "balance": "samples",
        "seed": 0,
    },
    "wideangle.data.open_counts": {"folder": _counts_folder},
    "wideangle.data.read_reuters": {"folder": None, "minimum": 1, "n_words": 5},
    "wideangle.data.synthetic_corpus": {"n_documents": 10, "n_topics": 2, "n_words": 30, "exponent": 1.0, "length": 9.0}
    | {"purity": 0.7, "background": 0.3, "words_per_topic": 5, "train": 0.7, "seed": 0},
    "wideangle.data.write_counts": {
        "documents": lambda folder: [Document(text, "a", f"d{n}") for n, text in enumerate(_TEXTS)],
        "folder": lambda folder: folder / "written",
    }
    | {"n_words": 4, "stop_words": None, "token_pattern": r"\w+", "ngrams": 1, "min_df": 1, "max_df": 1.0},
    "wideangle.distributed.Checkpoints": {"folder": lambda folder: folder / "checkpoints", "every_seconds": 30.0},
    "wideangle.documents.class_names": {"labels": _LABELS, "names": ["a", "b"]},
    "wideangle.evaluation.angle_matrix": {"components": _A, "metric": None},
    "wideangle.evaluation.angle_summary": {"components": _A, "degrees": 30.0, "bins": 5, "metric": None},
    "wideangle.evaluation.class_table": {"query_labels": _LABELS, "precision": np.linspace(0, 1, 24)}
    | {"database_labels": _LABELS, "baseline": np.linspace(0.1, 1, 24), "k": 3, "names": ["a", "b"]},
    "wideangle.evaluation.classes_with_own_topic": {"topics": _LABELS, "labels": _LABELS, "n_classes": 2},
    "wideangle.evaluation.clustering_accuracy": {"labels": _LABELS, "clusters": _LABELS},
    "wideangle.evaluation.coherence": {"topics": _TOPICS, "texts": [text.split() for text in _TEXTS]}
    | {"measure": "npmi", "window": 5},
    "wideangle.evaluation.compare_runs": {"ours": POINTS, "theirs": POINTS + 0.1, "weights": None, "paired": True},
    "wideangle.evaluation.coverage_by_rank": {"coverage": topic_coverage(_SHARES, _SHARES), "popularity": _SHARES[:, 0]}
    | {"bins": 2},
    "wideangle.evaluation.document_npmi": {"topics": [[0, 1], [2, 3]], "counts": COUNTS},
    "wideangle.evaluation.half_agreement": {
        "first": POINTS,
        "second": POINTS,
        "database": POINTS,
        "k": 3,
        "memory": 2**20,
    },
    "wideangle.evaluation.half_retrieval": {"first": POINTS, "second": POINTS, "memory": 2**20},
    "wideangle.evaluation.head_and_tail": {"table": _table_of_classes(), "share": 0.5},
    "wideangle.evaluation.holm": {"p_values": np.array([0.1, 0.01, 0.5])},
    "wideangle.evaluation.kmeans_scores": {"X": POINTS, "labels": _LABELS, "restarts": 2, "random_state": 0},
    "wideangle.evaluation.knn_accuracy": _NEIGHBOURS | _SEARCH,
    "wideangle.evaluation.knn_correct": _NEIGHBOURS | _SEARCH,
    "wideangle.evaluation.macro_average": {"table": _table_of_classes()},
    "wideangle.evaluation.nearest_rows": {"queries": POINTS[:4], "database": POINTS, "method": "exact"} | _SEARCH,
    "wideangle.evaluation.normalized_mutual_information": {"labels": _LABELS, "clusters": _LABELS, "average": "max"},
    "wideangle.evaluation.pair_average_precision": {"distances": np.linspace(0, 1, 24), "similar": _LABELS > 0},
    "wideangle.evaluation.per_word_perplexity": {"log_likelihood": -np.ones(3), "lengths": np.array([1, 2, 3])},
    "wideangle.evaluation.perplexity": {"log_likelihood": -np.ones(3), "lengths": np.array([1, 2, 3])},
    "wideangle.evaluation.precision_among": {
        "vectors": POINTS,
        "labels": _LABELS,
        "k": 3,
        "asking": np.array([0, 5, 20]),
    },
    "wideangle.evaluation.precision_at_k": _QUERIES | _SEARCH | {"method": "exact"},
    "wideangle.evaluation.precision_ceiling": {"query_labels": _LABELS, "database_labels": _LABELS, "k": 3},
    "wideangle.evaluation.precision_per_query": _QUERIES | _SEARCH | {"method": "exact"},
    "wideangle.evaluation.redundant_pairs": {"components": _A, "degrees": 30.0, "metric": None},
    "wideangle.evaluation.split_words": {"counts": COUNTS, "seed": 0},
    "wideangle.evaluation.topic_coverage": {
        "found": _SHARES,
        "truth": _SHARES,
        "threshold": 0.8,
        "background": _SHARES[0],
    },
    "wideangle.evaluation.topic_diversity": {"topics": _TOPICS},
    "wideangle.evaluation.topic_overlap": {"topics": _TOPICS},
    "wideangle.experiments.tasks.task_of": {"name": "documents"},
    "wideangle.experiments.tasks.unasked_by": {"task": "documents"},
    "wideangle.finishing.granularity_name": {"number": 0.5},
    "wideangle.finishing.granularity_number": {"granularity": "balance"},
    "wideangle.functional.ColumnScales": {"scales": np.ones(5), "inspect": True},
    "wideangle.functional.Covariance": {"rows": POINTS, "shrinkage": 0.1, "inspect": True},
    "wideangle.functional.LinearMap": {"L": POINTS[:5]},
    "wideangle.functional.pair_angles": {"A": _A, "metric": None},
    "wideangle.functional.part_duplicates": {"W": _TENSOR, "generator": torch.Generator(), "angle": 0.01},
    "wideangle.functional.random_directions": {"like": _TENSOR, "generator": torch.Generator()},
    "wideangle.functional.retract": {"A": _TENSOR},
    "wideangle.functional.row_lengths": {"A": _TENSOR},
    "wideangle.functional.tangent": {"W": _TENSOR, "V": _TENSOR},
    "wideangle.functional.diversity_of": {"A": _A, "surrogate": "angle", "gamma": 1.0, "metric": None},
    "wideangle.functional.value_and_gradient": {"A": _A, "surrogate": "angle", "gamma": 1.0, "metric": None},
    "wideangle.new_texts.assign_texts": {"model": texts_model(), "texts": ["word1 word2", ""]},
    "wideangle.new_texts.load_once": {"path": _model_file},
    "wideangle.new_texts.represent_texts": {"model": texts_model(), "texts": ["word1 word2", ""]},
    "wideangle.persistence.save": {
        "estimator": texts_model(),
        "path": lambda folder: folder / "again",
        "vocabulary": WORDS,
    }
    | {"documents": None, "reading": None},
    "wideangle.reading.find_repeats": {"rows": Rows(sp.csr_array(COUNTS), True, [str(n) for n in range(24)])},
    "wideangle.reading.read": {"path": _text_file, "options": ReadingOptions(), "weighting": "counts", "hold_out": 0.2}
    | {"seed": 0},
    "wideangle.reading.read_new": {"path": _text_file, "reading": Reading("counts", r"\w+", text_column="text")}
    | {"vocabulary": ["corn", "ship"], "options": ReadingOptions(), "n_features": None},
    "wideangle.reading.read_new_parts": {"path": _text_file, "reading": Reading("counts", r"\w+", text_column="text")}
    | {"vocabulary": ["corn", "ship"], "options": ReadingOptions(), "n_features": None, "size": 5},
    "wideangle.reading.read_query": {
        "query": "corn",
        "reading": Reading("counts", r"\w+"),
        "vocabulary": ["corn", "ship"],
    },
    "wideangle.reading.read_stop_words": {"choice": "none"},
    "wideangle.reading.text_of_html": {"source": "<p>text</p>", "keep_lines": True},
    "wideangle.regularizer.selected_layers": {
        "model": torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Linear(4, 2))
    }
    | {"layers": None},
    "wideangle.report.explore": {"model": texts_model(), "other": None, "vocabulary": WORDS, "documents": _documents()}
    | {"other_documents": None, "names": ("a", "b"), "title": "t", "n_topics": 2, "layout": None, "shape": None},
    "wideangle.searching.marked_spans": {
        "text": "corn and ship",
        "words": ["corn"],
        "reading": Reading("counts", r"\w+"),
    },
    "wideangle.searching.rank_documents": {"asked": POINTS[:1], "stored": POINTS, "metric": "cosine", "count": 3}
    | {"words": np.ones(24), "weight": 0.5, "by": "both", "method": "exact", "distances": None},
    "wideangle.searching.read_for": {"view": ModelView.of(texts_model()), "query": "word1"},
    "wideangle.searching.shown_from": {"text": "corn and ship", "spans": [(0, 4)]},
    "wideangle.theory.angle_lower_bound": {"mean": 1.0, "variance": 0.1, "tau": 0.5, "pairs": 3},
    "wideangle.theory.approximation_error_bound": {"theta": 0.5, "m": 4, "C": 1.0, "constant": 0.5, "sharp": True}
    | _C
    | {"C3": 8.0, "C4": 8.0},
    "wideangle.theory.barron_constant": {"moment": 1.0, "radius": 1.0},
    "wideangle.theory.barron_slope": {"C1": 1.0, "C3": 1.0, "constant": 0.5},
    "wideangle.theory.bounds_for": {
        "model": _network(),
        "X": POINTS,
        "y": _LABELS,
        "tau": 0.5,
        "delta": 0.05,
        "loss": None,
    }
    | {"n": 100, "C": None, "activation": None},
    "wideangle.theory.cross_entropy_largest": {"reach": 1.0, "classes": 3},
    "wideangle.theory.cross_entropy_lipschitz": {"reach": 1.0, "classes": 3},
    "wideangle.theory.deep_estimation_error_bound": _DEEP
    | {"n": 9, "C2": 1.0, "loss": "squared", "outputs": 1, "delta": 0.1},
    "wideangle.theory.deep_rademacher_bound": _DEEP | {"n": 9},
    "wideangle.theory.deep_squared_output_bound": _DEEP,
    "wideangle.theory.deviation_bound": {
        "loss": loss_constants("logistic", 1.0),
        "complexity": 1.0,
        "n": 9,
        "delta": 0.1,
    },
    "wideangle.theory.effective_angle": {"angles": np.array([0.5, 1.0])},
    "wideangle.theory.estimation_error_bound": {
        "theta": 0.5,
        "m": 4,
        "n": 9,
        "C2": 1.0,
        "loss": "squared",
        "outputs": 1,
    }
    | _C
    | {"activation": "sigmoid", "delta": 0.1},
    "wideangle.theory.largest_angle": {"m": 4, "d": 3},
    "wideangle.theory.loss_constants": {"loss": "squared", "reach": 1.0, "C2": 1.0, "outputs": 1},
    "wideangle.theory.rademacher_bound": {"m": 4, "n": 9, "activation": "sigmoid"} | _C,
    "wideangle.theory.squared_output_bound": {"theta": 0.5, "m": 4, "activation": "sigmoid"} | _C,
    "wideangle.theory.trade_off": {"theta": np.array([0.2, 0.5]), "m": 4, "n": 9, "C": 1.0, "C2": 1.0, "constant": 0.5}
    | _C
    | {"C3": 8.0, "C4": 8.0, "delta": 0.1, "sharp": True},
    "wideangle.theory.widest_theta": {"m": 4},
    "wideangle.titles.title_of": {"text": "Corn and ships. And more."},
    "wideangle.topics.find_topics": {
        "vectors": POINTS,
        "present": COUNTS,
        "vocabulary": WORDS,
        "n_topics": 2,
        "n_words": 3,
    }
    | {"exclusive": 0.5, "labels": _LABELS, "label_names": ["a", "b"], "texts": ["word1"] * 24, "token_pattern": r"\w+"}
    | {"is_train": _LABELS < 2, "once": _LABELS < 2, "centre": np.zeros(9), "random_state": 0, "granularity": 0.5},
    "wideangle.topics.group_documents": {"vectors": POINTS, "n_topics": 2, "random_state": 0},
    "wideangle.topics.match_topics": {"before": _LABELS, "after": _LABELS, "at_least": 0.3},
    "wideangle.topics.word_scores": {"having": COUNTS[:2], "sizes": np.array([30, 40]), "corpus": COUNTS[:2].sum(0)}
    | {"n_documents": 100, "exclusive": 0.5, "prior": 20.0},
    "wideangle.tuning.choose_granularity": {"model": texts_model(), "X": COUNTS, "y": _LABELS, "database": None}
    | {"granularities": [0.0, 1.0], "k": 3, "most_queries": 5, "seed": 0},
    "wideangle.tuning.choose_settings": {"estimator": ReplicatedSoftmax(2, max_updates=3), "X": COUNTS, "y": _LABELS}
    | {"diversity": [0.0, 0.1], "seed": 0, "measure": "auto", "progress": None},
    "wideangle.tuning.cross_validate": {"estimator": MLPClassifier(2, max_updates=3), "X": POINTS, "y": _LABELS}
    | {"diversity": [0.0], "n_components": [2], "folds": 2, "seed": 0, "measure": "auto", "granularities": None}
    | {"progress": None},
}
# Functions that are not called with odd values, and why.
NOT_CALLED = {
    "wideangle.catalogue.entries": "takes nothing",
    "wideangle.catalogue.commands": "takes nothing",
    "wideangle.data.names": "takes nothing",
    "wideangle.encoders.Encoder": "says what an encoder is; there is nothing to call",
    "wideangle.encoders.names": "takes nothing",
    "wideangle.data.python_docs": "takes seconds; its one number is checked by tests/data/test_docstrings.py",
    "wideangle.distributed.fit_in_processes": "starts processes, which check what they get as `fit` does",
    "wideangle.experiments.tasks.answers_of": "reads our own records; tests/experiments/test_answers.py",
    "wideangle.documents.Documents": "what a model carries, made by `ModelView.documents`; `save` checks it",
}

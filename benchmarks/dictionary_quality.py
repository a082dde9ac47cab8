"""What is a dictionary of spread components worth: beside λ = 0, scikit-learn, principal components, an autoencoder?

    python benchmarks/dictionary_quality.py --tune OUT.jsonl     two folds of the training rows
    python benchmarks/dictionary_quality.py --test OUT.jsonl --chosen TUNE.jsonl
                                                                 the test rows, with what folds chose; five seeds
    python benchmarks/dictionary_quality.py --objective OUT.jsonl
                                                                 λ = 0 beside scikit-learn: objective and seconds
    python benchmarks/dictionary_quality.py --table TEST.jsonl   tables of what is in a file
    python benchmarks/dictionary_quality.py --objective-table OUT.jsonl

Handwritten digits, 2,000 images of MNIST, 15-Scenes and 6-Activities, with classes as they are or with a long tail:
their sizes then fall geometrically to a twentieth. 50 components. Each kind has its own settings and the better of two
distances, Euclidean or cosine, chosen by folds: by the accuracy of 3 nearest neighbours on codes and its mean over
classes, or for denoising by PSNR. Noise of half the rows' mean length is added to held-out images, which are
coded with larger α then.
"""

import argparse
import time
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import torch
from _dictionary_data import DATA, IMAGES, TAIL, Rows, rows
from _dictionary_tables import chosen_settings, print_objectives, print_test
from _records import run_missing
from _sparse_autoencoder import autoencoder
from sklearn.decomposition import PCA, DictionaryLearning, MiniBatchDictionaryLearning

from wideangle.evaluation import knn_accuracy
from wideangle.functional import pairwise_angles
from wideangle.models import DictionaryLearner
from wideangle.models._dictionary.codes import exact_codes

K = 50
ALPHAS = (0.005, 0.02, 0.05, 0.1)
TERMS: tuple[tuple[str, float], ...] = (
    ("volume", 1e-4), ("volume", 1e-3), ("volume", 1e-2), ("angle", 0.1), ("angle", 0.3), ("angle", 1.0),
)  # fmt: skip
FEW_TERMS = (("volume", 1e-3), ("volume", 1e-2), ("angle", 0.1), ("angle", 1.0))
LEARNERS = ("DictionaryLearner", "MiniBatchDictionaryLearning", "DictionaryLearning")
NOISE, STRONGER = 0.5, (1, 2, 4, 8)  # the length of the noise; α of the noisy rows, in α of the fit


def fitted(job: dict[str, Any], X: Any) -> tuple[Any, Any]:
    """Components, and the function that codes rows, with a multiple of α."""
    kind, seed, alpha = job["kind"], job["seed"], job.get("alpha", 0.0)
    if kind == "rows":
        return None, lambda rows, times=1: rows
    if kind == "PCA":
        model = PCA(job["components"], random_state=seed).fit(X)
        return model.components_, lambda rows, times=1: model.transform(rows)
    if kind == "autoencoder":
        term = (job["diversity"], job.get("surrogate", "angle"))
        found = autoencoder(X, K, job["active"], *term, 5 * job["updates"], seed)
        return found.components_, lambda rows, times=1: found.transform(rows)
    if kind == "scikit-learn":
        A = MiniBatchDictionaryLearning(
            K, alpha=alpha, batch_size=100, max_iter=job["updates"] * 100 // len(X) + 1, tol=0, max_no_improvement=None,
            fit_algorithm="cd", random_state=seed,
        ).fit(X).components_  # fmt: skip
    else:
        A = DictionaryLearner(
            K, alpha=alpha, diversity=job["diversity"], surrogate=job.get("surrogate", "angle"),
            init=job["init"], max_updates=job["updates"], device="cpu", random_state=seed,
        ).fit(X).components_  # fmt: skip
    return A, lambda rows, times=1: exact_codes(rows, A, times * alpha, False)


def ready() -> None:
    """Let one fit of a moment import what the first one imports."""
    torch.set_num_threads(1)
    DictionaryLearner(1, max_updates=1, device="cpu").fit(np.eye(3))


def run(job: dict[str, Any]) -> dict[str, Any]:
    """Fit one dictionary and measure it."""
    ready()
    parts = rows(job["data"], job.get("fold"))
    began = time.perf_counter()
    A, code = fitted(job, parts.train)
    found: dict[str, Any] = {"seconds": time.perf_counter() - began}
    codes, asked = code(parts.train), code(parts.test)
    for distance in ("euclidean", "cosine"):
        given = codes, asked
        if distance == "cosine":
            given = tuple(each / np.maximum(np.linalg.norm(each, axis=1, keepdims=True), 1e-12) for each in given)
        found[f"3-NN, {distance}"] = knn_accuracy(given[0], parts.labels, given[1], parts.test_labels)
        right = [
            knn_accuracy(given[0], parts.labels, given[1][mine], parts.test_labels[mine])
            for mine in (parts.test_labels == each for each in np.unique(parts.test_labels))
        ]
        found[f"balanced, {distance}"] = float(np.mean(right))
    if A is not None:
        found |= _of_components(job, parts, A, codes, asked)
        if job["data"] in IMAGES:
            found |= _denoised(job, parts, A, code)
    return job | found


def _of_components(job: dict[str, Any], parts: Rows, A: Any, codes: Any, asked: Any) -> dict[str, Any]:
    offset = parts.train.mean(0) if job["kind"] == "PCA" else 0.0
    missed = np.square(parts.test - offset - asked @ A).sum(1)
    angles = np.rad2deg(pairwise_angles(A))[np.triu_indices(len(A), 1)]
    return {
        "error": float(missed.sum() / np.square(parts.test).sum()),
        "objective": float(missed.mean() / 2 + job.get("alpha", 0.0) * np.abs(asked).sum(1).mean()),
        "nonzero": float((asked != 0).sum(1).mean()),
        "dead": int((codes == 0).all(0).sum()),
        "smallest angle": float(angles.min()),
    }


def _denoised(job: dict[str, Any], parts: Rows, A: Any, code: Any) -> dict[str, Any]:
    """Peak signal-to-noise ratios of test images, noisy and with the noise taken off, in decibels."""
    noise = np.random.default_rng(job["seed"]).normal(size=parts.test.shape)
    noisy = parts.test + NOISE * noise / np.sqrt(parts.test.shape[1])
    offset = parts.train.mean(0) if job["kind"] == "PCA" else 0.0
    answers = {"PSNR, noisy": noisy}
    for times in STRONGER if "alpha" in job else STRONGER[:1]:
        answers[f"PSNR, {times} α"] = code(noisy, times) @ A + offset
    return {
        name: float(10 * np.log10(parts.peak**2 / np.square(answer - parts.test).mean()))
        for name, answer in answers.items()
    }


def run_objective(job: dict[str, Any]) -> dict[str, Any]:
    """The least objective over training and test rows that a learner reaches, and how long it takes."""
    ready()
    parts, alpha, common = rows(job["data"]), job["alpha"], {"alpha": job["alpha"], "random_state": job["seed"]}
    X, n = parts.train, job["updates"]
    passes = max(1, n * 100 // len(X))
    began = time.perf_counter()
    if job["learner"] == "DictionaryLearner":
        A = DictionaryLearner(K, diversity=0.0, max_updates=n, device="cpu", **common).fit(X).components_
    elif job["learner"] == "MiniBatchDictionaryLearning":
        options = {"batch_size": 100, "max_iter": passes, "tol": 0, "max_no_improvement": None, "fit_algorithm": "cd"}
        A = MiniBatchDictionaryLearning(K, **options, **common).fit(X).components_
    else:
        A = DictionaryLearning(K, max_iter=passes, tol=0, fit_algorithm="cd", **common).fit(X).components_
    seconds = time.perf_counter() - began
    objectives = {}
    for name, part in (("training", parts.train), ("test", parts.test)):
        S = exact_codes(part, A, alpha, False)
        objectives[name] = float(np.square(part - S @ A).sum(1).mean() / 2 + alpha * np.abs(S).sum(1).mean())
    return job | objectives | {"seconds": seconds}


def jobs_of(mode: str, sets: list[str], chosen: list[Path], few: bool) -> list[dict[str, Any]]:
    """What a mode runs."""
    folds, seeds = (1, 3) if few else (2, 5)
    if mode == "objective":
        learners = [(name, n) for name in LEARNERS for n in ((200,) if few else (200, 1000))]
        return [
            {"data": d, "alpha": a, "seed": s, "learner": learner, "updates": n}
            for d, a, s, (learner, n) in product(sets, (0.02, 0.1), range(seeds), learners)
        ]
    if mode == "test":
        tuned = [{"data": d, "for": use} | s for d in sets for use, s in chosen_settings(chosen, d)]
        return [{"seed": seed} | job for seed, job in product(range(seeds), tuned)]
    alphas, terms, n = (ALPHAS[:3], FEW_TERMS, 300) if few else (ALPHAS, TERMS, 1000)
    pushes = [{"surrogate": name, "diversity": weight} for name, weight in terms]
    plain: dict[str, Any] = {"diversity": 0.0}
    kinds: list[dict[str, Any]] = [{"kind": "rows"}, *({"kind": "PCA", "components": n} for n in (10, 20, K))]
    kinds += [{"kind": "scikit-learn", "updates": n, "alpha": a} for a in alphas[few:]]  # It is slow at small α.
    kinds += [
        {"kind": "dictionary", "updates": n, "init": start, "alpha": a} | term
        for start, a, term in product(("svd", "rows"), alphas, (plain, *pushes))
    ]
    kinds += [
        {"kind": "autoencoder", "updates": n, "active": active} | term
        for active, term in product((5, 20), (plain, *pushes[1:3]))
    ]
    jobs = [{"data": d, "fold": f, "seed": f} | kind for d, f, kind in product(sets, range(folds), kinds)]
    # Autoencoders take longest.
    return [job for job in jobs if not few or job["kind"] != "autoencoder" or job["data"] == "digits"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for mode in ("tune", "test", "table", "objective", "objective-table", "quick"):
        parser.add_argument(f"--{mode}", action="store_true")
    parser.add_argument("out", type=Path, nargs="?", help="file of records, one JSON object per line; added to")
    parser.add_argument("--chosen", type=Path, nargs="*", default=[], help="the records of --tune, for --test")
    parser.add_argument("--few", action="store_true", help="fewer settings, one fold, three seeds")
    parser.add_argument("--sets", nargs="+", default=[*DATA, *(name + TAIL for name in DATA)])
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--minutes", type=float, default=1e9, help="start no run after this long")
    arguments = parser.parse_args()
    if arguments.quick:
        ours = {"kind": "dictionary", "updates": 20, "init": "rows", "alpha": 0.1, "diversity": 0.1}
        others = {"kind": "PCA", "components": 10}, {"kind": "scikit-learn", "updates": 20, "alpha": 0.1}
        for kind in (ours, *others, {"kind": "autoencoder", "updates": 4, "active": 5, "diversity": 0.0}):
            print(run({"data": "digits/tail", "fold": 0, "seed": 0} | kind))
        return
    if arguments.out is None:
        parser.error("name the file of records")
    if arguments.table or arguments.objective_table:
        (print_test if arguments.table else print_objectives)(arguments.out)
        return
    modes = [each for each in ("tune", "test", "objective") if getattr(arguments, each)]
    if len(modes) != 1:
        parser.error("say what to run: --tune, --test or --objective")
    mode = modes[0]
    jobs = jobs_of(mode, arguments.sets, arguments.chosen, arguments.few)
    work = run_objective if mode == "objective" else run
    print("done" if run_missing(work, jobs, arguments.out, arguments.jobs, arguments.minutes) else "time is up")


if __name__ == "__main__":
    main()

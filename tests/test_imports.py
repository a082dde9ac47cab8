"""What importing a room loads. Modules are counted rather than seconds, which depend on the machine."""

import json
import subprocess
import sys

import pytest

import wideangle.data
import wideangle.encoders
import wideangle.reading

COMPILER = {"torch._dynamo", "torch._inductor", "sympy"}
DRAWING = {"matplotlib", "openTSNE"}
# scikit-learn's own base classes load pandas, pyarrow and scipy.stats where those are installed, so that estimators
# cannot do without them.
HEAVY_SKLEARN = {
    f"sklearn.{part}"
    for part in (
        "cluster",
        "datasets",
        "decomposition",
        "feature_extraction",
        "linear_model",
        "manifold",
        "metrics",
        "model_selection",
        "neighbors",
        "preprocessing",
        "svm",
        "tree",
    )
}
BASE = "import torch, sklearn.base, wideangle._validation"
ROOMS = {
    "data, reading": (
        # Their names are imported on first use, so that the modules are named here.
        tuple(sorted({*wideangle.data._HOMES.values(), *wideangle.reading._HOMES.values()})),
        {"torch", "sklearn", "pandas", "pyarrow", "scipy.stats"} | DRAWING,
    ),
    "encoders": (
        tuple(sorted({*wideangle.encoders._HOMES.values()})),
        {"torch", "sklearn", "pandas", "pyarrow", "tokenizers", "wordllama", "model2vec", "sentence_transformers"},
    ),
    "torch alone": (
        ("wideangle.functional", "wideangle.optim", "wideangle.regularizer", "wideangle.theory"),
        {"sklearn", "pandas", "pyarrow", "scipy.stats"} | COMPILER | DRAWING,
    ),
    "estimators": (
        ("wideangle.models", "wideangle.evaluation", "wideangle.tuning", "wideangle.report"),
        HEAVY_SKLEARN | COMPILER | DRAWING,
    ),
}


def modules_after(code):
    code += "; import json, sys; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout))


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("name", ROOMS)
def test_heavy_packages_are_imported_where_they_are_used(name):
    rooms, heavy = ROOMS[name]
    assert not heavy & modules_after("import " + ", ".join(rooms))


@pytest.mark.slow
def test_estimators_load_little_beyond_their_base_classes():
    ours = modules_after(f"{BASE}; import wideangle.models") - modules_after(BASE)
    foreign = {module for module in ours if not module.startswith("wideangle")}
    assert len(foreign) <= 10, sorted(foreign)

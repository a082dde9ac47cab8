"""Records what slow commands print, where README and docs cite it: `make records`, or one by its name.

Each record is a text file under results/. It begins with the versions and the number of threads, and each command
stands above its output after a "$". `tests/test_figures.py` compares the documents with these files, and fails where
a figure in them is no longer what was recorded.
"""

import argparse
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

import torch

from wideangle import __version__

ROOT = Path(__file__).parents[1]
SAVE_DOCSTRINGS = """python -c "from wideangle.data import python_docs; python_docs().save('docs.npz')\""""
RECORDS = {
    "push costs": ("pushes/costs.txt", ["python benchmarks/push_costs.py"]),
    "demo": ("demo/docstrings.txt", ["wideangle demo"]),
    "walks": ("walks/walks.txt", ["python benchmarks/walks.py"]),
    "sparse coding": ("sparse_coding/digits.txt", ["python examples/sparse_coding.py"]),
    "sparse coding, metric": ("sparse_coding/metric.txt", ["python examples/sparse_coding.py --metric covariance"]),
    "search": ("search/docstrings.txt", ["python benchmarks/search.py"]),
    "search words": (
        "search/words.txt",
        ["python benchmarks/search_words.py --sets docstrings 20news reuters"],
    ),
    "layout": ("layout/documents.txt", ["python benchmarks/layout.py"]),
    "retrieval": ("retrieval/faiss.txt", ["python benchmarks/retrieval.py"] * 3),
    "rbm updates": (
        "rbm_speed/updates.txt",
        ["python benchmarks/rbm_speed.py --only update", "python benchmarks/rbm_speed.py --only words"],
    ),
    "granularity, cost": (
        "granularity/cost.txt",
        ["python benchmarks/granularity.py --cost", "python benchmarks/granularity.py --cost --rows 100000"],
    ),
    "languages": (
        "languages/guesses.txt",
        ["python benchmarks/languages.py --guess"],
    ),
    "large": ("large/cpu.txt", ["python benchmarks/large.py --only softmax --device cpu"]),
    "fit without a GPU": ("gpu/cpu.txt", ["python benchmarks/gpu.py --only fit --devices cpu"]),
    "counting": ("counting/speed.txt", ["python benchmarks/counting.py"]),
    "encoders": ("encoders/speed.txt", ["python benchmarks/encoders.py"]),
    "mail": ("mail/20news.txt", ["python benchmarks/mail.py"]),
    "duplicates": (
        "duplicates/rows.txt",
        [
            "python benchmarks/duplicates.py",
            "python benchmarks/duplicates.py --files reuters_top9.jsonl.gz 20news_bydate.jsonl.gz",
        ],
    ),
    "scaling": (
        "scaling/documents.txt",
        ["python benchmarks/scaling.py --only documents"],
    ),
    "scaling of counting and updates": (
        "scaling/updates.txt",
        [f"python benchmarks/scaling.py --only {what}" for what in ("counting", "components", "words")],
    ),
    "determinism": (
        "reliability/determinism.txt",
        [f"python benchmarks/determinism.py{option}" for option in ("", " --single", " --precision")],
    ),
    "crowded": ("reliability/crowded.txt", ["python benchmarks/crowded.py --quick"]),
    "large models": ("large_models/commands.txt", ["python benchmarks/large_models.py"]),
    "large topics": (
        "large_topics/rows.txt",
        ["python benchmarks/large_topics.py", "python benchmarks/large_topics.py --phrases"],
    ),
    "explorer": ("explorer/page.txt", ["python benchmarks/explorer.py"]),
    "serving": ("reliability/serving.txt", ["python benchmarks/serving.py"]),
    "effect": ("effect/docstrings.txt", ["python docs/make_effect.py"]),
    "figures": ("figures/figures.txt", ["python docs/make_figures.py"]),
    "lessons": ("figures/lessons.txt", ["python docs/make_lessons.py"]),
    "command line": (
        "command_line/five_minutes.txt",
        [
            SAVE_DOCSTRINGS,
            "wideangle fit docs.npz -k 50 -o docs.wideangle",
            "wideangle search docs.wideangle sparse matrix eigenvalues -n 4",
            "wideangle evaluate docs.wideangle docs.npz",
            "wideangle topics docs.wideangle",
            "wideangle info docs.wideangle",
            "wideangle assign docs.wideangle docs.npz -o assigned.csv",
            "wideangle explore docs.wideangle",
            "wideangle transform docs.wideangle docs.npz -o vectors.npz",
            "wideangle fit docs.npz -k 20 --updates 300 --diversity auto -o small.wideangle",
            "wideangle tune docs.npz -k 10,20 --diversity 0,0.3,1 --updates 200 -o curve.png",
        ],
    ),
}
"""by name: the file under results/, and the commands whose output it holds"""


def output_of(command: str, folder: str) -> str:
    """What a command prints when it is run in a folder by this Python, our scripts being found under the root."""
    program, *arguments = shlex.split(command)
    if program == "python":
        script = ROOT / arguments[0]
        line = [sys.executable, *([str(script)] if script.is_file() else arguments[:1]), *arguments[1:]]
    else:
        line = [sys.executable, "-m", program, *arguments]
    done = subprocess.run(line, capture_output=True, text=True, cwd=folder, env=os.environ | {"COLUMNS": "80"})
    if done.returncode:
        raise SystemExit(f"{command} failed:\n{done.stderr}")
    shown = done.stdout.replace(os.path.realpath(folder), "").replace(folder, "")  # where it ran is no matter
    return "".join(f"{line.rstrip()}\n" for line in shown.splitlines())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(RECORDS)}; all by default")
    names = parser.parse_args().names or list(RECORDS)
    if unknown := [name for name in names if name not in RECORDS]:
        parser.error(f"no record is called {', '.join(unknown)}; there are {', '.join(RECORDS)}")
    made_by = f"wideangle {__version__}, torch {torch.__version__}, {torch.get_num_threads()} threads"
    for name in names:
        path, commands = ROOT / "results" / RECORDS[name][0], RECORDS[name][1]
        with tempfile.TemporaryDirectory() as folder:
            outputs = [f"$ {command}\n{output_of(command, folder)}" for command in commands]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# {made_by}\n" + "\n".join(outputs), encoding="utf-8")
        print(path.relative_to(ROOT))


if __name__ == "__main__":
    main()

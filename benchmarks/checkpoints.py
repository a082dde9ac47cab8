"""What do checkpoints cost a fit?

    python benchmarks/checkpoints.py [--quick]

The same fit of the embedded docstrings without checkpoints, with those of the command line (one every two minutes and
one at the end), and with as many as can be, all once per round, so that a noisy machine is unfair to none.
"""

import argparse
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from _timing import median_seconds

from wideangle.commands.arguments.settings import CHECKPOINT_EVERY
from wideangle.data import python_docs
from wideangle.distributed import Checkpoints
from wideangle.models import ReplicatedSoftmax

NONE, USUAL, MOST = "none", "two minutes", "all"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few updates, one round")
    quick = parser.parse_args().quick
    counts, updates = python_docs().train.counts, 40 if quick else 2000
    folder = Path(tempfile.mkdtemp())
    sizes: dict[str, int] = {}

    def fit(name: str, every: float | None) -> Callable[[], None]:
        def run() -> None:
            kept = None if every is None else Checkpoints(folder / name, every)
            ReplicatedSoftmax(50, max_updates=updates, random_state=0).fit(counts, checkpoint=kept)
            if kept is not None:
                sizes[name] = sum(path.stat().st_size for path in kept.folder.glob("*.checkpoint"))
                shutil.rmtree(kept.folder)

        return run

    ways = {NONE: fit(NONE, None), USUAL: fit(USUAL, CHECKPOINT_EVERY), MOST: fit(MOST, 0.0)}
    seconds = median_seconds(ways, 1 if quick else 5, warm_up=0 if quick else 1)
    shutil.rmtree(folder, ignore_errors=True)
    print(f"{updates} updates, K = 50, {counts.shape[0]} × {counts.shape[1]} counts")
    for name, value in seconds.items():
        print(f"checkpoints: {name:>11} {value:6.2f} s   {value / seconds[NONE]:.2f} × none")
    print(f"one file {sizes[USUAL] / 1e6:.1f} MB")


if __name__ == "__main__":
    main()

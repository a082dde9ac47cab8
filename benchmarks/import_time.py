"""How long does it take to import wideangle's estimators, next to torch alone and to what no estimator can do without?

    python benchmarks/import_time.py [--quick]

Every import happens in a new interpreter, all of them once per round, so that a noisy machine is unfair to none. Times
are those of the processor, in seconds, and count the interpreter's own start. The floor is torch with the parts of
scikit-learn that estimators inherit from: `sklearn.base`, and from its version 1.9 on `sklearn.callback`, which
`wideangle._validation` imports.
"""

import argparse
import resource
import statistics
import subprocess
import sys

CODE = {
    "torch": "import torch",
    "floor": "import torch, sklearn.base, wideangle._validation",
    "wideangle.models": "import wideangle.models",
    "MutualAngularRegularizer": "from wideangle import MutualAngularRegularizer",
}


def processor_seconds(code: str) -> float:
    """Of one new interpreter that runs the code."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", code], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="one round instead of nine")
    rounds = 1 if parser.parse_args().quick else 9
    seconds: dict[str, list[float]] = {name: [] for name in CODE}
    for _ in range(rounds):
        for name, code in CODE.items():
            seconds[name].append(processor_seconds(code))
    median = {name: statistics.median(times) for name, times in seconds.items()}
    print(f"processor seconds, median of {rounds} rounds")
    for name, value in median.items():
        print(f"{name:>24} {value:5.2f} s   {value / median['torch']:.2f} × torch")
    print(f"wideangle.models / floor {median['wideangle.models'] / median['floor']:.2f}")


if __name__ == "__main__":
    main()

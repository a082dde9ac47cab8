"""What do value and gradient of the score Ω cost, next to the two matrix products they cannot do without?

    python benchmarks/regularizer.py [--quick] [--device cpu|cuda] [--tf32]
    python benchmarks/regularizer.py --table FILE          what several runs printed into a file, as ranges

The floor is W Wᵀ and C W at the same precision. "direct" is `value_and_gradient`, "autograd" a backward pass through
`mutual_angular_score`, "compiled" the same under torch.compile. The peer, "pair list", is plain autograd through
the list of all pairs. All are timed in turn in one run; the ratios are what to read.
"""

import argparse
import math
from collections.abc import Callable
from pathlib import Path

import torch
from _timing import median_seconds
from torch import Tensor

from wideangle import mutual_angular_score
from wideangle.functional import value_and_gradient

CPU_SIZES = {(500, 5000): 1.4, (100, 5000): 2.5, (256, 784): 1.6}  # (K, D): the ratio aimed at
CUDA_SIZES = {(4096, 4096): 1.3, (16384, 4096): 1.4}


def two_products(A: Tensor) -> Callable[[], object]:
    C = torch.randn(A.shape[0], A.shape[0], device=A.device)
    return lambda: (A @ A.T, C @ A)


def closed_form(A: Tensor) -> Callable[[], object]:
    return lambda: value_and_gradient(A)


def through_autograd(A: Tensor, compiled: bool = False) -> Callable[[], object]:
    components = A.clone().requires_grad_()
    score = torch.compile(mutual_angular_score) if compiled else mutual_angular_score
    return lambda: torch.autograd.grad(score(components), components)


def autograd_over_pairs(A: Tensor) -> Callable[[], object]:
    components = A.clone().requires_grad_()
    i, j = torch.triu_indices(A.shape[0], A.shape[0], 1, device=A.device)

    def run() -> object:
        W = torch.nn.functional.normalize(components)
        angles = torch.acos((W @ W.T)[i, j].abs().clamp(max=1 - 1e-6))
        return torch.autograd.grad(angles.mean() - angles.var(correction=0), components)

    return run


def peak_square_buffers(A: Tensor) -> float:
    """Peak memory beyond A and its gradient, in K×K float32 matrices."""
    components = A.clone().requires_grad_()
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    torch.autograd.grad(mutual_angular_score(components), components)
    extra = torch.cuda.max_memory_allocated() - before
    return extra / (4 * A.shape[0] ** 2)


def print_ranges(path: Path) -> None:
    """From the least to the most over the runs of a file, by kind of products, K and D."""
    kind, runs = "float32", dict[tuple[str, str, str], list[list[str]]]()
    for line in path.read_text().splitlines():
        if line.startswith("value and gradient"):
            kind = "tf32" if "tf32" in line else "float32"
        cells = line.replace(" ms", "").split()
        if len(cells) > 3 and cells[0].isdigit():
            runs.setdefault((kind, cells[0], cells[1]), []).append(cells[4:])
    for (kind, K, D), rows in runs.items():
        ranges = ((min(column), max(column)) for column in zip(*rows, strict=True))
        print(f"{kind:8} {K:>6} {D:>5}", *(f"{a:>12}" if a == b else f"{f'{a}–{b}':>12}" for a, b in ranges))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few repeats, nothing compiled")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--tf32", action="store_true", help="let CUDA products run in tf32, the floor's too")
    parser.add_argument("--table", type=Path, metavar="FILE")
    arguments = parser.parse_args()
    if arguments.table:
        print_ranges(arguments.table)
        return
    device = arguments.device
    torch.set_float32_matmul_precision("high" if arguments.tf32 else "highest")
    torch.manual_seed(0)
    name = torch.cuda.get_device_name() if device == "cuda" else f"CPU, {torch.get_num_threads()} threads"
    print(f"value and gradient of Ω, float32{' (tf32 products)' if arguments.tf32 else ''}, {name}")
    print("times as multiples of the two products W Wᵀ and C W\n")
    print(f"{'K':>6} {'D':>5} {'products':>10} {'aim':>5} {'direct':>7} {'autograd':>9} {'compiled':>9}", end="")
    print(f" {'pair list':>10} {'pair list/direct':>17}" + (f" {'K×K buffers':>12}" if device == "cuda" else ""))
    for (K, D), aim in (CUDA_SIZES if device == "cuda" else CPU_SIZES).items():
        A = torch.randn(K, D, device=device) + 0.3 * torch.randn(D, device=device)
        ways = {"floor": two_products(A), "direct": closed_form(A), "autograd": through_autograd(A)}
        if not arguments.quick:
            ways["compiled"] = through_autograd(A, compiled=True)
        if K <= 4096:  # beyond, the index lists and their gradients would need tens of gigabytes
            ways["pairs"] = autograd_over_pairs(A)
        seconds = median_seconds(ways, repeats=5 if arguments.quick else 60, device=device)
        ratio = {
            way: seconds.get(way, math.nan) / seconds["floor"] for way in ("direct", "autograd", "compiled", "pairs")
        }
        print(f"{K:6} {D:5} {1e3 * seconds['floor']:7.2f} ms {aim:5.1f} {ratio['direct']:7.2f}", end="")
        print(f" {ratio['autograd']:9.2f} {ratio['compiled']:9.2f} {ratio['pairs']:10.2f}", end="")
        print(f" {ratio['pairs'] / ratio['direct']:17.2f}", end="")
        print(f" {peak_square_buffers(A):12.2f}" if device == "cuda" else "")


if __name__ == "__main__":
    main()

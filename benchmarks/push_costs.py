"""What do value and gradient of each regulariser cost, next to the two matrix products they cannot do without?

    python benchmarks/push_costs.py [--quick] [--device cpu|cuda]

The floor is W Wᵀ and C W in single precision. All are timed in turn in one run; the ratios are what to read.
"""

import argparse
from functools import partial

import torch
from _timing import median_seconds
from regularizer import two_products

from wideangle.functional import REGULARIZERS, value_and_gradient

SIZES = [(50, 5000), (256, 784), (500, 5000)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="one small size")
    parser.add_argument("--device", default="cpu")
    options = parser.parse_args()
    sizes = [(10, 60)] if options.quick else SIZES
    names = [name for name in REGULARIZERS if name != "bound"]  # It is the volume with another factor, and warns.
    columns = []
    for K, D in sizes:
        generator = torch.Generator().manual_seed(0)
        A = (torch.randn(K, D, generator=generator) + 0.3 * torch.randn(D, generator=generator)).to(options.device)
        ways = {"floor": two_products(A)} | {name: partial(value_and_gradient, A, name) for name in names}
        found = median_seconds(ways, repeats=3 if options.quick else 40, device=options.device)
        columns.append([found[name] / found["floor"] for name in names])
    print(f"{'times the two products':24}" + "".join(f"{f'{K} x {D}':>14}" for K, D in sizes))
    for name, ratios in zip(names, zip(*columns, strict=True), strict=True):
        print(f"{name:24}" + "".join(f"{ratio:14.1f}" for ratio in ratios))


if __name__ == "__main__":
    main()

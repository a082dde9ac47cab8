"""Documents of known groups, each of which has words of its own."""

import numpy as np

GROUPS, WORDS = 5, 8


def made(n=400, groups=GROUPS, seed=0, weights=None):
    """Documents of some groups: unit rows around directions, and words of which eight belong to each group."""
    rng = np.random.default_rng(seed)
    which = rng.choice(groups, n, p=weights)
    rows = np.eye(groups)[which] + 0.1 * rng.standard_normal((n, groups))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    likely = np.full((groups, groups * WORDS), 0.03)
    for group in range(groups):
        likely[group, group * WORDS : (group + 1) * WORDS] = 0.6
    counts = (rng.random((n, groups * WORDS)) < likely[which]).astype(int)
    counts[:, 0] += counts.sum(axis=1) == 0
    return rows, counts, which


def vocabulary(groups=GROUPS):
    return [f"{'abcdefghijklmnopqrst'[group]}{word}" for group in range(groups) for word in range(WORDS)]

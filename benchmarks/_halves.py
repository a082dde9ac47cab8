import numpy as np
from wideangle.evaluation import nearest_rows


def half_agreement(a, b, db, k):
    x, y = nearest_rows(a, db, k).rows, nearest_rows(b, db, k).rows
    return float(np.mean([len(np.intersect1d(p, q)) for p, q in zip(x, y)]) / k)


def half_retrieval(a, b):
    d = (a**2).sum(1)[:, None] + (b**2).sum(1) - 2 * a @ b.T
    own = np.diagonal(d)[:, None]
    return float(np.mean(1 / ((d < own).sum(1) + 1)))

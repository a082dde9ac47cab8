"""The baselines of distances with settings that small tests can afford: a new one joins here."""

from wideangle.baselines.metrics import ITML, LMNN, NCA, DMLEig, Euclidean, Seraph, XingMetric

FEW = {"n_similar": 300, "n_dissimilar": 300}
SMALL = (
    Euclidean(),
    Euclidean(1),
    XingMetric(device="cpu", **FEW),
    LMNN(device="cpu"),
    LMNN(1, n_impostors=5, device="cpu"),
    ITML(max_updates=20),
    ITML(1, prior="covariance", max_updates=20),
    DMLEig(device="cpu", max_updates=100, **FEW),
    Seraph(device="cpu", max_updates=50, **FEW),
    NCA(max_updates=20),
)

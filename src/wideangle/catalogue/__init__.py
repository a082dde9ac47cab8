"""Which estimators there are and how they differ: one record per estimator, from which everything else is read.

The public names, the command line, tuning, saving, the page, notebooks and the tests ask a record, never the name of a
class. A new estimator of this package needs its own file and one entry in models.py, documents.py or metrics.py beside
this file; one of yours joins by `register`:

>>> from sklearn.decomposition import NMF
>>> from wideangle import catalogue
>>> class Parts(NMF):
...     "Non-negative parts."
>>> catalogue.register(catalogue.Entry.of(Parts, takes="counts", weighting="counts", command="parts"))
>>> catalogue.entry_of(Parts(5)).measures
('P@10',)
>>> catalogue.unregister("Parts")

`wideangle.tuning` can then tune it, and the commands of the same process can use it. To be saved and loaded, the class
must also inherit `wideangle.persistence.Saveable`. Nothing heavy is imported here, because --help reads these records.
"""

from wideangle.catalogue.entry import COMPONENTS, MOST_COMPONENTS, UPDATES, Entry
from wideangle.catalogue.measure_names import (
    ACCURACY,
    AGREEMENT,
    HALF_RETRIEVAL,
    HELD_OUT_WORDS,
    OF_CLASSES,
    PAIRS_AND_NEIGHBOURS,
    PER_ROW,
    PER_WORD,
    PRECISION,
    R2,
    WITH_LABELS,
    WITHOUT_LABELS,
)
from wideangle.catalogue.registry import (
    SHIPPED,
    check_values,
    commands,
    entries,
    entry_of,
    homes_in,
    register,
    unregister,
)

__all__ = ["Entry", "entries", "entry_of", "register", "unregister"]
# For the other rooms of this package.
__all__ += [
    "ACCURACY",
    "AGREEMENT",
    "COMPONENTS",
    "HALF_RETRIEVAL",
    "HELD_OUT_WORDS",
    "MOST_COMPONENTS",
    "OF_CLASSES",
    "PAIRS_AND_NEIGHBOURS",
    "PER_ROW",
    "PER_WORD",
    "PRECISION",
    "R2",
    "UPDATES",
    "WITHOUT_LABELS",
    "WITH_LABELS",
]
__all__ += ["SHIPPED", "check_values", "commands", "homes_in"]

"""What is done to what a model says of documents, once for all models: which distance compares them, and how finely."""

from wideangle.finishing.distances import FINISHES, Finish
from wideangle.finishing.finished import Finished
from wideangle.finishing.granularity import GRANULARITIES, Granularity, granularity_name, granularity_number
from wideangle.finishing.halves import Halves

__all__ = [
    "FINISHES",
    "GRANULARITIES",
    "Finish",
    "Finished",
    "Granularity",
    "Halves",
    "granularity_name",
    "granularity_number",
]

"""The kinds of tables and figures that a spec can ask for. A new kind is one entry, and the function that makes it."""

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["KINDS", "SpecKind"]


@dataclass(frozen=True)
class SpecKind:
    """What a spec of this kind may say, and what makes the table or figure."""

    maker: str
    """the module of this room and its function, which makes it from a plan"""
    of_one_data_set: bool = False
    of_one_size: bool = False
    """whether it shows one number of components"""


KINDS: Mapping[str, SpecKind] = {
    "by size": SpecKind("tables:by_size", of_one_data_set=True),
    "by data": SpecKind("tables:by_data"),
    "by class": SpecKind("tables:by_class", of_one_data_set=True, of_one_size=True),
    "curve by class": SpecKind("curves:curve_by_class", of_one_size=True),
    "curve by size": SpecKind("curves:curve_by_size"),
    "curve by weight": SpecKind("curves:curve_by_weight"),
    "class sizes": SpecKind("curves:class_sizes"),
    "words": SpecKind("tables:words", of_one_data_set=True, of_one_size=True),
    "compactness": SpecKind("tables:compactness"),
}

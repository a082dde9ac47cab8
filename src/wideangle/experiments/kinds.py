"""The kinds of tables and figures that a spec can ask for. A new kind is one entry, and the function that makes it."""

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["KINDS", "Kind"]


@dataclass(frozen=True)
class Kind:
    """What a spec of this kind may say, and what makes the table or figure."""

    maker: str
    """the module of this room and its function, which makes it from a plan"""
    of_one_data_set: bool = False
    of_one_size: bool = False
    """whether it shows one number of components"""


KINDS: Mapping[str, Kind] = {
    "by size": Kind("tables:by_size", of_one_data_set=True),
    "by data": Kind("tables:by_data"),
    "by class": Kind("tables:by_class", of_one_data_set=True, of_one_size=True),
    "curve by class": Kind("curves:curve_by_class", of_one_size=True),
    "curve by size": Kind("curves:curve_by_size"),
    "curve by weight": Kind("curves:curve_by_weight"),
    "class sizes": Kind("curves:class_sizes"),
    "words": Kind("tables:words", of_one_data_set=True, of_one_size=True),
    "compactness": Kind("tables:compactness"),
}

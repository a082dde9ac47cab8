"""Where records come from: which code made them, and on which kind of device."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from wideangle.experiments.code_of_fits import fit_digest
from wideangle.experiments.jobs import Record

__all__ = ["UNKNOWN", "Origin", "is_of_this_code", "origin_of", "told_origins"]

UNKNOWN = "unknown"


@dataclass(frozen=True, order=True)
class Origin:
    """What two records must share to be compared without a second thought."""

    code: str
    """the hash of the code of the fit; of older records that of the whole package, or "unknown" """
    device: str
    """cpu, cuda or "unknown" """


def origin_of(record: Record) -> Origin:
    made = record["made with"]
    return Origin(made.get("code of the fit") or made.get("code") or UNKNOWN, made.get("device") or UNKNOWN)


def is_of_this_code(record: Record) -> bool:
    """Whether the code that is here now would make the record; of a record without a hash nobody knows."""
    try:
        here = fit_digest(record["task"], record["estimator"])
    except ValueError:  # There is no such estimator here, be it of another version or of a user.
        return False
    return origin_of(record).code == here


def told_origins(origins: Iterable[Origin]) -> str:
    """One sentence about the fits of a table: how many versions of the code they are of, and which devices."""
    found = list(origins)
    if not found:
        return ""
    codes, devices = Counter(each.code for each in found), Counter(each.device for each in found)
    unknown = codes.pop(UNKNOWN, 0)
    versions = [f"{len(codes)} version{'s' if len(codes) > 1 else ''} of the code"] if codes else []
    versions += [f"unknown code ({unknown})"] if unknown else []
    places = [f"{'an unknown device' if name == UNKNOWN else name} ({n})" for name, n in sorted(devices.items())]
    fits = f"{len(found)} fit{'s' if len(found) > 1 else ''}"
    return f"{fits} by {' and '.join(versions)}, on {' and '.join(places)}."

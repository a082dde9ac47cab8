"""What all tasks share: an estimator by its name and settings, fitted, with the time that took; its angles."""

import inspect
import time
from collections.abc import Mapping
from typing import Any

from wideangle.catalogue import entry_of
from wideangle.evaluation import angle_summary

__all__ = ["angles_of", "device_of", "fitted"]


def fitted(estimator: str, settings: Mapping[str, Any], seed: int, *rows: Any) -> tuple[Any, float]:
    """The fitted model and the seconds of `fit`."""
    kind: Any = entry_of(estimator).load()
    given = dict(settings)
    if "random_state" in inspect.signature(kind).parameters:
        given["random_state"] = seed
    began = time.perf_counter()
    model = kind(**given).fit(*rows)
    return model, time.perf_counter() - began


def angles_of(components: Any) -> dict[str, float]:
    """The mean and the smallest angle; nothing where there are no two components."""
    if components is None or len(components) < 2:
        return {}
    angles = angle_summary(components)
    return {"mean angle": angles.mean, "smallest angle": angles.smallest}


def device_of(model: Any) -> str:
    """Where the model was fitted: those with a parameter `device` use a GPU where there is one."""
    import torch

    wanted = getattr(model, "device", "cpu")
    return "cuda" if wanted in ("auto", "cuda") and torch.cuda.is_available() else "cpu"

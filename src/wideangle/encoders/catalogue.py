"""The encoders that are known by name: ours, those that other packages bring, and objects of Python users."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from wideangle._arguments import checked, shown, text
from wideangle.catalogue.entry import did_you_mean
from wideangle.encoders.checked import CheckedEncoder, Encoder, FunctionEncoder
from wideangle.exceptions import EncoderError

__all__ = ["GROUP", "KINDS", "Kind", "encoder_of", "names", "same_encoder"]

GROUP = "wideangle.encoders"  # Other packages bring encoders by an entry point of this group.
_VERSION = re.compile(r"(.*)@([0-9a-f]{12})", re.DOTALL)


@dataclass(frozen=True)
class Kind:
    """A package that encodes texts."""

    name: str
    home: str
    """the module whose function `make` takes what stands behind the colon, and returns an encoder"""
    takes: str
    """what stands behind the colon, in words"""
    summary: str


KINDS = {
    kind.name: kind
    for kind in (
        Kind(
            "wordllama",
            "wideangle.encoders.wordllama",
            "a dimension, a configuration, or both as l2_supercat/128",
            "averaged vectors of tokens, in the package itself",
        ),
        Kind(
            "model2vec",
            "wideangle.encoders.model2vec",
            "a folder, or a model of the hub",
            "averaged vectors of tokens, distilled from a sentence transformer",
        ),
        Kind(
            "sentence-transformers",
            "wideangle.encoders.sentence_transformers",
            "a folder, or a model of the hub",
            "networks that read whole sentences",
        ),
    )
}


def names() -> list[str]:
    """The encoders that `encoder_of` knows: ours, then those of other packages that are installed."""
    return [*KINDS, *sorted(set(_of_others()) - set(KINDS))]


def encoder_of(what: Any, *, name: str | None = None) -> CheckedEncoder:
    """The encoder of a name, of an object or of a function.

    Parameters
    ----------
    what : str, Encoder or callable
        "wordllama", "wordllama:128", "model2vec:folder", "sentence-transformers:model", the name of an encoder of
        another package, the `name` of an encoder that was made before; an object with `name`, `dimension` and
        `encode`; or a function from a list of texts to an array with one row per text.
    name : str, optional
        The name of a function, which tells its vectors from those of others.

    Examples
    --------
    >>> import numpy as np
    >>> from wideangle.encoders import encoder_of
    >>> lengths = encoder_of(lambda texts: np.array([[len(text), 1] for text in texts]), name="lengths of texts")
    >>> lengths.encode(["one", "two and three", " "]).tolist()
    [[3.0, 1.0], [13.0, 1.0], [0.0, 0.0]]
    """
    if isinstance(what, str):
        if name is not None:
            raise ValueError("name is for functions alone: an encoder that is named by a string has its own.")
        return _named(what)
    if isinstance(what, CheckedEncoder):
        return what
    if all(hasattr(what, part) for part in ("name", "dimension", "encode")):
        return CheckedEncoder(what)
    if not callable(what):
        methods = " Pass its method `encode` and a name." if hasattr(what, "encode") else ""
        raise TypeError(
            "an encoder must be a string such as 'wordllama', an object with name, dimension and encode, or a "
            f"function; got {shown(what)}.{methods}"
        )
    if name is None:
        raise ValueError(
            "an encoder that is a function needs a name, which tells its vectors from those of other encoders: "
            "encoder_of(function, name='...')."
        )
    return CheckedEncoder(FunctionEncoder(what, name))


@checked(name=text)
def same_encoder(name: str, encoder: Encoder) -> None:
    """Raise an error where vectors were made by an encoder of another name."""
    encoder = encoder_of(encoder)
    if encoder.name != name:
        raise EncoderError(
            f"the vectors were made by {name!r}, and these texts would be encoded by {encoder.name!r}. Vectors of two "
            "encoders cannot be compared: use the first one, or encode all texts anew."
        )


def _named(called: str) -> CheckedEncoder:
    versioned = _VERSION.fullmatch(called)
    kind, _, argument = (versioned[1] if versioned else called).partition(":")
    others = _of_others()
    if kind in KINDS:
        make: Callable[[str], Any] = import_module(KINDS[kind].home).make
    elif kind in others:
        make = others[kind].load()
    else:
        raise EncoderError(
            f"there is no encoder {kind!r}; there are {', '.join(names())}.{did_you_mean(kind, names())}"
        )
    made = make(argument)
    if not all(hasattr(made, part) for part in ("name", "dimension", "encode")):
        raise EncoderError(
            f"the encoder {kind!r} of another package gave {shown(made)}, which has not all of name, dimension and "
            "encode. Tell its authors."
        )
    if versioned and made.name != called:
        raise EncoderError(
            f"{called!r} is wanted, and {made.name!r} is here: another version, whose vectors may differ."
        )
    return CheckedEncoder(made)


def _of_others() -> dict[str, EntryPoint]:
    """Encoders of other packages by name. Ours come first, so that a package cannot take their place."""
    found: dict[str, EntryPoint] = {}
    for point in entry_points(group=GROUP):
        if point.name in found and found[point.name].value != point.value:
            raise EncoderError(
                f"two packages bring an encoder {point.name!r}: {found[point.name].value} and {point.value}. "
                "Uninstall one of them."
            )
        found[point.name] = point
    return found

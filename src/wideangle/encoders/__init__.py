"""Texts to vectors, by packages that have learned what words mean. Knows nothing of models, reading or commands."""

from typing import TYPE_CHECKING

from wideangle._lazy import lazy_names

if TYPE_CHECKING:  # Type checkers cannot read the table below.
    from wideangle.encoders.cache import cached as cached
    from wideangle.encoders.catalogue import encoder_of as encoder_of
    from wideangle.encoders.catalogue import names as names
    from wideangle.encoders.catalogue import same_encoder as same_encoder
    from wideangle.encoders.checked import CheckedEncoder as CheckedEncoder
    from wideangle.encoders.checked import Encoder as Encoder
    from wideangle.encoders.halves import encode_halves as encode_halves

# The names are loaded on first use. Options are checked first, and must not wait for NumPy.
_HOMES = {
    "CheckedEncoder": "wideangle.encoders.checked",
    "Encoder": "wideangle.encoders.checked",
    "cached": "wideangle.encoders.cache",
    "encode_halves": "wideangle.encoders.halves",
    "encoder_of": "wideangle.encoders.catalogue",
    "names": "wideangle.encoders.catalogue",
    "same_encoder": "wideangle.encoders.catalogue",
}

__all__ = ["CheckedEncoder", "Encoder", "cached", "encode_halves", "encoder_of", "names", "same_encoder"]

__getattr__ = lazy_names(__name__, _HOMES)


def __dir__() -> list[str]:
    return __all__

"""The version, in this file alone, so that a new number by itself is no change of the code that fits."""

__version__ = "1.0.0"

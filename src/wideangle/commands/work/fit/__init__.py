"""The work of `wideangle fit`, which begins in `fitting.py`."""

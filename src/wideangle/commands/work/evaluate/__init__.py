"""The work of `wideangle evaluate`, which begins in `evaluating.py`."""

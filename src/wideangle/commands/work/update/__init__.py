"""The work of `wideangle update`, which begins in `updating.py`."""

"""The work of `wideangle tune`, which begins in `tuning.py`."""

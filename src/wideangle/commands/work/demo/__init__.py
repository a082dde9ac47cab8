"""The work of `wideangle demo`, which begins in `demonstration.py`."""

"""The work of `wideangle topics`, which begins in `topic_list.py`."""

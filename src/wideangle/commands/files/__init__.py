"""The files that commands write: whether they may, which of those that are there are ours, and tables."""

"""Counts of documents that need not fit into memory: counted part by part, joined in files, read as memory maps."""

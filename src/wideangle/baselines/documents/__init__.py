"""Models of documents that ours are compared with."""

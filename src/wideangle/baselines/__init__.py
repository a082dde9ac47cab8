"""What the paper compares with, behind the same estimator API as our own models."""

"""The commands: `fit.py` has the arguments of `wideangle fit`, `_fitting.py` does the work and shows it, and so on.

The files of arguments import nothing heavy, so that --help and mistakes in the arguments are answered at once. The
work is a function of typed arguments that returns a typed result.
"""

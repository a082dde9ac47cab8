"""The commands: a file in here has the arguments of one, and `work` does what they ask for.

What is in here, in `arguments`, `shell` and `files` imports neither NumPy nor torch, so that --help and mistakes in the
arguments are answered at once. A command imports its work when its arguments are checked.
"""

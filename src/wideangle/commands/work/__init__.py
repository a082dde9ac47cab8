"""What the commands do: a file or a folder per command, and what several of them need in `shared`.

The work is a function of typed arguments that returns a typed result, and a function that shows this result.
"""

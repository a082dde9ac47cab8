"""Runs the command line by `python -m wideangle`."""

import sys

from wideangle.cli import main

if __name__ == "__main__":
    sys.exit(main())

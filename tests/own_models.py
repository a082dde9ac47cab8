"""The package's own models, without the baselines, which have tests of their own."""

from wideangle.catalogue import entries

OWN = tuple(entry for entry in entries() if entry.home.startswith("wideangle.models."))
OWN_COMMANDS = tuple(entry.command for entry in OWN if entry.command is not None)

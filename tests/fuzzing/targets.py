"""All that is fuzzed, by name."""

from fuzzing import checkpoints, counts, models, records, requests, specs, tables

ALL = [checkpoints, counts, records, tables, specs, requests, models]


def all_targets():
    """By name, in the order in which a campaign goes through them."""
    return {target.name: target for room in ALL for target in room.targets()}

"""Mutations of nested values, as JSON and TOML have them: mappings, lists, strings, numbers, truths and null."""

import copy
import pickle

from fuzzing.of_bytes import a_text

VALUES = [
    *(None, True, False, 0, 1, -1, 2, 7, 255, 2**31, 2**53 + 1, 2**63, -(2**63) - 1, 10**30, 10**400),
    *(0.5, -0.5, 1.5, 1e-300, 1e300, -1e300, 1e308, 3e38, 1e30, -0.0),
    *("", "text", "0", "nan", "inf", "\x00", "\ud800", "\u202e", "a" * 3000, "²", "../../x", "__class__", "transform"),
    *([], [1], ["a"], [[1]], [None], [1, "a", None], [0] * 300, {}, {"a": 1}, {"": None}, {"a": {"b": [1]}}),
]


def places(value, place=()):
    """Where parts of a value are: the keys that lead to each."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in inside:
        yield (*place, key)
        yield from places(part, (*place, key))


def at(value, place):
    """The part at a place."""
    for key in place:
        value = value[key]
    return value


def mutate_values(rng, value, more=()):
    """A copy with one change; `more` are further values that mean something to whoever reads them."""
    value = pickle.loads(pickle.dumps(value))  # a copy, in a tenth of the time of deepcopy
    found = list(places(value))
    if not found:
        return rng.choice(VALUES)
    # Large lists, as those of words, would otherwise be changed nearly every time.
    depth = rng.choice(sorted({len(place) for place in found}))
    place = rng.choice([each for each in found if len(each) == depth])
    holder, key = at(value, place[:-1]), place[-1]
    step = rng.random()
    if step < 0.35:
        holder[key] = copy.deepcopy(rng.choice([*VALUES, *more, *more]))
    elif step < 0.55:
        holder[key] = _alike(rng, holder[key])
    elif step < 0.65:
        del holder[key]
    elif step < 0.75:
        holder[key] = copy.deepcopy(at(value, rng.choice(found)))
    elif step < 0.85:
        _rename(rng, value, holder, key, found)
    elif step < 0.92:
        holder[key] = rng.choice([[holder[key]], {"a": holder[key]}, {str(key): holder[key]}])
    else:
        _lengthen(rng, holder, key)
    return value


def _alike(rng, value):
    """Another value of the same type."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return rng.choice([value + 1, value - 1, -value, 2 * value, value * 10**6, value + 2**32, float(value)])
    if isinstance(value, float):
        return rng.choice(
            [-value, value + 1, value * 1e10, value * 1e-10, 1e300, int(value) if abs(value) < 1e9 else 0]
        )
    if isinstance(value, str):
        at = rng.randrange(len(value) + 1)
        text = a_text(rng).decode(errors="surrogateescape")
        return rng.choice(
            [value[:at], value[at:], value[:at] + text + value[at:], value.upper(), value * 2, f" {value}"]
        )
    if isinstance(value, list):
        return rng.choice([value[::-1], value[:-1], value[1:], value * 2, sorted(value, key=repr)])
    if isinstance(value, dict):
        return dict(list(value.items())[: rng.randrange(len(value) + 1)])
    return rng.choice(VALUES)


def _rename(rng, value, holder, key, found):
    if isinstance(holder, dict):
        names = [str(place[-1]) for place in found if isinstance(place[-1], str)]
        holder[rng.choice([rng.choice(names), f"{key}_", "", "__class__", "n_components"])] = holder.pop(key)
    else:
        other = rng.randrange(len(holder))
        holder[key], holder[other] = holder[other], holder[key]


def _lengthen(rng, holder, key):
    if isinstance(holder, list):
        holder.insert(key, copy.deepcopy(holder[rng.randrange(len(holder))]))
    else:
        holder[f"{key}{rng.randrange(10)}"] = copy.deepcopy(holder[key])

"""Mutations of safetensors files with a JSON document inside, as models and checkpoints are.

Such a file holds a SHA-256 of its content, so that a change of its bytes is refused before anything else is looked at.
Most changes here are therefore made to the parts, and the file is signed anew.
"""

import json

import numpy as np
import safetensors.numpy
from fuzzing.of_bytes import FLOATS, WHOLE, mutate_bytes
from fuzzing.of_values import mutate_values

from wideangle._encoding import digest

TYPES = ["float32", "float64", "int64", "int32", "uint8", "bool", "float16", "uint64", "int8"]
# What entries of a document may stand for.
NODES = [
    *({"float": "nan"}, {"float": "-inf"}, {"float": "1e5"}, {"float": 3}, {"tuple": []}, {"tuple": [1, "a"]}),
    *({"dict": [["a", 1]]}, {"dict": [1]}, {"dict": [[[], 1]]}, {"scalar": 1}, {"record": "Halves", "fields": {}}),
    *({"items": ["a"], "shape": [1], "dtype": "U1"}, {"items": [], "shape": [0, 10**9], "dtype": "object"}),
    *({"items": ["a"], "shape": [1], "dtype": "U999999999"}, {"items": [1], "shape": [True], "dtype": "object"}),
    *({"array": "components_", "by_columns": False}, {"array": "components_", "by_columns": True}, {"array": []}),
    *({"scalar": {"array": "components_", "by_columns": False}}, {"array": "seeds", "by_columns": None}),
]


def parted(content):
    """The name of the document in the metadata, the document, and the arrays."""
    length = int.from_bytes(content[:8], "little")
    metadata = json.loads(content[8 : 8 + length])["__metadata__"]
    ((key, text),) = metadata.items()
    return key, json.loads(text), safetensors.numpy.load(content)


def signed(key, document, arrays):
    """A file with a right SHA-256, as far as one can be made of the document."""
    if isinstance(document, dict):
        document = {name: value for name, value in document.items() if name != "sha256"}
        try:
            document["sha256"] = digest(document, arrays)
        except (TypeError, ValueError):  # It holds what JSON has no word for.
            document["sha256"] = "0" * 64
    return safetensors.numpy.save(arrays, {key: json.dumps(document)})


def mutate_tensors(rng, content):
    """A file with one change in its bytes, its header, its document or its arrays."""
    step = rng.random()
    if step < 0.1:
        return mutate_bytes(rng, content)
    if step < 0.2:
        return _with_other_header(rng, content)
    try:
        key, document, arrays = parted(content)
    except Exception:  # An earlier change made it unreadable.
        return mutate_bytes(rng, content)
    arrays = {name: np.array(array) for name, array in arrays.items()}
    if step < 0.6 or not arrays:
        document = mutate_values(rng, document, NODES)
    elif step < 0.85:
        name = rng.choice(sorted(arrays))
        arrays[name] = _with_other_numbers(rng, arrays[name])
    else:
        _change_array(rng, arrays)
    try:
        return signed(key, document, arrays)
    except Exception:  # safetensors has no such array
        return mutate_bytes(rng, content)


def _with_other_header(rng, content):
    """The same arrays under a header with a change, unsigned."""
    try:
        length = int.from_bytes(content[:8], "little")
        header = mutate_values(rng, json.loads(content[8 : 8 + length]), ["F32", "F64", "I64", "BOOL", "BF16", [0, 8]])
        packed = json.dumps(header).encode()
    except Exception:  # An earlier change made it unreadable.
        return mutate_bytes(rng, content)
    return len(packed).to_bytes(8, "little") + packed + content[8 + length :]


def _with_other_numbers(rng, array):
    flat = array.reshape(-1)
    if not flat.size:
        return array
    step = rng.random()
    if step < 0.4:
        places = [rng.randrange(flat.size) for _ in range(rng.choice([1, 1, 3]))]
        for place in places:
            flat[place] = _number(rng, array.dtype)
    elif step < 0.6:
        held = bytearray(flat.tobytes())
        held[rng.randrange(len(held))] ^= 1 << rng.randrange(8)
        flat = np.frombuffer(bytes(held), dtype=array.dtype) if array.dtype != bool else flat
    elif step < 0.7:
        flat[:] = _number(rng, array.dtype)
    elif step < 0.8:
        flat[:] = flat[::-1].copy()
    elif array.dtype.kind == "f":
        with np.errstate(all="ignore"):
            flat = flat * array.dtype.type(rng.choice([1e-30, 1e10, 1e30, -1, 1e-3, 1e3, 1e300]))
    else:
        with np.errstate(all="ignore"):
            flat = flat + array.dtype.type(1)
    return flat.reshape(array.shape).astype(array.dtype)


def _number(rng, dtype):
    if dtype.kind == "f":
        with np.errstate(all="ignore"):
            return dtype.type(rng.choice(FLOATS))
    if dtype.kind == "b":
        return dtype.type(rng.choice([0, 1]))
    facts = np.iinfo(dtype)
    return dtype.type(min(max(rng.choice([*WHOLE, facts.min, facts.max, -2]), facts.min), facts.max))


def _change_array(rng, arrays):
    """Another type, shape, name or place of an array, or no array."""
    name, other = rng.choice(sorted(arrays)), rng.choice(sorted(arrays))
    array = arrays[name]
    step = rng.randrange(7)
    if step == 0:
        with np.errstate(all="ignore"):
            arrays[name] = array.astype(rng.choice(TYPES))
    elif step == 1:
        arrays[name] = array.reshape(rng.choice([(-1,), (1, -1), (-1, 1)])) if array.size else array.reshape(0, 3)
    elif step == 2:
        arrays[name], arrays[other] = arrays[other], array
    elif step == 3:
        del arrays[name]
    elif step == 4:
        arrays[f"{name}{rng.choice(['_', '.0', ' '])}"] = arrays.pop(name)
    elif step == 5:
        arrays[name] = array[: rng.randrange(len(array) + 1)].copy() if array.ndim else array
    else:
        arrays[name] = np.concatenate([array, array]) if array.ndim else array.reshape(1)

"""Whether all processes were given the same, and errors that say where they were not."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from wideangle.exceptions import ProcessesError
from wideangle.process_group.group import Group


def require_same(group: Group, what: str, values: Mapping[str, str]) -> None:
    """Raise an error in all processes where values differ between them; it names what differs, and where."""
    if group.alone:
        return
    everyone = [json.loads(text) for text in group.texts(json.dumps(dict(values)))]
    names = {name: None for own in everyone for name in own}
    different = [name for name in names if len({own.get(name) for own in everyone}) > 1]
    if different:
        said = "; ".join(f"{name} is {_listed([own.get(name) for own in everyone])}" for name in different)
        raise ProcessesError(
            f"the {group.size} processes were not given the same {what}: {said}. Give each of them the same options "
            "and the same data; they divide the rows of each mini-batch themselves."
        )


@contextmanager
def all_or_none(group: Group, what: str) -> Iterator[None]:
    """Where one process fails inside the block, all raise an error. Otherwise the others would wait for it."""
    failed: Exception | None = None
    try:
        yield
    except Exception as error:
        failed = error
    messages = group.texts("" if failed is None else f"{failed}" or type(failed).__name__)
    if failed is not None:
        raise failed
    for rank, message in enumerate(messages):
        if message:
            raise ProcessesError(f"process {rank} of {group.size} failed to {what}: {message}")


def _listed(values: list[str | None]) -> str:
    """Each value with the ranks that have it."""
    ranks: dict[str | None, list[str]] = {}
    for rank, value in enumerate(values):
        ranks.setdefault(value, []).append(str(rank))
    return ", ".join(
        f"{'missing' if value is None else value} in process{'es' if len(where) > 1 else ''} {' and '.join(where)}"
        for value, where in ranks.items()
    )

"""How much the server of the page gives to its clients: connections, seconds and bytes."""

import os
from contextlib import suppress
from dataclasses import dataclass

__all__ = ["FEWEST_CONNECTIONS", "Limits", "possible_connections"]

FEWEST_CONNECTIONS = 2
FILES_LEFT = 48  # So many files and sockets the program may still open besides its connections.
USUALLY_OPEN = 64  # files, where the system does not say which are open


@dataclass(frozen=True)
class Limits:
    """What clients may take. All of them are on this computer, so that no client is told from another by its address.

    Where there are as many connections as there may be, one that makes the server wait is closed for a new one. It is
    the one that has not completed a request for the longest time; or else the one that has taken nothing of its answer,
    or asked for nothing after it, for the longest time. Clients that are slow hence cannot keep out others.
    """

    connections: int = 2000
    """that are open at a time; fewer where the system allows the program fewer open files"""
    queue: int = 200
    """searches that wait for their turn; one is answered at a time, in the order in which they came"""
    turn: float = 20.0
    """seconds that a search may wait for its turn"""
    answering: float = 60.0
    """seconds after which the client of a search that has its turn is told so; others have their turn when the search,
    which cannot be interrupted, has ended"""
    receiving: float = 10.0
    """seconds from the first byte of a request, or from the connection, until its headers are complete"""
    idle: float = 30.0
    """seconds that a connection is kept after an answer"""
    sending: float = 30.0
    """seconds in which a client must have taken an answer, and"""
    slowest: int = 20_000
    """bytes for each of which-many there is one second more"""
    request_line: int = 2**14
    """bytes of the first line, which has the query"""
    head: int = 2**15
    """bytes of that line and all headers"""
    unread: int = 2**26
    """bytes of answers to searches that clients have not taken yet"""
    ending: float = 2.0
    """seconds for answers that are being made or sent when the server is told to stop"""


def possible_connections(wanted: int) -> int:
    """So many of the wanted connections as the program may open files for.

    Where these are too few, the program first allows itself more, as far as the system lets it.
    """
    try:
        import resource
    except ImportError:  # Windows has no such limit.
        return wanted
    needed = wanted + _open_files() + FILES_LEFT
    most, highest = resource.getrlimit(resource.RLIMIT_NOFILE)
    if most != resource.RLIM_INFINITY and most < needed:
        raised = needed if highest == resource.RLIM_INFINITY else min(needed, highest)
        with suppress(OSError, ValueError):  # Some systems have a further limit, of which they do not tell.
            resource.setrlimit(resource.RLIMIT_NOFILE, (max(most, raised), highest))
        most = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    if most == resource.RLIM_INFINITY:
        return wanted
    return max(FEWEST_CONNECTIONS, min(wanted, most - _open_files() - FILES_LEFT))


def _open_files() -> int:
    try:
        return len(os.listdir("/dev/fd"))
    except OSError:
        return USUALLY_OPEN

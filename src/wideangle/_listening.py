"""A port of this computer on which a server listens. It can be taken before the work that the server needs begins."""

import socket

__all__ = ["LOOPBACK", "listening"]

LOOPBACK = "127.0.0.1"
WAITING = 1024  # So many connections may wait until they are accepted. The system refuses or delays further ones.


def listening(port: int = 0) -> socket.socket:
    """A socket that listens on the loopback address; port 0 takes any that is free.

    Who connects before the server runs waits. Where the port cannot be used, the system's own OSError is raised.
    """
    return socket.create_server((LOOPBACK, port), backlog=WAITING)

"""The request line and headers of a request, received in pieces, within limits of length."""

import re
from collections.abc import Awaitable, Callable
from http import HTTPStatus

from wideangle.report.limits import Limits

__all__ = ["LimitError", "receive_head"]

END_OF_HEAD = re.compile(rb"\n\r?\n")


class LimitError(Exception):
    """A limit is reached, with the status and the sentence to say."""

    def __init__(self, status: HTTPStatus, message: str) -> None:
        super().__init__(message)
        self.status = status


async def receive_head(receive: Callable[[], Awaitable[bytes]], received: bytearray, limits: Limits) -> bytes | None:
    """The next request line with its headers; None where the client has ended the connection before it.

    `received` is what came already. What comes after the headers is left there, for the next request.
    """
    seen = 0
    while True:
        end_of_line = received.find(b"\n", 0, limits.request_line + 1)
        if end_of_line < 0 and len(received) > limits.request_line:
            said = f"the address is longer than {limits.request_line} bytes."
            raise LimitError(HTTPStatus.REQUEST_URI_TOO_LONG, said)
        found = END_OF_HEAD.search(received, max(seen - 2, 0))
        if (found.end() if found else len(received)) > limits.head:
            said = f"the headers are longer than {limits.head} bytes."
            raise LimitError(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, said)
        if found:
            head = bytes(received[: found.end()])
            del received[: found.end()]
            return head
        seen = len(received)
        more = await receive()
        if not more and received:
            raise LimitError(HTTPStatus.BAD_REQUEST, "the request ended before its headers did.")
        if not more:
            return None
        received += more

"""README.md as a package index shows it, where the other files of the repository are not."""

import re

# Where the files of the repository can be read, with a slash at the end; None as long as it has no public address.
FILES: str | None = None
# The same for pictures, which most hosts have under another address.
PICTURES: str | None = None

_COMMENT = re.compile(r"^<!--.*?-->\n", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\((?!https?:|mailto:|#)([^)\s]+)\)")


def for_index(readme: str, files: str | None = FILES, pictures: str | None = PICTURES) -> str:
    """Links to files of the repository lead to their address, or are plain words where there is none.

    >>> for_index("See [the page](docs/cli.md). ![A map](map.png)")
    'See the page. '
    >>> for_index("See [the page](docs/cli.md).", files="https://example.org/v1/")
    'See [the page](https://example.org/v1/docs/cli.md).'
    """

    def led(match: re.Match[str]) -> str:
        is_picture, words, target = match[1], match[2], match[3]
        address = pictures if is_picture else files
        if address is None:
            return "" if is_picture else words
        return f"{is_picture}[{words}]({address}{target})"

    text = _COMMENT.sub("", readme)
    for _ in range(2):  # A picture may stand inside a link.
        text = _LINK.sub(led, text)
    return re.sub(r"\n{3,}", "\n\n", text)

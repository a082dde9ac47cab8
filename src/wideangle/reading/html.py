"""The text of HTML: tags go, entities become letters, scripts and styles are dropped."""

from html.parser import HTMLParser

from wideangle._arguments import checked, flag, text

__all__ = ["text_of_html"]

DROPPED = frozenset({"script", "style", "template", "noscript"})
# Tags within a line; all others part words, as a paragraph or a cell does.
INLINE = frozenset({"a", "abbr", "b", "bdi", "bdo", "cite", "code", "em", "font", "i", "mark", "q", "s", "small"})
INLINE |= {"span", "strong", "sub", "sup", "u", "wbr", "del", "ins", "kbd", "var", "tt"}
BREAK = "\x00"  # where a tag parts words; no text has this sign


@checked(source=text, keep_lines=flag)
def text_of_html(source: str, *, keep_lines: bool = False) -> str:
    """What a reader of the page would see, on one line, or with a line for each paragraph or cell.

    Examples
    --------
    >>> from wideangle.reading.html import text_of_html
    >>> text_of_html("<p>Fish &amp; <b>ch</b>ips</p><script>track()</script><p>tea</p>")
    'Fish & chips tea'
    """
    if "<" not in source and "&" not in source:
        return source
    parser = _Text()
    parser.feed(source)
    parser.close()
    if keep_lines:
        parts = ("".join(parser.parts)).split(BREAK)
        return "\n".join(line for part in parts if (line := " ".join(part.split())))
    return " ".join("".join(parser.parts).replace(BREAK, " ").split())


class _Text(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._dropping = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._dropping += tag in DROPPED
        self._part(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in DROPPED and self._dropping:
            self._dropping -= 1
        self._part(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._part(tag)

    def handle_data(self, data: str) -> None:
        if not self._dropping:
            self.parts.append(data.replace(BREAK, " "))

    def _part(self, tag: str) -> None:
        if tag not in INLINE:
            self.parts.append(BREAK)

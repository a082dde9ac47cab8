"""How many words of new documents a model does not know."""

from collections import Counter
from collections.abc import Iterator, Sequence

from wideangle.documents import Reading
from wideangle.reading.words import counter_of, stop_words_of_reading

__all__ = ["WordTally"]

AT_FIRST = 2000  # So many documents are looked at, then every second of as many more, then every third, and so on.


class WordTally:
    """Counts words that a model knows and words that it does not know, while texts pass by.

    Stop words do not count, because the model left them out on purpose.

    Examples
    --------
    >>> from wideangle.documents import Reading
    >>> from wideangle.reading.unknown import WordTally
    >>> tally = WordTally(Reading("counts", r"[a-z]{3,}"), ["corn", "wheat"])
    >>> texts = list(tally.watched(["The corn and the barley", "barley, wheat, corn, rye"]))
    >>> tally.share, tally.most_frequent(1)
    (0.5, [('barley', 2)])
    """

    def __init__(self, reading: Reading, vocabulary: Sequence[str]) -> None:
        self._counter = counter_of(reading, vocabulary)
        self._known = frozenset(vocabulary)
        self._left_out = stop_words_of_reading(reading)
        self.known = self.unknown = self.documents = 0
        self._documents_with: Counter[str] = Counter()

    def watched(self, texts: Iterator[str] | Sequence[str]) -> Iterator[str]:
        """The same texts; some of them are looked at on their way."""
        for number, text in enumerate(texts):
            if number % (1 + number // AT_FIRST) == 0:
                self._look(text)
            yield text

    def _look(self, text: str) -> None:
        words = [word for word in self._counter.words(text) if word not in self._left_out]
        others = [word for word in words if word not in self._known]
        self.documents += 1
        self.known += len(words) - len(others)
        self.unknown += len(others)
        self._documents_with.update(set(others))

    @property
    def share(self) -> float:
        """The share of words that the model does not know."""
        return self.unknown / max(self.known + self.unknown, 1)

    def most_frequent(self, count: int) -> list[tuple[str, int]]:
        """The words that the model does not know and that most documents have, and how many of them."""
        return sorted(self._documents_with.items(), key=lambda pair: (-pair[1], pair[0]))[:count]

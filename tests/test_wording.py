"""A sentence may be bettered by changing one test: no message of ours is asked for, word by word, in two test files.

One file guards a sentence. Others ask for what a user needs of it, such as the name of a parameter or the value that
came, or for the type of the error alone.
"""

import ast
import re
from bisect import bisect
from collections import defaultdict
from itertools import accumulate
from pathlib import Path

TESTS = Path(__file__).parent
LONG = 30  # So many characters in a row, with a space among them, are a sentence. Shorter ones are names and terms.
# What a regular expression leaves open parts a sentence.
OPEN = re.compile(r"\.\*|\\[dw][+*]|\[[^]]*\]|\([^)]*\||\n")


def texts_of(path):
    """The texts of a file of code that are long enough, but for docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    told = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in told:
            for part in OPEN.split(node.value):
                text = re.sub(r"\\(.)", r"\1", part).strip("^$ ")
                if len(text) >= LONG and " " in text:
                    yield text


def within(whole, parts):
    """Pairs of the numbers of a part and of a whole text that has it."""
    joined, ends = "\0".join(whole), list(accumulate(len(text) + 1 for text in whole))
    for number, part in enumerate(parts):
        place = joined.find(part)
        while place >= 0:
            yield number, bisect(ends, place)
            place = joined.find(part, place + 1)


def test_no_sentence_is_asked_for_in_two_files():
    ours = [text for path in sorted((TESTS.parent / "src").rglob("*.py")) for text in texts_of(path)]
    asked = [(path, text) for path in sorted(TESTS.rglob("test_*.py")) for text in texts_of(path)]
    texts = [text for _, text in asked]
    files = defaultdict(set)
    for pin, sentence in within(ours, texts):
        files[ours[sentence]].add(asked[pin][0].name)
    for sentence, pin in within(texts, ours):
        files[ours[sentence]].add(asked[pin][0].name)
    assert len(files) > 30  # else nothing was looked at
    assert {sentence: sorted(names) for sentence, names in files.items() if len(names) > 1} == {}

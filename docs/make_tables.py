"""Copies tables of the report into the pages that show them: `make report`, after the report itself.

A page says which table it shows in a comment above it, "figures, cell by cell: docs/reproduction/NAME.md". What stands
below the comment is replaced by that table, where both have the same head; a table that was cut by hand is left alone.
"""

import re
from pathlib import Path

DOCS = Path(__file__).parent
SHOWN = re.compile(r"<!-- figures, cell by cell: docs/reproduction/(\w+)\.md -->\n((?:\|.*\n)+)")


def grid(name: str) -> str:
    """The lines of a table of the report."""
    lines = (DOCS / "reproduction" / f"{name}.md").read_text(encoding="utf-8").splitlines(keepends=True)
    return "".join(line for line in lines if line.startswith("|"))


def refreshed(text: str) -> str:
    """A page with the tables as the report has them now."""

    def replaced(found: re.Match[str]) -> str:
        old, new = found[2], grid(found[1])
        return found[0].replace(old, new) if old.partition("\n")[0] == new.partition("\n")[0] else found[0]

    return SHOWN.sub(replaced, text)


def main() -> None:
    for path in sorted(DOCS.glob("*.md")):
        text = path.read_text(encoding="utf-8")
        new = refreshed(text)
        if new != text:
            path.write_text(new, encoding="utf-8")
            print(f"{path.name} has new tables.")


if __name__ == "__main__":
    main()

"""The licences of the packages that wideangle needs to run: compares docs/licences.md with them, or writes it by
`--write`.

What is read is what each package says of itself, in an environment that has all extras: `make licences`.
"""

import argparse
import re
from importlib.metadata import Distribution, distribution
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PAGE = Path(__file__).parent.parent / "docs" / "licences.md"
# Words of other packages for one licence. What is not here stands as the package has it.
SAME = {
    "apache 2.0": "Apache-2.0",
    "apache software license": "Apache-2.0",
    "bsd": "BSD",
    "bsd license": "BSD",
    "bsd 3-clause license": "BSD-3-Clause",
    "mit license": "MIT",
    "mozilla public license 2.0 (mpl 2.0)": "MPL-2.0",
    "python software foundation license": "PSF-2.0",
}
# kaldiio names no licence in its metadata. The file LICENSE that it brings is an agreement of NTT for evaluation, not
# open source.
EVALUATION = "evaluation only, proprietary (NTT)"
# wordllama's metadata has the whole text of the MIT licence in place of its name.
SAID_ELSEWHERE = {"kaldiio": EVALUATION, "wordllama": "MIT"}
PERMISSIVE = {
    *("0BSD", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "BSD", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0"),
    *("CC0-1.0", "MIT", "MIT-CMU", "PSF-2.0", "Zlib"),
}
# These ask that changes to their own files stay open, which code that only imports them does not touch.
WEAK_COPYLEFT = {"MPL-2.0"}
# gensim is under the LGPL: nothing installs it unless the extras `coherence` or `baselines` are asked for.
ONLY_EXTRAS = {"LGPL-2.1-only"}


def main(arguments: list[str] | None = None) -> None:
    """Compare or write; a licence that is not allowed is an error in both."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write docs/licences.md")
    write = parser.parse_args(arguments).write
    needed = packages("wideangle")
    optional = packages("wideangle", "all") - needed
    apart = packages("wideangle", "kaldi") - needed - optional
    wrong = refused(needed, PERMISSIVE | WEAK_COPYLEFT) + refused(optional, PERMISSIVE | WEAK_COPYLEFT | ONLY_EXTRAS)
    wrong += refused(apart, PERMISSIVE | {EVALUATION})
    if wrong:
        raise SystemExit("\n".join([*wrong, "Do without the package, or allow the licence in supply/licences.py."]))
    page = written(needed, optional, apart)
    if write:
        PAGE.write_text(page, encoding="utf-8")
    # Other Pythons need a few other packages, so that what is found must be on the page, and not the page be the same.
    there = set(PAGE.read_text(encoding="utf-8").splitlines())
    missing = [line for line in page.splitlines() if line not in there]
    if missing:
        raise SystemExit("docs/licences.md lacks these; `make licences LICENCES_ARGS=--write`:\n" + "\n".join(missing))
    print(
        f"Licences of {len(needed)} packages that are needed and {len(optional)} of extras are allowed; "
        f"{len(apart)} apart."
    )


def packages(name: str, extra: str = "") -> set[str]:
    """The packages that one needs, and those that these need; not itself, and not the CUDA libraries of torch."""
    found: set[str] = set()
    waiting = [(name, extra)]
    seen = set(waiting)
    while waiting:
        current, wanted = waiting.pop()
        for text in distribution(current).requires or ():
            requirement = Requirement(text)
            required = canonicalize_name(requirement.name)
            if required.startswith(("cuda-", "nvidia-", "triton")):
                continue
            if requirement.marker and not requirement.marker.evaluate({"extra": wanted}):
                continue
            found.add(required)
            steps = {(required, part) for part in ("", *requirement.extras)} - seen
            seen |= steps
            waiting += steps
    return found - {canonicalize_name(name)}


def licence(package: Distribution) -> str:
    """What a package says of its licence, in the words of SPDX where that is sure; "unknown" where it says nothing."""
    fields: Any = package.metadata  # a mapping of e-mail headers, which is annotated without its `get`
    classifiers = [line for line in fields.get_all("Classifier", []) if line.startswith("License ::")]
    named = [line.rsplit(" :: ", 1)[-1] for line in classifiers]
    short = (fields.get("License") or "").strip()
    said = fields.get("License-Expression") or (short if "\n" not in short and len(short) < 40 else "")
    said = said or " OR ".join(one for one in named if one != "OSI Approved")
    said = said or SAID_ELSEWHERE.get(canonicalize_name(fields["Name"]), "unknown")
    return SAME.get(said.lower(), said)


def refused(names: set[str], allowed: set[str]) -> list[str]:
    """One sentence per package with a licence that is not allowed. Of licences joined by OR, one is enough."""
    said = {name: licence(distribution(name)) for name in sorted(names)}
    return [
        f"{name} is under {text}, which is not allowed." for name, text in said.items() if not allows(text, allowed)
    ]


def allows(text: str, allowed: set[str]) -> bool:
    """Whether an expression of licences is covered. A whole text that is allowed need not be an expression.

    >>> allows("MIT OR GPL-3.0-only", {"MIT"}), allows("MIT AND GPL-3.0-only", {"MIT"})
    (True, False)
    >>> allows("(MIT AND Zlib) OR GPL-3.0-only", {"MIT", "Zlib"}), allows("for tests (of us)", {"for tests (of us)"})
    (True, True)
    """
    if text in allowed:
        return True
    choices = [re.split(r"\s+AND\s+", choice.strip("() ")) for choice in re.split(r"\s+OR\s+", text)]
    return any(all(SAME.get(one.lower(), one) in allowed for one in choice) for choice in choices)


def written(needed: set[str], optional: set[str], apart: set[str]) -> str:
    """The page, without versions, so that it changes only when a licence does."""
    lines = [
        "# Licences of what wideangle needs",
        "",
        "wideangle itself is under BSD-3-Clause. What follows is what the packages say of themselves, written by",
        "`make licences LICENCES_ARGS=--write`; `make licences` fails where this page is out of date or a licence is",
        "not in the list of `supply/licences.py`. The CUDA libraries that some builds of torch bring are NVIDIA's and",
        "not listed.",
    ]
    said = "The extra `all` leaves this one out: read its licence before you install it."
    for title, names, note in (
        ("Needed", needed, ""),
        ("Of extras only", optional, ""),
        ("Of the extra `kaldi` alone", apart, said),
    ):
        lines += ["", f"## {title}", *(["", note] if note else []), "", "| package | licence |", "|---|---|"]
        lines += [f"| {name} | `{licence(distribution(name))}` |" for name in sorted(names)]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()

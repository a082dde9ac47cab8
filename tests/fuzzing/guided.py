"""Fuzzes one target guided by coverage, with atheris (`pip install atheris`), which is no dependency of wideangle.

    python tests/fuzzing/guided.py CSV -runs=20000 -timeout=30 -rss_limit_mb=4096

What follows the name of the target are options of libFuzzer. Content that reaches new lines of wideangle is changed
further, by the same mutations as in a campaign. The first case that breaks the law ends the run with its traceback, and
libFuzzer writes its content to a file.
"""

import sys
import tempfile
from pathlib import Path
from random import Random

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))
    import atheris

    with atheris.instrument_imports(include=["wideangle"]):
        from fuzzing.target import outcome_of
        from fuzzing.targets import all_targets


def main(arguments):
    """Run libFuzzer on a target."""
    subject = all_targets()[arguments[1]].make(Path(tempfile.mkdtemp(prefix="fuzzing-")))
    corpus = Path(tempfile.mkdtemp(prefix="fuzzing-corpus-"))
    for number, content in enumerate(subject.seeds):
        (corpus / str(number)).write_bytes(content)

    def one_case(content):
        if not content:  # libFuzzer begins with nothing, and what is kept in folders is more than that.
            return
        outcome = outcome_of(subject, content, 20)
        if outcome.kind == "found":
            raise AssertionError(f"{outcome.where}: {outcome.said}")

    def mutated(content, most, seed):
        rng = Random(seed)
        changed = subject.mutate(rng, bytes(content) or rng.choice(subject.seeds))
        # Mutations of libFuzzer's own would break the archives in which folders are kept here.
        return changed if len(changed) <= most else bytes(content)

    longest = 4 * max(map(len, subject.seeds))
    atheris.Setup([arguments[0], f"-max_len={longest}", *arguments[2:], str(corpus)], one_case, custom_mutator=mutated)
    atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv)

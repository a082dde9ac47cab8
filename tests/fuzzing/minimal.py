"""A smaller content that fails as a case does."""

from fuzzing.target import applied, case_of, outcome_of, steps_of

MOST_TRIES = 300


def minimal(subject, name, seed, number, seconds):
    """Leave out steps of a case, then pieces of its bytes, as long as the same goes wrong at the same place."""
    content = case_of(subject, name, seed, number)
    wanted = outcome_of(subject, content, seconds).where

    def fails(tried):
        outcome = outcome_of(subject, tried, seconds)
        return outcome.kind == "found" and outcome.where == wanted

    steps = list(range(steps_of(name, seed, number)))
    for step in list(steps):
        fewer = [each for each in steps if each != step]
        tried = applied(subject, name, seed, number, fewer)
        if fewer and fails(tried):
            steps, content = fewer, tried
    return without_pieces(content, fails)


def without_pieces(content, fails, most=MOST_TRIES):
    """The content without all pieces, large ones first, that are not needed for it to fail."""
    tries, size = 0, len(content) // 2
    while size >= 1 and tries < most:
        begin = 0
        while begin < len(content) and tries < most:
            tried = content[:begin] + content[begin + size :]
            tries += 1
            if tried and fails(tried):
                content = tried
            else:
                begin += size
        size //= 2
    return content

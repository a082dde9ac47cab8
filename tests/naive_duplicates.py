"""Duplicates by MinHash with banding, in plain Python and with all hashes kept: what blocks and sketches must give."""

import math

BANDS, PER_BAND, NEIGHBOURS = 12, 4, 16
MASK = 2**64 - 1


def mixed(number):
    number = (number + 0x9E3779B97F4A7C15) & MASK
    number = ((number ^ (number >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    number = ((number ^ (number >> 27)) * 0x94D049BB133111EB) & MASK
    return number ^ (number >> 31)


def hashes_of(row):
    """The smallest hash of a word that the row has, for each of the 48 hash functions."""
    words = [word for word, count in enumerate(row) if count]
    return [min(mixed(word + ((number + 1) << 40)) >> 32 for word in words) for number in range(BANDS * PER_BAND)]


def duplicates_by_bands(counts, threshold):
    """For each row the first one that it repeats. Rows of equal sums must not be compared in a band of many rows."""
    rows = [tuple(map(float, row)) for row in counts]
    different = [row for row in dict.fromkeys(rows) if any(row)]
    n = len(different)
    having = [sum(1 for row in different if row[word]) for word in range(len(rows[0]))]
    weight = [math.log(1 + n / max(count, 1)) for count in having]
    sums = [sum(w * x for w, x in zip(weight, row, strict=True)) for row in different]
    hashes = [hashes_of(row) for row in different]
    group = list(range(n))
    for band in range(BANDS):
        buckets: dict[tuple[int, ...], list[int]] = {}
        pairs = []
        for row in sorted(range(n), key=lambda row: sums[row]):
            buckets.setdefault(tuple(hashes[row][band * PER_BAND : (band + 1) * PER_BAND]), []).append(row)
        for bucket in buckets.values():
            for place, a in enumerate(bucket):
                for b in bucket[place + 1 : place + 1 + NEIGHBOURS]:
                    equal = sum(x == y for x, y in zip(hashes[a], hashes[b], strict=True))
                    smaller = sum(w * min(x, y) for w, x, y in zip(weight, different[a], different[b], strict=True))
                    same = smaller / (sums[a] + sums[b] - smaller) >= threshold
                    if group[a] != group[b] and sums[a] >= threshold * sums[b] and 2 * equal >= len(hashes[a]) and same:
                        pairs.append((a, b))
        for a, b in pairs:
            old, new = group[b], group[a]
            group = [new if number == old else number for number in group]
    of_row = dict(zip(different, group, strict=True))
    seen: dict[int, int] = {}
    return [seen.setdefault(of_row[row], number) if any(row) else number for number, row in enumerate(rows)]

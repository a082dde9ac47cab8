"""Mutations of texts that people write: tables, lines of JSON, TOML and requests over HTTP."""

import json
import re

from fuzzing.of_bytes import a_text, mutate_bytes
from fuzzing.of_values import mutate_values

LITERALS = [
    *(b'"text"', b"''", b'""', b"0", b"-1", b"1", b"7", b"1.5", b"nan", b"inf", b"true", b"false", b"1979-05-27"),
    *(b"07:32:00", b"[]", b"[1]", b'["a"]', b"[[]]", b"[1, 'a']", b"{}", b"{a = 1}", b"{a = [1, 2]}", b"[nan]"),
    *(b"9223372036854775808", b"1e400", b'"\\u0000"', b'"' + b"a" * 3000 + b'"', b"[" * 500 + b"]" * 500, b'["None"]'),
    *(b"1000000000", b"{diversity = [0.1, 'a']}", b"[{a = 1}, 2]", b"-0", b'"*"', b"[-1]", b"[true]", b"[1000000000]"),
]
METHODS = [b"GET", b"HEAD", b"POST", b"get", b"", b"OPTIONS", b"GET\x00", b"TRACE", b"\xff", b"A" * 300, b"__class__"]
TARGETS = [b"/", b"/search", b"/text", b"*", b"//", b"/../x", b"http://127.0.0.1/", b"/%00", b"", b"?q=a", b"/search?"]
TARGETS += [b"//[", b"http://[", b"/search;a?q=ship", b"/text?document=0&document=1", b"/#a", b"/" + b"a" * 70000]
HEADERS = [b"Host: a", b"Host:", b"Host", b": a", b"Content-Length: 5", b"Content-Length: -1", b"Expect: 100-continue"]
HEADERS += [b"Transfer-Encoding: chunked", b"Connection: keep-alive", b"Connection: close", b"Range: bytes=0-1", b" x"]
HEADERS += [b"Sec-Fetch-Site: cross-site", b"X: " + b"a" * 70000, b"X: \xff\xfe", b"Upgrade: h2c", b"Cookie: a=b"]
VERSIONS = [b"HTTP/1.0", b"HTTP/0.9", b"HTTP/2.0", b"HTTP/9.9.9", b"HTTP/1.", b"HTTP/1.1 ", b"http/1.1", b""]
QUERIES = [b"q", b"model", b"count", b"granularity", b"document", b"", b"q[]", b"a"]


def mutate_table(rng, content):
    """CSV with a change in a field, in a line, or in its bytes."""
    lines = content.split(b"\n")
    step = rng.random()
    if step < 0.5:
        return mutate_bytes(rng, content)
    place = rng.randrange(len(lines))
    if step < 0.75:
        fields = lines[place].split(b",")
        fields[rng.randrange(len(fields))] = a_text(rng)
        lines[place] = b",".join(fields)
    elif step < 0.85:
        lines[place] = rng.choice(lines) + rng.choice([b"", b",", b"," + a_text(rng)])
    elif step < 0.92:
        lines.insert(place, rng.choice([b"", a_text(rng), lines[place], lines[0]]))
    else:
        del lines[place]
    return b"\n".join(lines)


def mutate_json_lines(rng, content):
    """Lines of JSON with a change in the values of a line, in the order of lines, or in the bytes."""
    if rng.random() < 0.4:
        return mutate_bytes(rng, content)
    lines = content.split(b"\n")
    place = rng.randrange(len(lines))
    step = rng.random()
    if step < 0.75:
        try:
            value = mutate_values(rng, json.loads(lines[place]))
            lines[place] = json.dumps(value, ensure_ascii=rng.random() < 0.5).encode(errors="surrogatepass")
        except (ValueError, RecursionError):
            lines[place] = mutate_bytes(rng, lines[place])
    elif step < 0.85:
        lines[place] = rng.choice([b"", b"[]", b"3", b"null", b'"a"', b"{}", a_text(rng), lines[place] * 2])
    elif step < 0.93:
        lines.insert(place, rng.choice(lines))
    else:
        del lines[place]
    return b"\n".join(lines)


def mutate_toml(rng, content):
    """TOML with another literal, key or table, or with changed bytes."""
    step = rng.random()
    if step < 0.3:
        return mutate_bytes(rng, content)
    lines = content.split(b"\n")
    assigned = [number for number, line in enumerate(lines) if b" = " in line]
    if step < 0.75 and assigned:
        number = rng.choice(assigned)
        key, _, value = lines[number].partition(b" = ")
        inside = list(re.finditer(rb'"[^"]*"|-?[0-9.]+', value))
        if inside and rng.random() < 0.5:
            chosen = rng.choice(inside)
            value = value[: chosen.start()] + rng.choice(LITERALS) + value[chosen.end() :]
        else:
            other = lines[rng.choice(assigned)].partition(b" = ")[2]
            value = rng.choice([*LITERALS, other, other, other])
        lines[number] = key + b" = " + value
    elif step < 0.87 and assigned:
        number = rng.choice(assigned)
        _, _, value = lines[number].partition(b" = ")
        keys = [line.partition(b" = ")[0] for line in lines if b" = " in line]
        key = rng.choice([*keys, b"like", b"published", b"weights", b"remarks", b"compared", b"shortlist", b"a", b'""'])
        lines.insert(number, key + b" = " + rng.choice([value, *LITERALS]))
    elif step < 0.94:
        del lines[rng.randrange(len(lines))]
    else:
        lines.insert(rng.randrange(len(lines)), rng.choice([b"[a]", b"[[a]]", b'["ours"]', b"[weights]", *lines]))
    return b"\n".join(lines)


def mutate_request(rng, content):
    """A request with another method, address, version, header or query, or with changed bytes."""
    step = rng.random()
    if step < 0.25:
        return mutate_bytes(rng, content)
    lines = content.split(b"\r\n")
    first = lines[0].split(b" ")
    if step < 0.35:
        first[0] = rng.choice(METHODS)
    elif step < 0.45:
        first[min(1, len(first) - 1)] = rng.choice(TARGETS)
    elif step < 0.75:
        query = b"&".join(
            rng.choice(QUERIES) + rng.choice([b"=", b"=", b""]) + rng.choice([a_text(rng)[:2000], b"one", b"0", b"0.5"])
            for _ in range(rng.choice([1, 1, 2, 3, 12]))
        )
        safe = query if rng.random() < 0.2 else re.sub(rb"[\x00-\x20\x7f-\xff#]", lambda m: b"%%%02X" % m[0][0], query)
        first[min(1, len(first) - 1)] = rng.choice([b"/search?", b"/search?", b"/text?", b"/?"]) + safe
    elif step < 0.8:
        first[-1] = rng.choice([*VERSIONS, a_text(rng)[:100]])
    elif step < 0.9:
        lines.insert(rng.randrange(1, len(lines) + 1), rng.choice(HEADERS))
    elif len(lines) > 1:
        del lines[rng.randrange(1, len(lines))]
    lines[0] = b" ".join(first)
    return b"\r\n".join(lines)

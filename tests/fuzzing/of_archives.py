"""Mutations of zip archives, as .npz and .xlsx files are: members are changed, and packed with right checksums."""

import ast
import io
import re
import warnings
import zipfile

from fuzzing.of_bytes import TEXTS, a_text, mutate_bytes

DESCRIPTIONS = [
    "<f8",
    "<f4",
    ">f8",
    "<i8",
    "<i4",
    "<u8",
    "<u2",
    "|b1",
    "|u1",
    "<U5",
    "<U999999999",
    "|S3",
    "|O",
    "<c16",
]
DESCRIPTIONS += ["<M8[s]", "<m8", "|V8", "<f2", "<f16", "", "x", [("a", "<f8"), ("b", "<i4")]]
SIZES = [0, 1, 2, 3, 7, 60, -1, 10**6, 10**9, 2**31, 2**40, 2**62, 2**63, 10**30]
ENTITIES = b'<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa">' + b"".join(
    b'<!ENTITY %c "%s">' % (98 + i, b"&%c;" % (97 + i) * 10) for i in range(8)
)
ENTITIES += b"]>"


def packed(members, compression=zipfile.ZIP_STORED):
    """An archive of (name, content) pairs. A name may occur more than once."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", compression) as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about names that occur twice
        for name, content in members:
            archive.writestr(zipfile.ZipInfo(name), content, compression)
    return stream.getvalue()


def unpacked(content):
    """The (name, content) pairs of an archive."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return [(info.filename, archive.read(info)) for info in archive.infolist()]


def mutate_archive(rng, content, inside):
    """An archive with one change in a member, in the list of members, or in the bytes of the archive."""
    if rng.random() < 0.2:
        return mutate_bytes(rng, content)
    try:
        members = unpacked(content)
    except Exception:  # An earlier change made it unreadable.
        return mutate_bytes(rng, content)
    if not members:
        return mutate_bytes(rng, content)
    place = rng.randrange(len(members))
    name, held = members[place]
    step = rng.random()
    if step < 0.8:
        members[place] = (name, inside(rng, name, held))
    elif step < 0.86:
        del members[place]
    elif step < 0.92:
        members[place] = (rng.choice(members)[0], held)
    elif step < 0.96:
        members.append((name, inside(rng, name, held)))
    else:
        members[place] = (name, rng.choice(members)[1])
    return packed(members, rng.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED]))


def mutate_array(rng, name, content):
    """A member of an .npz file with a change in what it says of its array, or in its numbers."""
    match = re.match(rb"\x93NUMPY\x01\x00..(\{'descr.*?\})\s*\n", content, re.DOTALL)
    if match is None or rng.random() < 0.45:
        begin = 0 if match is None or rng.random() < 0.3 else match.end()
        return content[:begin] + mutate_bytes(rng, content[begin:])
    try:
        header = dict(ast.literal_eval(match[1].decode("latin1")))
    except (ValueError, SyntaxError):  # An earlier change made it unreadable.
        return mutate_bytes(rng, content)
    step = rng.random()
    if step < 0.35:
        header["descr"] = rng.choice(DESCRIPTIONS)
    elif step < 0.75:
        shape = list(header.get("shape", ())) or [1]
        shape[rng.randrange(len(shape))] = rng.choice(SIZES)
        header["shape"] = tuple(rng.choice([shape, shape[::-1], [*shape, 1], shape[1:], [1, *shape]]))
    elif step < 0.85:
        header["fortran_order"] = rng.choice([not header.get("fortran_order"), 3, None])
    else:
        return content[:10] + mutate_bytes(rng, content[10 : match.end()]) + content[match.end() :]
    text = repr(header).encode("latin1") + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + content[match.end() :]


def mutate_xml(rng, name, content):
    """A member of a workbook with another number, text or attribute, or with changed bytes."""
    step = rng.random()
    if step < 0.4:
        return mutate_bytes(rng, content)
    if step < 0.45:
        return content.replace(b"?>", b"?>" + ENTITIES, 1) if b"?>" in content else ENTITIES + content
    pattern = rb'"[^"<>]*"' if step < 0.75 else rb">[^<>]+<"
    found = list(re.finditer(pattern, content))
    if not found:
        return mutate_bytes(rng, content)
    chosen = rng.choice(found)
    text = rng.choice([a_text(rng), rng.choice(found)[0][1:-1], rng.choice(TEXTS[:30])])
    if rng.random() < 0.7:  # so that it stays XML
        text = re.sub(rb'[<>&"\x00-\x08\x0b-\x1f]', b"", text.decode(errors="ignore").encode())
    return content[: chosen.start() + 1] + text + content[chosen.end() - 1 :]

"""Files of JSON lines that are packed and go on growing: each line is read once, and none is lost."""

import lzma
import subprocess
from pathlib import Path

import pytest
from _records import add_records, read_records, run_missing, write_records

from wideangle._json_lines import adding_lines, pack_lines, packed_name, read_lines, unpacked_name
from wideangle.exceptions import DataError

ROOT = Path(__file__).parents[1]
ONE, TWO, THREE = ({"number": number, "word": "Größe λ"} for number in (1, 2, 3))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "lines.jsonl"


def add(path, *lines):
    with adding_lines(path, bool, "name another file") as note:
        for line in lines:
            note(line)


def read(path):
    return read_lines(path, bool)


def test_packed_lines_are_read_by_either_name(path):
    add(path, ONE, TWO)
    packed = pack_lines(path, bool)
    assert packed == packed_name(path) == path.with_name("lines.jsonl.xz")
    assert not path.exists()
    assert read(path) == read(packed) == [ONE, TWO]


def test_lines_that_are_added_to_packed_ones_come_after_them(path):
    add(path, ONE)
    packed = pack_lines(path, bool)
    before = packed.read_bytes()
    add(packed, TWO)  # by the name that a shell completes
    assert packed.read_bytes() == before
    assert read(path) == [ONE, TWO]
    pack_lines(packed, bool)
    add(path, THREE)
    assert read(packed) == [ONE, TWO, THREE]


def test_the_same_lines_give_the_same_bytes_however_often_they_were_packed(path, tmp_path):
    other = tmp_path / "other.jsonl"
    add(path, ONE, TWO, THREE)
    add(other, ONE)
    pack_lines(other, bool)
    add(other, TWO, THREE)
    assert pack_lines(path, bool).read_bytes() == pack_lines(other, bool).read_bytes()


def test_packing_that_was_stopped_before_it_deleted_the_file_doubles_no_line(path):
    add(path, ONE)
    pack_lines(path, bool)
    add(path, TWO)
    left = path.read_bytes()
    packed = pack_lines(path, bool)
    path.write_bytes(left)
    assert read(path) == [ONE, TWO]
    content = packed.read_bytes()
    assert pack_lines(path, bool).read_bytes() == content
    assert not path.exists()


def test_a_line_that_was_cut_off_is_not_packed(path):
    add(path, ONE, TWO)
    path.write_bytes(path.read_bytes()[:-5])
    assert lzma.decompress(pack_lines(path, bool).read_bytes()).count(b"\n") == 1
    assert read(path) == [ONE]


def test_a_file_is_not_packed_while_somebody_adds_to_it(path):
    with adding_lines(path, bool, "name another file") as note:
        note(ONE)
        with pytest.raises(DataError, match="another run is adding"):
            pack_lines(path, bool)
        note(TWO)
    assert read(path) == [ONE, TWO]


def test_damage_to_a_packed_file_is_told(path):
    add(path, ONE, TWO)
    packed = pack_lines(path, bool)
    content = packed.read_bytes()
    changed = content[:40] + bytes([content[40] ^ 255]) + content[41:]
    for damaged in (content[:-1], content[:20], b"", b"no xz", changed):
        packed.write_bytes(damaged)
        for act in (lambda: read(path), lambda: add(path, THREE), lambda: pack_lines(path, bool)):
            with pytest.raises(DataError, match=r"lines\.jsonl\.xz cannot be unpacked"):
                act()
    packed.write_bytes(lzma.compress(b'{"number": 1}\n[\n'))
    with pytest.raises(DataError, match=r"lines\.jsonl\.xz, line 2, is not a record"):
        read(path)


def test_names():
    for name in ("a.jsonl", "a.jsonl.xz"):
        assert unpacked_name(Path(name)) == Path("a.jsonl")


def test_the_records_of_the_repository_are_packed():
    """Plain ones would be committed beside what is packed: `make pack`."""
    listed = subprocess.run(["git", "ls-files", "results"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode or not listed.stdout:
        pytest.skip("this is no clone of the repository")
    assert [name for name in listed.stdout.split() if name.endswith(".jsonl")] == []


def test_benchmarks_go_on_with_packed_records(path):
    """What is packed counts as done, and what is run besides is added to a plain file."""
    add_records(path, [ONE, {"number": float("nan")}])
    pack_lines(path, bool)
    assert run_missing(same, [{"number": 1}, {"number": 2}], path)
    assert [record["number"] for record in read_lines(path, bool)[2:]] == [2]
    assert read_records(path, packed_name(path))[:1] == [ONE]
    write_records(path, [THREE])
    assert read_records(path) == [THREE]
    assert not packed_name(path).exists()


def same(job):
    return job

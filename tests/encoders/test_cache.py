"""Vectors that are kept: the same ones, made once, by several processes, after a kill, and where a file is damaged."""

import os
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pytest
from own_encoder import Threes, some_texts

from wideangle.encoders import cache as module
from wideangle.encoders import cached, encoder_of

TEXTS = some_texts(60)


@pytest.fixture(autouse=True)
def small_files(monkeypatch):
    monkeypatch.setattr(module, "AT_ONCE", 20)


@pytest.fixture
def expected():
    return encoder_of(Threes()).encode(TEXTS)


def files_of(folder):
    return sorted(folder.rglob("*.vectors"))


def test_what_was_encoded_once_is_not_encoded_again(tmp_path, expected):
    first, second = Threes(), Threes()
    assert np.array_equal(cached(first, tmp_path).encode(TEXTS), expected)
    assert first.asked == TEXTS
    assert np.array_equal(cached(second, tmp_path).encode(TEXTS), expected)
    assert second.asked == []
    assert len(files_of(tmp_path)) == 3


def test_only_new_texts_are_encoded_wherever_they_stand(tmp_path, expected):
    own = Threes()
    encoder = cached(own, tmp_path)
    encoder.encode(TEXTS[10:50])
    own.asked.clear()
    order = np.random.default_rng(0).permutation(len(TEXTS))
    assert np.array_equal(encoder.encode([TEXTS[row] for row in order]), expected[order])
    assert sorted(own.asked) == sorted(TEXTS[:10] + TEXTS[50:])


def test_equal_texts_are_encoded_once_and_empty_ones_are_zeros(tmp_path, expected):
    own = Threes()
    for _ in range(2):
        rows = cached(own, tmp_path).encode([*TEXTS, "", *TEXTS[::-1], "", " "])
        assert np.array_equal(rows[:60], expected)
        assert np.array_equal(rows[61:121], expected[::-1])
        assert not rows[[60, 121, 122]].any()
    assert own.asked == TEXTS


def test_a_query_writes_no_file_asks_for_none_and_is_the_same_vector(tmp_path, expected):
    own = Threes()
    encoder = cached(own, tmp_path)
    assert np.array_equal(encoder.encode(TEXTS[:1]), expected[:1])
    assert not list(tmp_path.iterdir())
    encoder.encode(TEXTS)
    own.asked.clear()
    encoder.encode(TEXTS[:1])
    assert own.asked == TEXTS[:1]


def test_encoders_do_not_share_vectors(tmp_path, expected):
    cached(Threes(), tmp_path).encode(TEXTS)
    other = Threes()
    other.name = "threes/32, another"
    cached(other, tmp_path).encode(TEXTS)
    assert other.asked == TEXTS
    narrower = Threes()
    narrower.dimension = 16  # under the same name, so that its author has made a mistake
    with pytest.warns(UserWarning, match="damaged, or no file of vectors"):
        rows = cached(narrower, tmp_path).encode(TEXTS)
    assert rows.shape == (60, 16)


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: content[: len(content) // 2],
        lambda content: content[:10],
        lambda content: b"",
        lambda content: content + b"more",
        lambda content: b"x" + content[1:],
        lambda content: content[:8] + b"\xff" * 16 + content[24:],
        lambda content: content[:-5] + bytes([content[-5] ^ 1]) + content[-4:],
        lambda content: content[: 24 + 20 * 16 + 3] + b"?" + content[24 + 20 * 16 + 4 :],
    ],
    ids=["half", "head", "empty", "longer", "magic", "sizes", "one bit of a row", "a checksum"],
)
def test_damaged_files_are_passed_over(damage, tmp_path, expected):
    cached(Threes(), tmp_path).encode(TEXTS)
    file = files_of(tmp_path)[1]
    file.write_bytes(damage(file.read_bytes()))
    own = Threes()
    with pytest.warns(UserWarning, match=f"{file.name} is damaged"):
        rows = cached(own, tmp_path).encode(TEXTS)
    assert np.array_equal(rows, expected)
    assert len(own.asked) == 20
    with warnings.catch_warnings():  # The same texts made the same file again.
        warnings.simplefilter("error")
        assert np.array_equal(cached(Threes(), tmp_path).encode(TEXTS), expected)


def test_a_key_that_was_changed_finds_nothing_wrong(tmp_path, expected):
    cached(Threes(), tmp_path).encode(TEXTS)
    file = files_of(tmp_path)[0]
    content = bytearray(file.read_bytes())
    content[24 : 24 + 16], content[40 : 40 + 16] = content[40 : 40 + 16], content[24 : 24 + 16]
    file.write_bytes(content)
    with pytest.warns(UserWarning, match="is damaged"):
        assert np.array_equal(cached(Threes(), tmp_path).encode(TEXTS), expected)


def test_a_folder_that_cannot_be_written_is_told_once(tmp_path, expected):
    place = tmp_path / "file"
    place.write_text("no folder")
    with pytest.warns(UserWarning, match="cannot be kept") as told:
        assert np.array_equal(cached(Threes(), place).encode(TEXTS), expected)
    assert len(told) == 1


def test_files_that_go_while_an_encoder_is_used_are_made_anew(tmp_path, expected):
    own = Threes()
    encoder = cached(own, tmp_path)
    encoder.encode(TEXTS)
    for file in files_of(tmp_path):
        file.unlink()
    own.asked.clear()
    assert np.array_equal(encoder.encode(TEXTS), expected)
    assert own.asked == TEXTS


def test_files_that_others_write_and_delete_meanwhile_are_noticed(tmp_path, expected):
    own = Threes()
    encoder = cached(own, tmp_path)
    for end in (20, 40):
        cached(Threes(), tmp_path).encode(TEXTS[:end])
        assert np.array_equal(encoder.encode(TEXTS[:end]), expected[:end])
    assert own.asked == []
    files_of(tmp_path)[0].unlink()
    encoder.encode(TEXTS[:40])
    assert len(own.asked) == 20


def test_progress_reaches_all_texts(tmp_path):
    told = []
    encoder = cached(Threes(), tmp_path)
    encoder.encode(TEXTS[:20])
    encoder.encode(TEXTS, progress=lambda done, total: told.append((done, total)))
    assert told == [(40, 60), (60, 60)]


def test_the_usual_folder_is_in_our_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path))
    cached(Threes()).encode(TEXTS)
    assert len(files_of(tmp_path / "wideangle" / "encoded")) == 3


PROGRAM = """
import sys, time
from own_encoder import Threes, some_texts
from wideangle.encoders import cache, cached
cache.AT_ONCE = 20
class Slow(Threes):
    def encode(self, texts):
        time.sleep(float(sys.argv[2]))
        return super().encode(texts)
slow = Slow()
cached(slow, sys.argv[1]).encode(some_texts(int(sys.argv[3])))
print(len(slow.asked))
"""


def started(folder, wait, count):
    paths = os.pathsep.join([str(Path(__file__).parents[1]), *sys.path])
    command = [sys.executable, "-c", PROGRAM, str(folder), str(wait), str(count)]
    return subprocess.Popen(command, env=os.environ | {"PYTHONPATH": paths}, stdout=subprocess.PIPE, text=True)


def test_two_processes_write_at_once(tmp_path, expected):
    both = [started(tmp_path, 0.02, 60) for _ in range(2)]
    for process in both:
        process.communicate(timeout=60)
        assert process.returncode == 0
    own = Threes()
    assert np.array_equal(cached(own, tmp_path).encode(TEXTS), expected)
    assert own.asked == []


def test_a_killed_process_loses_the_last_file_alone(tmp_path):
    process = started(tmp_path, 0.3, 200)
    end = time.monotonic() + 60
    while len(files_of(tmp_path)) < 2 and time.monotonic() < end:
        time.sleep(0.01)
    process.kill()
    process.communicate(timeout=60)
    texts = some_texts(200)
    own = Threes()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rows = cached(own, tmp_path).encode(texts)
    assert np.array_equal(rows, encoder_of(Threes()).encode(texts))
    assert 20 <= len(own.asked) <= 160


@pytest.mark.slow
def test_memory_is_that_of_the_vectors_and_a_batch(tmp_path):
    code = """
import resource, sys
import numpy as np
from wideangle.encoders import cached, encoder_of
encoder = cached(encoder_of(lambda texts: np.ones((len(texts), 512), dtype=np.float32), name="ones"), sys.argv[1])
texts = [str(number) for number in range(100_000)]
encoder.encode(texts[:20])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for _ in range(2):
    rows = encoder.encode(texts)
    assert (rows == 1).all()
    print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024 / rows.nbytes)
    del rows
"""
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True)
    assert all(float(share) < 1.6 for share in done.stdout.split()), done.stdout


def test_whatever_is_changed_in_a_file_no_vector_is_wrong(tmp_path, expected):
    cached(Threes(), tmp_path).encode(TEXTS)
    whole = {file: file.read_bytes() for file in files_of(tmp_path)}
    rng = np.random.default_rng(0)
    for _ in range(150):
        for file, content in whole.items():
            file.write_bytes(content)
        file = files_of(tmp_path)[rng.integers(3)]
        changed = bytearray(whole[file])
        start = rng.integers(len(changed)) if rng.random() < 0.5 else rng.integers(600)
        kind, some = rng.integers(3), rng.bytes(rng.integers(1, 9))
        if kind == 0:
            changed[start : start + len(some)] = some
        elif kind == 1:
            del changed[start : start + len(some)]
        else:
            changed[start:start] = some
        file.write_bytes(changed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert np.array_equal(cached(Threes(), tmp_path).encode(TEXTS), expected)

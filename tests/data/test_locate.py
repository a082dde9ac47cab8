"""Where data files are looked for, and what is checked of them."""

import hashlib

import pytest

from wideangle.data import locate


def test_sha256_of_a_file_longer_than_a_piece(tmp_path, monkeypatch):
    monkeypatch.setattr(locate, "CHUNK", 10)
    file = tmp_path / "long"
    file.write_bytes(bytes(range(33)))
    assert locate.sha256_of(file) == hashlib.sha256(bytes(range(33))).hexdigest()


def test_another_file_under_the_name_is_refused(tmp_path):
    file = tmp_path / "data.npz"
    file.write_bytes(b"other")
    found = hashlib.sha256(b"other").hexdigest()
    assert locate.verified(file, None) == locate.verified(file, found) == found
    with pytest.raises(locate.DataError, match=rf"SHA-256 {found[:12]}.*not 0{{12}}.*Replace it, or pass verify=False"):
        locate.verified(file, "0" * 64)

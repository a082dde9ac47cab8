import os
import stat

import pytest

from wideangle._files import making_folder, replacing
from wideangle._locks import sole_writer


def test_an_error_leaves_what_was_there(tmp_path):
    path = tmp_path / "file"
    path.write_text("old")

    def write_half():
        with replacing(path) as temporary:
            temporary.write_text("half")
            raise RuntimeError("the disk is full")

    with pytest.raises(RuntimeError, match="full"):
        write_half()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_what_a_link_points_to_is_replaced(tmp_path):
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("old")
    link.symlink_to(target)
    with replacing(link) as temporary:
        temporary.write_text("new")
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert sorted(tmp_path.iterdir()) == [link, target]


@pytest.mark.skipif(os.name == "nt", reason="Windows has other permissions")
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o666, 0o755])
def test_permissions_stay(tmp_path, mode):
    path = tmp_path / "file"
    path.write_text("old")
    path.chmod(mode)
    with replacing(path) as temporary:
        assert stat.S_IMODE(temporary.stat().st_mode) & ~mode & 0o077 == 0  # Nobody else may look meanwhile.
        temporary.write_text("new")
    assert stat.S_IMODE(path.stat().st_mode) == mode
    assert path.read_text() == "new"


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root gives files away")
def test_the_owner_stays(tmp_path):
    path = tmp_path / "file"
    path.write_text("old")
    os.chown(path, 1234, 1235)
    with replacing(path) as temporary:
        temporary.write_text("new")
    assert (path.stat().st_uid, path.stat().st_gid) == (1234, 1235)


def test_content_and_name_reach_the_disk_in_this_order(tmp_path, monkeypatch):
    """What is flushed when: the file before it gets its name, the folder after that."""
    seen = []
    fsync, replace = os.fsync, os.replace
    monkeypatch.setattr(os, "fsync", lambda number: (seen.append(os.fstat(number).st_ino), fsync(number)))
    monkeypatch.setattr(os, "replace", lambda *names: (seen.append("name"), replace(*names)))
    with replacing(tmp_path / "file") as temporary:
        temporary.write_text("new")
    assert seen == [(tmp_path / "file").stat().st_ino, "name", tmp_path.stat().st_ino]


def test_a_folder_is_there_as_a_whole_or_not_at_all(tmp_path):
    def make(fails):
        with making_folder(tmp_path / "f") as folder:
            (folder / "deep").mkdir()
            (folder / "deep" / "a").write_text("a")
            assert not (tmp_path / "f").exists()
            if fails:
                raise RuntimeError("the disk is full")

    with pytest.raises(RuntimeError, match="full"):
        make(True)
    assert list(tmp_path.iterdir()) == []
    make(False)
    assert (tmp_path / "f" / "deep" / "a").read_text() == "a"
    assert list(tmp_path.iterdir()) == [tmp_path / "f"]


def test_a_name_as_long_as_the_disk_allows(tmp_path):
    path = tmp_path / ("ä" * 127)
    with replacing(path) as temporary, sole_writer(path):
        temporary.write_text("new")
    assert [each.name for each in tmp_path.iterdir()] == [path.name]

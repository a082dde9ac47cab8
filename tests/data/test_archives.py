"""Archives, good and evil."""

import hashlib
import io
import os
import re
import stat
import tarfile
import zipfile

import pytest

from wideangle.data.archives import unpack
from wideangle.exceptions import ArchiveError


def names(folder):
    return sorted(entry.name for entry in folder.iterdir())


def tar_of(path, *members, mode="w"):
    """Members are (name, bytes) or TarInfo."""
    with tarfile.open(path, mode) as tar:
        for member in members:
            if isinstance(member, tarfile.TarInfo):
                tar.addfile(member)
                continue
            info = tarfile.TarInfo(member[0])
            info.size = len(member[1])
            tar.addfile(info, io.BytesIO(member[1]))
    return path


def special(name, kind, target=""):
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


def zip_of(path, *members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as bundle:
        for name, content in members:
            bundle.writestr(name, content)
    return path


GOOD = [("a.txt", b"A"), ("deep/er/b.txt", b"B" * 10_000), ("./c.txt", b"")]


@pytest.mark.parametrize("ending", [".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".zip", ".ZIP"])
def test_unpack(tmp_path, ending):
    archive = tmp_path / f"archive{ending}"
    if ending.lower() == ".zip":
        zip_of(archive, *GOOD, ("empty/", b""))
    else:
        packing = {".tar.gz": "w:gz", ".tgz": "w:gz", ".tar.bz2": "w:bz2", ".tar.xz": "w:xz"}.get(ending, "w")
        tar_of(archive, *GOOD, special("empty", tarfile.DIRTYPE), mode=packing)
    folder = tmp_path / "new" / "folder"
    assert unpack(archive, folder) == folder
    for name, content in GOOD:
        assert (folder / name).read_bytes() == content
    assert (folder / "empty").is_dir()
    assert names(folder.parent) == ["folder"]


def test_links_inside_become_copies(tmp_path):
    archive = tar_of(
        tmp_path / "a.tar",
        ("deep/file", b"text"),
        special("hard", tarfile.LNKTYPE, "deep/file"),
        special("deep/er/soft", tarfile.SYMTYPE, "../file"),
        special("chain", tarfile.SYMTYPE, "deep/er/soft"),
    )
    folder = unpack(archive, tmp_path / "folder")
    for name in ("hard", "deep/er/soft", "chain"):
        assert (folder / name).read_bytes() == b"text"
        assert not (folder / name).is_symlink()


OUTSIDE = "lies or points outside the folder"
EVIL_TAR = {
    "climbs": (("../evil", b""), OUTSIDE),
    "climbs later": (("a/../../evil", b""), OUTSIDE),
    "climbs with backslashes": (("..\\evil", b""), OUTSIDE),
    "absolute": (("/tmp/evil", b""), OUTSIDE),
    "drive": (("C:\\evil", b""), OUTSIDE),
    "share": (("\\\\host\\share\\evil", b""), OUTSIDE),
    "soft link outside": (special("evil", tarfile.SYMTYPE, "../secret"), OUTSIDE),
    "soft link to the root": (special("evil", tarfile.SYMTYPE, "/etc/passwd"), OUTSIDE),
    "hard link outside": (special("evil", tarfile.LNKTYPE, "../secret"), OUTSIDE),
    "link to nothing": (special("evil", tarfile.SYMTYPE, "nowhere"), "points to no earlier file"),
    "link to itself": (special("evil", tarfile.SYMTYPE, "evil"), "points to no earlier file"),
    "link to a folder": (special("evil", tarfile.SYMTYPE, "."), "points to no earlier file"),
    "folder outside": (special("../evil", tarfile.DIRTYPE), OUTSIDE),
    "device": (special("evil", tarfile.CHRTYPE), "device or a pipe"),
    "disk": (special("evil", tarfile.BLKTYPE), "device or a pipe"),
    "pipe": (special("evil", tarfile.FIFOTYPE), "device or a pipe"),
}


@pytest.mark.parametrize("evil", EVIL_TAR)
def test_evil_members_of_a_tar_are_refused(tmp_path, evil):
    member, message = EVIL_TAR[evil]
    home = tmp_path / "home"
    home.mkdir()
    (home / "secret").write_text("secret")
    archive = tar_of(tmp_path / "a.tar.gz", ("good", b"good"), member, mode="w:gz")
    name = re.escape(repr(member[0] if isinstance(member, tuple) else member.name))
    with pytest.raises(ArchiveError, match=rf"a\.tar\.gz: its member {name} .*{message}.*Nothing was unpacked"):
        unpack(archive, home / "folder")
    assert names(home) == ["secret"]
    assert not os.path.exists("/tmp/evil")


def unix(name, mode):
    info = zipfile.ZipInfo(name)
    info.create_system, info.external_attr = 3, mode << 16
    return info


EVIL_ZIP = {
    "climbs": (("../evil", b""), OUTSIDE),
    "climbs later": (("a/../../evil", b""), OUTSIDE),
    "absolute": (("/tmp/evil", b""), OUTSIDE),
    "folder outside": (("../evil/", b""), OUTSIDE),
    "link": ((unix("evil", stat.S_IFLNK | 0o777), b"../secret"), "link or a device"),
    "device": ((unix("evil", stat.S_IFCHR), b""), "link or a device"),
}


@pytest.mark.parametrize("evil", EVIL_ZIP)
def test_evil_members_of_a_zip_are_refused(tmp_path, evil):
    member, message = EVIL_ZIP[evil]
    home = tmp_path / "home"
    archive = zip_of(tmp_path / "a.zip", ("good", b"good"), member)
    with pytest.raises(ArchiveError, match=rf"a\.zip: its member .*evil.* {message}"):
        unpack(archive, home / "folder")
    assert names(home) == []


@pytest.mark.parametrize("kind", ["tar", "zip"])
def test_bombs_are_stopped(tmp_path, kind):
    members = [("small", b"x"), ("bomb", bytes(20_000_000))]
    archive = tmp_path / ("a.tar.gz" if kind == "tar" else "a.zip")
    tar_of(archive, *members, mode="w:gz") if kind == "tar" else zip_of(archive, *members)
    assert archive.stat().st_size < 100_000
    with pytest.raises(ArchiveError, match="member 'bomb' it exceeds max_bytes=10000000"):
        unpack(archive, tmp_path / "folder", max_bytes=10_000_000)
    assert names(tmp_path) == [archive.name]
    unpack(archive, tmp_path / "folder", max_bytes=20_000_001)


def test_copies_of_links_count_too(tmp_path):
    links = [special(f"link{i}", tarfile.LNKTYPE, "file") for i in range(20)]
    archive = tar_of(tmp_path / "a.tar", ("file", bytes(1000)), *links)
    with pytest.raises(ArchiveError, match="'link9' it exceeds max_bytes=10000"):
        unpack(archive, tmp_path / "folder", max_bytes=10_000)


@pytest.mark.parametrize("ending", [".tar", ".tar.gz", ".tar.bz2", ".tar.xz", ".zip"])
@pytest.mark.parametrize("damage", ["cut", "scrambled", "other"])
def test_damaged_archives(tmp_path, ending, damage):
    archive = tmp_path / f"a{ending}"
    noise = [("noise", b"".join(hashlib.sha256(bytes([i, j])).digest() for i in range(64) for j in range(64)))]
    if ending == ".zip":
        zip_of(archive, *noise)
    else:
        tar_of(archive, *noise, mode="w:" + ending.removeprefix(".tar").removeprefix("."))
    content = archive.read_bytes()
    middle = len(content) // 2
    archive.write_bytes(
        {
            "cut": content[:middle],
            "scrambled": content[:middle] + bytes(100) + content[middle + 100 :],
            "other": b"<html>not found</html>" * 100,
        }[damage]
    )
    if (ending, damage) == (".tar", "scrambled"):
        unpack(archive, tmp_path / "folder")  # a tar file without compression has no checksum of its contents
        return
    with pytest.raises(ArchiveError, match=r"a\..* is damaged: .*Fetch it again"):
        unpack(archive, tmp_path / "folder")
    assert names(tmp_path) == [archive.name]


def test_unpack_into_what_is_there(tmp_path):
    archive = zip_of(tmp_path / "a.zip", *GOOD)
    empty, full = tmp_path / "empty", tmp_path / "full"
    empty.mkdir()
    full.mkdir()
    (full / "mine").write_text("mine")
    assert (unpack(archive, empty) / "a.txt").read_bytes() == b"A"
    with pytest.raises(FileExistsError, match="full is there already"):
        unpack(archive, full)
    assert names(full) == ["mine"]


def test_two_that_unpack_at_once(tmp_path, monkeypatch):
    archive = zip_of(tmp_path / "a.zip", *GOOD)
    folder = tmp_path / "folder"

    def faster(archive):
        folder.mkdir()
        (folder / "a.txt").write_text("theirs")
        yield "a.txt", io.BytesIO(b"ours")

    monkeypatch.setattr("wideangle.data.archives._zip_members", faster)
    assert (unpack(archive, folder) / "a.txt").read_text() == "theirs"
    assert names(tmp_path) == ["a.zip", "folder"]


def test_other_endings_are_refused(tmp_path):
    with pytest.raises(ArchiveError, match=r"a\.rar: its name must end in \.tar, .* or \.zip"):
        unpack(tmp_path / "a.rar", tmp_path / "folder")
    with pytest.raises(FileNotFoundError):
        unpack(tmp_path / "missing.zip", tmp_path / "folder")
    assert names(tmp_path) == []

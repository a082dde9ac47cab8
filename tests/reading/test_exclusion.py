"""Which files of a folder are documents."""

import pytest

from wideangle.exceptions import DataError
from wideangle.reading import ReadingOptions, read
from wideangle.reading.exclusion import exclusion

PATHS = ["a.txt", "notes.txt", "b/a.txt", "b/notes.txt", "b/deep/c.txt", "drafts/d.txt", "b/drafts/e.txt", "x1.txt"]


@pytest.mark.parametrize(
    ("patterns", "left_out"),
    [
        ([], []),
        (["notes.txt"], ["notes.txt", "b/notes.txt"]),
        (["/notes.txt"], ["notes.txt"]),
        (["drafts/"], ["drafts/d.txt", "b/drafts/e.txt"]),
        (["drafts"], ["drafts/d.txt", "b/drafts/e.txt"]),
        (["b/drafts"], ["b/drafts/e.txt"]),
        (["b/*.txt"], ["b/a.txt", "b/notes.txt"]),
        (["b/**"], ["b/a.txt", "b/notes.txt", "b/deep/c.txt", "b/drafts/e.txt"]),
        (["**/drafts/*.txt"], ["drafts/d.txt", "b/drafts/e.txt"]),
        (["x?.txt"], ["x1.txt"]),
        (["[ax]*.txt"], ["a.txt", "b/a.txt", "x1.txt"]),
        (["[!abnx]*", "!d.txt"], ["b/deep/c.txt", "b/drafts/e.txt"]),
        (["*.txt", "!a.txt"], [path for path in PATHS if not path.endswith("a.txt")]),
        (["a.txt/"], []),
        (["notes"], []),
        (["a+txt", "(", "a\\*"], []),
    ],
)
def test_patterns(patterns, left_out):
    assert [path for path in PATHS if exclusion(patterns)(path)] == left_out


def test_a_pattern_that_is_none():
    with pytest.raises(DataError, match=r"--exclude '\[z-a\]'"):
        exclusion(["[z-a]"])


def test_hidden_files_are_no_documents(tmp_path):
    for name in (
        "a/1.txt",
        "a/._1.txt",
        ".hidden/2.txt",
        "b/.DS_Store.txt",
        "b/3.txt",
        "old/4.txt",
        "folder.txt/5.txt",
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("wheat corn")
    assert read(tmp_path).names == ["a/1.txt", "b/3.txt", "folder.txt/5.txt", "old/4.txt"]
    assert read(tmp_path, ReadingOptions(exclude=("old/", "b"))).names == ["a/1.txt", "folder.txt/5.txt"]
    with pytest.raises(DataError, match="--exclude"):
        read(tmp_path, ReadingOptions(exclude=("*",)))


def test_a_folder_that_is_hidden_itself(tmp_path):
    (tmp_path / ".corpus").mkdir()
    (tmp_path / ".corpus" / "1.txt").write_text("wheat corn")
    assert read(tmp_path / ".corpus").names == ["1.txt"]

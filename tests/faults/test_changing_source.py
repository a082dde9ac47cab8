"""A source that vanishes or changes while it is read is told: no model or table is made of half of it."""

import os
import shutil

import pytest
from faults.children import in_child
from faults.jobs import BY_NAME, contents
from small_corpus import documents

from wideangle.exceptions import DataError
from wideangle.reading import read
from wideangle.reading.watching import Watched


def cut(path):
    os.truncate(path, path.stat().st_size // 2)


def append(path):
    with path.open("a") as file:
        file.write('d999,"one more",farm\n')


def replace(path):
    other = path.with_name("other")
    other.write_bytes(path.read_bytes().replace(b"wheat", b"maize"))
    os.replace(other, path)


def delete(path):
    path.unlink()


CHANGES = {"cut": cut, "append": append, "replace": replace, "delete": delete}
FIT = ("fit", "{inputs}/corpus.csv", "-k", "3", "--updates", "20", "--quiet", "-o", "{out}/m.wideangle")
READERS = {
    "fit": FIT,
    "fit --stream": (*FIT, "--stream"),
    "update": ("update", "{out}/m.wideangle", "{inputs}/corpus.csv", "--quiet"),
    "assign": ("assign", "{out}/m.wideangle", "{inputs}/corpus.csv", "--quiet", "-o", "{out}/a.csv"),
    "evaluate": ("evaluate", "{out}/m.wideangle", "{inputs}/corpus.csv", "--quiet"),
    "tune": ("tune", "{inputs}/corpus.csv", "-k", "2", "--diversity", "0", "--updates", "5", "--quiet"),
}


def changed_meanwhile(reader, change, inputs, out):
    """Run a command whose source is changed when the counting of words has begun. Called in a child."""
    from wideangle.cli import main
    from wideangle.data.counting.counter import WordCounter
    from wideangle.reading import to_disk
    from wideangle.reading.opened_documents import OpenedDocuments

    left, counting = [CHANGES[change]], []
    tally, transform, read_documents = WordCounter.tally, WordCounter.transform, OpenedDocuments.read

    def begun(function):
        def call(*arguments, **more):
            counting.append(True)
            return function(*arguments, **more)

        return call

    def documents_until_changed(self, *arguments):
        for number, document in enumerate(read_documents(self, *arguments)):
            if number == 20 and counting and left:
                left.pop()(inputs / "corpus.csv")
            yield document

    WordCounter.tally, WordCounter.transform = begun(tally), begun(transform)
    to_disk._prepared = begun(to_disk._prepared)  # Of a stream, documents are read before the first part is counted.
    OpenedDocuments.read = documents_until_changed
    code = main([argument.format(inputs=inputs, out=out) for argument in READERS[reader]])
    return code, {"made": not left}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("reader", READERS)
@pytest.mark.quick_cases(3)
def test_a_file_that_changes_while_it_is_read(reader, change, inputs, out, tmp_path):
    mine = tmp_path / "in"
    mine.mkdir()
    shutil.copyfile(inputs / "corpus.csv", mine / "corpus.csv")
    BY_NAME["fit"].prepare(inputs, out)
    before = contents(out)
    ended = in_child(changed_meanwhile, reader, change, mine, out, folder=tmp_path)
    assert ended.found["made"], ended
    assert ended.code == 1, ended
    word = "vanished" if change == "delete" else "changed"
    assert f"corpus.csv {word} while it was read. Run the same again when it is complete" in ended.err, ended
    after = contents(out)
    assert {name: after.get(name) for name in before} == before
    assert not [name for name in after if name not in before and not name.startswith("m.wideangle.parts")]


@pytest.mark.parametrize("change", ["cut", "delete", "more"])
def test_a_folder_whose_files_change(change, tmp_path, monkeypatch):
    for number, (text, _) in enumerate(documents()):
        (tmp_path / f"{number:02}.txt").write_text(text)
    watched = Watched.of

    def then_changed(path, options):
        found = watched(path, options)
        if change == "more":
            (tmp_path / "60.txt").write_text("one more")
        else:
            CHANGES[change](tmp_path / "59.txt")
        return found

    monkeypatch.setattr(Watched, "of", then_changed)
    with pytest.raises(DataError, match="changed while it was read"):
        read(tmp_path)


def test_a_file_that_stays_is_read_to_its_end(tmp_path):
    (tmp_path / "d.txt").write_text("".join(f"{text}\n" for text, _ in documents()))
    assert len(read(tmp_path / "d.txt")) == 60

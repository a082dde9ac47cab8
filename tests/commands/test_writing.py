"""What a command writes takes nothing away: no input, no pipe, no device, no foreign file; and CSV."""

import csv
import io
import os
import stat
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import wideangle
from wideangle.cli import main

QUICK = ("-k", 3, "--updates", 5, "--quiet")


@pytest.fixture
def refused(run):
    """Run a command that is refused with exit code 2 before its work starts; what it said."""

    def call(*arguments):
        code, out, err = run(*arguments)
        assert (code, out) == (2, ""), err
        return err

    return call


@pytest.fixture
def mine(corpus, models, tmp_path):
    """Copies of a corpus, of arrays and of models that a test may lose."""
    names = {"reviews.csv": corpus / "corpus.csv", "d.npz": corpus / "corpus.npz", "m": models["mlp"]}
    names["words.txt"] = corpus / "corpus.txt"
    for name, source in names.items():
        (tmp_path / name).write_bytes(source.read_bytes())
    return tmp_path


def commands(folder, target):
    """Every command that writes a file, told to write there."""
    return {
        "fit": ("fit", folder / "reviews.csv", *QUICK, "-o", target),
        "transform": ("transform", folder / "m", folder / "d.npz", "-o", target),
        "topics": ("topics", folder / "m", "-o", target),
        "tune": ("tune", folder / "reviews.csv", *QUICK, "-o", target),
        "explore": ("explore", folder / "m", "-o", target),
    }


SUFFIX = {"fit": ".wideangle", "transform": ".npz", "topics": ".csv", "tune": ".png", "explore": ".html"}


@pytest.mark.parametrize("command", SUFFIX)
def test_a_pipe_is_not_replaced(command, mine, refused):
    target = mine / f"pipe{SUFFIX[command]}"
    os.mkfifo(target)
    assert f"{target} is a pipe, which a file would replace" in refused(*commands(mine, target)[command])
    assert stat.S_ISFIFO(target.stat().st_mode)


@pytest.mark.parametrize("command", SUFFIX)
def test_a_device_is_not_replaced(command, mine, refused):
    link = mine / f"null{SUFFIX[command]}"
    link.symlink_to("/dev/null")
    assert f"{link} is a device" in refused(*commands(mine, link)[command])
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


@pytest.mark.parametrize("name", ["/dev/null", "/dev/stdout", "/dev/stderr", "/proc/self/fd/2"])
@pytest.mark.parametrize("command", ["fit", "explore"])
def test_names_of_the_system_are_no_files(command, name, mine, refused):
    assert f"{name} is no place for a file" in refused(*commands(mine, name)[command])


@pytest.mark.parametrize("command", SUFFIX)
def test_a_folder_is_no_file(command, mine, refused):
    target = mine / f"folder{SUFFIX[command]}"
    target.mkdir()
    assert f"{target} is a folder" in refused(*commands(mine, target)[command])


def same_file(kind, source, folder, suffix):
    """A name of the file: its own, with a way round, a hard link, or a symbolic one."""
    target = folder / f"other{suffix}"
    if kind == "itself":
        return source
    if kind == "way round":
        (folder / "below").mkdir()
        return folder / "below" / ".." / source.name
    target.hardlink_to(source) if kind == "hard link" else target.symlink_to(source)
    return target


@pytest.mark.parametrize("kind", ["itself", "way round", "hard link", "symbolic link"])
@pytest.mark.parametrize(
    ("source", "suffix", "before", "after"),
    [
        ("reviews.csv", ".wideangle", ("fit", "reviews.csv", *QUICK, "--force"), ()),
        ("words.txt", ".wideangle", ("fit", "reviews.csv", *QUICK, "--force", "--stop-words", "words.txt"), ()),
        ("d.npz", ".npz", ("transform", "m", "d.npz"), ()),
        ("m.npz", ".npz", ("transform", "m.npz", "d.npz"), ()),
        ("m.csv", ".csv", ("topics", "m.csv"), ()),
        ("reviews.png", ".png", ("tune", "reviews.png", *QUICK), ()),
        ("m", ".html", ("explore", "m"), ()),
        ("other", ".html", ("explore", "m", "--compare", "other"), ()),
    ],
)
def test_no_input_is_overwritten(kind, source, suffix, before, after, mine, refused, monkeypatch):
    monkeypatch.chdir(mine)
    copies = {"m.npz": "m", "m.csv": "m", "reviews.png": "reviews.csv", "other": "m"}
    if source in copies:
        (mine / source).write_bytes((mine / copies[source]).read_bytes())
    content = (mine / source).read_bytes()
    target = same_file(kind, mine / source, mine, suffix)
    assert "which is read" in refused(*before, "-o", target, *after)
    assert (mine / source).read_bytes() == content


def test_fit_replaces_models_and_empty_files_alone(mine, run, refused):
    fit = ("fit", mine / "reviews.csv", *QUICK, "-o")
    assert "words.txt exists and is a text that wideangle fit did not write" in refused(*fit, mine / "words.txt")
    (mine / "empty").touch()
    for target in ("empty", "m"):
        assert run(*fit, mine / target)[0] == 0
        assert type(wideangle.load(mine / target)).__name__ == "ReplicatedSoftmax"
    assert run(*fit, mine / "words.txt", "--force")[0] == 0
    assert type(wideangle.load(mine / "words.txt")).__name__ == "ReplicatedSoftmax"


def test_explore_replaces_pages_alone(mine, run, refused):
    (mine / "other").write_bytes((mine / "m").read_bytes())
    assert "other exists and is a model file that wideangle explore did not write" in refused(
        "explore", mine / "m", "-o", mine / "other"
    )
    for _ in range(2):
        assert run("explore", mine / "m", "-o", mine / "page.html")[0] == 0


def test_files_of_the_demo_are_looked_at_before_the_work(tmp_path, refused, monkeypatch):
    monkeypatch.setattr("wideangle.commands.work.demo.demonstration.python_docs", lambda: pytest.fail("the work began"))
    os.mkfifo(tmp_path / "explorer.html")
    assert "is a pipe" in refused("demo", "-o", tmp_path)


def test_saving_from_python_replaces_no_pipe_either(models, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="a pipe or a device"):
        wideangle.load(models["mlp"]).save(tmp_path / "pipe")
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


def test_a_pattern_that_could_take_for_ever_is_refused_at_once(mine, capsys):
    with pytest.raises(SystemExit) as left:
        main(["fit", str(mine / "reviews.csv"), "--token-pattern", "(x+x+)+y"])
    assert left.value.code == 2
    assert "could take for ever" in capsys.readouterr().err


class TestCsv:
    def read(self, text):
        header, *rows = csv.reader(io.StringIO(text))
        return header, rows

    def test_representations(self, models, corpus, run, tmp_path):
        arguments = ("transform", models["distance"], corpus / "folder")
        assert run(*arguments, "-o", tmp_path / "x.npz")[0] == 0
        assert run(*arguments, "-o", tmp_path / "x.csv")[0] == 0
        stored = np.load(tmp_path / "x.npz")
        header, rows = self.read((tmp_path / "x.csv").read_text())
        assert header == ["id", "label", *(f"c{k}" for k in range(1, 7))]
        assert [row[0] for row in rows] == stored["names"].tolist()
        assert [row[1] for row in rows] == stored["labels"].tolist()
        assert np.array_equal(np.array([row[2:] for row in rows], dtype=np.float32), stored["X"])

    @pytest.mark.parametrize("option", [("--csv",), ("-o", "-"), ("-o", "/dev/stdout")])
    def test_to_stdout_and_nothing_else(self, option, models, corpus, run, tmp_path):
        arguments = ("transform", models["numbers"], corpus / "numbers.csv", "--quiet")
        assert run(*arguments, "-o", tmp_path / "x.csv")[0] == 0
        code, out, _ = run(*arguments, *option)
        assert (code, out) == (0, (tmp_path / "x.csv").read_text())

    def test_topics(self, models, run, answer, tmp_path):
        arguments = ("topics", models["replicated-softmax"], "-n", 4)
        expected = answer(*arguments)["topics"]
        code, out, _ = run(*arguments, "--csv")
        assert code == 0
        header, rows = self.read(out)
        heads = ["topic", "name", "size", "class", "purity", "nearest", "angle", "near_duplicate"]
        assert header == [*heads, "word1", "word2", "word3", "word4"]
        assert [row[8:] for row in rows] == [topic["words"] for topic in expected]
        assert [(row[1], int(row[2])) for row in rows] == [(topic["name"], topic["size"]) for topic in expected]
        assert [int(row[5]) for row in rows] == [topic["nearest"] for topic in expected]
        assert [row[3] for row in rows] == [topic["classes"][0]["label"] for topic in expected]
        code, said, _ = run(*arguments, "-o", tmp_path / "t.csv")
        assert code == 0
        assert said == f"{len(expected)} topics → {tmp_path / 't.csv'}\n"
        assert (tmp_path / "t.csv").read_text() == out

    def test_csv_and_json_cannot_both_go_to_stdout(self, models, refused):
        assert "cannot both go to stdout" in refused("topics", models["mlp"], "--csv", "--json")

    def test_other_endings(self, models, refused, tmp_path):
        assert "must end in .csv" in refused("topics", models["mlp"], "-o", tmp_path / "t.txt")

    @pytest.mark.slow
    def test_a_pipe_that_is_closed(self, models):
        command = f"{sys.executable} -m wideangle topics {models['mlp']} --csv | true; echo ${{PIPESTATUS[0]}}"
        done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=120)
        assert done.stderr == ""
        assert done.stdout.strip() in ("141", "0")


def test_columns_have_the_names_of_a_data_frame(run, tmp_path):
    rng = np.random.default_rng(0)
    words = [f"word{number}" for number in range(12)]
    counts = pd.DataFrame(rng.poisson(1.0, (40, 12)), columns=words)
    model = wideangle.ReplicatedSoftmax(2, max_updates=20, random_state=0).fit(counts)
    model.save(tmp_path / "m")
    code, out, _ = run("topics", tmp_path / "m", "-n", 3, "--csv")
    assert code == 0
    assert [row[8:] for row in csv.reader(out.splitlines()[1:])] == model.component_words(3)

"""The command line as a user meets it."""

import json
import os
import subprocess
import sys

import pytest

import wideangle
import wideangle.evaluation
from wideangle.cli import COMMANDS, build_parser, main
from wideangle.view import ModelView


def run(*arguments, **options):
    command = [sys.executable, "-m", "wideangle.cli", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, **options)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_that_is_parsed_alone_has_all_its_options(name, capsys):
    helps = []
    for parser in (build_parser(name), build_parser()):
        with pytest.raises(SystemExit):
            parser.parse_args([name, "--help"])
        helps.append(capsys.readouterr().out)
    assert helps[0] == helps[1]
    assert "--help" in helps[0]


@pytest.mark.parametrize("arguments", [("--version",), ("--help",), *((name, "--help") for name in COMMANDS)])
def test_answers_without_importing_torch(arguments):
    code = f"import sys; from wideangle.cli import main\ntry: main({list(arguments)!r})\nexcept SystemExit: pass\n"
    code += "heavy = {'torch', 'numpy', 'sklearn', 'scipy', 'pandas', 'rich'} & set(sys.modules)\n"
    code += "assert not heavy, heavy"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert "wideangle" in done.stdout


@pytest.mark.parametrize("command", ["fit", "evaluate"])
def test_a_wrong_granularity_is_refused_without_importing_torch(command):
    code = f"import sys; from wideangle.cli import main\ntry: main([{command!r}, 'x', '--for', 'fine'])\n"
    code += "except SystemExit as end: assert end.code == 2 and not {'torch', 'numpy'} & set(sys.modules)\n"
    code += "else: raise AssertionError('it was taken')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert "'fine' is neither details, balance, groups nor a number" in done.stderr


def test_version(capsys):
    with pytest.raises(SystemExit):
        main(["--version"])
    assert capsys.readouterr().out.strip() == f"wideangle {wideangle.__version__}"


def test_no_command_prints_help(capsys):
    assert main([]) == 0
    assert "demo" in capsys.readouterr().out


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """A small demonstration, as a terminal of 80 columns gets it, and the folder it wrote."""
    folder = tmp_path_factory.mktemp("demo") / "out"
    options = ("--components", "8", "--updates", "60", "--seeds", "2", "--output", str(folder))
    return run("demo", *options, env=os.environ | {"COLUMNS": "80"}), folder


@pytest.mark.slow
def test_demo_fits_eighty_columns_piped(demo):
    done, folder = demo
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert max(len(line) for line in lines if str(folder) not in line) <= 80
    (tail,) = (line for line in lines if line.startswith("P@10, rarer classes"))
    assert tail.count("–") == 2  # both have a spread
    assert str(folder / "explorer.html") in done.stdout


@pytest.mark.slow
def test_what_the_demo_leaves_serves_the_other_commands(demo, capsys):
    _, folder = demo
    assert main(["search", str(folder / "regularised.wideangle"), "random numbers", "--json", "-n", "3"]) == 0
    assert len(json.loads(capsys.readouterr().out)["hits"]) == 3
    assert (folder / "explorer.html").stat().st_size < 8e6


@pytest.mark.slow
def test_demo_tells_machines_what_it_measured(tmp_path, capsys):
    options = ["--components", "6", "--updates", "30", "--seeds", "1", "--output", str(tmp_path), "--json"]
    assert main(["demo", *options]) == 0
    found = json.loads(capsys.readouterr().out)
    model = wideangle.load(tmp_path / "plain.wideangle")
    documents = model.documents_
    asked, stored = ~documents.is_train, documents.is_train
    labels, vectors = documents.labels, ModelView.of(model).vectors(documents)
    expected = wideangle.evaluation.precision_at_k(vectors[asked], labels[asked], vectors[stored], labels[stored], k=10)
    assert found["plain"][0]["precision"] == pytest.approx(expected, abs=1e-6)
    assert sum(group["classes"] for group in found["groups"]) <= found["classes"]
    groups = wideangle.topics.group_documents(vectors[stored], 100)
    nmi = wideangle.evaluation.normalized_mutual_information(labels[stored], groups)
    assert found["plain"][0]["nmi"] == pytest.approx(nmi, abs=1e-6)
    topics = wideangle.load(tmp_path / "regularised.wideangle").topics_
    assert found["rarest"][0]["size"] == min(topic.size for topic in topics)
    assert found["rarest"][0]["words"] == list(min(topics, key=lambda topic: topic.size).words)


def test_mistakes_are_one_line_and_exit_two():
    done = run("demo", "--components", "0")
    assert done.returncode == 2
    assert len(done.stderr.strip().splitlines()) == 1
    assert "0" in done.stderr
    assert run("no-such-command").returncode == 2


def test_public_names_are_there_and_nothing_else():
    for name in wideangle.__all__:
        assert getattr(wideangle, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        wideangle.nonsense  # noqa: B018

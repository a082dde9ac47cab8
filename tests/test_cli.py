"""The command line as a user meets it."""

import subprocess
import sys

import pytest

import wideangle
from wideangle.cli import main


def run(*arguments, **options):
    command = [sys.executable, "-m", "wideangle.cli", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, **options)


@pytest.mark.parametrize("flag", ["--version", "--help"])
def test_answers_without_importing_torch(flag):
    code = f"import sys; from wideangle.cli import main\ntry: main([{flag!r}])\nexcept SystemExit: pass\n"
    code += "heavy = {'torch', 'numpy', 'sklearn', 'scipy', 'rich'} & set(sys.modules)\nassert not heavy, heavy"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert "wideangle" in done.stdout


def test_version(capsys):
    with pytest.raises(SystemExit):
        main(["--version"])
    assert capsys.readouterr().out.strip() == f"wideangle {wideangle.__version__}"


def test_no_command_prints_help(capsys):
    assert main([]) == 0
    assert "demo" in capsys.readouterr().out


def test_demo_fits_eighty_columns_piped():
    done = run("demo", "--components", "20", "--dimensions", "60", env={"COLUMNS": "80", "PATH": ""})
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    assert any("before" in line and "°" in line for line in lines)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_demo_spreads_and_shows_the_bound_vanish(seed, capsys):
    from wideangle.demo import run_demo

    spreads = run_demo(40, 200, seed)
    before, score, volume, bound = spreads.values()
    assert score.mean > before.mean + 3
    assert volume.smallest > before.smallest + 15
    assert bound.mean < before.mean + 0.5
    assert "has vanished" in capsys.readouterr().out


def test_mistakes_are_one_line_and_exit_two():
    done = run("demo", "--components", "1")
    assert done.returncode == 2
    assert done.stderr.strip() == "wideangle demo: the demo needs 2 ≤ components ≤ dimensions; got 1 and 200."
    assert run("no-such-command").returncode == 2


def test_public_names_are_there_and_nothing_else():
    for name in wideangle.__all__:
        assert getattr(wideangle, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        wideangle.nonsense  # noqa: B018

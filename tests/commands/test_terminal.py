"""Commands as shells meet them: piped, without a terminal, at 80 columns; completion; no stray output."""

import json
import os
import shutil
import subprocess
import sys

import pytest

import wideangle
from wideangle.catalogue import entries
from wideangle.cli import COMMANDS, build_parser, main
from wideangle.commands.completion import completion_script


def shell(*arguments, **options):
    environment = {"COLUMNS": "80", "PATH": os.environ["PATH"], "PYTHONPATH": os.environ.get("PYTHONPATH", "")}
    command = [sys.executable, "-m", "wideangle", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment, **options)


def looks_right(out, err):
    lines = out.splitlines()
    assert max(map(len, lines)) <= 80, out
    assert "…" not in lines[0], out  # no heading is cut
    assert "\x1b" not in out + err
    assert "\r" not in err  # no progress bar


@pytest.mark.slow
def test_piped_at_eighty_columns(corpus, tmp_path):
    done = shell("fit", corpus / "corpus.csv", "-k", 4, "--updates", 30, "-o", tmp_path / "m", stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stderr
    looks_right(done.stdout, done.stderr)


@pytest.mark.parametrize("command", ["topics", "search", "evaluate", "tune"])
def test_tables_keep_to_eighty_columns(command, models, corpus, run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(corpus)  # a command to be copied is not broken, however long its path
    arguments = {
        "topics": (models["replicated-softmax"], "-n", 30),
        "search": (models["distance"], "wheat harvest"),
        "evaluate": (models["mlp"], corpus / "corpus.csv"),
        "tune": ("corpus.csv", "--diversity", "0,1", "-k", 2, "--updates", 5, "--folds", 2),
    }
    code, out, err = run(command, *arguments[command])
    assert code == 0
    looks_right(out, err)
    if command == "search":
        assert out.split()[:5] == ["#", "score", "document", "label", "text"]
        assert "…" in out


@pytest.mark.slow
def test_json_is_all_there_is_on_stdout(corpus, tmp_path):
    done = shell("fit", corpus / "corpus.jsonl", "-k", 4, "--updates", 30, "-o", tmp_path / "m", "--json", "--quiet")
    assert done.returncode == 0
    assert json.loads(done.stdout)["path"] == str(tmp_path / "m")
    assert done.stderr == ""


def test_errors_leave_stdout_empty(tmp_path, run):
    code, out, err = run("topics", tmp_path / "nothing", "--json")
    assert (code, out) == (1, "")
    assert err == f"wideangle topics: {tmp_path / 'nothing'} does not exist. Check the path.\n"


@pytest.mark.slow  # tests/faults/test_pipes.py asks the same of a forked process.
def test_quiet_when_the_pipe_is_closed(models):
    command = f"{sys.executable} -m wideangle topics {models['mlp']} | true; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=120)
    assert done.stderr == ""
    assert done.stdout.strip() in ("141", "0")  # 0 where it had written before the pipe was closed


def test_module_runs_like_the_program():
    done = shell("--version")
    assert done.stdout == f"wideangle {wideangle.__version__}\n"


def test_text_of_documents_cannot_speak_to_the_terminal(tmp_path, run):
    line = {"text": "wheat corn \x1b[31mred [bold]barley[/nothing]", "label": "[/x]"}
    (tmp_path / "c.jsonl").write_text("\n".join([json.dumps(line)] * 4))
    assert run("fit", tmp_path / "c.jsonl", "-k", 2, "--updates", 5, "--quiet", "-o", tmp_path / "m")[0] == 0
    code, out, err = run("search", tmp_path / "m", "wheat")
    assert code == 0, err
    assert "\x1b" not in out
    assert "[bold]barley" in out


@pytest.mark.parametrize("shell_name", ["bash", "zsh", "fish", "tcsh", "powershell"])
def test_completion_knows_every_command_and_option(shell_name):
    script = completion_script(build_parser(), shell_name)
    for word in ("fit", "explore", "hold-out", "replicated-softmax", "faiss-hnsw", "completion"):
        assert word in script
    assert shell("completion", shell_name).stdout.strip() == script


def complete(*words):
    """What bash offers for the last of these words."""
    script = completion_script(build_parser(), "bash")
    quoted = " ".join(f"'{word}'" for word in words)
    code = f'{script}\nCOMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _shtab_wideangle; echo "${{COMPREPLY[@]}}"'
    done = subprocess.run(["bash", "-c", code], capture_output=True, text=True, timeout=30)
    assert done.stderr == ""
    return done.stdout.split()


def test_bash_completes():
    assert complete("wideangle", "to") == ["topics"]
    assert complete("wideangle", "fit", "--hold") == ["--hold-out"]
    assert complete("wideangle", "fit", "data", "--model", "dis") == ["distance"]
    assert complete("wideangle", "completion", "z") == ["zsh"]


def test_bash_completes_files_where_a_file_is_wanted(tmp_path, monkeypatch):
    (tmp_path / "reviews.csv").touch()
    monkeypatch.chdir(tmp_path)
    for words in (("fit", "rev"), ("topics", "rev"), ("search", "m", "words", "--in", "rev"), ("fit", "d", "-o", "r")):
        assert complete("wideangle", *words) == ["reviews.csv"]


def test_help_of_every_command_fits_eighty_columns(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "80")
    for arguments in ((), *((name,) for name in COMMANDS)):
        with pytest.raises(SystemExit):
            main([*arguments, "--help"])
        assert max(map(len, capsys.readouterr().out.splitlines())) <= 80


@pytest.mark.parametrize("command", ["fit", "tune"])
def test_help_has_one_line_per_model(command, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit):
        main([command, "--help"])
    listed = capsys.readouterr().out.partition("\nmodels:\n")[2].splitlines()
    expected = [[entry.command, entry.summary] for entry in entries() if entry.command is not None]
    assert [line.split(maxsplit=1) for line in listed] == expected


@pytest.mark.parametrize(("program", "options"), [("zsh", ["-n"]), ("fish", ["-n"])])
def test_other_shells_can_parse_their_scripts(program, options, tmp_path):
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    (tmp_path / "script").write_text(completion_script(build_parser(), program))
    done = subprocess.run([program, *options, tmp_path / "script"], capture_output=True, text=True, timeout=30)
    assert (done.returncode, done.stderr) == (0, "")


def test_fish_completes(tmp_path):
    if shutil.which("fish") is None:
        pytest.skip("fish is not installed")
    (tmp_path / "script").write_text(completion_script(build_parser(), "fish"))
    for line, expected in (("to", "topics"), ("fit --hold", "--hold-out"), ("fit --model di", "distance")):
        code = f'source {tmp_path / "script"}; complete -C"wideangle {line}"'
        done = subprocess.run(["fish", "-c", code], capture_output=True, text=True, timeout=30)
        assert [offer.split("\t")[0] for offer in done.stdout.splitlines()] == [expected], done

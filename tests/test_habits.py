"""The files by which changes are checked agree: hooks, public workflow, our own CI, Makefile and CONTRIBUTING."""

import re
from pathlib import Path

import pytest
import yaml  # It comes with distributed.

ROOT = Path(__file__).parents[1]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
TARGETS = {name for line in re.findall(r"^\.PHONY: (.+)$", MAKEFILE, re.MULTILINE) for name in line.split()}
WORKFLOWS = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / ".github" / "workflows").glob("*.yml")}
HOOKS = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))["repos"][0]["hooks"]
TEMPLATES = sorted((ROOT / ".github").glob("*.md")) + sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))


def called(text):
    """The targets that a script or a workflow makes."""
    return {name for line in re.findall(r"\bmake +([a-z][a-z -]*)", text) for name in line.split()}


@pytest.mark.parametrize("name", WORKFLOWS)
def test_each_target_that_a_workflow_makes_is_there(name):
    made = called("\n".join(re.findall(r"run: (.+)", WORKFLOWS[name])))
    assert made
    assert made <= TARGETS


def test_the_public_workflow_asks_for_all_that_our_own_ci_asks_for():
    own = called("\n".join(re.findall(r"^make .+", (ROOT / ".ci" / "run").read_text(encoding="utf-8"), re.MULTILINE)))
    assert {"check", "test", "test-slow", "package"} <= own
    assert own <= called(WORKFLOWS["ci.yml"])


def test_actions_are_pinned_by_their_first_number_and_may_only_read():
    for text in WORKFLOWS.values():
        used = re.findall(r"uses: (\S+)", text)
        assert used
        assert [each for each in used if not re.fullmatch(r"actions/[\w-]+@v\d+", each)] == []
        assert yaml.safe_load(text)["permissions"] == {"contents": "read"}
        assert "secrets." not in text


def test_the_workflow_tests_three_pythons_the_oldest_among_them():
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    jobs = yaml.safe_load(WORKFLOWS["ci.yml"])["jobs"]
    tested = jobs["test"]["strategy"]["matrix"]["python"]
    assert len(tested) == 3
    assert tested[0] == re.search(r'requires-python = ">=(.+)"', project)[1]
    assert set(tested) <= set(re.findall(r'"Programming Language :: Python :: (3\.\d+)"', project))


def test_hooks_run_what_make_check_runs():
    recipe = MAKEFILE.partition("\ncheck:")[2].partition("\n\n")[0]
    checked = set(re.findall(r"\$\(BIN\)/(\w+(?: check| format)?)", recipe))
    hooked = {found[1] for hook in HOOKS if (found := re.match(r"\.venv/bin/(\w+(?: check| format)?)", hook["entry"]))}
    assert checked
    assert hooked - {"python"} == checked


def test_tests_that_hooks_run_are_there():
    named = [word for hook in HOOKS for word in hook["entry"].split() if word.endswith(".py")]
    assert named
    assert all((ROOT / name).is_file() for name in named)


def test_contributing_names_targets_that_are_there():
    listed = re.findall(r"^    make ([a-z-]+)", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert listed
    assert set(listed) <= TARGETS


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_files_that_templates_name_are_there(path):
    for name in re.findall(r"[\w/.-]+\.(?:md|py|txt)\b", path.read_text(encoding="utf-8")):
        assert (ROOT / name).is_file() or list((ROOT / "src").rglob(name)), name


# Not tested in their oldest version: selenium drives the tests alone, tomli is for Python 3.10, fsspec is left to do.
NOT_PINNED = {"selenium", "tomli", "fsspec"}
# Extras that the oldest versions are tested without: pyproject.toml says why.
WITHOUT = {"encoders", "sentence-transformers", "docs", "dev"}


def test_the_oldest_versions_that_are_tested_are_those_that_are_allowed():
    lines = (ROOT / "constraints-oldest.txt").read_text(encoding="utf-8").splitlines()
    pinned = dict(line.split("==") for line in lines if "==" in line)
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    needed = project.partition("\ndependencies = [")[2].partition("\n]")[0].splitlines()
    extras = project.partition("[project.optional-dependencies]\n")[2].partition("\n[")[0].splitlines()
    needed += [line for line in extras if line.partition(" ")[0] not in WITHOUT]
    allowed = re.findall(r'"([\w-]+)>=([\d.]+)', "\n".join(line for line in needed if not line.startswith("#")))
    assert len(allowed) > 20
    assert {name for name, _ in allowed} - set(pinned) == NOT_PINNED
    for name, oldest in allowed:
        if name in pinned and name != "stop-words":  # Its number is a date, and the oldest one is for Python 3.10.
            assert f"{pinned[name]}.".startswith(f"{oldest}."), name

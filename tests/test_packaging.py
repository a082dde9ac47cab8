"""What a package says of itself agrees with pyproject.toml and the README."""

import importlib.util
import re
import sys
from pathlib import Path

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[1]
OF_CONDA = {"torch": "pytorch"}

_spec = importlib.util.spec_from_file_location("long_description", ROOT / "supply" / "long_description.py")
long_description = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(long_description)
for_index = long_description.for_index


def lowest_versions(requirements):
    """The lowest version of each package; of those that are asked for twice, by Python, the lowest of both."""
    found = {}
    for each in requirements:
        name, version = re.match(r"([\w-]+)\s*>=\s*([\d.]+)", each).groups()
        key = tuple(map(int, version.split(".")))
        found[name] = min(key, found.get(name, key))
    return found


def test_the_conda_package_needs_what_the_wheel_needs():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    expected = lowest_versions([*project["dependencies"], f"python {project['requires-python']}"])
    recipe = (ROOT / "supply" / "recipe.yaml").read_text(encoding="utf-8")
    run = re.search(r"^  run:\n((?:    - .+\n)+)", recipe, re.MULTILINE)[1]
    found = lowest_versions(line.removeprefix("    - ") for line in run.splitlines())
    assert found == {OF_CONDA.get(name, name): version for name, version in expected.items()}


class TestLongDescription:
    def test_of_the_readme_no_link_into_the_repository_is_left(self):
        readme = (ROOT / "README.md").read_text(encoding="utf-8")
        found = for_index(readme)
        assert re.findall(r"\]\((?!https?:|#)", readme)
        assert not re.findall(r"\]\((?!https?:|#)", found)
        assert "<!--" not in found
        assert found.startswith("# wideangle")

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("[a](docs/a.md) and [b](https://b.org)", "a and [b](https://b.org)"),
            ("[`fit`](docs/a.md#fit), [below](#below)", "`fit`, [below](#below)"),
            ("one\n\n![x](x.png)\n\ntwo", "one\n\ntwo"),
            ("<!-- figures: a -->\nIt is 3.\n", "It is 3.\n"),
            ("[![badge](x.png)](docs/a.md) b", " b"),
        ],
    )
    def test_without_an_address(self, text, expected):
        assert for_index(text) == expected

    def test_with_an_address(self):
        text = for_index("[a](docs/a.md) ![b](b.png)", "https://a.org/", "https://b.org/")
        assert text == "[a](https://a.org/docs/a.md) ![b](https://b.org/b.png)"

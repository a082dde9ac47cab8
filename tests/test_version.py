"""One version and one date, which all files tell alike; and a new number alone does not part two fits."""

import re
from pathlib import Path

import pytest

import wideangle
from wideangle.models._training.checkpoint import differences
from wideangle.models._training.code import code_of_fits

ROOT = Path(__file__).parents[1]
TOLD = {
    "src/wideangle/_version.py": r'^__version__ = "(.+)"$',
    "CITATION.cff": r"^version: (.+)$",
    "CHANGELOG.md": r"^## (\d\S+)",
    "supply/recipe.yaml": r"^  version: (.+)$",
}
DATES = {"CITATION.cff": r'^date-released: "(.+)"$', "CHANGELOG.md": r"^## \d\S+ \((.+)\)$"}


def first(pattern, name):
    return re.search(pattern, (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE)[1]


@pytest.mark.parametrize("name", TOLD)
def test_all_files_tell_the_same_version(name):
    assert first(TOLD[name], name) == wideangle.__version__


def test_all_files_tell_the_same_date():
    assert len({first(pattern, name) for name, pattern in DATES.items()}) == 1


def test_the_version_is_written_in_no_other_file_of_the_package():
    texts = {path: path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py")}
    assert [path.name for path, text in texts.items() if f'"{wideangle.__version__}"' in text] == ["_version.py"]


def test_a_new_number_alone_does_not_part_two_fits():
    now = code_of_fits()
    _, code = now["wideangle"].split(", ")
    assert not differences(now | {"wideangle": f"0.9.9, {code}"}, now)
    assert "0.9.9, code abc, and is" in differences(now | {"wideangle": "0.9.9, code abc"}, now)

"""The scripts of the gallery and of the tutorials run, and what they say of their output is so."""

import ast
import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"
SCRIPTS = {path.stem: path for path in sorted([*DOCS.glob("gallery/*/*.py"), *DOCS.glob("tutorials/*.py")])}


def lines_of(name):
    """What a script prints, line by line. It is run as a reader runs it, without data sets and without a window."""
    environment = {**os.environ, "MPLBACKEND": "agg", "PYTHONIOENCODING": "utf-8"}
    environment.pop("WIDEANGLE_DATA", None)
    command = [sys.executable, str(SCRIPTS[name])]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=600, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def numbers(text):
    return [float(number.replace(",", "")) for number in re.findall(r"[-+]?\d[\d,]*(?:\.\d+)?", text)]


def told(lines, beginning):
    """The numbers of each line that begins so, after its beginning."""
    found = [numbers(line.strip().removeprefix(beginning)) for line in lines if line.strip().startswith(beginning)]
    assert found, beginning
    return found


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_has_the_form_of_the_gallery(name):
    tree = ast.parse(SCRIPTS[name].read_text(encoding="utf-8"))
    title, line, *rest = ast.get_docstring(tree).splitlines()
    assert line == "=" * len(title)
    assert any(rest)
    assert "plt.show()" in SCRIPTS[name].read_text(encoding="utf-8")
    assert f"test_{name}" in globals()


@pytest.mark.parametrize("name", SCRIPTS)
def test_all_that_a_script_imports_is_there_and_no_data_set_is_asked_for(name):
    for node in ast.walk(ast.parse(SCRIPTS[name].read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            module = importlib.import_module(node.module)
            assert all(hasattr(module, alias.name) for alias in node.names), node.module
            assert not {"load", "names"} & {alias.name for alias in node.names if node.module == "wideangle.data"}
        elif isinstance(node, ast.Import):
            assert all(importlib.util.find_spec(alias.name) for alias in node.names)


@pytest.mark.slow
def test_rare_classes():
    lines = lines_of("rare_classes")
    plain, regularised = told(lines, "Bernoulli machine")
    _, gain, of_larger, of_rarer = (after - before for before, after in zip(plain, regularised, strict=True))
    assert gain > 0.03
    assert of_rarer > of_larger > 0
    start, ours = told(lines, "Replicated Softmax")
    assert start[1] > plain[1] + 0.05
    assert abs(ours[1] - start[1]) < 0.02


@pytest.mark.slow
def test_three_granularities():
    found = told(lines_of("three_granularities"), "granularity")
    assert [row[0] for row in found] == [0, 0.25, 0.5, 0.75, 1]
    assert found[0][1] > found[2][1] > found[-1][1]
    assert found[0][2] < found[2][2] < found[-1][2]


@pytest.mark.slow
def test_topics_as_a_map():
    lines = lines_of("topics_as_a_map")
    documents, topics, smallest, largest = numbers(lines[0])
    assert documents > 1000
    assert topics > 20
    assert largest > 5 * smallest
    assert sum("least sure" in line for line in lines) == 3


@pytest.mark.slow
def test_topics_over_time():
    lines = lines_of("topics_over_time")
    found = [re.match(r"\d: +\d+ documents, (\d+)% of them (\w+):", line) for line in lines]
    found = [match for match in found if match]
    assert {match[2] for match in found} == {"delivery", "charger", "invoice", "size"}
    assert all(int(match[1]) > 90 for match in found)
    assert told(lines, "topics found:")[0][0] > 4


@pytest.mark.slow
def test_small_collections():
    lines = lines_of("small_collections")
    words, ours = told(lines, "tf-idf")[0], told(lines, "ReplicatedSoftmax()")[0]
    assert all(mine > theirs for mine, theirs in zip(ours, words, strict=True))
    sizes = [told(lines, f"LSI, {size} components")[0] for size in (10, 20, 50)]
    best = [column.index(max(column)) for column in zip(*sizes, strict=True)]
    assert best[0] != best[-1]


@pytest.mark.slow
def test_your_own_vectors():
    lines = lines_of("your_own_vectors")
    (cosine,), (taught,) = told(lines, "cosine of the vectors"), told(lines, "taught by words")
    assert taught[1] > cosine[1]
    assert taught[3] > cosine[3]


@pytest.mark.slow
def test_what_an_angle_is():
    lines = lines_of("what_an_angle_is")
    assert told(lines, "these three:") == told(lines, "other lengths and signs:")
    (best,) = told(lines, "orthogonal components:")
    assert best[0] == best[-1]
    _, smallest, mean, closeness = zip(*told(lines, "λ ="), strict=True)
    assert list(smallest) == sorted(smallest)
    assert list(mean) == sorted(mean)
    assert list(closeness) == sorted(closeness, reverse=True)


@pytest.mark.slow
def test_thirteen_pushes():
    lines = lines_of("thirteen_pushes")
    angles = {line.split()[0]: numbers(line[14:])[:2] for line in lines[1:15]}
    assert len(angles) == 14
    (smallest, mean) = angles.pop("start")
    assert all(pushed[0] > smallest and pushed[1] > mean for pushed in angles.values())
    assert min(angles, key=lambda name: angles[name][1]) == "coherence"
    assert angles["bound"] == angles["volume"]
    assert lines[-1].endswith("vanished: bound")


@pytest.mark.slow
def test_convolutional_network():
    lines = lines_of("convolutional_network")
    plain, regularised = told(lines, "0.0")[0], told(lines, "0.1")[0]
    assert min(plain[0], regularised[0]) > 0.8
    assert abs(plain[0] - regularised[0]) < 0.03
    assert all(wide > narrow + 2 for wide, narrow in zip(regularised[1:], plain[1:], strict=True))


@pytest.mark.slow
def test_sparse_autoencoder():
    """Closer than 0.9, closer than 0.8, in use, error."""
    lines = lines_of("sparse_autoencoder")
    plain, by_angle, by_volume = (numbers(line)[-4:] for line in lines if line.strip().startswith("patches"))
    (random,) = (numbers(line)[-4:] for line in lines if line.strip().startswith("random"))
    assert plain[0] > 50
    assert by_angle[0] < plain[0] / 2
    assert by_volume[0] < plain[0] / 5
    assert min(by_angle[3], by_volume[3]) > plain[3]
    assert random[1] < by_volume[1]
    assert random[2] < plain[2]


@pytest.mark.slow
def test_bounds_against_angle():
    lines = lines_of("bounds_against_angle")
    at_0, _, at_90, _ = told(lines, "estimation:")[0]
    assert at_90 < at_0
    found = [numbers(line) for line in lines if line.endswith(tuple("0123456789")) and "°" in line][-4:]
    assert all(bound > 1000 * gap for _, _, gap, bound in found)
    assert found[-1][3] > found[0][3]
    assert found[-1][2] < found[0][2]


@pytest.mark.slow
def test_distances_on_wine():
    lines = lines_of("distances_on_wine")
    (two,), (plain,) = told(lines, "learned distance, 2 components"), told(lines, "the same, λ = 0")
    (columns,) = told(lines, "all columns")
    assert abs(two[0] - plain[0]) < 0.03
    assert two[0] > columns[0] - 0.03


@pytest.mark.slow
def test_filters_of_digits():
    lines = lines_of("filters_of_digits")
    zero, middle, large = [numbers(line) for line in lines if "°" in line]
    assert large[3] > max(zero[3], middle[3])
    assert large[4] < min(zero[4], middle[4])
    assert told(lines, "raw digits:")[0][0] > large[3]


@pytest.mark.slow
def test_gaussian_machine():
    lines = lines_of("gaussian_machine")
    alone, persistent = told(lines, "contrastive divergence")[0], told(lines, "persistent chains")[0]
    (four,), (one,) = told(lines, "4 free Gaussians")[0], told(lines, "1 free Gaussian")[-1]
    assert alone[0] < one < persistent[0] < four
    rows, _, drawn = (numbers(line.lstrip("abcdefghijklmnopqrstuvwxyz ")) for line in lines[-3:])
    assert all(abs(share - drawn_share) < 0.1 for share, drawn_share in zip(rows, drawn, strict=True))


@pytest.mark.slow
def test_strokes_of_digits():
    lines = lines_of("strokes_of_digits")
    found = [numbers(line) for line in lines if "°" in line]
    pixels = told(lines, "the pixels themselves: 3-NN")[0][0]
    assert [row[1] for row in found] == sorted(row[1] for row in found)
    assert all(row[4] < pixels + 0.005 for row in found)
    assert found[-1][3] > max(row[3] for row in found[:-1])


@pytest.mark.slow
def test_likelihood_with_doubt():
    lines = lines_of("likelihood_with_doubt")
    pairs = [
        pair
        for line in lines
        if "temperatures: off by" in line
        for pair in re.findall(r"([-+][\d.]+) ± ([\d.]+)", line)
    ]
    assert len(pairs) == 15
    assert all(abs(float(miss)) < 4 * float(error) + 0.05 for miss, error in pairs)
    estimate, exact = told(lines, "made to deceive: perplexity")[0], told(lines, "made to deceive, exactly:")[0]
    assert abs(estimate[0] - exact[0]) < 4 * estimate[1]
    assert exact[0] > 2 * exact[1]
    assert sum(line.endswith("doubt: none") for line in lines) == 2


@pytest.mark.slow
def test_my_reviews():
    lines = lines_of("my_reviews")
    printed = "\n".join(lines)
    topics = printed.split("$ wideangle topics")[1].split("$ wideangle search")[0]
    assert topics.splitlines()[-3].split()[2].startswith("charger")
    (grown,) = (line for line in lines if "grown" in line)
    assert "charger" in grown
    assert "harger" in printed.split("$ wideangle search")[1].splitlines()[3]
    assert "repeat another one" in printed
    assert "not used: 'stars'" in printed
    assert "of 18 new reviews 18 have one" in printed


@pytest.mark.slow
def test_my_torch_model_collapses():
    """Error, mean angle, close pairs, effective rank, dead units."""
    lines = lines_of("my_torch_model_collapses")
    (plain,) = told(lines, "plain")
    fast = {row[0]: row[1:] for row in told(lines, "λ =")}
    slow = {row[0]: row[1:] for row in told(lines, "rate 0.003, λ =")}
    elu = {row[0]: row[1:] for row in told(lines, "rate 0.003, ELU, λ =")}
    assert fast[0] == plain
    assert plain[3] < 20
    assert plain[4] > 10
    assert fast[10][0] < plain[0] / 3
    assert fast[10][3] > 45
    assert slow[0][4] > 5
    assert slow[0][0] < plain[0] / 2
    assert slow[10][0] < slow[0][0] / 1.5
    assert elu[0][4] == 0
    assert elu[0][0] < 1.3 * elu[10][0]
    assert slow[100][0] > slow[10][0]
    assert elu[100][0] > elu[10][0]


@pytest.mark.slow
def test_reproduce_a_table():
    lines = lines_of("reproduce_a_table")
    assert any(line.startswith("4 fits in") and line.endswith("0 failed, 0 left.") for line in lines)
    assert any(line.startswith("0 fits in") for line in lines)
    assert "MAR-RBM, weak against RBM, weak: better at K = 25." in lines
    records = [numbers(line) for line in lines if line.endswith("°")]
    assert [row[-1] < 20 for row in records] == [True, True, False, False]
    plain, ours = told(lines, "defaults, λ =")
    assert abs(plain[-1] - ours[-1]) < 0.03


@pytest.fixture
def live_pages(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(str(DOCS))
    module = importlib.import_module("live_pages")
    monkeypatch.setattr(module, "LIVE", tmp_path)
    monkeypatch.setattr(module, "PAGES", tmp_path / "pages")
    return module


def test_the_list_links_to_pages_that_were_built_and_tells_how_to_build_the_others(live_pages, tmp_path):
    live_pages.setup(None)
    (tmp_path / "pages" / "digits.html").touch()
    live_pages.setup(None)
    listed = (tmp_path / "list.txt").read_text(encoding="utf-8")
    assert "`Digits <../pages/digits.html>`__" in listed
    assert "../pages/docstrings.html" not in listed
    for name in ("docstrings", "20news", "reuters"):
        assert f"``make pages PAGES={name}``" in listed


def test_pages_whose_data_is_not_here_are_left_out(live_pages, monkeypatch, tmp_path):
    monkeypatch.delenv("WIDEANGLE_DATA", raising=False)
    assert [name for name, page in live_pages.LIVE_PAGES.items() if live_pages.lacks(page)] == ["20news", "reuters"]
    (tmp_path / live_pages.NEWS).touch()
    monkeypatch.setenv("WIDEANGLE_DATA", str(tmp_path))
    assert [name for name, page in live_pages.LIVE_PAGES.items() if live_pages.lacks(page)] == ["reuters"]


@pytest.mark.slow
def test_a_live_page_is_built(live_pages, tmp_path):
    live_pages.build("digits", live_pages.LIVE_PAGES["digits"])
    page = (tmp_path / "pages" / "digits.html").read_text(encoding="utf-8")
    assert "<title>DistanceLearner: 20 components</title>" in page

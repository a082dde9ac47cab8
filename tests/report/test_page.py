"""The page as a file."""

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from explorer import made_up
from page_texts import strings_of
from sklearn.exceptions import NotFittedError

from wideangle.documents import Documents
from wideangle.exceptions import DataError
from wideangle.models import BernoulliRBM, ReplicatedSoftmax
from wideangle.report import Page, explore
from wideangle.report import page as page_module
from wideangle.report.page import as_json, render

DATA = re.compile(r'<script type="application/json" id="data">(.*?)</script>', re.DOTALL)


def content_of(page):
    return json.loads(DATA.search(page.html).group(1))


def test_the_page_holds_everything_and_asks_for_nothing(model):
    page = explore(model)
    head = page.html[: page.html.index("<style>")]
    assert "default-src 'none'" in head
    assert "unsafe-inline" not in re.search(r"script-src ([^;]*)", head).group(1)
    assert "connect-src" not in head
    assert not re.search(r"(src|href)=[\"']?(https?:)?//", page.html)
    assert "http://" not in page.html.replace("http://www.w3.org/2000/svg", "")  # a name, which nobody fetches
    assert "https://" not in page.html
    assert "@@" not in re.sub(r'octet-stream" id="\w+">[^<]*', "", page.html)  # Packed bytes may have it.


def test_a_served_page_may_ask_its_server_and_no_other():
    head = render("served", {"served": True}).html.split("<style>")[0]
    assert "default-src 'none'" in head
    assert re.search(r"connect-src ([^;\"]*)", head).group(1) == "'self'"


def test_texts_come_packed_and_are_the_same_each_time():
    texts = {"names": ["one", "</script>"], "texts": ["ü 😀", ""], "titles": None, "order": [1, 0]}
    pages = [render("texts", {}, texts).html for _ in range(2)]
    assert pages[0] == pages[1]
    assert strings_of(pages[0]) == [("one", "", "ü 😀"), ("</script>", "", "")]
    assert 'id="texts"></script>' in render("none", {}).html


def test_the_documents_of_the_slider_stand_behind_the_script():
    models = [{"slider": {"own": 0.5, "steps": "AAEC"}}, {"slider": None}, {"slider": {"own": 0.1, "steps": "AwQF"}}]
    given = {"models": models}
    html = render("slider", given).html
    data = json.loads(html.split('id="data">')[1].split("</script>")[0])
    assert [model["slider"] for model in data["models"]] == [{"own": 0.5}, None, {"own": 0.1}]
    assert html.split('id="steps">')[1].split("</script>")[0].split(" ") == ["AAEC", "", "AwQF"]
    assert html.index('id="steps"') > html.index("(async () =>")
    assert models[0]["slider"]["steps"] == "AAEC"  # What was given is left as it was.


def test_all_styles_and_scripts_are_there_in_their_order():
    html = render("parts", {}).html
    static = Path(page_module.__file__).parent / "static"
    starts = {path.name: html.index(path.read_text(encoding="utf-8")[:60]) for path in static.glob("*.[cj]s*")}
    styles = sorted((name for name in starts if name.endswith(".css")), key=starts.get)
    scripts = sorted((name for name in starts if name.endswith(".js")), key=starts.get)
    assert styles == ["style.css", *sorted(set(styles) - {"style.css"})]
    assert scripts[:3] == ["base.js", "theme.js", "state.js"]
    assert scripts[-1] == "main.js"


def test_nothing_in_the_data_can_end_its_script():
    wild = '</script><!-- & \u2028\u2029 "quoted" \\ ü 😀'
    text = as_json({"x": [wild]})
    assert not set("<>&\u2028\u2029") & set(text)
    assert json.loads(text) == {"x": [wild]}


def test_data_that_is_no_number_is_refused_rather_than_written():
    with pytest.raises(ValueError, match="JSON"):
        as_json([float("nan")])


def test_a_title_is_text(model):
    assert "<title>&lt;b&gt; &amp; co</title>" in explore(model, title="<b> & co").html


def test_saving_replaces_a_file_whole(model, tmp_path):
    target = tmp_path / "page.html"
    target.write_text("old")
    assert explore(model).save(target) == target
    assert target.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]


def test_a_page_that_cannot_be_written_leaves_the_old_one(tmp_path):
    target = tmp_path / "page.html"
    target.write_text("old")
    with pytest.raises(UnicodeEncodeError):
        Page("\ud800", "broken").save(target)
    assert target.read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 1


def test_a_notebook_shows_it_in_a_frame_of_its_own(model):
    shown = explore(model, title='"quoted"')._repr_html_()
    assert shown.startswith("<iframe")
    assert shown.count("<") == 2  # the frame alone: the page within is escaped
    assert 'title="&quot;quoted&quot;"' in shown
    assert "allow-same-origin" not in shown


def test_the_page_is_small_enough():
    one, two = (made_up(20, 1000, 1000, seed) for seed in (0, 1))
    layout = np.random.default_rng(0).random((1000, 2))
    assert (
        len(explore(one, layout=layout).html.encode()) < 0.85e6
    )  # the scripts, and a quarter of a kilobyte a document
    assert len(explore(one, two, layout=layout).html.encode()) < 1.1e6


def test_what_is_lacking_is_said(model):
    bare = ReplicatedSoftmax(3, max_updates=2, random_state=0).fit(np.eye(9, dtype=int))
    content = content_of(explore(bare))
    assert content["vocabulary"][:2] == ["feature 1", "feature 2"]
    assert content["change"] is None
    assert "No documents" in content["lacking"][0]
    assert content["documents"] is content["classes"] is None
    unlabelled = replace(model.documents_, labels=None, label_names=None)
    assert "have no labels" in content_of(explore(model, documents=unlabelled))["lacking"][0]


def test_a_vocabulary_given_serves_both_models():
    X = np.random.default_rng(0).integers(0, 3, (30, 4))
    one, two = (ReplicatedSoftmax(K, max_updates=2, random_state=0).fit(X) for K in (2, 3))
    content = content_of(explore(one, two, vocabulary=["a", "b", "c", "d"]))
    assert content["vocabulary"] == ["a", "b", "c", "d"]
    assert all(set(unit) <= set("abcd") for each in content["models"] for unit in each["units"])


def test_classes_of_both_models_stand_in_one_row(model, other):
    rows = content_of(explore(model, other))["change"]["classes"]
    assert [row["name"] for row in rows] == [f"class {number}" for number in range(5)]
    assert all(len(row["precision"]) == 2 and None not in row["precision"] for row in rows)


def test_errors_say_what_came(model):
    with pytest.raises(DataError, match="2 words.* 60 columns"):
        explore(model, vocabulary=["a", "b"])
    with pytest.raises(DataError, match="Documents; got ndarray"):
        explore(model, documents=np.eye(3))
    with pytest.raises(NotFittedError):
        explore(BernoulliRBM())
    with pytest.raises(TypeError, match="got object"):
        explore(object())


def test_components_that_are_not_finite_are_refused():
    broken = BernoulliRBM(2, max_updates=1).fit(np.eye(3))
    broken.components_ = broken.components_ * np.nan
    with pytest.raises(DataError, match="not all finite"):
        explore(broken)


def test_documents_given_go_before_those_carried(model):
    given = Documents.of(np.eye(6), names=[f"mine {number}" for number in range(6)])
    names = [name for name, _, _ in strings_of(explore(model, documents=given).html)]
    assert names == [f"mine {number}" for number in range(6)]

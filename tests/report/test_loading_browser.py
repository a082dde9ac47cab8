"""What the page shows before it is drawn, and what it shows where that fails."""

import re

import pytest
from browsing import text, until
from page_content import content, page

from wideangle.report.page import render

pytestmark = pytest.mark.slow


def test_title_and_number_of_documents_stand_there_before_any_script(desktop, tmp_path):
    made = page(content(1200))
    path = tmp_path / "page.html"
    path.write_text(re.sub(r"<script>.*?</script>", "", made.html, flags=re.DOTALL))
    desktop.get(path.as_uri())
    assert text(desktop, "#title") == "Topics of made-up texts"
    assert text(desktop, "#loading") == "Loading 1,200 documents …"


def test_they_stand_there_while_the_data_is_read(desktop, tmp_path):
    source = """
    const parse = JSON.parse;
    JSON.parse = (text) => {
      if (text.length > 5000) window.saidBefore ??= document.getElementById("loading")?.innerText;
      return parse(text);
    }"""
    script = desktop.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": source})
    try:
        desktop.get(page(content(1200)).save(tmp_path / "page.html").as_uri())
        until(desktop, "return document.documentElement.dataset.unpacked")
        assert desktop.execute_script("return window.saidBefore") == "Loading 1,200 documents …"
        assert not desktop.execute_script("return document.getElementById('loading')")
    finally:
        desktop.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", script)


def test_the_map_is_drawn_before_what_is_further_down(desktop, tmp_path):
    source = """
    new MutationObserver(() => {
      const root = document.documentElement;
      if (!root.dataset.drawn || window.seenAtFirst) return;
      const pen = document.getElementById("points").getContext("2d"), { width, height } = pen.canvas;
      window.seenAtFirst = {
        points: pen.getImageData(0, 0, width, height).data.some((value) => value > 0),
        panel: document.getElementById("panel").innerText,
        change: document.getElementById("change").hidden, cards: document.querySelectorAll("#topic-panel .card").length,
      };
    }).observe(document, { attributes: true, subtree: true, attributeFilter: ["data-drawn"] });"""
    script = desktop.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": source})
    try:
        desktop.get(page(content(1200)).save(tmp_path / "page.html").as_uri())
        until(desktop, "return document.documentElement.dataset.unpacked")
        first = desktop.execute_script("return window.seenAtFirst")
        assert first["points"]
        assert first["panel"].startswith("What lies where")
        assert first["change"]
        assert first["cards"] == 0
        names = ["usable", "drawn", "ready", "unpacked"]
        moments = [int(desktop.execute_script(f"return document.documentElement.dataset.{name}")) for name in names]
        assert moments == sorted(moments)
        assert not desktop.execute_script("return document.getElementById('change').hidden")
        assert len(desktop.find_elements("css selector", "#topic-panel .card")) == 4
    finally:
        desktop.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", script)


def test_without_documents_it_is_loading_too():
    assert 'role="status">Loading …<' in render("nothing", {}).html


def test_a_page_that_cannot_be_drawn_says_so(desktop, tmp_path):
    broken = page().html.replace('id="data">{', 'id="data">{{')
    path = tmp_path / "page.html"
    path.write_text(broken)
    desktop.get(path.as_uri())
    until(desktop, "return document.getElementById('loading').innerText.startsWith('This page could not be drawn:')")
    assert any("JSON" in line["message"] for line in desktop.get_log("browser"))

"""The page in a real browser, opened from disk. Every test ends with a look at the console."""

import json
import math
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest
from _browser import drawn, open_file
from browsing import (
    click,
    contrast,
    emulate,
    hash_of,
    over,
    pixels,
    places,
    point_at,
    press,
    rest,
    rgb,
    slide,
    text,
    texts_of,
    type_query,
    until,
)
from page_content import HOSTILE, WORDS, content, packed, page, texts


def colour_at(image, place):
    return image[round(place[1]), round(place[0])]


def is_grey(colour):
    return int(max(colour[:3])) - int(min(colour[:3])) < 25


# The map


@pytest.mark.slow
@pytest.mark.parametrize("dark", [False, True])
def test_every_document_is_a_mark_that_stands_out(look, dark):
    given = content()
    for node in given["models"][0]["topics"]["nodes"]:
        node["name"] = ""  # short labels cover few points
    browser = look(given, dark=dark)
    image, card = pixels(browser), rgb(browser, "card")
    marks = [over(colour_at(image, place), card) for place in places(browser, given["documents"]["points"])]
    strong = np.array([contrast(mark, card) >= 3 for mark in marks])
    assert strong.mean() > 0.9  # the others are under labels
    assert len({tuple(np.rint(mark / 8)) for mark in np.array(marks)[strong]}) >= 4  # a colour per topic
    assert browser.execute_script("return document.getElementById('points').dataset.labels") == "4"


@pytest.mark.slow
def test_a_sharp_screen_gets_a_sharp_map(look):
    browser = look(ratio=2)
    size = browser.execute_script("const c = document.getElementById('points'); return [c.width, c.clientWidth]")
    assert size[0] == 2 * size[1]


@pytest.mark.slow
def test_a_click_on_a_point_tells_of_its_document(look):
    given = content(n_models=2)
    browser = look(given)
    assert "4 topics" in text(browser, "#panel")
    where = places(browser, given["documents"]["points"])
    lonely = lonely_document(where, browser)
    point_at(browser, where[lonely])
    panel = text(browser, "#panel")
    assert panel.split("\n")[1] == f"file{lonely}.txt"
    assert ("birds" if lonely % 6 < 3 else "fishes") in panel
    assert texts_of(browser, "#panel mark") == [f"Word{10 * (lonely % 6)}"]
    assert hash_of(browser) == f"#document={lonely + 1}"
    heads = texts_of(browser, "#panel h4")
    assert heads[0].startswith("Nearest in plain")
    assert heads[1].startswith("Nearest in regularised")
    near = (lonely + 6) % 120
    assert texts_of(browser, "#panel ul .link")[0] == f"file{near}.txt"
    assert text(browser, "#status") == f"Document file{lonely}.txt"
    click(browser, "#panel ul .link")
    assert text(browser, "#panel h3") == f"file{near}.txt"
    browser.back()
    until(browser, "return document.querySelector('#panel h3').innerText === arguments[0]", f"file{lonely}.txt")
    browser.back()
    until(browser, "return document.querySelector('#panel').innerText.includes('4 topics')")


def lonely_document(where, browser):
    """A document that is far from all others, so that a click can mean no other, and from the labels."""
    image = pixels(browser)
    apart = np.linalg.norm(where[:, None] - where[None], axis=2) + 1e9 * np.eye(len(where))
    for number in np.argsort(-apart.min(1)):
        x, y = where[number].round().astype(int)
        if not image[y - 14 : y - 8, x - 8 : x + 8, 3].any() and not image[y + 8 : y + 14, x - 8 : x + 8, 3].any():
            return int(number)
    raise AssertionError("every document is near another")


@pytest.mark.slow
def test_under_the_mouse_are_name_and_topic(look):
    given = content()
    browser = look(given)
    where = places(browser, given["documents"]["points"])
    lonely = lonely_document(where, browser)
    point_at(browser, where[lonely], press_button=False)
    until(browser, "return !document.querySelector('.tip').hidden")
    assert text(browser, ".tip").split("\n")[0] == f"file{lonely}.txt"
    assert "word" in text(browser, ".tip").split("\n")[1]


@pytest.mark.slow
@pytest.mark.parametrize("at", ["#class=2", "#topic=9"])
def test_a_filter_greys_the_others(look, at):
    given = content()
    browser = look(given, at=at)
    image, card = pixels(browser), rgb(browser, "card")
    fishes = np.arange(120) % 6 >= 3
    kept = fishes if at == "#class=2" else ~fishes  # node 8, which counts as 9, holds leaves 0, 1 and 2
    where = places(browser, given["documents"]["points"])
    marks = np.array([over(colour_at(image, place), card) for place in where])
    coloured = np.array([not is_grey(mark) for mark in marks])
    assert coloured[kept].mean() > 0.8
    assert coloured[~kept].mean() < 0.05
    assert not browser.execute_script("return document.getElementById('clear').hidden")
    click(browser, "#clear")
    assert hash_of(browser) == ""
    assert text(browser, "#status") == "Nothing is selected"


@pytest.mark.slow
def test_the_map_moves_by_keys_wheel_and_buttons(look):
    from selenium.webdriver import ActionChains
    from selenium.webdriver.common.actions.wheel_input import ScrollOrigin
    from selenium.webdriver.common.keys import Keys

    browser = look()
    still = pixels(browser)

    def is_moved():
        rest(browser)
        return not np.array_equal(pixels(browser), still)

    canvas = browser.find_element("id", "points")
    browser.execute_script("arguments[0].focus()", canvas)
    press(browser, "+")
    ActionChains(browser).key_down(Keys.SHIFT).send_keys(Keys.ARROW_LEFT).key_up(Keys.SHIFT).perform()
    assert is_moved()
    press(browser, "0")
    assert not is_moved()
    ActionChains(browser).scroll_from_origin(ScrollOrigin.from_element(canvas), 0, -300).perform()
    assert is_moved()
    click(browser, ".zoom button:last-child")
    assert not is_moved()
    click(browser, ".zoom button:first-child")
    assert is_moved()
    click(browser, ".zoom button:nth-child(2)")
    assert not is_moved()
    ActionChains(browser).drag_and_drop_by_offset(canvas, 80, 40).perform()
    assert is_moved()
    until(browser, "return location.hash.startsWith('#at=') && !location.hash.includes('&')")  # a drag selects nothing


@pytest.mark.slow
def test_two_fingers_zoom(look):
    browser = look()
    still = pixels(browser)
    centre = browser.execute_script(
        "const box = document.getElementById('points').getBoundingClientRect();"
        "return [box.x + box.width / 2, box.y + box.height / 2]"
    )
    for kind, apart in (("touchStart", 40), ("touchMove", 80), ("touchMove", 160), ("touchEnd", None)):
        fingers = [] if apart is None else [{"x": centre[0] + side * apart, "y": centre[1]} for side in (-1, 1)]
        browser.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": fingers})
    rest(browser)
    assert not np.array_equal(pixels(browser), still)
    until(browser, "return /^#at=[-.\\d]+,[-.\\d]+,[.\\d]+$/.test(location.hash)")


@pytest.mark.slow
def test_a_topic_and_a_class_filter_together(look):
    browser = look()
    for field, value in (("topic-filter", "7"), ("class-filter", "1")):
        browser.execute_script(
            "const field = document.getElementById(arguments[0]); field.value = arguments[1];"
            "field.dispatchEvent(new Event('change'))",
            field,
            value,
        )
    assert hash_of(browser) == "#topic=8&class=2"
    assert text(browser, "#panel h3") == "fishes"  # chosen last
    click(browser, "#topic-2")
    assert hash_of(browser) == "#topic=3"  # the list chooses a topic alone


@pytest.mark.slow
def test_a_document_chosen_far_below_is_shown_beside_the_map(look):
    browser = look(at="#topic=3")
    browser.execute_script("document.getElementById('components').scrollIntoView({behavior: 'instant'})")
    click(browser, "#topic-panel .examples .link")
    until(browser, "return document.getElementById('panel').getBoundingClientRect().top >= 0")
    assert text(browser, "#panel h3") == "file2.txt"


@pytest.mark.slow
def test_colour_by_class_or_by_who_finds(look):
    browser = look(n_models=2)
    choices = "return [...document.querySelectorAll('#colour button')].map(button => button.innerText)"
    assert browser.execute_script(choices) == ["topic", "class", "found by"]
    click(browser, "#colour button:nth-child(2)")
    assert texts_of(browser, "#panel .legend-list .link") == ["birds", "fishes"]
    click(browser, "#colour button:nth-child(3)")
    assert hash_of(browser) == "#colour=found"
    # Of four documents in a row the first model finds the last two, the second model the second and the last.
    assert texts_of(browser, "#panel .legend-list small") == ["30, 25%"] * 4
    assert texts_of(browser, "#panel .legend-head span") == ["found by", "documents"]


# Topics


@pytest.mark.slow
def test_a_topic_of_the_list_is_told_of_and_stands_out(look):
    browser = look()
    assert len(texts_of(browser, "#list li")) == 4
    click(browser, "#topic-2")
    assert text(browser, "#topic-panel h3") == "word20, word21, word22"
    assert text(browser, "#panel h3") == "word20, word21, word22"
    assert "22 documents" in text(browser, "#topic-panel .lead")
    assert "birds" in text(browser, "#topic-panel .shares")
    assert "file2.txt" in text(browser, "#topic-panel .examples")
    assert "word20 word21" in text(browser, "#topic-panel .phrases")
    # Its leaf is number 2; the centre of leaves 0 and 1 is 0.5, that of 3 and 4 is 3.5: 15 degrees per step.
    assert texts_of(browser, "#topic-panel .near b") == ["22°", "22°", "45°"]
    assert browser.execute_script("return document.querySelector('#list [aria-selected=true]').id") == "topic-2"
    assert hash_of(browser) == "#topic=3"


@pytest.mark.slow
def test_words_are_ranked_by_the_score_of_the_slider(look):
    given = content()
    frequency = np.arange(60) % 13 * 5 + 22
    given["frequency"] = packed(frequency, "<u4")
    browser = look(given, at="#topic=3")
    node = given["models"][0]["topics"]["nodes"][2]

    def score(column, a, e):
        n, size, f, p = 120, node["size"], frequency[column], 5.0
        prior_with, prior_without = p * f / n, p * (1 - f / n)
        inside = [a + prior_with, size - a + prior_without]
        outside = [f - a + prior_with, n - size - (f - a) + prior_without]
        ratio = math.log(inside[0] / inside[1]) - math.log(outside[0] / outside[1])
        return ratio * sum(1 / part for part in inside + outside) ** -(1 - e)

    orders = []
    for percent in (0, 60, 100):
        slide(browser, "#topic-panel .exclusive", percent)
        expected = sorted(node["words"], key=lambda word: -score(*word, percent / 100))
        assert texts_of(browser, "#topic-panel .word-rows th") == [WORDS[column] for column, _ in expected]
        assert texts_of(browser, "#panel .word-rows th") == [WORDS[column] for column, _ in expected]
        orders.append(expected)
    assert orders[0] != orders[2]


@pytest.mark.slow
def test_the_level_merges_and_splits(look):
    browser = look()
    shown = (
        "return [...document.querySelectorAll('#list li')].map(row => Number(row.dataset.node)).sort((a, b) => a - b)"
    )
    expected = {2: [8, 9], 3: [5, 7, 8], 4: [2, 5, 6, 7], 5: [2, 3, 4, 5, 6], 6: [0, 1, 2, 3, 4, 5]}
    for level, nodes in expected.items():
        slide(browser, "#level", level)
        assert browser.execute_script(shown) == nodes
        assert text(browser, "#topics-title") == f"{level} topics"
    click(browser, "#topic-1")
    slide(browser, "#level", 3)
    assert browser.execute_script("return document.querySelector('#list [aria-selected=true]').id") == "topic-8"
    length = "return history.length"
    before = browser.execute_script(length)
    slide(browser, "#level", 2)
    assert browser.execute_script(length) == before  # sliders do not fill the history


@pytest.mark.slow
def test_topics_sort_by_size_purity_and_angle(look):
    browser = look()
    nodes = "return [...document.querySelectorAll('#list li')].map(row => Number(row.dataset.node))"
    assert browser.execute_script(nodes) == [7, 6, 5, 2]  # 43, 40, 25 and 22 documents
    click(browser, "#sort button:nth-child(2)")
    assert browser.execute_script(nodes)[0] == 6  # all 40 documents are birds; node 2 has 20 of 22
    click(browser, "#sort button:nth-child(3)")
    assert browser.execute_script(nodes)[-1] == 6 or browser.execute_script(nodes)[0] in (2, 7, 5)
    figures = [int(row.split("\n")[-1].rstrip("°")) for row in texts_of(browser, "#list .figures")]
    assert figures == sorted(figures)


@pytest.mark.slow
def test_the_tree_unfolds(look):
    from selenium.webdriver.common.keys import Keys

    browser = look()
    click(browser, "#view button:last-child")
    assert browser.execute_script("return document.getElementById('list').getAttribute('role')") == "tree"
    count = "return document.querySelectorAll('#list li').length"
    before = browser.execute_script(count)
    browser.execute_script("document.getElementById('list').focus()")
    press(browser, Keys.ARROW_DOWN, Keys.ARROW_RIGHT)
    assert browser.execute_script(count) > before
    assert browser.execute_script("return document.querySelector('#list li').getAttribute('aria-expanded')") == "true"
    press(browser, Keys.ARROW_LEFT)
    assert browser.execute_script(count) == before


@pytest.mark.slow
def test_components_stay_reachable(look):
    browser = look()
    assert not browser.execute_script("return document.getElementById('components').open")
    click(browser, "#components summary")
    until(browser, "return document.querySelectorAll('#component-list li').length === 5")
    assert "word30, word31" in text(browser, "#component-3")
    assert texts_of(browser, "#component-0 .mark") == ["≈ 4"]
    click(browser, "#component-0 .mark")
    assert hash_of(browser) == "#component=4"


# Two models, search, addresses


@pytest.mark.slow
def test_a_switch_chooses_whose_topics_are_shown(look):
    given = content(n_models=2)
    given["models"][1]["topics"]["chosen"] = 3
    browser = look(given, at="#topic=3")
    click(browser, "#about summary")
    assert texts_of(browser, "#models strong") == ["plain", "regularised"]
    click(browser, "#switch button:last-child")
    assert hash_of(browser) == "#model=2"
    assert text(browser, "#topics-title") == "3 topics"
    assert text(browser, "#switch [aria-checked=true]") == "regularised"
    click(browser, "#topic-8")
    assert browser.execute_script("return document.querySelector('#panel .bars i').className") == "own second"
    colours = {rgb(browser, name).__repr__() for name in ("first", "second", "close")}
    assert len(colours) == 3


@pytest.mark.slow
def test_search_finds_words_topics_classes_and_documents(look):
    browser = look()
    type_query(browser, "WORD20")
    groups = browser.execute_script(
        "return [...document.querySelectorAll('#found [role=group]')].map(g => g.ariaLabel)"
    )
    assert groups == ["Words", "Topics", "Documents"]
    assert text(browser, "#found-0").startswith("Show 20 documents with “word20”")
    rows = texts_of(browser, "#found [role=group]:nth-child(2) .row")
    assert rows[0].startswith("word20 in 22 documents, among the words of 1 topic")
    assert "20 of 22 documents" in rows[1]
    assert len(texts_of(browser, "#found [role=group]:last-child .row")) == 8
    assert text(browser, "#found [role=group]:last-child .row").startswith("file2.txt birds")
    assert "22 results: 1 word, 1 topic, 0 classes, 20 documents" in text(browser, "#status")
    type_query(browser, "fish")
    click(browser, "#found .row")
    assert text(browser, "#panel h3") == "fishes"
    assert hash_of(browser) == "#class=2"
    type_query(browser, "file17.txt")
    click(browser, "#found .row")
    assert text(browser, "#panel h3") == "file17.txt"
    type_query(browser, "no such thing")
    assert "Nothing holds “no such thing”." in text(browser, "#found")
    assert "In no document that the page can search: “no”, “such”, “thing”." in text(browser, "#found")
    press(browser, "\ue00c")


@pytest.mark.slow
def test_everything_is_reached_by_keyboard(look):
    from selenium.webdriver.common.keys import Keys

    browser = look()
    focused = "return document.activeElement.id"
    press(browser, "/")
    assert browser.execute_script(focused) == "query"
    press(browser, "word3", Keys.ARROW_DOWN, Keys.ARROW_DOWN)
    chosen = "return document.getElementById('query').getAttribute('aria-activedescendant')"
    assert browser.execute_script(chosen) == "found-1"
    press(browser, Keys.ENTER)
    assert text(browser, "#panel h3").startswith("word")
    assert browser.execute_script("return document.getElementById('found').hidden")
    press(browser, Keys.ESCAPE)
    assert hash_of(browser) == ""
    press(browser, "/", Keys.ESCAPE)
    browser.execute_script("document.activeElement.blur()")
    press(browser, Keys.HOME)
    browser.execute_script("document.getElementById('skip').focus()")
    press(browser, Keys.ENTER)
    assert browser.execute_script(focused) == "list"
    assert hash_of(browser) == ""
    press(browser, Keys.ARROW_DOWN, Keys.ARROW_DOWN)
    assert hash_of(browser) == "#topic=7"  # node 6, the second largest
    assert browser.execute_script("return getComputedStyle(document.activeElement).outlineStyle") == "solid"
    press(browser, Keys.END)
    assert hash_of(browser) == "#topic=3"


@pytest.mark.slow
def test_an_address_restores_what_was_selected(look):
    browser = look(n_models=2, at="#model=2&level=5&document=8&colour=class")
    assert text(browser, "#panel h3") == "file7.txt"
    assert text(browser, "#topics-title") == "5 topics"
    assert text(browser, "#switch [aria-checked=true]") == "regularised"
    assert text(browser, "#colour [aria-checked=true]") == "class"


def test_an_address_of_something_else_is_no_harm(look):
    browser = look(at="#topic=999&document=-4&class=x&model=7&colour=red&level=banana&words=<b>")
    assert "4 topics" in text(browser, "#panel")


# Themes, paper, phones, notebooks


@pytest.mark.slow
def test_the_theme_is_the_systems_until_the_reader_chooses(look):
    for dark in (False, True):
        browser = look(dark=dark)
        theme = "return document.documentElement.dataset.theme"
        assert browser.execute_script(theme) == ("dark" if dark else "light")
        before = pixels(browser)
        click(browser, "#theme")
        rest(browser)
        assert browser.execute_script(theme) == ("light" if dark else "dark")
        assert not np.array_equal(pixels(browser), before)
        browser.execute_script("localStorage.clear()")


@pytest.mark.slow
@pytest.mark.parametrize("dark", [False, True])
def test_texts_and_marks_have_contrast(look, dark):
    browser = look(dark=dark)
    for background in ("paper", "card", "tint"):
        for ink in ("ink", "muted", "first", "second", "close"):
            assert contrast(rgb(browser, ink), rgb(browser, background)) >= 4.5, (ink, background)
    for mark in ("both", "neither", "focus"):
        assert contrast(rgb(browser, mark), rgb(browser, "card")) >= 3, mark


@pytest.mark.slow
def test_on_paper_it_is_light_and_lists_topics_with_words(look):
    browser = look(dark=True)
    emulate(browser, dark=True, media="print")
    until(browser, "return document.documentElement.dataset.theme === 'light'")
    shown = "return getComputedStyle(document.querySelector(arguments[0])).display"
    for control in ("#query", "#theme", ".zoom", "#panel", "#map-controls", "#list", "#components"):
        assert (
            browser.execute_script("return document.querySelector(arguments[0]).getClientRects().length", control) == 0
        )
    assert browser.execute_script(shown, "#points") == "block"
    boxes = "return document.querySelectorAll('.printed-topic')[3].getClientRects().length"
    assert browser.execute_script(boxes) > 0
    printed = texts_of(browser, ".printed-topic")
    assert len(printed) == 4
    assert "word20" in " ".join(printed)
    assert "word23" in " ".join(printed)
    emulate(browser, dark=True)
    until(browser, "return document.documentElement.dataset.theme === 'dark'")


@pytest.mark.slow
def test_a_phone_shows_one_part_at_a_time(look):
    browser = look(n_models=2, width=390, height=844)
    seen = "return ['map', 'topics'].filter(id => document.getElementById(id).getClientRects().length)"
    assert browser.execute_script(seen) == ["map"]
    assert browser.execute_script("return document.documentElement.scrollWidth") <= 390
    assert browser.execute_script("return document.documentElement.scrollHeight") < 2 * 844
    small = (
        "return [...document.querySelectorAll('button, select, input')].filter(n => n.getClientRects().length)"
        ".filter(n => n.getBoundingClientRect().height < 40).map(n => n.outerHTML)"
    )
    assert browser.execute_script(small) == []
    click(browser, "#tabs button:last-child")
    assert browser.execute_script(seen) == ["topics"]
    assert browser.execute_script("return document.documentElement.scrollHeight") < 2 * 844
    click(browser, "#topic-2")
    sheet = "const box = document.getElementById('panel').getBoundingClientRect(); return [box.bottom, box.width]"
    # The sheet belongs to the page, whichever part is seen.
    assert browser.execute_script(sheet) == [844, 390]
    assert text(browser, "#panel h3") == "word20, word21, word22"
    click(browser, "#panel .close")
    assert not browser.execute_script("return document.getElementById('panel').getClientRects().length")


@pytest.mark.slow
def test_inside_a_notebooks_frame(desktop, look, tmp_path):
    browser = look()
    path = tmp_path / "notebook.html"
    path.write_text(f"<!doctype html><meta charset=utf-8><body>{page()._repr_html_()}</body>", encoding="utf-8")
    browser.get(path.as_uri())
    browser.switch_to.frame(0)
    drawn(browser)
    refuse = "history.pushState = () => { throw new DOMException('no history here', 'SecurityError') }"
    browser.execute_script(refuse)  # as some notebooks do
    browser.execute_script("window.faults = []; addEventListener('error', (event) => faults.push(event.message))")
    click(browser, "#topic-2")
    assert text(browser, "#panel h3") == "word20, word21, word22"
    click(browser, "#theme")
    assert browser.execute_script("return window.faults") == []
    browser.switch_to.default_content()


# What users wrote, and what is lacking


@pytest.mark.slow
def test_what_users_wrote_stays_text(look):
    given, written = content(n_models=2), texts()
    given["title"] = f"</title>{HOSTILE}"
    given["facts"] = [HOSTILE]
    given["vocabulary"][20] = HOSTILE
    given["classes"][0]["name"] = HOSTILE
    given["models"][0]["name"] = HOSTILE
    given["models"][0]["units"][2][0] = HOSTILE
    given["models"][0]["topics"]["nodes"][2]["name"] = HOSTILE
    given["models"][0]["topics"]["nodes"][2]["phrases"] = [HOSTILE]
    written["names"][2] = written["texts"][2] = HOSTILE
    browser = look(given, at="#topic=3", written=written)
    click(browser, "#about summary")
    for place in (
        "#title",
        "#subjects",
        "#facts",
        "#models",
        "#switch",
        "#list",
        "#class-filter",
        "#topic-filter",
        "#panel",
        "#panel .words",
        "#panel .phrases",
        "#panel .examples",
    ):
        assert HOSTILE in text(browser, place), place
    click(browser, "#components summary")
    click(browser, "#panel .examples .link")
    assert text(browser, "#panel h3") == HOSTILE
    assert HOSTILE in text(browser, "#panel .text")
    type_query(browser, "<img SRC")
    assert HOSTILE in text(browser, "#found")
    emulate(browser, media="print")
    until(browser, "return document.querySelector('.printed-topic')")
    assert HOSTILE in browser.execute_script("return document.getElementById('printed').textContent")
    assert browser.execute_script("return document.querySelectorAll('img').length") == 0
    assert browser.title.startswith("</title><img")


def test_without_documents_the_components_are_shown(look):
    given = content()
    given["documents"] = given["classes"] = None
    given["models"][0].update(topics=None, nearest=None, found=None, no_topics="No documents came with this model.")
    browser = look(given)
    assert "There is no map" in text(browser, "#map-says")
    assert "No documents came with this model." in text(browser, "#topics")
    assert len(texts_of(browser, "#component-list li")) == 5
    type_query(browser, "word31")
    assert "Component 4" in text(browser, "#found")


@pytest.mark.slow
def test_without_topics_or_classes_the_map_is_drawn(look):
    given = content()
    given["classes"] = given["documents"]["classes"] = given["documents"]["held_out"] = None
    given["models"][0].update(topics=None, found=None, no_topics="The documents have no words.")
    browser = look(given)
    assert pixels(browser)[..., 3].any()
    assert "The documents have no words." in text(browser, "#topics")
    assert not browser.execute_script("return document.getElementById('class-filter')")
    browser = look(given, at="#document=5")
    assert text(browser, "#panel h3") == "file4.txt"


def test_features_without_frequencies_or_texts(look):
    given = content()
    given.update(column="feature", frequency=None, vocabulary=[f"feature {number + 1}" for number in range(60)])
    browser = look(given, at="#topic=3", written={"names": None, "texts": None, "titles": None})
    assert text(browser, "#topic-panel .words").count("feature") == 8
    assert not browser.execute_script("return document.querySelector('.exclusive')")
    assert "Document 3" in text(browser, "#topic-panel .examples")
    assert "features" in browser.execute_script("return document.getElementById('query').placeholder")


def test_a_document_without_words_has_no_topic(look):
    given = content()
    leaves = np.arange(120) % 6
    leaves[7] = 65535
    given["models"][0]["topics"].update(leaves=packed(leaves, "<u2"), without=1)
    browser = look(given, at="#document=8")
    assert "none: it has no words" in text(browser, "#panel")
    assert "1 document without a topic" in text(browser, "#map-says")


def test_that_two_models_carry_other_documents_is_said_below_the_map(look):
    given = content(n_models=2)
    given["told"] = "plain and regularised differ in 3 of 120 texts."
    given["models"][1].update(nearest=None, found=None)
    given["models"][1]["topics"]["leaves"] = packed(np.full(120, 65535), "<u2")
    browser = look(given, at="#document=8")
    assert given["told"] in text(browser, "#map-says")
    assert "Nearest in plain" in text(browser, "#panel")
    assert "Nearest in regularised" not in text(browser, "#panel")


def test_components_that_are_pictures_are_drawn(look):
    given = content()
    values = np.full(12, 128)
    values[0], values[-1] = 255, 1
    given["models"][0]["pictures"] = {"height": 3, "width": 4, "values": [packed(values, "u1")] * 5}
    browser = look(given, at="#component=2")
    dots = browser.execute_script(
        "const c = document.querySelector('#component-1 canvas');"
        "const all = [...c.getContext('2d').getImageData(0, 0, 4, 3).data];"
        "return [[c.width, c.height], ...[0, 5, 11].map(dot => all.slice(4 * dot, 4 * dot + 4))]"
    )
    assert dots[0] == [4, 3]
    assert dots[1][0] > dots[1][2] + 50  # red above zero
    assert is_grey(dots[2])
    assert dots[3][2] > dots[3][0] + 50  # blue below


@pytest.mark.slow
def test_twenty_thousand_documents(look):
    given = content(20_000)
    browser = look(given)
    image = pixels(browser)
    assert (image[..., 3] > 0).mean() > 0.02
    assert "Map of 20,000 documents" in browser.find_element("id", "points").get_attribute("aria-label")
    click(browser, ".zoom button")
    rest(browser)
    assert not np.array_equal(pixels(browser), image)
    assert browser.execute_script("return document.querySelectorAll('*').length") < 3000


# The network


def test_nothing_is_fetched(desktop, tmp_path):
    open_file(desktop, page().save(tmp_path / "page.html"))
    assert desktop.execute_script("return performance.getEntriesByType('resource').map(entry => entry.name)") == []
    refused = "return fetch('http://127.0.0.1:9/').then(() => 'sent', (error) => 'refused')"
    assert desktop.execute_script(refused) == "refused"
    log = desktop.get_log("browser")  # the one line that this very question leaves there
    assert len(log) <= 2
    assert all("Content Security Policy" in line["message"] for line in log)


def test_a_served_page_asks_its_server(desktop):
    asked = []
    given = content()
    given["served"] = True
    body = page(given).html.encode()
    hit = {
        "name": "far.txt",
        "title": None,
        "text": HOSTILE,
        "label": "birds",
        "topic": 1,
        "shown": 11,
        "distance": 0.1,
    }

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            answer = json.dumps({"hits": [hit], "known": ["deep"], "unknown": ["sea"]}).encode()
            self.send_response(200 if re.match(r"/(search|$|#)", self.path) else 404)
            self.send_header("Content-Type", "text/html" if self.path == "/" else "application/json")
            self.end_headers()
            self.wfile.write(body if self.path == "/" else answer)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        desktop.get(f"http://127.0.0.1:{server.server_port}/")
        drawn(desktop)
        until(desktop, "return document.documentElement.dataset.unpacked")
        type_query(desktop, "deep sea & more")
        until(desktop, "return document.getElementById('found').innerText.includes('far.txt')")
        assert "/search?q=deep%20sea%20%26%20more&model=0" in asked
        assert "Not known to the model: sea." in text(desktop, "#found")
        assert HOSTILE in text(desktop, "#found")
        click(desktop, "#found [role=group]:last-of-type .row")
        assert text(desktop, "#panel h3") == "file11.txt"
    finally:
        server.shutdown()
        server.server_close()
    assert not [line for line in desktop.get_log("browser") if "favicon" not in line["message"]]

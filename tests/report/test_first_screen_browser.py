"""What the page says at first sight, in a browser: in plain words, and nothing that is cut or missing."""

import numpy as np
import pytest
from browsing import click, hash_of, text, texts_of
from page_content import content, many_topics


def test_documents_and_subjects_are_told_in_plain_words(look):
    browser = look(content())
    assert text(browser, "#subjects").startswith("120 documents about 4 subjects.")
    assert [part.strip() for part in texts_of(browser, "#subjects .end")] == [
        "The largest: word30, word40, word31 (43) and word0, word10, word1 (40).",
        "The rarest: word20, word21, word22 (22) and word50, word51, word52 (25).",
    ]
    click(browser, "#subjects .end:last-child .link")
    assert hash_of(browser) == "#topic=3"


@pytest.mark.parametrize("n_models", [1, 2])
def test_lambda_and_angles_are_folded_away(look, n_models):
    browser = look(content(n_models=n_models))
    for word in ("λ", "angle", "metric", "component"):
        assert word not in text(browser, "header")
    click(browser, "#about summary")
    assert text(browser, "#about summary") == ("About the model" if n_models == 1 else "About the models")
    told = text(browser, "#models")
    assert "λ = " in told
    assert "70° mean angle" in told


def test_the_regularised_model_is_opened_where_the_page_says_so(look):
    given = content(n_models=2)
    given["opens"] = 1
    browser = look(given)
    assert text(browser, "#switch [aria-checked=true]") == "regularised"
    assert hash_of(browser) == ""
    click(browser, "#switch button:first-child")
    assert hash_of(browser) == "#model=1"
    browser = look(given, at="#model=1")
    assert text(browser, "#switch [aria-checked=true]") == "plain"


def test_a_colour_means_one_thing(look):
    """Blue and vermilion are those of two models: no topic has them, and one model alone does not use them."""
    hues = {}
    for n_models in (1, 2):
        browser = look(content(n_models=n_models))
        swatches = browser.execute_script(
            "return [...document.querySelectorAll('#list .swatch')].map(n => getComputedStyle(n).backgroundColor)"
        )
        models = [
            browser.execute_script(
                "return getComputedStyle(document.documentElement).getPropertyValue(arguments[0]).trim()", name
            )
            for name in ("--first", "--second")
        ]
        hues[n_models] = [[_hue([int(part) for part in swatch[4:-1].split(", ")]) for swatch in swatches], models]
    blue, vermilion = (_hue([int(value[k : k + 2], 16) for k in (1, 3, 5)]) for value in hues[2][1])
    for hue in hues[2][0]:
        assert min(abs((hue - other + 180) % 360 - 180) for other in (blue, vermilion)) > 12
    red, green, other = (int(hues[1][1][0][k : k + 2], 16) for k in (1, 3, 5))
    assert max(red, green, other) - min(red, green, other) < 30  # grey


def _hue(rgb):
    red, green, blue = np.array(rgb) / 255
    return np.degrees(np.arctan2(np.sqrt(3) * (green - blue), 2 * red - green - blue)) % 360


@pytest.mark.parametrize("width", [1440, 1024, 720, 390, 320])
def test_the_search_field_shows_all_it_says(look, width):
    browser = look(content(), width=width)
    wide, room = browser.execute_script(
        "const f = document.getElementById('query'), s = getComputedStyle(f), pen = document.createElement('canvas')"
        ".getContext('2d'); pen.font = `${s.fontSize} ${s.fontFamily}`; return [pen.measureText(f.placeholder).width,"
        "f.clientWidth - parseFloat(s.paddingLeft) - parseFloat(s.paddingRight)]"
    )
    assert 0 < wide <= room
    shown = browser.execute_script("return document.getElementById('query').placeholder")
    assert shown.startswith("Search words")
    assert (shown == "Search words, topics, documents, classes") == (width > 500)
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width


def test_a_list_of_a_hundred_topics_has_a_hundred_rows(look):
    browser = look(many_topics(100))
    assert "100 topics" in text(browser, "#panel")
    assert len(texts_of(browser, "#panel .legend-list li")) == 60
    assert text(browser, "#legend-all") == "Show the other 40 too"
    click(browser, "#legend-all")
    assert len(texts_of(browser, "#panel .legend-list li")) == 100
    assert texts_of(browser, "#panel .legend-head span") == ["topic", "documents"]
    assert browser.execute_script("return document.activeElement.id") == "panel"


def test_columns_have_heads(look):
    browser = look(content())
    assert texts_of(browser, "#list-head .figures span") == ["docs", "class", "angle"]
    edges = "return [...document.querySelectorAll(arguments[0])].map(n => Math.round(n.getBoundingClientRect().right))"
    heads = browser.execute_script(edges, "#list-head .figures > *")
    assert heads == browser.execute_script(edges, "#list li:first-child .figures > *")
    given = content()
    given["classes"] = given["documents"]["classes"] = None
    for node in given["models"][0]["topics"]["nodes"]:
        node["classes"] = []
    browser = look(given)
    assert texts_of(browser, "#list-head .figures span") == ["docs", "angle"]

"""When documents of topics were written, in a real browser."""

import base64

import numpy as np
import pytest
from browsing import click, contrast, emulate, press, rgb, slide, text, texts_of, until
from page_content import HOSTILE, N_LEAVES, content

from wideangle.report.packing import variable_length

pytestmark = pytest.mark.slow

STARTS = [f"2024-{month:02}" for month in range(1, 13)]
COUNTS = np.arange(12 * (N_LEAVES + 1)).reshape(N_LEAVES + 1, 12) * 3 % 29  # of each leaf and of those without a topic
NODE = 6  # Leaves 0 and 1 together: a topic where there are four.
HEIGHTS = "return [...document.querySelectorAll(arguments[0] + ' .periods i')].map(bar => bar.offsetHeight)"


def dated(counts=COUNTS, n_models=1, starts=STARTS, undated=0):
    given = content(n_models=n_models)
    for number, model in enumerate(given["models"]):
        packed = base64.b64encode(variable_length((counts + number).ravel())).decode()
        model["over_time"] = {"period": "month", "starts": list(starts), "counts": packed, "undated": undated}
        sums = [*counts[:-1].sum(axis=1) + 12 * number]
        for one, other in model["topics"]["merges"]:
            sums.append(sums[one] + sums[other])
        for node, size in zip(model["topics"]["nodes"], sums, strict=True):
            node["size"] = int(size)
    return given


def charted(browser, box):
    """The counts that a chart tells those who do not see it."""
    unseen = "return document.querySelector(arguments[0] + ' .over-time .unseen').textContent"
    said = browser.execute_script(unseen, box)
    pairs = [part.rsplit(": ", 1) for part in said.split("; ")]
    return [start for start, _ in pairs], [int(number.replace(",", "")) for _, number in pairs]


def caption(browser, box="#panel"):
    return text(browser, f"{box} .over-time .said")


def test_a_topic_has_the_documents_of_its_leaves(look):
    browser = look(dated(), at=f"#topic={NODE + 1}")
    expected = COUNTS[0] + COUNTS[1]
    for box in ("#panel", "#topic-panel"):
        assert charted(browser, box) == (STARTS, expected.tolist())
    heights = np.array(browser.execute_script(HEIGHTS, "#panel"))
    np.testing.assert_allclose(heights / heights.max(), expected / expected.max(), atol=0.03)
    assert text(browser, "#panel .over-time figcaption") == "Documents per month"
    assert texts_of(browser, "#panel .over-time .ends :not(.said)") == ["2024-01", "2024-12"]
    assert caption(browser) == f"most in {STARTS[expected.argmax()]}: {expected.max()}"


def test_the_chart_follows_the_number_of_topics(look):
    browser = look(dated(), at=f"#topic={NODE + 1}")
    slide(browser, "#level", 2)  # Leaf 2 joins leaves 0 and 1.
    until(browser, "return location.hash.includes('topic=9')")
    assert charted(browser, "#panel")[1] == COUNTS[:3].sum(axis=0).tolist()
    click(browser, "#panel .close")
    assert charted(browser, "#panel")[1] == COUNTS.sum(axis=0).tolist()


def test_where_nothing_is_chosen_all_documents_are_charted(look):
    browser = look(dated(undated=1))
    assert charted(browser, "#panel")[1] == COUNTS.sum(axis=0).tolist()
    assert "1 document without a date is not counted." in text(browser, "#panel .over-time")


def test_a_topic_says_how_many_of_its_documents_have_no_date(look):
    given = dated()
    given["models"][0]["topics"]["nodes"][NODE]["size"] += 5
    browser = look(given, at=f"#topic={NODE + 1}")
    assert "5 documents without a date are not counted." in text(browser, "#panel .over-time")


def test_a_topic_of_which_no_document_has_a_date_has_no_chart(look):
    counts = COUNTS.copy()
    counts[:2] = 0
    given = dated(counts)
    given["models"][0]["topics"]["nodes"][NODE]["size"] = 40
    browser = look(given, at=f"#topic={NODE + 1}")
    assert not texts_of(browser, "#panel .over-time")
    assert "40 documents without a date are not counted." in text(browser, "#panel")


def test_keys_tell_one_period_after_another(look):
    from selenium.webdriver.common.keys import Keys

    browser = look(dated(), at=f"#topic={NODE + 1}")
    own, whole = COUNTS[0] + COUNTS[1], COUNTS.sum(axis=0)
    browser.execute_script("document.querySelector('#panel .periods').focus()")
    press(browser, Keys.HOME)
    share = f"{100 * own[0] / whole[0]:.1f}"
    assert caption(browser) == f"2024-01: {own[0]}, {share}% of all"
    assert text(browser, "#status") == f"2024-01: {own[0]} documents, {share}% of all"
    press(browser, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    assert caption(browser).startswith(f"2024-03: {own[2]}")
    press(browser, Keys.END, Keys.ARROW_RIGHT)
    assert caption(browser).startswith(f"2024-12: {own[11]}")
    assert browser.execute_script("return document.querySelectorAll('#panel .pointed').length") == 1
    press(browser, Keys.TAB)
    assert caption(browser).startswith("most in ")
    label = browser.execute_script("return document.querySelector('#panel .periods').getAttribute('aria-label')")
    assert f"2024-01 to 2024-12; most in {STARTS[own.argmax()]}: {own.max()}" in label


def test_the_mouse_tells_the_period_under_it(look):
    from selenium.webdriver import ActionChains

    browser = look(dated())
    whole = COUNTS.sum(axis=0)
    column = browser.find_elements("css selector", "#panel .periods span")[4]
    ActionChains(browser).move_to_element(column).perform()
    assert caption(browser) == f"2024-05: {whole[4]}"
    ActionChains(browser).move_to_element(browser.find_element("css selector", "#panel h3")).perform()
    assert caption(browser).startswith("most in ")


def test_each_row_of_the_list_has_a_small_chart(look):
    browser = look(dated())
    nodes = browser.execute_script("return [...document.querySelectorAll('#list li')].map(row => +row.dataset.node)")
    shapes = browser.execute_script("return [...document.querySelectorAll('#list .spark')].map(s => s.style.clipPath)")
    assert len(shapes) == len(nodes) == 4
    members = {6: [0, 1], 7: [3, 4], 2: [2], 5: [5]}
    for node, shape in zip(nodes, shapes, strict=True):
        own = COUNTS[members[node]].sum(axis=0)
        tops = [float(corner.split()[1].rstrip("%")) for corner in shape[len("polygon(") : -1].split(",")][1:-1]
        np.testing.assert_allclose(np.repeat(own / own.max(), 2), 1 - np.array(tops) / 100, atol=0.006)


def test_each_of_two_models_has_its_own_counts(look):
    browser = look(dated(n_models=2))
    assert charted(browser, "#panel")[1] == COUNTS.sum(axis=0).tolist()
    click(browser, "#switch [aria-checked=false]")
    assert charted(browser, "#panel")[1] == (COUNTS + 1).sum(axis=0).tolist()
    assert charted(browser, "#all-over-time")[1] == (COUNTS + 1).sum(axis=0).tolist()


def test_pages_without_dates_have_nothing_of_it(look):
    browser = look(at=f"#topic={NODE + 1}")
    for selector in (".over-time", ".periods", ".spark", ".spark-head", "#all-over-time > *"):
        assert not texts_of(browser, selector)


@pytest.mark.parametrize("dark", [False, True])
def test_bars_are_seen_on_the_card(look, dark):
    browser = look(dated(), dark=dark)
    assert contrast(rgb(browser, "muted"), rgb(browser, "card")) > 3


@pytest.mark.parametrize("n_periods", [2, 24, 300])
def test_a_phone_shows_all_bars_and_all_documents(look, n_periods):
    counts = np.arange((N_LEAVES + 1) * n_periods).reshape(N_LEAVES + 1, n_periods) % 7
    given = dated(counts, starts=[f"{1000 + k}" for k in range(n_periods)])
    browser = look(given, at="#tab=topics", width=390, height=844)
    edges = browser.execute_script(
        "const spans = [...document.querySelectorAll('#all-over-time .periods span')];"
        "const bars = spans.map(span => span.getBoundingClientRect());"
        "return [bars.length, bars.at(0).left, bars.at(-1).right, document.documentElement.scrollWidth]"
    )
    assert edges[0] == n_periods
    assert 0 <= edges[1] < edges[2] <= 390
    assert edges[3] <= 390
    assert charted(browser, "#all-over-time")[1] == counts.sum(axis=0).tolist()


def test_paper_shows_the_chart_of_all_documents_and_of_each_topic(look):
    browser = look(dated())
    emulate(browser, media="print")
    until(browser, "return document.querySelector('.printed-topic')")
    seen = "return [...document.querySelectorAll(arguments[0])].filter(node => node.getClientRects().length).length"
    assert browser.execute_script(seen, "#all-over-time .over-time") == 1
    assert browser.execute_script(seen, ".printed-topic .spark") == 4


def test_names_of_periods_are_text(look):
    browser = look(dated(starts=[HOSTILE, *STARTS[1:]]))
    assert HOSTILE in text(browser, "#panel .over-time .ends")
    assert browser.execute_script("return document.title") != "hit"
    assert not browser.execute_script("return document.querySelectorAll('.over-time img').length")

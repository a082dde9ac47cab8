"""The map by mouse, lasso, keys and address, in a browser."""

import csv
import io
import time

import numpy as np
import pytest
from _browser import drawn
from browsing import click, hash_of, pixels, places, point_at, press, rest, slide, text, texts_of, until
from page_content import content, many_topics

pytestmark = pytest.mark.slow


def focused(browser):
    return browser.execute_script("return document.activeElement.id || document.activeElement.tagName")


def focus_map(browser):
    browser.execute_script("document.getElementById('points').focus()")


# Names


@pytest.mark.parametrize(("n_topics", "width"), [(6, 1400), (40, 1400), (100, 1400), (150, 1024), (100, 390)])
def test_no_name_is_missing(look, n_topics, width):
    """Each topic has its name on the map or below it."""
    browser = look(many_topics(n_topics), width=width)
    on_map = int(browser.execute_script("return document.getElementById('points').dataset.labels"))
    below = texts_of(browser, "#unplaced .link")
    assert on_map + len(below) == n_topics
    assert on_map > (12 if width < 600 else min(n_topics - 1, 30))
    if n_topics == 6:
        assert browser.execute_script("return document.getElementById('unplaced').hidden")
    if below:
        click(browser, "#unplaced .link")
        assert text(browser, "#panel h3") == below[0]


def test_names_stand_beside_their_points(look):
    """A name covers few points, and lies close to those of its topic."""
    given = many_topics(30)
    browser = look(given)
    image = pixels(browser)
    where = places(browser, given["documents"]["points"]).round().astype(int)
    seen = np.array([image[y, x, 3] > 200 for x, y in where])
    assert seen.mean() > 0.95
    assert browser.execute_script("return document.getElementById('points').dataset.labels") == "30"


def test_the_points_fill_the_map(look):
    given = content()
    for width, height in ((1440, 900), (1024, 768), (390, 844)):
        browser = look(given, width=width, height=height)
        size = browser.execute_script(
            "const c = document.getElementById('points'); return [c.clientWidth, c.clientHeight]"
        )
        image = pixels(browser)[..., 3] > 200
        rows, columns = np.flatnonzero(image.any(1)), np.flatnonzero(image.any(0))
        assert (columns[-1] - columns[0]) / size[0] > 0.85
        assert (rows[-1] - rows[0]) / size[1] > 0.85


# More and fewer topics


def test_more_and_fewer_topics_beside_the_map(look):
    browser = look()
    assert text(browser, "#map-level-says") == "4"
    click(browser, "#more-topics")
    assert (text(browser, "#map-level-says"), text(browser, "#topics-title")) == ("5", "5 topics")
    assert hash_of(browser) == "#level=5"
    browser.execute_script("document.getElementById('fewer-topics').focus()")
    for level in (4, 3, 2):
        press(browser, "\ue007")
        assert text(browser, "#map-level-says") == str(level)
        assert focused(browser) == ("fewer-topics" if level > 2 else "points") or level == 2
    assert browser.execute_script("return document.getElementById('fewer-topics').disabled")
    slide(browser, "#map-level", 6)
    assert text(browser, "#topics-title") == "6 topics"
    assert text(browser, "#subjects").startswith("120 documents about 6 subjects")
    browser.back()
    until(browser, "return document.getElementById('map-level-says').innerText !== '6'")


def test_topics_merge_in_motion_unless_that_is_not_wanted(look):
    browser = look()
    watch = (
        "window.seen = []; const map = document.getElementById('points');"
        "new MutationObserver(() => seen.push(map.toDataURL())).observe(map, {attributeFilter: ['data-moving']})"
    )
    browser.execute_script(watch)
    click(browser, "#fewer-topics")
    until(browser, "return window.seen.length && !document.getElementById('points').dataset.moving")
    pictures = browser.execute_script("return [...window.seen, document.getElementById('points').toDataURL()]")
    assert len(set(pictures)) > 2
    browser = look(still=True)
    browser.execute_script(watch)
    click(browser, "#fewer-topics")
    rest(browser)
    assert browser.execute_script("return window.seen") == []
    assert text(browser, "#map-level-says") == "3"


# The address


def test_the_address_holds_what_is_seen_of_the_map(look):
    browser = look(still=True)
    whole = pixels(browser)
    focus_map(browser)
    press(browser, "+", "+", "+")
    until(browser, "return location.hash.startsWith('#at=')")
    rest(browser)
    address, part = hash_of(browser), pixels(browser)
    assert not np.array_equal(part, whole)
    browser = look(at=address, still=True)
    rest(browser)
    np.testing.assert_array_equal(pixels(browser), part)
    browser.back()  # to the empty page from which the address was opened
    browser.forward()
    drawn(browser)
    press(browser, "0")


def test_back_undoes_what_was_done_and_does_not_leave_by_surprise(look):
    browser = look(still=True)
    here = browser.current_url
    focus_map(browser)
    press(browser, "+", "+")
    until(browser, "return location.hash.startsWith('#at=')")
    place = hash_of(browser)
    slide(browser, "#map-level", 5)
    slide(browser, "#map-level", 6)
    slide(browser, "#map-level", 3)
    click(browser, "#topic-5")
    browser.back()  # the topic
    until(browser, "return location.hash === arguments[0]", place.replace("#", "#level=3&"))
    browser.back()  # all moves of the slider at once
    until(browser, "return location.hash === arguments[0]", place)
    assert text(browser, "#map-level-says") == "4"
    browser.back()
    until(browser, "return location.hash === ''")
    assert browser.current_url.split("#")[0] == here.split("#")[0]


def test_on_a_phone_back_leads_to_the_tab_before(look):
    browser = look(width=390, height=844)
    # Clicks of a mouse: Chromium's Back passes over steps that a script makes without a reader's hand.
    browser.find_element("css selector", "#tabs button:last-child").click()
    assert hash_of(browser) == "#tab=topics"
    browser.find_element("id", "topic-2").click()
    browser.back()
    until(browser, "return !document.body.classList.contains('sheet')")
    until(browser, "return location.hash === '#tab=topics'")
    assert browser.execute_script("return document.body.dataset.tab") == "topics"
    browser.back()
    until(browser, "return document.body.dataset.tab === 'map'")


def test_a_wrong_place_in_the_address_is_no_harm(look):
    for at in ("#at=x,y,z", "#at=1", "#lasso=1.2.3", "#lasso=a.b.c.d.e.f", "#lasso=1.1.1.5000.3.3"):
        browser = look(at=at)
        assert "4 topics" in text(browser, "#panel")


# The lasso


def draw_around(browser, centre, radius, *, ready=True):
    from selenium.webdriver import ActionChains

    if ready:
        click(browser, "#lasso")
    edge = browser.execute_script("return document.getElementById('points').getBoundingClientRect().toJSON()")
    actions = ActionChains(browser, duration=5)
    turns = np.linspace(0, 2 * np.pi, 24)
    ring = np.array(centre) + radius * np.column_stack([np.cos(turns), np.sin(turns)]) + [edge["x"], edge["y"]]
    actions.w3c_actions.pointer_action.move_to_location(*map(int, ring[0]))
    actions.w3c_actions.pointer_action.pointer_down()
    for place in ring[1:]:
        actions.w3c_actions.pointer_action.move_to_location(*map(int, place))
    actions.w3c_actions.pointer_action.pointer_up()
    actions.perform()


def test_what_is_drawn_around_is_listed_and_saved(look):
    given = content()
    written = {
        "names": [f'file "{number}", a' for number in range(120)],
        "texts": ["Text"] * 120,
        "titles": [f"Überschrift {number}" for number in range(120)],
    }
    browser = look(given, written=written)
    where = places(browser, given["documents"]["points"])
    leaf = np.flatnonzero(np.arange(120) % 6 == 2)
    centre = where[leaf].mean(0)
    draw_around(browser, centre, 130)
    inside = np.flatnonzero(np.linalg.norm(where - centre, axis=1) < 122)
    outside = np.flatnonzero(np.linalg.norm(where - centre, axis=1) > 138)
    until(browser, "return location.hash.startsWith('#lasso=')")
    listed = {int(name.split()[-1]) for name in texts_of(browser, "#panel .picked .link")}
    assert set(inside) <= listed
    assert not listed & set(outside)
    assert text(browser, "#panel h3") == f"{len(listed)} documents in the selection"
    assert text(browser, "#status") == f"{len(listed)} documents in the selection"
    assert browser.execute_script("return document.getElementById('lasso').getAttribute('aria-pressed')") == "false"
    browser.execute_script(
        "window.saved = null; URL.createObjectURL = (blob) => { blob.text().then(t => window.saved = t);"
        "return 'data:,'; }"
    )
    browser.execute_script("HTMLAnchorElement.prototype.click = function () { window.file = this.download }")
    click(browser, "#save-csv")
    until(browser, "return window.saved !== null")
    table = list(csv.reader(io.StringIO(browser.execute_script("return window.saved").lstrip("\ufeff"))))
    assert browser.execute_script("return window.file") == "selection.csv"
    assert table[0] == ["name", "title", "topic", "class"]
    assert {row[0] for row in table[1:]} == {f'file "{number}", a' for number in listed}
    number = sorted(listed)[0]
    assert [f'file "{number}", a', f"Überschrift {number}", "word20, word21, word22", "birds"] in table
    address = hash_of(browser)
    click(browser, "#panel .picked .link")
    assert text(browser, "#panel h3").startswith("Überschrift ")
    click(browser, "#panel .close")
    assert text(browser, "#panel h3").endswith("in the selection")
    again = look(given, at=address, written=written)
    assert len(texts_of(again, "#panel .picked .link")) == len(listed)
    click(again, "#clear")
    assert hash_of(again) == ""
    assert focused(again) == "points"


def test_an_empty_lasso_says_so(look):
    browser = look(content())
    size = browser.execute_script("const c = document.getElementById('points'); return [c.clientWidth, c.clientHeight]")
    draw_around(browser, [size[0] / 2, size[1] / 2], 25)
    until(browser, "return location.hash.startsWith('#lasso=')")
    assert "No document lies within the line." in text(browser, "#panel")
    assert not texts_of(browser, "#save-csv")
    browser.execute_script("document.querySelector('#panel .close').focus()")
    press(browser, "\ue007")
    assert hash_of(browser) == ""


# Keys and the focus


def test_arrows_go_to_the_nearest_point_in_their_direction(look):
    from selenium.webdriver.common.keys import Keys

    given = content()
    browser = look(given, still=True)
    where = places(browser, given["documents"]["points"])
    size = browser.execute_script("const c = document.getElementById('points'); return [c.clientWidth, c.clientHeight]")
    focus_map(browser)
    press(browser, Keys.ARROW_RIGHT)
    now = int(np.linalg.norm(where - np.array(size) / 2, axis=1).argmin())
    assert text(browser, "#status").startswith(f"file{now}.txt, topic word")
    for key, (dx, dy) in ((Keys.ARROW_RIGHT, (1, 0)), (Keys.ARROW_UP, (0, -1)), (Keys.ARROW_LEFT, (-1, 0))) * 3:
        press(browser, key)
        step = where - where[now]
        along, aside = step @ [dx, dy], np.abs(step @ [dy, dx])
        cost = np.where((along > 0) & (aside <= along), along + 2 * aside, np.inf)
        if np.isinf(cost).all():
            cost = np.where(along > 0, along + 2 * aside, np.inf)
        now = int(cost.argmin()) if np.isfinite(cost).any() else now
        assert text(browser, "#status").startswith(f"file{now}.txt,")
    assert not browser.execute_script("return document.querySelector('.tip').hidden")
    press(browser, Keys.ENTER)
    assert text(browser, "#panel h3") == f"file{now}.txt"
    assert focused(browser) == "points"
    press(browser, Keys.ESCAPE)
    assert hash_of(browser) == ""
    assert focused(browser) == "points"


def test_every_document_is_reached_by_keys(look):
    browser = look(content(40))
    focus_map(browser)
    said = []
    for _ in range(40):
        press(browser, "n")
        said.append(text(browser, "#status").split(",")[0])
    assert said == [f"file{number}.txt" for number in range(40)]
    press(browser, "n", "p", "p")
    assert text(browser, "#status").startswith("file38.txt")


def test_the_focus_is_not_lost_when_parts_are_drawn_anew(look):
    from selenium.webdriver.common.keys import Keys

    browser = look(content(n_models=2))
    browser.execute_script("document.getElementById('topic-filter').focus()")
    press(browser, Keys.ARROW_DOWN)
    until(browser, "return location.hash.startsWith('#topic=')")
    assert focused(browser) == "topic-filter"
    browser.execute_script("document.querySelector('#panel .link').focus()")
    press(browser, Keys.ENTER)
    assert focused(browser) == "panel"
    browser.execute_script("document.querySelector('#panel .close').focus()")
    press(browser, Keys.ENTER)
    assert focused(browser) == "panel"


def test_shapes_tell_topics_apart_without_colour(look):
    browser = look(many_topics(20))
    shapes = browser.execute_script("return [...document.querySelectorAll('#list .swatch')].map(n => n.className)")
    assert len(set(shapes)) == 5
    assert max(shapes.count(shape) for shape in set(shapes)) <= 8
    click(browser, "#colour button:nth-child(2)")
    shapes = browser.execute_script(
        "return [...document.querySelectorAll('.legend-list .swatch')].map(n => n.className)"
    )
    assert len(set(shapes)) == 2  # of two classes


def test_a_point_is_clicked_where_it_is_drawn_however_the_map_is_stretched(look):
    given = content(12)
    browser = look(given, width=1440, height=700)
    where = places(browser, given["documents"]["points"])
    time.sleep(0.2)
    point_at(browser, where[5] + [2, 1])
    assert text(browser, "#panel h3") == "file5.txt"

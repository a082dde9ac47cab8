"""The slider from broad to fine in a real browser: it computes what the library computes."""

import base64
import re
import threading
import time
from importlib.resources import files

import numpy as np
import pytest
from _browser import drawn
from browsing import click, emulate, hash_of, press, slide, text, texts_of, type_query, until
from page_content import content, page
from page_models import fitted
from scipy.special import logit

from wideangle.baselines.documents import LSI
from wideangle.documents import Reading
from wideangle.report import explore
from wideangle.report.broad_to_fine import KNOTS, slider_content
from wideangle.report.map_documents import shown_documents
from wideangle.report.server import server_of
from wideangle.report.views import view_of
from wideangle.searching import Searcher
from wideangle.view import QUERY_SHARE, ModelView

LAYOUT = np.random.default_rng(0).uniform(-1, 1, (150, 2))
BETWEEN = (0.1, 0.4, 0.65, 0.85)
OWN = 0.5
VALUE = "return document.getElementById('granularity').getAttribute(arguments[0])"


@pytest.fixture(scope="module")
def two_pages(model):
    """The page of one model, and that of two with granularities of their own."""
    broad = fitted(K=8, seed=3, diversity=0.0).set_params(granularity="groups")
    return explore(model, layout=LAYOUT), explore(model, broad, names=("mine", "broad"), layout=LAYOUT)


@pytest.fixture
def look(desktop, tmp_path):
    """Open a page at an address; in the end the console may hold no line."""

    def open_page(made, at="", **emulated):
        emulate(desktop, **emulated)
        desktop.get("about:blank")
        desktop.get(made.save(tmp_path / "page.html").as_uri() + at)
        drawn(desktop)
        until(desktop, "return document.documentElement.dataset.unpacked")
        return desktop

    yield open_page
    emulate(desktop)
    assert not desktop.get_log("browser")


def move(browser, granularity):
    slide(browser, "#granularity", round(100 * (1 - granularity)))


def listed(browser, *, last=False):
    """The numbers of the nearest documents in the panel, of the last model or of the first."""
    lists = browser.execute_script(
        "return [...document.querySelectorAll('#panel ul.plain')].map(list =>"
        " [...list.querySelectorAll('.link')].map(link => link.textContent))"
    )
    return [int(re.search(r"\d+", name)[0]) for name in lists[-1 if last else 0]]


def computed(browser, granularity, n, number=0):
    """What the page's own script makes of what the model said of the documents."""
    static = files("wideangle.report").joinpath("static")
    script = "".join(static.joinpath(name).read_text(encoding="utf-8") for name in ("base.js", "finishing.js"))
    asked = f"{script}\nreturn [...finishedAt(arguments[0], arguments[1]).rows]"
    return np.reshape(browser.execute_script(asked, number, granularity), (n, -1))


def cosines(one, other):
    return (one * other).sum(axis=1) / np.linalg.norm(one, axis=1) / np.linalg.norm(other, axis=1)


def nearness(vectors, document):
    """The squared distances of all documents from one, which is not its own neighbour."""
    apart = ((vectors - vectors[document]) ** 2).sum(axis=1)
    apart[document] = np.inf
    return apart


def rounded_logits(slider):
    """The logits that the page has, in steps of what details make of them."""
    kinds = {"low": "<f4", "step": "<f4", "steps": "u1"}
    low, step, steps = (np.frombuffer(base64.b64decode(slider[name]), kind) for name, kind in kinds.items())
    return 4 * logit((low + step * steps.reshape(-1, slider["components"]).astype(float)).clip(1e-7, 1 - 1e-7))


def test_the_browser_finishes_as_the_library_does(look, two_pages, model):
    browser = look(two_pages[0])
    rounded = rounded_logits(slider_of(model))
    for granularity in (*KNOTS, *BETWEEN):
        found = computed(browser, granularity, 150)
        if granularity in KNOTS:
            np.testing.assert_allclose(found, model._finished(rounded, granularity), atol=2e-5)
        # The page has logits in 255 steps, and mixes distances between the knots.
        close = cosines(found, ModelView.of(model).vectors(model.documents_, granularity))
        assert close.min() > (0.999 if granularity in KNOTS else 0.998)
        assert np.median(close) > 0.9998
        np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1, rtol=1e-5)


@pytest.mark.slow
def test_vectors_that_are_no_logits_and_documents_without_words(look, model):
    X = model.documents_.words.matrix(60).toarray()
    X[[4, 77]] = 0
    lsi = LSI(4, finish="halves").fit(X)
    documents = ModelView.of(lsi).documents(X, names=[f"file{number}.txt" for number in range(150)])
    browser = look(explore(lsi, documents=documents, layout=LAYOUT), "#document=5")
    written = np.delete(np.arange(150), [4, 77])
    for granularity in KNOTS:
        found = computed(browser, granularity, 150)
        expected = ModelView.of(lsi).vectors(documents, granularity)
        assert cosines(found[written], expected[written]).min() > 0.999
        assert not found[[4, 77]].any()
    move(browser, 0.25)
    assert listed(browser)[0] == 77  # Nothing is as near to a document without words as another one.


def test_nearest_documents_follow_the_slider(look, two_pages, model):
    document = 7
    browser = look(two_pages[0], f"#document={document + 1}")
    lists = {}
    for granularity in (1.0, 0.9, 0.65, OWN, 0.25, 0.1, 0.0):
        move(browser, granularity)
        lists[granularity] = listed(browser)
        vectors = ModelView.of(model).vectors(model.documents_, granularity).astype(float)
        apart = nearness(vectors, document)
        np.testing.assert_allclose(apart[lists[granularity]], np.sort(apart)[:5], atol=0.01)
    assert lists[0.0] != lists[1.0]
    assert not any(document in found for found in lists.values())


@pytest.mark.slow
def test_of_many_documents_nearly_all_neighbours_are_the_librarys(look, two_pages, model):
    browser = look(two_pages[0])
    for granularity in (0.0, 0.4, 1.0):
        found = computed(browser, granularity, 150)
        exact = ModelView.of(model).vectors(model.documents_, granularity).astype(float)
        shared = [
            len({*np.argsort(nearness(found, d))[:5]} & {*np.argsort(nearness(exact, d))[:5]}) for d in range(150)
        ]
        assert np.mean(shared) > 4.7


def test_it_starts_at_the_models_own_granularity_and_comes_back_to_it(look, two_pages):
    browser = look(two_pages[0], "#document=8")
    assert browser.execute_script("return document.getElementById('granularity').value") == "50"
    assert browser.execute_script(VALUE, "aria-valuetext") == "balance"
    assert browser.execute_script(VALUE, "aria-label") == "Compare documents, from broad to fine"
    assert "follow the slider" not in text(browser, "#map-says")
    before = listed(browser)
    move(browser, 0.0)
    assert hash_of(browser) == "#document=8&granularity=0"
    assert (browser.execute_script(VALUE, "aria-valuetext"), text(browser, "#granularity-name")) == ("details",) * 2
    assert "Nearest documents and the number of topics follow the slider" in text(browser, "#map-says")
    move(browser, OWN)
    assert hash_of(browser) == "#document=8"
    assert listed(browser) == before


@pytest.mark.slow
def test_a_granularity_between_two_steps_is_found_again(look):
    model = fitted().set_params(granularity=0.33)
    browser = look(explore(model, layout=LAYOUT))
    assert browser.execute_script(VALUE, "aria-valuetext") == "0.33"
    slide(browser, "#granularity", 70)
    assert browser.execute_script(VALUE, "aria-valuetext") == "0.3"
    slide(browser, "#granularity", 65)
    assert browser.execute_script(VALUE, "aria-valuetext") == "0.33"
    assert hash_of(browser) == ""


def test_an_address_restores_the_slider(look, two_pages):
    browser = look(two_pages[0], "#document=8&granularity=0.25")
    restored = listed(browser)
    topics = text(browser, "#topics-title")
    assert browser.execute_script("return document.getElementById('granularity').value") == "75"
    browser = look(two_pages[0], "#document=8")
    move(browser, 0.25)
    assert hash_of(browser) == "#document=8&granularity=0.25"
    assert (listed(browser), text(browser, "#topics-title")) == (restored, topics)


@pytest.mark.quick_cases(2)
@pytest.mark.parametrize(
    ("given", "position"), [("7", 0), ("-3", 100), ("x", 50), ("", 50), ("NaN", 50), ("1e999", 50)]
)
def test_an_address_of_no_granularity_is_no_harm(given, position, look, two_pages):
    browser = look(two_pages[0], f"#granularity={given}")
    assert browser.execute_script("return document.getElementById('granularity').value") == str(position)


@pytest.mark.slow
def test_it_moves_by_keys_and_the_panel_stays_where_it_was_scrolled_to(look, two_pages):
    from selenium.webdriver.common.keys import Keys

    browser = look(two_pages[0], "#document=8", height=480)
    browser.execute_script("document.getElementById('panel').style.height = '120px'")
    scroll = "return document.getElementById('panel').scrollTop"
    browser.execute_script("document.getElementById('panel').scrollTop = 60")
    assert browser.execute_script(scroll) == 60
    browser.execute_script("document.getElementById('granularity').focus()")
    length = browser.execute_script("return history.length")
    press(browser, Keys.ARROW_RIGHT)
    assert hash_of(browser) == "#document=8&granularity=0.45"
    press(browser, Keys.HOME)
    assert browser.execute_script(VALUE, "aria-valuetext") == "groups"
    press(browser, Keys.END)
    assert browser.execute_script(VALUE, "aria-valuetext") == "details"
    assert browser.execute_script("return document.activeElement.id") == "granularity"
    assert browser.execute_script("return history.length") == length + 1  # all its moves are one step for Back
    assert browser.execute_script(scroll) == 60


# Topics, on a page whose topics are known: four of six leaves are chosen


def with_slider(model, n_models=1):
    """The page made by hand, with the slider of a real model of as many documents."""
    given = content(150, n_models)
    given["models"][0]["slider"] = slider_of(model)
    return given


def slider_of(model):
    """What the page of a model has for its slider."""
    view = view_of(model, "mine", None, None)
    return slider_content(view, shown_documents([view], LAYOUT))["slider"]


def test_the_number_of_topics_follows_until_the_user_sets_it(look, model):
    browser = look(page(with_slider(model)))
    shown = "return document.querySelectorAll('#list li').length"
    numbers = {}
    for granularity in (1.0, 0.75, OWN, 0.25, 0.0):
        move(browser, granularity)
        numbers[granularity] = browser.execute_script(shown)
        assert text(browser, "#topics-title") == f"{numbers[granularity]} topics"
    # 4 chosen; 4/4 is less than the least, 2; 8 is more than there are, 6. Between: 4 · (2/4)^½ and 4 · (8/4)^½.
    assert numbers == {1.0: 2, 0.75: 3, OWN: 4, 0.25: 6, 0.0: 6}
    slide(browser, "#level", 5)
    assert hash_of(browser) == "#level=5&granularity=0"
    assert browser.execute_script(shown) == 5
    assert text(browser, "#topics-controls .quiet") == "Back to 6"
    move(browser, 0.75)
    assert hash_of(browser) == "#granularity=0.75"
    assert browser.execute_script(shown) == 3


@pytest.mark.slow
def test_a_chosen_topic_gives_way_to_the_one_that_holds_it(look, model):
    browser = look(page(with_slider(model)), "#topic=3")
    move(browser, 1.0)
    assert hash_of(browser) == "#topic=9&granularity=1"  # leaf 2 is part of node 8, which counts as 9
    assert browser.execute_script("return document.querySelector('#list [aria-selected=true]').id") == "topic-8"


def test_a_page_without_a_slider_looks_as_before(look):
    browser = look(page(content()), "#granularity=0.2&document=8")
    assert browser.execute_script("return document.getElementById('broad-fine').getClientRects().length") == 0
    assert text(browser, "#topics-title") == "4 topics"
    assert hash_of(browser) == "#granularity=0.2&document=8"
    click(browser, "#panel .close")
    assert hash_of(browser) == ""


def test_why_there_is_no_slider_stands_below_the_map(look):
    given = content()
    given["models"][0].update(slider=None, no_slider="There is no slider from broad to fine for mine: it is large.")
    assert "There is no slider from broad to fine for mine: it is large." in text(look(page(given)), "#map-says")


# Two models


def test_two_models_follow_one_slider(look, two_pages):
    browser = look(two_pages[1], "#document=8")
    before = listed(browser), listed(browser, last=True)
    click(browser, "#switch button:last-child")
    assert browser.execute_script(VALUE, "aria-valuetext") == "groups"
    click(browser, "#switch button:first-child")
    assert browser.execute_script(VALUE, "aria-valuetext") == "balance"
    move(browser, 0.0)
    details = listed(browser), listed(browser, last=True)
    assert details[0] != before[0]
    assert details[1] != before[1]
    topics = []
    for number in (1, 2):
        click(browser, f"#switch button:nth-child({number})")
        assert browser.execute_script(VALUE, "aria-valuetext") == "details"
        topics.append(len(texts_of(browser, "#list li")))
    chosen = browser.execute_script(
        "return JSON.parse(document.getElementById('data').textContent).models.map(({topics}) => "
        "[topics.chosen, (topics.nodes.length + 1) / 2])"
    )
    assert topics == [min(2 * n, leaves) for n, leaves in chosen]


@pytest.mark.slow
def test_beside_a_model_without_one_the_slider_names_its_model(look, model):
    given = with_slider(model, n_models=2)
    browser = look(page(given), "#document=8")
    assert browser.execute_script("return document.querySelectorAll('#broad-fine .shape').length") == 1
    before = listed(browser), listed(browser, last=True)
    move(browser, 0.0)
    assert listed(browser) != before[0]
    assert listed(browser, last=True) == before[1]


# How it looks


@pytest.mark.slow
@pytest.mark.parametrize("dark", [False, True])
def test_on_a_phone_it_fits_and_can_be_touched(look, two_pages, dark):
    browser = look(two_pages[1], width=400, height=844, dark=dark)
    place = browser.execute_script("return document.getElementById('granularity').getBoundingClientRect().toJSON()")
    assert place["height"] >= 40
    assert place["width"] >= 64
    assert place["right"] < 400
    assert browser.execute_script("return document.documentElement.scrollWidth") <= 400
    emulate(browser, media="print")
    assert browser.execute_script("return document.getElementById('granularity').getClientRects().length") == 0


# A served page


def test_a_served_search_follows_the_slider(desktop, monkeypatch):
    model = fitted()
    model.reading_ = Reading("counts", r"\b[a-z0-9]{3,}\b")
    asked = []
    search = Searcher.search

    def noted(*given, **more):
        asked.append((given[1], more["granularity"]))
        return search(*given, **more)

    monkeypatch.setattr(Searcher, "search", noted)
    with server_of(model, layout=LAYOUT) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            emulate(desktop)
            desktop.get(server.address)
            drawn(desktop)
            until(desktop, "return document.documentElement.dataset.unpacked")
            type_query(desktop, "word7 word20")
            rows = "[...document.querySelectorAll('[aria-label^=Nearest] strong')].map(node => node.innerText)"
            until(desktop, f"return {rows}.length === 8")
            assert asked[-1] == ("word7 word20", None)
            for granularity in (0.0, 1.0):
                desktop.execute_script("document.getElementById('granularity').focus()")
                before = len(asked)
                move(desktop, granularity)
                until_asked(asked, before)
                assert asked[-1] == ("word7 word20", QUERY_SHARE * granularity)
                found = search(
                    Searcher(ModelView.of(model), model.documents_),
                    "word7 word20",
                    8,
                    granularity=QUERY_SHARE * granularity,
                )
                names = [hit.title for hit in found.hits]
                until(desktop, f"return {rows}.join() === arguments[0].join()", names)
            assert "topics and searches follow the slider" in text(desktop, "#map-says")
            press(desktop, "\ue00c")  # Escape closes what was found, and nothing else
            assert desktop.execute_script("return document.getElementById('found').hidden")
        finally:
            server.shutdown()
            thread.join(10)
    assert not [line for line in desktop.get_log("browser") if "favicon" not in line["message"]]


def until_asked(asked, before):
    for _ in range(200):
        if len(asked) > before:
            return
        time.sleep(0.02)
    raise AssertionError("the page did not ask again")

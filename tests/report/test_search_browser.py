"""The search of a page that is opened from disk."""

import json
import threading
from dataclasses import replace

import numpy as np
import pytest
from browsing import click, hash_of, press, rest, slide, text, texts_of, type_query, until
from page_content import HOSTILE, content, packed, page, texts
from page_models import fitted

from wideangle.data import count_words
from wideangle.documents import KeptTexts, Reading, Strings
from wideangle.models import ReplicatedSoftmax
from wideangle.report import explore, map_documents
from wideangle.report.server import server_of
from wideangle.searching import Searcher
from wideangle.view import ModelView

pytestmark = pytest.mark.slow

ENTER = "\ue007"
STREETS = ["The car crossed Carolina", "A scar, no vehicle", "Carolina in June", "My car, your car", "the été of 1999"]


@pytest.fixture
def search(visit):
    """Open a page, and ask its box."""

    def ask(made, query):
        browser = visit(made) if made is not None else ask.browser
        ask.browser = browser
        until(browser, "return document.documentElement.dataset.unpacked")
        type_query(browser, query)
        press(browser, ENTER)
        return browser

    return ask


def results(browser):
    return texts_of(browser, "#panel .results .link")


def streets(n_copies=1, **reading):
    """A model of a few short texts, which knows the words of two documents or more."""
    written = STREETS * n_copies
    corpus = count_words(written, min_df=1, stop_words=("the", "and"), token_pattern=r"\w+")
    model = ReplicatedSoftmax(2, max_updates=5, random_state=0, device="cpu").fit(corpus.counts)
    model.vocabulary_ = corpus.vocabulary.tolist()
    model.reading_ = Reading("counts", r"\w+", stop_words=("the", "and"), **reading)
    names = [f"street {number}" for number in range(len(written))]
    model.documents_ = ModelView.of(model).documents(corpus.counts, texts=written, names=names, counts=corpus.counts)
    return model


def test_documents_are_ranked_as_the_library_ranks_them_by_words(search):
    model = fitted()
    searcher = Searcher(ModelView.of(model), model.documents_)
    made, browser = explore(model), None
    for query in ("word3", "word3 word17", "word41 word8 word22 word30"):
        browser = search(made if browser is None else None, query)
        expected = searcher.index.scores([int(word.removeprefix("word")) for word in query.split()])
        having = int((expected > 0).sum())
        assert text(browser, "#panel h3") == f"{having} documents for “{query}”"
        while browser.execute_script("return document.querySelector('.results + .quiet')"):
            click(browser, ".results + .quiet")
        names = texts_of(browser, "#panel .results .link")
        found = [int(name.removeprefix("The beginning of document ").removesuffix(".")) for name in names]
        assert len(found) == having
        np.testing.assert_allclose(expected[found], np.sort(expected)[::-1][:having], rtol=1e-9)


def test_words_are_whole_words(search):
    browser = search(explore(streets()), "car")
    assert sorted(results(browser)) == ["My car, your car", "The car crossed Carolina"]
    assert texts_of(browser, "#panel .results mark") == ["car"] * 6  # in titles and texts
    type_query(browser, "carol")  # It begins a word, which is suggested, and is none.
    assert text(browser, "#found-0").startswith("carolina in 2 documents")
    assert "Show" not in text(browser, "#found")
    type_query(browser, "arolina")
    assert "carolina in" not in text(browser, "#found")


def test_stop_words_unknown_words_and_accents_are_told(search):
    browser = search(explore(streets()), "the car and zebra")
    assert text(browser, "#panel h3") == "2 documents for “the car and zebra”"
    said = text(browser, "#panel")
    assert "Left out as stop words: “the”, “and”." in said
    assert "In no document that the page can search: “zebra”." in said
    browser = search(None, "ete")
    assert results(browser) == ["the été of 1999"]


def test_a_word_that_the_model_lacks_is_looked_for_in_the_texts(search):
    given = content()
    browser = search(page(given), "others")
    assert text(browser, "#panel h3") == "120 documents for “others”"
    assert "looked for in titles and the first 1,500 characters of texts only: “others”." in text(browser, "#panel")


def test_all_hits_are_to_be_had_and_stand_out_on_the_map(search):
    browser = search(page(content(600)), "word20")
    assert text(browser, "#panel h3") == "100 documents for “word20”"
    assert len(results(browser)) == 20
    click(browser, ".results + .quiet")
    assert len(results(browser)) == 100
    assert browser.execute_script("return document.activeElement.textContent") == results(browser)[20]
    assert "100 of 100 results are listed" in text(browser, "#status")
    assert not browser.execute_script("return document.getElementById('clear').hidden")
    click(browser, "#panel .results .link")
    assert text(browser, "#panel h3") == "file2.txt"
    assert hash_of(browser) == "#document=3&query=word20"
    click(browser, "#panel .close")
    assert text(browser, "#panel h3") == "100 documents for “word20”"
    click(browser, "#clear")
    assert hash_of(browser) == ""


def test_the_map_greys_what_is_not_found(search):
    from browsing import over, pixels, places, rgb

    given = content()
    browser = search(page(given), "word20")
    rest(browser)
    image, card = pixels(browser), rgb(browser, "card")
    where = places(browser, given["documents"]["points"])
    marks = np.array([over(image[round(y), round(x)], card) for x, y in where])
    coloured = np.ptp(marks, axis=1) >= 25
    hits = np.arange(120) % 6 == 2
    assert coloured[hits].mean() > 0.8
    assert coloured[~hits].mean() < 0.05


def test_related_words_are_named_and_used_where_few_documents_are_found(search):
    given = content()
    related = np.full((60, 4), 65535)
    related[20, 0], related[59, 0], related[7, 0] = 21, 30, 59
    given["search"]["related"] = packed(related, "<u2")
    browser = search(page(given), "word20")  # 20 documents are enough.
    assert texts_of(browser, "#panel .related .chip") == ["word21"]
    assert "Without" not in text(browser, "#panel")
    browser = search(None, "word7")  # No document has it; every seventh has its relative.
    assert text(browser, "#panel h3") == "0 documents for “word7”"
    assert "Without this word, but with related ones" in text(browser, "#panel")
    assert texts_of(browser, "#panel ol:last-of-type .link")[:2] == ["file0.txt", "file7.txt"]
    click(browser, "#panel .related .chip")
    assert hash_of(browser) == "#query=word7%20word59"
    assert text(browser, "#panel h3") == "18 documents for “word7 word59”"


def test_a_page_with_a_part_of_the_documents_says_so(search):
    given = content()
    given["documents"]["count"] = 5000
    browser = search(page(given), "word20")
    assert "Searched: the 120 documents on this page, of 5,000." in text(browser, "#panel")
    assert "--serve" in text(browser, "#panel")


def test_without_an_index_texts_are_searched_and_that_is_said(search):
    from wideangle.report.page import render

    given = content()
    given["search"]["indexed"] = False
    browser = search(render("none", given, texts()), "word20")
    assert text(browser, "#panel h3") == "20 documents for “word20”"
    assert "because the page has no index of words" in text(browser, "#panel")


@pytest.mark.parametrize("query", [HOSTILE, "%E0%A4%A", "<b>", "a" * 2000, "(((", "\\"])
def test_a_query_of_any_kind_stays_text(search, visit, tmp_path, query):
    browser = search(page(), query if len(query) < 100 else query[:90])
    assert browser.execute_script("return document.querySelectorAll('img').length") == 0
    browser.execute_script("location.hash = arguments[0]; location.reload()", f"query={query}")
    until(browser, "return document.documentElement.dataset.unpacked")
    assert len(text(browser, "#panel h3")) < 400
    assert browser.execute_script("return document.querySelectorAll('img').length") == 0
    assert not browser.title.startswith("hit")


def test_an_address_leads_to_results_and_back_leads_away(search):
    browser = search(page(), "word20")
    assert hash_of(browser) == "#query=word20"
    browser.refresh()
    until(browser, "return document.documentElement.dataset.unpacked")
    until(browser, "return document.querySelectorAll('#panel .results .link').length === 20")
    click(browser, "#topic-2")
    assert hash_of(browser) == "#topic=3"
    browser.back()
    until(browser, "return location.hash === '#query=word20'")
    until(browser, "return document.querySelector('#panel h3').innerText.startsWith('20 documents')")
    browser.back()
    until(browser, "return location.hash === ''")


def test_a_browser_that_cannot_unpack_says_so_and_shows_the_rest(desktop, tmp_path):
    source = "delete window.DecompressionStream"
    script = desktop.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": source})
    try:
        desktop.get(page().save(tmp_path / "page.html").as_uri())
        until(desktop, "return document.documentElement.dataset.unpacked")
        assert "This browser cannot unpack the texts" in text(desktop, "#notice")
        assert "Firefox from 113" in text(desktop, "#notice")
        assert len(texts_of(desktop, "#list li")) == 4
        slide(desktop, "#level", 2)
        assert len(texts_of(desktop, "#list li")) == 2
    finally:
        desktop.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", script)
    assert not desktop.get_log("browser")


@pytest.mark.parametrize("query", ["数据", "数", "Über"])
def test_other_scripts_are_searched(search, query):
    written = ["数据库 的 索引", "Über den Wolken", "über Äpfel", "plain words only"]
    corpus = count_words(written, min_df=1, stop_words=())
    model = ReplicatedSoftmax(2, max_updates=5, random_state=0, device="cpu").fit(corpus.counts)
    model.vocabulary_ = corpus.vocabulary.tolist()
    model.documents_ = ModelView.of(model).documents(corpus.counts, texts=written, counts=corpus.counts)
    browser = search(explore(model), query)
    assert sorted(results(browser)) == ([written[0]] if query[0] == "数" else sorted(written[1:3]))


def test_the_index_is_as_small_as_promised():
    """One byte or little more for each word of a document."""
    model = fitted()
    html = explore(model).html
    packed_index = html.split('id="index">')[1].split("</script>")[0]
    postings = len(model.documents_.words.columns)
    assert 0 < len(packed_index) < 1.25 * postings + 200
    assert json.loads(html.split('id="data">')[1].split("</script>")[0])["search"]["indexed"]


def test_a_served_page_lists_what_its_server_finds_and_has_whole_texts(desktop, monkeypatch):
    model = fitted()
    long = [f"Document {number}. {'And so on, and on. ' * 60}" for number in range(150)]
    model.documents_ = replace(model.documents_, snippets=Strings.of(KeptTexts.of(long).texts))
    monkeypatch.setattr(map_documents, "fitting_length", lambda *_: 300)
    with server_of(model, layout=np.random.default_rng(0).random((150, 2))) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            desktop.get(server.address)
            until(desktop, "return document.documentElement.dataset.unpacked")
            type_query(desktop, "word3")
            press(desktop, ENTER)
            until(desktop, "return document.querySelector('#panel h3').innerText === '150 documents for “word3”'")
            assert "Ranked by words and by what the model makes of the query" in text(desktop, "#panel")
            found = Searcher(ModelView.of(model), model.documents_).search("word3", 20)
            assert results(desktop) == [hit.title for hit in found.hits]
            click(desktop, "#panel .results .link")
            until(desktop, "return document.querySelector('#panel .text').innerText.length > 1100")
            assert text(desktop, "#panel .text") == model.documents_.snippets[found.hits[0].number]
        finally:
            server.shutdown()
            thread.join(10)
    assert not [line for line in desktop.get_log("browser") if "favicon" not in line["message"]]

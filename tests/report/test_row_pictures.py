"""Rows that are pictures: kept in model files, and drawn on the page."""

import json
from dataclasses import replace

import numpy as np
import pytest
from browsing import text, texts_of, until
from page_texts import strings_of

import wideangle
from wideangle.documents import Documents
from wideangle.exceptions import DataError, ModelFileError
from wideangle.models import BernoulliRBM
from wideangle.report import explore
from wideangle.report import pictures as pictures_room
from wideangle.report.packing import unpacked_bytes
from wideangle.view import ModelView


@pytest.fixture(scope="module")
def model():
    """Twelve pictures of 3 × 4 pixels, of which the first has one bright pixel, the second two, and so on."""
    X = (np.arange(12) < np.arange(1, 13)[:, None]) * 0.8
    found = BernoulliRBM(2, max_updates=5, random_state=0, device="cpu").fit(X)
    found.documents_ = ModelView.of(found).documents(X, pixels=X, labels=np.arange(12) % 2)
    return found


def data_of(page):
    return json.loads(page.html.split('id="data">')[1].split("</script>")[0])


def pixels_of(page):
    return unpacked_bytes(page.html.split('id="pixels">')[1].split("<")[0])


def layout(n=12):
    return np.random.default_rng(0).random((n, 2))


def test_model_files_keep_them(model, tmp_path):
    model.save(tmp_path / "m")
    kept = wideangle.load(tmp_path / "m").documents_.pixels
    np.testing.assert_array_equal(kept, np.where(np.arange(12) < np.arange(1, 13)[:, None], 255, 0))
    wrong = replace(model.documents_, pixels=np.zeros((12, 5), dtype=np.uint8))
    with pytest.raises(ModelFileError, match="pixels .*12 of each row"):
        model.save(tmp_path / "w", documents=wrong)


def test_as_many_as_there_are_rows():
    with pytest.raises(DataError, match="2 documents .* 3 pixels"):
        Documents.of(np.eye(2), pixels=np.eye(3))


def test_the_page_has_them_where_a_shape_is_given(model):
    page = explore(model, shape=(3, 4), layout=layout())
    assert data_of(page)["documents"]["picture"] == {"height": 3, "width": 4}
    assert data_of(page)["noun"] == "picture"
    assert "12 pictures" in data_of(page)["facts"][0]
    assert "Loading 12 pictures …" in page.html
    pixels = np.frombuffer(pixels_of(page), np.uint8).reshape(12, 12)
    assert ((pixels == 15) == (np.arange(12) < np.arange(1, 13)[:, None])).all()
    assert next(name for name, _, _ in strings_of(page.html)) == "row 1"


def test_without_a_shape_they_are_rows(model):
    content = data_of(explore(model, layout=layout()))
    assert (content["documents"]["picture"], content["noun"]) == (None, "row")
    assert "12 rows" in content["facts"][0]


def test_large_pictures_lose_every_other_pixel(monkeypatch):
    X = np.random.default_rng(0).random((30, 32 * 32))
    found = BernoulliRBM(2, max_updates=1, random_state=0, device="cpu").fit(X)
    found.documents_ = ModelView.of(found).documents(X, pixels=X)
    monkeypatch.setattr(pictures_room, "BUDGET", 10_000)
    page = explore(found, shape=(32, 32), layout=layout(30))
    assert data_of(page)["documents"]["picture"] == {"height": 16, "width": 16}
    assert len(pixels_of(page)) == 30 * 256


@pytest.mark.slow
def test_they_are_drawn_in_panel_and_neighbours(model, visit):
    browser = visit(explore(model, shape=(3, 4), layout=layout()))
    browser.execute_script("location.hash = 'document=4'; location.reload()")
    until(browser, "return document.documentElement.dataset.unpacked")
    assert text(browser, "#map-title") == "Map of pictures"
    assert "Nearest pictures" in text(browser, "#panel")
    assert len(texts_of(browser, "#panel .examples .picture")) == 5
    dots = browser.execute_script(
        "const c = document.querySelector('#panel .large canvas');"
        "const all = [...c.getContext('2d').getImageData(0, 0, 4, 3).data];"
        "return [c.width, c.height, all.filter((_, k) => k % 4 === 0)]"
    )
    assert dots == [4, 3, [255] * 4 + [0] * 8]
    assert "documents" not in text(browser, "#panel")

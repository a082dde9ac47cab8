"""What the regulariser changed, in a real browser. All tests share one; each ends with a look at the console."""

import base64
import re
from collections import Counter
from dataclasses import asdict
from importlib.resources import files

import numpy as np
import pytest
from _browser import chromium, lacking, open_file
from change_content import components, content

from wideangle.documents import Documents
from wideangle.report.change import change_of
from wideangle.report.longtail import long_tail
from wideangle.report.page import render
from wideangle.report.views import PageView


@pytest.fixture(scope="module")
def browser():
    reason = lacking()
    if reason is not None:
        pytest.skip(reason)
    with chromium() as started:
        yield started


@pytest.fixture
def visit(browser, tmp_path):
    """Open the page of some content, as wide as asked for, in light or dark."""

    def open_page(given, width=1400, *, dark=False):
        size = {"width": width, "height": 1000, "deviceScaleFactor": 1, "mobile": width < 600}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme], "media": ""})
        shown = 0 if given["documents"] is None else given["documents"]["shown"]
        texts = {"names": [f"d{i}" for i in range(shown)], "texts": [""] * shown, "titles": None}
        open_file(browser, render("test", given, texts).save(tmp_path / "page.html"))
        return browser

    yield open_page
    browser.execute_script("try { localStorage.clear() } catch {}")  # It keeps the theme that a reader chose.
    log = browser.get_log("browser")
    assert not log, log


def text(browser, selector):
    return browser.execute_script("return document.querySelector(arguments[0]).innerText", selector)


def texts(browser, selector):
    return browser.execute_script(
        "return [...document.querySelectorAll(arguments[0])].map(node => node.innerText)", selector
    )


def click(browser, selector):
    browser.execute_script("document.querySelector(arguments[0]).click()", selector)


def number(said):
    return float(said.replace("−", "-"))


def names(browser):
    return texts(browser, "button.dumbbell .name")


def gains(browser):
    return [number(said) for said in texts(browser, "button.dumbbell .gain")]


def centres(browser, selector):
    """The middle of each mark, in pixels from the left."""
    return browser.execute_script(
        "return [...document.querySelectorAll(arguments[0])].map(n => n.getBoundingClientRect())"
        ".map(box => box.x + box.width / 2)",
        selector,
    )


def pixels(browser, canvas, *box):
    """The colours within x, y, width and height of a canvas, a set of triples. Reads a copy: the page reads none."""
    found = browser.execute_script(
        "const [id, ...box] = arguments, shown = document.getElementById(id), copy = document.createElement('canvas');"
        "[copy.width, copy.height] = [shown.width, shown.height];"
        "const pen = copy.getContext('2d', { willReadFrequently: true });"
        "pen.drawImage(shown, 0, 0);"
        "return [...pen.getImageData(...box).data]",
        canvas,
        *box,
    )
    return {tuple(rgba[:3]) for rgba in np.reshape(found, (-1, 4)).tolist()}


def cell_of(browser, canvas, row, column, K):
    size = browser.execute_script("return document.getElementById(arguments[0]).width", canvas) // K
    return pixels(browser, canvas, int(column) * size, int(row) * size, size, size)


@pytest.mark.slow
def test_each_class_has_its_line_sorted_by_gain(visit):
    given = content()
    browser = visit(given)
    change = given["change"]
    assert text(browser, "#change-title") == "What the regulariser changed"
    assert text(browser, "#headline") == change.headline
    assert len(names(browser)) == 20
    assert gains(browser) == sorted(gains(browser), reverse=True)
    rows = {row["name"]: row for row in change.classes}
    for name, gain in zip(names(browser), gains(browser), strict=True):
        before, after = rows[name]["precision"]
        assert gain == pytest.approx(after - before, abs=0.0101)
        assert np.sign(gain) == np.sign(after - before)
    before = centres(browser, "button.dumbbell .before")
    after = centres(browser, "button.dumbbell .after")
    values = np.array([rows[name]["precision"] for name in names(browser)])
    slope, start = np.polyfit(values.ravel(), np.column_stack([before, after]).ravel(), 1)
    np.testing.assert_allclose(np.column_stack([before, after]), start + slope * values, atol=1.0)
    assert slope > 0


def test_each_class_has_a_verdict_no_surer_than_its_documents_allow(visit):
    given = content(12, noise=(2.5, 0.6))
    browser = visit(given)
    rows = {row["name"]: row["verdict"] for row in given["change"].classes}
    said = dict(zip(names(browser), texts(browser, "button.dumbbell .verdict"), strict=True))
    shown = {"better": "▲ better", "worse": "▼ worse", "unchanged": "unchanged", "unclear": "not clear"}
    before = "return getComputedStyle(arguments[0], '::before').content"
    for row in browser.find_elements("css selector", "button.dumbbell"):
        name = row.find_element("css selector", ".name").text
        mark = row.find_element("css selector", ".verdict")
        sign = browser.execute_script(before, mark).strip('"').replace("none", "")
        assert f"{sign}{said[name]}" == shown[rows[name].word]
    assert {"better", "not clear"} <= set(said.values())
    assert "sign test" in text(browser, "#verdict-says")
    assert [head for head in texts(browser, ".axis small") if head] == ["class, documents", "gain", "verdict"]


@pytest.mark.slow
def test_rarest_first(visit):
    browser = visit(content())
    click(browser, "#class-order button:last-child")
    sizes = [int(said.replace(",", "")) for said in texts(browser, "button.dumbbell .who small")]
    assert len(sizes) == 20
    assert sizes == sorted(sizes)
    assert browser.execute_script("return document.activeElement.tagName") == "BODY"


@pytest.mark.slow
def test_of_many_classes_the_ends_come_first(visit):
    given = content(101)
    browser = visit(given)
    assert len(names(browser)) == 18
    assert text(browser, ".gap") == "83 classes between"
    assert gains(browser) == sorted(gains(browser), reverse=True)
    ends = gains(browser)
    assert text(browser, "#class-all") == "all 101 classes"
    click(browser, "#class-all")
    every = gains(browser)
    assert len(every) == 101
    assert every[:12] + every[-6:] == ends
    assert not texts(browser, ".gap")
    click(browser, "#class-all")
    assert len(names(browser)) == 18


@pytest.mark.slow
def test_a_class_is_shown_on_the_map_and_again_is_not(visit):
    given = content()
    browser = visit(given)
    chosen = "return [...document.querySelectorAll('button.dumbbell[aria-pressed=true]')].map(b => +b.dataset.class)"
    click(browser, "button.dumbbell[data-class='7']")
    assert browser.execute_script(chosen) == [7]
    assert "class=8" in browser.current_url
    assert given["classes"][7]["name"] in text(browser, "#panel")
    click(browser, "button.dumbbell[data-class='7']")
    assert browser.execute_script(chosen) == []
    assert "class" not in browser.current_url.split("#")[-1]


def test_rows_are_told_to_those_who_do_not_see_them(visit):
    browser = visit(content())
    label = browser.execute_script("return document.querySelector('button.dumbbell').getAttribute('aria-label')")
    numbers, _, verdict = label.rpartition(", ")
    assert re.fullmatch(r".+, [\d,]+ documents: precision 0\.\d+ in plain, 0\.\d+ in regularised, \+0\.\d+", numbers)
    assert re.fullmatch(r"(better|worse|no clear difference): \d+ documents? gained and \d+ lost( \(p .+\))?", verdict)
    before, after, gain = map(float, re.findall(r"[+]?0\.\d+", numbers))
    assert after - before == pytest.approx(gain)


def test_one_model_has_dots_in_order_of_size(visit):
    given = content(models=1)
    browser = visit(given)
    assert [head for head in texts(browser, ".axis small") if head] == ["class, documents", "precision"]
    assert text(browser, "#change-title") == "Classes and angles"
    assert text(browser, "#headline") == given["change"].headline
    assert names(browser) == [row["name"] for row in given["change"].classes]
    assert gains(browser) == [pytest.approx(row["precision"][0], abs=0.0051) for row in given["change"].classes]
    assert not texts(browser, ".track .after")
    assert len(texts(browser, "#angle-matrices .square")) == 1
    closest = texts(browser, ".closest li")
    assert len(closest) == 6
    i, j, angle = given["models"][0]["angles"].doubles[0]
    assert closest[0].startswith(f"{i + 1} and {j + 1} {int(angle * 10) / 10}°")


def test_without_labels_it_says_why(visit):
    given = content(0)
    browser = visit(given)
    assert text(browser, "#by-class") == " ".join(given["lacking"])
    assert not texts(browser, ".dumbbells")
    assert not texts(browser, "#headline")
    assert len(texts(browser, "#angle-matrices .square")) == 2


@pytest.mark.slow
def test_near_duplicates_are_coloured_and_slashed_and_no_others(visit):
    given = content()
    browser = visit(given)
    for which, model in enumerate(given["models"]):
        angles = model["angles"]
        matrix = np.frombuffer(base64.b64decode(angles.matrix), "<f4").reshape(30, 30)
        close = {(i, j) for i, j, _ in angles.doubles}
        rng = np.random.default_rng(0)
        cells = [tuple(rng.integers(30, size=2)) for _ in range(12)]
        place = np.argsort(angles.order)
        cells += [(place[i], place[j]) for i, j in sorted(close)[:4]]
        for row, column in cells:
            i, j = sorted((angles.order[row], angles.order[column]))
            colours = cell_of(browser, f"matrix-{which}", row, column, 30)
            if (i, j) in close:
                assert colours == {(140, 31, 99), (255, 255, 255)}  # --close, and the card's colour for the slash
            elif i != j:
                ((red, *_),) = colours
                assert red == pytest.approx(
                    29 + 226 * matrix[i, j] / 90, abs=2
                )  # from the card at 90° to the ink at 0°


def test_counts_of_near_duplicates_agree(visit):
    given = content()
    browser = visit(given)
    for caption, model in zip(texts(browser, "#angle-matrices figcaption"), given["models"], strict=True):
        assert f"{model['angles'].redundant} near-duplicate pair" in caption
        assert f"mean {model['angles'].mean:.1f}°" in caption


@pytest.mark.slow
@pytest.mark.parametrize(("angle", "said"), [(29.96, "29.9°"), (29.9999999, "29.9°"), (30.0000001, "30.0°")])
def test_an_angle_under_the_limit_does_not_read_as_the_limit(visit, angle, said):
    theta = np.deg2rad(angle)
    given = content(0, models=1, rows=[[[1, 0, 0], [np.cos(theta), np.sin(theta), 0], [0, 0, 1]]])
    browser = visit(given)
    assert f"smallest {said}, {1 if angle < 30 else 0} near-duplicate pair" in text(browser, "#angle-matrices")
    assert f"1 and 2 {said}" in text(browser, ".closest li")
    assert ("near-duplicates" in text(browser, ".closest li")) == (angle < 30)
    assert f"Components 1 and 2: {said}" in text(browser, "#matrix-says-0")


@pytest.mark.slow
def test_pairs_are_read_by_keyboard_and_by_mouse(visit):
    from selenium.webdriver import ActionChains
    from selenium.webdriver.common.keys import Keys

    given = content()
    browser = visit(given)
    first, second = (model["angles"] for model in given["models"])

    def at(row, column):
        pairs = (sorted((angles.order[row], angles.order[column])) for angles in (first, second))
        return [f"components {i + 1} and {j + 1}: " for i, j in pairs]

    i, j, _ = first.doubles[0]
    row, column = sorted((first.order.index(i), first.order.index(j)))
    told = [text(browser, f"#matrix-says-{which}") for which in (0, 1)]
    assert all(part in line for part, line in zip(at(row, column), told, strict=True))  # the closest pair to begin with
    browser.execute_script("document.documentElement.style.scrollBehavior = 'auto'")
    browser.execute_script("document.getElementById('matrix-0').focus()")
    keys = (Keys.HOME, *[Keys.ARROW_RIGHT] * 4, Keys.ARROW_LEFT, *[Keys.ARROW_UP] * 30, Keys.ARROW_DOWN)
    ActionChains(browser).send_keys(*keys).perform()
    for which, part in enumerate(at(1, 3)):
        assert part in text(browser, f"#matrix-says-{which}")
    ActionChains(browser).send_keys("n").perform()
    told = text(browser, "#matrix-says-0")
    assert ", near-duplicates" in told
    assert text(browser, "#status").startswith("plain: components")
    browser.execute_script("document.getElementById('matrix-1').scrollIntoView({block: 'center'})")
    box = browser.execute_script("return document.getElementById('matrix-1').getBoundingClientRect().toJSON()")
    actions = ActionChains(browser)
    cell = box["width"] / 30
    actions.w3c_actions.pointer_action.move_to_location(int(box["x"] + 20.5 * cell), int(box["y"] + 4.5 * cell))
    actions.perform()
    for which, part in enumerate(at(4, 20)):
        line = text(browser, f"#matrix-says-{which}")
        assert part in line
        i = min(given["models"][which]["angles"].order[place] for place in (4, 20))
        assert ", ".join(given["models"][which]["units"][i][:4]) in line


def test_rare_classes_with_a_topic_of_their_own(visit):
    given = content()
    browser = visit(given)
    change = given["change"]
    rare = [row for row in change.classes if row["rare"]]
    assert len(rare) == change.rare == 10
    for which, name in enumerate(("plain", "regularised")):
        row = f".own:nth-of-type({which + 1})"
        assert text(browser, f"{row} > p").strip() == f"{name}: {change.own[which]} of 10"
        kinds = browser.execute_script(
            "return [...document.querySelectorAll(arguments[0])].map(n => [n.className, n.textContent])", f"{row} li"
        )
        assert [kind == "has" for kind, _ in kinds] == [each["own"][which] for each in rare]
        assert all(said.startswith(each["name"]) for (_, said), each in zip(kinds, rare, strict=True))
    gained = [each["name"] for each in rare if each["own"] == [False, True]]
    assert gained
    assert f"Gained one: {', '.join(gained)}." in text(browser, ".told")


@pytest.mark.slow
@pytest.mark.parametrize("K", [(1, 1), (2, 1), (500, 480)])
def test_any_number_of_components_draws(visit, K):
    given = content(2, K)
    browser = visit(given)
    assert len(texts(browser, "#angle-matrices .square")) == sum(k > 1 for k in K)
    assert text(browser, "#angle-matrices").count("one component, so there is no angle") == K.count(1)
    if K[0] == 500:
        painted = browser.execute_script(
            "const c = document.getElementById('matrix-0');"
            "const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;"
            "let close = 0;"
            "for (let p = 0; p < d.length; p += 4) close += d[p] === 140 && d[p + 1] === 31;"
            "return close"
        )
        assert painted >= 2 * given["models"][0]["angles"].redundant > 0


def test_components_without_a_direction_are_told(visit):
    rows = np.eye(4)
    rows[2] = 0
    browser = visit(content(0, models=1, rows=[rows]))
    assert "1 without a direction" in text(browser, "#angle-matrices figcaption")
    assert len(texts(browser, ".closest li")) == 3


def test_names_are_text(visit):
    given = content()
    hostile = "<img src=x onerror=\"document.title='hit'\">"
    given["change"] = asdict(given["change"])
    given["change"]["classes"][0]["name"] = hostile
    given["models"][1]["name"] = hostile
    browser = visit(given)
    assert hostile in names(browser)
    assert browser.execute_script("return document.querySelectorAll('#change img').length") == 0
    assert browser.title != "hit"


def luminance(colour):
    values = [int(v) / 255 for v in re.findall(r"\d+", colour)[:3]]
    linear = [v / 12.92 if v <= 0.03928 else ((v + 0.055) / 1.055) ** 2.4 for v in values]
    return float(np.dot(linear, [0.2126, 0.7152, 0.0722]))


@pytest.mark.slow
@pytest.mark.parametrize("dark", [False, True])
def test_text_and_marks_stand_out(visit, dark):
    browser = visit(content(), dark=dark)
    style = "return getComputedStyle(document.querySelector(arguments[0]))[arguments[1]]"

    def contrast(selector, name, ground=("#by-class", "backgroundColor")):
        pair = [luminance(browser.execute_script(style, *each)) for each in ((selector, name), ground)]
        return (max(pair) + 0.05) / (min(pair) + 0.05)

    for selector in (".dumbbell .name", ".dumbbell small", ".gain", ".ticks span", "#by-class .legend", ".told"):
        assert contrast(selector, "color") >= 4.5, selector
    assert contrast("#headline", "color", ("body", "backgroundColor")) >= 4.5
    for selector, name in ((".before", "fill"), (".after", "fill"), (".join", "stroke"), (".has", "backgroundColor")):
        assert contrast(selector, name) >= 3, selector
    assert contrast(".second .lacks", "borderTopColor") >= 3
    close, slash = sorted(pixels(browser, "angle-scale", 0, 0, 96, 24), key=lambda c: luminance(str(c)))
    assert (luminance(str(slash)) + 0.05) / (luminance(str(close)) + 0.05) >= 3
    click(browser, "#theme")
    assert pixels(browser, "angle-scale", 0, 0, 96, 24) != {close, slash}  # drawn anew in the other theme


def test_a_phone_stacks_everything(visit):
    browser = visit(content(101), 390)
    # The frame may show one part at a time here.
    browser.execute_script("document.querySelector('#tabs [aria-controls=change]')?.click()")
    assert browser.execute_script("return document.documentElement.scrollWidth") <= 390
    boxes = browser.execute_script(
        "return [...document.querySelectorAll('#change .square, #class-rows, #change .part')]"
        ".map(n => n.getBoundingClientRect()).map(b => [b.left, b.right, b.width])"
    )
    assert all(left >= 0 and right <= 390 and width > 250 for left, right, width in boxes)
    tops = browser.execute_script(
        "return [...document.querySelectorAll('#change .square')].map(n => n.getBoundingClientRect().top)"
    )
    assert tops[1] - tops[0] > 250
    heights = browser.execute_script(
        "return [...document.querySelectorAll('button.dumbbell')].map(n => n.getBoundingClientRect().height)"
    )
    assert min(heights) >= 40


@pytest.mark.slow
def test_paper_has_no_buttons_and_all_marks(visit):
    browser = visit(content(101), dark=True)
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    hidden = "return ['#class-all', '#class-order', '.pair-says'].map(s => document.querySelector(s).offsetHeight)"
    assert browser.execute_script(hidden) == [0, 0, 0]
    assert browser.execute_script("return document.querySelector('.track').getBoundingClientRect().height") > 10


def test_no_two_scripts_give_one_name():
    """All scripts share one scope, where a name that is declared twice stops the page."""
    folder = files("wideangle.report").joinpath("static")
    declared = Counter(
        name
        for file in folder.iterdir()
        if file.name.endswith(".js")
        for name in re.findall(
            r"^(?:const|let|(?:async )?function\*?|class) (\w+)", file.read_text("utf-8"), re.MULTILINE
        )
    )
    assert [name for name, times in declared.items() if times > 1] == []


@pytest.mark.parametrize(("models", "n_classes", "tab"), [(2, 8, "What changed"), (1, 8, "Classes"), (1, 0, "Angles")])
def test_the_tab_says_what_is_behind_it(visit, models, n_classes, tab):
    browser = visit(content(n_classes, models=models), 390)
    assert tab in texts(browser, "#tabs button")
    assert ("What changed" in texts(browser, "#tabs button")) == (models == 2)


def test_equal_classes_have_no_halves(visit):
    labels = np.arange(600) % 6
    documents = Documents.of(
        np.random.default_rng(0).standard_normal((600, 4)), labels=labels, label_names=list("abcdef")
    )
    given = content(6)
    view = PageView(
        "plain", "ReplicatedSoftmax", components(30, 0.5), [f"w{c}" for c in range(40)], "word", documents, None
    )
    given["change"] = change_of([view, view], [long_tail(documents)] * 2, [labels, labels])
    browser = visit(given)
    assert texts(browser, ".summary .name") == ["All queries"]
    assert not texts(browser, "#own-topics")
    assert "half" not in text(browser, "#change")
    assert "600 documents query the 599 others." in text(browser, "#by-class .legend")

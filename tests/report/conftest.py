"""Models for the page, and a browser to open it in."""

from contextlib import ExitStack

import pytest
from _browser import chromium, drawn, lacking, open_file
from browsing import emulate, until
from page_content import content, page
from page_models import fitted


@pytest.fixture(scope="session")
def model():
    return fitted()


@pytest.fixture
def other():
    return fitted(K=8, seed=3, diversity=0.0)


@pytest.fixture(scope="session")
def desktop():
    """One browser for all tests that ask for no particular one: starting it takes as long as a test."""
    reason = lacking()
    if reason is not None:
        pytest.skip(reason)
    with chromium() as browser:
        yield browser


@pytest.fixture(autouse=True)
def short_history(request):
    """Let a test that opens a page begin with no history: of more than 50 steps Chromium drops some in the middle."""
    if "desktop" in request.fixturenames:
        request.getfixturevalue("desktop").execute_cdp_cmd("Page.resetNavigationHistory", {})


@pytest.fixture
def visit(desktop, tmp_path):
    """Open a page in a browser, one of its own where options are given; in the end no console may hold a line."""
    with ExitStack() as stack:
        used = []

        def open_page(page, **options):
            browser = stack.enter_context(chromium(**options)) if options else desktop
            used.append(browser)
            open_file(browser, page.save(tmp_path / "page.html"))
            return browser

        yield open_page
        logs = [browser.get_log("browser") for browser in used]
    assert not any(logs), logs


@pytest.fixture
def look(desktop, tmp_path):
    """Open a page in the one browser; in the end its console may hold no line."""

    def open_page(given=None, *, at="", written=None, n_documents=120, n_models=1, **emulated):
        emulate(desktop, **emulated)
        made = page(content(n_documents, n_models) if given is None else given, written)
        path = made.save(tmp_path / "page.html")
        desktop.get("about:blank")
        desktop.get(path.as_uri() + at)
        drawn(desktop)
        until(desktop, "return document.documentElement.dataset.unpacked")
        return desktop

    yield open_page
    emulate(desktop)
    desktop.execute_script("try { localStorage.clear() } catch {}")
    assert not desktop.get_log("browser")

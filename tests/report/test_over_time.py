"""What the page is given of when documents were written."""

import base64
from dataclasses import replace
from datetime import datetime, timedelta, timezone

import numpy as np
import pytest
from page_models import fitted

from wideangle.documents import NO_DATE
from wideangle.report import explore, map_documents
from wideangle.report.over_time import over_time_content
from wideangle.report.views import view_of

START = datetime(2021, 1, 5, tzinfo=timezone.utc)
WHEN = [START + timedelta(days=float(day)) for day in np.random.default_rng(0).uniform(0, 300, 150)]
DATES = np.array([int(moment.timestamp()) for moment in WHEN])


def counts_of(content):
    """The numbers that the page holds, read byte by byte: seven bits each, the lowest first."""
    numbers, value, power = [], 0, 0
    for byte in base64.b64decode(content["counts"]):
        value += (byte & 127) << power
        power += 7
        if byte < 128:
            numbers.append(value)
            value, power = 0, 0
    return np.array(numbers).reshape(-1, len(content["starts"]))


def dated(model, dates=DATES):
    return replace(model.documents_, dates=None if dates is None else np.asarray(dates, dtype=np.int64))


def test_the_documents_of_every_topic_are_counted_in_their_months(model):
    dates = DATES.copy()
    dates[:7] = NO_DATE
    view = view_of(model, "mine", None, dated(model, dates))
    content, tree = over_time_content(view), view.topics.tree
    assert content["period"] == "month"
    assert (content["starts"][0], content["starts"][-1]) == ("2021-01", "2021-10")
    assert content["undated"] == 7
    counts = counts_of(content)
    assert counts.shape == (tree.n_leaves + 1, 10)
    months = np.array([moment.strftime("%Y-%m") for moment in WHEN])
    for node in range(tree.n_nodes):  # The page adds up leaves; a topic is counted here by its own documents.
        mine = tree.membership[node][view.topics.leaves]
        mine[:7] = False
        expected = [(months[mine] == start).sum() for start in content["starts"]]
        assert counts[:-1][tree.membership[node]].sum(axis=0).tolist() == expected
    assert not counts[-1].any()


def test_documents_without_a_topic_have_a_row_of_their_own(model):
    view = view_of(model, "mine", None, dated(model))
    leaves = view.topics.leaves.copy()
    leaves[:20] = -1
    counts = counts_of(over_time_content(replace(view, topics=replace(view.topics, leaves=leaves))))
    assert counts[-1].sum() == 20
    assert counts.sum() == 150


def test_all_documents_are_counted_where_the_map_shows_a_part(model, monkeypatch):
    monkeypatch.setattr(map_documents, "MOST", 40)
    page = explore(model, documents=dated(model), layout=np.random.default_rng(0).uniform(-1, 1, (150, 2)))
    whole = over_time_content(view_of(model, "mine", None, dated(model)))
    assert counts_of(whole).sum() == 150
    assert f'"counts":"{whole["counts"]}"' in page.html
    assert '"shown":40' in page.html


def test_documents_without_words_have_dates_too(model):
    view = view_of(model, "mine", None, replace(dated(model), words=None))
    assert view.topics is None
    counts = counts_of(over_time_content(view))
    assert (counts.shape, counts.sum()) == ((1, 10), 150)


@pytest.mark.parametrize(
    "dates",
    [None, np.full(150, NO_DATE), np.full(150, DATES[0])],
    ids=["no dates", "none known", "one day"],
)
def test_nothing_is_said_where_there_is_no_course_of_time(model, dates):
    assert over_time_content(view_of(model, "mine", None, dated(model, dates))) is None


def test_a_model_without_documents_has_no_dates():
    model = fitted()
    model.documents_ = None
    assert over_time_content(view_of(model, "mine", None, None)) is None


@pytest.mark.parametrize(("days", "period"), [(10, "day"), (100, "week"), (1500, "year"), (40_000, "decade")])
def test_the_period_fits_the_dates(model, days, period):
    dates = int(START.timestamp()) - np.linspace(0, days * 86_400, 150).astype(np.int64)
    assert over_time_content(view_of(model, "mine", None, dated(model, dates)))["period"] == period

"""Topics in model files: what is wrong with them is named, and nothing wrong is loaded or saved."""

import re

import numpy as np
import pytest
from page_models import fitted
from test_foreign_model_files import forge, put, spoil

import wideangle
from wideangle.exceptions import ModelFileError

AT = "attached.topics_"


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    model = fitted()
    model.topics_ = model.topics(n_topics=4).rename(0, "mine")
    file = tmp_path_factory.mktemp("topics") / "m.wideangle"
    model.save(file)
    return file


def field(name, value):
    return lambda document, arrays: document["attached"]["topics_"]["fields"].update({name: value})


def of_first(name, value):
    def change(document, arrays):
        document["attached"]["topics_"]["fields"]["items"]["tuple"][0]["fields"][name] = value

    return change


FOUND = {"record": "FoundLevel"}
MERGES = {"array": f"{AT}.tree.merges", "by_columns": False}
LEAVES = {"array": f"{AT}.leaves", "by_columns": False}
WRONG = [
    (spoil(f"{AT}.tree.centres", (0, 0), np.nan), "centres of its topics holds NaN"),
    (put(f"{AT}.tree.centres", np.ones((3, 6), np.float32)), "of its tree of topics have shape"),
    (put(f"{AT}.tree.centres", np.ones((30, 5), np.float32)), "of its tree of topics have shape"),
    (
        lambda d, a: a[f"{AT}.tree.merges"].__setitem__((0, 0), a[f"{AT}.tree.merges"][0, 1]),
        "does not merge each node once",
    ),
    (lambda d, a: a[f"{AT}.tree.merges"].__setitem__(slice(None), a[f"{AT}.tree.merges"][::-1].copy()), "before it is"),
    (spoil(f"{AT}.leaves", 0, 1000), "must be in leaves −1 to"),
    (put(f"{AT}.leaves", np.zeros(7, np.int32)), "its topics are of 7 documents, and it has 150"),
    (put(f"{AT}.centre", np.zeros(3)), r"the centre of its topics has shape \(3,\)"),
    (of_first("node", 0), "its topics are no level of their tree"),
    (of_first("size", "many"), "size of its Topic is 'many'"),
    (of_first("central", {"tuple": [5000]}), "a central document of its topic 0 is not there"),
    (field("renamed", {"dict": [[9999, "x"]]}), "'x' cannot be the name of node 9999"),
    (field("renamed", {"dict": [[1, 3]]}), "3 cannot be the name of node 1"),
    (field("kept_names", {"dict": [[9999, "x"]]}), "'x' cannot be the name of node 9999"),
    (field("found", FOUND | {"fields": {"merges": MERGES, "nodes": LEAVES}}), "that were found first are no level"),
    (field("found", FOUND | {"fields": {"merges": LEAVES, "nodes": LEAVES}}), "that were found first have shape"),
    (spoil("attached.documents_.words.times", 0, 0), "how often its documents have each of their words must be"),
    (field("granularity", 1.5), "the granularity of its topics must be from 0 to 1; got 1.5"),
    (field("granularity", "fine"), "granularity of its Topics is 'fine'"),
    (put(f"{AT}.sureness", np.zeros((3, 3))), r"the sureness of its topics has shape \(3, 3\)"),
    (spoil(f"{AT}.sureness", (0, 0), np.nan), "sureness of its topics holds NaN"),
    (spoil(f"{AT}.sureness", (1, 1), -1.0), "cannot be surer on their borders"),
    (spoil(f"{AT}.sureness", (1, 2), 1.5), "shares must be from 0 to 1"),
    (lambda d, a: d["attached"].update(topics_=5), "topics_ must be Topics or None; got 5"),
]


def test_the_file_itself_is_fine(path):
    assert wideangle.load(path).topics_[0].name == "mine"


def test_topics_of_before_load_and_say_that_they_are_not_calibrated(path, tmp_path):
    def without(document, arrays):
        del document["attached"]["topics_"]["fields"]["sureness"]
        del arrays[f"{AT}.sureness"]

    assert wideangle.load(path).topics_.is_calibrated
    old = wideangle.load(forge(path, tmp_path / "old.wideangle", without))
    assert not old.topics_.is_calibrated
    old.save(tmp_path / "again.wideangle")
    assert not wideangle.load(tmp_path / "again.wideangle").topics_.is_calibrated


@pytest.mark.parametrize(("change", "message"), WRONG)
def test_wrong_topics_are_named(change, message, path, tmp_path):
    forged = forge(path, tmp_path / "forged.wideangle", change)
    with pytest.raises(ModelFileError, match=f"^{re.escape(str(forged))} .*{message}"):
        wideangle.load(forged)

"""Specs are read whole, and each mistake in one is told with its file and line before anything is run."""

import re
from importlib import import_module

import pytest
from fake_fits import MODELS, SPEC, changed, made_spec, write_small_corpus, write_spec

from wideangle.exceptions import SpecError
from wideangle.experiments import specs
from wideangle.experiments.compared_models import candidates
from wideangle.experiments.specs import check, check_names, find_specs, read_spec
from wideangle.experiments.tasks import TASKS, task_of

SHIPPED = find_specs()


@pytest.fixture
def small_data(tmp_path, monkeypatch):
    """A corpus of 40 words as "docstrings", and no other data."""
    monkeypatch.setenv("WIDEANGLE_DOCSTRINGS", str(write_small_corpus(tmp_path / "small.npz")))
    (tmp_path / "empty").mkdir()
    monkeypatch.setenv("WIDEANGLE_DATA", str(tmp_path / "empty"))
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path / "home"))
    split = import_module("wideangle.experiments.tasks.documents").split
    split.cache_clear()
    yield
    split.cache_clear()


def refused(path, line, message, act=check_names):
    """The error names the file and the line, counted from 1 or found by how it begins."""
    if isinstance(line, str):
        lines = path.read_text(encoding="utf-8").splitlines()
        line = next(number for number, text in enumerate(lines, 1) if text.startswith(line))
    with pytest.raises(SpecError) as caught:
        act(read_spec(path))
    assert str(caught.value).startswith(f"{path}, line {line}: "), caught.value
    assert re.search(message, str(caught.value)), caught.value


@pytest.mark.parametrize("name", SHIPPED)
def test_every_spec_of_the_package_is_good(name):
    spec = read_spec(SHIPPED[name])
    assert spec.name == name
    assert spec.title
    check_names(spec)


def test_there_are_specs_of_every_kind_and_task():
    read = [read_spec(path) for path in SHIPPED.values()]
    assert {spec.kind for spec in read} == set(specs.KINDS)
    assert {spec.task for spec in read if spec.is_fitted} == set(TASKS)


@pytest.mark.parametrize("name", TASKS)
def test_folds_of_a_task_are_judged_by_a_measure_that_it_has(name):
    assert task_of(name).SCORE in task_of(name).MEASURES


def test_a_spec_is_read(tmp_path):
    spec = made_spec(tmp_path)
    assert (spec.name, spec.title, spec.kind, spec.task) == ("made_up", "Made up", "by size", "documents")
    assert (spec.data, spec.models, spec.sizes) == (("docstrings",), ("plain", "ours"), (2, 4, 8))
    assert (spec.seeds, spec.folds, spec.weights, spec.published) == (2, (0, 1), {}, "")
    assert made_spec(tmp_path, changed(folds="[3, 1]")).folds == (3, 1)


def test_like_takes_what_is_not_said_from_a_chain(tmp_path):
    write_spec(tmp_path, name="first")
    write_spec(tmp_path, 'like = "first"\ntitle = "Second"\nsizes = [4]\n', name="second")
    third = made_spec(tmp_path, 'like = "second"\nseeds = 7\n', name="third")
    assert (third.name, third.title, third.sizes, third.seeds, third.models) == (
        "third", "Second", (4,), 7, ("plain", "ours"),
    )  # fmt: skip
    assert third.origins["sizes"].path.name == "second.toml"


def test_a_mistake_is_told_of_the_file_that_has_it(tmp_path):
    first = write_spec(tmp_path, changed(models='["plan"]'), name="first")
    second = made_spec(tmp_path, 'like = "first"\n', name="second")
    with pytest.raises(
        SpecError, match=re.escape(f"{first}, line 10: there is no model 'plan'. Did you mean 'plain'?")
    ):
        check_names(second)


LIKE = """
["like ours"]
like = "ours"
settings = { metric = "identity" }

["like that"]
like = "like ours"
estimator = "ReplicatedSoftmax"
tried = { diversity = 3.0 }
"""


def test_a_model_takes_what_it_does_not_say_from_one_above_it(tmp_path):
    first, second = made_spec(tmp_path, changed(models='["like ours", "like that"]'), MODELS + LIKE).candidates.values()
    assert (first.estimator, first.published, first.sizes_on("tdt2")) == ("ReplicatedSoftmax", "MAR-RBM", (2, 4, 8))
    assert first.settings == second.settings == {"max_updates": 5, "metric": "identity"}
    assert [tried["diversity"] for tried in first.tried] == [0.1, 1.0]
    assert [tried["diversity"] for tried in second.tried] == [3.0]


def test_a_model_is_like_none_below_it(tmp_path):
    path = write_spec(tmp_path, changed(models='["mine"]'), '["mine"]\nlike = "oors"\n' + MODELS)
    with pytest.raises(SpecError, match="models.toml, line 2.*'oors'"):
        check_names(read_spec(path))


def test_a_model_is_plain_when_folds_cannot_choose_another_weight(tmp_path):
    more = '["chosen"]\nlike = "plain"\ntried = { diversity = [0.0, 1.0] }\n'
    spec = made_spec(tmp_path, changed(models='["plain", "ours", "chosen"]'), MODELS + more)
    assert [candidate.is_plain for candidate in spec.candidates.values()] == [True, False, False]


def test_like_does_not_go_round_nor_astray(tmp_path):
    one = write_spec(tmp_path, 'title = "a"\nlike = "two"\n', name="one")
    two = write_spec(tmp_path, 'like = "one"\n', name="two")
    with pytest.raises(SpecError, match=re.escape(f"{two}, line 1: 'one' is like this one: one, two, and so on.")):
        read_spec(one)
    refused(write_spec(tmp_path, 'like = "own"\n', name="own"), 1, "'own' is like this one")
    for elsewhere in ("nothing", "../one", ""):
        path = write_spec(tmp_path / "inner", f'title = "t"\nlike = "{elsewhere}"\n')
        refused(path, 2, f"there is no spec '{re.escape(elsewhere)}' beside this one")


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (SPEC + "sedes = 3\n", "sedes", "a spec has no key 'sedes'. Did you mean 'seeds'?"),
        (SPEC + "colour = 3\n", "colour", "a spec has no key 'colour'.$"),
        (SPEC + 'name = "mine"\n', "name", "a spec has no key 'name'"),
        (changed(title=None), 1, "the spec lacks 'title'"),
        (changed(kind=None), 1, "the spec lacks 'kind'"),
        (changed(title="3"), "title", "'title' must be a string; got 3"),
        (changed(seeds='"3"'), "seeds", "'seeds' must be a whole number; got '3'"),
        (changed(seeds="true"), "seeds", "'seeds' must be a whole number; got True"),
        (changed(seeds="1.5"), "seeds", "'seeds' must be a whole number"),
        (changed(seeds="0"), "seeds", "'seeds' must be 1 or more; got 0"),
        (changed(shortlist="-1"), "shortlist", "'shortlist' must be 0 or more; got -1"),
        (changed(folds="0"), "folds", "'folds' must be 1 or more"),
        (changed(folds="[-1]"), "folds", "'folds' must be 1 or more"),
        (changed(folds="true"), "folds", "'folds' must be a list of whole numbers; got True"),
        (changed(folds="6"), "folds", "the task 'documents' has 5 folds, from 0 on; got 5"),
        (changed(sizes="[2.5]"), "sizes", "'sizes' must be a list of whole numbers"),
        (changed(sizes="[2, 0]"), "sizes", "'sizes' must be 1 or more; got 0"),
        (changed(data='"docstrings"'), "data", "'data' must be a list of strings; got 'docstrings'"),
        (changed(models="[3]"), "models", "'models' must be a list of strings"),
        (changed(weights="[1.0]"), "weights", "'weights' must be a table of lists of numbers"),
        (changed(weights='{ ours = ["much"] }'), "weights", "'weights' must be a table of lists of numbers"),
        (changed(kind='"by siez"'), "kind", "there is no kind 'by siez'. Did you mean 'by size'?"),
        (changed(task='"document"'), "task", "there is no task 'document'. Did you mean 'documents'?"),
        (changed(task=None), 1, "there is no task ''. There are 'documents'"),
        (changed(data='["tdt"]'), "data", "there is no data set for this task 'tdt'. Did you mean 'tdt2'?"),
        (changed(data='["mnist"]'), "data", "there is no data set for this task 'mnist'. There are 'tdt2'"),
        (changed(models='["plain", "oars"]'), "models", "there is no model 'oars'. Did you mean 'ours'?"),
        (changed(measure='"precison"'), "measure", "there is no measure 'precison'. Did you mean 'precision'?"),
        (changed(weights="{ our = [1.0] }"), "weights", "there is no model here 'our'. Did you mean 'ours'?"),
        (changed(published='"precision_td"'), "published", "is called 'precision_td'. Did you mean 'precision_tdt'"),
        (changed(published='"precision_{set}"'), "published", "set"),
        (changed(models="[]"), "title", "a spec needs models and data"),
        (changed(data=None), "title", "a spec needs models and data"),
        (changed(sizes=None), 1, "a spec of kind 'by size' needs 'sizes'"),
        (changed(data='["docstrings", "tdt2"]'), "data", "a spec of kind 'by size' shows one data set; got 2"),
        (changed(kind='"words"'), "sizes", "a spec of kind 'words' shows one number of components; got 3"),
        (changed(kind='"curve by weight"', weights="{ ours = [1] }"), "weights", "'weights' lacks the λ of 'plain'"),
        ('title = "t"\nkind = "class sizes"\ndata = ["tdt"]', "data", "no data set for this task 'tdt'"),
    ],
)
def test_a_mistake_is_told_with_its_line(tmp_path, text, line, message):
    refused(write_spec(tmp_path, text), line, message)


def test_the_line_is_that_of_the_key_though_a_title_has_the_same_word(tmp_path):
    text = changed(title=None, models='["plain", "oars"]')
    refused(write_spec(tmp_path, f'# oars\ntitle = "oars and 8 of tdt" # oars\n{text}'), "models", "no model 'oars'")
    text = 'models = [\n  "plain",\n  "oars",\n]\n' + changed(models=None)
    refused(write_spec(tmp_path, text), '  "oars"', "no model 'oars'")


def test_a_file_that_is_no_toml_is_told(tmp_path):
    with pytest.raises(SpecError, match="made_up.toml .*line 2"):
        made_spec(tmp_path, 'title = "a"\nkind =\n')
    with pytest.raises(SpecError, match="missing.toml does not exist"):
        read_spec(tmp_path / "missing.toml")
    (tmp_path / "bytes.toml").write_bytes(b'title = "\xff"')
    with pytest.raises(SpecError, match="bytes.toml cannot be read"):
        read_spec(tmp_path / "bytes.toml")


def test_missing_data_is_told_before_anything_is_run(tmp_path, small_data):
    refused(write_spec(tmp_path, changed(data='["tdt2"]')), "data", "tdt2_counts.npz is not in .*empty", check)
    check(made_spec(tmp_path))


@pytest.mark.parametrize("lacking", ["labels", "is_train"])
def test_data_without_labels_or_split_is_told_before_anything_is_run(tmp_path, small_data, monkeypatch, lacking):
    from dataclasses import replace

    from wideangle.data import Corpus

    path = tmp_path / "bare.npz"
    replace(Corpus.open(tmp_path / "small.npz"), **{lacking: None}).save(path)
    monkeypatch.setenv("WIDEANGLE_DOCSTRINGS", str(path))
    refused(write_spec(tmp_path), "data", r"bare.npz.* has no (labels|split)", check)
    monkeypatch.setenv("WIDEANGLE_DOCSTRINGS", str(tmp_path / "missing.npz"))
    refused(write_spec(tmp_path), "data", "missing.npz", check)


def test_more_components_than_columns_are_told_where_the_volume_needs_them(tmp_path, small_data):
    models = (
        MODELS + '["volume"]\nestimator = "ReplicatedSoftmax"\nsettings = { surrogate = "volume" }\nsizes = [2, 41]\n'
    )
    message = "'volume' needs no more components than columns: 41 > 40 of docstrings"
    text = changed(title='"41"', models='["plain", "volume"]', sizes="[2, 40, 41]")
    refused(write_spec(tmp_path / "a", text, models), "sizes", message, check)
    # Folds choose among the sizes of the model, which the spec does not say.
    text = changed(kind='"by data"', models='["plain", "volume"]', sizes=None, tuned_at=None)
    refused(write_spec(tmp_path / "b", text, models), "models", message, check)
    check(made_spec(tmp_path / "c", changed(sizes="[2, 41]"), models))  # Angles need no such thing.


def test_the_regularisers_that_need_independent_components_are_those_of_their_list(tmp_path, small_data, monkeypatch):
    from dataclasses import replace

    from wideangle.functional.regularizers import REGULARIZERS

    models = MODELS.replace("{ max_updates = 5 }", '{ max_updates = 5, surrogate = "angle" }')
    spec = made_spec(tmp_path, changed(sizes="[2, 41]", tuned_at=None), models)
    check(spec)
    monkeypatch.setitem(REGULARIZERS, "angle", replace(REGULARIZERS["angle"], independent="the angle"))
    monkeypatch.setitem(REGULARIZERS, "free", replace(REGULARIZERS["angle"], independent=""))
    with pytest.raises(SpecError, match='41 > 40 .*surrogate = .*"free"'):
        check(spec)


def test_a_missing_package_is_told(tmp_path, small_data, monkeypatch):
    import importlib.util

    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "gensim" else found(name))
    path = write_spec(tmp_path, changed(title='"PV"', models='["plain", "PV"]'))
    refused(path, "models", r"'PV' needs gensim, which is not installed: pip install 'wideangle\[all\]'", check)


def test_models_beside_a_spec_come_before_those_of_the_package(tmp_path):
    own = '["RBM"]\nestimator = "LSI"\nsettings = { n_components = "None" }\n'
    spec = made_spec(tmp_path, changed(models='["RBM", "MAR-RBM"]'), own)
    assert spec.candidates["RBM"].estimator == "LSI"
    assert spec.candidates["RBM"].settings == {"n_components": None}
    assert spec.candidates["MAR-RBM"] is candidates()["MAR-RBM"]


def test_tried_settings_are_all_combinations_of_lists(tmp_path):
    models = """\
["m"]
estimator = "ReplicatedSoftmax"
settings = { dropout = 0.0 }
tried = [{ diversity = [0.1, 0.2], metric = ["identity", "covariance"] }, { document_length = "None" }]
[m.tried_on]
tdt2 = { diversity = 3.0 }
"""
    model = made_spec(tmp_path, changed(models='["m"]'), models).candidates["m"]
    expected = [{"diversity": d, "metric": m} for d in (0.1, 0.2) for m in ("identity", "covariance")]
    expected.append({"document_length": None})
    assert model.choices("reuters") == [{"dropout": 0.0} | each for each in expected]
    assert model.choices("tdt2") == [{"dropout": 0.0} | each for each in (*expected, {"diversity": 3.0})]


@pytest.mark.parametrize(
    ("models", "line", "message"),
    [
        ('["m"]\nestimator = "ReplicatedSoftmx"', 2, "'m' needs an estimator .*'ReplicatedSoftmx'. Did you mean 'Rep"),
        ('["m"]\npublished = "RBM"', 1, "'m' needs an estimator of the catalogue; got None"),
        ('["m"]\nestimator = "LSI"\nsetings = {}', 3, "'m' has no key 'setings'; there are estimator"),
        ('["m"]\nestimator = "LSI"\nsettings = { divrsity = 1 }', 3, "LSI has no parameter 'divrsity'"),
        ('["m"]\nestimator = "LSI"\ntried = { divrsity = [1] }', 3, "LSI has no parameter 'divrsity'"),
        ('["m"]\nestimator = "LSI"\n[m.tried_on]\ntdt2 = { divrsity = 1 }', 4, "LSI has no parameter 'divrsity'"),
        ('["m"]\nestimator = "LSI"\ntried = 3', 3, "'tried' of 'm' must be a table or a list of tables; got 3"),
        ('["m"]\nestimator = "LSI"\ntried = [3]', 3, "'tried' of 'm' must be a table"),
        ('["m"]\nestimator = "LSI"\ntried_on = []', 3, "'tried_on' of 'm' must be a table, by data set"),
        ('["m"]\nestimator = "LSI"\nsettings = 3', 3, "'settings' of 'm' must be a table; got 3"),
        ('["m"]\nestimator = "LSI"\nsizes = 3', 3, "'sizes' of 'm' must be a list of whole numbers"),
        ('["m"]\nestimator = "LSI"\nsizes = { tdt2 = ["a"] }', 3, "'sizes' of 'm' must be a list of whole numbers"),
        ('["m"]\nestimator = "LSI"\ntuned_at = [0]', 3, "'tuned_at' of 'm' must be a list of whole numbers"),
        ("m = 3", 1, "'m' must be a table"),
        ('["a"]\nestimator = "LSI"\n["m"]\nestimator = "LSI"\nsizes = 3', 5, "'sizes' of 'm'"),
    ],
)
def test_a_mistake_in_a_file_of_models_is_told_with_its_line(tmp_path, models, line, message):
    spec = made_spec(tmp_path, changed(models='["m"]'), models)
    with pytest.raises(SpecError, match=re.escape(f"{tmp_path / 'models.toml'}, line {line}: ") + ".*" + message):
        check_names(spec)

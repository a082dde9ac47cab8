"""The catalogue of estimators: complete, plain data, and open to a user's own."""

import ast
import inspect
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data
from small_corpus import documents
from tuning_cases import COUNTS, TOPICS, WINE

import wideangle
from wideangle import catalogue, models
from wideangle.baselines import documents as documents_room
from wideangle.baselines import metrics
from wideangle.catalogue import Entry, entries, entry_of, register, registry, unregister
from wideangle.catalogue.documents import DOCUMENTS
from wideangle.catalogue.metrics import METRICS
from wideangle.catalogue.models import MODELS
from wideangle.cli import main
from wideangle.exceptions import ModelFileError
from wideangle.models import BernoulliRBM, ReplicatedSoftmax
from wideangle.persistence import Saveable
from wideangle.report import explore
from wideangle.tuning import cross_validate, running
from wideangle.view import ModelView

every_entry = pytest.mark.parametrize("entry", entries(), ids=lambda entry: entry.name)


class Parts(Saveable, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Non-negative parts of counts by a few multiplicative updates: an estimator that shares nothing with ours."""

    def __init__(self, n_components=4, rounds=30, random_state=None):
        self.n_components = n_components
        self.rounds = rounds
        self.random_state = random_state

    def fit(self, X, y=None):
        X = np.asarray(validate_data(self, X, accept_sparse="csr", dtype=np.float64).todense())
        rng = np.random.default_rng(self.random_state)
        self.components_ = rng.random((self.n_components, X.shape[1])) + 0.1
        W = rng.random((len(X), self.n_components)) + 0.1
        for _ in range(self.rounds):
            W *= (X @ self.components_.T) / (W @ self.components_ @ self.components_.T + 1e-9)
            self.components_ *= (W.T @ X) / (W.T @ W @ self.components_ + 1e-9)
        return self

    def transform(self, X):
        check_is_fitted(self)
        X = np.asarray(validate_data(self, X, reset=False, accept_sparse="csr", dtype=np.float64).todense())
        W = np.ones((len(X), len(self.components_)))
        for _ in range(self.rounds):
            W *= (X @ self.components_.T) / (W @ self.components_ @ self.components_.T + 1e-9)
        return W

    @property
    def _n_features_out(self):
        return len(self.components_)


class Longer(ReplicatedSoftmax):
    """A subclass with a parameter and a result of its own."""

    def __init__(self, n_components=50, *, factor=2.0, diversity=0.3, max_updates=60, random_state=None):
        super().__init__(n_components, diversity=diversity, max_updates=max_updates, random_state=random_state)
        self.factor = factor

    def fit(self, X, y=None):
        super().fit(X)
        self.longest_ = self.factor * float(np.linalg.norm(self.components_, axis=1).max())
        return self


@pytest.fixture(autouse=True)
def _nothing_stays_registered(monkeypatch):
    monkeypatch.setattr(registry, "_REGISTERED", {})
    monkeypatch.setattr(running.joblib, "cpu_count", lambda: 1)  # starting processes takes longer than these fits


@pytest.fixture
def parts():
    register(Entry.of(Parts, command="parts", summary="parts of counts", takes="counts", weighting="counts"))
    return Parts


class TestShipped:
    @every_entry
    def test_an_entry_says_what_is_true_of_its_class(self, entry):
        catalogue.check_values(entry)
        kind = entry.load()
        parameters = inspect.signature(kind).parameters
        assert (kind.__name__, kind.__module__) == (entry.name, entry.home)
        assert entry.size in parameters or entry.size is None
        assert bool(entry.grid) == ("diversity" in parameters)
        assert (entry.likelihood is not None) == hasattr(kind, "log_likelihood")
        assert hasattr(kind, "perplexity") or entry.likelihood != "words"
        assert (entry.searched_by == "logits") == hasattr(kind, "hidden_logits")
        assert (entry.target is not None) == kind().__sklearn_tags__().target_tags.required
        assert set(entry.shares) <= set(entry.learned)
        for name, values in (entry.tried_with_labels | entry.tried_on_one_fit).items():
            assert parameters[name].default is None  # A search tries what is left to the estimator.
            for value in values:
                kind(**{name: value})._check_parameters()

    @every_entry
    def test_it_can_be_found_by_anything(self, entry):
        for what in (entry, entry.name, entry.load(), entry.load()(), entry.command):
            if what not in (entry, None):
                assert entry_of(what) is entry

    @pytest.mark.parametrize(("records", "room"), [(MODELS, models), (DOCUMENTS, documents_room), (METRICS, metrics)])
    def test_each_file_has_the_records_of_its_room(self, records, room):
        assert sorted(entry.name for entry in records) == room.__all__

    def test_type_checkers_read_the_same_names(self):
        rooms = {wideangle: "wideangle.models"} | {room: room.__name__ for room in (models, documents_room, metrics)}
        for module, room in rooms.items():
            tree = ast.parse(Path(module.__file__).read_text())
            typed = next(node for node in tree.body if isinstance(node, ast.If))
            named = {
                alias.asname
                for node in typed.body
                if isinstance(node, ast.ImportFrom) and node.module.startswith(room)
                for alias in node.names
            }
            assert named == set(catalogue.homes_in(room)), f"name the estimators of the catalogue in {module.__file__}"

    @pytest.mark.slow
    def test_models_are_imported_on_first_use(self):
        code = "import sys, wideangle.models, wideangle.baselines.documents, wideangle.baselines.metrics\n"
        code += "assert not {'torch', 'sklearn', 'numpy'} & set(sys.modules)\n"
        code += "for room in (wideangle.models, wideangle.baselines.documents, wideangle.baselines.metrics):\n"
        code += "    assert [getattr(room, name).__name__ for name in dir(room)] == dir(room) != []\n"
        code += "assert not {'numba', 'gensim'} & set(sys.modules)\n"
        subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
        with pytest.raises(AttributeError, match="'Lda'.* BagOfWords, DPPLDA"):
            documents_room.Lda  # noqa: B018
        with pytest.raises(AttributeError, match="'BernouliRBM'.* BernoulliRBM, "):
            models.BernouliRBM  # noqa: B018
        with pytest.raises(AttributeError, match="'LNN'.* DMLEig, "):
            metrics.LNN  # noqa: B018

    def test_no_other_room_asks_for_the_name_of_a_class(self):
        """Only the model's own file, those of the type checker, and the demonstration of that model name a class."""
        root = Path(wideangle.__file__).parent
        homes = {root.parent / f"{entry.home.replace('.', '/')}.py" for entry in entries()}
        others = {f"catalogue/{family}.py" for family in ("models", "documents", "metrics")}
        others |= {f"{room}__init__.py" for room in ("", "models/", "baselines/documents/", "baselines/metrics/")}
        others |= {"_model_files/upgrades.py"}
        others |= {f"commands/work/demo/{name}.py" for name in ("demonstration", "demonstration_shown")}
        every = {name for entry in entries() for name in (entry.name, entry.command)}
        names = every - {
            None,
            "mlp",
            "vectors",
            "distance",
            "tf-idf",
            "lda",
            "euclidean",
        }  # words that mean other things elsewhere
        for path in root.rglob("*.py"):
            if path in homes or path.relative_to(root).as_posix() in others:
                continue
            tree = ast.parse(path.read_text())
            texts = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}  # docstrings
            for node in ast.walk(tree):
                used = {getattr(node, "id", None), getattr(node, "attr", None), getattr(node, "name", None)}
                if isinstance(node, ast.Constant) and id(node) not in texts:
                    used.add(node.value)
                assert not used & names, f"{path} names {used & names}: ask the catalogue"


class TestLookup:
    def test_a_wrong_name_is_answered_with_a_near_one(self):
        with pytest.raises(ValueError, match="mean 'ReplicatedSoftmax'"):
            entry_of("ReplicatedSoftmx")
        with pytest.raises(ValueError, match="Did you mean 'bernoulli-rbm'"):
            entry_of("bernouli-rbm")

    def test_a_foreign_class_is_told_how_to_join(self):
        with pytest.raises(TypeError, match=r"register\(Entry.of\(Parts\)\)"):
            entry_of(Parts())

    def test_a_subclass_is_treated_as_its_parent(self):
        assert entry_of(Longer).name == "ReplicatedSoftmax"


class TestRegister:
    def test_a_subclass_is_as_its_parent_but_for_what_is_said(self):
        entry = Entry.of(Longer, grid=(0.0, 7.0))
        assert (entry.name, entry.command, entry.noun, entry.grid) == ("Longer", None, "topic", (0.0, 7.0))

    def test_again_takes_the_place_of_the_first(self):
        register(Entry.of(Parts))
        register(Entry.of(Parts, noun="part"))
        assert entry_of(Parts()).noun == "part"
        assert len(entries()) == len(catalogue.SHIPPED) + 1
        unregister("Parts")
        assert entries() == catalogue.SHIPPED

    @pytest.mark.parametrize(
        ("make", "error", "message"),
        [
            (lambda: Entry.of(Parts()), TypeError, "Pass the class"),
            (lambda: Entry.of(Parts, metrics="cosine"), TypeError, "no field 'metrics'. Did you mean 'metric'"),
            (lambda: register(Parts), TypeError, r"Entry\.of\(YourClass\)"),
            (lambda: register(Entry.of(Parts, metric="cosinus")), ValueError, "metric of Parts must be one of"),
            (lambda: register(Entry.of(Parts, target="labels")), ValueError, r"target of Parts .*'classes'.* None"),
            (lambda: register(Entry.of(Parts, measures=("P@11",))), ValueError, "got 'P@11'. Did you mean 'P@10'"),
            (lambda: register(Entry.of(Parts, command="mlp")), ValueError, "calls MLPClassifier 'mlp'"),
            (lambda: register(Entry.of(Parts, name="BernoulliRBM")), ValueError, "Give your class another"),
            (lambda: register(Entry("Nothing", "wideangle.models.rbm")), AttributeError, "Nothing"),
            (lambda: unregister("Parts"), ValueError, "'Parts' was not registered"),
        ],
    )
    def test_what_makes_no_sense_is_refused(self, make, error, message):
        with pytest.raises(error, match=message):
            make()
        assert entries() == catalogue.SHIPPED


class TestSubclass:
    def test_tuned_saved_and_loaded(self, tmp_path):
        fitted = Longer(4, random_state=0).fit(COUNTS)
        with pytest.raises(ModelFileError, match=r"register\(Entry.of\(Longer\)\)"):
            fitted.save(tmp_path / "m")
        register(Entry.of(Longer))
        found = cross_validate(Longer(4), COUNTS, TOPICS, diversity=[0, 0.3], n_components=[3])
        assert found.measure == "P@10"
        assert found.tuned(Longer(4, factor=3.0)).get_params()["factor"] == 3.0
        fitted.save(tmp_path / "m")
        again = wideangle.load(tmp_path / "m")
        assert type(again) is Longer
        assert (again.factor, again.longest_) == (2.0, fitted.longest_)
        np.testing.assert_array_equal(again.transform(COUNTS), fitted.transform(COUNTS))
        unregister("Longer")
        with pytest.raises(ModelFileError, match="'Longer'.*register"):
            wideangle.load(tmp_path / "m")

    def test_a_class_of_the_same_name_is_not_saved_as_the_registered_one(self, tmp_path):
        register(Entry.of(Longer))
        impostor = type("Longer", (BernoulliRBM,), {})
        with pytest.raises(ModelFileError, match="themselves can be saved"):
            impostor(2, max_updates=3).fit(np.eye(4)).save(tmp_path / "m")


class TestOwnEstimator:
    def test_tuned_saved_loaded_and_shown(self, parts, tmp_path):
        found = cross_validate(parts(), COUNTS, TOPICS, n_components=[2, 5])
        assert [(trial.n_components, trial.diversity) for trial in found.trials] == [(2, 0.0), (5, 0.0)]
        assert all(0 < trial.mean <= 1 for trial in found.trials)
        model = found.tuned(parts(random_state=1)).fit(COUNTS)
        words = [f"w{number}" for number in range(COUNTS.shape[1])]
        model.save(tmp_path / "m", vocabulary=words)
        again = wideangle.load(tmp_path / "m")
        assert type(again) is Parts
        np.testing.assert_array_equal(again.transform(COUNTS), model.transform(COUNTS))
        best = [words[column] for column in model.components_.argmax(axis=1)]
        assert [row[0] for row in ModelView.of(again).top_words(3)] == best
        assert explore(again).title == f"Parts: {len(model.components_)} components"

    @pytest.mark.slow
    def test_processes_know_it_too(self, parts, monkeypatch):
        alone = cross_validate(parts(), COUNTS, TOPICS, folds=2)
        monkeypatch.setattr(running, "WORTH_WORKERS", 0.0)
        monkeypatch.setattr(running.joblib, "cpu_count", lambda: 2)
        assert cross_validate(parts(), COUNTS, TOPICS, folds=2) == alone

    def test_what_it_has_not_is_refused(self, parts):
        with pytest.raises(ValueError, match="P@10 of Parts needs y"):
            cross_validate(parts(), COUNTS)
        with pytest.raises(ValueError, match="Parts has no diversity to try"):
            cross_validate(parts(), COUNTS, TOPICS, diversity=[0.1])

    def test_wrong_content_of_its_file_is_named(self, parts, tmp_path):
        model = parts().fit(COUNTS)
        model.components_[0, 0] = np.nan
        with pytest.raises(ModelFileError, match="components_ holds NaN"):
            model.save(tmp_path / "m")

    def test_one_that_cannot_be_saved_says_why(self, tmp_path):
        class Bare(BaseEstimator):
            pass

        register(Entry.of(Bare))
        with pytest.raises(ModelFileError, match="wideangle.persistence.Saveable"):
            wideangle.persistence.save(Bare(), tmp_path / "m")

    def test_every_command_takes_it(self, parts, tmp_path, capsys):
        lines = [json.dumps({"text": text, "label": label}) for text, label in documents()]
        (tmp_path / "c.jsonl").write_text("\n".join(lines))
        model, page = tmp_path / "m.wideangle", tmp_path / "page.html"
        fit = ["fit", str(tmp_path / "c.jsonl"), "--model", "parts", "-k", "4"]
        for command in (
            [*fit, "-o", str(model)],
            ["info", str(model)],
            ["topics", str(model)],
            ["transform", str(model), str(tmp_path / "c.jsonl"), "-o", str(tmp_path / "o.npz")],
            ["search", str(model), "ship", "cargo"],
            ["evaluate", str(model)],
            ["tune", str(tmp_path / "c.jsonl"), "--model", "parts", "-k", "2,3"],
            ["explore", str(model), "-o", str(page)],
        ):
            assert main(command) == 0, capsys.readouterr().err
            assert main([*command, "--json", "--quiet"]) == 0
        capsys.readouterr()
        assert main([*fit, "-o", str(model), "--updates", "5"]) == 2
        assert "parts has no max_updates. Leave out --updates." in capsys.readouterr().err


def test_a_network_shows_the_units_of_its_first_layer():
    network = models.MLPClassifier((5, 3), max_updates=5, random_state=0).fit(WINE, np.arange(len(WINE)) % 3)
    view = ModelView.of(network)
    np.testing.assert_array_equal(view.components, network.coefs_[0].T)
    assert view.represent(WINE).shape == (len(WINE), 3)

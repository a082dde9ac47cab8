"""Tables and figures show what the records say, beside what the paper says."""

import csv
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from fake_fits import MODELS, by_key, changed, made_spec, record_of, write_small_corpus

from wideangle.exceptions import DataError
from wideangle.experiments.beside_plain import against_plain, how_it_was_tested, in_words
from wideangle.experiments.cells import TITLES, title_of
from wideangle.experiments.formats import FORMATS
from wideangle.experiments.in_words import remarks_of
from wideangle.experiments.origins import Origin
from wideangle.experiments.paper_report import table_or_figure, write_report
from wideangle.experiments.plan import Plan
from wideangle.experiments.published import published
from wideangle.experiments.records import writing
from wideangle.experiments.tables import plain_rows
from wideangle.experiments.tables_and_figures import Cell, against_published
from wideangle.experiments.tasks import TASKS, Answers, task_of

REUTERS = {"data": '["reuters"]', "tuned_at": None}


def all_records(spec, score, details=lambda job: {}, leave_out=lambda job: False):
    """A record for each job, its precision and what goes with it made up."""
    records = {}
    for _ in range(5):
        jobs = [job for job in Plan(spec, records).missing() if not leave_out(job)]
        records |= by_key(
            *(
                record_of(job, precision=score(job), seconds=2.0, details=details(job))
                | {"measures": {"precision": score(job), "seconds": float(job.settings.get("n_components", 1))}}
                for job in jobs
            )
        )
    return records


def score(job):
    """0.2 at 2 components and so on; λ = 1 adds 0.05, and the second seed 0.01."""
    seed = job.seed if job.fold is None else 0
    return job.settings.get("n_components", 1) / 10 + job.settings.get("diversity", 0) / 20 + seed / 100


def told_against_plain(rows, plain_of, columns, smaller_is_better):
    return in_words(against_plain(rows, plain_of, columns, smaller_is_better), columns)


def means(cells):
    return [None if cell.mean is None else round(cell.mean, 6) for cell in cells]


def test_a_table_by_size(tmp_path):
    spec = made_spec(tmp_path, changed(data='["tdt2"]', sizes="[2, 25, 8]", published='"precision_tdt"'))
    table = table_or_figure(spec, all_records(spec, score))
    assert table.columns == ("K = 2", "K = 25", "K = 8")
    assert (table.name, table.title, table.corner) == ("made_up", "Made up", "P@100 (%)")
    assert (table.digits, table.smaller_is_better) == (1, False)
    assert list(table.rows) == ["plain", "ours"]
    assert [round(value, 6) for value in table.rows["plain"][0].values] == [20, 21]  # one per seed, in per cent
    assert means(table.rows["ours"]) == [25.5, 255.5, 85.5]  # Folds choose λ = 1.
    paper = published("precision_tdt")
    assert [cell.published for cell in table.rows["plain"]] == [None, paper.value("RBM", "25"), None]
    assert [cell.published for cell in table.rows["ours"]] == [None, paper.value("MAR-RBM", "25"), None]
    assert paper.value("RBM", "25") is not None
    assert table.remarks == (
        "ours against plain: no difference seen in 3 of 3.",  # Two seeds that are a point apart tell little.
        "Better and worse: p < 0.05 after Holm's correction for 3 comparisons, by t-tests over seeds; "
        "the test rows are not counted.",
    )


def test_a_table_without_records_has_the_published_numbers_alone(tmp_path):
    spec = made_spec(tmp_path, changed(data='["tdt2"]', sizes="[25]", published='"precision_tdt"'))
    table = table_or_figure(spec, {})
    assert table.rows["ours"][0].values == ()
    assert table.rows["ours"][0].published == published("precision_tdt").value("MAR-RBM", "25")
    assert table.remarks == ()


def test_a_run_that_is_not_complete_shows_the_seeds_that_are_there(tmp_path):
    spec = made_spec(tmp_path)
    records = all_records(spec, score, leave_out=lambda job: job.fold is None and job.seed == 0)
    assert table_or_figure(spec, records).rows["plain"][0].values == (pytest.approx(21.0),)


@pytest.mark.parametrize(("smaller", "words"), [(False, ("better", "worse")), (True, ("worse", "better"))])
def test_remarks_tell_what_is_beyond_chance_in_the_whole_table(smaller, words):
    # "f" is 2.06 standard errors away, which is far from beyond chance with two seeds.
    cells = [(10.0, 12.0), (20.0, 20.2), (5.0, 5.2), (1.0,), (), (12.9, 14.9)]
    plain = [(10.5, 12.5), (10.0, 10.2), (15.0, 15.2), (1.0,), (3.0,), (10.0, 12.0)]
    rows = {name: tuple(map(Cell, each)) for name, each in (("plain", plain), ("ours", cells))}
    told = told_against_plain(rows, {"ours": "plain"}, tuple("abcdef"), smaller)
    named = {words[0]: "b", words[1]: "c"}
    assert told == {"ours": f"better at {named['better']}; worse at {named['worse']}; no difference seen in 2 of 4."}
    # Of two cells as far apart as "c" one is beyond chance by itself; beside many others it is not.
    alone = {"plain": (Cell((10.0, 11.0)),), "ours": (Cell((20.0, 21.5)),)}
    assert told_against_plain(alone, {"ours": "plain"}, ("a",), smaller) == {"ours": f"{words[0]} at a."}
    many = {name: each * 9 for name, each in alone.items()}
    many["ours"] = (*many["ours"][:1], *many["plain"][1:])
    assert told_against_plain(many, {"ours": "plain"}, tuple("abcdefghi"), smaller) == {
        "ours": "no difference seen in 9 of 9."
    }


def on(device, *values, code="c"):
    return Cell(values, origins={f"{device}{place}": Origin(code, device) for place in range(len(values))})


def test_fits_on_different_kinds_of_device_have_no_verdict():
    plain = (on("cpu", 1.0, 1.01), on("cuda", 1.0, 1.01), on("cuda", 1.0, 1.01))
    both = replace(on("cuda", 2.0, 2.01), origins={"a": Origin("c", "cpu"), "b": Origin("c", "cuda")})
    rows = {"plain": plain, "ours": (on("cuda", 2.0, 2.01), both, on("cuda", 2.0, 2.01))}
    told = told_against_plain(rows, {"ours": "plain"}, tuple("abc"), False)
    assert told == {"ours": "better at c; not compared across devices at a, b."}
    assert "for 1 comparison, by" in how_it_was_tested(rows, {"ours": "plain"}, tuple("abc"))
    nothing = {name: cells[:2] for name, cells in rows.items()}
    assert how_it_was_tested(nothing, {"ours": "plain"}, tuple("ab")) == ""


def test_answers_to_queries_are_counted_where_the_records_have_them():
    """Seeds agree and queries do not: what seeds alone call better is luck with the test rows."""
    rng = np.random.default_rng(0)
    hard, luck = rng.normal(size=(2, 40))
    hits = {"plain": hard, "ours": hard + 0.1 + luck - luck.mean()}

    def cell(name):
        runs = [hits[name] + 0.001 * seed for seed in range(3)]
        return Cell(tuple(run.mean() for run in runs), answers=tuple(Answers(run) for run in runs))

    rows = {name: (cell(name),) for name in hits}
    bare = {name: (replace(each[0], answers=()),) for name, each in rows.items()}
    mixed = {name: (*rows[name], *bare[name]) for name in rows}
    plain_of = {"ours": "plain"}
    assert told_against_plain(bare, plain_of, ("a",), False) == {"ours": "better at a."}
    assert told_against_plain(rows, plain_of, ("a",), False) == {"ours": "no difference seen in 1 of 1."}
    assert "over seeds; the test rows are not counted." in how_it_was_tested(bare, plain_of, ("a",))
    assert "over seeds and test rows." in how_it_was_tested(rows, plain_of, ("a",))
    assert "over seeds and, in 1, test rows." in how_it_was_tested(mixed, plain_of, ("a", "b"))


def test_tables_and_figures_tell_the_code_and_the_devices_of_their_fits(tmp_path):
    """In every format; of fits that two rows share each counts once."""
    spec = made_spec(tmp_path, changed(models='["plain", "again"]'), MODELS + '["again"]\nlike = "plain"\n')
    records = all_records(spec, score)
    made = [{"code": "old"}, {"code of the fit": "new", "code": "other", "device": "cuda"}, {"device": "cpu"}]
    tests = [record for record in records.values() if record["fold"] is None]
    assert len(tests) == 6  # two seeds of three sizes, which both rows show
    for place, record in enumerate(tests):
        record["made with"] = made[place % 3]
    table = table_or_figure(spec, records)
    sentence = (
        "6 fits by 2 versions of the code and unknown code (2), on cpu (2) and cuda (2) and an unknown device (2)."
    )
    for ending in ("md", "html", "tex"):
        assert sentence in FORMATS[ending](table).replace("{}", ""), ending
    cells = list(csv.DictReader(FORMATS["csv"](table).splitlines()))
    assert {(cell["code"], cell["device"]) for cell in cells} == {
        ("new; old", "cuda; unknown"), ("old; unknown", "cpu; unknown"), ("new; unknown", "cpu; cuda")
    }  # fmt: skip
    figure = table_or_figure(made_spec(tmp_path, changed(models='["plain"]', kind='"curve by size"')), records)
    assert remarks_of(figure) == (sentence,)


def test_words_tell_the_code_and_the_device_of_their_fits(tmp_path):
    spec = made_spec(tmp_path, changed(kind='"words"', sizes="[8]", tuned_at=None, published='"topics"'))
    records = all_records(spec, score, lambda job: {"words": [["alpha", "beta"]]})
    for record in records.values():
        record["made with"] = {"code": "old", "device": "cuda"}
    words = table_or_figure(spec, records)
    for ending in ("md", "html", "tex"):
        assert "2 fits by 1 version of the code, on cuda (2)." in FORMATS[ending](words), ending
    lines = list(csv.DictReader(FORMATS["csv"](words).splitlines()))
    origins = {line["model"]: (line["code"], line["device"]) for line in lines}
    assert origins == {
        **dict.fromkeys(["plain", "ours"], ("old", "cuda")),
        **dict.fromkeys(["RBM, published", "MAR-RBM, published"], ("", "")),
    }


def test_where_folds_chose_no_regulariser_nothing_is_compared(tmp_path):
    rows = {"plain": (Cell((1.0, 1.1)),) * 2, "ours": (Cell((2.0, 2.1), is_plain=True), Cell((2.0, 2.1)))}
    assert told_against_plain(rows, {"ours": "plain"}, ("a", "b"), False) == {"ours": "better at b; λ = 0 chosen at a."}
    more = MODELS.replace("[0.1, 1.0]", "[0.0, 0.1]")
    spec = made_spec(tmp_path, changed(tuned_at=None, sizes="[2, 8]"), more)
    table = table_or_figure(spec, all_records(spec, lambda job: 0.5 - 0.1 * job.settings["diversity"] + job.seed / 100))
    assert table.beside_plain == {"ours": "λ = 0 chosen at K = 2, K = 8."}
    assert [cell.is_plain for cell in (*table.rows["plain"], *table.rows["ours"])] == [False, False, True, True]
    assert "| ours | 50.5 ± 0.7 (λ = 0)" in FORMATS["md"](table).replace("**", "")


def test_cells_tell_missing_seeds_and_where_seconds_were_measured(tmp_path):
    spec = made_spec(tmp_path, changed(measure='"seconds"'))
    records = all_records(spec, score, leave_out=lambda job: job.fold is None and job.seed == 0)
    for record in records.values():
        record["made with"] = {"device": "cuda"}
    assert table_or_figure(spec, records).rows["plain"][0].note == "1 of 2 seeds; cuda"


def test_numbers_of_other_data_have_no_verdict(tmp_path):
    text = changed(data='["tdt2"]', sizes="[25]", published='"precision_tdt"', tuned_at=None)
    for compared in (True, False):
        spec = made_spec(tmp_path, f"{text}compared = {str(compared).lower()}\n")
        table = table_or_figure(spec, all_records(spec, score))
        assert table.rows["plain"][0].published == 11.2
        assert ("than published" in FORMATS["md"](table)) is compared
        assert ("(published 11.2)" in FORMATS["md"](table)) is not compared
        assert ("than published" in FORMATS["csv"](table)) is compared


def test_each_model_is_compared_with_the_plain_one_of_its_own_regime(tmp_path):
    models = MODELS
    for name in ("plain", "ours"):
        start = MODELS.index(f'["{name}"]')
        end = MODELS.find('\n["', start + 1)
        models += "\n" + MODELS[start : end if end > 0 else None].replace(f'["{name}"]', f'["{name}, weak"]') + "\n"
    models += '["other"]\nestimator = "LSI"\n'
    names = '["plain", "ours", "other", "plain, weak", "ours, weak"]'
    spec = made_spec(tmp_path, changed(models=names), models)
    assert plain_rows(spec) == {"ours": "plain", "ours, weak": "plain, weak"}


def test_a_spec_has_its_own_remarks_first(tmp_path):
    spec = made_spec(tmp_path, changed(remarks='["Mind the gap."]'))
    assert table_or_figure(spec, all_records(spec, score)).remarks[0] == "Mind the gap."


def test_a_table_by_data(tmp_path):
    text = changed(
        kind='"by data"', data='["tdt2", "reuters"]', sizes=None, tuned_at=None, models='["plain", "weights"]'
    )
    spec = made_spec(tmp_path, text + 'published = "precision_compared"\n')
    best = {"tdt2": 4, "reuters": 8}

    def at_its_best(job):
        return 0.9 if job.settings.get("n_components") == best[job.data] else 0.1

    table = table_or_figure(spec, all_records(spec, at_its_best))
    assert table.columns == ("TDT", "Reuters")
    assert means(table.rows["plain"]) == [90, 90]
    assert means(table.rows["weights"]) == [10, 10]
    assert [cell.note for cell in table.rows["plain"]] == ["K = 4", "K = 8"]
    assert [cell.note for cell in table.rows["weights"]] == ["", ""]
    paper = published("precision_compared")
    assert [cell.published for cell in table.rows["plain"]] == [paper.value("RBM", name) for name in table.columns]
    assert None not in [cell.published for cell in table.rows["plain"]]
    assert [cell.published for cell in table.rows["weights"]] == [None, None]
    not_chosen = table_or_figure(spec, {}).rows["plain"][0]
    assert (not_chosen.values, not_chosen.note) == ((), "")


def by_class_spec(tmp_path, **values):
    models = MODELS + '["again"]\nestimator = "LSI"\npublished = "RBM"\n'
    text = changed(**REUTERS, kind='"by class"', sizes="[4]", models='["plain", "again", "ours"]', **values)
    return made_spec(tmp_path, text, models)


def classes(job):
    """Three classes, told in another order than that of their labels."""
    precision = [0.8, 0.2, 0.4 + job.seed / 10]
    if job.settings.get("diversity", 0) > 0:
        precision = [0.8, 0.4, 0.2 + job.seed / 10]
    return {"classes": [1, 2, 0], "precision of classes": precision}


def test_a_table_by_class(tmp_path):
    spec = by_class_spec(tmp_path, published='"precision_by_class_reuters"')
    table = table_or_figure(spec, all_records(spec, score, classes))
    assert table.columns == ("1", "2", "3")
    assert table.corner == "class"
    assert means(table.rows["plain"]) == [45, 80, 20]
    assert means(table.rows["ours"]) == [25, 80, 40]
    # By seed: 20 for 40 and 30 for 50. There is no gain of one plain model on another.
    assert list(table.rows) == ["plain", "again", "ours", "improvement of ours (%)"]
    assert means(table.rows["improvement of ours (%)"]) == [-45, 0, 100]
    paper = published("precision_by_class_reuters")
    for row, name in (("plain", "RBM"), ("ours", "MAR-RBM"), ("improvement of ours (%)", "improvement")):
        assert [cell.published for cell in table.rows[row]] == [paper.value(name, str(each)) for each in (1, 2, 3)]
    assert table.remarks == ()


def test_improvements_compare_the_same_seed(tmp_path):
    spec = by_class_spec(tmp_path)
    is_late = lambda job: job.fold is None and job.settings.get("diversity") == 0.0 and job.seed == 0  # noqa: E731
    table = table_or_figure(spec, all_records(spec, score, classes, is_late))
    assert [cell.values for cell in table.rows["improvement of ours (%)"]] == [
        (pytest.approx(-40),),  # 30 for the 50 of the second seed
        (pytest.approx(0),),
        (pytest.approx(100),),
    ]


@pytest.mark.parametrize("is_lacking_in_all", [False, True])
def test_a_class_that_nobody_asked_for_has_no_number(tmp_path, is_lacking_in_all):
    spec = by_class_spec(tmp_path)

    def lacking(job):
        found = classes(job)
        is_lacking = is_lacking_in_all or job.settings.get("diversity") == 0.0
        return found | {"precision of classes": [None, *found["precision of classes"][1:]]} if is_lacking else found

    table = table_or_figure(spec, all_records(spec, score, lacking))
    assert means(table.rows["plain"]) == [45, None, 20]
    assert means(table.rows["improvement of ours (%)"]) == [-45, None, 100]


def test_a_table_by_class_without_records(tmp_path):
    table = table_or_figure(by_class_spec(tmp_path), {})
    assert table.columns == ()


def test_compactness(tmp_path):
    text = changed(kind='"compactness"', data='["tdt2", "reuters"]', models='["plain", "ours", "weights"]')
    spec = made_spec(tmp_path, text)

    def reached(job):
        if job.estimator == "TfIdf":
            return 0.1
        if job.settings["diversity"] > 0:
            return {2: 0.3, 4: 0.6, 8: 0.7}[job.settings["n_components"]]
        return {2: 0.2, 4: 0.6, 8: 0.5}[job.settings["n_components"]] - (0.4 if job.data == "reuters" else 0)

    table = table_or_figure(spec, all_records(spec, reached))
    assert table.columns == ("TDT", "Reuters")
    assert means(table.rows["plain"]) == [4, 4]
    assert means(table.rows["ours"]) == [4, 2]
    assert [cell.note for cell in table.rows["weights"]] == ["not reached", "not reached"]
    assert table.remarks == (
        "TDT: plain has 60.0 at best.",
        "Reuters: plain has 20.0 at best.",
    )
    assert (table.digits, table.smaller_is_better) == (0, True)
    assert [cell.note for cell in table_or_figure(spec, {}).rows["ours"]] == ["", ""]


def test_a_curve_by_size(tmp_path):
    spec = made_spec(tmp_path, changed(kind='"curve by size"', data='["tdt2", "reuters"]'))
    figure = table_or_figure(spec, all_records(spec, score, leave_out=lambda job: job.data == "reuters"))
    assert [panel.title for panel in figure.panels] == ["TDT", "Reuters"]
    first, second = figure.panels
    assert [(curve.name, curve.x) for curve in first.curves] == [("plain", (2, 4, 8)), ("ours", (2, 4, 8))]
    assert [len(values) for values in first.curves[0].values] == [2, 2, 2]
    assert first.curves[0].values[0] == pytest.approx((20, 21))
    assert (first.x_scale, first.y_scale, first.y_label) == ("log", "linear", "P@100 (%)")
    assert second.curves == ()
    seconds = made_spec(tmp_path, changed(kind='"curve by size"', measure='"seconds"'))
    panel = table_or_figure(seconds, all_records(seconds, score)).panels[0]
    assert panel.y_scale == "log"
    assert panel.curves[0].values[-1] == (8.0, 8.0)


@pytest.mark.parametrize(
    ("models", "sizes", "names"),
    [
        (["ours"], [2], ["K = 2"]),
        (["ours"], [2, 4], ["K = 2", "K = 4"]),
        (["plain", "ours"], [2], ["plain", "ours"]),
        (["plain", "ours"], [2, 4], ["plain, K = 2", "plain, K = 4", "ours, K = 2", "ours, K = 4"]),
    ],
)
def test_a_curve_by_weight(tmp_path, models, sizes, names):
    weights = "{ " + ", ".join(f"{model} = [0.0, 0.5, 2.0]" for model in models) + " }"
    text = changed(kind='"curve by weight"', models=models, sizes=sizes, tuned_at=None, weights=weights)
    spec = made_spec(tmp_path, text)
    (panel,) = table_or_figure(spec, all_records(spec, score)).panels
    assert [curve.name for curve in panel.curves] == names
    assert (panel.x_label, panel.x_scale) == ("λ", "places")
    for curve in panel.curves:
        assert curve.x == (0.0, 0.5, 2.0)
    assert panel.curves[0].values[1] == pytest.approx((22.5, 23.5))


def test_words_are_those_of_the_first_seed(tmp_path):
    spec = made_spec(tmp_path, changed(kind='"words"', sizes="[8]", tuned_at=None))
    said = lambda job: {"words": [[f"{job.seed}{topic}{place}" for place in range(3)] for topic in range(8)]}  # noqa: E731
    found = table_or_figure(spec, all_records(spec, score, said))
    assert list(found.blocks) == ["plain", "ours"]
    assert found.blocks["ours"] == tuple(tuple(f"0{topic}{place}" for place in range(3)) for topic in range(5))
    assert table_or_figure(spec, {}).blocks == {"plain": (), "ours": ()}


def test_published_words_stand_below_ours(tmp_path):
    spec = made_spec(tmp_path, changed(kind='"words"', sizes="[8]", tuned_at=None, published='"topics"'))
    found = table_or_figure(spec, {})
    assert list(found.blocks) == ["plain", "ours", "RBM, published", "MAR-RBM, published"]
    assert found.blocks["MAR-RBM, published"][1][:2] == ("olympic", "games")
    assert all(len(topic) == 10 for topic in found.blocks["RBM, published"])


def test_a_figure_tells_the_published_numbers_of_its_own(tmp_path):
    weights = "{ plain = [0.0, 1.0] }"
    text = changed(kind='"curve by weight"', models='["plain"]', weights=weights, published='"network"')
    (told,) = table_or_figure(made_spec(tmp_path, text), {}).remarks
    assert told.startswith("Published: best λ 0.01 (K = 100), accuracy without regularisation 0.415 (K = 200)")


@pytest.mark.parametrize("doubted", [False, True])
def test_fewest_components_by_a_measure_of_which_less_is_better(tmp_path, doubted):
    kind = {"kind": '"compactness"', "task": '"likelihood"', "measure": '"perplexity"'}
    spec = made_spec(tmp_path, changed(**kind, tuned_at=None), MODELS.replace("[0.1, 1.0]", "[0.1]"))

    def measures(job):
        size, ours = job.settings["n_components"], job.settings["diversity"] > 0
        return {"perplexity": 100.0 - size - 4 * ours, "doubted": float(doubted and ours and size == 4)}

    table = table_or_figure(spec, by_key(*(record_of(job, **measures(job)) for job in Plan(spec, {}).jobs())))
    assert means([row[0] for row in table.rows.values()]) == [8, 8 if doubted else 4]


def test_what_is_in_doubt_is_told_and_wins_nothing(tmp_path):
    text = changed(task='"likelihood"', measure='"perplexity"', sizes="[25]", tuned_at=None, data='["tdt2"]')
    spec = made_spec(tmp_path, text + 'published = "perplexity_tdt"\n', MODELS.replace("[0.1, 1.0]", "[0.1]"))

    def table(doubted):
        def measures(job):
            ours = job.settings["diversity"] > 0
            return {"perplexity": 100.0 - 50 * ours + job.seed, "doubted": float(ours and job.seed < doubted)}

        return table_or_figure(spec, by_key(*(record_of(job, **measures(job)) for job in Plan(spec, {}).jobs())))

    sure, doubtful = table(0), table(1)
    assert sure.remarks[0] == "ours against plain: better at K = 25."
    assert doubtful.remarks == ()
    assert against_published(doubtful.rows["ours"][0], smaller_is_better=True) == "in doubt"
    assert against_published(doubtful.rows["plain"][0], smaller_is_better=True) == "better than published"
    lines = FORMATS["md"](doubtful).splitlines()
    assert any(line.startswith("| ours | 50 ± 1 (") and "1 of 2 in doubt" in line for line in lines)
    assert any(line.startswith("| plain | **100** ± 1") for line in lines)
    assert "- ours: in doubt in 1 of 1 cell" in lines
    assert "1 of 2 in doubt" in FORMATS["csv"](doubtful)


def test_class_sizes_are_those_of_the_data_and_absent_data_is_an_empty_panel(tmp_path, monkeypatch):
    from wideangle.data import Corpus

    monkeypatch.setenv("WIDEANGLE_DATA", str(tmp_path))
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path / "home"))
    path = write_small_corpus(tmp_path / "small.npz")
    monkeypatch.setenv("WIDEANGLE_DOCSTRINGS", str(path))
    spec = made_spec(tmp_path, 'title = "Sizes"\nkind = "class sizes"\ndata = ["tdt2", "docstrings"]\n')
    absent, small = table_or_figure(spec, {}).panels
    assert (absent.title, absent.curves) == ("TDT", ())
    (curve,) = small.curves
    assert curve.x == (1, 2, 3, 4)
    assert [value for (value,) in curve.values] == sorted(Corpus.open(path).class_sizes(), reverse=True)


@pytest.mark.parametrize(
    ("data", "title"),
    [('["tdt2"]', "P@100 (%)"), ('["docstrings"]', "P@10 (%)"), ('["tdt2", "docstrings"]', "P@k (%)")],
)
def test_the_number_of_neighbours_is_told_where_it_is_one(tmp_path, data, title):
    assert title_of(made_spec(tmp_path, changed(data=data))) == title


def test_every_data_set_has_a_title():
    assert {data for name in TASKS for data in task_of(name).DATA} <= set(TITLES)


@pytest.fixture
def written(tmp_path):
    """Specs of a table, words and a figure, and the folder of their records."""
    specs = [
        made_spec(tmp_path, changed(published='"precision_tdt"'), name="table"),
        made_spec(tmp_path, changed(kind='"words"', sizes="[8]", tuned_at=None), name="topics"),
        made_spec(tmp_path, changed(kind='"curve by size"'), name="curve"),
    ]
    words = lambda job: {"words": [["alpha", "beta"]] * 8}  # noqa: E731
    records = {key: record for spec in specs for key, record in all_records(spec, score, words).items()}
    with writing(tmp_path / "records" / "documents.jsonl") as write:
        for record in records.values():
            write(record)
    return specs, tmp_path / "records"


@pytest.mark.slow
def test_a_report_is_written_in_all_formats_with_the_same_bytes(written, tmp_path):
    specs, records = written
    made = write_report(specs, records, tmp_path / "one")
    assert (made.folder, made.tables, made.figures) == (tmp_path / "one", 2, 1)
    first = {path.name: path.read_bytes() for path in (tmp_path / "one").iterdir()}
    tables = {f"{name}.{ending}" for name in ("table", "topics") for ending in FORMATS}
    assert set(first) == tables | {"curve.png", "curve.svg", "index.html", "README.md"}
    write_report(specs, records, tmp_path / "one")
    assert {path.name: path.read_bytes() for path in (tmp_path / "one").iterdir()} == first
    # Another process may order sets in another way.
    code = "import sys; from pathlib import Path as P; from wideangle.experiments.specs import read_spec\n"
    code += "from wideangle.experiments.paper_report import write_report\n"
    code += "write_report([read_spec(P(path)) for path in sys.argv[3:]], P(sys.argv[1]), P(sys.argv[2]))"
    paths = [str(tmp_path / f"{spec.name}.toml") for spec in specs]
    subprocess.run([sys.executable, "-c", code, str(records), str(tmp_path / "two"), *paths], check=True)
    assert {path.name: path.read_bytes() for path in (tmp_path / "two").iterdir()} == first


@pytest.mark.parametrize(
    ("formats", "files"),
    [
        (["md", "png"], {"table.md", "topics.md", "curve.png", "README.md"}),
        (["csv", "svg"], {"table.csv", "topics.csv", "curve.svg", "README.md"}),
        (["html", "png"], {"table.html", "topics.html", "curve.png", "index.html", "README.md"}),
    ],
)
def test_a_report_has_the_formats_that_are_asked_for(written, tmp_path, formats, files):
    for _ in range(2):  # Its README.md says that it is a report, so that it may be replaced.
        write_report(*written, tmp_path / "out", formats=formats)
        assert {path.name for path in (tmp_path / "out").iterdir()} == files


def test_precision_of_classes_as_curves_leaves_out_what_no_query_has(tmp_path):
    text = changed(**REUTERS, kind='"curve by class"', sizes="[4]", models='["plain", "ours"]')
    spec = made_spec(tmp_path, text)

    def with_a_gap(job):
        found = classes(job)
        return found | {"precision of classes": [*found["precision of classes"][:2], None]}

    (panel,) = table_or_figure(spec, all_records(spec, score, with_a_gap)).panels
    plain, ours = panel.curves
    assert plain.x == ours.x == (1.0, 2.0)  # The third class has no query.
    assert [round(each[0], 6) for each in plain.values] == [80, 20]
    assert [round(each[0], 6) for each in ours.values] == [80, 40]


def test_a_report_begins_with_how_each_model_stands_to_the_published_numbers(tmp_path):
    spec = made_spec(tmp_path, changed(data='["tdt2"]', sizes="[25]", published='"precision_tdt"'))
    with writing(tmp_path / "records" / "documents.jsonl") as write:
        for record in all_records(spec, score).values():
            write(record)
    write_report([spec], tmp_path / "records", tmp_path / "out")
    readme = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    assert "| [made_up](made_up.md) | ours | better than published in 1 of 1 cell | better at K = 25. |" in readme
    assert "| ours | 1 |  |  |  |  |" in readme  # in one cell better than λ = 0
    assert readme.index("| ours | 1 |") < readme.index("## Others") < readme.index("### Made up")


def test_a_report_holds_what_was_measured(written, tmp_path):
    write_report(*written, tmp_path / "out")
    readme = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    assert "(curve.png)" in readme
    assert "alpha" in readme
    assert "ours against plain: no difference seen in 3 of 3." in readme
    assert "12 fits by unknown code (12), on an unknown device (12)." in readme
    with (tmp_path / "out" / "table.csv").open(encoding="utf-8", newline="") as file:
        cells = {cell for row in csv.reader(file) for cell in row}
    assert {"plain", "ours"} <= cells
    assert any(cell.startswith("20.5") for cell in cells)
    page = (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    assert "alpha" in page
    assert "Made up" in page


def test_a_report_without_any_record_is_refused(written, tmp_path):
    specs, _ = written
    with pytest.raises(DataError, match="no records in"):
        write_report(specs, tmp_path / "none", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_some_specs_of_many_leave_the_pages_of_all_alone(written, tmp_path):
    specs, records = written
    write_report(specs, records, tmp_path / "out")
    before = (tmp_path / "out" / "README.md").read_bytes()
    write_report(specs[:1], records, tmp_path / "out", index=False)
    assert (tmp_path / "out" / "README.md").read_bytes() == before


def test_a_folder_that_is_no_report_keeps_its_files(written, tmp_path):
    specs, records = written
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "README.md").write_text("# my project")
    with pytest.raises(DataError, match="README.md .*--force"):
        write_report(specs, records, folder)
    assert [path.name for path in folder.iterdir()] == ["README.md"]
    write_report(specs[:1], records, folder, index=False)  # This replaces nothing.
    with pytest.raises(DataError, match=r"table.md is there"):
        write_report(specs[:1], records, folder, index=False)
    assert (folder / "README.md").read_text() == "# my project"
    write_report(specs[:1], records, folder, index=False, force=True)
    write_report(specs[:1], records, tmp_path / "new", index=False)
    write_report(specs[:1], records, tmp_path / "new", index=False)  # Its README.md says that it is a report.


def test_improvements_and_angles_do_not_compete_for_the_best(tmp_path):
    spec = by_class_spec(tmp_path, published='"precision_by_class_reuters"')
    table = table_or_figure(spec, all_records(spec, score, classes))
    assert table.unranked == {"improvement of ours (%)"}
    seconds = made_spec(tmp_path, changed(measure='"seconds"'), name="seconds")
    assert table_or_figure(seconds, all_records(seconds, score)).unranked == {"plain", "ours"}
    assert table_or_figure(seconds, all_records(seconds, score)).remarks == ()

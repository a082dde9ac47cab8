"""Two methods are told apart as often as they differ, and by luck no oftener than was promised."""

import numpy as np
import pytest
from scipy import stats

from wideangle.evaluation import compare_runs, holm


def test_one_number_per_run_is_welchs_test():
    ours, theirs = [0.7, 0.9, 0.8, 0.85], [0.6, 0.7, 0.72]
    found, known = compare_runs(ours, theirs), stats.ttest_ind(ours, theirs, equal_var=False)
    assert found.p_value == pytest.approx(known.pvalue)
    assert found.degrees == pytest.approx(known.df)
    assert found.difference / found.error == pytest.approx(known.statistic)


def test_paired_runs_are_compared_by_their_differences():
    ours, theirs = [0.7, 0.9, 0.8], [0.6, 0.83, 0.75]
    found, known = compare_runs(ours, theirs, paired=True), stats.ttest_rel(ours, theirs)
    assert (found.p_value, found.degrees) == pytest.approx((known.pvalue, 2))


def mean_squares(answers):
    """Of runs, of queries and of what is left, of one table of answers, summed up one by one."""
    runs, queries = answers.shape
    whole = sum(answers[s, q] for s in range(runs) for q in range(queries)) / (runs * queries)
    by_run = [sum(answers[s, q] for q in range(queries)) / queries for s in range(runs)]
    by_query = [sum(answers[s, q] for s in range(runs)) / runs for q in range(queries)]
    left = [(answers[s, q] - by_run[s] - by_query[q] + whole) ** 2 for s in range(runs) for q in range(queries)]
    return (
        queries * sum((each - whole) ** 2 for each in by_run) / (runs - 1),
        runs * sum((each - whole) ** 2 for each in by_query) / (queries - 1),
        sum(left) / ((runs - 1) * (queries - 1)),
    )


def made_up(rng, runs=3, queries=40, of_runs=0.1, of_queries=0.5, of_both=0.3):
    """Answers of a method: what is hard for one method is hard for the other, but not equally."""
    hard = rng.normal(size=queries)

    def answers():
        own = hard + of_queries * rng.normal(size=queries)
        return own + of_runs * rng.normal(size=(runs, 1)) + of_both * rng.normal(size=(runs, queries))

    return answers(), answers()


def test_paired_answers_agree_with_the_mean_squares_of_a_crossed_design():
    """Clark's quasi-F: the variance of the mean difference is (MS of runs + MS of queries − MS of both) / (S·Q)."""
    ours, theirs = made_up(np.random.default_rng(0))
    runs, queries = ours.shape
    of_runs, of_queries, of_both = mean_squares(ours - theirs)
    found = compare_runs(ours, theirs, paired=True)
    wanted = of_runs + of_queries - of_both
    assert wanted > max(of_runs, of_queries)
    assert found.error == pytest.approx(np.sqrt(wanted / (runs * queries)))
    freedom = of_runs**2 / (runs - 1) + of_queries**2 / (queries - 1) + of_both**2 / ((runs - 1) * (queries - 1))
    assert found.degrees == pytest.approx(wanted**2 / freedom)
    assert found.p_value == pytest.approx(2 * stats.t.sf(abs(found.difference) / found.error, found.degrees))


def test_answers_of_unpaired_runs_have_the_error_that_was_put_in():
    """The squares of the errors are right on average, with equal weights and with unequal ones."""
    rng = np.random.default_rng(1)
    runs, queries, of_runs, of_queries, of_both = 4, 30, 0.2, 0.5, 0.4
    for weights in (np.ones(queries), np.repeat([1.0, 5.0], queries // 2)):
        found = [
            compare_runs(*made_up(rng, runs, queries, of_runs, of_queries, of_both), weights=weights)
            for _ in range(500)
        ]
        shares = weights / weights.sum()
        true = 2 * of_runs**2 / runs + (2 * of_queries**2 + 2 * of_both**2 / runs) * (shares @ shares)
        assert np.var([each.difference for each in found]) == pytest.approx(true, rel=0.25)
        # Where the terms would give less than the runs or the queries alone, the larger of these is taken.
        assert true * 0.97 < np.mean([each.error**2 for each in found]) < true * 1.15


def test_weights_make_a_mean_over_classes():
    """Two queries of one class and one of another, each class counting alike."""
    ours, theirs = np.array([[1.0, 0.0, 1.0], [1.0, 1.0, 0.0]]), np.zeros((2, 3))
    assert compare_runs(ours, theirs, weights=[1, 1, 2]).difference == pytest.approx((0.75 + 0.5) / 2)


@pytest.mark.parametrize(("of_runs", "of_queries"), [(0.3, 0.0), (0.02, 0.5), (0.1, 0.5)])
def test_three_seeds_give_a_false_verdict_in_about_one_table_of_twenty(of_runs, of_queries):
    """Two standard errors of the seeds, which is no test, give one in more than a tenth of all cells."""
    rng = np.random.default_rng(2)
    tables, cells, false, by_rule = 150, 5, 0, 0
    for _ in range(tables):
        p_values = []
        for _ in range(cells):
            ours, theirs = made_up(rng, of_runs=of_runs, of_queries=of_queries)
            p_values.append(compare_runs(ours, theirs).p_value)
            means = ours.mean(axis=1), theirs.mean(axis=1)
            error = np.sqrt(sum(each.var(ddof=1) / 3 for each in means))
            by_rule += abs(means[0].mean() - means[1].mean()) > 2 * error
        false += min(holm(p_values)) < 0.05
    assert false / tables < 0.05 + 3 * np.sqrt(0.05 * 0.95 / tables)
    assert by_rule / (tables * cells) > 0.1


def test_a_real_difference_is_seen():
    rng = np.random.default_rng(3)
    seen = 0
    for _ in range(50):
        ours, theirs = made_up(rng, queries=400, of_runs=0.02, of_queries=0.2)
        seen += compare_runs(ours + 0.1, theirs).p_value < 0.05
    assert seen > 40


def test_runs_that_tell_nothing_of_chance_have_no_p_value():
    for ours, theirs in (([0.5], [0.4, 0.5]), ([0.5, 0.5], [0.4, 0.4])):
        found = compare_runs(ours, theirs)
        assert np.isnan(found.p_value)
        assert found.difference > 0
    # Where seeds change nothing, queries still do.
    assert 0 < compare_runs(np.ones((2, 4)), np.tile([1.0, 0.0, 1.0, 1.0], (2, 1))).p_value < 1


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (([[1.0, 2.0]], [[1.0]]), "same queries; got 2 and 1"),
        (([1.0, 2.0], [1.0, 2.0, 3.0], {"paired": True}), "as many on both sides; got 2 and 3"),
        (([], [1.0]), "ours must hold a number per run"),
        (([1.0, np.nan], [1.0]), "ours holds values that are not finite"),
        ((np.ones((2, 2)), np.ones((2, 2)), {"weights": [1.0]}), r"one per query \(2\)"),
        ((np.ones((2, 2)), np.ones((2, 2)), {"weights": [1.0, 0.0]}), "leave one query"),
    ],
)
def test_what_cannot_be_compared_is_refused(given, told):
    *sides, options = given if isinstance(given[-1], dict) else (*given, {})
    with pytest.raises(ValueError, match=told):
        compare_runs(*sides, **options)


def test_holm_multiplies_the_smallest_most():
    found = holm([0.02, np.nan, 0.01, 0.9, 0.011])
    assert found[[0, 2, 3, 4]] == pytest.approx([0.04, 0.04, 0.9, 0.04])
    assert np.isnan(found[1])
    assert holm([0.6, 0.7]) == pytest.approx([1.0, 1.0])
    assert holm([]).shape == (0,)

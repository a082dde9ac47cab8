"""A fit to few documents says how much to trust it."""

import numpy as np
import pytest
import scipy.sparse as sp

from wideangle.commands.work.fit.fitted import said_of_few
from wideangle.models import ReplicatedSoftmax


def groups(n, seed=0):
    """Documents with many words of one of three groups, so that halves agree."""
    rng = np.random.default_rng(seed)
    likely = np.where(np.arange(60) // 20 == rng.integers(0, 3, n)[:, None], 0.6, 0.02)
    return sp.csr_array((rng.random((n, 60)) < likely).astype(float))


def shares(said):
    return [float(word.rstrip("%.;")) for word in said.split() if "%" in word]


@pytest.mark.parametrize("seed", range(3))
def test_two_models_of_halves_agree_more_than_by_chance_where_there_is_something(seed):
    model = ReplicatedSoftmax(random_state=0)
    agreed, chance = shares(said_of_few(model, groups(90, seed)))
    assert agreed > 1.5 * chance
    rng = np.random.default_rng(seed)
    nothing = sp.csr_array((rng.random((90, 60)) < 0.2).astype(float))
    agreed, chance = shares(said_of_few(model, nothing))
    assert agreed < 2 * chance


def test_enough_documents_need_no_word_and_a_handful_gets_one():
    model = ReplicatedSoftmax(random_state=0)
    assert said_of_few(model, groups(300)) is None
    assert said_of_few(model, groups(1)).startswith("One document has no neighbours")
    assert "take them as a hint" in said_of_few(model, groups(12))
    assert "hint" not in said_of_few(model, groups(40))
    one_word = sp.csr_array(np.eye(9))
    assert "so few words tell hardly anything" in said_of_few(model, one_word)


@pytest.mark.slow
def test_fit_says_it_and_that_fewer_components_would_do(run, tmp_path):
    texts = ["late delivery broken box", "quick delivery nice box", "rude answer phone", "phone answer polite"] * 5
    (tmp_path / "texts.txt").write_text("\n".join(f"{text} number{i}" for i, text in enumerate(texts)))
    code, _, err = run("fit", tmp_path / "texts.txt", "-k", "30", "-o", tmp_path / "m")
    assert code == 0
    assert "20 documents are few." in err
    assert "-k 30: 20 documents carry hardly more than 10 components" in " ".join(err.split())
    err = run("fit", tmp_path / "texts.txt", "-o", tmp_path / "m")[2]
    assert "hardly more" not in err

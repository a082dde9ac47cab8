"""DocNADE: a distribution over documents, gradients, the tree, splits without bias, and what is learned."""

import itertools
import math

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from scipy.optimize import linear_sum_assignment

from wideangle.baselines.documents._docnade import training
from wideangle.baselines.documents._docnade.outputs import BinaryTree, FullSoftmax
from wideangle.baselines.documents._docnade.tokens import Tokens, Visit
from wideangle.baselines.documents._docnade.training import (
    Network,
    hidden_before,
    log_p_of_tokens,
    loss_of_splits,
    split_loss,
)
from wideangle.baselines.documents.docnade import DocNADE
from wideangle.data import synthetic_corpus

CPU = torch.device("cpu")
both = pytest.mark.parametrize("softmax", ["full", "tree"])
activations = pytest.mark.parametrize("activation", ["tanh", "sigmoid"])


def network(V, K=3, seed=0):
    draws = torch.Generator().manual_seed(seed)
    return Network(*(torch.randn(shape, dtype=torch.float64, generator=draws) for shape in ((V, K), K, (V, K), V)))


def output(softmax, V, seed=0):
    return (
        FullSoftmax(V) if softmax == "full" else BinaryTree(torch.as_tensor(np.random.default_rng(seed).permutation(V)))
    )


def in_order(documents):
    """A visit that has these documents in the order given."""
    lengths = torch.tensor([len(document) for document in documents])
    words = torch.tensor([word for document in documents for word in document])
    numbers = torch.repeat_interleave(torch.arange(len(documents)), lengths)
    positions = torch.tensor([place for document in documents for place in range(len(document))])
    return Visit(words, numbers, positions, lengths)


def log_p(net, out, visit, activation):
    each = torch.cat(
        [part for _, part in log_p_of_tokens(net, out, hidden_before(net, visit, activation), visit.words)]
    )
    return torch.zeros(len(visit.lengths), dtype=each.dtype).index_add(0, visit.documents, each)


def naive_log_p(net, document, activation, log_p_of_word):
    total, sums = 0.0, net.hidden_bias.clone()
    for word in document:
        total += float(log_p_of_word(torch.tanh(sums) if activation == "tanh" else torch.sigmoid(sums), word))
        sums = sums + net.embedding[word]
    return total


@both
@activations
@pytest.mark.parametrize("V", [1, 2, 4, 5])
def test_all_documents_of_a_length_have_probability_one_together(softmax, activation, V):
    documents = list(itertools.product(range(V), repeat=3))
    found = log_p(network(V), output(softmax, V), in_order(documents), activation)
    assert float(found.exp().sum()) == pytest.approx(1)


@activations
def test_log_p_is_that_of_a_loop(activation, monkeypatch):
    net = network(7)
    documents = [[0, 3, 3, 6], [5], [1, 2, 4, 4, 4, 0]]

    def softmax(hidden, word):
        scores = [float(net.output_bias[w] + net.output[w] @ hidden) for w in range(7)]
        return scores[word] - math.log(sum(math.exp(score) for score in scores))

    expected = [naive_log_p(net, document, activation, softmax) for document in documents]
    for floats in (2**23, 7 * 2):  # all tokens at a time, and two
        monkeypatch.setattr(training, "MOST_FLOATS", floats)
        assert log_p(net, FullSoftmax(7), in_order(documents), activation).tolist() == pytest.approx(expected)


@pytest.mark.parametrize("V", [2, 3, 6, 8, 11])
def test_the_tree_multiplies_the_decisions_from_the_root_to_the_leaf(V):
    net, leaves = network(V), np.random.default_rng(1).permutation(V)
    tree = BinaryTree(torch.as_tensor(leaves))
    hidden = torch.randn((1, 3), dtype=torch.float64, generator=torch.Generator().manual_seed(2))
    for word in range(V):
        node, p = 1, 1.0
        for bit in bin(V + leaves[word])[3:]:  # the binary digits of a heap's number are the turns from the root
            right = 1 / (1 + math.exp(-float(net.output_bias[node] + net.output[node] @ hidden[0])))
            p *= right if bit == "1" else 1 - right
            node = 2 * node + int(bit)
        assert node == V + leaves[word]
        found = tree.of_tokens(hidden, torch.tensor([word]), net.output, net.output_bias)
        assert float(found.exp()) == pytest.approx(p)
    assert tree.paths.shape[1] == math.ceil(math.log2(V))


@both
@pytest.mark.parametrize("V", [1, 2, 5, 8, 13])
def test_counts_have_the_log_p_of_their_tokens(softmax, V):
    net, out = network(V), output(softmax, V)
    counts = torch.as_tensor(np.random.default_rng(0).poisson(1.0, (4, V))).double()
    hidden = torch.randn((4, 3), dtype=torch.float64, generator=torch.Generator().manual_seed(2))
    found = out.of_counts(hidden, counts, net.output, net.output_bias)
    for row in range(4):
        words = torch.arange(V)
        each = out.of_tokens(hidden[row].expand(V, 3), words, net.output, net.output_bias)
        assert float(found[row]) == pytest.approx(float((counts[row] * each).sum()))


@both
def test_the_first_bias_gives_words_their_frequencies(softmax):
    frequencies = torch.as_tensor(np.random.default_rng(0).dirichlet(np.ones(6)))
    out, nothing = output(softmax, 6), torch.zeros((6, 3), dtype=torch.float64)
    found = out.of_tokens(nothing, torch.arange(6), nothing, out.bias_of_frequencies(frequencies))
    assert found.exp().tolist() == pytest.approx(frequencies.tolist())


@both
@activations
def test_gradients_are_those_of_finite_differences(softmax, activation):
    net, out = network(5), output(softmax, 5)
    visit = in_order([[0, 3, 3], [4, 1]])
    parts = [part.clone().requires_grad_() for part in net]

    def whole(*parts):
        return log_p(Network(*parts), out, visit, activation)

    def split(*parts):
        return loss_of_splits(Network(*parts), out, activation, visit, torch.tensor([1, 0]), (2, 5))

    assert torch.autograd.gradcheck(whole, parts)
    assert torch.autograd.gradcheck(split, parts)


@both
def test_the_step_over_all_positions_has_the_gradient_of_log_p_per_word(softmax, monkeypatch):
    monkeypatch.setattr(training, "MOST_FLOATS", 10)  # so few that the tokens come in parts
    counts = sp.csr_array(np.array([[2, 0, 1, 0, 1], [0, 3, 0, 0, 0]]))
    rate = training.LearningRate(0.1, "constant", None)
    made = training.NADETrainer(
        network(5), output(softmax, 5), "tanh", Tokens(counts, CPU), rate, 0.0, None, torch.Generator().manual_seed(3)
    )
    loss = made._backward_of_all(np.array([0, 1]), made.group.part(2))
    found = [part.grad.clone() for part in made.network]
    visit = made.tokens.visit(np.array([0, 1]), torch.Generator().manual_seed(3))
    for part in made.network:
        part.grad = None
    expected = -(log_p(made.network, made.output, visit, "tanh") / visit.lengths).mean()
    expected.backward()
    assert float(loss) == pytest.approx(float(expected))
    for part, gradient in zip(made.network, found, strict=True):
        torch.testing.assert_close(part.grad, gradient)


@both
def test_splits_estimate_log_p_without_bias(softmax):
    document, net, out = [0, 2, 2, 3], network(4), output(softmax, 4)
    orders = list(itertools.permutations(document))
    expected = -float(log_p(net, out, in_order(orders), "tanh").mean()) / 4
    splits = [
        float(loss_of_splits(net, out, "tanh", in_order([order]), torch.tensor([shown]), (1, 4)))
        for order in orders
        for shown in range(4)
    ]
    assert np.mean(splits) == pytest.approx(expected)


def test_a_split_shows_every_number_of_words_but_all_alike(monkeypatch):
    seen = []
    monkeypatch.setattr(training, "loss_of_splits", lambda *given: seen.append(given[4]))
    visit = in_order([[0, 1, 2]] * 6000)
    split_loss(network(3), FullSoftmax(3), "tanh", visit, torch.Generator().manual_seed(0))
    share = torch.bincount(seen[0], minlength=3) / 6000
    assert share.tolist() == pytest.approx([1 / 3] * 3, abs=0.03)


def test_a_visit_shuffles_each_document_evenly():
    counts = sp.csr_array(np.array([[1, 1, 1, 0], [0, 0, 0, 0], [0, 0, 0, 2]]))
    tokens, draws = Tokens(counts, CPU), torch.Generator().manual_seed(0)
    visits = [tokens.visit(np.array([2, 1, 0]), draws) for _ in range(600)]
    for visit in visits[:20]:
        assert visit.words[:2].tolist() == [3, 3]
        assert sorted(visit.words[2:].tolist()) == [0, 1, 2]
        assert visit.documents.tolist() == [0, 0, 2, 2, 2]
        assert visit.positions.tolist() == [0, 1, 0, 1, 2]
        assert visit.lengths.tolist() == [2, 0, 3]
    orders, times = np.unique([visit.words[2:].numpy() for visit in visits], axis=0, return_counts=True)
    assert len(orders) == 6
    assert times.min() > 60


MADE = synthetic_corpus(1200, 5, 100, exponent=0.0, purity=0.9, background=0.1, words_per_topic=15)
TRAIN, TEST = MADE.corpus.counts[:900], MADE.corpus.counts[900:]


def fitted(seed=0, **settings):
    settings = {"max_updates": 400, "learning_rate": 0.02, "device": "cpu"} | settings
    return DocNADE(6, random_state=seed, **settings).fit(TRAIN)


def unit(rows):
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@pytest.mark.quick_cases(1)
@both
@activations
def test_topics_are_found_and_words_are_predicted_better_than_by_frequency(softmax, activation):
    model = fitted(softmax=softmax, activation=activation)
    frequencies = np.asarray(TRAIN.sum(axis=0)).ravel() + 0.5
    lengths = np.asarray(TEST.sum(axis=1)).ravel()
    unigram = np.exp(-np.mean((TEST @ np.log(frequencies / frequencies.sum())) / lengths))
    assert model.perplexity(TEST) < 0.7 * unigram
    # What a word says about the topics is the logarithm of its chances, and hidden units are coordinates of that.
    common = MADE.topics.mean(axis=0)
    evidence = np.log(0.8 * MADE.topics + 0.2 * common + 1e-4)
    evidence = unit(evidence - evidence.mean(axis=0))
    rows = unit(model.components_ - model.components_.mean(axis=1, keepdims=True))
    cosines = np.abs(evidence @ rows.T)
    assert cosines[linear_sum_assignment(-cosines)].mean() > 0.5  # that of random rows is below 0.2
    span = np.linalg.qr(rows.T)[0]
    assert np.linalg.norm(evidence @ span, axis=1).min() > 0.85


@pytest.mark.slow
def test_all_positions_and_splits_learn_the_same():
    found = [fitted(splits=splits, max_updates=150).perplexity(TEST) for splits in (None, 8)]
    assert found[0] == pytest.approx(found[1], rel=0.05)


@both
def test_the_same_seed_gives_the_same_model(softmax):
    first, again, other = (fitted(seed, softmax=softmax, max_updates=30) for seed in (3, 3, 4))
    assert (first.components_ == again.components_).all()
    assert (first.leaves_ == again.leaves_).all()
    assert not np.allclose(first.components_, other.components_)
    assert first.perplexity(TEST) == again.perplexity(TEST)
    assert first.perplexity(TEST, random_state=1) != first.perplexity(TEST)


def test_more_orders_give_their_mean():
    model = fitted(max_updates=30)
    one, many = (model.log_p(TEST[:5], orders=n) for n in (1, 40))
    assert not np.allclose(one, many)
    again = np.mean([model.log_p(TEST[:5], random_state=seed) for seed in range(40)], axis=0)
    np.testing.assert_allclose(many, again, atol=1.0)


@activations
def test_transform_is_the_hidden_layer_after_all_words(activation):
    model = fitted(max_updates=30, activation=activation)
    counts = np.zeros((2, 100), dtype=int)
    counts[0, [4, 9]] = 2, 1
    sums = model.intercept_hidden_ + 2 * model.components_[:, 4] + model.components_[:, 9]
    g = np.tanh if activation == "tanh" else lambda x: 1 / (1 + np.exp(-x))
    np.testing.assert_allclose(model.transform(counts), [g(sums), g(model.intercept_hidden_)], rtol=1e-5)
    np.testing.assert_allclose(model.transform(sp.csr_array(counts)), model.transform(counts))


def test_validation_keeps_the_best_state():
    model = fitted(validation_fraction=0.3, max_updates=600, learning_rate=0.3, schedule="constant", patience=3)
    best = max(record.validation for record in model.history_)
    assert model.history_[-1].validation < best
    assert "the best, is kept" in model.stopped_


def test_documents_without_words_change_nothing():
    model = fitted(max_updates=30)
    padded = sp.vstack([TEST[:4], sp.csr_array((1, 100), dtype=TEST.dtype), TEST[4:6]], format="csr")
    found = model.log_p(padded)
    assert found[4] == 0
    assert math.isfinite(model.perplexity(padded))
    with pytest.raises(ValueError, match="all 1 documents are empty"):
        model.perplexity(np.zeros((1, 100)))
    with pytest.raises(ValueError, match="every document"):
        DocNADE(2).fit(np.zeros((3, 4)))


@both
@pytest.mark.parametrize("counts", [[[1, 2, 0]], [[3], [1]]], ids=["one document", "one word"])
def test_small_corpora(softmax, counts):
    model = DocNADE(5, softmax=softmax, max_updates=5, device="cpu", random_state=0).fit(counts)
    assert model.transform(counts).shape == (len(counts), 5)
    assert np.isfinite(model.log_p(counts)).all()


@pytest.mark.parametrize(
    ("counts", "settings", "message"),
    [
        ([[1, -1]], {}, "negative"),
        ([[1, 0.5]], {}, "whole numbers"),
        ([[1, 2]], {"softmax": "none"}, "softmax"),
        ([[1, 2]], {"activation": "relu"}, "activation"),
        ([[1, 2]], {"splits": 0}, "splits .* None"),
        ([[1, 2]], {"learning_rate": 0}, "learning_rate"),
        ([[1, 2]], {"n_components": 0}, "n_components must be a whole number"),
    ],
)
def test_bad_input_is_named(counts, settings, message):
    with pytest.raises(ValueError, match=message):
        DocNADE(**settings).fit(counts)


def test_orders_must_be_a_number():
    with pytest.raises(ValueError, match="orders must be"):
        fitted(max_updates=1).perplexity(TEST, orders=0)


@pytest.mark.cuda
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
@both
@pytest.mark.parametrize("splits", [1, None])
def test_cuda_learns_what_the_cpu_learns(softmax, splits):
    fits = [fitted(softmax=softmax, splits=splits, device=device, max_updates=150) for device in ("cpu", "cuda")]
    by_cpu, by_cuda = (model.perplexity(TEST) for model in fits)
    assert by_cuda == pytest.approx(by_cpu, rel=0.1)
    # Each device draws its own orders, so that the same model agrees only about.
    assert fits[1].set_params(device="cpu").perplexity(TEST) == pytest.approx(by_cuda, rel=0.02)

"""The regulariser with angles as the inputs of the layers see them: values, hooks, samples, errors."""

import copy
import gc
import pickle
import weakref

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from torch import nn

from wideangle import MutualAngularRegularizer, log_volume, mutual_angular_bound, mutual_angular_score
from wideangle._kept_inputs import kept_inputs
from wideangle._responses import LEAST_IMAGES, ConvolutionResponses
from wideangle.exceptions import LayerSelectionError, MetricError, TooManyComponentsError, ZeroComponentWarning
from wideangle.functional import ColumnScales, value_and_gradient

FUNCTIONS = {"angle": mutual_angular_score, "bound": mutual_angular_bound, "volume": log_volume}


def random(*shape, seed=0, dtype=torch.float32):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(dtype)


def rows(n=40, D=9, seed=1, **options):
    """Rows whose columns differ in size and are correlated."""
    return random(n, D, seed=seed, **options) @ random(D, D, seed=seed + 1, **options) + 1.0


def network(seed=0):
    torch.manual_seed(seed)
    return nn.Sequential(
        nn.Conv2d(3, 8, 3, stride=2, padding=1),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(128, 20),
        nn.ReLU(),
        nn.Linear(20, 4),
    )


def covariance(**options):
    return MutualAngularRegularizer(metric="covariance", **options)


@pytest.mark.parametrize("surrogate", FUNCTIONS)
@pytest.mark.parametrize("kind", [lambda X: X, lambda X: X.numpy(), lambda X: sp.csr_array(X.numpy())])
def test_tensors(surrogate, kind):
    A, X = random(5, 9), rows()
    expected = FUNCTIONS[surrogate](A, metric=X)
    assert torch.allclose(covariance(surrogate=surrogate)(A, inputs=kind(X)), expected, atol=1e-5)
    expected = FUNCTIONS[surrogate](A, metric=ColumnScales(X.std(0)))
    assert torch.allclose(MutualAngularRegularizer(surrogate, metric="scales")(A, inputs=kind(X)), expected, atol=1e-5)
    assert not torch.allclose(expected, FUNCTIONS[surrogate](A), atol=1e-3)
    assert torch.equal(covariance().penalty(A, 0.3, X), -0.3 * covariance()(A, X))


def test_the_identity_needs_no_inputs():
    A = random(5, 9)
    assert torch.equal(MutualAngularRegularizer()(A, inputs=rows()), mutual_angular_score(A))


@pytest.mark.parametrize("surrogate", FUNCTIONS)
@pytest.mark.parametrize("metric", ["covariance", "scales"])
def test_linear_layers_are_measured_by_their_inputs(surrogate, metric):
    model = nn.Sequential(nn.Linear(9, 6), nn.Tanh(), nn.Linear(6, 5), nn.Linear(5, 2))
    regularizer = MutualAngularRegularizer(surrogate, metric=metric)
    X = rows()
    with regularizer.watch(model):
        model(X)
        value = regularizer(model)
    expected = 0
    for layer, seen in ((model[0], X), (model[2], model[:2](X).detach())):
        seen = seen if metric == "covariance" else ColumnScales(seen.std(0))
        expected = expected + FUNCTIONS[surrogate](layer.weight, metric=seen)
    assert torch.allclose(value, expected, atol=1e-5)
    gradients = (torch.autograd.grad(v, (model[0].weight, model[2].weight)) for v in (value, expected))
    for gradient, other in zip(*gradients, strict=True):
        assert torch.allclose(gradient, other, atol=1e-4)


def test_cosines_are_correlations_of_pre_activations():
    layer = nn.Linear(9, 2).double()
    X = rows(dtype=torch.float64)
    correlation = np.corrcoef(layer(X).detach().T)[0, 1]
    value = covariance(layers="*")(nn.Sequential(layer), inputs={"0": X})
    assert float(value.cos().detach()) == pytest.approx(abs(correlation), abs=1e-12)


def test_leading_dimensions_are_rows():
    model = nn.Sequential(nn.Linear(9, 6), nn.Linear(6, 5))
    X = random(4, 3, 7, 9)
    expected = mutual_angular_score(model[0].weight, metric=X.reshape(-1, 9))
    assert torch.allclose(covariance()(model, inputs={"0": X}), expected, atol=1e-6)
    regularizer = covariance()
    regularizer.watch(model)
    model(X)
    assert torch.allclose(regularizer(model), expected, atol=1e-6)


def unfolded(layer, images):
    """The responses of a Conv2d by unfolding the images, K × positions, group by group."""
    x = images
    if layer.padding_mode == "circular":
        x = torch.cat([x[..., -layer.padding[0] :, :], x, x[..., : layer.padding[0], :]], -2)
        x = torch.cat([x[..., -layer.padding[1] :], x, x[..., : layer.padding[1]]], -1)
        padding = 0
    else:
        padding = layer.padding
    patches = nn.functional.unfold(x, layer.kernel_size, layer.dilation, padding, layer.stride)
    patches = patches.transpose(0, 1).flatten(1)  # (channels × kernel) × positions
    weight = layer.weight.flatten(1)
    width, per_group = weight.shape[1], len(weight) // layer.groups
    answers = [
        weight[g * per_group : (g + 1) * per_group] @ patches[g * width : (g + 1) * width] for g in range(layer.groups)
    ]
    return torch.cat(answers)


CONVOLUTIONS = {
    "plain": {},
    "stride": {"stride": (2, 1)},
    "padding": {"padding": (1, 2)},
    "dilation": {"dilation": (1, 2)},
    "groups": {"groups": 2},
    "depthwise": {"groups": 4},
    "circular": {"padding": (1, 2), "padding_mode": "circular"},
    "all": {"stride": (1, 2), "padding": (2, 1), "dilation": (2, 1), "groups": 2},
}


@pytest.mark.parametrize("surrogate", FUNCTIONS)
@pytest.mark.parametrize("options", CONVOLUTIONS.values(), ids=CONVOLUTIONS.keys())
def test_convolutions_are_measured_at_every_position(options, surrogate):
    torch.manual_seed(0)
    layer = nn.Conv2d(4, 8, (3, 2), **options).double()
    images = random(5, 4, 8, 9, dtype=torch.float64) + torch.arange(4)[:, None, None]
    responses = unfolded(layer, images)
    expected = FUNCTIONS[surrogate](responses - responses.mean(1, keepdim=True))
    value = covariance(surrogate=surrogate, layers="*").eval()(nn.Sequential(layer), inputs={"0": images})
    assert float(value.detach()) == pytest.approx(float(expected.detach()), rel=1e-9)
    gradient, other = (torch.autograd.grad(v, layer.weight)[0] for v in (value, expected))
    assert torch.allclose(gradient, other, rtol=1e-7, atol=1e-10)
    assert layer.bias.grad is None


LAYERS = {
    "Conv1d": (nn.Conv1d(4, 6, 3, stride=2, padding="valid"), (5, 4, 11)),
    "Conv2d": (nn.Conv2d(4, 6, 3, padding="same", padding_mode="reflect"), (3, 4, 6, 7)),
    "Conv3d": (nn.Conv3d(2, 6, 2, dilation=2, groups=2), (3, 2, 4, 5, 6)),
    "ConvTranspose1d": (nn.ConvTranspose1d(4, 6, 3, stride=2, output_padding=1), (5, 4, 7)),
    "ConvTranspose2d": (nn.ConvTranspose2d(4, 6, 3, stride=2, padding=1, groups=2), (3, 4, 4, 5)),
    "ConvTranspose3d": (nn.ConvTranspose3d(2, 6, 2, dilation=2), (2, 2, 3, 3, 4)),
    "one image": (nn.Conv2d(4, 6, 3), (4, 8, 9)),
    "one image, transposed": (nn.ConvTranspose2d(4, 6, 3), (4, 5, 5)),
}
every_layer = pytest.mark.parametrize(("layer", "shape"), LAYERS.values(), ids=LAYERS.keys())


@every_layer
def test_every_convolution_answers_as_it_does_in_the_model(layer, shape):
    """Correlations of the layer's own output, over all positions. A bias does not matter to them."""
    layer, x = copy.deepcopy(layer).double(), random(*shape, dtype=torch.float64)
    output = layer(x).detach()
    output = (output if output.ndim == len(layer.kernel_size) + 2 else output[None]).transpose(0, 1).flatten(1)
    cosines = np.abs(np.corrcoef(output))[np.triu_indices(6, 1)]
    angles = np.arccos(np.minimum(cosines, 1))
    regularizer = covariance(layers="*")
    with regularizer.watch(nn.Sequential(layer)) as watch:
        layer(x)
        value = regularizer.eval()(nn.Sequential(layer))
    assert float(value.detach()) == pytest.approx(angles.mean() - angles.var(), abs=1e-8)
    assert kept_inputs(layer) is None
    watch.remove()


@pytest.mark.quick_cases(3)
@every_layer
@pytest.mark.parametrize("rows", [None, 4])
def test_gradients_of_convolutions_pass_gradcheck(layer, shape, rows):
    layer, x = copy.deepcopy(layer).double(), random(*shape, dtype=torch.float64)
    regularizer = covariance(layers="*", rows=rows, sample=50)

    def value(weight):
        regularizer.step = 0
        changed = copy.copy(layer)
        changed._parameters = {"weight": weight, "bias": None}
        return regularizer(nn.Sequential(changed), inputs={"0": x})

    assert torch.autograd.gradcheck(value, (layer.weight,))


@every_layer
@pytest.mark.parametrize("chosen", [None, torch.tensor([4, 1, 2])])
def test_the_transposed_map_of_convolutions(layer, shape, chosen):
    layer, x = copy.deepcopy(layer).double(), random(*shape, dtype=torch.float64)
    images = x if x.ndim == len(layer.kernel_size) + 2 else x[None]
    metric = ConvolutionResponses(layer, images, chosen, 30, torch.Generator().manual_seed(0))
    A = random(3 if chosen is not None else 6, metric.n_columns, dtype=torch.float64)
    B = random(*metric.map(A).shape, seed=1, dtype=torch.float64)
    assert float((metric.map(A) * B).sum()) == pytest.approx(float((A * metric.back(B)).sum()), rel=1e-9)
    gradient = value_and_gradient(A, metric=metric)[1]
    A.requires_grad_()
    assert torch.allclose(torch.autograd.grad(mutual_angular_score(A, metric=metric), A)[0], gradient, atol=1e-10)


@every_layer
def test_sampled_positions_are_positions_of_the_output(layer, shape):
    layer, x = copy.deepcopy(layer).double(), random(*shape, dtype=torch.float64)
    images = x if x.ndim == len(layer.kernel_size) + 2 else x[None]
    A = random(6, ConvolutionResponses(layer, images).n_columns, dtype=torch.float64)
    every = {tuple(column) for column in ConvolutionResponses(layer, images)._responses(A).T.numpy().round(9)}
    metric = ConvolutionResponses(layer, images, None, 20, torch.Generator().manual_seed(0))
    assert len(metric.positions.unique()) == 20
    some = metric._responses(A)
    assert some.shape == (6, 20)
    assert {tuple(column) for column in some.T.numpy().round(9)} < every
    assert len({tuple(column) for column in some.T.numpy()}) > 15  # Some outputs of a transposed one have no input.


def test_hooks_see_what_the_layers_saw():
    model, regularizer = network(), covariance()
    x = random(6, 3, 8, 8)
    with regularizer.watch(model):
        model(x)
        assert torch.equal(kept_inputs(model[0]), x)
        assert torch.equal(kept_inputs(model[3]), model[:3](x))
        assert kept_inputs(model[5]) is None  # The output layer is not regularised.
        x.zero_()
        assert bool(kept_inputs(model[0]).any())  # Copies are kept.
        assert not kept_inputs(model[3]).requires_grad


def test_inputs_by_name_come_before_those_that_were_kept():
    model, regularizer = network(), covariance()
    x, y = random(6, 3, 8, 8), random(7, 3, 8, 8, seed=5)
    with regularizer.watch(model):
        model(x)
        kept = regularizer(model)
        given = regularizer(model, inputs={"0": y})
    assert torch.equal(kept, regularizer(model, inputs={"0": x, "3": model[:3](x)}))
    assert torch.equal(given, regularizer(model, inputs={"module.0": y, "_orig_mod.3": model[:3](x)}))
    assert not torch.equal(given, kept)


def test_only_training_mode_is_watched():
    model, regularizer = network(), covariance()
    regularizer.watch(model)
    model.eval()(random(6, 3, 8, 8))
    assert kept_inputs(model[0]) is None
    with pytest.raises(MetricError, match="in training mode"):
        regularizer(model)
    with torch.inference_mode():
        model.train()(random(6, 3, 8, 8))
    regularizer(model).backward()


def test_removal_leaves_no_trace():
    model, regularizer = network(), covariance()
    watch = regularizer.watch(model)
    model(random(6, 3, 8, 8))
    kept = weakref.ref(kept_inputs(model[3])._base)
    watch.remove()
    gc.collect()
    assert kept() is None
    assert not any(m._forward_pre_hooks or m._forward_pre_hooks_with_kwargs for m in model.modules())
    with pytest.raises(MetricError, match=r"watch\(model\).*inputs=\{'0'"):
        regularizer(model)


def test_the_identity_puts_no_hooks():
    model = network()
    with MutualAngularRegularizer().watch(model):
        assert not any(m._forward_pre_hooks for m in model.modules())


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model))])
def test_copies_of_a_watched_model_carry_hooks_but_no_inputs(copied):
    model, regularizer = network(), covariance()
    plain = len(pickle.dumps(model))
    with regularizer.watch(model):
        model(random(30, 3, 8, 8))
        assert len(pickle.dumps(model)) < plain + 2000
        other = copied(model)
        assert list(model.state_dict()) == list(network().state_dict())
        assert kept_inputs(other[0]) is None
        before = kept_inputs(model[0]).clone()
        x = random(5, 3, 8, 8, seed=3)
        other(x)
        assert torch.equal(kept_inputs(other[0]), x)
        assert torch.equal(kept_inputs(model[0]), before)
        assert torch.isfinite(regularizer(other))


def test_memory_is_bounded_and_the_newest_inputs_are_kept():
    layer = nn.Linear(3, 5)
    model, regularizer = nn.Sequential(layer), covariance(layers="*", sample=10)
    regularizer.watch(model)
    numbered = torch.arange(100.0)[:, None].expand(-1, 3)
    for start in range(0, 28, 4):
        model(numbered[start : start + 4])
        assert len(kept_inputs(layer)) == min(10, start + 4)
    assert sorted(kept_inputs(layer)[:, 0].tolist()) == list(range(18, 28))
    model(numbered)  # more than there is room for
    kept = kept_inputs(layer)[:, 0].tolist()
    assert len(set(kept)) == 10
    assert sorted(kept) != list(range(90, 100))
    assert kept_inputs(layer).untyped_storage().nbytes() == 10 * 3 * 4


def test_few_images_are_kept_where_each_has_many_positions():
    wide, narrow = nn.Conv2d(1, 4, 3), nn.Conv2d(1, 4, 3)
    regularizer = covariance(layers="*", sample=1000)
    regularizer.watch(nn.Sequential(wide, narrow))
    wide(random(100, 1, 34, 34))
    narrow(random(100, 1, 5, 5))
    assert len(kept_inputs(wide)) == LEAST_IMAGES
    assert len(kept_inputs(narrow)) == 100
    narrow(random(100, 1, 5, 5))
    assert len(kept_inputs(narrow)) == -(-1000 // 9)


def test_images_of_another_size_start_anew():
    layer = nn.Conv2d(1, 4, 3)
    regularizer = covariance(layers="*")
    regularizer.watch(nn.Sequential(layer))
    layer(random(5, 1, 8, 8))
    layer(random(3, 1, 6, 7))
    assert kept_inputs(layer).shape == (3, 1, 6, 7)


def test_a_layer_that_is_called_twice_keeps_both():
    layer = nn.Linear(3, 3)
    regularizer = covariance(layers="*")
    regularizer.watch(nn.Sequential(layer))
    layer(input=layer(random(4, 3)))
    assert len(kept_inputs(layer)) == 8


def test_two_regularisers_may_watch_one_model():
    layer = nn.Linear(3, 3)
    small, large = covariance(layers="*", sample=4), covariance(layers="*", sample=50)
    first = small.watch(nn.Sequential(layer))
    large.watch(nn.Sequential(layer))
    layer(random(20, 3))
    assert len(kept_inputs(layer)) == 20
    first.remove()
    assert len(kept_inputs(layer)) == 20


def test_sampled_in_training_and_exact_in_evaluation():
    model, X = nn.Sequential(nn.Linear(9, 6), nn.Linear(6, 5)), rows(300)
    regularizer = covariance(sample=20)
    expected = float(mutual_angular_score(model[0].weight.detach(), metric=X))
    drawn = [float(regularizer(model, inputs={"0": X})) for _ in range(30)]
    assert len(set(drawn)) == 30
    assert abs(np.mean(drawn) - expected) < 0.1
    assert regularizer.step == 30
    regularizer.eval()
    assert float(regularizer(model, inputs={"0": X})) == pytest.approx(expected, abs=1e-6)
    assert regularizer.step == 30


@pytest.mark.parametrize("x", [rows(300), sp.csr_array(rows(300).numpy())], ids=["dense", "sparse"])
def test_draws_depend_on_seed_and_step_alone(x):
    A = random(30, 9)
    first, second = (covariance(sample=20, rows=8, every=2, seed=5) for _ in range(2))
    torch.manual_seed(1)
    one = [float(first(A, inputs=x)) for _ in range(6)]
    torch.manual_seed(2)
    assert [float(second(A, inputs=x)) for _ in range(6)] == one
    assert one[1::2] == [0.0] * 3
    assert len(set(one[::2])) == 3
    assert float(covariance(sample=20, rows=8, every=2, seed=6)(A, inputs=x)) != one[0]


def test_the_rows_do_not_depend_on_the_number_of_inputs():
    """Ranks may have batches of different sizes, and must regularise the same units of every layer."""
    model = nn.Sequential(nn.Linear(9, 30), nn.Linear(30, 40), nn.Linear(40, 2))
    taken = []
    for n in (50, 90):
        model.zero_grad()
        x = rows(n)
        covariance(rows=5, sample=20)(model, inputs={"0": x, "1": model[0](x)}).backward()
        taken.append([layer.weight.grad.any(1).nonzero().flatten().tolist() for layer in model[:2]])
    assert taken[0] == taken[1]
    assert [len(units) for units in taken[0]] == [5, 5]


def test_a_resumed_job_goes_on_and_old_states_load():
    A, X = random(30, 9), rows(300)
    regularizer = covariance(sample=20)
    for _ in range(3):
        regularizer(A, X)
    resumed = covariance(sample=20)
    resumed.load_state_dict(copy.deepcopy(regularizer.state_dict()))
    assert pickle.loads(pickle.dumps(regularizer))(A, X) == resumed(A, X) == regularizer(A, X)
    resumed.load_state_dict({"_extra_state": {"step": 7}})
    assert resumed.step == 7


def test_tied_layers_count_once():
    model = nn.Sequential(nn.Linear(9, 9), nn.Linear(9, 9))
    model[1].weight = model[0].weight
    X = rows()
    regularizer = covariance(layers="*")
    with regularizer.watch(model):
        model(X)
        assert torch.allclose(regularizer(model), mutual_angular_score(model[0].weight, metric=X), atol=1e-6)


def test_wrappers_do_not_change_names():
    model = network()
    regularizer = covariance()
    wrapped = nn.DataParallel(model)
    with regularizer.watch(wrapped):
        wrapped(random(6, 3, 8, 8))
        assert torch.equal(regularizer(wrapped), regularizer(model))


def test_parametrised_weights_get_gradients():
    model = nn.Sequential(nn.utils.parametrizations.weight_norm(nn.Conv1d(3, 5, 2)), nn.Conv1d(5, 2, 2))
    covariance()(model, inputs={"0": random(6, 3, 10)}).backward()
    assert bool(model[0].parametrizations.weight.original1.grad.any())


def test_half_precision_inputs_and_autocast():
    model, x = network(), random(6, 3, 8, 8, dtype=torch.bfloat16)
    y = rows(30, 128).bfloat16()
    expected = covariance()(model, inputs={"0": x.float(), "3": y.float()})
    with torch.autocast("cpu", dtype=torch.bfloat16):
        inside = covariance()(model, inputs={"0": x, "3": y})
    assert torch.equal(inside, expected)
    assert inside.dtype == torch.float32


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:The .grad attribute")  # torch.compile looks at it itself
@pytest.mark.parametrize("amortised", [{}, {"every": 2, "rows": 10}])
def test_inside_a_compiled_training_step(amortised):
    models = [network(), network()]
    regularizers = [covariance(sample=50, **amortised) for _ in models]
    for model, regularizer in zip(models, regularizers, strict=True):
        regularizer.watch(model)

    def step(model, regularizer, x):
        return model(x).square().mean() + regularizer.penalty(model, 0.1)

    torch.compiler.reset()
    fast = torch.compile(step, backend="aot_eager")
    for number in range(12):  # more than torch.compile's limit of recompilations
        x = random(8, 3, 8, 8, seed=number)
        expected = torch.autograd.grad(step(models[0], regularizers[0], x), models[0][0].weight)[0]
        found = torch.autograd.grad(fast(models[1], regularizers[1], x), models[1][0].weight)[0]
        assert torch.allclose(found, expected, atol=1e-5)
    assert torch.equal(kept_inputs(models[0][0]), kept_inputs(models[1][0]))


def test_maximising_it_makes_pre_activations_less_correlated():
    model, x = network(), random(64, 3, 8, 8)
    x = x + x.mean(1, keepdim=True)
    regularizer = covariance()

    def correlation():
        return float(np.abs(np.corrcoef(model[:4](x).detach().T) - np.eye(20)).mean())

    before, optimizer = correlation(), torch.optim.SGD(model.parameters(), lr=1.0)
    with regularizer.watch(model):
        for _ in range(50):
            optimizer.zero_grad()
            model(x)
            regularizer.penalty(model).backward()
            optimizer.step()
    assert correlation() < 0.8 * before


def test_the_volume_of_a_depthwise_convolution_is_defined():
    """Channels of different groups answer different inputs, so that there may be more of them than columns."""
    layer = nn.Conv2d(12, 12, 2, groups=12)
    value = covariance(surrogate="volume", layers="*")(nn.Sequential(layer), inputs={"0": random(9, 12, 5, 5)})
    assert -12 < float(value.detach()) < 0


def test_dead_inputs():
    model = nn.Sequential(nn.Linear(9, 6), nn.Linear(6, 5))
    with pytest.raises(MetricError, match="^0: all 4 rows"):
        covariance()(model, inputs={"0": torch.ones(4, 9)})
    convolution = nn.Sequential(nn.Conv1d(1, 2, 2), nn.Linear(1, 1))
    with pytest.warns(ZeroComponentWarning):
        value = covariance()(convolution, inputs={"0": torch.full((4, 1, 6), 0.3)})
    assert float(value.detach()) == pytest.approx(np.pi / 2)


NAN = torch.tensor([[float("nan")] * 9] * 3)
WRONG = {
    "no inputs": (None, MetricError, r"^0: no inputs of this layer.*metric='covariance'.*watch\(model\).*\{'0': ...\}"),
    "not by name": (rows(), MetricError, "dictionary from names of layers; got Tensor"),
    "unknown layer": ({"1": rows()}, LayerSelectionError, "the name '1', but the chosen layers are '0'"),
    "one row": ({"0": rows(1)}, MetricError, "^0: .*at least 2 inputs that differ; got 1"),
    "one vector": ({"0": rows(1)[0]}, MetricError, r"^0: .*rows of 9 columns.*got shape \(9,\)"),
    "other width": ({"0": rows(5, 8)}, MetricError, r"^0: .*rows of 9 columns.*got shape \(5, 8\)"),
    "NaN": ({"0": NAN}, MetricError, "^0: .*finite; got NaN"),
    "a string": ({"0": "rows"}, MetricError, "^0: inputs must be an array of real numbers; got str"),
    "sparse tensor": ({"0": torch.eye(9).to_sparse()}, MetricError, r"^0: .*Call .to_dense\(\)"),
}


@pytest.mark.parametrize("metric", ["covariance", "scales"])
@pytest.mark.parametrize(("inputs", "error", "message"), WRONG.values(), ids=WRONG.keys())
def test_bad_inputs_of_linear_layers(inputs, error, message, metric):
    model = nn.Sequential(nn.Linear(9, 6), nn.ReLU(), nn.Linear(6, 2))
    with pytest.raises(error, match=message.replace("covariance", metric)):
        MutualAngularRegularizer(metric=metric)(model, inputs=inputs)


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        (random(4, 3, 8), r"^0: .*Conv2d.*\(images, 3 channels, 2 more\); got shape \(1, 4, 3, 8\)"),
        (random(4, 2, 8, 8), r"^0: .*3 channels.*got shape \(4, 2, 8, 8\)"),
        (random(4, 3), r"^0: .*got shape \(4, 3\)"),
        (sp.eye_array(3), r"^0: .*got shape \(3, 3\)"),
        (random(1, 3, 2, 1), "^0: angles .* at least 2 positions that differ; got 1"),
        (random(4, 3, 8, 8) / 0, "^0: .*finite"),
        (torch.ones(4, 3, 8, 8) * 1j, "^0: .*real numbers; got torch.complex64"),
    ],
)
def test_bad_inputs_of_convolutions(inputs, message):
    with pytest.raises(MetricError, match=message):
        covariance()(network(), inputs={"0": inputs})


def test_bad_choices():
    images = random(4, 3, 8, 8)
    with pytest.raises(MetricError, match="metric='covariance'"):
        MutualAngularRegularizer(metric="scales")(network(), inputs={"0": images})
    with pytest.raises(MetricError, match="^0: Embedding .*metric='identity'"):
        covariance(layers="*")(nn.Sequential(nn.Embedding(5, 3)), inputs={"0": torch.tensor([1, 2])})
    for inputs in (None, {"0": rows()}):
        with pytest.raises(MetricError, match="inputs=rows"):
            covariance()(random(5, 9), inputs=inputs)
    with pytest.raises(MetricError, match="rows of 9 columns"):
        covariance()(random(5, 9), inputs=rows(4, 8))
    with pytest.raises(ValueError, match="got 'mahalanobis'"):
        MutualAngularRegularizer(metric="mahalanobis")
    with pytest.raises(ValueError, match="sample .*got 1"):
        MutualAngularRegularizer(sample=1)
    with pytest.raises(LayerSelectionError, match="'nothing'"):
        covariance(layers="nothing").watch(network())
    with pytest.raises(TooManyComponentsError, match="^0: .*rank 3 .*got K=6"):
        covariance(surrogate="volume")(nn.Sequential(nn.Linear(9, 6), nn.Linear(6, 1)), inputs={"0": rows(4)})


def test_says_what_it_is():
    assert "metric='covariance', sample=7" in repr(covariance(sample=7))


@pytest.mark.cuda
@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")
def test_on_a_gpu():
    model, x = network(), random(6, 3, 8, 8)
    regularizer = covariance().eval()
    with regularizer.watch(model):
        model(x)
        expected = float(regularizer(model).detach())
        model.cuda()(x.cuda())
        assert kept_inputs(model[0]).is_cuda
        value = regularizer(model)
    assert value.is_cuda
    assert float(value.detach()) == pytest.approx(expected, abs=5e-3)  # Convolutions may take their inputs in tf32.
    value.backward()
    assert bool(model[0].weight.grad.isfinite().all())

"""The regulariser module: which layers, what value, amortisation, many ranks."""

import copy
import pickle

import pytest
import torch
from torch import nn

from wideangle import MutualAngularRegularizer, log_volume, mutual_angular_bound, mutual_angular_score
from wideangle.exceptions import ComponentsError, LayerSelectionError, TooManyComponentsError
from wideangle.functional import pairwise_angles
from wideangle.regularizer import selected_layers


def network():
    torch.manual_seed(0)
    return nn.Sequential(
        nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten(), nn.Linear(288, 20), nn.ReLU(), nn.Linear(20, 4)
    )


def test_tensor():
    A = torch.randn(5, 9)
    assert torch.equal(MutualAngularRegularizer()(A), mutual_angular_score(A))
    assert torch.equal(MutualAngularRegularizer("bound", 0.5)(A), mutual_angular_bound(A, 0.5))
    assert torch.equal(MutualAngularRegularizer("volume")(A), log_volume(A))


def test_penalty_is_what_to_add_to_a_loss():
    A = torch.randn(5, 9)
    assert torch.equal(MutualAngularRegularizer().penalty(A, 0.3), -0.3 * mutual_angular_score(A))


def test_minimising_the_penalty_spreads_the_units():
    model = network()
    regularizer = MutualAngularRegularizer()
    before = float(regularizer(model))
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    for _ in range(50):
        optimizer.zero_grad()
        regularizer.penalty(model).backward()
        optimizer.step()
    assert float(regularizer(model)) > before + 0.02


def test_default_is_every_layer_but_the_last():
    model = network()
    assert list(selected_layers(model)) == ["0", "4"]
    expected = mutual_angular_score(model[0].weight.flatten(1)) + mutual_angular_score(model[4].weight)
    assert torch.allclose(MutualAngularRegularizer()(model), expected)


@pytest.mark.parametrize(
    ("layers", "names"),
    [
        ("4", ["4"]),
        ("*", ["0", "4", "6"]),
        (["6", "0"], ["0", "6"]),
        (lambda name, module: isinstance(module, nn.Linear), ["4", "6"]),
        (lambda name, module: name == "0", ["0"]),
    ],
)
def test_layers_by_pattern_and_predicate(layers, names):
    model = network()
    assert list(selected_layers(model, layers)) == names
    value = MutualAngularRegularizer(layers=layers)(model)
    assert torch.allclose(value, sum(mutual_angular_score(model[int(n)].weight.flatten(1)) for n in names))


def test_nested_names():
    model = nn.ModuleDict({"encoder": nn.ModuleList([nn.Linear(4, 3), nn.Linear(3, 3)]), "head": nn.Linear(3, 2)})
    assert list(selected_layers(model, "encoder.*")) == ["encoder.0", "encoder.1"]


@pytest.mark.parametrize("layers", ["nothing*", ["0", "7"], lambda name, module: False])
def test_a_choice_that_matches_nothing_lists_what_there_is(layers):
    with pytest.raises(LayerSelectionError, match="'0', '4', '6'"):
        MutualAngularRegularizer(layers=layers)(network())


def test_a_single_layer_is_taken_for_the_output():
    with pytest.raises(LayerSelectionError, match=r"layers='\*'"):
        MutualAngularRegularizer()(nn.Linear(3, 2))
    assert MutualAngularRegularizer(layers="*")(nn.Sequential(nn.Linear(3, 2))).ndim == 0


@pytest.mark.parametrize("groups", [1, 2])
def test_transposed_convolution_has_a_row_an_output_channel(groups):
    layer = nn.ConvTranspose2d(4, 6, 3, groups=groups, bias=False)
    rows = []
    for channel in range(6):  # what reaches an output channel, measured by impulses
        rows.append([])
        for source in range(4):
            impulse = torch.zeros(1, 4, 1, 1)
            impulse[0, source] = 1
            rows[-1].append(layer(impulse)[0, channel].flatten())
    used = torch.stack([torch.cat(r) for r in rows]).detach()
    expected = pairwise_angles(used)
    layer.requires_grad_(False)
    regularizer = MutualAngularRegularizer(gamma=0.0, layers="*")
    if groups == 1:
        assert float(regularizer(nn.Sequential(layer))) == pytest.approx(
            float(mutual_angular_score(used, 0.0)), abs=1e-5
        )
    else:  # channels of a group share their inputs; across groups the stored kernels are compared
        stored = torch.stack([r[r != 0] for r in used])
        assert torch.allclose(pairwise_angles(stored)[:3, :3], expected[:3, :3], atol=1e-5)
        assert float(regularizer(nn.Sequential(layer))) == pytest.approx(
            float(mutual_angular_score(stored, 0.0)), abs=1e-5
        )


def test_tied_layers_count_once():
    model = network()
    model.append(nn.Linear(20, 4))
    model[-1].weight = model[6].weight
    once = MutualAngularRegularizer(layers="6")(model)
    assert torch.equal(MutualAngularRegularizer(layers=["6", "7"])(model), once)


def test_wrappers_do_not_change_names():
    model = network()
    assert list(selected_layers(nn.DataParallel(model))) == ["0", "4"]
    assert list(selected_layers(torch.compile(model, backend="eager"))) == ["0", "4"]


def test_errors_name_the_layer():
    model = nn.Sequential(nn.Linear(3, 10), nn.Linear(10, 2))
    with pytest.raises(TooManyComponentsError, match=r"^0: the volume.*K=10"):
        MutualAngularRegularizer("volume")(model)
    with torch.no_grad():
        model[0].weight[2, 1] = float("nan")
    with pytest.raises(ComponentsError, match=r"^0: .*finite.*rows 2"):
        MutualAngularRegularizer()(model)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"surrogate": "angel"}, "'angle', 'bound', .*; got 'angel'"),
        ({"gamma": -1}, "gamma"),
        ({"every": 0}, "every"),
        ({"rows": 1}, "rows"),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        MutualAngularRegularizer(**arguments)


def test_every_t_steps_with_weight_t():
    A = torch.randn(5, 9, requires_grad=True)
    regularizer = MutualAngularRegularizer(every=4)
    values = [float(regularizer(A)) for _ in range(9)]
    full = float(mutual_angular_score(A))
    assert values == pytest.approx([4 * full, 0, 0, 0, 4 * full, 0, 0, 0, 4 * full])
    assert float(regularizer.eval()(A)) == pytest.approx(full)


@pytest.mark.slow
def test_mean_angle_of_random_rows_is_unbiased():
    """Law of large numbers over 4000 draws, against five standard errors."""
    generator = torch.Generator().manual_seed(0)
    A = torch.randn(40, 10, generator=generator) + torch.randn(10, generator=generator)
    A[:10] = A[:1] + 0.1 * A[:10]
    regularizer = MutualAngularRegularizer(gamma=0.0, rows=7, seed=3)
    draws = torch.stack([regularizer(A) for _ in range(4000)])
    standard_error = draws.std() / 4000**0.5
    assert abs(draws.mean() - mutual_angular_score(A, 0.0)) < 5 * standard_error
    assert standard_error < 0.005


@pytest.mark.slow
def test_gradient_of_random_rows_is_unbiased():
    generator = torch.Generator().manual_seed(0)
    A = (torch.randn(12, 6, generator=generator) + torch.randn(6, generator=generator)).requires_grad_()
    regularizer = MutualAngularRegularizer(gamma=0.0, rows=4)
    draws = torch.stack([torch.autograd.grad(regularizer(A), A)[0] for _ in range(4000)])
    (full,) = torch.autograd.grad(mutual_angular_score(A, 0.0), A)
    error = (draws.mean(0) - full) / (draws.std(0) / 4000**0.5)
    assert error.abs().max() < 5


def test_hundred_thousand_components():
    A = torch.randn(100_000, 16, generator=torch.Generator().manual_seed(0)).requires_grad_()
    regularizer = MutualAngularRegularizer(rows=256)
    regularizer(A).backward()
    assert int(A.grad.any(1).sum()) == 256


def test_volume_of_random_rows_is_defined_for_many_components():
    A = torch.randn(50, 10, generator=torch.Generator().manual_seed(0))
    assert torch.isfinite(MutualAngularRegularizer("volume", rows=5)(A))


def test_rows_depend_on_seed_and_step_alone():
    A = torch.randn(200, 8, generator=torch.Generator().manual_seed(0))
    first, second = MutualAngularRegularizer(rows=20, seed=5), MutualAngularRegularizer(rows=20, seed=5)
    torch.manual_seed(1)
    one = [float(first(A)) for _ in range(5)]
    torch.manual_seed(2)
    assert [float(second(A)) for _ in range(5)] == one
    assert len(set(one)) == 5
    assert [float(MutualAngularRegularizer(rows=20, seed=6)(A))] != one[:1]


def test_a_resumed_job_goes_on():
    A = torch.randn(200, 8, generator=torch.Generator().manual_seed(0))
    regularizer = MutualAngularRegularizer(rows=20, every=2)
    for _ in range(3):
        regularizer(A)
    resumed = MutualAngularRegularizer(rows=20, every=2)
    resumed.load_state_dict(copy.deepcopy(regularizer.state_dict()))
    unpickled = pickle.loads(pickle.dumps(regularizer))
    expected = [float(regularizer(A)) for _ in range(3)]
    assert [float(resumed(A)) for _ in range(3)] == expected
    assert [float(unpickled(A)) for _ in range(3)] == expected


@pytest.mark.quick_cases(1)
@pytest.mark.filterwarnings("ignore:The .grad attribute")  # torch.compile looks at it itself
@pytest.mark.parametrize("amortised", [{}, {"every": 2, "rows": 10}])
def test_inside_a_compiled_training_step(amortised):
    model = nn.Sequential(nn.Linear(30, 20), nn.Tanh(), nn.Linear(20, 3))
    eager, compiled = MutualAngularRegularizer(**amortised), MutualAngularRegularizer(**amortised)
    x = torch.randn(8, 30)

    def step(regularizer):
        return model(x).square().mean() + regularizer.penalty(model, 0.1)

    torch.compiler.reset()
    fast = torch.compile(step, backend="aot_eager")
    for _ in range(12):  # more than torch.compile's limit of recompilations
        expected = torch.autograd.grad(step(eager), model[0].weight)[0]
        assert torch.allclose(torch.autograd.grad(fast(compiled), model[0].weight)[0], expected, atol=1e-6)


@pytest.mark.filterwarnings("ignore:The .grad attribute")  # torch.compile looks at it itself
@pytest.mark.parametrize("amortised", [{"every": 2}, {"rows": 10}])
def test_the_step_does_not_have_a_graph_compiled_anew(amortised):
    model = nn.Sequential(nn.Linear(30, 20), nn.Tanh(), nn.Linear(20, 3))
    regularizer = MutualAngularRegularizer(**amortised)
    graphs = []

    def backend(graph, inputs):
        graphs.append(graph)
        return graph.forward

    torch.compiler.reset()
    penalty = torch.compile(lambda x: model(x).sum() + regularizer.penalty(model), backend=backend)
    numbers = []
    for _ in range(6):
        penalty(torch.ones(2, 30))
        numbers.append(len(graphs))
    assert numbers[2] > 0
    assert numbers[2:] == numbers[2:3] * 4, numbers


def test_says_what_it_is():
    assert "surrogate='volume'" in repr(MutualAngularRegularizer("volume"))

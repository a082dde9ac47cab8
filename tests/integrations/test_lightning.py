"""The Lightning callback against a plain loop that adds the penalty to its loss."""

import copy
import subprocess
import sys
from types import SimpleNamespace

import pytest
import torch
from torch import nn

from wideangle import MutualAngularRegularizer
from wideangle.exceptions import LayerSelectionError

L = pytest.importorskip("lightning.pytorch", reason="Lightning is not installed: pip install 'wideangle[lightning]'")
from wideangle.integrations.lightning import MutualAngularCallback, _loss_scale  # noqa: E402

# Lightning warns of data loaders with few workers and of other habits of small tests.
pytestmark = pytest.mark.filterwarnings("ignore")

STEPS, RATE, WEIGHT = 6, 0.05, 0.7


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(12, 8), nn.Tanh(), nn.Linear(8, 6), nn.Tanh(), nn.Linear(6, 3))
        self.logged = []

    def training_step(self, batch, _):
        return nn.functional.cross_entropy(self.net(batch[0]), batch[1])

    def on_train_batch_end(self, *_):
        self.logged.append(float(self.trainer.callback_metrics.get("diversity", -1.0)))

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=RATE)


class TwoOptimizers(Net):
    def __init__(self):
        super().__init__()
        self.automatic_optimization = False

    def training_step(self, batch, number):
        for optimizer in self.optimizers():
            optimizer.zero_grad()
        self.manual_backward(super().training_step(batch, number))
        for optimizer in self.optimizers():
            optimizer.step()

    def configure_optimizers(self):
        first = list(self.net[0].parameters())
        rest = [p for p in self.parameters() if all(p is not q for q in first)]
        return [torch.optim.SGD(first, lr=RATE), torch.optim.SGD(rest, lr=RATE)]


def batches():
    generator = torch.Generator().manual_seed(1)
    return [
        (torch.randn(10, 12, generator=generator), torch.randint(3, (10,), generator=generator)) for _ in range(STEPS)
    ]


def start(kind=Net):
    torch.manual_seed(0)
    return kind()


def trained(module, callback, **options):
    quiet = {
        "logger": False,
        "enable_checkpointing": False,
        "enable_progress_bar": False,
        "enable_model_summary": False,
    }
    trainer = L.Trainer(max_epochs=1, accelerator="cpu", callbacks=[callback], **quiet, **options)
    trainer.fit(module, torch.utils.data.DataLoader(batches(), batch_size=None))
    return module


def by_plain_loop(regularizer, accumulate=1, clip=None):
    module = start()
    regularizer.watch(module.net)
    optimizer = torch.optim.SGD(module.parameters(), lr=RATE)
    for first in range(0, STEPS, accumulate):
        losses = [module.training_step(batch, 0) for batch in batches()[first : first + accumulate]]
        optimizer.zero_grad()
        (torch.stack(losses).mean() + regularizer.penalty(module.net, WEIGHT)).backward()
        if clip is not None:
            nn.utils.clip_grad_norm_(module.parameters(), clip)
        optimizer.step()
    return module


def same(one, other):
    pairs = zip(one.parameters(), other.parameters(), strict=True)
    return all(torch.allclose(a, b, atol=1e-6) for a, b in pairs)


@pytest.mark.parametrize("kind", [Net, TwoOptimizers])
def test_it_is_the_penalty_in_the_loss(kind):
    module = trained(start(kind), MutualAngularCallback(WEIGHT))
    assert same(module, by_plain_loop(MutualAngularRegularizer()))
    assert not same(module, trained(start(kind), MutualAngularCallback(0.0)))


def test_accumulated_batches_count_it_once_and_clipping_counts_it():
    module = trained(start(), MutualAngularCallback(WEIGHT), accumulate_grad_batches=3, gradient_clip_val=0.1)
    assert same(module, by_plain_loop(MutualAngularRegularizer(), accumulate=3, clip=0.1))


def test_amortised_over_steps_and_rows():
    options = {"every": 2, "rows": 4, "seed": 3}
    module = trained(start(), MutualAngularCallback(WEIGHT, MutualAngularRegularizer(**options)))
    assert same(module, by_plain_loop(MutualAngularRegularizer(**options)))
    assert all(0 < value < 2 * torch.pi / 2 for value in module.logged)  # two layers, unweighted


@pytest.mark.parametrize(
    "options", [{"metric": "covariance"}, {"metric": "scales"}, {"metric": "covariance", "every": 2}]
)
def test_angles_as_the_inputs_see_them(options):
    module = trained(start(), MutualAngularCallback(WEIGHT, MutualAngularRegularizer(**options)))
    assert same(module, by_plain_loop(MutualAngularRegularizer(**options)))
    assert not same(module, by_plain_loop(MutualAngularRegularizer(every=options.get("every", 1))))
    assert not any(m._forward_pre_hooks for m in module.modules())


def test_ranks_step_alike_though_their_inputs_differ():
    module, callback = start(), MutualAngularCallback(1.0, MutualAngularRegularizer(metric="covariance"), log=False)
    reduced = []

    def reduce(tensor, reduce_op):
        reduced.append(tensor)
        assert reduce_op == "mean"
        return torch.full_like(tensor, 0.25)

    precision = SimpleNamespace(scaler=None)
    trainer = SimpleNamespace(precision_plugin=precision, strategy=SimpleNamespace(reduce=reduce))
    callback.on_fit_start(trainer, module)
    module.net(batches()[0][0])
    callback.on_before_optimizer_step(trainer, module, module.configure_optimizers())
    assert len(reduced) == 2
    assert bool((module.net[0].weight.grad == 0.25).all())


def test_a_fit_that_fails_leaves_no_hooks():
    class Failing(Net):
        def on_train_batch_end(self, *_):
            assert any(m._forward_pre_hooks for m in self.modules())
            raise KeyError("no such batch")

    module = start(Failing)
    with pytest.raises(KeyError, match="no such batch"):
        trained(module, MutualAngularCallback(WEIGHT, MutualAngularRegularizer(metric="covariance")))
    assert not any(m._forward_pre_hooks for m in module.modules())


def test_what_is_logged_rises_and_is_the_regulariser():
    module = start()
    before = float(MutualAngularRegularizer()(module.net))
    trained(module, MutualAngularCallback(5.0))
    assert module.logged[0] == pytest.approx(before, abs=1e-5)
    assert module.logged == sorted(module.logged)


def test_frozen_layers_are_left_alone():
    module = start()
    module.net[0].requires_grad_(False)
    kept = copy.deepcopy(module.net[0])
    trained(module, MutualAngularCallback(WEIGHT))
    assert same(module.net[0], kept)


def test_wrong_layers_fail_before_training():
    module = start()
    with pytest.raises(LayerSelectionError, match="encoder"):
        trained(module, MutualAngularCallback(WEIGHT, MutualAngularRegularizer(layers="encoder.*")))
    assert not module.logged


def test_the_state_goes_with_a_checkpoint():
    callback = MutualAngularCallback(WEIGHT, MutualAngularRegularizer(every=2))
    trained(start(), callback)
    resumed = MutualAngularCallback(WEIGHT, MutualAngularRegularizer(every=2))
    resumed.load_state_dict(callback.state_dict())
    assert resumed.regularizer.step == STEPS


@pytest.mark.parametrize(("fused", "expected"), [(True, 1024.0), (False, 1.0)])
def test_gradients_that_are_still_scaled_get_a_scaled_push(fused, expected):
    scaler = SimpleNamespace(get_scale=lambda: 1024.0)
    trainer = SimpleNamespace(precision_plugin=SimpleNamespace(scaler=scaler))
    assert _loss_scale(trainer, SimpleNamespace(_step_supports_amp_scaling=fused)) == expected
    trainer.precision_plugin.scaler = None
    assert _loss_scale(trainer, SimpleNamespace(_step_supports_amp_scaling=fused)) == 1.0


@pytest.mark.parametrize("diversity", [-1.0, float("nan"), float("inf")])
def test_bad_weights(diversity):
    with pytest.raises(ValueError, match="diversity"):
        MutualAngularCallback(diversity)


@pytest.mark.slow
def test_without_lightning_the_error_names_the_extra():
    code = (
        "import sys; sys.modules['lightning'] = sys.modules['pytorch_lightning'] = None\n"
        "from wideangle.integrations.lightning import MutualAngularCallback\n"
        "MutualAngularCallback(0.1)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "ImportError: MutualAngularCallback needs lightning, which cannot be imported" in done.stderr
    assert "pip install 'wideangle[lightning]'" in done.stderr

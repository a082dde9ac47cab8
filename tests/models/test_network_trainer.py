"""The trainer of networks, a step at a time."""

import numpy as np
import pytest
import torch

from wideangle.diversity import DiversityTerm
from wideangle.models._network.backprop import BackpropSettings, BackpropTrainer, linear_layers, network
from wideangle.models._training.steps import LearningRate


@pytest.mark.parametrize("optimizer", ["adam", "momentum", "sgd"])
def test_weights_decay_and_biases_do_not(optimizer):
    generator = torch.Generator().manual_seed(0)
    module = network((3, 4, 2), "tanh", generator, torch.float64)
    with torch.no_grad():
        for layer in linear_layers(module):
            layer.bias.fill_(1.0)
    start = [parameter.detach().clone() for parameter in module.parameters()]
    settings, rate = BackpropSettings(optimizer, 0.5, 10), LearningRate(0.1, "constant", 1)
    trainer = BackpropTrainer(settings, DiversityTerm(0.0), rate, module, lambda outputs, target: 0 * outputs.sum(1))
    trainer.update(torch.ones(2, 3).double(), None, None)
    for parameter, before in zip(module.parameters(), start, strict=True):
        factor = 1 - 0.1 * 0.5 if parameter.ndim > 1 else 1.0
        np.testing.assert_allclose(parameter.detach(), before * factor, rtol=1e-12)

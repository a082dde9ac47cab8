"""Random networks for the tests of the bounds."""

import itertools

import torch
from torch import nn


def network(*sizes, activation=nn.Tanh, bias=True, seed=0, scale=1.0):
    torch.manual_seed(seed)
    steps = []
    for fan_in, fan_out in itertools.pairwise(sizes):
        steps += [nn.Linear(fan_in, fan_out, bias=bias), activation()]
    model = nn.Sequential(*steps[:-1]).double()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(scale)
    return model

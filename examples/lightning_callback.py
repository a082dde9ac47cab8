"""The regulariser in Lightning: one callback, the module untouched.

A classifier of scikit-learn's digits with two hidden layers, trained with and without the callback.
Needs `pip install 'wideangle[lightning]'`.
"""

import logging
import warnings

import lightning.pytorch as pl
import torch
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from wideangle import MutualAngularRegularizer
from wideangle.integrations.lightning import MutualAngularCallback

SEEDS = 2


class Classifier(pl.LightningModule):
    def __init__(self) -> None:
        super().__init__()
        self.net = nn.Sequential(nn.Linear(64, 60), nn.ReLU(), nn.Linear(60, 40), nn.ReLU(), nn.Linear(40, 10))

    def training_step(self, batch: tuple[Tensor, Tensor], number: int) -> Tensor:
        return nn.functional.cross_entropy(self.net(batch[0]), batch[1])

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.Adam(self.parameters(), lr=3e-3)


def main() -> None:
    logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
    warnings.filterwarnings("ignore", message=".*does not have many workers.*")
    images, labels = load_digits(return_X_y=True)
    X, X_test, y, y_test = train_test_split(torch.tensor(images / 16).float(), torch.tensor(labels), random_state=0)
    print(f"mean of {SEEDS} seeds\n{'λ':>5} {'Ω, both layers':>15} {'test accuracy':>14}")
    for weight in (0.0, 0.1):
        scores = torch.zeros(2)
        for seed in range(SEEDS):
            torch.manual_seed(seed)
            module = Classifier()
            trainer = pl.Trainer(
                max_epochs=8,
                accelerator="cpu",
                callbacks=[MutualAngularCallback(weight)],
                logger=False,
                enable_checkpointing=False,
                enable_progress_bar=False,
                enable_model_summary=False,
            )
            trainer.fit(module, DataLoader(TensorDataset(X, y), batch_size=50, shuffle=True))
            with torch.no_grad():
                right = (module.net(X_test).argmax(1) == y_test).float().mean()
                scores += torch.stack([MutualAngularRegularizer()(module.net), right]) / SEEDS
        print(f"{weight:5} {scores[0]:15.4f} {scores[1]:14.4f}")


if __name__ == "__main__":
    main()

"""An estimator of any record in the catalogue that is fitted in a moment."""

from wideangle._own_settings import set_known
from wideangle.catalogue import entries, entry_of
from wideangle.catalogue.models import MODELS

FEW = {
    "max_updates": 5,
    "max_iter": 5,
    "n_iterations": 6,
    "burn_in": 3,
    "fold_in_iterations": 4,
    "epochs": 3,
    "inference_epochs": 3,
    "random_state": 0,
    "device": "cpu",
}


def small(entry, K=4):
    """With K components where it has any number of them."""
    return set_known(entry.load()(**({} if entry.size is None else {entry.size: K})), **FEW)


def sized(command, K, updates):
    """The options of `fit` for a model with K components and so many updates, where it has these."""
    parameters = entry_of(command).load()().get_params()
    size = [] if entry_of(command).size is None else ["-k", str(K)]
    return ["--model", command, *size, *(["--updates", str(updates)] if "max_updates" in parameters else [])]


OWN_COMMANDS = [entry.command for entry in MODELS if entry.command is not None]  # not the baselines
TRAINED = [name for name in OWN_COMMANDS if hasattr(entry_of(name).load()(), "max_updates")]
WITH_SIZE = [entry for entry in entries() if entry.size is not None]

"""Where the real data is, or a skip that says why it is not used."""

import os
from pathlib import Path

import pytest


@pytest.fixture
def data_folder():
    folder = os.environ.get("WIDEANGLE_DATA")
    if not folder:
        pytest.skip("WIDEANGLE_DATA is not set: the real data sets are not here")
    return Path(folder)


@pytest.fixture
def empty_cache(tmp_path, monkeypatch):
    """A fresh cache and no data folder."""
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path / "home"))
    monkeypatch.delenv("WIDEANGLE_DATA", raising=False)
    return tmp_path / "home" / "wideangle"

import pytest

from wideangle.tuning import running


@pytest.fixture(autouse=True)
def _one_core(monkeypatch):
    """Starting processes takes longer than these fits; one test asks for two cores."""
    monkeypatch.setattr(running.joblib, "cpu_count", lambda: 1)

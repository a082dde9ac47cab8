"""What the tests of faults share: the inputs of all jobs, made once."""

import sys

import pytest
from faults.children import why_no_mounts
from faults.jobs import write_inputs


@pytest.fixture(scope="session")
def inputs(tmp_path_factory):
    """The folder of inputs, which tests leave as it is."""
    if not sys.platform.startswith("linux"):
        pytest.skip("these faults are made by means of Linux")
    return write_inputs(tmp_path_factory.mktemp("inputs"))


@pytest.fixture(scope="session")
def mounts():
    """Skips a test where no disk can be mounted."""
    if why := why_no_mounts():
        pytest.skip(why)


@pytest.fixture
def out(tmp_path):
    """The folder of outputs."""
    folder = tmp_path / "out"
    folder.mkdir()
    return folder

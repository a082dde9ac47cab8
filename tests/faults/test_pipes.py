"""Nobody reads what is printed: the work is done all the same, and no traceback appears."""

import os
import subprocess
import sys

import pytest
from faults.children import in_child
from faults.jobs import BY_NAME, contents, is_whole

FIT = ("fit", "{inputs}/corpus.csv", "-k", "3", "--updates", "20", "-o", "{out}/m.wideangle")


def closed_pipe():
    """A pipe that nobody reads."""
    reader, writer = os.pipe()
    os.close(reader)
    return writer


def with_streams(arguments, streams, inputs, out):
    """Run a command whose streams are closed pipes, full, or not open. Called in a child."""
    from wideangle.cli import main

    for number, kind in streams.items():
        if kind == "pipe":
            os.dup2(closed_pipe(), number)
        elif kind == "full":
            os.dup2(os.open("/dev/full", os.O_WRONLY), number)
        else:
            os.close(number)
            setattr(sys, {1: "stdout", 2: "stderr"}[number], None)  # as Python begins where `>&-` closed it
    code = main([argument.format(inputs=inputs, out=out) for argument in arguments])
    return code, {}


# Exit codes: 141 where the reader of stdout has gone, 1 where stdout cannot be written; stderr decides nothing.
CASES = [
    ({1: "pipe"}, 141),
    ({2: "pipe"}, 0),
    ({1: "pipe", 2: "pipe"}, 141),
    ({2: "full"}, 0),
    ({1: "full"}, 1),
    ({1: "none"}, 0),
    ({2: "none"}, 0),
    ({1: "none", 2: "none"}, 0),
]


@pytest.mark.parametrize(("streams", "code"), CASES, ids=str)
@pytest.mark.quick_cases(4)
def test_a_model_is_written_though_nobody_reads(streams, code, inputs, out, tmp_path):
    ended = in_child(with_streams, FIT, streams, inputs, out, folder=tmp_path)
    assert ended.code == code, ended
    assert "Traceback" not in ended.err
    assert list(contents(out)) == ["m.wideangle"]
    assert is_whole(out / "m.wideangle")


@pytest.mark.parametrize("arguments", [("topics", "{out}/m.wideangle"), ("topics", "{out}/m.wideangle", "--csv")])
def test_head_ends_a_list_silently(arguments, inputs, out, tmp_path):
    BY_NAME["fit"].prepare(inputs, out)
    ended = in_child(with_streams, arguments, {1: "pipe"}, inputs, out, folder=tmp_path)
    assert (ended.code, ended.err) == (141, "")


@pytest.mark.slow
@pytest.mark.parametrize("streams", ["2>&1 >/dev/null | head -1", "2>&1 | head -1", "| head -1", ">&- 2>&-"])
def test_in_a_shell(streams, inputs, out):
    fit = " ".join(FIT).format(inputs=inputs, out=out)
    path = os.pathsep.join(filter(None, sys.path))
    script = f'("{sys.executable}" -m wideangle {fit}; echo $? > "{out}/code") {streams}'
    done = subprocess.run(
        ["bash", "-c", script],
        capture_output=True,
        text=True,
        env=os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": path},
        timeout=100,
    )
    assert is_whole(out / "m.wideangle")
    assert (out / "code").read_text().strip() in ("0", "141")
    assert "Traceback" not in done.stdout + done.stderr

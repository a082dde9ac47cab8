"""Some mutations of all that is read, the cases that were found, and whether the fuzzer sees what it should.

The campaign of many thousand cases is `python tests/fuzzing/campaign.py`.
"""

import time
import warnings
from pathlib import Path
from random import Random

import pytest
from fuzzing import campaign
from fuzzing.minimal import without_pieces
from fuzzing.of_tensors import mutate_tensors, parted, signed
from fuzzing.target import Subject, case_of, chain_of, only, outcome_of
from fuzzing.targets import all_targets
from saved_models import small_machine

import wideangle
from wideangle.data.stored.parts import CountedPart
from wideangle.exceptions import DataError, ModelFileError

CASES = Path(__file__).parent / "cases"
FEW, MORE = 24, 500
QUICK_MODELS = ("model ReplicatedSoftmax", "model DistanceLearner", "model LSI")
TARGETS = list(all_targets())
SLOW_CASES = ("checkpoint", "forged checkpoint", "counted parts")
QUICK = [name for name in TARGETS if not name.startswith("model ")]


@pytest.fixture(scope="module")
def subject_of(tmp_path_factory):
    """Makes a target ready, once for all tests of this file."""
    ready = {}

    def made(name):
        if name not in ready:
            ready[name] = all_targets()[name].make(tmp_path_factory.mktemp("fuzzing"))
        return ready[name]

    return made


@pytest.mark.parametrize("name", [*QUICK, *QUICK_MODELS])
def test_good_content_is_accepted_and_mutations_are_refused_or_used(name, subject_of):
    subject = subject_of(name)
    kinds = {outcome_of(subject, content).kind for content in subject.seeds}
    assert kinds == {"accepted"}
    few = FEW // 3 if name in (*SLOW_CASES, *QUICK_MODELS) else FEW
    outcomes = [outcome_of(subject, case_of(subject, name, 1, number)) for number in range(few)]
    assert [each for each in outcomes if each.kind == "found"] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", TARGETS)
def test_more_mutations_in_a_process_with_limits(name):
    cases = MORE // 5 if name.startswith("model ") or name in SLOW_CASES else MORE
    result = campaign.run_target(name, 2, cases, seconds=30, mib=1024)
    assert result.found == {}
    assert sum(result.kinds.values()) == cases
    # Nothing would be shown by cases that are all refused, or by content that mutations do not touch.
    assert result.kinds["accepted"] > cases // 50
    assert result.kinds["refused"] > cases // 50 or name == "checkpoint"  # A damaged one is told, and not used.


KEPT = sorted(CASES.glob("*/*"))


@pytest.mark.parametrize("path", KEPT, ids=[f"{path.parent.name}-{path.stem}" for path in KEPT])
def test_what_was_found_before_keeps_the_law(path, subject_of):
    assert outcome_of(subject_of(path.parent.name), path.read_bytes()).kind in ("accepted", "refused")


DAMAGED_PARTS = sorted((CASES.parent / "parts_damaged").iterdir())


@pytest.mark.parametrize("path", DAMAGED_PARTS, ids=[path.stem for path in DAMAGED_PARTS])
def test_damaged_parts_that_were_found_before_are_refused(path):
    """They are read by themselves: a folder of parts belongs to one source, at one path and of one time."""
    with pytest.raises(DataError, match=f"{path.name} is damaged .*Delete it, and it is counted anew"):
        CountedPart.load(path)


def _fake(read, documented=DataError):
    return Subject([b"good"], lambda rng, content: content + b"x", read, only(documented))


def _raise(error):
    raise error


@pytest.mark.parametrize(
    ("read", "kind", "said"),
    [
        (lambda content: None, "accepted", ""),
        (lambda content: _raise(DataError("too short.")), "refused", "too short."),
        (lambda content: _raise(DataError("")), "found", "DataError"),
        (lambda content: _raise(KeyError("x")), "found", "KeyError"),
        (lambda content: warnings.warn("hot", RuntimeWarning, stacklevel=1), "found", "RuntimeWarning: hot"),
        (lambda content: time.sleep(5), "found", "took more than 0.2 seconds"),
    ],
)
def test_what_the_law_says_of_a_reader(read, kind, said):
    outcome = outcome_of(_fake(read), b"", seconds=0.2 if "0.2" in said else 20)
    assert outcome.kind == kind
    assert said in outcome.said


def test_an_error_that_hides_a_lack_of_memory_is_found():
    def read(content):
        try:
            raise MemoryError
        except MemoryError as error:
            raise DataError("damaged.") from error

    outcome = outcome_of(_fake(read), b"")
    assert outcome.kind == "found"
    assert "too much memory" in outcome.said


def test_errors_that_lead_to_each_other_are_gone_through_once():
    first, second = ValueError(1), ValueError(2)
    first.__context__, second.__context__ = second, first
    assert chain_of(first) == [first, second]


def test_a_case_has_the_same_content_each_time():
    subject = _fake(lambda content: None)
    assert case_of(subject, "a", 3, 5) == case_of(subject, "a", 3, 5)
    assert len({len(case_of(subject, "a", 3, number)) for number in range(30)}) > 1


def test_the_smallest_content_that_fails_is_found():
    assert without_pieces(b"abcdefXghijklmYno", lambda content: b"X" in content and b"Y" in content) == b"XY"


def test_changed_models_get_past_the_checksum(tmp_path):
    path = tmp_path / "m"
    small_machine().save(path)
    key, document, arrays = parted(path.read_bytes())
    path.write_bytes(signed(key, document, arrays))
    wideangle.load(path)
    reasons = []
    for seed in range(60):
        path.write_bytes(mutate_tensors(Random(seed), signed(key, document, arrays)))
        try:
            wideangle.load(path)
        except ModelFileError as error:
            reasons.append("is whole, but" in str(error))
    assert sum(reasons) > 15  # refused for what they say, and not for their bytes


ENDS = "print('{\"begins\": 3}', flush=True)\nimport os, time\n"


@pytest.mark.parametrize(("last_words", "how"), [("os.abort()", "ends the process"), ("time.sleep(60)", "hangs")])
def test_a_process_that_crashes_or_hangs_is_told_with_its_case(last_words, how, tmp_path, monkeypatch):
    (tmp_path / "worker.py").write_text(ENDS + last_words)
    monkeypatch.setattr(campaign, "HERE", tmp_path)
    monkeypatch.setattr(campaign, "HANGS_AFTER", 0.5 if how == "hangs" else 60)
    result = campaign.Result("any")
    assert campaign._run_worker(result, 0, 3, 10, 0.0, 64) == 4  # The next process goes on after it.
    ((place, (number, times, _)),) = result.found.items()
    assert place.startswith(how)
    assert (number, times) == (3, 1)

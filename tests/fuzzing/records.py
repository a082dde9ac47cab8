"""Records of experiments: lines of JSON that are read, planned by, reported and added to."""

import json

from fake_fits import made_spec, quick_fit
from fuzzing.of_texts import mutate_json_lines
from fuzzing.target import BrokenLawError, Subject, Target, only

from wideangle.exceptions import DataError
from wideangle.experiments.jobs import Job
from wideangle.experiments.paper_report import table_or_figure
from wideangle.experiments.plan import Plan
from wideangle.experiments.records import RecordFolder, read_file, writing

NEW = Job("documents", "docstrings", "LSI", {"n_components": 99}, seed=7)


def targets():
    """Files of records."""
    return [Target("records", _subject)]


def _subject(folder):
    spec = made_spec(folder / "specs")
    records: dict = {}
    while missing := Plan(spec, records).missing():
        records |= {job.key: quick_fit(job) for job in missing}
    lines = [json.dumps(record).encode() for record in records.values()]
    failed = json.dumps(vars(NEW) | {"key": None, "failed": "too hot"}).encode()
    path = folder / "records" / "documents.jsonl"
    path.parent.mkdir()

    def read(content):
        path.write_bytes(content)
        before = read_file(path)
        for only_this_code in (False, True):
            RecordFolder(path.parent).read("documents", only_this_code=only_this_code)
        known = RecordFolder(path.parent).read("documents")
        Plan(spec, known).missing()
        with writing(path) as add:
            add(quick_fit(NEW))
        after = read_file(path)
        if after[:-1] != before or Job.of(after[-1]) != NEW:
            raise BrokenLawError("a record was lost or changed when another one was added")
        table_or_figure(spec, known)

    whole = b"\n".join([*lines, failed]) + b"\n"
    seeds = [whole, whole[:-30], b"\n".join(lines[:3]) + b"\n", b"\n".join(lines[:2])]
    return Subject(seeds, mutate_json_lines, read, only(DataError))

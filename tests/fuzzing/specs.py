"""Specs of experiments and the models beside them, which users write as TOML."""

import shutil

from fake_fits import MODELS, SPEC, changed
from fuzzing.folders import mutate_folder, unpack_to
from fuzzing.of_archives import packed
from fuzzing.of_texts import mutate_toml
from fuzzing.target import Subject, Target, only

from wideangle.exceptions import SpecError
from wideangle.experiments.compared_models import candidates
from wideangle.experiments.plan import Plan
from wideangle.experiments.specs import check, check_names, find_specs, read_spec

WITH_TABLES = """\
["plain"]
estimator = "TfIdf"

["ours"]
like = "plain"
estimator = "LSI"
published = "LSI"
settings = { n_components = 3 }
tried = [{ finish = ["None", "halves"] }, { granularity = 0.5 }]
sizes = { docstrings = [2, 3], all = [4] }

["ours".tried_on]
"docstrings, tdt2" = { granularity = [0.1, 0.2] }
"""


def targets():
    """A folder with a spec, another one that is like it, and models."""
    return [Target("TOML specs", _subject)]


def _subject(folder):
    like = b'like = "made_up"\ntitle = "Like it"\nseeds = 1\nshortlist = 2\nremarks = ["one", "two"]\n'
    curve = changed(kind='"curve by weight"', sizes="[4]", models='["ours"]', weights="{ ours = [0.1, 1] }")
    seeds = [
        packed([("made_up.toml", spec.encode()), ("models.toml", models.encode()), ("other.toml", like)])
        for spec, models in ((SPEC, MODELS), (curve, MODELS), (changed(published='"precision_tdt"'), WITH_TABLES))
    ]
    case = folder / "case"

    def read(content):
        candidates.cache_clear()  # It would keep the models of the last case.
        try:
            unpack_to(case, content)
            for path in find_specs(case).values():
                spec = read_spec(path)
                check_names(spec)
                check(spec)
                Plan(spec, {}).missing()
        finally:
            shutil.rmtree(case, ignore_errors=True)

    def mutate(rng, content):
        return mutate_folder(rng, content, lambda rng, name, held: mutate_toml(rng, held))

    return Subject(seeds, mutate, read, only(SpecError))

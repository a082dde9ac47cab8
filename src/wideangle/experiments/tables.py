"""Tables, from specs and records: by number of components, data set or class; compactness; words."""

from wideangle.catalogue import entry_of
from wideangle.experiments.beside_plain import against_plain, how_it_was_tested, in_words
from wideangle.experiments.cells import TITLES, cell_of, measure_of, origins_of, title_of
from wideangle.experiments.compared_models import Candidate
from wideangle.experiments.jobs import Record
from wideangle.experiments.origins import origin_of
from wideangle.experiments.plan import Plan
from wideangle.experiments.published import published
from wideangle.experiments.specs import Spec
from wideangle.experiments.tables_and_figures import Cell, Table, TopicWordTable

__all__ = ["by_class", "by_data", "by_size", "compactness", "plain_rows", "words"]

SHOWN_TOPICS = 5


def by_size(plan: Plan) -> Table:
    """A column per number of components."""
    spec, data = plan.spec, plan.spec.data[0]
    rows = {
        name: tuple(cell_of(plan, data, candidate, size, _published(spec, candidate, str(size))) for size in spec.sizes)
        for name, candidate in spec.candidates.items()
    }
    columns = tuple(f"K = {size}" for size in spec.sizes)
    return _table(plan, columns, rows)


def by_data(plan: Plan) -> Table:
    """A column per data set; folds chose settings and number of components."""
    spec = plan.spec
    rows = {}
    for name, candidate in spec.candidates.items():
        cells = []
        for data in spec.data:
            size, known = plan.size(data, candidate)
            said = _published(spec, candidate, TITLES[data])
            note = "" if size is None else f"K = {size}"
            cells.append(cell_of(plan, data, candidate, size, said, note) if known else Cell((), said, note))
        rows[name] = tuple(cells)
    return _table(plan, tuple(TITLES[data] for data in spec.data), rows)


def by_class(plan: Plan) -> Table:
    """A column per class, by label, and how much λ > 0 gains on λ = 0 of the same regime."""
    spec, data, size = plan.spec, plan.spec.data[0], plan.spec.sizes[0]
    rows: dict[str, tuple[Cell, ...]] = {}
    tests = {name: plan.tests(data, candidate, size) for name, candidate in spec.candidates.items()}
    precisions = {name: {run["seed"]: _by_label(run) for run in runs} for name, runs in tests.items()}
    labels = sorted({label for runs in tests.values() for run in runs for label in run["details"].get("classes", ())})
    columns = {label: str(number) for number, label in enumerate(labels, 1)}
    for name, candidate in spec.candidates.items():
        rows[name] = tuple(
            Cell(
                tuple(100 * run[label] for run in precisions[name].values() if label in run),
                _published(spec, candidate, column),
                origins=origins_of(tests[name]),
            )
            for label, column in columns.items()
        )
    for name, plain in plain_rows(spec).items():
        # The same seed on both sides; either may lack some.
        pairs = [(run, precisions[plain][seed]) for seed, run in precisions[name].items() if seed in precisions[plain]]
        rows[f"improvement of {name} (%)"] = tuple(
            Cell(
                tuple(100 * (run[label] / before[label] - 1) for run, before in pairs if before.get(label)),
                published(spec.published).value("improvement", column) if spec.published else None,
                origins=origins_of([*tests[name], *tests[plain]]),
            )
            for label, column in columns.items()
        )
    return _table(plan, tuple(columns.values()), rows, remarks=False)


def compactness(plan: Plan) -> Table:
    """The fewest components with which a model is as good as the plain one of its regime at its best.

    As good is within one deviation of that best, so that of several numbers that are equally good the least counts.
    What is in doubt does not count.
    """
    spec, plain_of = plan.spec, plain_rows(plan.spec)
    sign = -1 if measure_of(spec).smaller_is_better else 1
    rows: dict[str, list[Cell]] = {name: [] for name in spec.candidates}
    remarks = []
    for data in spec.data:
        cells = {
            name: {
                size: cell
                for size in spec.sizes
                if (cell := cell_of(plan, data, candidate, size)).values and not cell.doubted
            }
            for name, candidate in spec.candidates.items()
        }
        for name, by_number in cells.items():
            is_plain = spec.candidates[name].is_plain
            plain = cells[name if is_plain else plain_of.get(name, next(iter(cells)))]
            best = max(plain.values(), key=lambda cell: sign * (cell.mean or 0.0), default=None)
            if best is None or best.mean is None:
                rows[name].append(Cell())
                continue
            enough = sign * best.mean - (best.deviation or 0.0)
            reached = [size for size, cell in by_number.items() if sign * (cell.mean or 0.0) >= enough]
            fits = {key: each for cell in (*by_number.values(), *plain.values()) for key, each in cell.origins.items()}
            fewest = (float(min(reached)),) if reached else ()
            rows[name].append(Cell(fewest, None, "" if reached else "not reached", origins=fits))
            if is_plain:
                remarks.append(f"{TITLES[data]}: {name} has {best.mean:.1f} at best.")
    columns = tuple(TITLES[data] for data in spec.data)
    shown = {name: tuple(each) for name, each in rows.items()}
    return Table(spec.name, spec.title, columns, shown, "", 0, True, (*spec.remarks, *remarks))


def words(plan: Plan) -> TopicWordTable:
    """The words of the first components of each model, first seed; below them those that the paper shows."""
    spec, data, size = plan.spec, plan.spec.data[0], plan.spec.sizes[0]
    blocks, origins = {}, {}
    for name, candidate in spec.candidates.items():
        tests = [record for record in plan.tests(data, candidate, size) if record["seed"] == 0]
        topics = tests[0]["details"].get("words", []) if tests else []
        blocks[name] = tuple(tuple(topic) for topic in topics[:SHOWN_TOPICS])
        if tests:
            origins[name] = origin_of(tests[0])
    if spec.published:
        paper = published(spec.published)
        for row in paper.rows:
            blocks[f"{row}, published"] = tuple(paper.words(row, column) for column in paper.columns)
    return TopicWordTable(spec.name, spec.title, blocks, spec.remarks, origins)


def plain_rows(spec: Spec) -> dict[str, str]:
    """For each model with λ > 0 the last one before it with λ = 0."""
    found, plain = {}, None
    for name, candidate in spec.candidates.items():
        if candidate.is_plain:
            plain = name
        elif plain is not None and entry_of(candidate.estimator).grid:  # It has λ.
            found[name] = plain
    return found


def _table(plan: Plan, columns: tuple[str, ...], rows: dict[str, tuple[Cell, ...]], remarks: bool = True) -> Table:
    spec, measure = plan.spec, measure_of(plan.spec)
    plain_of = plain_rows(spec) if remarks and measure.has_best else {}
    tested = against_plain(rows, plain_of, columns, measure.smaller_is_better)
    beside = in_words(tested, columns)
    said = [*spec.remarks, *(f"{name} against {plain_of[name]}: {told}" for name, told in beside.items())]
    said += [told for told in (how_it_was_tested(rows, plain_of, columns),) if told]
    corner = title_of(spec) if spec.kind != "by class" else "class"
    unranked = frozenset(name for name in rows if not measure.has_best or name not in spec.candidates)
    looks = (corner, measure.digits, measure.smaller_is_better)
    return Table(spec.name, spec.title, columns, tested, *looks, tuple(said), unranked, spec.compared, beside)


def _published(spec: Spec, candidate: Candidate, column: str) -> float | None:
    if not spec.published or candidate.published is None:
        return None
    return published(spec.published).value(candidate.published, column)


def _by_label(record: Record) -> dict[int, float]:
    """The precision of each class that was asked for. Labels of Reuters are in the order of their sizes."""
    details = record["details"]
    pairs = zip(details.get("classes", ()), details.get("precision of classes", ()), strict=True)
    return {label: float(precision) for label, precision in pairs if precision is not None}

"""The command line: parses arguments, then hands over. Imports nothing heavy until a command needs it."""

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from wideangle import __version__
from wideangle.commands._arguments import diversity, encoding, numbers, pattern, positive, positives, seed, share

if TYPE_CHECKING:
    from wideangle.commands._inputs import How
    from wideangle.commands._output import Output
    from wideangle.commands.fit import Settings

MODELS = ("replicated-softmax", "bernoulli-rbm", "distance", "mlp")
METHODS = ("exact", "faiss", "faiss-hnsw")
SHELLS = ("bash", "zsh", "fish")


class _Parser(argparse.ArgumentParser):
    """Says in one line what is wrong, where argparse would print the usage before it."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}. See {self.prog} --help.\n")


class _Help(argparse.HelpFormatter):
    """Keeps the names of commands and what they do on one line."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=16)
        self._action_max_length = 14  # argparse forgets that names of commands are indented


def build_parser() -> argparse.ArgumentParser:
    """All commands and their options."""
    parser = _Parser(
        prog="wideangle",
        description="Latent variable models whose components spread out.",
        epilog="Run 'wideangle COMMAND --help' for a command's options.",
        formatter_class=_Help,
    )
    parser.add_argument("--version", action="version", version=f"wideangle {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")

    demo = commands.add_parser("demo", help="topics of a real corpus with and without the regulariser, in a minute")
    demo.add_argument(
        "-o", "--output", type=Path, default=Path("wideangle-demo"), metavar="FOLDER", help="for a page and two models"
    )
    demo.add_argument("-k", "--components", type=positive, default=50, metavar="K", help="how many topics (default 50)")
    demo.add_argument("--updates", type=positive, default=1000, help="steps of training (default 1000)")
    demo.add_argument("--seeds", type=positive, default=3, help="how many pairs of models (default 3)")
    _common(demo, _demo)

    fit = commands.add_parser("fit", help="fit a model to documents or rows and write it to a file")
    _data(fit, "PATH", "a folder of .txt files, or a .txt, .csv, .tsv, .jsonl, .parquet or .npz file")
    fit.add_argument("-o", "--output", type=Path, metavar="MODEL", help="the model file (default: named after PATH)")
    fit.add_argument("-k", "--components", type=positive, metavar="K", help="how many components (default 50)")
    weight = "λ, how strongly components are spread; auto: by cross-validation (default: the model's own)"
    fit.add_argument("--diversity", type=diversity, metavar="auto|NUMBER", help=weight)
    _training(fit)
    fit.add_argument("--hold-out", type=share, default=0.0, metavar="SHARE", help="of rows kept for evaluate, as 0.2")
    fit.add_argument("--no-documents", action="store_true", help="leave names, snippets and vectors out of MODEL")
    _common(fit, _fit)

    topics = commands.add_parser("topics", help="the words of each component, and which are near-duplicates")
    topics.add_argument("model", type=Path, metavar="MODEL", help="a file that fit wrote")
    topics.add_argument("-n", "--words", type=positive, default=10, help="words of each (default 10)")
    topics.add_argument("--sort", choices=("number", "angle"), default="number", help="order of the topics")
    words = "effect: the weight times how much the word varies (default); or the bare weight"
    topics.add_argument("--by", choices=("effect", "weight"), default="effect", help=words)
    _common(topics, _topics)

    transform = commands.add_parser("transform", help="represent new documents and write them to .npz or .parquet")
    transform.add_argument("model", type=Path, metavar="MODEL", help="a file that fit wrote")
    _data(transform, "PATH", "documents or rows of the kind the model was fitted on")
    transform.add_argument("-o", "--output", type=Path, required=True, metavar="FILE", help="out.npz or out.parquet")
    _common(transform, _transform)

    search = commands.add_parser("search", help="the documents nearest to some words")
    search.add_argument("model", type=Path, metavar="MODEL", help="a file that fit wrote")
    search.add_argument("query", nargs="+", metavar="WORDS", help="what to look for")
    search.add_argument("-n", "--count", type=positive, default=10, help="how many documents (default 10)")
    search.add_argument("--in", dest="path", type=Path, metavar="PATH", help="search these documents, not the model's")
    search.add_argument("--method", choices=METHODS, default="exact", help="how to search (default exact)")
    search.add_argument(
        "--metric", choices=("auto", "euclidean", "cosine"), default="auto", help="auto: what suits the model"
    )
    _columns(search)
    _common(search, _search)

    evaluate = commands.add_parser("evaluate", help="precision, clustering, angles, diversity and coherence of a model")
    evaluate.add_argument("model", type=Path, metavar="MODEL", help="a file that fit wrote")
    _data(evaluate, "PATH", "documents that query the model's (default: its own)", optional=True)
    evaluate.add_argument("--perplexity", action="store_true", help="of PATH, by annealed importance sampling: slow")
    evaluate.add_argument("--queries", type=positive, default=10_000, help="at most so many (default 10000)")
    _common(evaluate, _evaluate)

    tune = commands.add_parser("tune", help="choose λ and the number of components by cross-validation")
    _data(tune, "PATH", "as for fit")
    tune.add_argument("-o", "--output", type=Path, metavar="FILE.png", help="draw the curve")
    tune.add_argument("-k", "--components", type=positives, metavar="K,K,…", help="numbers to try (default 50)")
    tune.add_argument("--diversity", type=numbers, metavar="λ,λ,…", help="weights to try (default: a grid)")
    tune.add_argument("--folds", type=positive, default=3, help="parts of the rows (default 3)")
    judge = "what to judge by, as 'P@10' or 'log-likelihood of held-out words' (default: suits model and labels)"
    tune.add_argument("--measure", default="auto", help=judge)
    _training(tune)
    _common(tune, _tune)

    explore = commands.add_parser("explore", help="write a page to look at a model, or at two side by side")
    explore.add_argument("model", type=Path, metavar="MODEL", help="a file that fit wrote")
    explore.add_argument("--compare", type=Path, metavar="OTHER", help="another model file")
    explore.add_argument("-o", "--output", type=Path, metavar="PAGE", help="the page (default: MODEL's name.html)")
    explore.add_argument("--open", action="store_true", help="show it in the browser")
    _common(explore, _explore)

    completion = commands.add_parser("completion", help="print a script that completes commands in a shell")
    completion.add_argument("shell", choices=SHELLS)
    completion.set_defaults(run=_completion)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; the exit code is 0 on success, 1 where the work failed, 2 on a mistake in the arguments."""
    parser = build_parser()
    options = parser.parse_args(arguments)
    if options.command is None:
        parser.print_help()
        return 0
    from wideangle.commands._guard import run_guarded
    from wideangle.commands._output import Output

    as_json, debug = getattr(options, "json", False), getattr(options, "debug", False)
    output = Output(options.command, as_json=as_json, quiet=getattr(options, "quiet", False))
    run: Callable[[argparse.Namespace, Output], None] = options.run
    return run_guarded(output, lambda output: run(options, output), debug=debug)


def _demo(options: argparse.Namespace, output: "Output") -> None:
    from wideangle.commands.demo import run_demo
    from wideangle.commands.demo_shown import show

    found = run_demo(
        options.output, components=options.components, updates=options.updates, seeds=options.seeds, output=output
    )
    output.result(found, show)


def _fit(options: argparse.Namespace, output: "Output") -> None:
    from wideangle.commands.fit import fit_model, show

    fitted = fit_model(
        options.path,
        options.output,
        _settings(options, n_components=options.components, diversity=options.diversity),
        _how(options),
        hold_out=options.hold_out,
        keep_documents=not options.no_documents,
        output=output,
    )
    output.result(fitted, show)


def _topics(options: argparse.Namespace, output: "Output") -> None:
    from wideangle.commands.topics import list_topics, show

    output.result(list_topics(options.model, options.words, options.sort, options.by), show)


def _transform(options: argparse.Namespace, output: "Output") -> None:
    from wideangle.commands.transform import show, transform_documents

    written = transform_documents(options.model, options.path, options.output, _how(options), output=output)
    output.result(written, show)


def _search(options: argparse.Namespace, output: "Output") -> None:
    from wideangle.commands.search import search_documents, show

    found = search_documents(
        options.model,
        " ".join(options.query),
        options.count,
        among=options.path,
        metric=options.metric,
        method=options.method,
        how=_how(options),
        output=output,
    )
    output.result(found, show)


def _evaluate(options: argparse.Namespace, output: "Output") -> None:
    from wideangle.commands.evaluate import evaluate_model, show

    found = evaluate_model(
        options.model,
        options.path,
        _how(options),
        perplexity=options.perplexity,
        queries=options.queries,
        output=output,
    )
    output.result(found, show)


def _tune(options: argparse.Namespace, output: "Output") -> None:
    from wideangle.commands.tune import show, tune_model

    tuned = tune_model(
        options.path,
        _settings(options),
        _how(options),
        diversity=options.diversity,
        n_components=options.components,
        folds=options.folds,
        measure=options.measure,
        curve=options.output,
        output=output,
    )
    output.result(tuned, show)


def _explore(options: argparse.Namespace, output: "Output") -> None:
    from wideangle.commands.explore import explore_model, show

    page = options.output or Path(f"{options.model.stem}.html")
    output.result(explore_model(options.model, page, compare=options.compare, open_it=options.open), show)


def _completion(options: argparse.Namespace, output: "Output") -> None:
    from wideangle.commands.completion import completion_script

    print(completion_script(build_parser(), options.shell))


def _settings(options: argparse.Namespace, **more: Any) -> "Settings":
    from wideangle.commands.fit import Settings

    return Settings(
        model=options.kind,
        surrogate=options.surrogate,
        updates=options.updates,
        seed=options.seed,
        device=options.device,
        **more,
    )


def _how(options: argparse.Namespace) -> "How":
    from wideangle.commands._inputs import How

    names = ("text_column", "label_column", "encoding", "n_words", "stop_words", "token_pattern")
    given = {name: getattr(options, name, None) for name in names}
    return How(**{name: value for name, value in given.items() if value is not None})


def _data(parser: argparse.ArgumentParser, metavar: str, help: str, optional: bool = False) -> None:
    parser.add_argument("path", type=Path, metavar=metavar, help=help, nargs="?" if optional else None)
    _columns(parser)


def _columns(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("reading")
    group.add_argument("--text-column", metavar="NAME", help="of a table (default: guessed)")
    group.add_argument("--label-column", metavar="NAME", help="of a table (default: label, class, category, …)")
    group.add_argument("--encoding", type=encoding, help="of text files (default utf-8)")


def _training(parser: argparse.ArgumentParser) -> None:
    kinds = "topics of word counts (default), a machine of 0s and 1s, a distance or a network; the last two need labels"
    parser.add_argument("--model", dest="kind", choices=MODELS, default=MODELS[0], help=kinds)
    spread = "what is spread: angles between components, or the volume they span (default angle)"
    parser.add_argument("--surrogate", choices=("angle", "volume"), help=spread)
    parser.add_argument("--updates", type=positive, metavar="N", help="steps of training (default: the model's own)")
    parser.add_argument("--seed", type=seed, default=0, help="of all randomness (default 0)")
    parser.add_argument("--device", choices=("auto", "cpu", "cuda"), default="auto", help="where to compute")
    group = parser.add_argument_group("words")
    group.add_argument("--words", dest="n_words", type=positive, metavar="N", help="how many at most (default 5000)")
    group.add_argument("--stop-words", metavar="english|none|FILE", help="words to leave out (default english)")
    group.add_argument(
        "--token-pattern", type=pattern, metavar="REGEX", help="what a word is (default: 3 letters a–z or more)"
    )


def _common(parser: argparse.ArgumentParser, run: "Callable[[argparse.Namespace, Output], None]") -> None:
    group = parser.add_argument_group("output")
    group.add_argument("--json", action="store_true", help="one JSON document for machines")
    group.add_argument("-q", "--quiet", action="store_true", help="no progress and no notes")
    group.add_argument("--debug", action="store_true", help="a traceback where something fails")
    parser.set_defaults(run=run)


if __name__ == "__main__":
    sys.exit(main())

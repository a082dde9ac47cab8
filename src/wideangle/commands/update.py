"""`wideangle update`: its arguments."""

import argparse
from typing import TYPE_CHECKING

from wideangle._locks import exclusively
from wideangle.commands.arguments.checking import check_documents, check_model
from wideangle.commands.arguments.options import add_data, add_force, add_model, add_path, finish
from wideangle.commands.arguments.parsed import how_from
from wideangle.commands.files.writing import check_output

if TYPE_CHECKING:
    from wideangle.commands.shell.output import Output

HELP = "let new documents join a model, its topics and its search"


def configure(parser: argparse.ArgumentParser) -> None:
    """Its options."""
    add_model(parser)
    add_data(parser, "new documents, of the kind the model was fitted on")
    add_path(parser, "-o", "--output", metavar="NEW_MODEL", help="the updated model (default: MODEL is replaced)")
    untrained = "let documents join without training; the representation of the others stays as it is"
    parser.add_argument("--no-training", action="store_true", help=untrained)
    anew = "find all topics anew; those that are the same keep names and numbers"
    parser.add_argument("--regroup", action="store_true", help=anew)
    duplicates = "treat documents that repeat another one as any other"
    parser.add_argument("--keep-duplicates", action="store_true", help=duplicates)
    add_force(parser)
    finish(parser, run)


def run(options: argparse.Namespace, output: "Output") -> None:
    """Join, train, write and tell."""
    how, to = how_from(options), options.output or options.model
    check_model(options.model)
    check_output(to, "the model", (options.path,), kind="model", force=options.force)
    check_documents(options.path, how)
    from wideangle.commands.work.update.updated import show
    from wideangle.commands.work.update.updating import UpdateOptions, update_model

    asked = UpdateOptions(not options.no_training, options.regroup, options.keep_duplicates)

    def waiting() -> None:
        output.note(f"another process is changing {options.model}. This one waits until it has ended.")

    # Who renames a topic meanwhile waits, and nothing is lost.
    with exclusively(options.model, waiting) as is_unchanged:
        updated = update_model(options.model, options.path, to, asked, how, output, is_unchanged)
    output.result(updated, show)

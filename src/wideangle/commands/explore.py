"""`wideangle explore`: its arguments."""

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING

from wideangle._listening import listening
from wideangle._wording import number_of
from wideangle.commands._arguments import picture, port, positive
from wideangle.commands._checking import check_method, check_model
from wideangle.commands._guard import CommandError, UsageError
from wideangle.commands._options import add_force, add_granularity, add_model, add_path, finish
from wideangle.commands._writing import check_output

if TYPE_CHECKING:
    from wideangle._model_files.header import Header
    from wideangle.commands._output import Output

METHODS = ("exact", "faiss", "faiss-hnsw")
HELP = "write a page to look at a model, or at two side by side"


def configure(parser: argparse.ArgumentParser) -> None:
    """Its options."""
    add_model(parser)
    add_path(parser, "--compare", metavar="OTHER", help="another model file")
    add_path(parser, "-o", "--output", metavar="PAGE", help="the page (default: MODEL's name.html)")
    parser.add_argument("--open", action="store_true", help="show it in the browser")
    parser.add_argument("-t", "--topics", type=positive, metavar="N", help="topics at first (default: those of MODEL)")
    add_granularity(parser, default="the model's own")
    shape = "columns are the pixels of pictures of this size, such as 28x28; components are drawn so"
    parser.add_argument("--shape", type=picture, metavar="HxW", help=shape)
    layout = "where the documents lie on the map: an .npy file of documents × 2 (default: t-SNE)"
    add_path(parser, "--layout", metavar="FILE.npy", help=layout)
    served = "serve the page to this computer, until Ctrl-C; all documents can then be searched by the model"
    parser.add_argument("--serve", action="store_true", help=served)
    parser.add_argument("--port", type=port, metavar="N", help="of --serve (default: one that is free)")
    connections = "of --serve: connections that may be open at a time (default 2000, or as the system allows)"
    parser.add_argument("--connections", type=positive, metavar="N", help=connections)
    parser.add_argument("--method", choices=METHODS, help="of --serve: how to search (default exact)")
    add_force(parser)
    finish(parser, run)


def run(options: argparse.Namespace, output: "Output") -> None:
    """Write the page and say where it is, or serve it."""
    _check_options(options)
    header = check_model(options.model)
    for other in filter(None, (options.compare, options.layout)):
        other.open("rb").close()
    if options.compare is not None:
        check_model(options.compare)
    if options.serve:
        _serve(options, header, output)
        return
    page = options.output or Path(f"{options.model.stem}.html")
    inputs = (options.model, options.compare, options.layout)
    check_output(page, "the page", inputs, kind="page", force=options.force)
    from wideangle.commands._exploring import PageOptions, explore_model, show

    asked = PageOptions(options.topics, options.shape, options.layout, options.granularity)
    made = explore_model(options.model, page, asked, compare=options.compare, open_it=options.open, output=output)
    output.result(made, show)


def _check_options(options: argparse.Namespace) -> None:
    if options.serve and options.output is not None:
        raise UsageError("--serve writes no file. Leave out --serve, or -o.")
    of_a_server = (options.port, options.method, options.connections)
    if not options.serve and any(given is not None for given in of_a_server):
        raise UsageError("--port, --method and --connections are for a page that is served. Add --serve.")


def _serve(options: argparse.Namespace, header: "Header", output: "Output") -> None:
    """Take the port at once, say what is prepared, and serve it when it is ready."""
    check_method(options.method or "exact")
    port = options.port or 0
    try:
        listens = listening(port)
    except OSError as error:
        why = os.strerror(error.errno) if error.errno else str(error)
        raise CommandError(f"port {port} cannot be used ({why}). Name another, or leave out --port.") from error
    with listens:
        count = header.n_documents
        documents = "" if count is None else f", {number_of(count, 'document')}"
        output.note(f"preparing the page of {options.model}{documents}. Its address is printed when it is ready.")
        from wideangle.commands._exploring import PageOptions, serve_model

        asked = PageOptions(options.topics, options.shape, options.layout, options.granularity)
        serve_model(
            options.model,
            listens,
            output,
            asked,
            compare=options.compare,
            method=options.method or "exact",
            connections=options.connections,
            open_it=options.open,
        )

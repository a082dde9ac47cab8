"""`wideangle explore`: its arguments."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from wideangle.commands._arguments import picture, port, positive
from wideangle.commands._guard import UsageError
from wideangle.commands._options import add_model, add_path, finish

if TYPE_CHECKING:
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
    shape = "columns are the pixels of pictures of this size, such as 28x28; components are drawn so"
    parser.add_argument("--shape", type=picture, metavar="HxW", help=shape)
    layout = "where the documents lie on the map: an .npy file of documents × 2 (default: t-SNE)"
    add_path(parser, "--layout", metavar="FILE.npy", help=layout)
    served = "serve the page to this computer, until Ctrl-C; all documents can then be searched by the model"
    parser.add_argument("--serve", action="store_true", help=served)
    parser.add_argument("--port", type=port, metavar="N", help="of --serve (default: one that is free)")
    parser.add_argument("--method", choices=METHODS, help="of --serve: how to search (default exact)")
    finish(parser, run)


def run(options: argparse.Namespace, output: "Output") -> None:
    """Write the page and say where it is."""
    from wideangle.commands._exploring import PageOptions, explore_model, serve_model, show

    asked = PageOptions(options.topics, options.shape, options.layout)
    if options.serve:
        if options.output is not None:
            raise UsageError("--serve writes no file. Leave out --serve, or -o.")
        serve_model(
            options.model,
            output,
            asked,
            compare=options.compare,
            port=options.port or 0,
            method=options.method or "exact",
            open_it=options.open,
        )
        return
    if options.port is not None or options.method is not None:
        raise UsageError("--port and --method are for a page that is served. Add --serve.")
    page = options.output or Path(f"{options.model.stem}.html")
    made = explore_model(options.model, page, asked, compare=options.compare, open_it=options.open, output=output)
    output.result(made, show)

"""What the options of a command become: settings of a model, how to read, and where a table is written."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wideangle.catalogue import commands
from wideangle.commands.arguments.options import OF_VECTORS
from wideangle.commands.arguments.settings import Settings
from wideangle.commands.files.writing import is_stdout
from wideangle.commands.shell.guard import UsageError

if TYPE_CHECKING:
    from wideangle.reading import ReadingOptions

# The options that say how to read, and the fields of ReadingOptions that they set.
READING = {
    "--format": "format",
    "--separator": "separator",
    "--encoding": "encoding",
    "--text-column": "text_column",
    "--title-column": "title_column",
    "--label-column": "label_column",
    "--id-column": "id_column",
    "--date-column": "date_column",
    "--vectors": "vectors",
    "--encoder": "encoder",
    "--split-column": "split_column",
    "--sheet": "sheet",
    "--drop-unlabelled": "drop_unlabelled",
    "--exclude": "exclude",
    "--any-size": "any_size",
    "--words": "n_words",
    "--language": "language",
    "--stop-words": "stop_words",
    "--token-pattern": "token_pattern",
    "--ngrams": "ngrams",
    "--min-df": "min_df",
    "--max-df": "max_df",
    "--strip-html": "strip_html",
    "--strip-mail": "strip_mail",
    "--keep-quotations": "keep_quotations",
    "--strip-repeated": "strip_repeated",
}


def csv_target(options: argparse.Namespace) -> Path | None:
    """The file of -o. None where CSV goes to stdout, by --csv, by "-" or by the system's name of stdout."""
    to_stdout = options.csv or is_stdout(options.output)
    if to_stdout and options.json:
        raise UsageError("CSV and JSON cannot both go to stdout. Name a file with -o, or leave out --json.")
    return None if to_stdout else options.output


def settings_from(options: argparse.Namespace, **more: Any) -> Settings:
    """The settings from the options that `add_training` adds."""
    has_vectors = options.vectors is not None or options.encoder is not None
    return Settings(
        model=options.kind or (OF_VECTORS if has_vectors else commands()[0]),
        surrogate=options.surrogate,
        granularity=options.granularity,
        finish=options.finish,
        weighting=options.weighting,
        metric=options.metric,
        init=options.init,
        updates=options.updates,
        seed=options.seed,
        device=options.device,
        **more,
    )


def how_from(options: argparse.Namespace) -> "ReadingOptions":
    """The reading options that `add_columns` and `add_training` add. Those that are not given keep their defaults."""
    from wideangle.exceptions import DataError
    from wideangle.reading import FORMATS, ReadingOptions

    given = {field: getattr(options, field, None) for field in READING.values()}
    if given["format"] is not None and given["format"] not in FORMATS:
        raise UsageError(f"--format {given['format']!r} cannot be read. Take {', '.join(FORMATS)}.")
    if given["language"] not in (None, "auto", "none"):
        from wideangle.data.languages import language_code  # It imports NumPy.

        try:
            given["language"] = language_code(given["language"])
        except DataError as error:
            raise UsageError(f"--language: {error}") from error
    if given["keep_quotations"] and not given["strip_mail"]:
        raise UsageError("--keep-quotations says what --strip-mail leaves. Give both, or neither.")
    if given["exclude"] is not None:
        given["exclude"] = tuple(given["exclude"])
    return ReadingOptions(**{field: value for field, value in given.items() if value is not None})


def said_of_reading(how: "ReadingOptions") -> list[str]:
    """The command-line options that give the same reading again."""
    usual = type(how)()
    said: list[str] = []
    for option, field in READING.items():
        value = getattr(how, field)
        if value == getattr(usual, field):
            continue
        for each in value if isinstance(value, tuple) else (value,):
            said += [option] if each is True else [option, str(each)]
    return said

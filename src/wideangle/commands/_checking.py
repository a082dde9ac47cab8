"""What is checked of arguments and files before anything heavy is imported, so that a mistake is told at once."""

from pathlib import Path

from wideangle._model_files.header import Header, read_header
from wideangle._optional import optional_import
from wideangle.catalogue import entries
from wideangle.commands._guard import UsageError
from wideangle.commands._settings import Settings
from wideangle.reading.opening import check_path
from wideangle.reading.options import ReadingOptions
from wideangle.reading.places import DataPath


def check_model(path: Path) -> Header:
    """Raise an error where a file is not there, may not be read, is no model, or is one of a newer wideangle."""
    return read_header(path)


def check_documents(path: DataPath | None, how: ReadingOptions) -> None:
    """Raise an error where documents to read are not there, may not be read, or are of an unknown kind."""
    if path is not None:
        check_path(path, how)


def check_training(path: DataPath, settings: Settings, how: ReadingOptions) -> None:
    """Raise an error where options of `fit` and `tune` ask for what the model does not have, or files are missing."""
    entry = settings.entry
    if not entry.grid and settings.diversity is not None:
        raise UsageError(f"{entry.command} has no diversity. Leave out --diversity.")
    if entry.size is None and settings.n_components is not None:
        raise UsageError(f"{entry.command} has one component per word. Leave out -k.")
    if settings.finish == "none" and settings.granularity is not None:
        raise UsageError(
            f"--for {settings.granularity} says how finely a finish tells documents apart, and --finish none asks for "
            "no finish. Leave out one of them."
        )
    if entry.takes != "numbers" and (how.vectors is not None or how.encoder is not None):
        numbers = ", ".join(other.command for other in entries() if other.takes == "numbers" and other.command)
        raise UsageError(f"{entry.command} is no model of vectors. Leave out --model, or take one of {numbers}.")
    check_documents(path, how)
    if how.stop_words != "auto":
        from wideangle.reading.stop_words import read_stop_words  # It imports NumPy.

        read_stop_words(how.stop_words)


def check_method(method: str) -> None:
    """Raise an error where the package that a search needs is not installed."""
    if method != "exact":
        optional_import("faiss", extra="faiss", purpose="this search")

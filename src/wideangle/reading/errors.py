"""What goes wrong while a file is read, in one sentence with the file's name."""

import csv
import gzip
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager

from wideangle.exceptions import DataError

__all__ = ["in_plain_words"]

DAMAGED = (EOFError, zlib.error, gzip.BadGzipFile, zipfile.BadZipFile)


@contextmanager
def in_plain_words(name: str) -> Iterator[None]:
    """Raise `DataError` for what the system, a decompressor or a parser raises; it says what to do."""
    try:
        yield
    except (DataError, ImportError):
        raise
    except FileNotFoundError as error:
        raise DataError(f"{name} does not exist. Check the path.") from error
    except PermissionError as error:
        raise DataError(f"{name} may not be read. Change its permissions, or copy it elsewhere.") from error
    except IsADirectoryError as error:
        raise DataError(f"{name} is a folder, and a file is wanted. Name the file.") from error
    except DAMAGED as error:
        raise DataError(f"{name} is cut short or damaged. Fetch or write it again.") from error
    except UnicodeError as error:
        raise DataError(
            f"{name} cannot be read as text: {error}. Name its encoding, or give a file of text."
        ) from error
    except csv.Error as error:
        raise DataError(f"{name} cannot be read as a table ({error}). Check its separator and its quotes.") from error
    except RecursionError as error:
        raise DataError(f"{name} is nested too deeply to be a table. Write one flat object per row.") from error
    except OSError as error:
        why = error.strerror or str(error) or type(error).__name__
        raise DataError(f"{name} cannot be read: {why}. Check the path and the disk.") from error

"""Speech frames from Kaldi's archives: windows of features and the class of each from a forced alignment."""

import gzip
import os
import struct
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from wideangle._optional import optional_import
from wideangle.data.corpus import Dataset
from wideangle.exceptions import DataError

Files: TypeAlias = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]
Unit = Literal["utterance", "speaker", "frame"]

BINARY = b"\0B"  # what Kaldi puts before anything binary


def read_kaldi(
    features: Files,
    alignments: Files,
    *,
    context: int = 4,
    split: float = 0.7,
    unit: Unit = "utterance",
    utt2spk: str | os.PathLike[str] | None = None,
    seed: int = 0,
) -> Dataset:
    """Frames with their neighbours, labelled by an alignment: TIMIT as the paper has it, from a Kaldi recipe's files.

    kaldiio reads the archives: `pip install 'wideangle[kaldi]'`.

    Parameters
    ----------
    features : path or paths
        .scp or .ark files of feature matrices, frames × coefficients, binary, compressed or text.
    alignments : path or paths
        One whole number per frame for each utterance, as binary or text archives, .scp files, or .gz of archives. Give
        pdf-ids (senones), from Kaldi's `ali-to-pdf`; a raw alignment holds transition-ids.
    context : int, default=4
        Frames taken to each side of a frame; beyond an utterance's ends its first and last frame are repeated. 40
        coefficients and 4 frames to each side make the paper's 360 features.
    split : float, default=0.7
        The training part's share of frames, met as nearly as whole units allow.
    unit : {"utterance", "speaker", "frame"}, default="utterance"
        What the split keeps together. Windows of neighbouring frames overlap, so that a split by "frame" tests on
        frames that were seen in training; the paper does not say how it split. "speaker" needs `utt2spk`.
    utt2spk : path or None, default=None
        Kaldi's file of utterances and their speakers.
    seed : int, default=0
        The seed of the split.

    Returns
    -------
    Dataset
        float32 windows, all in memory: 1.1 million frames of 360 features are 1.6 GB. `labels` are the alignment's
        numbers; `groups` names each frame's speaker where `utt2spk` is given, else its utterance.

    Notes
    -----
    Utterances that only one of the two has (an alignment may have failed) are left out, with a warning that counts
    them. Entries of .scp files that are commands (ending in "|") are refused, and so are pickled ones: a data file
    shall not run code.
    """
    if context < 0 or not 0 < split < 1:
        raise ValueError(f"context must be at least 0 and split between 0 and 1; got {context=}, {split=}.")
    if unit not in ("utterance", "speaker", "frame"):
        raise ValueError(f"unit must be 'utterance', 'speaker' or 'frame'; got {unit!r}.")
    if unit == "speaker" and utt2spk is None:
        raise ValueError("unit='speaker' needs utt2spk, the file that says who speaks.")
    classes = dict(_entries(alignments, as_alignment=True))
    frames, unaligned = {}, 0
    for name, matrix in _entries(features, as_alignment=False):
        if name in classes:
            frames[name] = _checked(name, matrix, classes[name])
        else:
            unaligned += 1
    if not frames:
        raise DataError(f"no utterance of {features} is in {alignments}; are they of the same data?")
    if unaligned or len(frames) < len(classes):
        warnings.warn(
            f"left out {unaligned} utterances without an alignment and {len(classes) - len(frames)} without features.",
            stacklevel=2,
        )
    widths = {matrix.shape[1] for matrix in frames.values()}
    if len(widths) > 1:
        raise DataError(
            f"features have {', '.join(map(str, sorted(widths)))} coefficients; all must have the same number."
        )
    lengths = np.array([len(matrix) for matrix in frames.values()])
    X = np.empty((lengths.sum(), (2 * context + 1) * widths.pop()), dtype=np.float32)
    for matrix, start in zip(frames.values(), np.cumsum(lengths) - lengths, strict=True):
        X[start : start + len(matrix)] = context_windows(matrix, context)
    labels = np.concatenate([classes[name] for name in frames]).astype(np.int64)
    utterances = np.repeat(np.array(list(frames)), lengths)
    groups = utterances if utt2spk is None else np.repeat(_speakers(Path(utt2spk), frames), lengths)
    kept_together = {"utterance": utterances, "speaker": groups, "frame": np.arange(len(X))}[unit]
    return Dataset(
        X=X,
        labels=labels,
        label_names=np.arange(labels.max() + 1).astype(str),
        is_train=_split(kept_together, split, seed),
        groups=groups,
        source=f"{len(frames)} utterances of Kaldi features, split by {unit}, seed {seed}",
    )


def context_windows(frames: NDArray[Any], context: int) -> NDArray[Any]:
    """Each frame between its neighbours, `context` to each side; the first and last frame stand in for those beyond.

    Examples
    --------
    >>> import numpy as np
    >>> from wideangle.data.kaldi import context_windows
    >>> context_windows(np.array([[1], [2], [3]]), 1).tolist()
    [[1, 1, 2], [1, 2, 3], [2, 3, 3]]
    """
    n = len(frames)
    neighbours = np.clip(np.arange(n)[:, None] + np.arange(-context, context + 1), 0, n - 1)
    return frames[neighbours].reshape(n, -1)


def _split(units: NDArray[Any], share: float, seed: int) -> NDArray[np.bool_]:
    """Whole units in random order to the training part, until it is as near to its share as may be."""
    names, number, size = np.unique(units, return_inverse=True, return_counts=True)
    if len(names) < 2:
        raise DataError(f"a split needs at least 2 units; there is only {names[0]}.")
    order = np.random.default_rng(seed).permutation(len(names))
    taken = np.cumsum(size[order])
    n_train = 1 + int(np.abs(taken[:-1] - share * len(units)).argmin())  # one at least stays for the test
    in_train = np.zeros(len(names), dtype=bool)
    in_train[order[:n_train]] = True
    return np.asarray(in_train[number.ravel()])


def _checked(name: str, matrix: NDArray[Any], classes: NDArray[Any]) -> NDArray[np.float32]:
    if matrix.ndim != 2:
        raise DataError(f"features of {name} must be frames × coefficients; got shape {matrix.shape}.")
    if len(matrix) != len(classes):
        raise DataError(
            f"{name} has {len(matrix)} frames of features but {len(classes)} in the alignment. Give the alignment of "
            "these features."
        )
    return matrix.astype(np.float32, copy=False)


def _speakers(path: Path, utterances: Iterable[str]) -> NDArray[np.str_]:
    speaker = dict(line.split() for line in path.read_text().splitlines() if line.strip())
    missing = [name for name in utterances if name not in speaker]
    if missing:
        raise DataError(f"{path.name} names no speaker for {missing[0]} and for {len(missing) - 1} other utterances.")
    return np.array([speaker[name] for name in utterances])


def _entries(files: Files, as_alignment: bool) -> Iterator[tuple[str, NDArray[Any]]]:
    """Utterances and their arrays, each once."""
    seen: set[str] = set()
    for file in [files] if isinstance(files, str | os.PathLike) else files:
        path = Path(file)
        if not path.is_file():
            raise DataError(f"{path} is no file; give Kaldi's .scp, .ark or .gz files.")
        for name, array in _of_list(path, as_alignment) if path.suffix == ".scp" else _of_archive(path, as_alignment):
            if name in seen:
                raise DataError(f"{path}: utterance {name} comes twice.")
            seen.add(name)
            yield name, array


def _of_archive(path: Path, as_alignment: bool) -> Iterator[tuple[str, NDArray[Any]]]:
    with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
        while name := _matio().read_token(file):
            # A text entry ends with its line, before the next name.
            yield name.strip(), _array(file, f"{path}, {name.strip()}", as_alignment)


def _of_list(path: Path, as_alignment: bool) -> Iterator[tuple[str, NDArray[Any]]]:
    for line in path.read_text().splitlines():
        if not line.strip():
            continue
        name, _, where = line.strip().partition(" ")
        archive, _, offset = where.strip().rpartition(":")
        if not offset.isdigit():
            raise DataError(f"{path}, {name}: {where!r} is not FILE:OFFSET; commands and ranges are not read.")
        # Kaldi's paths count from where it was run; copied folders keep the archive beside its list.
        found = next((p for p in (Path(archive), path.parent / Path(archive).name) if p.is_file()), None)
        if found is None:
            raise DataError(f"{path}, {name}: there is no {archive}, nor {Path(archive).name} beside the list.")
        with found.open("rb") as file:
            file.seek(int(offset))
            yield name, _array(file, f"{found}, {name}", as_alignment)


def _array(file: BinaryIO | gzip.GzipFile, where: str, as_alignment: bool) -> NDArray[Any]:
    """One matrix or vector from where the file stands."""
    start = file.tell()
    first = file.read(2)
    file.seek(start)
    try:
        if first == BINARY:
            array = _matio().read_kaldi(file)
        elif as_alignment:
            array = np.array(file.readline().decode().replace("[", " ").replace("]", " ").split(), dtype=np.int64)
        elif first.strip()[:1] in (b"[", b""):
            array = _matio().read_ascii_mat(file)
        else:
            raise ValueError(f"it starts with {first!r}")
    except (OSError, EOFError, ValueError, RuntimeError, AssertionError, struct.error, UnicodeDecodeError) as error:
        raise DataError(f"{where}: cannot be read ({error}); it is damaged, or not what Kaldi writes.") from error
    if as_alignment and (array.ndim != 1 or array.dtype.kind != "i" or array.min(initial=0) < 0):
        raise DataError(f"{where}: an alignment has one whole number from 0 on for each frame.")
    return np.asarray(array)


def _matio() -> Any:
    return optional_import("kaldiio.matio", extra="kaldi", purpose="reading archives of Kaldi")

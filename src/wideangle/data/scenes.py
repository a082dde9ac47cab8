"""15-Scenes: from folders of grey images to bags of visual words."""

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import MiniBatchKMeans
from sklearn.model_selection import train_test_split
from sklearn.utils import check_random_state

from wideangle._optional import optional_import
from wideangle.data.corpus import Dataset

Image: TypeAlias = NDArray[Any] | str | os.PathLike[str]
RandomState: TypeAlias = int | np.random.RandomState | None

ENDINGS = (".jpg", ".jpeg", ".png", ".bmp", ".pgm", ".tif", ".tiff")
CELLS = 4  # a descriptor's histograms lie on a 4×4 grid


def dense_sift(image: Image, *, step: int = 8, patch: int = 16) -> NDArray[np.float32]:
    """SIFT descriptors of upright patches on a regular grid, each of length 1.

    OpenCV computes them: `pip install 'wideangle[images]'`.

    Parameters
    ----------
    image : array of shape (height, width), or path
        Grey, as uint8, or as floats from 0 (black) to 1 (white). A file in colour is turned grey.
    step : int, default=8
        Pixels from one patch to the next, in both directions.
    patch : int, default=16
        Pixels of a patch's side; it is cut in 4×4 cells with a histogram of 8 gradient directions each.

    Returns
    -------
    array of shape (n, 128)
        Row by row from the top left. Patches without any gradient have no direction and are left out, so that n
        can be 0.
    """
    if step < 1 or patch < CELLS:
        raise ValueError(f"step must be at least 1 and patch at least {CELLS} pixels; got {step=}, {patch=}.")
    cv2 = _opencv()
    grey = _grey(image)
    height, width = grey.shape
    if min(height, width) < patch:
        name = "the image" if isinstance(image, np.ndarray) else str(image)
        raise ValueError(f"{name} has {height}×{width} pixels, less than one patch of {patch}×{patch}; lower patch.")
    # OpenCV's cells are 3 · size/2 wide.
    size, centre = patch / (CELLS * 1.5), (patch - 1) / 2
    keypoints = [
        cv2.KeyPoint(x + centre, y + centre, size, 0)
        for y in range(0, height - patch + 1, step)
        for x in range(0, width - patch + 1, step)
    ]
    _, found = cv2.SIFT_create().compute(grey, keypoints)
    descriptors = np.asarray(found, dtype=np.float32)
    length = np.linalg.norm(descriptors, axis=1)
    return np.asarray(descriptors[length > 0] / length[length > 0, None], dtype=np.float32)


def visual_words(
    images: Sequence[Image],
    n_words: int = 1000,
    *,
    sample: int = 100_000,
    step: int = 8,
    patch: int = 16,
    random_state: RandomState = 0,
) -> MiniBatchKMeans:
    """Cluster descriptors of training images; the centres are the visual words.

    Parameters
    ----------
    images : sequence of images
        Images of the training part alone, as arrays or paths. Each gives the same number of descriptors, if it has so
        many.
    n_words : int, default=1000
    sample : int, default=100_000
        How many descriptors to cluster, drawn at random.
    step, patch : int
        As in `dense_sift`; the same as for `bag_of_words`.
    random_state : int, RandomState or None, default=0
        Decides the draw and the clustering.

    Returns
    -------
    MiniBatchKMeans
        Fitted; its `cluster_centers_` has shape (n_words, 128).
    """
    if n_words < 1 or sample < n_words:
        raise ValueError(f"n_words must be at least 1 and sample at least n_words; got {n_words=}, {sample=}.")
    if len(images) == 0:
        raise ValueError("visual words are learnt from images; got none.")
    random = check_random_state(random_state)
    share = -(-sample // len(images))
    drawn: list[NDArray[np.float32]] = []
    for image in images:
        descriptors = dense_sift(image, step=step, patch=patch)
        drawn.append(descriptors[random.permutation(len(descriptors))[:share]])
    descriptors = np.concatenate(drawn)
    if len(descriptors) < n_words:
        raise ValueError(
            f"{n_words} words need as many descriptors; the {len(images)} images have {len(descriptors)}. "
            "Lower n_words or step, or give more images."
        )
    words = MiniBatchKMeans(n_words, batch_size=max(1024, n_words), n_init=1, random_state=random)
    return words.fit(descriptors)


def bag_of_words(
    images: Iterable[Image], words: MiniBatchKMeans, *, step: int = 8, patch: int = 16
) -> NDArray[np.float32]:
    """How often each visual word is the nearest to a descriptor of an image, as shares of the image's descriptors.

    Parameters
    ----------
    images : iterable of images
        Arrays or paths, taken one at a time.
    words : MiniBatchKMeans
        From `visual_words`.
    step, patch : int
        As in `dense_sift`; the same as for `visual_words`.

    Returns
    -------
    array of shape (n_images, n_words)
        Each row sums to 1; that of an image without descriptors (of one grey all over) is all zeros.
    """
    n_words = len(words.cluster_centers_)
    rows: list[NDArray[np.float32]] = []
    for image in images:
        descriptors = dense_sift(image, step=step, patch=patch)
        nearest = words.predict(descriptors) if len(descriptors) else np.empty(0, dtype=np.int64)
        counts = np.bincount(nearest, minlength=n_words)
        rows.append((counts / max(1, len(descriptors))).astype(np.float32))
    return np.stack(rows) if rows else np.empty((0, n_words), dtype=np.float32)


def read_scenes(
    folder: str | os.PathLike[str], *, n_words: int = 1000, random_state: RandomState = 0, split: float = 0.7
) -> Dataset:
    """Bags of visual words of a folder of images, which has one folder per class.

    Parameters
    ----------
    folder : path
        For 15-Scenes it is the folder with CALsuburb, MITcoast, …. Files that are hidden or no images are passed over.
    n_words : int, default=1000
        Visual words, learnt from the training part alone.
    random_state : int, RandomState or None, default=0
        Decides the split and the words.
    split : float, default=0.7
        The training part's share, the same in every class: 3140 of the 4485 images of 15-Scenes.

    Returns
    -------
    Dataset
        One row per image, one column per visual word; each row sums to 1. `groups` holds the files' names, relative to
        the folder, and `label_names` the class folders in the order of their names.
    """
    if not 0 < split < 1:
        raise ValueError(f"split is the share of images to train on and must lie between 0 and 1; got {split}.")
    folder = Path(folder)
    classes = {path.name: sorted(_images_in(path)) for path in sorted(_folders_in(folder))}
    if not classes:
        raise FileNotFoundError(f"no class folders in {folder}; it must hold one folder of images for each class.")
    for name, files in classes.items():
        if len(files) < 2:
            raise ValueError(
                f"class folder {folder / name} has {len(files)} images ({', '.join(ENDINGS)}); a class needs at least "
                "2, one to train on and one to test on. Remove the folder if it is no class."
            )
    files = [file for of_class in classes.values() for file in of_class]
    labels = np.repeat(np.arange(len(classes)), [len(of_class) for of_class in classes.values()])
    random = check_random_state(random_state)
    train, _ = train_test_split(
        np.arange(len(files)), train_size=round(split * len(files)), stratify=labels, random_state=random
    )
    is_train = np.zeros(len(files), dtype=np.bool_)
    is_train[train] = True
    words = visual_words([files[index] for index in np.flatnonzero(is_train)], n_words, random_state=random)
    return Dataset(
        X=bag_of_words(files, words),
        labels=labels.astype(np.int64),
        label_names=np.array(list(classes)),
        is_train=is_train,
        groups=np.array([file.relative_to(folder).as_posix() for file in files]),
        source=f"{n_words} visual words of the images in {folder.name}",
    )


def _folders_in(folder: Path) -> Iterator[Path]:
    if not folder.is_dir():
        raise FileNotFoundError(f"{folder} is not a folder; give the one that holds a folder of images for each class.")
    return (path for path in folder.iterdir() if path.is_dir() and not path.name.startswith("."))


def _images_in(folder: Path) -> Iterator[Path]:
    return (path for path in folder.iterdir() if path.suffix.lower() in ENDINGS and not path.name.startswith("."))


def _grey(image: Image) -> NDArray[np.uint8]:
    if not isinstance(image, np.ndarray):
        cv2 = _opencv()
        # OpenCV's own reader knows no names beyond ASCII on Windows, and cannot say why it failed.
        content = np.frombuffer(Path(image).read_bytes(), dtype=np.uint8)
        decoded = cv2.imdecode(content, cv2.IMREAD_GRAYSCALE) if len(content) else None
        if decoded is None:
            raise ValueError(f"{image} cannot be read as an image; it is damaged or of another kind. Fetch it again.")
        return np.asarray(decoded, dtype=np.uint8)
    if image.ndim != 2 or image.size == 0:
        raise ValueError(f"an image must be grey, of shape (height, width); got shape {image.shape}.")
    if image.dtype == np.uint8:
        return np.ascontiguousarray(image)
    if image.dtype.kind != "f" or not (np.isfinite(image).all() and image.min() >= 0 and image.max() <= 1):
        values = f"{image.dtype} from {image.min()} to {image.max()}"
        raise ValueError(f"an image must be uint8, or floats from 0 to 1; got {values}.")
    return np.rint(image * 255).astype(np.uint8)


def _opencv() -> Any:
    return optional_import("cv2", extra="images", purpose="reading images")

"""Bags of visual words of gratings and ramps, whose gradients are known."""

import sys

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier

from wideangle.data.scenes import bag_of_words, dense_sift, read_scenes, visual_words

cv2 = pytest.importorskip("cv2", reason="images need OpenCV: pip install 'wideangle[images]'")

ANGLES = {"a-flat": 0, "b-rising": 45, "c-upright": 90}


def grating(degrees, seed, shape=(80, 96)):
    """Waves whose gradient has the given direction, with a random phase, a random length and noise."""
    random = np.random.default_rng(seed)
    y, x = np.mgrid[: shape[0], : shape[1]]
    along = np.cos(np.deg2rad(degrees)) * x - np.sin(np.deg2rad(degrees)) * y  # y counts downwards
    wave = np.sin(2 * np.pi * (along / random.uniform(10, 14) + random.uniform()))
    return np.clip(128 + 90 * wave + random.normal(0, 4, shape), 0, 255).astype(np.uint8)


def directions(descriptors):
    """How much of the gradient points to 0°, 45°, …, over all cells and patches."""
    total = descriptors.reshape(-1, 16, 8).sum((0, 1))
    return total / total.sum()


@pytest.fixture
def folder(tmp_path):
    for label, (name, degrees) in enumerate(ANGLES.items()):
        (tmp_path / "scenes" / name).mkdir(parents=True)
        for i in range(10):
            file = tmp_path / "scenes" / name / f"image_{i:04}.jpg"
            assert cv2.imwrite(str(file), grating(degrees, 100 * label + i))
    (tmp_path / "scenes" / "a-flat" / "Thumbs.db").write_bytes(b"no image")
    (tmp_path / "scenes" / "README").write_text("no class")
    (tmp_path / "scenes" / ".cache").mkdir()
    return tmp_path / "scenes"


@pytest.mark.parametrize(("shape", "step", "patch"), [((80, 96), 8, 16), ((50, 41), 5, 12), ((16, 16), 8, 16)])
def test_one_descriptor_a_patch_each_of_length_one(shape, step, patch):
    descriptors = dense_sift(grating(30, 0, shape), step=step, patch=patch)
    fitting = [sum(start + patch <= side for start in range(0, side, step)) for side in shape]
    assert descriptors.shape == (fitting[0] * fitting[1], 128)
    assert descriptors.dtype == np.float32
    assert np.allclose(np.linalg.norm(descriptors, axis=1), 1, atol=1e-5)
    assert descriptors.min() >= 0


@pytest.mark.parametrize(("turns", "bin_"), [(0, 0), (1, 2), (2, 4), (3, 6)])
def test_gradients_are_counted_against_the_clock_from_the_right(turns, bin_):
    """A ramp that brightens to the right, and its turns by 90° to the left."""
    ramp = np.rot90(np.tile(np.arange(64, dtype=np.uint8) * 3, (64, 1)), turns)
    assert directions(dense_sift(ramp)[:9]).argmax() == bin_
    assert directions(dense_sift(ramp))[bin_] > 0.95


@pytest.mark.parametrize("degrees", [0, 45, 90, 135])
def test_gratings_point_both_ways(degrees):
    share = directions(dense_sift(grating(degrees, 0)))
    assert set(np.argsort(share)[-2:]) == {degrees // 45, degrees // 45 + 4}


def test_descriptors_belong_to_their_place():
    """Each patch alone in its place: what is far away does not matter."""
    image = np.full((64, 64), 128, dtype=np.uint8)
    image[48:, 48:] = grating(45, 0, (16, 16))
    descriptors = dense_sift(image, step=16, patch=16)
    assert len(descriptors) < 16
    assert np.allclose(descriptors[-1], dense_sift(image[32:, 32:], step=16, patch=16)[-1], atol=0.02)


def test_uniform_patches_are_left_out():
    image = np.full((48, 96), 77, dtype=np.uint8)
    assert dense_sift(image).shape == (0, 128)
    image[:, 48:] = grating(0, 0, (48, 48))
    assert 0 < len(dense_sift(image)) < len(dense_sift(grating(0, 0, (48, 96))))


def test_arrays_floats_and_files_agree(tmp_path):
    image = grating(45, 0)
    expected = dense_sift(image)
    assert np.array_equal(dense_sift(image / 255), expected)
    assert np.array_equal(dense_sift(image[:, ::-1][:, ::-1]), expected)
    for name in ("grey.png", "colour.png", "bär.png"):
        written = np.repeat(image[:, :, None], 3, axis=2) if name == "colour.png" else image
        (tmp_path / name).write_bytes(cv2.imencode(".png", written)[1].tobytes())
        assert np.array_equal(dense_sift(tmp_path / name), expected)
        assert np.array_equal(dense_sift(str(tmp_path / name)), expected)


@pytest.mark.parametrize(
    ("image", "options", "message"),
    [
        (np.zeros((32, 32, 3), dtype=np.uint8), {}, r"grey.*\(32, 32, 3\)"),
        (np.zeros((0, 32), dtype=np.uint8), {}, r"\(0, 32\)"),
        (np.full((32, 32), 1.5), {}, "uint8, or floats from 0 to 1; got float64 from 1.5 to 1.5"),
        (np.full((32, 32), np.nan), {}, "got float64 from nan"),
        (np.zeros((32, 32), dtype=np.int64), {}, "got int64"),
        (np.zeros((15, 32), dtype=np.uint8), {}, "the image has 15×32 pixels, less than one patch of 16×16"),
        (np.zeros((32, 32), dtype=np.uint8), {"step": 0}, "step=0"),
        (np.zeros((32, 32), dtype=np.uint8), {"patch": 3}, "patch=3"),
    ],
)
def test_bad_images(image, options, message):
    with pytest.raises(ValueError, match=message):
        dense_sift(image, **options)


@pytest.mark.parametrize("content", [b"", b"no image at all"])
def test_unreadable_files_are_named(tmp_path, content):
    (tmp_path / "bad.jpg").write_bytes(content)
    with pytest.raises(ValueError, match=r"bad\.jpg"):
        dense_sift(tmp_path / "bad.jpg")
    with pytest.raises(FileNotFoundError, match=r"missing\.jpg"):
        dense_sift(tmp_path / "missing.jpg")


def test_bags_count_the_nearest_words():
    images = [grating(degrees, seed) for degrees in (0, 90) for seed in range(3)]
    words = visual_words(images, 7)
    X = bag_of_words(iter(images), words)
    assert X.shape == (6, 7)
    assert X.dtype == np.float32
    for row, image in zip(X, images, strict=True):
        descriptors = dense_sift(image)
        counts = np.zeros(7)
        for descriptor in descriptors:
            counts[np.square(words.cluster_centers_ - descriptor).sum(1).argmin()] += 1
        assert np.allclose(row, counts / len(descriptors), atol=1e-6)


def test_an_image_of_one_grey_has_an_empty_bag():
    words = visual_words([grating(0, 0)], 5)
    X = bag_of_words([np.zeros((32, 32), dtype=np.uint8), grating(0, 0)], words)
    assert X.sum(1).tolist() == pytest.approx([0, 1])
    assert bag_of_words([], words).shape == (0, 5)


def test_words_come_from_a_sample_of_every_image():
    """With one descriptor drawn from each image there are as many as images, and words for no more."""
    images = [grating(degrees, 0) for degrees in (0, 45, 90)]
    assert len(visual_words(images, 3, sample=3).cluster_centers_) == 3
    with pytest.raises(ValueError, match="4000 .* 3 images .* 297"):
        visual_words(images, 4000)


@pytest.mark.parametrize(
    ("images", "options", "message"),
    [
        ([], {}, "got none"),
        ([grating(0, 0)], {"n_words": 0}, "n_words=0"),
        ([grating(0, 0)], {"n_words": 10, "sample": 9}, "n_words=10, sample=9"),
    ],
)
def test_bad_words(images, options, message):
    with pytest.raises(ValueError, match=message):
        visual_words(images, **options)


@pytest.mark.parametrize("seed", range(3))
def test_classes_of_gratings_are_told_apart(folder, seed):
    scenes = read_scenes(folder, n_words=12, random_state=seed)
    assert scenes.X.shape == (30, 12)
    assert np.allclose(scenes.X.sum(1), 1)
    assert scenes.label_names.tolist() == list(ANGLES)
    assert scenes.labels.tolist() == [0] * 10 + [1] * 10 + [2] * 10
    assert scenes.groups[0] == "a-flat/image_0000.jpg"
    assert scenes.groups[-1] == "c-upright/image_0009.jpg"
    assert np.bincount(scenes.labels[scenes.is_train]).tolist() == [7, 7, 7]
    neighbour = KNeighborsClassifier(1).fit(scenes.X[scenes.is_train], scenes.labels[scenes.is_train])
    assert neighbour.score(scenes.X[~scenes.is_train], scenes.labels[~scenes.is_train]) == 1


def test_the_seed_decides_everything(folder):
    first, again, other = (read_scenes(folder, n_words=8, random_state=seed) for seed in (0, 0, 1))
    assert np.array_equal(first.X, again.X)
    assert np.array_equal(first.is_train, again.is_train)
    assert not np.array_equal(first.is_train, other.is_train)


def test_words_are_learnt_from_the_training_part_alone(folder):
    """Other test images change no training row."""
    before = read_scenes(folder, n_words=8)
    for name, is_train in zip(before.groups, before.is_train, strict=True):
        if not is_train:
            assert cv2.imwrite(str(folder / name), grating(20, 7))
    after = read_scenes(folder, n_words=8)
    assert np.array_equal(after.is_train, before.is_train)
    assert np.array_equal(after.X[after.is_train], before.X[before.is_train])
    assert not np.array_equal(after.X, before.X)


def test_bad_folders(folder, tmp_path):
    with pytest.raises(FileNotFoundError, match="missing is not a folder"):
        read_scenes(tmp_path / "missing")
    (tmp_path / "empty").mkdir()
    with pytest.raises(FileNotFoundError, match="no class folders in .*empty"):
        read_scenes(tmp_path / "empty")
    for split in (0, 1, float("nan")):
        with pytest.raises(ValueError, match="between 0 and 1"):
            read_scenes(folder, split=split)
    (folder / "d-new").mkdir()
    with pytest.raises(ValueError, match="d-new .*at least 2"):
        read_scenes(folder)


def test_an_unreadable_image_is_named(folder):
    (folder / "b-rising" / "image_0003.jpg").write_bytes(b"damaged")
    with pytest.raises(ValueError, match=r"image_0003\.jpg"):
        read_scenes(folder, n_words=8)


def test_without_opencv_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "cv2", None)
    with pytest.raises(ImportError, match=r"'wideangle\[images\]'"):
        dense_sift(grating(0, 0))

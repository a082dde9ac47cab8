"""Kaldi archives that the test writes, read back as labelled windows."""

import gzip
import pickle
import sys

import numpy as np
import pytest

from wideangle.data.kaldi import context_windows, read_kaldi
from wideangle.exceptions import DataError

kaldiio = pytest.importorskip("kaldiio", reason="Kaldi's archives need kaldiio: pip install 'wideangle[kaldi]'")

N_UTTERANCES, D = 20, 5


def speech(seed=0):
    """Utterances of three speakers, of 1 to 30 frames, and their alignments."""
    generator = np.random.default_rng(seed)
    lengths = [1, 2, *generator.integers(3, 31, N_UTTERANCES - 2)]
    names = [f"spk{i % 3}_utt{i:02}" for i in range(N_UTTERANCES)]
    features = {name: generator.normal(size=(n, D)).astype(np.float32) for name, n in zip(names, lengths, strict=True)}
    classes = {name: generator.integers(0, 8, len(matrix)).astype(np.int32) for name, matrix in features.items()}
    return features, classes


@pytest.fixture
def folder(tmp_path):
    features, classes = speech()
    kaldiio.save_ark(str(tmp_path / "feats.ark"), features, scp=str(tmp_path / "feats.scp"))
    kaldiio.save_ark(str(tmp_path / "feats.txt"), features, text=True)
    kaldiio.save_ark(str(tmp_path / "ali.ark"), classes, scp=str(tmp_path / "ali.scp"))
    lines = [f"{name} {' '.join(map(str, numbers))} \n" for name, numbers in classes.items()]
    (tmp_path / "ali.txt").write_text("".join(lines))
    (tmp_path / "brackets.txt").write_text("".join(f"{n}  [ {' '.join(map(str, v))} ]\n" for n, v in classes.items()))
    (tmp_path / "ali.1.gz").write_bytes(gzip.compress((tmp_path / "ali.ark").read_bytes()))
    (tmp_path / "ali.2.gz").write_bytes(gzip.compress((tmp_path / "ali.txt").read_bytes()))
    (tmp_path / "utt2spk").write_text("".join(f"{name} {name[:4]}\n" for name in features))
    return tmp_path


def naive(context):
    """Windows and labels by loops, frame by frame."""
    features, classes = speech()
    rows, labels = [], []
    for name, matrix in features.items():
        for t in range(len(matrix)):
            window = []
            for step in range(-context, context + 1):
                window.extend(matrix[min(max(t + step, 0), len(matrix) - 1)])
            rows.append(window)
            labels.append(classes[name][t])
    return np.array(rows, dtype=np.float32), np.array(labels)


@pytest.mark.parametrize("features", ["feats.ark", "feats.scp", "feats.txt"])
@pytest.mark.parametrize("alignments", ["ali.ark", "ali.scp", "ali.txt", "brackets.txt", "ali.1.gz", "ali.2.gz"])
def test_every_kind_of_file_gives_the_same(folder, features, alignments):
    data = read_kaldi(folder / features, str(folder / alignments), context=2)
    X, labels = naive(2)
    assert np.allclose(data.X, X, atol=1e-6)
    assert np.array_equal(data.labels, labels)
    assert data.X.dtype == np.float32
    assert len(data.label_names) == labels.max() + 1


@pytest.mark.parametrize("context", [0, 1, 4, 40])
def test_windows_repeat_the_ends(folder, context):
    data = read_kaldi(folder / "feats.ark", folder / "ali.ark", context=context)
    assert data.X.shape[1] == (2 * context + 1) * D
    assert np.array_equal(data.X, naive(context)[0])


def test_compressed_features_are_near(folder):
    features, _ = speech()
    kaldiio.save_ark(str(folder / "small.ark"), features, compression_method=2)
    data = read_kaldi(folder / "small.ark", folder / "ali.ark", context=0)
    assert np.allclose(data.X, naive(0)[0], atol=0.1)
    assert not np.array_equal(data.X, naive(0)[0])


def test_several_archives_are_one(folder):
    features, _ = speech()
    names = list(features)
    for job, part in enumerate((names[:7], names[7:])):
        kaldiio.save_ark(str(folder / f"raw.{job}.ark"), {name: features[name] for name in part})
    data = read_kaldi([folder / "raw.0.ark", folder / "raw.1.ark"], folder / "ali.ark")
    assert np.array_equal(data.X, naive(4)[0])
    with pytest.raises(DataError, match="comes twice"):
        read_kaldi([folder / "raw.0.ark", folder / "feats.ark"], folder / "ali.ark")


@pytest.mark.parametrize("unit", ["utterance", "speaker", "frame"])
def test_the_split_keeps_units_together(folder, unit):
    shares = []
    for seed in range(5):
        data = read_kaldi(folder / "feats.ark", folder / "ali.ark", unit=unit, utt2spk=folder / "utt2spk", seed=seed)
        assert set(data.groups) == {"spk0", "spk1", "spk2"}
        shares.append(data.is_train.mean())
        if unit == "speaker":
            assert not set(data.train.groups) & set(data.test.groups)
    assert np.mean(shares) == pytest.approx(0.7, abs={"utterance": 0.05, "speaker": 0.15, "frame": 0.005}[unit])


def test_utterances_stay_whole_and_the_seed_decides(folder):
    one, again, other = (read_kaldi(folder / "feats.ark", folder / "ali.ark", seed=s) for s in (0, 0, 1))
    assert not set(one.train.groups) & set(one.test.groups)
    assert np.array_equal(one.is_train, again.is_train)
    assert not np.array_equal(one.is_train, other.is_train)


def test_archives_that_moved_with_their_list(folder, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("copy")
    (folder / "feats.ark").rename(elsewhere / "feats.ark")
    (folder / "feats.scp").rename(elsewhere / "feats.scp")
    assert len(read_kaldi(elsewhere / "feats.scp", folder / "ali.ark")) == len(naive(0)[1])
    (elsewhere / "feats.ark").unlink()
    with pytest.raises(DataError, match="beside the list"):
        read_kaldi(elsewhere / "feats.scp", folder / "ali.ark")


def test_utterances_on_one_side_are_counted(folder):
    features, classes = speech()
    names = list(features)
    kaldiio.save_ark(
        str(folder / "few.ark"), {name: classes[name] for name in names[2:]} | {"other": classes[names[0]]}
    )
    with pytest.warns(UserWarning, match="2 utterances .* 1 without"):
        data = read_kaldi(folder / "feats.ark", folder / "few.ark")
    assert len(data) == sum(len(features[name]) for name in names[2:])
    kaldiio.save_ark(str(folder / "none.ark"), {"other": classes[names[0]]})
    with pytest.raises(DataError, match="same data"):
        read_kaldi(folder / "feats.ark", folder / "none.ark")


def test_lengths_must_agree(folder):
    _, classes = speech()
    name = "spk2_utt05"
    classes[name] = classes[name][:-1]
    kaldiio.save_ark(str(folder / "short.ark"), classes)
    with pytest.raises(DataError, match=f"{name} has .* frames of features but .* in the alignment"):
        read_kaldi(folder / "feats.ark", folder / "short.ark")


def test_a_list_runs_no_command(folder):
    (folder / "evil.scp").write_text(f"spk0_utt00 touch {folder / 'ran'} |\n")
    with pytest.raises(DataError, match="commands"):
        read_kaldi(folder / "evil.scp", folder / "ali.ark")
    assert not (folder / "ran").exists()


def test_an_archive_unpickles_nothing(folder):
    class Evil:
        def __reduce__(self):
            return open, (str(folder / "ran"), "w")

    (folder / "evil.ark").write_bytes(b"spk0_utt00 PKL" + pickle.dumps(Evil()))
    for as_features, as_alignments in (("evil.ark", "ali.ark"), ("feats.ark", "evil.ark")):
        with pytest.raises(DataError, match="cannot be read"):
            read_kaldi(folder / as_features, folder / as_alignments)
    assert not (folder / "ran").exists()


@pytest.mark.parametrize("keep", [1, 14, 25, 40, 300])
def test_cut_archives_are_named(folder, keep):
    whole = (folder / "feats.ark").read_bytes()
    (folder / "cut.ark").write_bytes(whole[:keep])
    with pytest.raises(DataError):
        read_kaldi(folder / "cut.ark", folder / "ali.ark")


def test_features_are_no_alignment(folder):
    with pytest.raises(DataError, match="one whole number"):
        read_kaldi(folder / "feats.ark", folder / "feats.ark")
    (folder / "negative.txt").write_text("spk0_utt00 -1\n")
    with pytest.raises(DataError, match="one whole number"):
        read_kaldi(folder / "feats.ark", folder / "negative.txt")
    with pytest.raises(DataError, match="no file"):
        read_kaldi(folder / "absent.ark", folder / "ali.ark")


@pytest.mark.parametrize("changes", [{"context": -1}, {"split": 1.0}, {"unit": "word"}, {"unit": "speaker"}])
def test_bad_arguments(folder, changes):
    with pytest.raises(ValueError, match=next(iter(changes))):
        read_kaldi(folder / "feats.ark", folder / "ali.ark", **changes)


def test_a_missing_speaker_is_named(folder):
    (folder / "utt2spk").write_text("spk0_utt00 spk0\n")
    with pytest.raises(DataError, match="spk1_utt01 and for 18 other"):
        read_kaldi(folder / "feats.ark", folder / "ali.ark", utt2spk=folder / "utt2spk")


def test_one_utterance_cannot_be_split(folder):
    kaldiio.save_ark(str(folder / "one.ark"), {"a": np.zeros((3, 2), dtype=np.float32)})
    kaldiio.save_ark(str(folder / "one-ali.ark"), {"a": np.zeros(3, dtype=np.int32)})
    with pytest.raises(DataError, match="at least 2 units"):
        read_kaldi(folder / "one.ark", folder / "one-ali.ark")
    assert len(read_kaldi(folder / "one.ark", folder / "one-ali.ark", unit="frame")) == 3


def test_without_kaldiio_the_error_names_the_extra(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "kaldiio.matio", None)
    with pytest.raises(ImportError, match=r"'wideangle\[kaldi\]'"):
        read_kaldi(folder / "feats.ark", folder / "ali.ark")


def test_windows_of_one_frame():
    assert context_windows(np.array([[1.0, 2.0]]), 2).tolist() == [[1, 2] * 5]

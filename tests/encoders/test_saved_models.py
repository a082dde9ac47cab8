"""Models of model2vec and sentence-transformers that are made here, saved, and read as users' own are."""

import numpy as np
import pytest

from wideangle.encoders import encoder_of
from wideangle.exceptions import EncoderError

WORDS = {"[UNK]": 0, "cat": 1, "dog": 2, "car": 3}
VECTORS = np.array([[0, 0, 0], [1, 0, 0], [0.8, 0.6, 0], [0, 0, 1]], dtype=np.float32)


def tokenizer_of_words():
    tokenizers = pytest.importorskip("tokenizers")
    made = tokenizers.Tokenizer(tokenizers.models.WordLevel(WORDS, unk_token="[UNK]"))
    made.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    return made


def save_model2vec(folder):
    package = pytest.importorskip("model2vec")
    package.StaticModel(VECTORS, tokenizer_of_words(), config={}).save_pretrained(folder)


def save_sentence_transformer(folder):
    package = pytest.importorskip("sentence_transformers")
    from sentence_transformers.models import StaticEmbedding

    static = StaticEmbedding(tokenizer_of_words(), embedding_weights=VECTORS)
    package.SentenceTransformer(modules=[static], device="cpu").save(str(folder), create_model_card=False)


KINDS = {"model2vec": save_model2vec, "sentence-transformers": save_sentence_transformer}


@pytest.mark.parametrize("kind", KINDS)
def test_a_model_of_a_folder(kind, tmp_path):
    folder = tmp_path / "own"
    KINDS[kind](folder)
    encoder = encoder_of(f"{kind}:{folder}")
    expected = [VECTORS[1], VECTORS[[2, 3]].mean(axis=0), [0, 0, 0]]
    np.testing.assert_allclose(encoder.encode(["cat", "dog car", ""]), expected, atol=1e-6)
    assert encoder.name.startswith(f"{kind}:own@")
    assert str(tmp_path) not in encoder.name
    moved = tmp_path / "elsewhere"
    moved.mkdir()
    folder.rename(moved / "own")
    assert encoder_of(f"{kind}:{moved / 'own'}").name == encoder.name
    with pytest.raises(EncoderError, match="there is no folder"):
        encoder_of(f"{kind}:{folder}")


def test_long_texts_are_read_to_the_end(tmp_path):
    save_model2vec(tmp_path / "own")
    encoder = encoder_of(f"model2vec:{tmp_path / 'own'}")
    text = " ".join(["cat"] * 2000 + ["car"] * 2000)
    np.testing.assert_allclose(encoder.encode([text])[0], [0.5, 0, 0.5], atol=1e-5)


def test_other_weights_are_another_version(tmp_path, monkeypatch):
    save_model2vec(tmp_path / "own")
    before = encoder_of(f"model2vec:{tmp_path / 'own'}").name
    monkeypatch.setattr(f"{__name__}.VECTORS", VECTORS * 2)
    save_model2vec(tmp_path / "own")
    assert encoder_of(f"model2vec:{tmp_path / 'own'}").name != before


def test_a_model_of_the_hub_that_was_downloaded_before(tmp_path, monkeypatch):
    pytest.importorskip("huggingface_hub")
    commit = "0123456789abcdef0123456789abcdef01234567"
    home = tmp_path / "models--someone--small"
    save_model2vec(home / "snapshots" / commit)
    (home / "refs").mkdir()
    (home / "refs" / "main").write_text(commit)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    encoder = encoder_of("model2vec:someone/small")
    assert encoder.name == "model2vec:someone/small@0123456789ab"
    assert encoder_of(encoder.name).dimension == 3

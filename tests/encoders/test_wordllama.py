"""Real vectors: those of the package wordllama, where it is installed."""

import logging
import multiprocessing
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from wideangle.encoders import encoder_of
from wideangle.encoders import wordllama as module
from wideangle.exceptions import EncoderError

TEXTS = ["The cat sat on the mat.", "a kitten", "le chat dort", "数据库", "🙂 émile", "x", "  spaces   inside  "]

needs_package = pytest.mark.skipif(module.find_spec("wordllama") is None, reason="wordllama is not installed")


@pytest.fixture(scope="module")
def encoder():
    return encoder_of("wordllama")


@needs_package
def test_vectors_are_those_of_the_package_itself(encoder):
    handlers = list(logging.root.handlers), logging.root.level
    inference = pytest.importorskip("wordllama.inference")  # which sets up the logging of the whole program
    logging.root.handlers, logging.root.level = handlers
    from safetensors.numpy import load_file
    from tokenizers import Tokenizer

    folder = Path(inference.__file__).parent
    theirs = inference.WordLlamaInference(
        load_file(folder / "weights/l2_supercat_256.safetensors")["embedding.weight"],
        Tokenizer.from_file(str(folder / "tokenizers/l2_supercat_tokenizer_config.json")),
    )
    np.testing.assert_allclose(encoder.encode(TEXTS), theirs.embed(TEXTS), atol=1e-5)


@needs_package
def test_what_means_the_same_is_near(encoder):
    cat, kitten, engine = encoder.encode(["the cat sleeps", "a sleeping kitten", "the engine of the car is broken"])
    assert _cosine(cat, kitten) > _cosine(cat, engine) + 0.2


@needs_package
def test_fewer_numbers_are_the_first_ones(encoder):
    short = encoder_of("wordllama:64")
    assert short.dimension == 64
    assert short.name != encoder.name
    np.testing.assert_allclose(short.encode(TEXTS), encoder.encode(TEXTS)[:, :64], atol=1e-6)
    assert encoder_of("wordllama:l2_supercat/64").name == short.name
    assert encoder_of(short.name).name == short.name


@needs_package
def test_dimensions_that_are_not_here_are_told():
    with pytest.raises(EncoderError, match=r"WordLlama.load\('l2_supercat', dim=1024\)"):
        encoder_of("wordllama:1024")
    for wrong in ("100", "l2_supercat/3", "../x", "0"):
        with pytest.raises(EncoderError, match="a dimension"):
            encoder_of(f"wordllama:{wrong}")
    with pytest.raises(EncoderError, match="l9_none_256.safetensors"):
        encoder_of("wordllama:l9_none")


@needs_package
def test_its_code_is_not_run():
    code = "import sys, logging; from wideangle.encoders import encoder_of; encoder_of('wordllama').encode(['a'])"
    code += "; assert 'wordllama' not in sys.modules and not logging.root.handlers"
    subprocess.run([sys.executable, "-c", code], check=True, env=os.environ | {"HF_HUB_OFFLINE": "1"})


@needs_package
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks here")
def test_a_forked_process_encodes(encoder):
    here = encoder.encode(TEXTS * 20)
    with multiprocessing.get_context("fork").Pool(1) as pool:
        there = pool.apply_async(encoder.encode, (TEXTS * 20,)).get(timeout=60)
    np.testing.assert_allclose(here, there, atol=1e-6)


def test_without_the_package_the_error_names_the_extra(monkeypatch):
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    monkeypatch.setattr(module, "optional_import", lambda *a, **k: type("Package", (), {"Tokenizer": _NoTokenizer}))
    with pytest.raises(ImportError, match=r"'wideangle\[encoders\]'"):
        encoder_of("wordllama")


@needs_package
def test_a_damaged_file_is_told(monkeypatch, tmp_path):
    for name in ("weights/l2_supercat_256.safetensors", "tokenizers/l2_supercat_tokenizer_config.json"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"no model")
    monkeypatch.setattr(module, "find_spec", lambda name: type("Spec", (), {"submodule_search_locations": [tmp_path]}))
    with pytest.raises(EncoderError, match="Install the package anew"):
        encoder_of("wordllama")


@needs_package
def test_an_encoder_goes_to_another_process(encoder):
    there = pickle.loads(pickle.dumps(encoder))
    assert there.name == encoder.name
    np.testing.assert_allclose(there.encode(TEXTS), encoder.encode(TEXTS), atol=1e-6)


class _NoTokenizer:
    from_file = None


def _cosine(one, other):
    return one @ other / np.linalg.norm(one) / np.linalg.norm(other)

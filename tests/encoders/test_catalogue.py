"""Encoders by name: ours, those of other packages, and what is said where there is none."""

import socket
from importlib.metadata import EntryPoint

import numpy as np
import pytest
from own_encoder import Threes

from wideangle.encoders import catalogue, encoder_of, names, same_encoder
from wideangle.exceptions import EncoderError

FACTORY = "own_encoder:Threes"


def make_threes(argument):
    """What another package would bring."""
    made = Threes()
    made.name = f"threes:{argument}"
    return made


@pytest.fixture
def others(monkeypatch):
    """Entry points of other packages."""

    def bring(**points):
        found = [
            EntryPoint(name, value, catalogue.GROUP)
            for name, values in points.items()
            for value in ([values] if isinstance(values, str) else values)
        ]
        monkeypatch.setattr(catalogue, "entry_points", lambda group: found if group == catalogue.GROUP else [])

    return bring


def test_a_name_that_is_nearly_right():
    with pytest.raises(EncoderError, match="Did you mean 'wordllama'"):
        encoder_of("wordlama:256")


def test_what_is_no_encoder():
    class HasOnlyEncode:
        def encode(self, texts):
            return texts

    with pytest.raises(TypeError, match="'wordllama'.*got 5"):
        encoder_of(5)
    with pytest.raises(TypeError, match="`encode` and a name"):
        encoder_of(HasOnlyEncode())
    with pytest.raises(ValueError, match="name is for functions alone"):
        encoder_of("wordllama", name="mine")


def test_other_packages_bring_encoders_by_an_entry_point(others, monkeypatch):
    monkeypatch.setattr("own_encoder.make_threes", make_threes, raising=False)
    others(threes="own_encoder:make_threes")
    assert names()[-1] == "threes"
    made = encoder_of("threes:of my own")
    assert made.name == "threes:of my own"
    np.testing.assert_allclose(made.encode(["word"]), Threes().encode(["word"]), rtol=1e-6)


def test_no_package_takes_the_place_of_another(others):
    others(threes=["one:make", "two:make"])
    with pytest.raises(EncoderError, match="'threes': one:make and two:make"):
        encoder_of("threes")
    others(wordllama=FACTORY)
    with pytest.raises((EncoderError, ImportError), match="wordllama"):  # Ours has no such dimension.
        encoder_of("wordllama:3")


def test_an_entry_point_that_gives_no_encoder(others):
    others(broken="builtins:str")
    with pytest.raises(EncoderError, match="'broken' .* 'a' .*authors"):
        encoder_of("broken:a")


def test_vectors_of_two_encoders_are_not_mixed():
    same_encoder("threes/32", Threes())
    with pytest.raises(EncoderError, match="'wordllama', .*'threes/32'"):
        same_encoder("wordllama", Threes())


def test_a_name_with_a_version_asks_for_this_version(others, monkeypatch):
    def make(argument):
        made = Threes()
        made.name = f"threes:{argument}@0123456789ab"
        return made

    monkeypatch.setattr("own_encoder.make_threes", make, raising=False)
    others(threes="own_encoder:make_threes")
    assert encoder_of(encoder_of("threes:a").name).name == "threes:a@0123456789ab"
    with pytest.raises(EncoderError, match="'threes:a@0123456789ab'"):
        encoder_of("threes:a@ffffffffffff")


def test_models_that_are_not_here_are_never_asked_of_a_network(monkeypatch, tmp_path):
    pytest.importorskip("huggingface_hub")
    pytest.importorskip("model2vec")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))

    def refuse(*args, **kwargs):
        raise AssertionError("a network was asked")

    for part in ("connect", "connect_ex"):
        monkeypatch.setattr(socket.socket, part, refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    for model in ("nobody/has-this-model", "not a name of a model", "two//slashes"):
        with pytest.raises(EncoderError, match="hf download|no folder"):
            encoder_of(f"model2vec:{model}")


def test_a_folder_of_another_kind(tmp_path):
    pytest.importorskip("model2vec")
    with pytest.raises(EncoderError, match="holds no model"):
        encoder_of(f"model2vec:{tmp_path}")
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(EncoderError, match="model2vec .* anew"):
        encoder_of(f"model2vec:{tmp_path}")


def test_a_sentence_transformer_needs_a_model():
    with pytest.raises(EncoderError, match="which model?"):
        encoder_of("sentence-transformers")

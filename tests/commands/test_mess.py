"""Mails, pages, shared lines and repeated documents on the command line: told of, and dealt with by options."""

import io
import json
import sys

import pytest
from small_corpus import documents

import wideangle

QUICK = ("-k", 3, "--updates", 20)
MAIL = (
    "From: {0} Example <{0}@example.org>\nOrganization: Nuntius\nSubject: Re: {1}\n\n"
    "Zelda wrote:\n> quotation here\n> again\n\n{2}\n-- \n{0}\n"
)
CLOSING = "This message is confidential and meant for you alone."


def written(path, texts):
    path.write_text("".join(json.dumps({"id": f"d{number}", "text": text}) + "\n" for number, text in enumerate(texts)))
    return path


@pytest.fixture
def mails(tmp_path):
    names = ("ann", "bob", "cem", "dora")
    texts = [MAIL.format(names[k % 4], label, text) for k, (text, label) in enumerate(documents())]
    return written(tmp_path / "mails.jsonl", texts)


@pytest.fixture
def letters(tmp_path):
    return written(tmp_path / "letters.jsonl", [f"{text}\n{CLOSING}" for text, _ in documents()])


@pytest.fixture
def copies(tmp_path):
    """Sixty documents; the first four times more, the second once more with its words in another order."""
    texts = [text for text, _ in documents()]
    return written(tmp_path / "copies.jsonl", [*texts, *[texts[0]] * 4, " ".join(texts[1].split()[::-1])])


def words_of(path):
    return set(wideangle.load(path).vocabulary_)


def test_mails_are_seen_and_left_out_on_demand(mails, run, answer, tmp_path):
    _, _, err = run("fit", mails, *QUICK, "-o", tmp_path / "m")
    assert "60 quoted replies: --strip-mail" in err
    assert {"nuntius", "zelda", "quotation", "ann", "organization"} <= words_of(tmp_path / "m")
    _, _, err = run("fit", mails, *QUICK, "--strip-mail", "-o", tmp_path / "m")
    assert "looked at" not in err
    assert not {"nuntius", "zelda", "quotation", "ann", "organization"} & words_of(tmp_path / "m")
    assert {"farm", "bank", "sea", "wheat"} <= words_of(tmp_path / "m")  # of the subjects and of the texts
    columns = answer("info", tmp_path / "m")["columns"]
    assert columns["strip_mail"]
    assert "only what authors wrote is read" in run("info", tmp_path / "m")[1]


@pytest.mark.slow
def test_quotations_are_kept_on_demand(mails, run, answer, tmp_path):
    options = ("--strip-mail", "--keep-quotations")
    assert run("fit", mails, *QUICK, *options, "-q", "-o", tmp_path / "m")[0] == 0
    assert "quotation" in words_of(tmp_path / "m")
    assert not {"nuntius", "zelda", "ann"} & words_of(tmp_path / "m")
    assert answer("info", tmp_path / "m")["columns"]["keep_quotations"]
    assert "what authors wrote and quoted is read" in run("info", tmp_path / "m")[1]
    hits = answer("search", tmp_path / "m", "quotation", "--by", "words", "--in", mails)["hits"]
    assert len(hits) == 10
    code, _, err = run("fit", mails, *QUICK, "--keep-quotations", "-o", tmp_path / "m")
    assert code == 2
    assert "--keep-quotations says what --strip-mail leaves." in err


def test_new_mails_are_read_as_the_old(mails, run, answer, tmp_path):
    run("fit", mails, *QUICK, "--strip-mail", "-o", tmp_path / "m")
    own = answer("search", tmp_path / "m", "wheat", "-n", 3)["hits"]
    new = answer("search", tmp_path / "m", "wheat", "-n", 3, "--in", mails)["hits"]
    assert [hit["name"] for hit in own] == [hit["name"] for hit in new]
    assert [hit["score"] for hit in own] == pytest.approx([hit["score"] for hit in new])
    assert all("Nuntius" not in hit["snippet"] for hit in [*own, *new])


@pytest.mark.slow
def test_pages_are_seen(run, tmp_path):
    path = written(tmp_path / "pages.jsonl", [f"<p>{text}</p>" for text, _ in documents()])
    said = "HTML tags: --strip-html"
    assert said in run("fit", path, *QUICK, "-o", tmp_path / "m")[2]
    assert said not in run("fit", path, *QUICK, "--strip-html", "-o", tmp_path / "m")[2]


@pytest.mark.slow
def test_shared_lines_are_seen_and_left_out_on_demand(letters, run, answer, tmp_path):
    said = (
        "1 line stands in 60 or more of 60 documents, such as 'this message is confidential and meant for you alone.'"
    )
    _, _, err = run("fit", letters, *QUICK, "-o", tmp_path / "m")
    assert f"{said}: --strip-repeated leaves it out." in err
    assert "confidential" in words_of(tmp_path / "m")
    _, _, err = run("fit", letters, *QUICK, "--strip-repeated", "-o", tmp_path / "m")
    assert f"{said}. It is left out." in err
    assert "confidential" not in words_of(tmp_path / "m")
    assert answer("info", tmp_path / "m")["columns"]["repeated_lines"] == 1
    assert "1 that documents share are left out" in run("info", tmp_path / "m")[1]
    hits = answer("search", tmp_path / "m", "wheat", "--in", letters)["hits"]
    assert all("confidential" not in hit["snippet"] for hit in hits)


def test_where_no_line_is_shared_that_is_said(copies, run, tmp_path):
    _, _, err = run("fit", copies, *QUICK, "--strip-repeated", "-o", tmp_path / "m")
    assert "--strip-repeated found no line that many documents share." in err


def test_shared_lines_on_standard_input(letters, run, monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(letters.read_bytes())))
    assert run("fit", "-", *QUICK, "--strip-repeated", "-q", "-o", tmp_path / "m")[0] == 0
    assert wideangle.load(tmp_path / "m").reading_.repeated


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("model", [(), ("--model", "lsi"), ("--model", "bernoulli-rbm")])
def test_repeated_documents_are_told_and_kept_on_demand(model, copies, run, answer, tmp_path):
    quick = (*QUICK, *model) if "lsi" not in model else ("-k", 3, *model)
    _, _, err = run("fit", copies, *quick, "-o", tmp_path / "m")
    assert (
        "5 of 65 documents repeat another one. They do not shape topics, and search shows them once; --keep-duplicates "
        "undoes that."
    ) in err
    told = answer("fit", copies, *quick, "-o", tmp_path / "m")
    assert (told["repeats"], told["documents"]) == (5, 65)
    same_as = wideangle.load(tmp_path / "m").documents_.same_as
    assert same_as[60:].tolist() == [0, 0, 0, 0, 1]
    _, _, err = run("fit", copies, *quick, "--keep-duplicates", "-o", tmp_path / "m")
    assert "repeat another one" not in err
    assert wideangle.load(tmp_path / "m").documents_.same_as is None


def test_search_shows_repeated_documents_once(copies, run, answer, tmp_path):
    run("fit", copies, *QUICK, "-q", "-o", tmp_path / "m")
    first = json.loads(copies.read_text().splitlines()[0])["text"].split()[:4]
    for more in ((), ("--in", copies)):
        hits = answer("search", tmp_path / "m", *first, "-n", 20, *more)["hits"]
        (found,) = (hit for hit in hits if hit["name"] == "d0")
        assert found["others"] == 4
        assert not {"d60", "d61", "d62", "d63"} & {hit["name"] for hit in hits}
        assert len(hits) == 20
        every = answer("search", tmp_path / "m", *first, "-n", 30, "--keep-duplicates", *more)["hits"]
        assert {"d0", "d60", "d61", "d62", "d63"} <= {hit["name"] for hit in every}
        assert all(hit["others"] == 0 for hit in every)
    shown = run("search", tmp_path / "m", *first)[1]
    assert "(+4 like it)" in shown


def test_topics_count_repeated_documents(copies, answer, run, tmp_path):
    run("fit", copies, *QUICK, "-q", "-o", tmp_path / "m")
    listed = answer("topics", tmp_path / "m")
    assert sum(topic["size"] for topic in listed["topics"]) == 65
    examples = [example["name"] for topic in listed["topics"] for example in topic["examples"]]
    assert not {f"d{number}" for number in range(60, 65)} & set(examples)


def test_tune_proposes_the_same_reading(mails, answer):
    found = answer(
        "tune", mails, "-k", 2, "--diversity", 0, "--folds", 2, "--updates", 5, "--strip-mail", "--strip-repeated"
    )
    assert found["next"].endswith("--strip-mail --strip-repeated")


@pytest.mark.parametrize(
    "text", [None, "", "> only\n> quoted", "From: a@example.org\nTo: b@example.org", "x\r\n\r\n> y\r\n> z\r\n"]
)
def test_odd_mails_do_no_harm(text, mails, run, tmp_path):
    rows = mails.read_text()
    mails.write_text(rows + json.dumps({"id": "odd", "text": text}) + "\n")
    code, _, err = run("fit", mails, *QUICK, "--strip-mail", "--strip-repeated", "--strip-html", "-o", tmp_path / "m")
    assert code == 0, err
    assert len(wideangle.load(tmp_path / "m").documents_) == 61

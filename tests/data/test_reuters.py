"""Reuters-21578 in its own markup, written here story by story."""

import gzip
import json
import os
from html import escape
from pathlib import Path

import numpy as np
import pytest

from wideangle.data.reuters import ReutersStory, modapte, read_reuters_sgml, top_classes

HEAD = '<!DOCTYPE lewis SYSTEM "lewis.dtd">\n'
NORMAL = (
    "<TEXT>&#2;\n<TITLE>{title}</TITLE>\n<DATELINE>    ROCHESTER, N.Y., Feb 26 - </DATELINE>"
    "<BODY>{body}&#3;</BODY></TEXT>"
)
BRIEF = '<TEXT TYPE="BRIEF">&#2;\n******<TITLE>{title}\n</TITLE>Blah blah blah.\n&#3;\n\n</TEXT>'
UNPROC = '<TEXT TYPE="UNPROC">&#2;\n\n\n{body}\n&#3;</TEXT>'


def sgml(number, text, *, topics=("earn",), split="TRAIN", attribute="YES"):
    """A story as the distribution has it, elements that are not read included."""
    marked = "".join(f"<D>{topic}</D>" for topic in topics)
    return (
        f'<REUTERS TOPICS="{attribute}" LEWISSPLIT="{split}" CGISPLIT="TRAINING-SET" OLDID="{number + 5543}" '
        f'NEWID="{number}">\n<DATE>26-FEB-1987 15:17:11.20</DATE>\n<TOPICS>{marked}</TOPICS>\n'
        "<PLACES><D>usa</D></PLACES>\n<PEOPLE></PEOPLE>\n<ORGS></ORGS>\n<EXCHANGES></EXCHANGES>\n"
        "<COMPANIES></COMPANIES>\n<UNKNOWN> \n&#5;&#5;&#5;F\n&#22;&#22;&#1;f0762&#31;reute\n"
        f"r f BC-CHAMPION-PRODUCTS-&lt;CH   02-26 0067</UNKNOWN>\n{text}\n</REUTERS>\n"
    )


def normal(title="TITLE", body="Body.\n Reuter\n"):
    return NORMAL.format(title=title, body=body)


def stories_of(folder, *stories, name="reut2-000.sgm"):
    (folder / name).write_text(HEAD + "".join(stories), encoding="latin-1")
    return list(read_reuters_sgml(folder))


def test_a_story(tmp_path):
    body = "Champion &lt;CH> said its\nboard at 5 &amp; 6 pct of AT&T; or R&D.\n    Caf\xe9.\n Reuter\n"
    [story] = stories_of(tmp_path, sgml(9, normal("CHAMPION &lt;CH> APPROVES", body)))
    assert story == ReutersStory(
        id=9,
        topics=("earn",),
        lewis_split="TRAIN",
        topics_attribute="YES",
        title="CHAMPION <CH> APPROVES",
        body="Champion <CH> said its\nboard at 5 & 6 pct of AT&T; or R&D.\n    Caf\xe9.\n",
        date="26-FEB-1987 15:17:11.20",
    )


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("&amp;lt;", "&lt;"),  # decoded once
        ("&#38;", "&"),
        ("&#252;", "ü"),
        ("a&#31;b&#127;c&#0;d", "abcd"),
        ("a\x1eb\x9fc", "abc"),
        ("&#9999999;", "&#9999999;"),
        ("&lt no; & &; &nonsense; &#x;", "&lt no; & &; &nonsense; &#x;"),
        ("tab\tstays", "tab\tstays"),
    ],
)
def test_entities_and_control_characters(tmp_path, raw, clean):
    [story] = stories_of(tmp_path, sgml(1, normal(raw, raw)))
    assert (story.title, story.body) == (clean, clean)


@pytest.mark.parametrize(
    ("end", "left"),
    [
        ("said.\n Reuter\n", "said.\n"),
        ("said.\n REUTER\n", "said.\n"),
        ("said.   \n       \n Reuter\n", "said.   \n"),
        ("said.\n", "said.\n"),
        ("told Reuter\n", "told Reuter\n"),
        ("said.\n REUTER\n Reuter\n", "said.\n REUTER\n"),
        ("said.\n REUTER...\n", "said.\n REUTER...\n"),
        ("\n Reuter\nsaid more.\n", " Reuter\nsaid more.\n"),
    ],
)
def test_only_the_closing_signature_goes(tmp_path, end, left):
    [story] = stories_of(tmp_path, sgml(1, normal(body=end)))
    assert story.body == left


def test_topics(tmp_path):
    several, none = stories_of(
        tmp_path, sgml(5, normal(), topics=("grain", "wheat", "corn")), sgml(8, normal(), topics=())
    )
    assert several.topics == ("grain", "wheat", "corn")
    assert none.topics == ()


def test_briefs_have_no_body(tmp_path):
    [story] = stories_of(tmp_path, sgml(30, BRIEF.format(title="ASSETS OF FUNDS ROSE 720.4 MLN DLRS")))
    assert (story.title, story.body) == ("ASSETS OF FUNDS ROSE 720.4 MLN DLRS", "")


def test_unprocessed_texts_are_all_body(tmp_path):
    [story] = stories_of(tmp_path, sgml(94, UNPROC.format(body="  TABLE &lt;X>\n 1 2\n Reuter")))
    assert (story.title, story.body) == ("", "  TABLE <X>\n 1 2\n")


def test_missing_title(tmp_path):
    text = normal().replace("<TITLE>TITLE</TITLE>\n", "")
    [story] = stories_of(tmp_path, sgml(1, text))
    assert (story.title, story.body) == ("", "Body.\n")


def test_files_in_order_and_line_ends_of_windows(tmp_path):
    other = (HEAD + sgml(2, normal()) + sgml(3, normal())).replace("\n", "\r\n")
    (tmp_path / "reut2-001.SGM").write_bytes(other.encode("latin-1"))
    (tmp_path / "README.txt").write_text("no story")
    stories = stories_of(tmp_path, sgml(1, normal()))
    assert [story.id for story in stories] == [1, 2, 3]
    assert {story.body for story in stories} == {"Body.\n"}
    files = [tmp_path / "reut2-001.SGM", str(tmp_path / "reut2-000.sgm")]
    assert [story.id for story in read_reuters_sgml(files)] == [2, 3, 1]
    assert [story.id for story in read_reuters_sgml(files[1])] == [1]


def test_only_one_file_is_read_at_a_time(tmp_path):
    stories_of(tmp_path, sgml(1, normal()))
    (tmp_path / "reut2-001.sgm").write_text("damaged")
    stories = read_reuters_sgml(tmp_path)
    assert next(stories).id == 1
    with pytest.raises(ValueError, match=r"reut2-001\.sgm .*<REUTERS>"):
        next(stories)


GOOD = sgml(2, normal())
BROKEN = {
    "cut in the middle": (GOOD[: len(GOOD) // 2], "no </REUTERS>"),
    "no end": (GOOD.replace("</REUTERS>", "") + GOOD, "no </REUTERS>"),
    "no text": (GOOD.replace("TEXT>", "TXT>"), "no <TEXT>"),
    "no topics": (GOOD.replace("TOPICS>", "TPCS>"), "no <TOPICS>"),
    "no number": (GOOD.replace("NEWID", "NOID"), "NEWID is None"),
    "odd number": (GOOD.replace('NEWID="2"', 'NEWID="two"'), "NEWID is 'two'"),
    "odd split": (GOOD.replace('="TRAIN"', '="DEV"'), "LEWISSPLIT is 'DEV', not one of TRAIN, TEST, NOT-USED"),
    "odd attribute": (GOOD.replace('="YES"', '="MAYBE"'), "TOPICS is 'MAYBE', not one of YES, NO, BYPASS"),
}


@pytest.mark.parametrize("broken", BROKEN)
def test_broken_stories_are_errors_with_file_and_line(tmp_path, broken):
    content, message = BROKEN[broken]
    line = (HEAD + sgml(1, normal())).count("\n") + 1
    with pytest.raises(ValueError, match=rf"reut2-000\.sgm, line {line}: .*{message}.*Fetch the file again"):
        stories_of(tmp_path, sgml(1, normal()), content)


def test_nothing_there(tmp_path):
    with pytest.raises(FileNotFoundError, match="reuters21578.tar.gz"):
        read_reuters_sgml(tmp_path)
    with pytest.raises(FileNotFoundError, match="missing is not a file"):
        read_reuters_sgml(tmp_path / "missing")
    with pytest.raises(FileNotFoundError, match=r"missing\.sgm is not a file"):
        read_reuters_sgml([tmp_path / "missing.sgm"])


def test_modapte(tmp_path):
    kinds = [(split, attribute) for split in ("TRAIN", "TEST", "NOT-USED") for attribute in ("YES", "NO", "BYPASS")]
    stories = stories_of(
        tmp_path,
        *(sgml(i, normal(), split=split, attribute=attribute) for i, (split, attribute) in enumerate(kinds)),
    )
    assert [(kinds[story.id], split) for story, split in modapte(stories)] == [
        (("TRAIN", "YES"), "train"),
        (("TEST", "YES"), "test"),
    ]


def test_top_classes(tmp_path):
    stories = stories_of(
        tmp_path,
        sgml(1, normal(), topics=("sugar",)),
        sgml(2, normal("T", "Two.\n Reuter\n"), topics=("earn",)),
        sgml(3, normal(), topics=("earn", "acq")),
        sgml(4, BRIEF.format(title="X"), topics=("ship",)),
        sgml(5, normal(), topics=("earn",), split="TEST"),
        sgml(6, normal(), topics=("acq",)),
        sgml(7, normal(), topics=()),
        sgml(8, UNPROC.format(body="X"), topics=("ship",)),
        sgml(9, normal(), topics=("acq",), split="TEST"),
        sgml(10, normal(), topics=("earn",)),
        sgml(11, normal(body="\n Reuter\n"), topics=("earn",)),
    )
    documents = top_classes(modapte(stories), minimum=2)
    assert documents.label_names == ["earn", "acq"]
    assert documents.ids.tolist() == [2, 5, 6, 9, 10]
    assert documents.labels.tolist() == [0, 0, 1, 1, 0]
    assert documents.is_train.tolist() == [True, False, True, False, True]
    assert documents.texts[0] == "T\nTwo.\n"
    assert top_classes(modapte(stories), minimum=1).label_names == ["earn", "acq", "sugar"]


def test_classes_of_one_size_are_ordered_by_name(tmp_path):
    stories = stories_of(tmp_path, *(sgml(i, normal(), topics=(name,)) for i, name in enumerate("cab")))
    assert top_classes(modapte(stories), minimum=1).label_names == ["a", "b", "c"]


def test_no_class_is_large_enough(tmp_path):
    stories = stories_of(tmp_path, sgml(1, normal()))
    with pytest.raises(ValueError, match="100 .*the largest has 1"):
        top_classes(modapte(stories))
    with pytest.raises(ValueError, match="the largest has 0"):
        top_classes([])
    with pytest.raises(ValueError, match="at least 1; got 0"):
        top_classes([], minimum=0)


@pytest.mark.slow
def test_the_papers_documents_survive_the_markup(tmp_path):
    """The nine classes as published, rendered as SGML among stories that do not count, and read back."""
    source = Path(os.environ.get("WIDEANGLE_DATA", "")) / "reuters_top9.jsonl.gz"
    if not source.is_file():
        pytest.skip("reuters_top9.jsonl.gz is not there: WIDEANGLE_DATA must name its folder")
    with gzip.open(source, "rt", encoding="utf-8") as lines:
        documents = [json.loads(line) for line in lines]
    for part in range(22):
        rendered = []
        for document in documents[part::22]:
            title, body = document["text"].split("\n", 1)
            # The collection's stories that end in blank lines are those without a signature.
            body = escape(body, quote=False) + ("" if body[:-1].endswith(("\n", "\n    ")) else " Reuter\n")
            text = normal(escape(title, quote=False), body)
            split = document["split"].upper()
            rendered.append(sgml(document["id"], text, topics=[document["label"]], split=split))
            rendered.append(sgml(document["id"] + 30_000, text, topics=[document["label"], "grain"], split=split))
            rendered.append(sgml(document["id"] + 60_000, text, topics=[document["label"]], split="NOT-USED"))
        (tmp_path / f"reut2-{part:03}.sgm").write_text(HEAD + "".join(rendered), encoding="latin-1")
    read = top_classes(modapte(read_reuters_sgml(tmp_path)))
    order = np.argsort(read.ids)
    assert read.ids[order].tolist() == [document["id"] for document in documents]
    assert [read.texts[i] for i in order] == [document["text"] for document in documents]
    assert [read.label_names[read.labels[i]] for i in order] == [document["label"] for document in documents]
    assert read.is_train[order].tolist() == [document["split"] == "train" for document in documents]
    assert read.label_names == ["earn", "acq", "crude", "trade", "money-fx", "interest", "ship", "sugar", "coffee"]
    assert np.bincount(read.labels).tolist() == [3713, 2055, 321, 298, 245, 197, 142, 114, 110]

"""What authors of mails wrote is kept in several languages and forms; all else goes, in time that grows with length."""

import base64
import time

import pytest

from wideangle.reading.mail import mail_signs, text_of_mail

HEAD = "From: Ann Example <ann@example.org>\nTo: bob@example.org\nDate: Mon, 3 May 2021 10:00:00 +0200\nSubject: {}\n\n"
QUESTION = "> Which flour do you take?\n> And how much of it?\n"


def mail(body, subject="Re: bread"):
    return HEAD.format(subject) + body


@pytest.mark.parametrize(
    "above",
    [
        "Bob wrote:\n",
        "On Mon, 3 May 2021 at 09:12, Bob <bob@example.org> wrote:\n\n",
        "On Monday, 3 May 2021 at 09:12, Bob Example\n<bob@example.org> wrote:\n",
        "In article <123@example.org> bob@example.org (Bob) writes:\n",
        "bob@example.org (Bob Example):\n",
        "Am 03.05.2021 um 09:12 schrieb Bob Example <bob@example.org>:\n",
        "Bob Example schrieb am Montag:\n",
        "Le lun. 3 mai 2021 à 09:12, Bob Example <bob@example.org> a écrit\u00a0:\n",
        "El lun, 3 may 2021 a las 9:12, Bob (<bob@example.org>) escribió:\n",
        "Il giorno lun 3 mag 2021 alle ore 09:12 Bob <bob@example.org> ha scritto:\n",
        "Op ma 3 mei 2021 om 09:12 schreef Bob <bob@example.org>:\n",
        "Em seg., 3 de mai. de 2021 às 09:12, Bob <bob@example.org> escreveu:\n",
        "",
    ],
)
def test_quotations_go_and_so_does_who_is_quoted(above):
    found = text_of_mail(mail(f"Hello Bob,\n\n{above}{QUESTION}\nRye flour.\n"))
    assert [line for line in found.split("\n") if line] == ["bread", "Hello Bob,", "Rye flour."]


def test_quotations_are_kept_on_demand_without_their_signs_and_who_wrote_them():
    quoted = "On Monday, Ann <a@example.org> wrote:\n> Cem <cem@example.org> wrote:\n>> Which flour?\n> Rye.\n"
    body = f"{quoted}\nOr wheat.\n-- \nBob"
    assert text_of_mail(mail(body), keep_quotations=True) == "bread\n\nWhich flour?\nRye.\n\nOr wheat."
    earlier = "-----Original Message-----\nFrom: Bob\nSent: Monday\nTo: Ann\nSubject: rye\n\nWhich flour?"
    found = text_of_mail(mail(f"Rye.\n\n{earlier}"), keep_quotations=True)
    assert found.split() == ["bread", "Rye.", "rye", "Which", "flour?"]
    assert text_of_mail("no mail\nat all", keep_quotations=True) == "no mail\nat all"


@pytest.mark.parametrize("sign", [">", "> >", ">>", "BE>", "|", ":", "  >"])
def test_signs_of_quoted_lines(sign):
    quoted = f"{sign} Which flour do you take?\n{sign} And how much of it?\n"
    assert text_of_mail(f"{quoted}Rye flour.") == "Rye flour."


@pytest.mark.parametrize(
    "text",
    [
        "| flour | grams |\n| rye | 500 |\nmix them",  # a table
        "one line: alone\n| a bar\nand a text",
        "He wrote:\nall is well.\n\nAnd nobody answered.",
        "Ingredients: flour, salt\nTime: two hours\n\nMix them.",  # looks like headers, and is none of a mail
        "a text\n\nof two paragraphs, with a > b and c < d",
        "no line break at all, from: ann",
        "",
        "\n\n",
    ],
)
def test_what_is_no_mail_stays_as_it_is(text):
    assert text_of_mail(text) == text
    assert not mail_signs(text)


@pytest.mark.parametrize(
    "earlier",
    [
        "-----Original Message-----\nFrom: Bob\nSent: Monday\nTo: Ann\nSubject: bread\n\nWhich flour?",
        "-----Ursprüngliche Nachricht-----\nVon: Bob\nGesendet: Montag\nAn: Ann\nBetreff: Brot\n\nWelches Mehl?",
        "-----Message d'origine-----\nDe : Bob\nEnvoyé : lundi\nÀ : Ann\nObjet : pain\n\nQuelle farine ?",
        "________________________________\nFrom: Bob\nSent: Monday\nTo: Ann\nSubject: bread\n\nWhich flour?",
        "De: Bob\nEnviado: lunes\nPara: Ann\nAsunto: pan\n\n¿Qué harina?",
    ],
)
def test_the_mail_that_is_answered_goes(earlier):
    assert text_of_mail(mail(f"Rye flour.\n\n{earlier}\n")) == "bread\n\nRye flour."


def test_a_mail_that_was_passed_on_is_content():
    passed = (
        "---------- Forwarded message ---------\nFrom: Bob\nDate: Monday\nTo: Ann\nSubject: rye\n\nThe mill is open."
    )
    assert text_of_mail(mail(f"See below.\n\n{passed}", "Fwd: rye")) == "rye\n\nSee below.\n\nrye\n\nThe mill is open."


@pytest.mark.parametrize(
    "signature",
    [
        "-- \nAnn Example\nMillers of the valley",
        "--\nAnn Example\nMillers of the valley",
        "Ann Example\nann@example.org\n+49 30 1234567",
        "Ann Example | Example Ltd | Tel: 030 1234567",
        "**********************\n* Ann Example        *\n* ann@example.org    *\n**********************",
        "Best regards,\nAnn",
        "Mit freundlichen Grüßen\nAnn Example",
        "Cordialement,\n\nAnn",
        "Thanks in advance!\n\nAnn\n-- \nann@example.org",
        "Sent from my telephone",
        "Saludos,\nAnn\n\nEnviado desde mi teléfono",
    ],
)
def test_signatures_go(signature):
    body = "I take rye flour, and half as much of water as of flour."
    assert text_of_mail(mail(f"{body}\n\n{signature}\n")) == f"bread\n\n{body}"


@pytest.mark.parametrize(
    "ending",
    [
        "Please write to the mill at mill@example.org if you would like to have some of it too.",
        "The number of the mill is 030 1234567, and they are there from nine to five every day.",
    ],
)
def test_sentences_with_addresses_are_no_signature(ending):
    body = f"I take rye flour.\n\n{ending}"
    assert text_of_mail(mail(body)) == f"bread\n\n{body}"


def test_a_mail_that_is_only_an_address_keeps_it():
    assert text_of_mail(mail("ann@example.org\n+49 30 1234567", "")) == "ann@example.org\n+49 30 1234567"


def test_subject_summary_and_keywords_are_kept_decoded_and_without_answer_marks():
    head = "From: a@example.org\nSubject: AW: Re[2]: =?utf-8?q?gr=C3=BCnes?= Korn\nKeywords: rye,\n wheat\nLines: 3\n\n"
    assert text_of_mail(f"{head}Hello.") == "grünes Korn\nrye, wheat\n\nHello."
    broken = "From: a@example.org\nSubject: =?no-such-charset?q?gr=C3?= corn\n\nHello."
    assert text_of_mail(broken).endswith("Hello.")


def test_encoded_files_and_keys_go():
    import binascii

    lump = "".join(binascii.b2a_uu(bytes(range(k, k + 45))).decode() for k in range(0, 180, 45))
    attached = f"begin 644 picture.gif\n{lump}`\nend\n"
    assert text_of_mail(mail(f"Here it is.\n\n{attached}")) == "bread\n\nHere it is."
    encoded = base64.encodebytes(bytes(range(256)) * 4).decode()
    assert (
        text_of_mail(mail(f"Here it is.\n\n{encoded}\nEnjoy the bread."))
        == "bread\n\nHere it is.\n\n\nEnjoy the bread."
    )
    key = f"-----BEGIN PGP SIGNATURE-----\nVersion: 2\n\n{encoded}-----END PGP SIGNATURE-----\n"
    signed = f"-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA1\n\nRye flour.\n\n{key}"
    assert text_of_mail(mail(signed)) == "bread\n\nRye flour."


def test_parts_and_encodings_of_mime_are_read():
    content = base64.b64encode("Grüne Körner".encode()).decode()
    head = "From: a@example.org\nSubject: grain\nMIME-Version: 1.0\n"
    plain = f"{head}Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n\n{content}\n"
    assert text_of_mail(plain) == "grain\n\nGrüne Körner"
    both = (
        f'{head}Content-Type: multipart/alternative; boundary="b"\n\n--b\nContent-Type: text/plain; charset=utf-8\n'
        "Content-Transfer-Encoding: quoted-printable\n\nGr=C3=BCne K=C3=B6rner\n--b\nContent-Type: text/html\n\n"
        "<p>tags</p>\n--b--\n"
    )
    assert text_of_mail(both) == "grain\n\nGrüne Körner"
    page = f"{head}Content-Type: text/html\nContent-Transfer-Encoding: quoted-printable\n\n<p>Rye=20flour</p>\n"
    assert text_of_mail(page) == "grain\n\nRye flour"


def test_parts_within_parts_without_end_are_read_as_text():
    nested = "".join(f'Content-Type: multipart/mixed; boundary="b{k}"\n\n--b{k}\n' for k in range(3000))
    assert "Rye flour." in text_of_mail(f"From: a@example.org\nSubject: grain\n{nested}\nRye flour.")


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_other_line_ends(end):
    text = mail(f"{QUESTION}\nRye flour.\n-- \nAnn").replace("\n", end)
    assert text_of_mail(text) == "bread\n\nRye flour."


def test_what_would_be_left_without_a_word_keeps_what_it_has():
    assert text_of_mail(QUESTION) == QUESTION.strip()  # only a quotation
    assert text_of_mail(mail(QUESTION, "")) == QUESTION.strip()
    only_headers = "From: Ann <ann@example.org>\nTo: bob@example.org\n"
    assert text_of_mail(only_headers) == only_headers
    assert text_of_mail("Subject: 12\n\n34") == "Subject: 12\n\n34"


def test_it_is_done_once_and_for_all():
    once = text_of_mail(mail(f"Bob wrote:\n{QUESTION}\nRye flour.\n\nBest regards,\nAnn"))
    assert text_of_mail(once) == once


@pytest.mark.parametrize(
    "piece",
    ["a", " ", "-", "> ", "a@", "From: ", "a b> ", "wrote: ", "\t", "M" + "A" * 60, "=?a?q?b?= ", "+1 2", "(1)"],
)
@pytest.mark.parametrize(
    "around", ["{}", "From: a\nTo: b\n\n{}", "Subject: {}\n\nbody", "text\n\n{}\n\nAnn\na@example.org"]
)
def test_a_line_of_megabytes_takes_bounded_time(piece, around):
    text = around.format(piece * (1_000_000 // len(piece)))
    start = time.process_time()
    text_of_mail(text)
    text_of_mail(text, keep_quotations=True)
    mail_signs(text)
    assert time.process_time() - start < 8


@pytest.mark.parametrize(
    "line",
    [
        "-- ",
        "> a",
        "From: a",
        "-----BEGIN PGP MESSAGE-----",
        "bob@example.org wrote:",
        "",
        "| a",
        "Best regards,",
        "begin 644 a",
    ],
)
def test_many_lines_take_bounded_time(line):
    text = "Hello there\n" + f"{line}\n" * 30_000
    start = time.process_time()
    text_of_mail(text)
    text_of_mail(text, keep_quotations=True)
    mail_signs(text)
    assert time.process_time() - start < 8


def test_ten_megabytes_without_a_line_break():
    start = time.process_time()
    for text in ("flour " * 1_700_000, "From: a\nTo: b\n\n" + "flour> @" * 1_300_000):
        assert text_of_mail(text).strip().endswith(text[-6:].strip())
        mail_signs(text)
    assert time.process_time() - start < 8


def test_signs():
    assert mail_signs(mail("Hello.")).headers
    assert not mail_signs(mail("Hello.")).quotations
    assert mail_signs(QUESTION + "Rye.").quotations
    assert mail_signs("Rye.\n\n-----Original Message-----\nWhich?").quotations
    assert not mail_signs("> one line alone\nand text")

"""The words by which mails are told, in several languages: names of headers, who wrote, greetings."""

import re

SENDER = frozenset({"from", "von", "de", "da", "van", "från", "fra", "od", "от"})
DATED = frozenset({"date", "sent", "datum", "gesendet", "envoyé", "fecha", "enviado", "inviato", "data"})
DATED |= {"verzonden", "skickat", "sendt", "дата"}
ABOUT = frozenset({"subject", "summary", "keywords", "betreff", "objet", "asunto", "oggetto", "onderwerp", "assunto"})
ABOUT |= {"ämne", "emne", "temat", "тема"}
"""headers whose content an author wrote about the text"""
RECEIVER = frozenset({"to", "cc", "bcc", "an", "à", "para", "a", "aan", "till", "til", "do", "кому"})
RECEIVER |= {"reply-to", "antwort-an", "répondre-à"}
ONLY_IN_MAIL = frozenset({"message-id", "received", "return-path", "newsgroups", "references", "in-reply-to"})
ONLY_IN_MAIL |= {"mime-version", "delivered-to", "x-mailer"}
KNOWN = SENDER | DATED | ABOUT | RECEIVER | ONLY_IN_MAIL

OPENER = re.compile(
    r"(?:in (?:a |an )?(?:\w{1,15} )?(?:article|message|<)|in <|on |am |le |el |il |op |em |den |w dniu |quoting "
    r"|zitat von |citando |citeren )",
    re.IGNORECASE,
)
WROTE = re.compile(
    r"\b(?:writes?|wrote|says?|said|schrieb|schreibt|écrit|escribió|escribe|ha scritto|scrive|schreef|schrijft|escreveu"
    r"|skrev|napisała?|пишет|писала?|написала?)\b",
    re.IGNORECASE,
)
ORIGINAL = re.compile(
    r"\s*-{2,}\s*(?:original message|original appointment|ursprüngliche nachricht|originalnachricht"
    r"|original-nachricht|message d['’]origine|message original|mensaje original|messaggio originale"
    r"|oorspronkelijk bericht|mensagem original|originalmeddelande|oprindelig meddelelse|исходное сообщение)\s*-{2,}",
    re.IGNORECASE,
)
FORWARDED = re.compile(
    r"\s*-{0,20}\s*(?:begin forwarded message|forwarded message|weitergeleitete nachricht|message transféré"
    r"|mensaje reenviado|messaggio inoltrato|doorgestuurd bericht|mensagem encaminhada)\b[\s:-]{0,30}$",
    re.IGNORECASE,
)
CLOSING = re.compile(
    r"(?:many )?thanks(?: (?:a lot|again|in advance|very much))?|thank you(?: in advance| very much)?|cheers|regards"
    r"|(?:best|kind|warm|with best|with kind) (?:regards|wishes)|best|sincerely(?: yours)?|yours (?:sincerely|truly)"
    r"|mit (?:freundlichen|besten|vielen) grüßen|(?:viele|beste|liebe|schöne) grüße|vielen dank|gruß|mfg"
    r"|(?:bien )?cordialement|(?:meilleures )?salutations|merci(?: d'avance)?|(?:un )?(?:cordial )?saludos?"
    r"|cordiali saluti|distinti saluti|saluti|grazie|met vriendelijke groet(?:en)?|groeten|atenciosamente|obrigad[oa]",
    re.IGNORECASE,
)
SENT_FROM = re.compile(
    r"(?:sent from my|get outlook for|von meinem|gesendet (?:von|mit)|envoyé (?:de|depuis)|enviado (?:desde|do)"
    r"|inviato da|verzonden vanaf)\b",
    re.IGNORECASE,
)

"""Encodings of Chinese, Japanese, Korean and Russian texts, and that no other text is taken for one."""

import io

import pytest

from wideangle.reading import read
from wideangle.reading.encodings import guess_encoding

CHINESE = "这家店的服务很好，送货也快。\n质量不错，价格便宜。\n手机屏幕有问题，客服不理人，非常失望。\n酒店位置方便。\n"
TRADITIONAL = (
    "這家店的服務很好，送貨也快。\n品質不錯，價格便宜。\n手機螢幕有問題，客服不理人，非常失望。\n飯店位置方便。\n"
)
JAPANESE = (
    "配送がとても早くて、商品も綺麗でした。\n電池の持ちが悪いので残念です。\nスマートフォンの画面が割れていました。\n"
)
KOREAN = "배송이 빠르고 상품도 좋았습니다.\n전화기 화면이 깨져 있었어요.\n고객센터가 불친절해서 실망했어요.\n"
RUSSIAN = "Доставка опоздала на неделю, товар пришёл сломанным.\nОтличный телефон, рекомендую всем.\n"
GERMAN = "Käse und Brötchen über Öl, GRÖßE und STRAßE, Übergröße\nÄÖÜ äöü ß\n"
FRENCH = "Très déçu par la qualité, le téléphone est arrivé cassé. À éviter « l'été ».\n"
SPANISH = "El envío llegó tarde. ¡Qué decepción! ¿Por qué? Años, niño, ÁÉÍÓÚ.\n"
ITALIAN = "La città è più bella, però il caffè costerà di più; è così, perché no? Qualità.\n"
EASTERN = [
    *[(CHINESE, name, "gb18030") for name in ("gb2312", "gbk", "gb18030")],
    (TRADITIONAL, "big5", "cp950"),
    (TRADITIONAL, "gbk", "gb18030"),
    (JAPANESE, "shift_jis", "cp932"),
    (JAPANESE, "cp932", "cp932"),
    (JAPANESE, "euc_jp", "euc_jp"),
    (KOREAN, "euc_kr", "cp949"),
    (KOREAN, "cp949", "cp949"),
    (RUSSIAN, "cp1251", "cp1251"),
    (RUSSIAN, "koi8_r", "koi8_r"),
]
WESTERN = [
    (text, name) for text in (GERMAN, FRENCH, SPANISH, ITALIAN) for name in ("cp1252", "latin-1", "mac_roman", "cp850")
]


@pytest.mark.parametrize(("text", "encoding", "found"), EASTERN)
def test_whole_texts_and_tables_of_them(text, encoding, found):
    content = text.encode(encoding)
    assert guess_encoding(io.BytesIO(content)) == found
    assert content.decode(found) == text
    rows = [b"%d,some plain words,%s,a" % (number, line) for number, line in enumerate(content.splitlines())]
    assert guess_encoding(io.BytesIO(b"id,note,text,label\n" + b"\n".join(rows))) == found
    # The first letters that are not ASCII may come late, and chunks end anywhere.
    assert guess_encoding(io.BytesIO(b"plain words\n" * 20_000 + content * 600)) == found


@pytest.mark.parametrize(("text", "encoding"), WESTERN)
def test_texts_of_western_europe_stay_as_they_were(text, encoding):
    for part in (text, *text.splitlines(), *text.split()):
        content = part.encode(encoding, errors="ignore")
        assert guess_encoding(io.BytesIO(content)) == ("utf-8" if content.isascii() else "cp1252")


@pytest.mark.parametrize("text", [CHINESE, TRADITIONAL, JAPANESE, KOREAN, RUSSIAN, GERMAN])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_unicode_stays_as_it_was(text, encoding):
    assert guess_encoding(io.BytesIO(text.encode(encoding))) == encoding.removesuffix("-sig")


def test_broken_bytes_do_not_hide_an_encoding():
    content = (CHINESE * 20).encode("gbk")
    assert guess_encoding(io.BytesIO(content[:500] + b"\xff" + content[500:])) == "gb18030"


def test_a_table_of_600_rows(tmp_path):
    lines = CHINESE.splitlines()
    rows = ["编号,内容,类别", *(f"{i},{lines[i % 4]},{'好坏'[i % 2]}" for i in range(600))]
    (tmp_path / "d.csv").write_bytes("\n".join(rows).encode("gbk"))
    found = read(tmp_path / "d.csv")
    assert "encoded in gb18030 (GBK), text from column '内容'" in found.description
    assert "labels from column '类别', ids from column '编号'" in found.description
    assert found.snippets[0] == lines[0]
    assert "服务" in found.vocabulary

"""The usual names of columns, in the languages whose tables are met most. Names are in small letters."""

__all__ = [
    "ID_NAMES",
    "LABEL_NAMES",
    "PERHAPS_LABEL_NAMES",
    "PERHAPS_TITLE_NAMES",
    "TEXT_NAMES",
    "TITLE_NAMES",
    "ranks",
]

# The earlier a name stands, the sooner it is taken.
TEXT_NAMES = (
    *("text", "body", "content", "document", "abstract", "review", "comment", "message", "description"),
    *("article", "post", "tweet", "question", "answer", "transcript"),
    *("beschreibung", "nachricht", "inhalt", "kommentar", "meldung", "freitext", "volltext", "rezension", "beitrag"),
    *("texte", "contenu", "commentaire", "avis", "corps"),
    *("texto", "contenido", "comentario", "descripción", "descripcion", "mensaje", "reseña", "cuerpo"),
    *("conteúdo", "conteudo", "comentário", "descrição", "descricao", "mensagem"),
    *("testo", "contenuto", "commento", "descrizione", "messaggio", "recensione"),
    *("tekst", "inhoud", "bericht", "beschrijving", "omschrijving", "treść", "opis", "komentarz"),
    *("innehåll", "beskrivning", "beskrivelse", "metin", "içerik", "yorum", "açıklama"),
    *("текст", "содержание", "сообщение", "описание", "комментарий", "отзыв"),
    *("内容", "正文", "文本", "评论", "描述", "內容", "評論", "本文", "テキスト", "コメント", "説明"),
    *("내용", "본문", "텍스트", "댓글", "설명"),
)
LABEL_NAMES = (
    *("label", "class", "category", "target", "topic"),
    *("kategorie", "klasse", "thema", "rubrik", "catégorie", "categorie", "classe", "étiquette", "thème", "rubrique"),
    *(
        "categoría",
        "categoria",
        "clase",
        "etiqueta",
        "tema",
        "etichetta",
        "argomento",
        "rótulo",
        "kategori",
        "kategoria",
    ),
    *("категория", "класс", "метка", "рубрика"),
    *(
        "类别",
        "分类",
        "标签",
        "類別",
        "分類",
        "標籤",
        "カテゴリ",
        "カテゴリー",
        "ラベル",
        "クラス",
        "분류",
        "카테고리",
        "라벨",
        "레이블",
    ),
)
# These count only where values repeat.
PERHAPS_LABEL_NAMES = (
    *("labels", "sentiment", "stars", "rating", "genre", "species"),
    *("bewertung", "sterne", "estrellas", "étoiles", "stelle", "оценка", "评分", "星级", "評価", "평점"),
)
ID_NAMES = (
    *("id", "ids", "doc_id", "docid", "document_id", "uid", "uuid", "guid", "identifier", "", "unnamed: 0"),
    *("nr", "nr.", "nummer", "kennung", "identifiant", "numéro", "identificador", "número", "номер"),
    *("编号", "序号", "編號", "番号", "번호"),
)
TITLE_NAMES = (
    *("title", "headline", "heading", "subject", "subject_line"),
    *("titel", "überschrift", "betreff", "titre", "sujet", "objet", "título", "titulo", "asunto", "assunto"),
    *("titolo", "oggetto", "onderwerp", "tytuł", "temat", "başlık", "заголовок", "название"),
    *("标题", "題目", "题目", "標題", "タイトル", "件名", "제목"),
)
# A column called so holds titles where each row has its own, as products do. Names that come again are of people.
PERHAPS_TITLE_NAMES = ("name", "product", "product_name", "produkt", "produit", "producto", "prodotto", "produto")


def ranks(names: tuple[str, ...]) -> dict[str, int]:
    """The place of each name."""
    return {name: place for place, name in reversed(list(enumerate(names)))}

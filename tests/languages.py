"""A few sentences in many languages: on cooking, on trains, on computers, and on the weather."""

SENTENCES = {
    "en": [
        "Peel the onions and fry them slowly in the butter until they are brown.",
        "The train to the coast was late because a tree had fallen on the line.",
        "This program stores its data in a small database that you can copy.",
        "It will rain in the mountains tomorrow, but the valleys will stay dry.",
    ],
    "de": [
        "Die Zwiebeln schälen und in der Butter langsam braten, bis sie bräunlich sind.",
        "Der Zug an die Küste hatte Verspätung, weil ein Baum auf die Gleise gestürzt war.",
        "Das Programm speichert seine Daten in einer kleinen Datenbank, die man kopieren kann.",
        "Morgen regnet es in den Bergen, aber in den Tälern bleibt es überwiegend trocken.",
    ],
    "fr": [
        "Épluchez l'oignon et faites-le dorer dans le beurre jusqu’à ce qu'il soit brun.",
        "Le train de la côte avait du retard parce qu'un arbre était tombé sur les voies.",
        "Le programme enregistre ses données dans une petite base que l’on peut copier.",
        "Demain il pleuvra en montagne, mais les vallées resteront sèches toute la journée.",
    ],
    "es": [
        "Pele las cebollas y fríalas en la mantequilla hasta que estén doradas.",
        "El tren de la costa llegó tarde porque un árbol había caído sobre las vías.",
        "El programa guarda sus datos en una pequeña base que se puede copiar.",
        "Mañana lloverá en las montañas, pero los valles seguirán secos todo el día.",
    ],
    "ru": [
        "Очистите лук и медленно обжарьте его на сливочном масле, пока он не потемнеет.",
        "Поезд к побережью опоздал, потому что на пути упало большое дерево.",
        "Эта программа хранит данные в небольшой базе, которую можно скопировать.",
        "Завтра в горах будет дождь, но в долинах останется сухо весь день.",
    ],
    "ar": [
        "قشر البصل ثم اقله في الزبدة على نار هادئة حتى يصبح لونه بنيا.",
        "تأخر القطار المتجه إلى الساحل بسبب شجرة كبيرة سقطت على السكة.",
        "يحفظ هذا البرنامج كل البيانات في قاعدة صغيرة كما يمكن نسخها إلى جهاز آخر.",
        "غدا تسقط الأمطار على الجبال، لكن الوديان تبقى جافة خلال اليوم.",
    ],
    "hi": [
        "प्याज को छीलकर मक्खन में धीरे धीरे भूनें और जब वह भूरा हो जाए तब उतार लें।",
        "समुद्र तट की ओर जाने वाली गाड़ी देर से आई क्योंकि पटरी पर एक पेड़ गिर गया था।",
        "यह प्रोग्राम अपने आँकड़े एक छोटे डेटाबेस में रखता है जिसे आप कहीं भी ले जा सकते हैं।",
        "कल पहाड़ों पर बारिश होगी लेकिन घाटियों में मौसम सूखा रहेगा।",
    ],
    "el": [
        "Καθαρίστε τα κρεμμύδια και τηγανίστε τα στο βούτυρο μέχρι να ροδίσουν.",
        "Το τρένο για την ακτή άργησε επειδή ένα δέντρο είχε πέσει στις γραμμές.",
        "Το πρόγραμμα αποθηκεύει τα δεδομένα του σε μια μικρή βάση δεδομένων.",
        "Αύριο θα βρέξει στα βουνά, αλλά οι κοιλάδες θα μείνουν στεγνές.",
    ],
    "tr": [
        "Soğanları soyun ve çok yavaş bir ateşte, daha sonra da tereyağı ile kavurun.",
        "Kıyıya giden tren bir ağaç yüzünden daha geç geldi, çünkü hat kapanmıştı.",
        "Bu program her şeyi küçük bir veri tabanında saklar ve siz onu kopyalarsınız.",
        "Yarın dağlara yağmur yağacak ama vadiler için hava hep kuru kalacak.",
    ],
    "zh": [
        "把洋葱剥皮，然后放在黄油里慢慢地炒，直到颜色变成棕色。",
        "开往海边的火车晚点了，因为一棵大树倒在了铁路上。",
        "这个程序把数据保存在一个小数据库里，你可以复制这个数据库。",
        "明天山区会下雨，但是山谷里整天都是干燥的天气。",
    ],
    "ja": [
        "玉ねぎの皮をむいて、バターでゆっくりと茶色になるまで炒めます。",
        "線路に木が倒れたため、海岸へ向かう電車が遅れました。",
        "このプログラムはデータを小さなデータベースに保存するので、コピーできます。",
        "明日は山で雨が降りますが、谷では一日中乾いた天気が続くでしょう。",
    ],
    "ko": [
        "양파의 껍질을 벗기고 버터에 천천히 볶아서 갈색이 되게 합니다.",
        "선로에 나무가 쓰러져서 바닷가로 가는 기차가 늦었습니다.",
        "이 프로그램은 데이터를 작은 데이터베이스에 저장하며 데이터베이스를 복사할 수 있습니다.",
        "내일 산에는 비가 오겠지만 골짜기는 하루 종일 맑겠습니다.",
    ],
    "th": [
        "ปอกหัวหอมแล้วผัดกับเนยช้าๆ จนเป็นสีน้ำตาล",
        "รถไฟไปชายทะเลมาช้าเพราะมีต้นไม้ล้มทับราง",
        "โปรแกรมนี้เก็บข้อมูลไว้ในฐานข้อมูลขนาดเล็กที่คัดลอกได้",
        "พรุ่งนี้ฝนจะตกบนภูเขา แต่ในหุบเขาอากาศจะแห้งทั้งวัน",
    ],
}

# A few words of each kind of text as they must be cut.
WORDS_OF = {
    "Épluchez l'oignon, qu’il soit brun; aujourd'hui": ["épluchez", "oignon", "soit", "brun", "aujourd", "hui"],
    "don't re-use abc12, 12abc, foo_bar or x_1": ["don", "use"],
    "Straße, GROẞ und Zürich": ["straße", "groß", "und", "zürich"],
    "naïve café, Ångström": ["naïve", "café", "ångström"],
    "ﬁnal eﬀect, Ｐｙｔｈｏｎ, 𝐛𝐨𝐥𝐝": ["final", "effect", "python", "bold"],
    "Soft\xadhyphen, İZMİR": ["softhyphen", "izmir"],
    "ёлка и Объект": ["ёлка", "объект"],
    "ΟΔΟΣ οδός": ["οδος", "οδός"],
    "كِتَابٌ كتاب مـــرحبا، نعم؟": ["كتاب", "كتاب", "مرحبا", "نعم"],
    "שָׁלוֹם ירושלים־תל": ["שלום", "ירושלים"],
    "हिन्दी में घर है।": ["हिन्दी", "में", "घर", "है"],
    "বাংলা ভাষা": ["বাংলা", "ভাষা"],
    "数据库 Python的数据": ["数据", "据库", "python", "的数", "数据"],
    "データ": ["デー", "ータ"],
    "ﾃﾞｰﾀ": ["デー", "ータ"],
    "食べ物です。": ["食べ", "べ物", "物で", "です"],
    "데이터를": ["데이", "이터", "터를"],
    "กินข้าว": ["กิน", "นข้", "ข้า", "าว"],
    "的 a的b": [],
    "❤️love😀 42 ½cup": ["love", "cup"],
    "": [],
}

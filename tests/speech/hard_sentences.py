"""Texts whose sentences are hard to tell apart, by language. A bar stands where a sentence ends."""

from __future__ import annotations

_BY_LANGUAGE = {
    "en": r"""
Pi is about 3.14159.|It never ends.
The U.S. economy grew 2.5 percent.|That is a lot.
She moved to the U.S. in 1999.|He followed.
I grew up in the U.S.|Then I moved to Spain.
Dr. Smith and Mrs. Jones met Prof. Lee at St. Mary's.|They talked.
J. R. R. Tolkien wrote The Hobbit.|I love it.
J.R.R. Tolkien was born in 1892.|He taught at Oxford.
It was written by George R. R. Martin.|He is American.
Take fruit, e.g. apples, i.e. the red ones.|Wash them.
Use citrus (e.g. lemons).|It helps.
We eat at 5 p.m. we said.|Fine.
We eat at 5 p.m.|Then we rest.
The train leaves at 9:15 a.m. on Monday.|Be early.
No. 5 is alive.|Good.
See No. 12 on the list.|It is short.
He said no.|Then he left.
The answer is no.|5 people disagreed.
Install v2.0.1 first.|Then run setup.py again.
Open main.py or README.md.|Both are short.
Go to example.com/a.b for more.|It is free.
Visit https://www.example.com/path?q=1.2.|You will like it.
Write to john.smith@example.co.uk.|He answers.
Wait... what is that?|Oh!
Well… I am not sure.|Let me think.
I waited...|Nothing happened.
He said "Stop."|Then he left.
"Are you there?" she asked.|Nobody answered.
"I know," he said.|"But I forgot."
“Really?”|“Yes.”
She shouted "Run!" and ran.|We followed.
He works at Apple Inc. in Cupertino.|He likes it.
He works at Apple Inc.|He likes it.
It costs approx. 5 dollars.|Buy two.
It was on Jan. 5 and Feb. 6.|Not later.
Mt. Everest is 8,849 m high.|It is cold.
It happened in 2019.|We met in 2020.
I have 3.|She has 4.
Cats, dogs, etc. are animals.|Rocks are not.
Bring cups, plates, etc.|We need many.
Really?!|Yes!!!|Great.
Yahoo! was a company.|It was big.
The score was 3.5 vs. 2.1 today.|We won.
Lincoln vs. Douglas was famous.|Read it.
He has a Ph.D. in physics.|She has an M.D. too.
She earned her Ph.D.|Then she taught.
Is it warm?|Take a hat (the blue one).|Go!
It is warm (see Fig. 3).|Good.
It works.|(Mostly.)|Try it.
Meet Mr. and Mrs. O'Neil.|They live on 5th Ave. in New York.
Ask Sgt. Pepper.|He knows Capt. Kirk and Gen. Lee.
Version 1.2.3 is out.|Version 2 is next.
The file is 3.5 GB.|That is big.
Use Node.js or ASP.NET.|Both work.
The .env file is hidden.|Do not commit it.
It is 20 °C.|That is warm.
I live at 12 Main St. in Boston.|Come by.
Born c. 1450 in Italy.|He painted.
The U.N. met in Geneva.|It was long.
Wow!|I did it.|Did you?
He asked why?|and left.
Is 7 a prime?|Yes, it is.
Call me at 555.123.4567.|I am home.
He was the No. 1 player.|No. 2 was me.
At 3 o'clock.|Not before.
Vitamin C.|It is in oranges.
Plan B. is ready.
It was me and I.|You know.
World War I.|Then came the second.
So do I.|And you?
""",
    "en-lists": r"""
1. Eggs\n|2. Milk\n|3. Bread
1. Wash your hands.\n|2. Dry them.
Here are the steps:\n|1. Open the door.\n|2. Go in.
- one\n|- two\n|- three
* Apples are red.\n|* Limes are green.
1) First.\n|2) Second.
a. First item\n|b. Second item
# Title\n|Text follows here.
""",
    "zh": r"""
你好。|我很好！|你呢？
圆周率是3.14。|它没有尽头。
他说：“你好。”|然后他走了。
真的吗？！|是的。
等等……我想想。
我用 v2.0 版本。|你呢？
""",
    "ja": r"""
こんにちは。|元気ですか？|はい！
「行きます。」|と彼は言った。
円周率は3.14です。|終わりがありません。
""",
    "hi": r"""
नमस्ते।|आप कैसे हैं?|मैं ठीक हूँ।
पाई 3.14 है।|यह अनंत है।
""",
    "ar": r"""
مرحبا.|كيف حالك؟|أنا بخير.
""",
    "el": r"""
Τι κάνεις;|Είμαι καλά.
""",
    "de": r"""
Das ist z. B. ein Apfel.|Er ist rot.
Das ist z.B. ein Apfel.|Er ist rot.
Am 3. Oktober ist Feiertag.|Wir feiern.
Dr. Müller wohnt in der Hauptstr. 5.|Er ist nett.
Es kostet ca. 5 Euro.|Das geht.
Das ist der 2. Versuch.|Er klappt.
Er kam am 12.05.2024 an.|Sie auch.
Prof. Weber kommt bzw. bleibt.|Gut.
""",
    "fr": r"""
M. Dupont est là.|Il attend.
Mme. Curie est née en 1867.|Elle est célèbre.
Ça va ?|Oui !|Merci.
Il a dit « Bonjour. »|Puis il est parti.
C'est à 5 h. du matin.
""",
    "es": r"""
¿Cómo estás?|¡Muy bien!|Gracias.
El Sr. García vive en EE. UU. con la Sra. López.|Son felices.
Son las 5 p. m. en Madrid.|Vamos.
""",
    "it": r"""
Il Sig. Rossi è qui.|Aspetta.
Ecc. ecc. e così via.|Basta.
""",
    "pt": r"""
O Sr. Silva chegou.|A Sra. Lima saiu.
Av. Paulista, n. 5.|É ali.
""",
    "ru": r"""
Это т. е. яблоко.|Оно красное.
А. С. Пушкин родился в 1799 г. в Москве.|Он поэт.
""",
}


def hard_cases() -> list[tuple[str, str, list[str]]]:
    """Language, text, and the sentences of the text."""
    cases = []
    for name, lines in _BY_LANGUAGE.items():
        for line in lines.strip().splitlines():
            marked = line.replace("\\n", "\n")
            space = "" if name in ("zh", "ja") or "\n" in marked else " "
            sentences = [part.strip() for part in marked.split("|")]
            cases.append((name.removesuffix("-lists"), space.join(part for part in marked.split("|")), sentences))
    return cases

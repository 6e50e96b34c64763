from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlor_tui.sight.asking import asks_to_look
from parlor_tui.sight.phrases import PHRASES

ASKS = {
    "en": (
        "What do you see?", "Look at this", "What am I holding?", "Can you see me?", "Read this, please.",
        "What colour is this?", "What color is my shirt?", "Could you read this for me?", "What's this?", "Look!",
        "Hey, take a look.", "What does the sign say?", "How many fingers am I holding up?", "How do I look?",
        "Describe what you see.", "Let me show you something.", "I want you to look at this", "Who is in the picture?",
        "What is in front of me?", "Do you see what I am doing?", "What can you see through the camera?",
        "tell me what this is",
    ),
    "de": (
        "Was siehst du?", "Was siehst du auf diesem Bild?", "Schau mal her.", "Schau dir das an!",
        "Kannst du mich sehen?",
        "Was halte ich hier in der Hand?", "Was ist das?", "Welche Farbe hat das?", "Lies das bitte vor.",
        "Was steht auf dem Zettel? Kannst du das lesen?", "Beschreib, was du siehst.", "Wie sehe ich aus?",
        "Wie viele Finger zeige ich?", "Sehen Sie das?",
    ),
    "fr": (
        "Qu'est-ce que tu vois ?", "Que vois-tu ?", "Regarde ça.", "Tu me vois ?", "Qu'est-ce que je tiens ?",
        "De quelle couleur est cette chemise ?", "Lis ceci, s'il te plaît.", "C'est quoi ça ?", "Qu'est-ce que c'est ?",
        "Peux-tu lire ce texte ?", "Jette un œil à ça.", "Décris ce que tu vois.", "Qu'est-ce qui est écrit ici ?",
    ),
    "es": (
        "¿Qué ves?", "¿Qué ves en esta imagen?", "Mira esto.", "¿Puedes verme?", "¿Qué tengo en la mano?",
        "¿De qué color es esto?", "Lee esto, por favor.", "¿Qué es esto?", "Échale un vistazo.", "¿Qué dice aquí?",
    ),
    "it": (
        "Che cosa vedi?", "Cosa vedi in questa immagine?", "Guarda questo.", "Mi vedi?", "Che cosa tengo in mano?",
        "Di che colore è?", "Leggi questo, per favore.", "Cos'è questo?", "Dai un'occhiata.", "Cosa c'è scritto?",
    ),
    "pt": (
        "O que você vê?", "O que você vê nesta imagem?", "Olha isto.", "Olhe para mim", "Você consegue me ver?",
        "O que estou segurando?", "De que cor é isto?", "Leia isto, por favor.", "O que é isso?", "Dá uma olhada.",
        "O que está escrito aqui?",
    ),
    "zh": (
        "你看到了什么？", "你能看见我吗？", "看看这个。", "看一下这个", "我手里拿着什么？", "這是什麼？",
        "这是什么颜色？",
        "读一下这个", "上面写着什么？", "你看到了什麼", "描述一下画面",
    ),
    "ja": (
        "何が見えますか？", "これを見て。", "見てください", "私が見えますか", "これは何ですか？",
        "何を持っていますか？",
        "これは何色ですか？", "これを読んでください。", "何て書いてありますか？",
    ),
    "hi": (
        "आप क्या देख रहे हैं?", "आप इस तस्वीर में क्या देख रहे हैं?", "यह देखो।", "क्या आप मुझे देख सकते हैं?",
        "मैंने क्या पकड़ा है?", "यह किस रंग का है?", "इसे पढ़ो।", "यह क्या है?", "यहाँ क्या लिखा है?",
    ),
}  # fmt: skip
DOES_NOT = {
    "en": (
        "I see.", "I look forward to it.", "Let me see what I can do.", "See you later!", "We'll see you there.",
        "What is the weather like in London today?", "I read this book last year.", "Have you read this book?",
        "Do you see what I mean?", "It looks like rain.", "What colour is the sky?", "Look, I don't know.",
        "What is this song about?", "Tell me a story about a red car.", "Overlook it.", "They looked at the house.",
        "Let's see how it goes", "What are you thinking?", "Can you see why that is wrong?", "Look it up.", "",
    ),
    "de": (
        "Ich sehe schon.", "Mal sehen, was wird.", "Auf Wiedersehen!", "Wir sehen uns morgen.", "Siehst du!",
        "Das sieht gut aus.", "Wie ist das Wetter?", "Schau mal wieder vorbei.", "Was denkst du?",
        "Wie wird das Wetter heute in Berlin?", "Erzähl mir bitte eine kurze Geschichte.",
    ),
    "fr": (
        "Je vois.", "On verra bien.", "Tu vois ce que je veux dire ?", "Il regarde la télé.", "Ça ne me regarde pas.",
        "Quel temps fait-il à Paris ?", "À bientôt, on se voit demain.", "Raconte-moi une petite histoire.",
    ),
    "es": (
        "Ya veo.", "Nos vemos.", "A ver qué pasa.", "¿Qué tiempo hace hoy?", "¿Qué tengo que hacer?",
        "¿De qué color es el cielo?", "Cuéntame una historia.",
    ),
    "it": ("Vediamo.", "Ci vediamo domani.", "Che tempo fa oggi a Roma?", "Vedo che hai ragione.", "Come stai?"),
    "pt": ("Vamos ver.", "Até a vista.", "Como está o tempo hoje?", "Vejo que sim.", "Deixa eu ver o que posso fazer."),
    "zh": (
        "再见。", "让我看看。", "今天北京的天气怎么样？", "看起来要下雨了。", "我在看书。", "你看怎么样？",
        "这是什么意思？",
    ),
    "ja": ("テレビを見ています。", "また見てね。", "今日の天気はどうですか？", "本を読んでいます。", "会いましょう"),
    "hi": ("देखते हैं।", "आज दिल्ली में मौसम कैसा है?", "फिर मिलेंगे।", "धन्यवाद।", "मैं समझ गया।"),
}  # fmt: skip


def cases(table: dict[str, tuple[str, ...]]) -> list[str]:
    return [words for sentences in table.values() for words in sentences]


def test_every_language_of_the_table_is_tested_both_ways() -> None:
    assert {phrases.language for phrases in PHRASES} == set(ASKS) == set(DOES_NOT)


@pytest.mark.parametrize("words", cases(ASKS))
def test_who_asks_to_be_looked_at_is(words: str) -> None:
    assert asks_to_look(words)


@pytest.mark.parametrize("words", cases(DOES_NOT))
def test_who_speaks_of_seeing_does_not_ask(words: str) -> None:
    assert not asks_to_look(words)


@pytest.mark.parametrize("words", [*cases(ASKS), *cases(DOES_NOT)])
def test_case_and_punctuation_do_not_matter(words: str) -> None:
    bare = "".join(" " if c in ".,!?:;¿¡？！。，、।" else c for c in words)
    assert (
        asks_to_look(bare.upper()) == asks_to_look(bare.lower()) == asks_to_look(f"… {words} ?!") == asks_to_look(words)
    )


@given(st.text(max_size=200))
def test_any_text_has_an_answer(words: str) -> None:
    assert asks_to_look(words) in (True, False)


@given(st.sampled_from(cases(ASKS)), st.text(alphabet=' .,!?;:-–—…"()\n\t', max_size=6))
def test_marks_around_a_request_change_nothing(words: str, marks: str) -> None:
    assert asks_to_look(marks + words + marks)

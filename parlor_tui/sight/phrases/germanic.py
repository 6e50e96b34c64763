"""How people ask to look in English and German."""

from __future__ import annotations

from parlor_tui.sight.phrases.base import Phrases

ENGLISH = Phrases(
    "en",
    asks=r"""
        what (?:else )?(?:do|can|could|did) (?:you|u) see
        what (?:are|were) you (?:seeing|looking at)
        what am i looking at
        (?:do|can|could) (?:you|u) (?:still |even |actually )?see(?! (?:why|how|if you|whether you))
        see (?:this|these|what (?:i|im|i am)|me|my \w+|what is|whats)
        look (?:closely |carefully |again |here )?at (?:this|that|these|those|me|my|the|it|him|her|us|what)
        (?:take|have) (?:a|another) (?:\w+ )?look
        look (?:here|closely|carefully|again|around|through the camera|what i)
        ^look$
        what (?:am i|are we|is he|is she|are they) (?:holding|wearing|showing|pointing)
        what (?:do i have|have i got|ive got|i have) (?:here|on|in my|in front)
        what am i doing(?: right now| now| here)?$
        (?:whats|what is|what are|who is|whos|what was) (?:this|these|that|those)(?:$| (?:here|there|thing|
            object|called|animal|plant|flower|fruit|bird|person|man|woman|in (?:my|front)|on my|im (?:holding|
            wearing)|i am (?:holding|wearing)|please))
        what (?:this|these|that) (?:is|are)(?:$| here| please)
        (?:whats|what is|who is|whos|what do you see|is there (?:something|anything|anyone|anybody|
            someone)) (?:standing |sitting |lying )?(?:in front of|behind|next to|in my hands?|on my (?:desk|
            table|screen|head|face|shirt)|in the (?:picture|image|photo|camera|frame|background))
        (?:what|which) (?:colou?r|shape|kind of \w+|breed|brand|size) (?:is|are|does|do) (?:this|that|these|
            those|my|it|he|she|i)
        (?:what|which) colou?rs? am i
        read (?:this|these|that|those|what|out what|it (?:to|for) me|me (?:this|that|what|the))
        can you read(?! (?:my mind|minds|books))
        what does (?:this|that|it|my|the (?:sign|label|page|text|screen|paper|note|letter|sticker|box|poster|
            display|book|card)) say
        whats? (?:is )?written
        how many (?:fingers|people (?:do you see|are here|are in)|objects|things) ?.*
        (?:how|what) do i look(?: like)?
        how does (?:this|that|it|my \w+) look
        do(?:es)? (?:i|this|that|these|my \w+) look .*
        describe (?:this|these|what you(?: can)? see|what youre seeing|me|my \w+|it to me|the (?:picture|image|
            photo|scene|room|view))
        (?:watch|guess) (?:me|this|what (?:i|im|this))
        (?:let me |i want to |i wanna |can i |id like to |ill |im going to |im gonna )show(?:ing)? you
        (?:do you |can you |could you )?(?:recogni[sz]e|identify) (?:this|these|that|me|what)
        (?:with|through|use|check|on|in) (?:the|your|my) camera
    """,
    unless=r"""
        (?:i|we|they|he|she|people) (?:(?!want)\w+ )?look(?:s|ed)? (?:\w+ )?at
        (?:was|were|been|just|is|are) looking at
        (?:let me|ill|i will|lets|well|going to|gonna|will) (?:\w+ )?(?:take|have) (?:a|another) (?:\w+ )?look
        look forward .*
        (?:let me|lets|well|ill|wait and|we) see .*
        see what (?:i can|we can|you can|happens|i mean|you mean)
        see this through
        (?:do you|can you|you) see what i mean
        see you(?: \w+)*
        (?:i|we|ive|he|she|they|have you|did you|you have|youve) (?:\w+ )?read (?:this|that|these|those)
        what is this (?:song|all) about
    """,
)

GERMAN = Phrases(
    "de",
    asks=r"""
        was (?:alles )?(?:siehst du|sehen sie|seht ihr|kannst du sehen|konnen sie sehen|
            kannst du .* sehen)(?! darin)
        (?:siehst du|sehen sie) (?:das|die|den|mich|diese[nrs]?|was|mein\w*|etwas|hier)
        (?:kannst du|konnen sie|konntest du) (?:\w+ ){1,4}(?:sehen|erkennen|lesen|vorlesen|anschauen|ansehen|
            angucken)
        (?:schau|schaue|schauen sie|guck|gucke|kuck|sieh)(?: \w+)?(?: mal| bitte| doch| dir| her|
             hin)+(?: (?:das|die|den|mich|diese[nrs]?|was|hier|an|her|hin|genau))?
        (?:schau|guck|sieh) (?:mich|her|hin|hier|genau)
        wirf (?:mal )?einen blick .*
        was (?:halte|trage|zeige|habe|hab|mache) ich (?:gerade |hier |da |jetzt )*(?:hier|da|in .*|an|hoch|
            gerade|jetzt|auf .*|dir|ihnen)
        (?:was|wer) (?:ist|sind) (?:das|dies|die)(?:$| (?:hier|da|denn|fur (?:ein|eine|einen)) ?.*)
        was (?:das|dies) (?:hier )?ist
        was (?:ist|liegt|steht|befindet sich) (?:in meiner hand|vor (?:mir|dir)|hinter mir|neben mir|auf (?:dem|
            meinem) (?:tisch|bild|schreibtisch|foto|schild|zettel|bildschirm)|hier|da drauf|darauf)
        (?:welche|was fur eine) (?:farbe|farben|form) (?:hat|haben|ist|sind|habe)
        (?:lies|lese|lesen sie) (?:mir )?(?:mal |bitte )?(?:das|dies|diese[nrs]?|vor|was)
        wie viele (?:finger|leute siehst|personen siehst|gegenstande)
        wie sehe ich (?:heute )?aus
        wie sieht (?:das|dies|mein\w*) .*aus
        beschreib(?:e|en sie)? (?:mal |bitte )?(?:mich|mir was|was (?:du|sie)|das (?:bild|foto)|die szene|
            den raum|das zimmer)
        (?:ich )?(?:zeige|zeig) (?:dir|ihnen)
        erkennst du (?:das|mich|diese[nrs]?|was)
        (?:mit|durch|in) (?:der|die|deiner|deine) kamera
    """,
    unless=r"""
        (?:mal|wir werden|wir|mal) (?:sehen|schauen) .*
        (?:mal sehen|auf wiedersehen|wir sehen uns)(?: .*)?
        schau(?:en wir)? mal (?:wieder )?vorbei
        schauen wir (?:mal)?
        schau mal ob .*
        (?:was|das|wie) .*ubersehen
        was ist das fur ein (?:tag|wetter|gefuhl|problem)(?: .*)?
    """,
)

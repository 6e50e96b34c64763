"""German and Dutch: see `base` for what the tables mean."""

from __future__ import annotations

from parlor_tui.hearing.endings.base import Endings

GERMAN = Endings(
    "de",
    open="""
        und, oder, aber, sondern, denn, weil, wenn, dass, ob, obwohl, während, bevor, nachdem, damit, sodass, falls
        als
        bis, sobald, solange, indem, sowie, sowohl, entweder, weder, beziehungsweise, und dann, und zwar, zum beispiel
        den, dem, des, ein, eine, einen, einem, einer, eines, kein, keine, keinen, keinem, mein, meine
        meinen, meinem, meiner, dein, deine, deinen, deinem, sein, seine, seinen, ihre, ihren, ihrem, unser, unsere
        euer
        eure, jeder, jede, jedes, jeden, dieser, dieses, diesen, diesem, welche, welcher, welches, sehr, zu, am, im
        zum
        zur, beim, vom, ins, ans, und auch, also wenn, ich bin, wir sind, es ist, es gibt, gibt es, das ist
    """,
    prepositions="""
        in, auf, bei, von, für, mit, nach, aus, über, unter, zwischen, gegen, ohne, um, durch, seit, wegen, trotz
        statt
        der, die, das, außer, neben, hinter, vor, pro, laut
    """,
    fillers="""
        äh, ähm, öh, öhm, hm, hmm, mh, also, tja, na ja, naja, sozusagen, irgendwie, wie sagt man, wie heißt das
        wie soll ich sagen, moment, mal sehen, ich meine, weißt du
    """,
    introductions=r"""
        ^(?:hey|also|na|okay also|ja aber|nein aber|schau|hör mal)
        (?:mein name ist|ich heiße|ich bin|man nennt mich|meine (?:nummer|adresse|frage|telefonnummer)(?: ist|
             lautet)?)
        ich (?:möchte|würde|will|hätte|brauche|kann|muss|soll|darf|habe|hatte|war|werde|wollte|denke|glaube|finde|
            wollte
            mal|würde gern|würde gerne|hätte gern|hätte gerne|möchte gern)
        (?:kannst|könntest|könnten|können|würdest|willst|soll|kann|darf|hast|haben|bist|gibt|weißt) (?:du|sie|ich|es|
            wir
            |ihr)(?: mir| bitte| mal| uns| mir bitte)?
        ^bitte
        (?:sag|zeig|gib|erzähl|erklär|erkläre|hilf|erinnere|stell|stelle|spiel|spiele|mach|mache|such|suche|schreib)
            (?:mir|mich|uns)?
        (?:^|und )(?:was|wie|wo|wann|warum|wer|welche|welcher|welches|woher|wohin|wieso)(?: ist| sind| war| hat| kann|
            heißt)?
        wie (?:viel|viele|lange|oft|weit|alt|groß|spät)
        es ist|da ist|das ist|hier ist|das war|es gibt|da sind
    """,
    questions=r"""
        (?:und |aber |also |okay |hey )*(?:was|wer|wen|wem|wo|wann|warum|wieso|weshalb|wie|woher|wohin|welche[rsmn]?|
            womit|wozu)\b
        (?:und |aber |also |okay |hey )*(?:ist|sind|war|waren|hast|hat|haben|bist|kannst|kann|können|könntest|könnten|
            willst|wollen|möchtest|magst|musst|soll|sollen|darf|gibt|weißt|wissen|würdest|würden|wird|werden|machst|
            gehst|kennst|glaubst|siehst|hörst) (?:du|sie|er|es|ich|wir|ihr|man|das|der|die|dein|mein|ein|eine)\b
    """,
    clauses="wenn, falls, weil, obwohl, als, während, sobald, bevor, nachdem, solange, sofern",
    done=r"""
        (?:ja|nein|doch|danke|bitte|stopp|stop|halt|okay|gut|genau|richtig|klar|hallo|tschüss|nee|guten (?:tag|morgen|
            abend)|danke schön|vielen dank)
        .* (?:bitte|danke|auch|heute|morgen|jetzt|gern|gerne)
        (?:bitte )?(?:mach|mache|schalt|schalte|stell|stelle|dreh|drehe|hör|fang|komm|geh|ruf|rufe|steh|zieh|schau|
            pass|
            lies) .*(?:an|ab|zu|ein|aus|mit|vor|nach|auf|um)
        .*(?:was|wer|wo) (?:ist|war|sind|heißt|bedeutet) (?:das|die|der|es)
        (?:das|es) (?:ist|war) (?:alles|gut|richtig|genug)
        ich bin es|ich auch
    """,
    numbers="""
        null, eins, ein, zwei, zwo, drei, vier, fünf, sechs, sieben, acht, neun, zehn, elf, zwölf, dreizehn, zwanzig
        dreißig, vierzig, fünfzig, sechzig, siebzig, achtzig, neunzig, hundert, tausend
    """,
    digits_after="nummer, telefonnummer, handynummer, vorwahl, postleitzahl, code, pin, konto, kontonummer, durchwahl",
)

DUTCH = Endings(
    "nl",
    open="""
        en, of, maar, want, omdat, als, hoewel, terwijl, voordat, nadat, zodat, tenzij, dus, zowel, noch, dan, en dan
        de, een, mijn, jouw, zijn, haar, ons, onze, hun, uw, deze, elke, ieder, iedere, geen, heel, erg, zo'n
        bijvoorbeeld, ik ben, het is, dat is, er is, er zijn, om te, te
    """,
    prepositions="""
        in, op, aan, bij, van, voor, met, naar, uit, over, onder, tussen, tegen, zonder, door, sinds, wegens, volgens
        naast, achter, tot, per, om, je, het, dat, is, zijn
    """,
    fillers="eh, ehm, uh, uhm, euh, hm, hmm, nou, nou ja, zeg maar, hoe zeg je dat, even kijken, weet je, ik bedoel",
    introductions=r"""
        ^(?:hé|dus|nou|luister|kijk)
        (?:mijn naam is|ik heet|ik ben|mijn (?:nummer|adres|vraag|telefoonnummer)(?: is)?)
        ik (?:wil|zou|zou graag|wil graag|heb|had|kan|moet|mag|ga|was|denk|vind|wou|wilde)
        (?:kun|kan|kunt|zou|wil|mag|moet|heb|ben|weet) (?:je|jij|u|ik|we)(?: mij| me| alsjeblieft| even)?
        (?:vertel|geef|laat|help|zet|speel|zoek|leg|stuur) (?:me|mij|ons)?
        (?:^|en )(?:wat|hoe|waar|wanneer|waarom|wie|welke)(?: is| zijn| was| kan)?
        hoe (?:veel|lang|vaak|ver|oud|groot|laat)
    """,
    questions=r"""
        (?:en |maar |dus |oké )*(?:wat|wie|waar|wanneer|waarom|hoe|welke?|hoeveel|waarmee)\b
        (?:en |maar |dus |oké )*(?:is|zijn|was|waren|heb|heeft|hebben|ben|bent|kun|kan|kunt|kunnen|wil|wilt|mag|moet|
            ga|
            gaat|zou|weet|weten|zal|doe|ken) (?:je|jij|u|hij|ze|zij|het|ik|we|wij|dat|dit|de|een|er|mijn|jouw)\b
    """,
    clauses="als, omdat, hoewel, terwijl, zodra, voordat, nadat, toen, tenzij",
    done=r"""
        (?:ja|nee|dank je|dank je wel|bedankt|stop|oké|goed|precies|klopt|hallo|hoi|doei|alsjeblieft)
        .* (?:alsjeblieft|graag|ook|vandaag|morgen|nu|mee)
        (?:doe|zet|maak) .* (?:aan|uit|op|af)
    """,
    numbers="""
        nul, een, één, twee, drie, vier, vijf, zes, zeven, acht, negen, tien, elf, twaalf, twintig, dertig, veertig
        vijftig, zestig, zeventig, tachtig, negentig, honderd, duizend
    """,
    digits_after="nummer, telefoonnummer, postcode, code, pincode, rekening",
)

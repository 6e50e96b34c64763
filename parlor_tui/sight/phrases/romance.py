"""How people ask to look in French, Spanish, Italian and Portuguese."""

from __future__ import annotations

from parlor_tui.sight.phrases.base import Phrases

FRENCH = Phrases(
    "fr",
    asks=r"""
        (?:que|quest ce que|qu est ce que|quoi) (?:tu vois|vous voyez|tu peux voir|vous pouvez voir|vois tu|
            voyez vous|peux tu voir|pouvez vous voir)
        (?:tu vois|vous voyez) quoi
        (?:tu|vous) (?:me|le|la|les) (?:vois|voyez)
        (?:tu vois|vous voyez|vois tu|voyez vous) (?:ca|ceci|cela|cette|ces|cet|ce (?!que)|ce que je (?:tiens|
            porte|montre|fais)|mon|ma|mes|la|le|les|quelque chose|bien) ?.*
        (?:peux|pouvez|pourrais|pourriez) (?:tu|vous) (?:\w+ )?(?:voir|regarder|lire)
        (?:tu peux|vous pouvez) (?:me |le |la |les )?(?:voir|regarder|lire)
        (?:regarde|regardez) (?:bien |un peu |donc )?(?:ca|ceci|cela|moi|ce|cette|cet|ces|mon|ma|mes|ici|
            par ici|la|le|les|ce que)
        ^(?:regarde|regardez)$
        (?:jette|jetez|jeter) un (?:coup d)?oeil
        quest ce que (?:je (?:tiens|porte|montre|fais la)|jai (?:dans|en|sur|la|ici|a la main))
        quest ce que cest(?:$| que (?:ca|cela|ceci)| ici| la)
        cest quoi(?:$| (?:ca|ceci|cela|cet objet|ce truc)$)
        (?:qui est ce|qui cest|cest qui)$
        (?:de )?quelles? couleurs? (?:est|sont|a|ont|cest|porte je)
        (?:lis|lisez)(?: moi)? (?:ca|ceci|cela|ce|cette|ces|cet)
        quest ce qui est (?:ecrit|marque)
        quest ce quil y a (?:devant|derriere|dans ma main|sur (?:la table|limage|la photo|mon))
        (?:decris|decrivez)(?: moi)? (?:ce que|limage|la photo|la scene|la piece|ca|ceci)
        combien de (?:doigts|personnes vois tu|personnes tu vois)
        (?:de quoi ai je lair|de quoi jai lair|a quoi je ressemble|a quoi est ce que je ressemble)
        je (?:te|vous) montre
        (?:avec|par|dans|devant) (?:la|ta|votre) camera
    """,
    unless=r"""
        (?:tu vois|vous voyez) ce que je (?:veux dire|dis)
        (?:je|il|elle|on|nous|ils|elles|ca|cela) (?:\w+ )?(?:regarde|regardent)(?: .*)?
    """,
)

SPANISH = Phrases(
    "es",
    asks=r"""
        que (?:mas )?(?:ves|ve usted|ven ustedes|puedes ver|puede ver|estas viendo|esta viendo)
        (?:me|lo|la|los|las|esto) (?:ves|puedes ver)
        ves (?:esto|eso|lo que (?!digo|quiero decir)|mi|mis|algo|este|esta|bien)
        (?:puedes|puede|podrias|podes) (?:ver|mirar|leer)(?:me|lo|la|los|las|melo)?(?! (?:si|por que|como))
        (?:mira|mire|miren)(?: bien)? (?:esto|eso|aqui|aca|mi|mis|lo que|este|esta|estos|estas|a la camara|
            la camara|el|la)
        ^(?:mira|mire)$
        (?:mirame|mireme|leeme)
        (?:echa|echale|echele|dale|da) un vistazo
        que (?:tengo|llevo) (?:en|aqui|puesto|entre|sobre|delante)
        que (?:sostengo|estoy (?:sosteniendo|sujetando|mostrando|llevando|agarrando|haciendo$))
        que (?:es|son) (?:esto|eso|estos|esas)(?:$| de aqui| que tengo| que llevo)
        quien es (?:este|esta|ese|esa)
        que hay (?:en mi mano|delante|detras|enfrente|sobre la mesa|en la (?:imagen|foto|mesa))
        (?:de )?que color(?:es)? (?:es|son|esta|tiene|tienen|llevo)
        (?:lee|lea|leer) (?:esto|eso|este|esta|lo que|en voz alta)
        que (?:dice|pone|esta escrito) (?:aqui|ahi|esto|en (?:este|esta|el|la)|este|esta|el (?:cartel|letrero|
            papel)|la (?:etiqueta|pantalla|nota))
        (?:describe|describa|describeme) (?:esto|lo que|la (?:imagen|foto|escena|habitacion))
        cuantos dedos
        (?:como me veo|que aspecto tengo)
        (?:te|le) (?:muestro|enseno|voy a (?:mostrar|ensenar))
        (?:con|por|en|a) (?:la|tu|su) camara
    """,
    unless=r"""
        (?:yo|el|ella|se|nos|siempre|lo) (?:mira|ve)(?: .*)?
        (?:a ver|vamos a ver|ya veo|nos vemos)(?: .*)?
        de que color es (?:el cielo|el mar|el sol|la luna|la sangre)
    """,
)

ITALIAN = Phrases(
    "it",
    asks=r"""
        (?:che cosa|cosa|che) (?:altro )?(?:vedi|vede|vedete|stai vedendo|riesci a vedere|puoi vedere)
        (?:mi|lo|la|li) (?:vedi|vede)
        vedi (?:questo|questa|questi|queste|quello|quella|cosa|quello che|il|la|i|il mio|la mia|qualcosa|
            bene)(?! che (?:intendo|voglio))
        (?:puoi|riesci a|potresti) (?:vedere|vedermi|vederlo|vederla|guardare|leggere|leggermi|
            leggerlo)(?! (?:se|perche|come))
        (?:guarda|guardi|guardate)(?: bene| un po| un attimo)? (?:questo|questa|questi|queste|quello|qui|qua|il|
            la|i|le|cosa|in camera|che (?:cosa|bello|bella))
        ^(?:guarda|guardi)$
        (?:guardami|leggimi)
        (?:dai|da|dammi|dare) (?:unocchiata|un occhiata)
        (?:che cosa|cosa|che) (?:tengo|indosso|ho (?:in|qui|addosso|davanti|tra)|sto (?:tenendo|indossando|
            mostrando|facendo$))
        (?:che cose|cose|che cosa e|cosa e|chi e) (?:questo|questa|quello|quella)(?:$| qui| che (?:tengo|ho))
        (?:che cosa|cosa) sono (?:questi|queste|quelli|quelle)
        cosa ce (?:davanti|dietro|nella mia mano|sul tavolo|nell)
        (?:di )?che colore (?:e|ha|sono|hanno|indosso)
        (?:leggi|legga|leggere) (?:questo|questa|questi|qui|cosa|ad alta voce|quello che)
        (?:che cosa|cosa|che) (?:ce|e) scritto
        (?:descrivi|descriva|descrivimi) (?:questo|cosa|cio che|quello che|limmagine|la (?:foto|scena|stanza))
        quante dita
        (?:che aspetto ho|come ti sembro)
        (?:ti mostro|ti faccio vedere|le mostro)
        (?:con|nella|in|dalla) (?:la tua|tua|la)? ?(?:videocamera|telecamera|fotocamera)
    """,
    unless=r"""
        (?:vediamo|ci vediamo|arrivederci)(?: .*)?
        (?:lui|lei|si|che|mi) guarda (?:la tv|la televisione)(?: .*)?
    """,
)

PORTUGUESE = Phrases(
    "pt",
    asks=r"""
        (?:o )?que (?:mais )?(?:e que )?(?:voce|tu|vc)? ?(?:ve|ves|consegue ver|consegues ver|pode ver|
            podes ver|esta vendo|estas a ver|ta vendo)
        (?:voce |tu )?(?:me|consegue me|consegues|pode me) (?:ve|ves|ver|vendo)
        (?:voce |tu )?(?:ve|ves|esta vendo|estas a ver) (?:isto|isso|este|esta|esse|essa|meu|minha|o meu|
            a minha|o que eu|algo|alguma)
        (?:consegue|consegues|pode|podes|poderia) (?:me )?(?:ver|olhar|ler)
        (?:olha|olhe|olhem|veja)(?: bem| so)? (?:isto|isso|aqui|para (?:isto|isso|mim|este|esta|o meu|a minha)|
            pra (?:isso|mim|ca)|este|esta|esse|essa|o meu|a minha|meu|minha|o que eu)
        ^(?:olha|olhe)$
        (?:da|de|dar|das) uma olhada
        (?:o )?que (?:e que )?(?:eu )?(?:estou|to) (?:a )?(?:segurando|vestindo|usando|mostrando|segurar|vestir|
            usar|mostrar)
        (?:o )?que (?:eu )?tenho (?:na|nas|aqui|em)
        (?:o )?que (?:e|sao) (?:isto|isso|aquilo|estes|estas)(?:$| aqui| que)
        quem e (?:este|esta|esse|essa)
        (?:o )?que (?:ha|tem|esta) (?:na minha (?:mao|frente)|atras|a minha frente|na (?:mesa|imagem|foto))
        (?:de )?que cor(?:es)? (?:e|sao|tem|esta|estou)
        qual (?:e )?a cor (?:disto|disso|deste|desta|desse|dessa|do meu|da minha)
        (?:leia|ler|le) (?:isto|isso|este|esta|o que|em voz alta|para mim)
        (?:o )?que (?:esta|ta) escrito
        (?:descreva|descreve) (?:isto|isso|o que|a (?:imagem|foto|cena|sala))
        quantos dedos
        (?:como (?:eu )?pareco|que aparencia)
        (?:vou te mostrar|vou mostrar|deixa eu te mostrar|deixa me mostrar)
        (?:com|pela|na|para) (?:a |tua |sua )?camera
    """,
    unless=r"""
        (?:deixa eu|deixe me|vamos|ate a|a gente se) (?:ver|vista|ve)(?: .*)?
        (?:voce )?ve se (?:consegue|pode)(?: .*)?
    """,
)

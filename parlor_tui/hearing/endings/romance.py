"""French, Spanish, Italian and Portuguese: see `base` for what the tables mean."""

from __future__ import annotations

from parlor_tui.hearing.endings.base import Endings

FRENCH = Endings(
    "fr",
    open="""
        et, ou, mais, car, donc, parce que, puisque, que, qu', si, quand, lorsque, comme, alors que, tandis que
        pour que
        afin de, afin que, bien que, même si, dès que, pendant que, avant de, ni, soit, et puis, et aussi, ainsi que
        le, la, les, l', un, une, des, du, au, aux, d', mon, ma, mes, ton, ta, tes, son, sa, ses, notre, nos, votre
        vos
        leur, leurs, ce, cet, cette, ces, chaque, quelques, plusieurs, très, trop de, plus de, par exemple, n', j'
        c', m'
        je suis, c'est, il y a, ce sont, qui est, est-ce que, qu'est-ce que, je, tu, nous sommes, ne, je ne
    """,
    prepositions="""
        de, à, en, dans, sur, sous, pour, par, avec, sans, chez, vers, entre, contre, depuis, pendant, selon, jusqu'à
        devant, derrière, près de, à côté de, malgré, sauf
    """,
    fillers="""
        euh, heu, hum, hein, ben, bah, enfin, bref, comment dire, comment on dit, tu sais, vous savez, je veux dire
        attends, attendez, voyons
    """,
    introductions=r"""
        ^(?:alors|bon|et alors|écoute|écoutez|dis|dites)
        (?:je m'appelle|mon nom est|je suis|mon (?:numéro|adresse|prénom|problème)(?: est| c'est)?|ma question est)
        je (?:voudrais|veux|vais|dois|peux|pense|crois|cherche|pensais|voulais|souhaite|souhaiterais|
            aimerais)(?: bien)?
        j'(?:aimerais|ai|avais|ai besoin|ai besoin de|ai envie|ai envie de)(?: bien)?
        (?:peux-tu|pouvez-vous|pourrais-tu|pourriez-vous|est-ce que (?:tu|vous|je|c'est)|tu peux|vous pouvez)(?: me)?
        (?:dis|dites|donne|donnez|montre|montrez|explique|expliquez|raconte|mets|joue|cherche)(?:-moi)?
        (?:^|et )(?:quel|quelle|quels|quelles|comment|où|quand|pourquoi|qui|combien)(?: est| sont| de)?
    """,
    questions=r"""
        (?:et |mais |alors |bon )*(?:qui|que|quoi|quel|quelle|quels|quelles|où|quand|comment|pourquoi|combien|
            est-ce|qu'est-ce|qu'|à quelle|de quelle)\b
        (?:et |mais |alors )*(?:peux-tu|pouvez-vous|pourrais-tu|pourriez-vous|as-tu|avez-vous|es-tu|êtes-vous|sais-tu|
            savez-vous|veux-tu|voulez-vous|y a-t-il|est-il|est-elle|puis-je|dois-je)\b
    """,
    clauses="si, quand, lorsque, puisque, dès que, bien que, même si",
    done=r"""
        (?:oui|non|si|merci|merci beaucoup|stop|d'accord|bonjour|bonsoir|salut|au revoir|exactement|voilà|arrête|super)
        .* (?:s'il (?:te|vous) plaît|merci|aussi|maintenant|demain|aujourd'hui|ici|là)
        c'est (?:tout|bon|ça|bien)
        qu'est-ce que c'est
    """,
    numbers="""
        zéro, un, deux, trois, quatre, cinq, six, sept, huit, neuf, dix, onze, douze, treize, quatorze, quinze, seize
        vingt, trente, quarante, cinquante, soixante, cent, mille
    """,
    digits_after="numéro, téléphone, code, code postal, compte, poste",
)

SPANISH = Endings(
    "es",
    open="""
        y, e, o, u, pero, sino, porque, que, si, cuando, aunque, mientras, como, pues, ni, donde, para que, ya que
        así que
        y también, y luego, es decir, por ejemplo, además
        el, la, los, las, un, una, unos, unas, del, al, lo, mi, mis, tu, tus, su, sus, nuestro, nuestra, nuestros, este
        cada, muy, más de, menos de, algún, ningún, me, te, se, no me, no se
    """,
    prepositions="""
        de, a, en, con, por, para, sin, sobre, entre, hasta, desde, hacia, contra, según, bajo, tras, durante, cerca de
        antes de, después de, además de, soy, es, son, hay, está, están, fue, era
    """,
    fillers="eh, em, este, esto, pues, bueno, o sea, a ver, cómo se dice, cómo te digo, mmm, digamos, sabes, espera",
    introductions=r"""
        ^(?:bueno|oye|mira|y)
        (?:me llamo|mi nombre es|yo soy|soy|mi (?:número|dirección|pregunta|problema|teléfono)(?: es)?)
        (?:quiero|quisiera|querría|me gustaría|necesito|puedo|tengo|tengo que|voy|voy a|creo|pienso|busco|estoy|estaba)
        (?:puedes|podrías|puede|podría|me puedes|me puede|quieres|sabes)(?: por favor)?
        (?:dime|dame|cuéntame|muéstrame|explícame|pon|busca|recuérdame|ayúdame a|háblame de)
        (?:^|y )(?:qué|cuál|cuáles|cómo|dónde|cuándo|por qué|quién|cuánto|cuántos|cuánta|cuántas)(?: es| son| está)?
    """,
    questions=r"""
        (?:y |pero |entonces )*(?:a |de |en |con |por |para )?(?:qué|quién|quiénes|cuál|cuáles|cómo|dónde|cuándo|
            cuánto|
            cuánta|cuántos|cuántas)\b
        (?:puedes|podrías|puede|podría|sabes|tienes|quieres|hay|es|está|me puedes|me puede)\b.*
    """,
    clauses="si, cuando, aunque, mientras, porque, en cuanto",
    done=r"""
        (?:sí|no|gracias|muchas gracias|para|basta|vale|claro|exacto|hola|adiós|por favor|buenos días|de acuerdo)
        .* (?:por favor|gracias|también|ahora|hoy|mañana|aquí|ahí|allí)
        (?:eso es todo|ya está|así es|eso es)
    """,
    numbers="""
        cero, uno, dos, tres, cuatro, cinco, seis, siete, ocho, nueve, diez, once, doce, trece, veinte, treinta
        cuarenta, cincuenta, sesenta, setenta, ochenta, noventa, cien, ciento, mil
    """,
    digits_after="número, teléfono, código, código postal, cuenta, extensión",
)

ITALIAN = Endings(
    "it",
    open="""
        e, ed, o, oppure, ma, però, perché, che, se, quando, mentre, anche se, affinché, siccome, poiché, né, sia
        quindi
        e poi, ad esempio, per esempio, cioè, come
        il, lo, la, i, gli, le, l', un, uno, una, un', del, dello, della, dei, degli, delle, dell', al, allo, alla, ai
        agli, alle, all', dal, dalla, dai, nel, nello, nella, nei, nelle, nell', sul, sulla, sui, mio, mia, miei, tuo
        tua
        suo, sua, nostro, nostra, ogni, qualche, quel, molto, più di, non, mi, ti, si
    """,
    prepositions="""
        di, a, da, in, con, su, per, tra, fra, senza, verso, contro, durante, dopo, prima di, vicino a, fino a, sono, è
        c'è, ci sono
    """,
    fillers="eh, ehm, uhm, mmm, allora, dunque, insomma, come si dice, vediamo, sai, diciamo, aspetta, un attimo",
    introductions=r"""
        ^(?:allora|senti|ascolta|e)
        (?:mi chiamo|il mio (?:nome|numero|indirizzo|problema)(?: è)?|la mia (?:domanda|idea)(?: è)?|io sono|^sono)
        (?:vorrei|voglio|ho bisogno|ho bisogno di|devo|posso|penso|credo|sto|stavo|ho|mi piacerebbe|cerco)
        (?:puoi|potresti|può|potrebbe|mi puoi|mi può|sai|vuoi)(?: per favore)?
        (?:dimmi|dammi|mostrami|spiegami|raccontami|metti|cerca|ricordami|aiutami a|parlami di)
        (?:^|e )(?:cosa|che cosa|chi|dove|come|quando|perché|quale|quali|quanto|quanti|quante|qual)(?: è| sono)?
    """,
    questions=r"""
        (?:e |ma |allora )*(?:a |di |da |in |con |per )?(?:che cosa|che ora|che ore|cosa|chi|dove|dov'è|com'è|come|
            quando|quale|quali|qual|
            quanto|quanta|quanti|quante)\b
        (?:puoi|potresti|può|potrebbe|sai|hai|vuoi|c'è|ci sono|mi puoi|mi può)\b.*
    """,
    clauses="se, quando, mentre, siccome, poiché, anche se, appena",
    done=r"""
        (?:sì|no|grazie|grazie mille|basta|fermati|stop|va bene|certo|esatto|ciao|per favore|buongiorno|d'accordo)
        .* (?:per favore|grazie|anche|adesso|ora|oggi|domani|qui|lì)
        (?:è tutto|tutto qui|va bene così)
    """,
    numbers="""
        zero, uno, due, tre, quattro, cinque, sei, sette, otto, nove, dieci, undici, dodici, venti, trenta, quaranta
        cinquanta, sessanta, settanta, ottanta, novanta, cento, mille
    """,
    digits_after="numero, telefono, codice, cap, conto, interno",
)

PORTUGUESE = Endings(
    "pt",
    open="""
        e, ou, mas, porém, porque, que, se, quando, embora, enquanto, como, pois, nem, para que, já que, então
        e depois
        e também, por exemplo, ou seja
        o, a, os, as, um, uma, uns, umas, do, da, dos, das, no, na, nos, nas, ao, à, aos, pelo, pela, num, numa, meu
        minha
        meus, minhas, teu, tua, seu, sua, seus, suas, nosso, nossa, este, esta, esse, essa, cada, muito, mais de, algum
        não, me, eu
    """,
    prepositions="""
        de, em, com, por, para, sem, sobre, entre, até, desde, contra, segundo, sob, durante, perto de, antes de, sou
        é
        são, está, estão, foi, era, há, tem
    """,
    fillers="eh, hum, hã, ã, bom, tipo, quer dizer, como se diz, deixa ver, sabe, espera, digamos",
    introductions=r"""
        ^(?:bom|olha|escuta|e)
        (?:me chamo|chamo-me|meu nome é|o meu nome é|eu sou|sou|(?:o )?meu (?:número|endereço|problema|
            telefone)(?: é)?)
        (?:eu )?(?:quero|queria|gostaria|gostaria de|preciso|preciso de|posso|tenho|tenho que|vou|acho|penso|estou|
            estava)
        (?:você pode|pode|poderia|podes|podias|você poderia|sabes|sabe|quer)(?: por favor| me)?
        (?:diga|diga-me|me diga|dê-me|me dê|me mostre|me explique|conte|toque|procure|lembre-me|me ajude a)
        (?:^|e )(?:o que|qual|quais|como|onde|quando|por que|porquê|quem|quanto|quantos|quantas)(?: é| são| está)?
    """,
    questions=r"""
        (?:e |mas |então )*(?:o que|que horas|qual|quais|quem|como|onde|quando|por que|quanto|quanta|quantos|quantas)\b
        (?:você pode|pode|poderia|podes|sabes|sabe|tens|tem|há|é)\b.*
    """,
    clauses="se, quando, embora, enquanto, porque, assim que",
    done=r"""
        (?:sim|não|obrigad[oa]|muito obrigad[oa]|para|pare|chega|certo|claro|exato|olá|oi|tchau|por favor|bom dia)
        .* (?:por favor|obrigad[oa]|também|agora|hoje|amanhã|aqui|ali)
        (?:é tudo|é isso|está bom)
    """,
    numbers="""
        zero, um, dois, duas, três, quatro, cinco, seis, meia, sete, oito, nove, dez, onze, doze, vinte, trinta
        quarenta
        cinquenta, sessenta, setenta, oitenta, noventa, cem, cento, mil
    """,
    digits_after="número, telefone, código, cep, conta, ramal",
)

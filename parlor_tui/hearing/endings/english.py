"""English: see `base` for what the tables mean."""

from __future__ import annotations

from parlor_tui.hearing.endings.base import Endings

ENGLISH = Endings(
    "en",
    open="""
        and, but, or, nor, because, cause, if, unless, until, till, although, though, while, whereas, whenever
        wherever
        whether, than, since, so that, such as, as well as, as, even if, even though, in case, as if, so if, and then
        but then, and so, so then, which, whose, what if, how about, what about
        a, an, the, kind of, sort of, my, your, our, their, its, every, very, such a, quite a, kind of a, these, those
        and also, also, plus, instead of, rather than, not only, either, neither, both
        he's, she's, they're, we're, you're, i'm, i've, we've, they've, you've, i'd, i'll, you'll, we'll, it'll
        there's
        that's, it's, who's, what's, where's, when's, let's
        am, was, were, been, being, isn't, aren't, gonna, wanna, gotta, trying to, going to, want to, need to, have to
        currently, used to, able to, supposed to, about to
    """,
    prepositions="""
        of, to, in, on, at, for, from, with, by, about, into, onto, between, among, through, during, against, towards
        toward, upon, under, over, behind, beside, beyond, without, within, near, per, via, except, despite, like
        next to, because of, out of, instead, according to, up to
        is, are, will, would, could, should, can, may, might, must, has, had, have, does, do, did, don't, doesn't
        won't
    """,
    fillers="""
        um, umm, uhm, uh, uhh, er, err, erm, hmm, hm, mm, ehm, eh, you know, i mean, i guess, let me see, let me think
        let's see, how do i say, how do you say, how should i say, what's it called, what was it
        basically, like um, so um, and uh, well um, hold on, one second, one moment, wait a second
    """,
    introductions=r"""
        ^(?:so|well|now|look|listen|yes but|no but|okay so|hey|say)
        my (?:\w+ )?(?:name|number|address|question|problem|idea|point|birthday|email|favou?rite \w+)(?: is| was|'s)?
        (?:i am|i'm|we are|they call me|call me|i am called|this is|i'm called)
        (?:it|that|there|he|she|here|this) (?:is|was|were|are)
        (?:i|we|you) (?:would|'d|really|just|also|actually|always|never|still|only|think|thought|guess|hope|believe|
            wish|suppose|was thinking|was wondering|wonder|mean|was|were|will|can|could|should|might|must|have|had)
        i(?:'d| would) (?:really )?(?:like|love|prefer|rather)(?: to)?
        (?:i|we|you) (?:really )?(?:want|need|have|try|tried|wanted|needed|like|love)(?: you)?(?: to)?
        ^(?:(?:hi|hello|hey|so|and|but|okay|well|yes|please) )*(?:can|could|would|will|do|did|should|may|have|are|were)
            (?: you| i| we| they)(?: please| also| maybe)?
        (?:^|, )please
        (?:tell|show|give|send|teach|remind|help|let) (?:me|us|him|her|them) (?:about|to|how|what|the)
        ^(?:please |can you |could you |would you |and |so )*(?:tell|show|give|send|teach|remind|let) (?:me|us|him|her)
        ^(?:please |can you |could you |would you |and |so )*(?:set|start|make|add|put|turn|play|open|find|write|
            explain|describe|translate|define|compare)
        (?:please )?set (?:a|an|the) (?:timer|alarm|reminder)(?: for| to| at| of)?(?: {n})?
        remind me in {n}
        (?:^|and |so |but )(?:what|how|where|when|why|who|which)(?: is| are| was| do| does| did| can| could| would|'s)?
        (?:what|how|where|when|why|who) (?:is|are|was|do|does|did|can|could|would|should|will) (?:the|a|my|your|i|you)
        how (?:many|much|long|far|old|often|big|fast|tall|high|do i|can i|to)
        what (?:kind|sort|type)(?: of)?
        (?:what|who|how|where|when)(?:'s| is| was| are| were) (?:the|a|an|my|your) [\w' ]+
            (?: of| in| between| at| on| to| for| from| with)
        the (?:best|most|first|last|next|only|same|other|biggest|problem|thing|question|reason|answer|idea|point)
        the (?:problem|thing|question|reason|answer|idea|point) is
        (?:more|less|\w+er) than
        (?:i was|i'm|we were|we are|i am) (?:looking|thinking|wondering|trying|going|hoping|planning|talking|waiting)
        one of|some of|most of|all of|a lot of|lots of|a couple|a couple of|a few|a bit of|because of|in front of
    """,
    questions=r"""
        (?:and |so |but |okay |hey |well |now |please |then )*(?:what|who|whom|whose|where|when|why|how|which)
            (?:'s|'re|'d|'ll| is| are| was| were| do| does| did| can| could| will| would| should| has| have| had| am
            | about| many| much| long| far| old| often| time| day| kind| color| colour| if)\b
        (?:and |so |but |okay |hey |well |now |please |then )*(?:what|how|which|whose)
            (?! i| he| she| it| we| you| they) \w+ (?:is|are|do|does|did|was|were|can|will|should|would)\b
        (?:and |so |but |okay |hey |well |now |please |then )*(?:who|which|whose) \w+
        (?:and |so |but |okay |hey |well |now |then )*(?:is|are|am|was|were|do|does|did|can|could|will|would|should|have
            |has|had|may|might|isn't|aren't|don't|doesn't|didn't|won't|wouldn't|shouldn't|couldn't|can't) \w+\b
    """,
    clauses="if, when, whenever, because, although, though, while, since, as soon as, after, before, once, unless",
    done=r"""
        (?:yes|yeah|yep|no|nope|sure|okay|ok|thanks|thank you|please|stop|right|correct|exactly|great|good|fine|hello|
            hi
            |bye|goodbye|never mind|good ?(?:morning|night|evening))
        (?:thank you|thanks)(?: so| very)?(?: much| a lot)?
        that(?:'s| is) (?:it|all|right|fine|good|great|enough|correct)
        (?!(?:can|could|would|will) you please$).* (?:please|for me|too|as well|either|right now|now|today|tonight|
            tomorrow|again|thanks|thank you|at all|instead)
        (?:yes|no|yeah|of course|sure|okay),? (?:i|you|he|she|it|we|they|that|there) (?:\w+)(?: not|n't)?
        .*(?:what|how|where|who|why|when|as|than) (?:\w+ )?(?:i|it|he|she|that|this|they|we|you) (?:is|are|am|was|
            were|do|
            did|have|can|could|would)
        (?:here|there) (?:i|you|we|they|he|she|it) (?:am|are|is|go)
        (?:what|which one|who) (?:was|is|are|were) (?:it|that|this|these|those|he|she|they)
        (?:let's|please|just|don't) (?:go|start|begin|continue|stop|wait|try|talk)(?: on)?
        .* to (?:do|be|have)
        .*(?:all about|(?:start|come|turn|do it|game|all|stay|move) over|(?:log|come|turn it|switch it|get) (?:in|on))
        .*(?:think|guess|hope|know|if|wish|sure|suppose) (?:i|he|she|it|we|you|they|that) (?:would|will|did|does|do|can|
            could|should|is|are|has|have|had)
        .*(?:every|all|best|only|any|worst)\b.* there (?:is|was|are)
        i (?:really )?(?:do|am|can|will|did|see|think so|hope so|know|don't know|guess so)
    """,
    numbers="""
        zero, oh, one, two, three, four, five, six, seven, eight, nine, ten, eleven, twelve, thirteen, fourteen
        fifteen
        sixteen, seventeen, eighteen, nineteen, twenty, thirty, forty, fifty, sixty, seventy, eighty, ninety, hundred
        thousand, double, triple
    """,
    digits_after="""
        number, phone, code, zip, postcode, pin, extension, account, card, password, dial, call me at, call me on
        reach me at, reference, serial
    """,
)

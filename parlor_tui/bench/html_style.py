"""How the report looks: one style sheet, for light and dark, wide and narrow."""

STYLE = """
:root { color-scheme: light dark; --page: #fbfbfa; --card: #ffffff; --ink: #1d2126; --soft: #5b636e; --rule: #d9dce1;
  --good: #00674d; --bad: #a33a00; --goal: #1d2126; }
@media (prefers-color-scheme: dark) { :root { --page: #14161a; --card: #1d2026; --ink: #e8eaed; --soft: #a0a8b3;
  --rule: #343942; --good: #4fd1a5; --bad: #ff9a5c; --goal: #ffffff; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.2rem; max-width: 68rem; background: var(--page); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; margin: 0 0 .2rem; } h2 { font-size: 1.2rem; margin: 2.2rem 0 .6rem; }
h3 { font-size: 1rem; margin: 1.2rem 0 .3rem; }
p { margin: .3rem 0 .8rem; } .soft { color: var(--soft); }
.banner { border: 2px solid var(--bad); border-radius: .5rem; padding: .5rem .8rem; font-weight: 600; }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(10.5rem, 1fr)); gap: .7rem; }
.card { background: var(--card); border: 1px solid var(--rule); border-radius: .5rem; padding: .6rem .8rem; }
.card b { display: block; font-size: 1.5rem; line-height: 1.3; font-variant-numeric: tabular-nums; }
.card span { display: block; font-size: .85rem; }
.met { color: var(--good); font-weight: 600; } .missed { color: var(--bad); font-weight: 600; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .88rem; font-variant-numeric: tabular-nums; }
th, td { padding: .28rem .6rem; text-align: left; border-bottom: 1px solid var(--rule); vertical-align: top; }
th { color: var(--soft); font-weight: 600; white-space: nowrap; }
td:first-child { min-width: 9rem; }
.number { text-align: right; white-space: nowrap; }
.rows { display: grid; grid-template-columns: 11rem 1fr 4.5rem; gap: .15rem .8rem; align-items: center; }
.rows .name { font-size: .85rem; line-height: 1.2; overflow-wrap: anywhere; }
.rows .value { text-align: right; font-size: .85rem; font-variant-numeric: tabular-nums; white-space: nowrap; }
.rows .axis { grid-column: 2; } .plot { padding: .4rem 0; }
svg { display: block; width: 100%; overflow: visible; }
.piece { stroke: var(--page); stroke-width: 1; vector-effect: non-scaling-stroke; }
.goal { stroke: var(--goal); stroke-width: 2; stroke-dasharray: 4 3; }
.mark { stroke: var(--soft); stroke-width: 2; }
.dot { stroke: #56b4e9; stroke-width: 3; opacity: .75; }
.p50 { stroke: #0072b2; stroke-width: 3; } .p90 { stroke: #d55e00; stroke-width: 3; }
@media (prefers-color-scheme: dark) { .p50 { stroke: #7cc4f5; } .p90 { stroke: #ff9a5c; } }
.axis { position: relative; height: 1.4rem; font-size: .75rem; color: var(--soft); }
.axis span { position: absolute; transform: translateX(-50%); white-space: nowrap; }
.axis span:first-child { transform: none; }
.legend { display: flex; flex-wrap: wrap; gap: .2rem 1rem; font-size: .85rem; }
.legend span { display: inline-flex; align-items: center; gap: .35rem; }
.legend i { width: .9rem; height: .9rem; border-radius: 2px; display: inline-block; }
details { margin: .6rem 0; } summary { cursor: pointer; color: var(--soft); }
@media (max-width: 40rem) {
  body { padding: .8rem; }
  .rows { grid-template-columns: 1fr 4.5rem; } .rows .name { grid-column: 1 / -1; margin-top: .35rem; }
  .rows .axis { grid-column: 1; }
}
@media print { details > * { display: block; } }
"""

export const STYLESHEET = /* css */ `
:root {
  color-scheme: light dark;
  --ink: light-dark(#1a2129, #e7eaee);
  --quiet: light-dark(#56616d, #a0abb7);
  --paper: light-dark(#f6f7f9, #111519);
  --card: light-dark(#fff, #1a1f25);
  --line: light-dark(#dde2e8, #2d343c);
  --edge: light-dark(#868f99, #6f7a86);
  --accent: light-dark(#0a58a6, #7ab7f5);
  --on-accent: light-dark(#fff, #0b1420);
  --fault: light-dark(#a3211b, #ffa198);
  --on-fault: light-dark(#fff, #1d0b0a);
  --done: light-dark(#166338, #7dd8a4);
  --round: 8px;
}
* { box-sizing: border-box; }
body {
  margin: 0;
  background: var(--paper);
  color: var(--ink);
  font: 1rem/1.55 system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif;
  overflow-wrap: anywhere;
}
.skip { position: absolute; left: -100vw; }
.skip:focus { left: 1rem; padding: 0.5rem; background: var(--card); }
header { background: var(--card); border-bottom: 1px solid var(--line); }
footer { border-top: 1px solid var(--line); }
.bar, main { max-width: 70rem; margin: 0 auto; padding: 0.8rem 1.25rem; }
.bar { display: flex; flex-wrap: wrap; gap: 0.4rem 1.5rem; align-items: center; }
main { padding: 1.5rem 1.25rem 3rem; }
.brand { font-weight: 650; color: inherit; text-decoration: none; margin-right: auto; }
nav { display: flex; flex-wrap: wrap; gap: 0.1rem; align-items: center; font-size: 0.92rem; }
nav a, nav .link { padding: 0.3rem 0.45rem; border-radius: 6px; color: var(--quiet); text-decoration: none; }
nav a:hover, nav .link:hover { color: var(--ink); background: var(--paper); }
header nav [aria-current] { color: var(--ink); background: var(--paper); font-weight: 600; }
nav form { display: inline; }
nav:has(.pages) { display: contents; }
.own, .pages { display: flex; flex-wrap: wrap; gap: 0.1rem; align-items: center; font-size: 0.92rem; }
.pages { flex-basis: 100%; margin: 0 -0.45rem; }
h1 { font-size: clamp(1.5rem, 5vw, 1.9rem); line-height: 1.2; margin: 0 0 1.25rem; letter-spacing: -0.015em; }
h2 { font-size: 1.05rem; line-height: 1.3; margin: 0 0 0.75rem; }
p { margin: 0.75rem 0; }
a { color: var(--accent); text-underline-offset: 0.2em; }
section {
  background: var(--card);
  border: 1px solid var(--line);
  border-radius: 12px;
  padding: 1.25rem 1.4rem;
  margin: 0 0 1.25rem;
}
section > :first-child, section > form > :first-of-type { margin-top: 0; }
section > :last-child, section > form > :last-child { margin-bottom: 0; }
ul { padding-left: 1.2rem; }
.lead { font-size: 1.1rem; max-width: 40rem; }
.quiet, small { color: var(--quiet); font-size: 0.9rem; }
.quiet span + span::before { content: '· '; }
.figure strong { font-size: 2.2rem; line-height: 1.2; font-weight: 650; font-variant-numeric: tabular-nums; letter-spacing: -0.02em; }
.figure, .figure + .quiet { margin: 0 0 0.75rem; }
.actions { display: flex; flex-wrap: wrap; gap: 0.6rem; align-items: center; }
.facts { margin: 0 0 1rem; }
.facts div { display: flex; flex-wrap: wrap; gap: 0 1rem; padding: 0.4rem 0; border-top: 1px solid var(--line); }
.facts dt { flex: 0 0 11rem; color: var(--quiet); }
.facts dt:has(a) { flex-basis: 15rem; }
.facts dd { flex: 1 1 14rem; margin: 0; min-width: 0; }
.facts small { margin-left: 0.5rem; }
h3 { font-size: 0.95rem; margin: 1.25rem 0 0.5rem; }
.field { max-width: 26rem; margin: 0 0 1rem; }
.field label { display: block; font-weight: 550; }
.field small { display: block; margin-top: 0.25rem; }
.field .fault { color: var(--fault); }
[aria-invalid] { border-color: var(--fault); }
.field input[type='range'] { padding: 0; accent-color: var(--accent); }
.field output { display: block; margin-top: 0.3rem; font-weight: 550; font-variant-numeric: tabular-nums; }
.filters { margin-block: 0.75rem 1.25rem; display: grid; grid-template-columns: repeat(auto-fit, minmax(10rem, 1fr)); gap: 0.75rem 1rem; align-items: end; }
.filters .field { margin: 0; }
.filters input:not([type=checkbox]), .filters select { height: 2.75rem; }
.filters button { justify-self: start; }
.inline { display: flex; flex-wrap: wrap; }
.inline .field { flex: 0 1 20rem; }
.inline > label { padding: 0.65rem 0; }
.path { white-space: nowrap; }
.choice span { margin-right: 0.4rem; }
.choice { gap: 0.4rem; font-size: 1rem; margin: 0 0 1.25rem; }
.choice a { border: 1px solid var(--edge); background: var(--card); color: var(--accent); }
.choice [aria-current] { color: var(--on-accent); background: var(--accent); border-color: var(--accent); font-weight: 600; }
.choice [aria-current]:hover { color: var(--on-accent); background: var(--accent); }
fieldset { display: grid; grid-template-columns: repeat(auto-fill, minmax(12rem, 1fr)); gap: 0.25rem 1rem; margin: 0 0 1rem; padding: 0.75rem 1rem; border: 1px solid var(--line); border-radius: var(--round); }
fieldset label { display: flex; gap: 0.5rem; align-items: baseline; }
legend { font-weight: 550; padding: 0 0.3rem; }
details { margin: 0 0 1rem; }
summary { cursor: pointer; margin: 0 0 0.75rem; }
.part { margin: 0; border-top: 1px solid var(--line); }
.part > summary { margin: 0; padding: 0.5rem 0; font-weight: 550; }
.part > .facts { margin: 0 0 0.75rem; padding-left: 1.1rem; }
.qr { display: block; width: 100%; max-width: 15rem; }
.qr rect { fill: #fff; }
.qr path { fill: #000; }
.chart { margin: 0; }
.chart svg { display: block; width: 100%; height: 7rem; }
.chart rect { fill: var(--accent); }
.chart .series-1, .chart-key .series-1 { fill: light-dark(#b4530a, #f0a35e); }
.chart .series-2, .chart-key .series-2 { fill: light-dark(#166338, #7dd8a4); }
.chart .series-3, .chart-key .series-3 { fill: light-dark(#7b3fa0, #cfa3ea); }
.chart .series-4, .chart-key .series-4 { fill: light-dark(#a3211b, #ffa198); }
.chart .series-5, .chart-key .series-5 { fill: var(--edge); }
.chart-key { width: 0.8rem; height: 0.8rem; fill: var(--accent); vertical-align: -0.08rem; }
.legend { list-style: none; display: flex; flex-wrap: wrap; gap: 0.2rem 1.2rem; margin: 0.4rem 0 1.5rem; padding: 0; font-size: 0.9rem; }
.chart path { stroke: var(--edge); vector-effect: non-scaling-stroke; }
.chart figcaption { display: flex; justify-content: space-between; gap: 0 1rem; margin-top: 0.3rem; text-align: center; }
.chart figcaption span + span::before { content: none; }
dialog { width: min(26rem, 92vw); max-height: 80vh; color: var(--ink); background: var(--card); border: 1px solid var(--edge); border-radius: var(--round); }
dialog::backdrop { background: rgb(0 0 0 / 50%); }
dialog input { display: block; width: 100%; margin-top: 0.3rem; padding: 0.5rem; font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--edge); }
.chart output { display: block; min-height: 1.5em; text-align: center; }
.rows .field { margin: 0 0 0.5rem; }
.rows form { display: flex; flex-wrap: wrap; gap: 0.5rem; align-items: end; }
.rows .field input[type='number'] { width: 7rem; }
.field input, .field select, .field textarea {
  display: block;
  width: 100%;
  min-height: 2.7rem;
  margin-top: 0.3rem;
  padding: 0.55rem 0.7rem;
  font: inherit;
  color: inherit;
  background: var(--card);
  border: 1px solid var(--edge);
  border-radius: var(--round);
}
.field [data-slider] { width: max-content; min-width: 100%; max-width: calc(100vw - 5.5rem); }
button, .button {
  display: inline-block;
  padding: 0.55rem 1.1rem;
  font: inherit;
  font-weight: 600;
  line-height: 1.45;
  color: var(--on-accent);
  background: var(--accent);
  border: 1px solid var(--accent);
  border-radius: var(--round);
  text-decoration: none;
  cursor: pointer;
}
button:hover, .button:hover { filter: brightness(1.12); }
.plain { color: var(--accent); background: transparent; border-color: var(--edge); }
[aria-pressed='true'] { color: var(--on-accent); background: var(--accent); }
.danger { color: var(--on-fault); background: var(--fault); border-color: var(--fault); }
.link { padding: 0; color: var(--accent); background: none; border: 0; font-weight: 400; text-decoration: underline; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
.notice { margin: 0 0 1.25rem; padding: 0.8rem 1.1rem; background: var(--card); border: 1px solid currentColor; border-left-width: 4px; border-radius: var(--round); }
.notice.fault { color: var(--fault); }
.notice.done { color: var(--done); }
.notice.note { color: var(--accent); }
.simulated { margin: 0; padding: 0.5rem 1.25rem; text-align: center; font-size: 0.9rem; color: var(--ink); background: light-dark(#fdf0c8, #3b3112); }
pre { margin: 0.5rem 0; padding: 0.8rem 1rem; background: var(--paper); border: 1px solid var(--line); border-radius: var(--round); white-space: pre-wrap; }
code { font: 0.9rem/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
code.quiet { font-size: 0.8rem; }
.small { padding: 0.3rem 0.75rem; font-size: 0.9rem; }
.copy { margin: 0 0 0.75rem; }
.rows { list-style: none; margin: 0; padding: 0; }
.rows li { display: flex; flex-wrap: wrap; gap: 0.5rem 1.5rem; align-items: center; justify-content: space-between; padding: 0.85rem 0; border-top: 1px solid var(--line); }
.rows li:first-child { padding-top: 0; border-top: 0; }
.rows li:last-child { padding-bottom: 0; }
.rows li > :first-child { flex: 1 1 16rem; min-width: 0; }
.rows p { margin: 0.15rem 0 0; }
.rows p.actions, .rows + * { margin-top: 1rem; }
table { width: 100%; border-collapse: collapse; font-size: 0.95rem; }
th, td { overflow-wrap: normal; text-align: left; padding: 0.5rem 0.9rem 0.5rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
th:last-child, td:last-child { padding-right: 0; }
tbody tr:last-child td { border-bottom: 0; }
th { color: var(--quiet); font-size: 0.85rem; font-weight: 550; white-space: nowrap; }
td code, td:has(code) { overflow-wrap: anywhere; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.number + th, .number + td { padding-left: 1rem; }
.date { white-space: nowrap; }
.mail { white-space: pre-wrap; }
.contents { display: block; columns: 18rem; }
.contents details { break-inside: avoid; margin: 0 0 0.75rem; }
.contents summary { margin: 0; font-weight: 600; color: var(--ink); }
.contents a { display: block; overflow-wrap: anywhere; }
.group { font-size: 1.4rem; margin: 2.5rem 0 0.5rem; }
.operation h4 { font-size: 0.95rem; margin: 1.25rem 0 0.5rem; }
@media (max-width: 40rem) {
  .bar { padding: 0.7rem 1rem; }
  main { padding: 1.1rem 1rem 2rem; }
  section { padding: 1rem; }
  header nav, .own { margin: 0 -0.45rem; }
  .path { white-space: normal; }
  .facts dt { flex-basis: 100%; }
  .chart figcaption { flex-wrap: wrap; }
  .chart figcaption span:nth-child(2) { order: -1; flex: 1 0 100%; text-align: left; }
  table { font-size: 0.9rem; }
  th, td { padding-right: 0.6rem; }
  .stacked thead { display: none; }
  .stacked tr { display: block; padding: 0.6rem 0; border-bottom: 1px solid var(--line); }
  .stacked td { display: grid; grid-template-columns: 5.5rem 1fr; gap: 0.75rem; padding: 0.1rem 0; border: 0; text-align: left; white-space: normal; overflow-wrap: anywhere; }
  .stacked td::before { content: attr(data-label); color: var(--quiet); }
}
`;

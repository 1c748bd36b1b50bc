/** `/assets/dashboard.css`. Plain pages: one column, the system's font and colours, light and dark. */
export const STYLESHEET = /* css */ `
:root {
  color-scheme: light dark;
  --ink: light-dark(#1b1f24, #e6e8eb);
  --quiet: light-dark(#59636e, #9aa4af);
  --paper: light-dark(#fbfbfa, #14171a);
  --card: light-dark(#fff, #1c2024);
  --line: light-dark(#dcdfe3, #31373d);
  --accent: light-dark(#0b5cad, #78b4f0);
  --on-accent: light-dark(#fff, #0d1420);
  --fault: light-dark(#a4201a, #ff9d94);
  --done: light-dark(#17693a, #7fd6a2);
}
* { box-sizing: border-box; }
body {
  margin: 0;
  background: var(--paper);
  color: var(--ink);
  font: 1rem/1.55 system-ui, sans-serif;
  overflow-wrap: anywhere;
}
header, main { max-width: 46rem; margin: 0 auto; padding: 1rem 1.25rem; }
header { display: flex; flex-wrap: wrap; gap: 0.5rem 1.5rem; align-items: baseline; }
.brand { font-weight: 650; color: inherit; text-decoration: none; margin-right: auto; }
nav { display: flex; flex-wrap: wrap; gap: 0.25rem clamp(0.7rem, 2.5vw, 1.1rem); align-items: baseline; }
nav form { display: inline; }
h1 { font-size: clamp(1.5rem, 5vw, 2rem); line-height: 1.2; margin: 1rem 0 1.25rem; letter-spacing: -0.01em; }
h2 { font-size: 1.05rem; margin: 0 0 0.75rem; }
a { color: var(--accent); text-underline-offset: 0.2em; }
section {
  background: var(--card);
  border: 1px solid var(--line);
  border-radius: 10px;
  padding: 1.1rem 1.25rem;
  margin: 0 0 1.25rem;
}
section > :first-child { margin-top: 0; }
section > :last-child { margin-bottom: 0; }
ul { padding-left: 1.2rem; }
.lead { font-size: 1.1rem; }
.quiet, small { color: var(--quiet); font-size: 0.9rem; }
.quiet span + span::before { content: '· '; }
.figure strong { font-size: 2.2rem; font-weight: 650; font-variant-numeric: tabular-nums; }
.figure, .figure + .quiet { margin: 0 0 0.75rem; }
.actions { display: flex; flex-wrap: wrap; gap: 0.75rem; }
.field { max-width: 26rem; margin: 0 0 1rem; }
.field label { display: block; font-weight: 550; }
.field small { display: block; margin-top: 0.25rem; }
.field input[type='range'] { padding: 0; }
.field output { display: block; margin-top: 0.3rem; font-weight: 550; font-variant-numeric: tabular-nums; }
.choice { margin: 0 0 1.25rem; }
.choice [aria-current] { color: inherit; font-weight: 650; text-decoration: none; }
fieldset { display: grid; grid-template-columns: repeat(auto-fill, minmax(9rem, 1fr)); gap: 0.25rem 1rem; margin: 0 0 1rem; padding: 0.75rem 1rem; border: 1px solid var(--line); border-radius: 7px; }
legend { font-weight: 550; padding: 0 0.3rem; }
details { margin: 0 0 1rem; }
summary { cursor: pointer; margin: 0 0 0.75rem; }
.chart { margin: 0; }
.chart svg { display: block; width: 100%; height: auto; }
.chart rect { fill: var(--accent); }
.chart path { stroke: var(--line); }
.chart figcaption { display: flex; justify-content: space-between; }
.chart figcaption span + span::before { content: none; }
.rows .field { margin: 0 0 0.5rem; }
.field input, .field select {
  display: block;
  width: 100%;
  margin-top: 0.3rem;
  padding: 0.55rem 0.7rem;
  font: inherit;
  color: inherit;
  background: var(--paper);
  border: 1px solid light-dark(#8b939c, #6b747d);
  border-radius: 7px;
}
button, .button {
  display: inline-block;
  padding: 0.55rem 1.1rem;
  font: inherit;
  font-weight: 600;
  color: var(--on-accent);
  background: var(--accent);
  border: 1px solid var(--accent);
  border-radius: 7px;
  text-decoration: none;
  cursor: pointer;
}
.plain { color: var(--accent); background: transparent; }
.danger { color: var(--fault); background: transparent; border-color: var(--fault); }
.link { padding: 0; color: var(--accent); background: none; border: 0; font-weight: 400; text-decoration: underline; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.notice { padding: 0.7rem 1rem; border: 1px solid currentColor; border-radius: 7px; }
.notice.fault { color: var(--fault); }
.notice.done { color: var(--done); }
pre { margin: 0.5rem 0; padding: 0.8rem 1rem; background: var(--paper); border: 1px solid var(--line); border-radius: 7px; white-space: pre-wrap; }
code { font: 0.9rem/1.5 ui-monospace, monospace; }
.small { padding: 0.25rem 0.7rem; font-size: 0.9rem; }
.copy { margin: 0 0 0.75rem; }
.rows { list-style: none; margin: 0; padding: 0; }
.rows li { display: flex; flex-wrap: wrap; gap: 0.5rem 1.5rem; align-items: center; justify-content: space-between; padding: 0.75rem 0; border-top: 1px solid var(--line); }
.rows li:first-child { padding-top: 0; border-top: 0; }
.rows li:last-child { padding-bottom: 0; }
.rows li > :first-child { flex: 1 1 16rem; min-width: 0; }
.rows p { margin: 0.15rem 0 0; }
table { width: 100%; border-collapse: collapse; font-size: 0.95rem; }
th, td { overflow-wrap: normal; text-align: left; padding: 0.4rem 0.6rem 0.4rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
th { color: var(--quiet); font-weight: 550; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
@media (max-width: 30rem) { nav, table { font-size: 0.9rem; } }
.mail { white-space: pre-wrap; }
`;

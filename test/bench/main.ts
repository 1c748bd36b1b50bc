import { writeFileSync } from 'node:fs';
import { Command } from 'commander';
import type { BenchOptions, BenchReport } from './bench.js';
import { cleanUpAtSignals, cleanup } from './cleanup.js';
import { CLUSTER_FIGURES } from './cluster.bench.js';
import { JOBS_FIGURES } from './jobs.bench.js';
import { machine } from './machine.js';
import { MONEY_FIGURES } from './money.bench.js';

/** A bench; some can measure single figures, or have a short form. */
interface Bench {
  run(figures?: string[], options?: BenchOptions & { names?: number }): Promise<BenchReport>;
}

/** `npm run bench [names…]`: each bench in turn, all by default. */
const BENCHES: Record<string, () => Promise<Bench>> = {
  events: () => import('./events.bench.js'),
  start: () => import('./start.bench.js'),
  gateway: () => import('./gateway.bench.js'),
  cluster: () => import('./cluster.bench.js'),
  ledger: () => import('./ledger.bench.js'),
  lookups: () => import('./lookups.bench.js'),
  jobs: () => import('./jobs.bench.js'),
  corpus: () => import('./corpus.bench.js'),
  money: () => import('./money.bench.js'),
  monitors: () => import('./monitors.bench.js'),
  dashboard: () => import('./dashboard.bench.js'),
};

/** Figures that can be measured separately, by their bench. */
const FIGURES: Record<string, readonly string[]> = {
  cluster: CLUSTER_FIGURES,
  jobs: JOBS_FIGURES,
  money: MONEY_FIGURES,
};

const program = new Command('bench')
  .description('measures the product against its targets, as ratios within one run')
  .argument(
    '[names...]',
    `of ${Object.keys(BENCHES).join(', ')}; single figures: ${Object.values(FIGURES).flat().join(', ')}`,
    Object.keys(BENCHES),
  )
  .option('--short', 'fewer repetitions and shorter runs, if a bench supports them')
  .option('--names <number>', 'for corpus: the number of names in the zone', Number)
  .option('--count <number>', 'for renewal-hour: the number of renewals', Number)
  .option(
    '--rate <number>',
    'for renewal-hour: calls per second to the processor, 80 by default',
    Number,
  )
  .option('--json <file>', 'also write the figures to a file')
  .option('--enforce', 'exit with 1 if a target is missed')
  .parse();

const {
  json,
  enforce,
  short,
  count,
  rate,
  names: zoneNames,
} = program.opts<{
  json?: string;
  enforce?: boolean;
  short?: boolean;
  count?: number;
  rate?: number;
  names?: number;
}>();
const figures = program.args.filter((name) => Object.values(FIGURES).flat().includes(name));
const named = program.args.filter((name) => !figures.includes(name));
// A figure named without its bench also selects the bench.
for (const [bench, ofBench] of Object.entries(FIGURES)) {
  if (ofBench.some((name) => figures.includes(name)) && !named.includes(bench)) named.push(bench);
}
const names = named.length > 0 ? named : Object.keys(BENCHES);
const unknown = names.filter((name) => !(name in BENCHES));
if (unknown.length > 0) program.error(`no such bench: ${unknown.join(', ')}`);

cleanUpAtSignals();
const reports: BenchReport[] = [];
for (const name of names) {
  process.stderr.write(`measuring ${name} …\n`);
  const bench = await BENCHES[name]();
  const report = await bench
    .run(
      figures.filter((figure) => FIGURES[name]?.includes(figure)),
      { isShort: short === true, names: zoneNames, count, rate },
    )
    .finally(async () => cleanup.run());
  reports.push(report);
  process.stdout.write(format(report));
}

if (json) writeFileSync(json, JSON.stringify({ machine: machine(), reports }, null, 2));
const missed = reports.flatMap((report) => report.rows).filter((row) => row.ok === false);
process.stdout.write(`\n${machine()}\n${missed.length} target(s) missed\n`);
process.exit(enforce && missed.length > 0 ? 1 : 0);

function format({ title, rows, notRun = [] }: BenchReport): string {
  const width = Math.max(...rows.map((row) => row.what.length));
  const lines = rows.map(({ what, value, median, unit, target, ok }) => {
    const mark = ok === undefined ? '' : ok ? 'met' : 'MISSED';
    const middle = median === undefined ? '' : ` (median ${Number(median.toPrecision(4))})`;
    const figure = `${Number(value.toPrecision(4))} ${unit}${middle}`.padEnd(30);
    return `  ${what.padEnd(width)}  ${figure}${target ? `target ${target}  ${mark}` : ''}`.trimEnd();
  });
  return `\n${title}\n${lines.join('\n')}\n${notRun.map((text) => `  not run: ${text}\n`).join('')}`;
}

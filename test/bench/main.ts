import { writeFileSync } from 'node:fs';
import { Command } from 'commander';
import type { BenchOptions, BenchReport } from './bench.js';
import { cleanup } from './cleanup.js';
import { machine } from './machine.js';

interface Bench {
  measure(options: BenchOptions): Promise<BenchReport>;
}

/** The benches by name. `npm run bench [names…]` runs the named ones in turn; without a name, it runs all. */
const BENCHES: Record<string, () => Promise<Bench>> = {
  events: () => import('./events.bench.js'),
  start: () => import('./start.bench.js'),
  gateway: () => import('./gateway.bench.js'),
  'two-cores': () => import('./cluster/two-cores.js'),
  storm: () => import('./storm.bench.js'),
  lookups: () => import('./lookups.bench.js'),
  jobs: () => import('./jobs.bench.js'),
  corpus: () => import('./corpus.bench.js'),
  money: () => import('./money.bench.js'),
  dashboard: () => import('./dashboard.bench.js'),
};

const program = new Command('bench')
  .description('measures the product against its targets, as ratios within one run')
  .argument('[names...]', `of ${Object.keys(BENCHES).join(', ')}`, Object.keys(BENCHES))
  .option('--short', 'fewer repetitions and shorter runs, if the bench supports this')
  .option('--names <number>', 'for corpus: the number of names in the zone', Number)
  .option('--json <file>', 'also write the figures to a file')
  .option('--enforce', 'exit with 1 if a target is missed')
  .parse();
const options = program.opts<{
  json?: string;
  enforce?: boolean;
  short?: boolean;
  names?: number;
}>();
const [wanted] = program.processedArgs as [string[]];
const unknown = wanted.filter((name) => !(name in BENCHES));
if (unknown.length > 0) program.error(`no such bench: ${unknown.join(', ')}`);

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => void cleanup.run().then(() => process.exit(130)));
}
const reports: BenchReport[] = [];
for (const name of wanted) {
  process.stderr.write(`measuring ${name} …\n`);
  const report = await measured(name).finally(async () => cleanup.run());
  reports.push(report);
  process.stdout.write(format(report));
}

if (options.json)
  writeFileSync(options.json, JSON.stringify({ machine: machine(), reports }, null, 2));
const missed = reports.flatMap((report) => report.rows).filter((row) => row.ok === false);
process.stdout.write(`\n${machine()}\n${missed.length} target(s) missed\n`);
process.exit(options.enforce && missed.length > 0 ? 1 : 0);

async function measured(name: string): Promise<BenchReport> {
  const { short, names } = options;
  try {
    const { measure } = await BENCHES[name]();
    return await measure({ isShort: short === true, names });
  } catch (error) {
    process.stderr.write(`${name} failed: ${(error as Error).stack?.slice(0, 2_000)}\n`);
    const rows = [{ what: name, value: NaN, unit: '', target: 'to be measured', ok: false }];
    return { title: name, rows, notRun: [`${name}: ${(error as Error).message}`] };
  }
}

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

import { mkdirSync, writeFileSync } from 'node:fs';
import { randomInt } from 'node:crypto';
import { dirname } from 'node:path';
import { Command } from 'commander';
import { machine } from '../bench/machine.js';
import { Random } from '../random.js';
import { closing, line } from './report.js';
import { type Scenario, type ScenarioResult, isNamed } from './scenario.js';
import { SCENARIOS } from './scenarios/index.js';
import { Worker } from './worker.js';

/** Runs the fault matrix with real processes (`npm run prove`). */
const program = new Command('prove')
  .description(
    'kills, pauses and disconnects real processes and skews their clocks, and checks that nothing is lost',
  )
  .option(
    '--only <text...>',
    'only scenarios whose names contain all words of one of these phrases',
  )
  .option(
    '--long',
    'before a release: every scenario, pauses of 60 s, more kills, each flow separately',
  )
  .option(
    '--seed <number>',
    'repeat the choices of the earlier run with this seed',
    String(randomInt(2 ** 31)),
  )
  .option('--json <file>', 'the report', '.data/prove/report.json')
  .option('--enforce', 'exit with 1 if a scenario failed')
  .parse();
const { only, long, seed, json, enforce } = program.opts<{
  only?: string[];
  long?: true;
  seed: string;
  json: string;
  enforce?: true;
}>();
const isLong = long ?? false;
const say = (text: string) => void process.stderr.write(`${text}\n`);

const scenarios = SCENARIOS.filter(
  (scenario) =>
    only?.some((text) => isNamed(scenario, text)) ?? (isLong || !scenario.isForReleases),
);
if (scenarios.length === 0) {
  program.error(`no such scenario; these exist:\n${SCENARIOS.map(({ name }) => name).join('\n')}`);
}
say(`${scenarios.length} scenarios, seed ${seed}${isLong ? ', long' : ''}, ${machine()}`);

const results: ScenarioResult[] = [];
const options = {
  random: new Random(Number(seed)),
  isLong,
  say: (text: string) => say(`     ${text}`),
  done: (result: ScenarioResult) => {
    results.push(result);
    say(`${String(results.length).padStart(3)}/${scenarios.length} ${line(result)}`);
  },
};
const workers = [new Worker(options), new Worker(options), new Worker(options)];
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    void Promise.all(workers.map((worker) => worker.stop())).finally(() => process.exit(130));
  });
}

const run = (worker: Worker, group?: Scenario['group']) =>
  worker.run(scenarios.filter((scenario) => scenario.group === group));
const [main, background, apart] = workers;
const startedAt = new Date().toISOString();
await run(main, 'alone');
// Scenarios spend most of their time waiting, so the groups run in parallel. The background group begins with its
// longest wait.
await Promise.all([
  run(main).then(() => main.stop()),
  run(background, 'background').then(() => background.stop()),
  run(apart, 'apart'),
]);
mkdirSync(dirname(json), { recursive: true });
const report = { startedAt, machine: machine(), seed, isLong, scenarios: results };
writeFileSync(json, `${JSON.stringify(report, null, 2)}\n`);
process.stdout.write(`${closing(results, seed)}\n${json}\n`);
process.exit(enforce && results.some(({ outcome }) => outcome === 'failed') ? 1 : 0);

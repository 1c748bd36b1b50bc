import { mkdirSync, writeFileSync } from 'node:fs';
import { randomInt } from 'node:crypto';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { machine } from '../bench/machine.js';
import { Random } from '../random.js';
import { closing, line } from './report.js';
import { type Scenario, type ScenarioResult, isNamed } from './scenario.js';
import { SCENARIOS } from './scenarios/index.js';
import { Worker } from './worker.js';

/** Runs the fault matrix with real processes (`npm run prove`). README.md describes the options. */
const flag = { type: 'boolean', default: false } as const;
const {
  only,
  long: isLong,
  seed,
  json,
  enforce,
} = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    long: flag,
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
    json: { type: 'string', default: '.data/prove/report.json' },
    enforce: flag,
  },
}).values;
const say = (text: string) => void process.stderr.write(`${text}\n`);

const scenarios = SCENARIOS.filter(
  (scenario) =>
    only?.some((text) => isNamed(scenario, text)) ?? (isLong || !scenario.isForReleases),
);
if (scenarios.length === 0) {
  throw new Error(
    `no such scenario; these exist:\n${SCENARIOS.map(({ name }) => name).join('\n')}`,
  );
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

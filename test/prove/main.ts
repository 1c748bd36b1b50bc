import { mkdirSync, writeFileSync } from 'node:fs';
import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { Command } from 'commander';
import { clusterAvailability } from '../../apps/cluster/src/cluster.js';
import { machine } from '../bench/machine.js';
import { Random } from '../random.js';
import { type ProveReport, closing, line } from './report.js';
import { isNamed } from './scenario.js';
import { SCENARIOS } from './scenarios/index.js';
import { ScenarioRunner } from './run-scenarios.js';

/** `npm run prove`: the fault matrix with real processes. */
const program = new Command('prove')
  .description('kills, stops, cuts and skews real processes, and checks that nothing was lost')
  .option('--only <text...>', 'scenarios whose names contain all words of one of these')
  .option(
    '--long',
    'before a release: every scenario, pauses of 60 s, more kills, each flow separately',
  )
  .option('--seed <number>', 'repeats the choices of an earlier run')
  .option('--json <file>', 'also write the report to a file')
  .option('--folder <path>', 'the folder for the report', '.data/prove')
  .option('--enforce', 'exit with 1 if a scenario failed')
  .option('--keep', 'keep the logs of every process')
  .option('--list', 'only list the scenarios')
  .parse();
const options = program.opts<{
  only?: string[];
  long?: boolean;
  seed?: string;
  json?: string;
  folder: string;
  enforce?: boolean;
  keep?: boolean;
  list?: boolean;
}>();

const say = (text: string) => void process.stderr.write(`${text}\n`);
const isLong = options.long ?? false;
const chosen = SCENARIOS.filter(
  (scenario) =>
    options.only?.some((text) => isNamed(scenario, text)) ?? (isLong || !scenario.isForReleases),
);
if (chosen.length === 0) program.error(`no such scenario: ${options.only?.join(', ')}`);
if (options.list) {
  for (const { name } of chosen) process.stdout.write(`${name}\n`);
  process.exit(0);
}

const missing = clusterAvailability();
const scenarios = missing
  ? chosen.map((scenario) =>
      scenario.isApart ? scenario : { ...scenario, missing: () => missing },
    )
  : chosen;
const seed = Number(options.seed ?? randomInt(2 ** 31));
say(`${scenarios.length} scenarios, seed ${seed}${isLong ? ', long' : ''}, ${machine()}`);
const startedAt = new Date();
const startedMs = performance.now();
if (!options.only && chosen.length < SCENARIOS.length) {
  const left = SCENARIOS.filter((scenario) => !chosen.includes(scenario));
  say(`left to --long: ${left.map(({ name }) => name).join(', ')}`);
}
let count = 0;
const runner = new ScenarioRunner({
  scenarios,
  random: new Random(seed),
  isLong,
  isKept: options.keep ?? false,
  say: (text) => say(`     ${text}`),
  done: (result) => say(`${String(++count).padStart(3)}/${scenarios.length} ${line(result)}`),
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void runner.stop().finally(() => process.exit(130)));
}

const report: ProveReport = {
  startedAt: startedAt.toISOString(),
  machine: machine(),
  seed,
  isLong,
  scenarios: await runner.run(),
  durationMs: 0,
};
report.durationMs = performance.now() - startedMs;
mkdirSync(options.folder, { recursive: true });
const json = `${JSON.stringify(report, null, 2)}\n`;
writeFileSync(join(options.folder, 'report.json'), json);
if (options.json) writeFileSync(options.json, json);
process.stdout.write(`${closing(report)}\n${join(options.folder, 'report.json')}\n`);
process.exit(
  options.enforce && report.scenarios.some(({ outcome }) => outcome === 'failed') ? 1 : 0,
);

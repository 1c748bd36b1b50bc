import { writeFileSync } from 'node:fs';
import { Command } from 'commander';
import {
  type Outcome,
  type Plan,
  SCENARIOS,
  type ScenarioName,
  commandOf,
  minimise,
  planOf,
  runHistory,
} from './histories.js';
import type { Sabotage } from './sabotage.js';
import { installVirtualTime } from './virtual-time.js';
import { FAULTS, type Fault } from './world.js';

interface Options {
  seed?: string;
  histories: string;
  from: string;
  scenario?: ScenarioName;
  size?: string;
  without?: string;
  sabotage?: Sabotage;
  json?: string;
}

/** Failing histories that are made smaller and shown; the rest are counted. */
const SHOWN_MAX = 5;
const realNow = performance.now.bind(performance);

const program = new Command('sim')
  .description('simulated histories of the real code under a virtual clock and every kind of fault')
  .option('--seed <number>', 'one history, replayed')
  .option('--histories <count>', 'so many', '10000')
  .option('--from <seed>', 'the first seed', '1')
  .option('--scenario <name>', `only one of ${SCENARIOS.join(', ')}`)
  .option('--size <count>', 'of a replayed history: commands of its actors')
  .option('--without <faults>', `leave out some of ${FAULTS.join(', ')}`)
  .option('--sabotage <name>', 'break the code under test; finding nothing is then the failure')
  .option('--json <file>', 'also write the report to a file')
  .parse();
const options = program.opts<Options>();

installVirtualTime();
process.on('unhandledRejection', (error) => {
  process.stderr.write(`an error that nobody waited for: ${String((error as Error).stack)}\n`);
  process.exit(1);
});

const startedMs = realNow();
const cpu = process.cpuUsage();
const failed: Outcome[] = [];
const counts = Object.fromEntries(SCENARIOS.map((name) => [name, 0]));
let [steps, crashes] = [0, 0];
for (const plan of plansOf(options)) {
  const outcome = await runHistory(plan);
  counts[plan.scenario]++;
  steps += outcome.steps;
  crashes += outcome.crashes;
  if (outcome.violations.length > 0) failed.push(outcome);
  if (failed.length > 0 && options.sabotage) break;
}
const shown: { seed: number; violations: string[]; replay: string }[] = [];
for (const { plan, violations } of failed.slice(0, SHOWN_MAX)) {
  const least = await minimise(plan);
  shown.push({ seed: plan.seed, violations, replay: commandOf(least) });
}
report();

/** One replayed history, or a range of seeds. */
function* plansOf({
  seed,
  histories,
  from,
  scenario,
  size,
  without,
  sabotage,
}: Options): Iterable<Plan> {
  const leftOut = without?.split(',') ?? [];
  const [first, count] = seed ? [Number(seed), 1] : [Number(from), Number(histories)];
  for (let next = first; next < first + count; next++) {
    const plan = planOf(next, scenario, sabotage);
    const faults = without ? FAULTS.filter((fault) => !leftOut.includes(fault)) : plan.faults;
    yield { ...plan, faults: faults as Fault[], size: size ? Number(size) : plan.size };
  }
}

function report(): void {
  const seconds = (realNow() - startedMs) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const cpuSeconds = (user + system) / 1e6;
  const histories = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const byScenario = SCENARIOS.map((name) => `${counts[name]} ${name}`).join(', ');
  process.stdout.write(
    `${histories} histories (${byScenario}), ${steps} steps, ${crashes} crashes, ` +
      `${seconds.toFixed(1)} s (${cpuSeconds.toFixed(1)} s of CPU); ${failed.length} failed\n`,
  );
  for (const { seed, violations, replay } of shown) {
    process.stdout.write(`\nseed ${seed}\n  ${violations.join('\n  ')}\n  ${replay}\n`);
  }
  if (options.json) {
    const seeds = failed.map(({ plan }) => plan.seed);
    const figures = {
      histories,
      counts,
      steps,
      crashes,
      seconds,
      cpuSeconds,
      failed: seeds,
      shown,
    };
    writeFileSync(options.json, `${JSON.stringify(figures, null, 2)}\n`);
  }
  // Code under test that was left alone in its histories must not keep the process.
  process.exit(failed.length > 0 === (options.sabotage !== undefined) ? 0 : 1);
}

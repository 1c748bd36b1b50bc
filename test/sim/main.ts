import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { type Plan, commandOf, minimise, planOf, runHistories } from './histories.js';
import { SABOTAGES, type Sabotage } from './sabotage.js';
import { installVirtualTime } from './virtual-time.js';
import { FAULTS } from './world.js';

interface Options {
  seed?: string;
  histories: string;
  from: string;
  size?: string;
  without?: string;
  sabotage?: Sabotage | 'all';
  payments: boolean;
  json?: string;
}

/** A failing history, reduced. */
interface Shown {
  seed: number;
  violations: string[];
  replay: string;
}

/** One history of a customer's money and credits, on PostgreSQL, is run for this many histories of machines. */
const HISTORIES_PER_CUSTOMER = 33;
/** The number of failing histories that are reduced and shown; the rest are counted. */
const SHOWN_MAX = 5;
/** The stack depth of errors, except in a replay: stack traces cost more than the histories. */
const STACK_LINES = 0;
const realNow = performance.now.bind(performance);

const program = new Command('sim')
  .description('simulated histories of the real code under a virtual clock and every kind of fault')
  .option('--seed <number>', 'replay only this history')
  .option('--histories <count>', 'number of histories', '10000')
  .option('--from <seed>', 'the first seed; a new one by default', String(randomInt(2 ** 30)))
  .option('--size <count>', 'commands of the actors in a replayed history')
  .option('--without <faults>', `leave out some of ${FAULTS.join(', ')}`)
  .option(
    '--sabotage <name>',
    'break the code under test, and fail if no history notices; all: one by one',
  )
  .option('--no-payments', 'leave out the histories of customers at a processor')
  .option('--json <file>', 'also write the report to a file')
  .parse();
const options = program.opts<Options>();
checkNames(options);

installVirtualTime();
if (!options.seed) Error.stackTraceLimit = STACK_LINES;
process.on('unhandledRejection', (error) => {
  process.stderr.write(`an unhandled error: ${String((error as Error).stack)}\n`);
  process.exit(1);
});
const say = (text: string) => void process.stdout.write(`${text}\n`);
const isGood = options.sabotage === 'all' ? await sabotageAll() : (await run()) && withPayments();
// Code under test that was abandoned in its histories must not keep the process alive.
process.exit(isGood ? 0 : 1);

/**
 * Runs the histories that the options select.
 * @returns whether they ended as they should.
 */
async function run(): Promise<boolean> {
  const startedMs = realNow();
  const cpu = process.cpuUsage();
  if (!options.seed) say(`seeds from ${options.from} (--from ${options.from})`);
  const tally = await runHistories(plansOf(options), ({ histories, failed }) =>
    process.stderr.write(`${histories} histories, ${failed.length} failed\n`),
  );
  const seconds = (realNow() - startedMs) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const cpuSeconds = (user + system) / 1e6;
  const shown: Shown[] = [];
  for (const { plan, violations } of tally.failed.slice(0, SHOWN_MAX)) {
    shown.push(shownOf(await minimise(plan), violations));
  }
  const { histories, steps, crashes, trace, failed } = tally;
  say(
    `${histories} histories, ${steps} steps, ${crashes} crashes, ` +
      `${seconds.toFixed(1)} s (${cpuSeconds.toFixed(1)} s of CPU), trace ${hexOf(trace)}; ` +
      `${failed.length} failed`,
  );
  for (const { seed, violations, replay } of shown) {
    say(`\nseed ${seed}\n  ${violations.join('\n  ')}\n  ${replay}`);
  }
  const seeds = failed.map(({ plan }) => plan.seed);
  const figures = { histories, steps, crashes, seconds, cpuSeconds };
  writeReport({ ...figures, trace: hexOf(trace), failed: seeds, shown });
  return failed.length > 0 === (options.sabotage !== undefined);
}

/**
 * Runs histories of customers at a processor in a separate process, because their time is days, not milliseconds. They
 * are left out if the options replay, narrow or break something.
 * @returns whether all ended as they should.
 */
function withPayments(): boolean {
  const { seed, sabotage, payments, histories, from } = options;
  if (!payments || (seed ?? sabotage)) return true;
  const main = new URL('../billing/histories/main.js', import.meta.url).pathname;
  const count = String(Math.ceil(Number(histories) / HISTORIES_PER_CUSTOMER));
  const words = [main, '--histories', count, '--seed', from];
  return spawnSync(process.execPath, words, { stdio: 'inherit' }).status === 0;
}

/**
 * Runs each sabotage until it is noticed.
 * @returns whether all were.
 */
async function sabotageAll(): Promise<boolean> {
  const found: Partial<Record<Sabotage, Shown & { histories: number }>> = {};
  const names = Object.keys(SABOTAGES) as Sabotage[];
  for (const sabotage of names) {
    const known = planOf(SABOTAGES[sabotage].shownBy, sabotage);
    const plans = [known, ...plansOf({ ...options, sabotage })];
    const { histories, failed } = await runHistories(plans);
    const first = failed.at(0);
    if (first) found[sabotage] = { histories, ...shownOf(first.plan, first.violations) };
    const noticed = found[sabotage]?.violations.join(', ') ?? 'NOT FOUND';
    say(`${sabotage} (${SABOTAGES[sabotage].breaks}): ${noticed}, in history ${histories}`);
    if (first) say(`  ${found[sabotage]?.replay}`);
  }
  writeReport(found);
  return names.every((name) => found[name]);
}

/** The seeds of one replayed history or of a range. */
function* plansOf(of: Options): Iterable<Plan> {
  const { seed, histories, from, size, without } = of;
  const sabotage = of.sabotage === 'all' ? undefined : of.sabotage;
  const leftOut = without?.split(',') ?? [];
  const [first, count] = seed ? [Number(seed), 1] : [Number(from), Number(histories)];
  for (let next = first; next < first + count; next++) {
    const plan = planOf(next, sabotage);
    const faults = without ? FAULTS.filter((fault) => !leftOut.includes(fault)) : plan.faults;
    yield { ...plan, faults, size: size ? Number(size) : plan.size };
  }
}

function shownOf(plan: Plan, violations: string[]): Shown {
  return { seed: plan.seed, violations, replay: commandOf(plan) };
}

/** Rejects unknown names, because otherwise a run would pass without doing what was asked. */
function checkNames({ sabotage, without }: Options): void {
  if (sabotage && sabotage !== 'all' && !(sabotage in SABOTAGES)) {
    program.error(`no such sabotage: ${sabotage}`);
  }
  const unknown = (without?.split(',') ?? []).filter(
    (name) => !FAULTS.some((fault) => fault === name),
  );
  if (unknown.length > 0) program.error(`no such fault: ${unknown.join(', ')}`);
}

function hexOf(trace: number): string {
  return (trace >>> 0).toString(16).padStart(8, '0');
}

function writeReport(figures: object): void {
  if (options.json) writeFileSync(options.json, `${JSON.stringify(figures, null, 2)}\n`);
}

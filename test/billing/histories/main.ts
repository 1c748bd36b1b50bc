import { randomInt } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { Command } from 'commander';
import fc from 'fast-check';
import type { ChosenProcessor } from '#libs/contracts';
import { setupPostgres, teardown } from '../../environment/setup.js';
import { replay } from '../../entitlement/histories/replay.js';
import type { ToldHistory } from '../../entitlement/histories/told-history.js';
import { Random } from '../../random.js';
import { BillingUnderTest } from '../billing-under-test.js';
import { KillableBilling } from '../crashes/killable-billing.js';
import { MONEY_CRASHES, crashOfMoney } from '../crashes/money-crashes.js';
import { BOTH } from '../sides/side-of.js';
import { type MoneyCommand, moneyHistory } from './money-commands.js';
import { MoneyHistory, TAX_RATES } from './money-history.js';
import { travel } from './time-travel.js';

/**
 * Runs histories of money at both processors, and takes fifty accounts through 400 days, outside the test runner. To
 * check the credits, it also delivers all their events to entitlement in other orders. The search ends with the first
 * history that fails; `--path` then reduces that history. With `--crashes`, chosen histories run instead, in each of
 * which billing is killed.
 */
const program = new Command('money-histories')
  .option('--histories <count>', 'number of histories', '300')
  .option(
    '--seed <number>',
    'seed of the histories; by default, a new one',
    String(randomInt(2 ** 30)),
  )
  .option('--path <path>', 'replay only this history of the seed, and reduce it')
  .option('--crashes', 'instead, kill billing at each process boundary at which money can be lost')
  .option('--sample', 'only one crash at each point, chosen by the seed')
  .option('--json <file>', 'also write the kills and faults to a file')
  .parse();
const options = program.opts<
  Record<'histories' | 'seed', string> &
    Partial<Record<'path' | 'json', string>> &
    Record<'crashes' | 'sample', boolean>
>();
const { path, json } = options;
const seed = Number(options.seed);

/** The maximum number of commands in a history. On average, a history has half as many. */
const COMMANDS_MAX = 120;
// Years pass in each history, and the certificate that signs PayPal's callbacks is valid only for decades.
const HISTORIES_AN_INSTALLATION = 40;
const REDUCTION_MS = 600_000;
/** A history takes seconds. If one takes longer than this, something in it does not end. */
const HISTORY_MS = 120_000;
const TOLD_EVERY = 10;
const FAULT_CHARS = 3_000;
/** The error of a client that has waited too long for a database connection. */
const BUSY = /connection timeout|timeout exceeded when trying to connect/;
const ATTEMPTS_MAX = 3;

let opened: BillingUnderTest | undefined;
const faults: string[] = [];
const told: ToldHistory[] = [];
let [histories, commands, kills] = [0, 0, 0];
try {
  await setupPostgres();
  await (options.crashes ? killEverywhere() : runHistories());
  const replayed = await replay(told);
  say(
    `their credits with events in several orders: ${replayed.customers} customers, ${replayed.events} events`,
  );
  replayed.faults.forEach(report);
} catch (error) {
  report(`the run ended early: ${(error as Error).stack}`);
} finally {
  await close().finally(teardown);
  if (json !== undefined) writeFileSync(json, `${JSON.stringify({ kills, faults })}\n`);
}
process.exit(faults.length === 0 && histories > 0 ? 0 : 1);

async function runHistories(): Promise<void> {
  const startedMs = performance.now();
  const steps = moneyHistory(COMMANDS_MAX, 1);
  const property = fc.asyncProperty(steps, fc.constantFrom(...BOTH), live);
  const outcome = await fc.check(property, {
    seed,
    numRuns: path === undefined ? Number(options.histories) : 1,
    path,
    timeout: HISTORY_MS,
    endOnFailure: path === undefined,
    interruptAfterTimeLimit: path === undefined ? undefined : REDUCTION_MS,
  });
  await close();
  say(
    `${histories} histories of money of seed ${seed}, ${commands} commands, ${secondsSince(startedMs)} s`,
  );
  if (outcome.failed) {
    report(`--seed ${seed} --path ${outcome.counterexamplePath}: ${String(outcome.errorInstance)}`);
    if (path !== undefined) report(JSON.stringify(outcome.counterexample));
  }
  if (path !== undefined) return;
  const travelledMs = performance.now();
  opened = await open();
  told.push(...(await travel(opened)));
  say(`400 days of 50 accounts, ${secondsSince(travelledMs)} s`);
}

async function live(steps: readonly MoneyCommand[], processor: ChosenProcessor): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      opened ??= await open();
      const history = await MoneyHistory.begin(opened, processor);
      for (const step of steps) await history.run(step);
      await history.end();
      told.push(await history.told(`history ${told.length + 1}, at ${processor}`));
      break;
    } catch (error) {
      await close();
      if (attempt === ATTEMPTS_MAX || !BUSY.test((error as Error).message)) throw error;
    }
  }
  histories += 1;
  commands += steps.length;
  if (histories % TOLD_EVERY === 0) say(`${histories} of ${options.histories} histories`);
  if (histories % HISTORIES_AN_INSTALLATION === 0) await close();
}

/** Tries each crash with clients that repeat unanswered requests and with clients that do not. */
async function killEverywhere(): Promise<void> {
  const all = [true, false].flatMap((isRepeated) =>
    MONEY_CRASHES.map((crash) => {
      const { flow, point, pass } = crash;
      const name = `${flow}, ${point}:${pass}, ${isRepeated ? 'repeated' : 'not repeated'}`;
      return { crash, isRepeated, name };
    }),
  );
  const random = new Random(seed);
  const sample = [...Map.groupBy(all, ({ crash }) => crash.point).values()];
  const chosen = options.sample ? sample.map((same) => random.pick(same)) : all;
  const billing = await KillableBilling.start({ taxRates: TAX_RATES });
  opened = billing;
  for (const { crash, isRepeated, name } of chosen) {
    billing.isRepeated = isRepeated;
    histories += 1;
    try {
      told.push(await crashOfMoney(billing, crash));
      say(`${name}: passed`);
    } catch (error) {
      report(`${name}: ${(error as Error).message}`);
    }
  }
  kills = billing.deaths;
  await close();
  say(`${kills} kills at boundaries at which money can be lost`);
}

function open(): Promise<BillingUnderTest> {
  return BillingUnderTest.start({ taxRates: TAX_RATES });
}

async function close(): Promise<void> {
  const billing = opened;
  opened = undefined;
  await billing?.stop();
}

/** Prints each finding at once, so that an interrupted run has reported its findings. */
function report(fault: string): void {
  faults.push(fault.slice(0, FAULT_CHARS));
  say(fault.slice(0, FAULT_CHARS));
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

function secondsSince(startedMs: number): string {
  return ((performance.now() - startedMs) / 1000).toFixed(1);
}

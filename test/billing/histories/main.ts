import { writeFileSync } from 'node:fs';
import { Command } from 'commander';
import fc from 'fast-check';
import type { ChosenProcessor } from '#libs/contracts';
import { setupPostgres } from '../../environment/setup.js';
import teardown from '../../environment/teardown.js';
import { replay } from '../../entitlement/histories/replay.js';
import type { ToldHistory } from '../../entitlement/histories/told-history.js';
import { BillingUnderTest } from '../billing-under-test.js';
import { BOTH } from '../sides/side-of.js';
import { MoneyAuditor } from './money-auditor.js';
import { type MoneyCommand, moneyHistory } from './money-commands.js';
import { MoneyHistory, TAX_RATES } from './money-history.js';
import { travel } from './time-travel.js';

/**
 * Runs histories of money at both processors in turn, delivers their events again in other orders to check the credits,
 * and takes fifty accounts through 400 days, all outside the test runner.
 */
const program = new Command('money-histories')
  .option('--histories <count>', 'number of histories', '300')
  .option('--commands <count>', 'commands in each history', '60')
  .option('--seed <number>', 'of the histories', '1')
  .option('--only <number>', 'run only this history')
  .option('--no-travel', 'skip the 400 days')
  .option('--json <file>', 'also write the report to a file')
  .parse();
const options = program.opts<
  Record<'histories' | 'commands' | 'seed', string> & {
    only?: string;
    json?: string;
    travel: boolean;
  }
>();

/** Years pass in each history; the certificate that signs PayPal's callbacks is valid for decades. */
const HISTORIES_AN_INSTALLATION = 40;
/** The number of failing histories that are reduced and shown; the rest are counted. */
const SHOWN_MAX = 3;
const FAULT_CHARS = 3_000;
/** The error of a client that waited too long for a database connection. */
const BUSY = /connection timeout|timeout exceeded when trying to connect/;
const ATTEMPTS_MAX = 3;

let opened: Awaited<ReturnType<typeof open>> | undefined;
const faults: string[] = [];
const told: ToldHistory[] = [];
let [histories, commands] = [0, 0];
let results: Record<'replayed' | 'travelled', unknown> | undefined;
try {
  await setupPostgres();
  await runHistories();
  results = await runTold();
} catch (error) {
  report(`the run ended early: ${(error as Error).stack}`);
} finally {
  await close().finally(teardown);
  const { json } = options;
  const summary = { histories, commands, ...results, faults };
  if (json !== undefined) writeFileSync(json, `${JSON.stringify(summary)}\n`);
}
process.exit(faults.length === 0 && histories > 0 ? 0 : 1);

async function runHistories(): Promise<void> {
  const startedMs = performance.now();
  const [numRuns, seed] = [Number(options.histories), Number(options.seed)];
  const all = fc.sample(moneyHistory(Number(options.commands)), { numRuns, seed });
  let shown = 0;
  for (const [number, steps] of all.entries()) {
    if (options.only !== undefined && number !== Number(options.only)) continue;
    const processor = BOTH[number % BOTH.length];
    const name = `history ${number} of seed ${seed} at ${processor}`;
    const fault = await faultOf(steps, processor, name);
    histories += 1;
    commands += steps.length;
    if (histories % HISTORIES_AN_INSTALLATION === 0) await close();
    if (fault === undefined) continue;
    report(`${name}: ${fault}`);
    if ((shown += 1) <= SHOWN_MAX) report(JSON.stringify(await narrowed(steps, processor, fault)));
  }
  await close();
  const seconds = (performance.now() - startedMs) / 1000;
  say(`${histories} histories of money, ${commands} commands, ${seconds.toFixed(1)} s`);
}

/** Delivers the events of the histories to entitlement, and runs the 400 days. */
async function runTold() {
  const replayed = await replay(told);
  const { customers, events } = replayed;
  say(`their credits in several orders: ${customers} customers, ${events} events`);
  for (const fault of replayed.faults) report(fault);
  const travelled = options.travel ? await travel({ accounts: 50, days: 400 }) : undefined;
  if (travelled) say(travelled.summary);
  for (const fault of travelled?.faults ?? []) report(fault);
  return { replayed, travelled };
}

/**
 * Runs a history in the installation of the previous ones until one fails. A history chosen by the user keeps its
 * installation for `replay`. If the machine was too busy, it runs again.
 */
async function faultOf(
  steps: readonly MoneyCommand[],
  processor: ChosenProcessor,
  name?: string,
): Promise<string | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const { billing, auditor } = (opened ??= await open());
      const history = await MoneyHistory.begin(billing, processor, auditor);
      for (const step of steps) await history.run(step);
      await history.end();
      if (name !== undefined) told.push(await history.told(name));
      return undefined;
    } catch (error) {
      await close();
      const { message } = error as Error;
      if (attempt === ATTEMPTS_MAX || !BUSY.test(message)) return message;
    }
  }
}

/** Reduces a failing history until nothing more can be removed without losing its fault. */
async function narrowed(
  steps: readonly MoneyCommand[],
  processor: ChosenProcessor,
  fault: string,
): Promise<readonly MoneyCommand[]> {
  let kept = steps;
  for (let size = Math.ceil(kept.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let from = 0; from < kept.length;) {
      const fewer = kept.toSpliced(from, size);
      const other = await faultOf(fewer, processor);
      if (other !== undefined && firstLineOf(other) === firstLineOf(fault)) kept = fewer;
      else from += size;
    }
  }
  return kept;
}

function firstLineOf(text: string): string {
  return text.split('\n', 1)[0];
}

async function open() {
  const billing = await BillingUnderTest.start({ taxRates: TAX_RATES });
  return { billing, auditor: await MoneyAuditor.open(billing) };
}

async function close(): Promise<void> {
  const { billing, auditor } = opened ?? {};
  opened = undefined;
  await auditor?.close();
  await billing?.stop();
}

/** Prints at once, so that an interrupted run has reported its findings. */
function report(fault: string): void {
  faults.push(fault.slice(0, FAULT_CHARS));
  say(fault.slice(0, FAULT_CHARS));
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

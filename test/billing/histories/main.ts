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
 * Runs histories of money at both processors, delivers their events again in other orders to check the credits, and
 * takes fifty accounts through 400 days, all outside the test runner. The first history that fails ends the search; a
 * replay of its path makes it smaller.
 */
const program = new Command('money-histories')
  .option('--histories <count>', 'number of histories', '300')
  .option('--commands <count>', 'the most commands in a history; half as many on average', '120')
  .option('--seed <number>', 'of the histories', '1')
  .option('--path <path>', 'replay only this history of the seed, and make it smaller')
  .option('--no-travel', 'skip the 400 days')
  .option('--json <file>', 'also write the report to a file')
  .parse();
const {
  path,
  json,
  travel: travels,
  ...options
} = program.opts<
  Record<'histories' | 'commands' | 'seed', string> & {
    path?: string;
    json?: string;
    travel: boolean;
  }
>();

/** Years pass in each history; the certificate that signs PayPal's callbacks is valid for decades. */
const HISTORIES_AN_INSTALLATION = 40;
/** The time after which the reduction ends and the smallest history so far is shown. */
const REDUCTION_MS = 600_000;
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
  const summary = { histories, commands, ...results, faults };
  if (json !== undefined) writeFileSync(json, `${JSON.stringify(summary)}\n`);
}
process.exit(faults.length === 0 && histories > 0 ? 0 : 1);

async function runHistories(): Promise<void> {
  const startedMs = performance.now();
  const seed = Number(options.seed);
  const steps = moneyHistory(Number(options.commands), 1);
  const property = fc.asyncProperty(steps, fc.constantFrom(...BOTH), live);
  const outcome = await fc.check(property, {
    seed,
    numRuns: path === undefined ? Number(options.histories) : 1,
    path,
    endOnFailure: path === undefined,
    interruptAfterTimeLimit: path === undefined ? undefined : REDUCTION_MS,
  });
  await close();
  const seconds = (performance.now() - startedMs) / 1000;
  say(`${histories} histories of money, ${commands} commands, ${seconds.toFixed(1)} s`);
  if (!outcome.failed) return;
  report(`--seed ${seed} --path ${outcome.counterexamplePath}: ${String(outcome.errorInstance)}`);
  if (path !== undefined) report(JSON.stringify(outcome.counterexample));
}

/** Delivers the events of the histories to entitlement, and runs the 400 days. */
async function runTold() {
  const replayed = await replay(told);
  const { customers, events } = replayed;
  say(`their credits in several orders: ${customers} customers, ${events} events`);
  for (const fault of replayed.faults) report(fault);
  const travelled = travels ? await travel({ accounts: 50, days: 400 }) : undefined;
  if (travelled) say(travelled.summary);
  for (const fault of travelled?.faults ?? []) report(fault);
  return { replayed, travelled };
}

/** Runs a history in the installation of the previous ones, and again if the machine was too busy. */
async function live(steps: readonly MoneyCommand[], processor: ChosenProcessor): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const { billing, auditor } = (opened ??= await open());
      const history = await MoneyHistory.begin(billing, processor, auditor);
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
  if (histories % HISTORIES_AN_INSTALLATION === 0) await close();
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

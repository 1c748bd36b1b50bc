import { setTimeout as sleep } from 'node:timers/promises';
import { AccountUnderTest, PASSWORD } from '../account/account-under-test.js';
import { HASH_COST, hashPassword } from '../../apps/account/src/passwords/password-hash.js';
import { type BenchReport, type BenchRow, openPostgres, percentile } from './bench.js';
import { cleanup } from './cleanup.js';

const LOG_INS = 500;
/** How many of each kind are compared. */
const COMPARED = 30;
const HASHES = 20;
const HEALTH_INTERVAL_MS = 5;
const KNOWN = 'bench@example.com';

/** `npm run bench security`: what hashing costs, and what log-ins tell by the time they take. */
export async function run(): Promise<BenchReport> {
  await openPostgres(false);
  const account = await AccountUnderTest.start();
  cleanup.add(() => account.stop());
  await account.register(KNOWN);
  const rows = [...(await hashing()), ...(await compared(account)), ...(await storm(account))];
  return { title: 'security: passwords and log-ins', rows };
}

async function hashing(): Promise<BenchRow[]> {
  const times: number[] = [];
  for (let i = 0; i < HASHES; i++)
    times.push((await timed(() => hashPassword(PASSWORD, HASH_COST)))[0]);
  return [{ what: 'one hash, alone', value: percentile(times, 0.5), unit: 'ms' }];
}

/** Log-ins in turn, with a wrong password and with an address that nobody has (S24). */
async function compared(account: AccountUnderTest): Promise<BenchRow[]> {
  const known: number[] = [];
  const unknown: number[] = [];
  for (let i = 0; i < COMPARED; i++) {
    known.push((await timed(() => logIn(account, KNOWN, i)))[0]);
    unknown.push((await timed(() => logIn(account, `nobody${i}@example.com`, i)))[0]);
    // A known address waits longer after each wrong password: what is compared is the first try.
    account.clock.advance(900_000);
  }
  const [wrong, nobody] = [percentile(known, 0.5), percentile(unknown, 0.5)];
  return [
    { what: 'log-in, wrong password', value: wrong, unit: 'ms' },
    { what: 'log-in, unknown address', value: nobody, unit: 'ms' },
    { what: 'the two as a ratio', value: nobody / wrong, unit: '' },
  ];
}

/** All at once, each from its own network, while a probe asks for the health of the service (S20). */
async function storm(account: AccountUnderTest): Promise<BenchRow[]> {
  const answers = { served: [] as number[], refused: [] as number[], probe: [] as number[] };
  let isOver = false;
  const probe = async () => {
    while (!isOver) {
      const [ms] = await timed(async () => (await fetch(`${account.service.url}/health`)).text());
      answers.probe.push(ms);
      await sleep(HEALTH_INTERVAL_MS);
    }
  };
  const probing = probe();
  await Promise.all(
    Array.from({ length: LOG_INS }, async (_, i) => {
      const [ms, { status }] = await timed(() => logIn(account, `storm${i}@example.com`, i));
      answers[status === 429 ? 'refused' : 'served'].push(ms);
    }),
  );
  isOver = true;
  await probing;
  const of = `of ${LOG_INS} log-ins at once`;
  return [
    { what: `${of}: served`, value: answers.served.length, unit: '' },
    { what: `${of}: slowest served`, value: percentile(answers.served, 1), unit: 'ms' },
    { what: `${of}: slowest 429`, value: percentile(answers.refused, 1), unit: 'ms' },
    { what: 'meanwhile a probe, p99', value: percentile(answers.probe, 0.99), unit: 'ms' },
  ];
}

async function logIn(account: AccountUnderTest, email: string, place: number) {
  const body = { email, password: 'a wrong password' };
  const headers = { 'x-client-address': `10.${place >> 8}.${place & 255}.1` };
  return account.dashboard('POST', 'log-in', { body, headers });
}

async function timed<T>(work: () => Promise<T>): Promise<[ms: number, result: T]> {
  const begun = performance.now();
  const result = await work();
  return [performance.now() - begun, result];
}

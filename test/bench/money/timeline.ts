import { OperatorDesk } from '../../desk/operator-desk.js';
import { KINDS, plantLife } from '../../desk/long-life.js';
import { type BenchRow, timesRows } from '../bench.js';
import { cleanup } from '../cleanup.js';

const EVENTS = 100_000;
const READINGS = 30;
const TARGET_MS = 100;

/**
 * How long an operator waits for a page of a long life, once the command line has started: its calls to account, billing
 * and entitlement, their queries, and the entry in the audit log.
 */
export async function timelineTimes(): Promise<BenchRow[]> {
  const desk = await OperatorDesk.open();
  cleanup.add(() => desk.close());
  const { accountId } = await desk.account.register('long@life.example');
  const life = { accountId, ofEach: Math.ceil(EVENTS / KINDS) };
  for (const service of ['account', 'billing', 'entitlement'] as const) {
    await plantLife(desk[service].test, service, life);
  }
  const times: number[] = [];
  let before = new Date(Date.now() + 1).toISOString();
  for (let reading = 0; reading < READINGS; reading++) {
    const startedMs = performance.now();
    const page = await desk.answer('account', 'timeline', accountId, '--before', before);
    times.push(performance.now() - startedMs);
    if (page.entries.length < 50) throw new Error('a page is missing');
    before = page.nextBefore as string;
  }
  const what = `a page of the timeline of ${EVENTS.toLocaleString('en')} events of one account`;
  return timesRows(what, times, TARGET_MS);
}

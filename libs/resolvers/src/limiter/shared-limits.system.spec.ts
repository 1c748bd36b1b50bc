import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { UpstreamBudgets } from '#libs/counters';
import { Logger, monotonicMs } from '#libs/platform';
import { ValkeyServer, valkeyAvailability, waitFor } from '#test/environment';
import { type Permit, type Refused, UpstreamLimiter } from './upstream-limiter.js';
import type { Priority } from './upstream.js';
import type { UpstreamLimit } from './upstream-limits.js';

const logger = new Logger('lookup', { write: () => {} });
/** With a shorter timeout, processes on a busy machine would fall back to their own part of the limit. */
const TIMEOUT_MS = 30_000;
const LIMIT: UpstreamLimit = { buckets: [{ burst: 6, perSecond: 40 }], connections: 100 };
/** A daily budget; it does not refill noticeably during a test. */
const DAILY: UpstreamLimit = {
  buckets: [{ burst: 8, perSecond: 8 / 86_400 }],
  connections: 8,
};
const here = valkeyAvailability() === undefined ? describe : describe.skip;

let server: ValkeyServer;
let folder: string;
let hosts = 0;
let host = '';
let opened: UpstreamBudgets[] = [];

async function startProcess(limit: UpstreamLimit = LIMIT): Promise<UpstreamLimiter> {
  const budgets = await UpstreamBudgets.open({ url: server.url, logger, timeoutMs: TIMEOUT_MS });
  opened.push(budgets);
  return new UpstreamLimiter({ budgets, defaultLimit: limit, waitersMax: 1_000 });
}

async function startTwo(limit: UpstreamLimit = LIMIT): Promise<UpstreamLimiter[]> {
  const processes = [await startProcess(limit), await startProcess(limit)];
  await waitFor('the processes to have met', () => opened.every((one) => one.processes === 2));
  return processes;
}

async function turns(
  limiter: UpstreamLimiter,
  count: number,
  priority: Priority = 'live',
  asker = '',
) {
  const ask = async () => granted(await limiter.acquire(host, { priority, asker })).release();
  await Promise.all(Array.from({ length: count }, ask));
}

function granted(answer: Permit | Refused): Permit {
  if (!answer.granted) throw new Error(answer.reason);
  return answer;
}

/** Returns by how much the number of turns taken since a given time exceeds what a full bucket allows. */
function excess(count: number, sinceMs: number, { burst, perSecond } = LIMIT.buckets[0]): number {
  return count - (burst + (perSecond * (monotonicMs() - sinceMs)) / 1_000);
}

here('processes that share the limits of upstreams through one server', () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'dds-valkey-'));
    server = await ValkeyServer.start({ folder });
  });
  beforeEach(() => {
    host = `whois${(hosts += 1)}.example`;
  });
  afterEach(async () => {
    await Promise.all(opened.map((budgets) => budgets.close()));
    opened = [];
    if (!(await server.isRunning())) await server.restart();
  });
  afterAll(async () => {
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('together query a host no more often than a single process may', async () => {
    const [first, second] = await startTwo();
    const sinceMs = monotonicMs();
    await Promise.all([turns(first, 40), turns(second, 40)]);
    expect(excess(80, sinceMs)).toBeLessThanOrEqual(0);
  });

  it('all stop querying a host that throttled one of them', async () => {
    const [first, second] = await startTwo();
    const sinceMs = monotonicMs();
    granted(await first.acquire(host, { priority: 'live' })).throttled(600);
    await waitFor('the other one to be informed', async () => {
      const answer = await second.acquire(host, { priority: 'live' });
      if (answer.granted) answer.failed();
      return !answer.granted && answer.reason === 'paused';
    });
    // One second is allowed for rounding.
    expect(second.pausedForMs(host) + monotonicMs() - sinceMs).toBeGreaterThan(600_000 - 1_000);
    const third = await startProcess();
    expect(await third.acquire(host, { priority: 'live' })).toMatchObject({ reason: 'paused' });
  });

  it('serve an interactive query before a bulk job of another process', async () => {
    const scarce = { buckets: [{ burst: 1, perSecond: 10 }], connections: 100 };
    const [first, second] = await startTwo(scarce);
    let people = 0;
    let jobsBefore = 0;
    const job = turns(first, 12, 'bulk');
    await waitFor('the job to have begun', () => first.waitingFor(host) < 12);
    const begun = 12 - first.waitingFor(host);
    const ask = async () => {
      const permit = granted(await second.acquire(host, { priority: 'live' }));
      people += 1;
      if (people === 5) jobsBefore = 12 - begun - first.waitingFor(host);
      permit.release();
    };
    await Promise.all(Array.from({ length: 5 }, ask));
    // A few queries of the job may have started before the first interactive query was announced.
    expect(jobsBefore).toBeLessThanOrEqual(3);
    await job;
    expect(first.waitingFor(host)).toBe(0);
  });

  it('also share the connections', async () => {
    const [first, second] = await startTwo({
      buckets: [{ burst: 100, perSecond: 100 }],
      connections: 4,
    });
    const permits: Permit[] = [];
    const ask = async (limiter: UpstreamLimiter) => {
      permits.push(granted(await limiter.acquire(host, { priority: 'live' })));
    };
    const all = [first, second].flatMap((limiter) => Array.from({ length: 4 }, () => ask(limiter)));
    await waitFor('four connections', () => permits.length === 4);
    expect([first, second].map((limiter) => limiter.waitingFor(host))).toEqual([2, 2]);
    for (let at = 0; at < permits.length; at += 1) permits[at].release();
    await waitFor('the others', () => permits.length === 8);
    for (const permit of permits) permit.release();
    await Promise.all(all);
  });

  it('each use their part of the limit while the server is down, and share the limit again afterwards', async () => {
    const [first, second] = await startTwo();
    const sinceMs = monotonicMs();
    await turns(first, 1);
    await turns(second, 1);
    await server.stop();
    await waitFor('the loss to be detected', () => opened.every(({ isUsable }) => !isUsable));
    const apartMs = monotonicMs();
    const { burst, perSecond } = LIMIT.buckets[0];
    const apart = async (limiter: UpstreamLimiter) => {
      await turns(limiter, 25);
      return excess(25, apartMs, { burst: burst / 2, perSecond: perSecond / 2 });
    };
    for (const most of await Promise.all([apart(first), apart(second)])) {
      expect(most).toBeLessThanOrEqual(0);
    }

    await server.restart();
    await waitFor('the server to be found', () => opened.every(({ isUsable }) => isUsable));
    await Promise.all([turns(first, 20), turns(second, 20)]);
    // Turns that were taken without the server count as well, so there is no second burst when the server returns.
    expect(excess(92, sinceMs)).toBeLessThanOrEqual(0);
  });

  it('have a daily budget that stays used after they end', async () => {
    const first = await startProcess(DAILY);
    await turns(first, 6);
    const second = await startProcess(DAILY);
    await turns(second, 1, 'live', 'a');
    await turns(second, 1, 'live', 'b');
    const third = await startProcess(DAILY);
    const ended = AbortSignal.timeout(300);
    expect(
      await third.acquire(host, { priority: 'live', asker: 'c', signal: ended }),
    ).toMatchObject({ granted: false, reason: 'cancelled' });
  });

  it('share a daily budget between accounts, whichever processes the accounts use', async () => {
    const scarce = { buckets: [{ burst: 16, perSecond: 16 / 86_400 }], connections: 8 };
    const processes = [await startProcess(scarce), await startProcess(scarce)];
    const asked = { greedy: 0, other: 0 };
    const ask = async (asker: keyof typeof asked, limiter: UpstreamLimiter) => {
      const answer = await limiter.acquire(host, { priority: 'live', asker });
      if (!answer.granted) return answer.reason;
      asked[asker] += 1;
      answer.release();
      return 'goes';
    };
    await ask('other', processes[1]);
    for (let at = 0; at < 12; at += 1) await ask('greedy', processes[at % 2]);
    // A quarter of the tokens that were left before the account's own queries. Without sharing, each process would have
    // allowed three.
    expect(asked).toEqual({ greedy: 3, other: 1 });
    expect(await ask('greedy', processes[1])).toBe('share_used');
    expect(await ask('other', processes[0])).toBe('goes');
  });

  it('return a share that was claimed for a query that was not sent', async () => {
    const limiter = await startProcess({ ...DAILY, connections: 1 });
    const first = granted(await limiter.acquire(host, { priority: 'live', asker: 'a' }));
    const gone = new AbortController();
    const waiting = limiter.acquire(host, { priority: 'live', asker: 'b', signal: gone.signal });
    await waitFor('it to wait', () => limiter.waitingFor(host) === 1);
    gone.abort();
    expect(await waiting).toMatchObject({ reason: 'cancelled' });
    first.release();
    await turns(await startProcess(DAILY), 1, 'live', 'b');
  });
});

import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { type ServiceTokens, monotonicMs, newId } from '#libs/platform';
import { type BenchRow, atMost, percentile } from './bench.js';

const PER_SECOND = 200;
const LOOP_MS = 15_000;
const ALONE_MS = 5_000;
/** A loop that is busy for a given share of each 20 ms. */
const SPIN = `const share = Number(process.argv[1]), rest = new Int32Array(new SharedArrayBuffer(4));
for (;;) {
  const begun = performance.now();
  while (performance.now() - begun < 20 * share);
  if (share < 1) Atomics.wait(rest, 0, 0, 20 * (1 - share));
}`;

export interface JobBeside {
  lookupUrl: string;
  tokens: ServiceTokens;
  /** The CPU time of the processes that do this work, in microseconds. */
  usedUs: () => number;
  nameOf: (n: number) => string;
  /** Resolves when the work is done. */
  job: () => Promise<void>;
}

/** Measures live lookups of one customer during other work, and then during loops that use as much CPU time. */
export async function liveBesideJob(beside: JobBeside): Promise<BenchRow[]> {
  const live = new LiveLookups(beside);
  /** @returns the share of a core that the other work used. */
  const shareWhile = async (work: () => Promise<void>) => {
    const [begunMs, before] = [monotonicMs(), beside.usedUs()];
    const times = await live.run(work);
    return { times, share: (beside.usedUs() - before) / 1_000 / (monotonicMs() - begunMs) };
  };
  await live.run(async () => sleep(ALONE_MS));
  const alone = await shareWhile(async () => sleep(ALONE_MS));
  const { times: withJob, share: ofBoth } = await shareWhile(beside.job);
  const share = Math.max(0, ofBoth - alone.share);
  const loops = spinning(share);
  const withLoop = await live
    .run(async () => sleep(LOOP_MS))
    .finally(() => loops.forEach((loop) => loop.kill()));
  await live.close();
  const [lone, job, other] = [alone.times, withJob, withLoop].map((times) =>
    percentile(times, 0.99),
  );
  const what = `live lookups at ${PER_SECOND} req/s, p99`;
  return [
    { what, value: lone, unit: 'ms' },
    { what: `${what} beside a job`, value: job, unit: 'ms' },
    {
      what: `${what} beside loops with ${Math.round(share * 100)} % of a processor`,
      value: other,
      unit: 'ms',
    },
    atMost(`${what}: beside a job, as a share of that beside the loops`, job / other, 2, '×'),
    { what: 'share of live lookups that were refused', value: live.refusedShare * 100, unit: '%' },
  ];
}

class LiveLookups {
  private readonly agent = new Agent({ connections: 256 });
  private readonly accountId = newId();
  private asked = 0;
  /** Excludes registries that lookup has paused, because simulators are slow on a busy machine. */
  private refused = 0;

  constructor(private readonly beside: Omit<JobBeside, 'job'>) {}

  /**
   * Sends requests at an even pace until `work` ends, no matter how late the answers are.
   * @returns the milliseconds from the time when each request was due to its answer.
   */
  async run(work: () => Promise<void>): Promise<number[]> {
    const times: number[] = [];
    const open = new Set<Promise<void>>();
    let isOver = false;
    const working = work().finally(() => (isOver = true));
    for (let dueMs = monotonicMs(); !isOver; dueMs += 1_000 / PER_SECOND) {
      await sleep(Math.max(0, dueMs - monotonicMs()));
      const one: Promise<void> = this.ask()
        .then((isAnswered) => {
          if (isAnswered) times.push(monotonicMs() - dueMs);
          else this.refused += 1;
        })
        .finally(() => open.delete(one));
      open.add(one);
    }
    await working;
    await Promise.all(open);
    return times;
  }

  get refusedShare(): number {
    return this.refused / this.asked;
  }

  async close(): Promise<void> {
    await this.agent.close();
  }

  private async ask(): Promise<boolean> {
    const { lookupUrl, tokens, nameOf } = this.beside;
    const name = `live-${nameOf((this.asked += 1))}`;
    const { statusCode, body } = await request(
      `${lookupUrl}/internal/whois/live?version=2&domainName=${name}`,
      {
        dispatcher: this.agent,
        headers: {
          authorization: `Bearer ${tokens.issue('gateway', 'lookup')}`,
          'x-account-id': this.accountId,
        },
      },
    );
    await body.dump();
    return statusCode === 200;
  }
}

function spinning(share: number): ChildProcess[] {
  return Array.from({ length: Math.ceil(share) }, (_, n) =>
    spawn(process.execPath, ['-e', SPIN, String(Math.min(1, share - n))], { stdio: 'ignore' }),
  );
}

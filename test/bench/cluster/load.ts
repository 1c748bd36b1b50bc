import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';

/** One request and what became of it. */
export interface Asked {
  startedMs: number;
  endedMs: number;
  /** 0 when no answer came. */
  status: number;
  /** True when nobody listened: the request was never sent. */
  isUnsent: boolean;
  /** The code of the problem, for a refusal. */
  code: string;
  /** Credits the answer says it cost. */
  cost: number;
  /** The limit of the account's minute as the answer names it. */
  limit: number;
}

export interface HammerOptions {
  clients: number;
  /** Ends after this many requests in all, or at this time. */
  requests?: number;
  untilMs?: number;
  /** Requests a second over all clients; as fast as answers come when absent. */
  ratePerSecond?: number;
}

const TIMEOUT_MS = 10_000;
const UNSENT = new Set(['ECONNREFUSED', 'UND_ERR_CONNECT_TIMEOUT']);

/** Asks several gateways in turn, as the clients of one customer behind a balancer do. */
export class Fleet {
  private readonly pools: Pool[];
  private sent = 0;

  constructor(
    urls: string[],
    private readonly apiKey: string,
  ) {
    this.pools = urls.map(
      (url) =>
        new Pool(url, {
          connections: 64,
          connectTimeout: 1_000,
          headersTimeout: TIMEOUT_MS,
          bodyTimeout: TIMEOUT_MS,
        }),
    );
  }

  /** One request for a name that was never asked for before. */
  async ask(gateway: number, apiKey = this.apiKey): Promise<Asked> {
    const path = `/v2.0/whois/live?domainName=n${process.pid}x${this.sent++}.example&apiKey=${apiKey}`;
    const asked: Asked = {
      startedMs: performance.now(),
      endedMs: 0,
      status: 0,
      isUnsent: false,
      code: '',
      cost: 0,
      limit: 0,
    };
    try {
      const { statusCode, headers, body } = await this.pools[gateway].request({
        method: 'GET',
        path,
      });
      const text = await body.text();
      asked.status = statusCode;
      asked.code = /"code":"(\w+)"/.exec(text)?.[1] ?? '';
      asked.cost = Number(headers['x-credits-cost'] ?? 0);
      asked.limit = Number(/q=(\d+)/.exec(String(headers['ratelimit-policy']))?.[1] ?? 0);
    } catch (error) {
      // No whole answer: who asked does not know what became of it, unless it was never sent.
      asked.isUnsent = UNSENT.has((error as { code?: string }).code ?? '');
    }
    asked.endedMs = performance.now();
    return asked;
  }

  /** Keeps `clients` requests under way, each gateway in turn. None is tried again. */
  async hammer(options: HammerOptions): Promise<Asked[]> {
    const { clients, requests = Infinity, untilMs = Infinity, ratePerSecond } = options;
    const answers: Asked[] = [];
    const startedMs = performance.now();
    let number = 0;
    const run = async () => {
      while (number < requests && performance.now() < untilMs) {
        const own = number++;
        if (ratePerSecond) {
          const dueMs = startedMs + (own * 1000) / ratePerSecond;
          await sleep(Math.max(0, dueMs - performance.now()));
        }
        const asked = await this.ask(own % this.pools.length);
        answers.push(asked);
        // A gateway that is down refuses at once.
        if (asked.status === 0) await sleep(20);
      }
    };
    await Promise.all(Array.from({ length: clients }, run));
    return answers;
  }

  async close(): Promise<void> {
    await Promise.all(this.pools.map(async (pool) => pool.destroy()));
  }
}

/** How many were answered in each way: `402 insufficient_credits`, `0` for none at all. */
export function countByAnswer(answers: Asked[]): Record<string, number> {
  const groups = Map.groupBy(answers, ({ status, code }) => `${status} ${code}`.trimEnd());
  return Object.fromEntries([...groups].map(([answer, { length }]) => [answer, length]));
}

/** The most that fell into any 60 seconds, of times in milliseconds. */
export function mostInAMinute(times: number[]): number {
  const sorted = [...times].sort((a, b) => a - b);
  let [most, first] = [0, 0];
  for (let last = 0; last < sorted.length; last++) {
    while (sorted[last] - sorted[first] >= 60_000) first++;
    most = Math.max(most, last - first + 1);
  }
  return most;
}

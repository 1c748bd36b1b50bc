import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AccountBook } from './account-book.js';
import { freshName } from './customer.js';
import { NoAnswer, ask } from './http.js';

export interface LoadOptions {
  book: AccountBook;
  /** Origins that are used in turn. */
  origins: string[];
  customers: { accountId: string; key: string }[];
  perSecond: number;
}

/** The results of a load's requests. */
export interface LoadCounts {
  /** Requests answered with 200. */
  answered: number;
  /** Requests answered with another status, by code. */
  refused: Record<string, number>;
  /** Requests without an answer, by cause. */
  lost: Record<string, number>;
}

const CONNECTIONS_PER_ORIGIN = 32;

/** Sends lookups at a steady rate over keep-alive connections and records each in the book. */
export class Load {
  private readonly stopping = new AbortController();
  private readonly underWay = new Set<Promise<void>>();
  private readonly agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS_PER_ORIGIN });
  private readonly counts: LoadCounts = { answered: 0, refused: {}, lost: {} };
  private readonly running: Promise<void>;
  private sent = 0;

  constructor(private readonly options: LoadOptions) {
    this.running = this.run();
  }

  get answered(): number {
    return this.counts.answered;
  }

  /** Waits for requests in progress. */
  async stop(): Promise<LoadCounts> {
    this.stopping.abort();
    await this.running;
    await Promise.all(this.underWay);
    this.agent.destroy();
    return this.counts;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    const startedAt = performance.now();
    while (!signal.aborted) {
      const request = this.one().finally(() => this.underWay.delete(request));
      this.underWay.add(request);
      const dueAt = startedAt + (++this.sent * 1000) / this.options.perSecond;
      await sleep(Math.max(0, dueAt - performance.now()), undefined, { signal }).catch(() => {});
    }
  }

  private async one(): Promise<void> {
    const { book, origins, customers } = this.options;
    const { accountId, key } = customers[this.sent % customers.length];
    const origin = origins[Math.floor(this.sent / customers.length) % origins.length];
    const url = `${origin}/v2.0/whois/live?format=json&domainName=${freshName()}&apiKey=${key}`;
    try {
      const { status, headers, body } = await ask({ method: 'GET', url, agent: this.agent });
      if (status === 200) {
        book.answered(accountId, Number(headers['x-credits-cost'] ?? 0));
        this.counts.answered++;
        return;
      }
      raise(this.counts.refused, body?.code ?? String(status));
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      book.lost(accountId);
      raise(this.counts.lost, error.message.split(': ').at(-1) as string);
    }
  }
}

function raise(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}

export const sum = (counts: Record<string, number>) =>
  Object.values(counts).reduce((total, count) => total + count, 0);

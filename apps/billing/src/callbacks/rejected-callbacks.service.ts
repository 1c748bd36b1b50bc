import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database';
import { Clock } from '#libs/platform';
import type { CallbackRejected } from './callbacks.errors.js';
import {
  type RejectedCallback,
  type RejectedCount,
  RejectedCallbacksRepository,
} from './rejected-callbacks.repository.js';

const KEPT_BYTES = 4 * 1024;
/** Maximum number of callbacks kept while an earlier batch is being written; further callbacks are only counted. */
const KEPT_AT_ONCE = 20;

interface Gathered {
  counts: Map<string, RejectedCount>;
  kept: RejectedCallback[];
}

/**
 * Counts rejected callbacks. Anyone can send such callbacks, so they are written in batches: each transaction writes
 * all that arrived during the previous one. A flood therefore neither queues for one row nor uses up the connections
 * that genuine callbacks need.
 */
@Injectable()
export class RejectedCallbacksService {
  private gathered: Gathered | undefined;
  private writing: Promise<void> = Promise.resolve();
  private written: Promise<void> | undefined;

  constructor(
    private readonly database: Database,
    private readonly rejected: RejectedCallbacksRepository,
    private readonly clock: Clock,
  ) {}

  /** Resolves when the callback is counted. */
  async note({ processor, reason }: CallbackRejected, raw: Buffer): Promise<void> {
    const receivedAt = this.clock.now();
    const { counts, kept } = (this.gathered ??= nothing());
    const day = receivedAt.toISOString().slice(0, 10);
    const key = `${day} ${processor} ${reason}`;
    const count = (counts.get(key)?.count ?? 0) + 1;
    counts.set(key, { day, processor, reason, count });
    if (kept.length < KEPT_AT_ONCE) {
      const beginning = Buffer.from(raw.subarray(0, KEPT_BYTES));
      kept.push({ processor, reason, receivedAt, sizeBytes: raw.length, raw: beginning });
    }
    this.written ??= this.writing = this.writing.then(
      () => this.write(),
      () => this.write(),
    );
    await this.written;
  }

  private async write(): Promise<void> {
    const gathered = this.gathered;
    this.gathered = undefined;
    this.written = undefined;
    if (!gathered) return;
    await this.database.transaction(async (transaction) => {
      await this.rejected.count(transaction, [...gathered.counts.values()]);
      for (const one of gathered.kept) await this.rejected.keep(transaction, one);
    });
  }
}

const nothing = (): Gathered => ({ counts: new Map(), kept: [] });

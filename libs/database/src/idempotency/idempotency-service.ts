import { Injectable } from '@nestjs/common';
import type { Transaction } from '../transaction.js';
import { Clock, DAY_MS } from '#libs/platform';
import { IdempotencyKeyReused, IdempotencyKeyRunning } from './idempotency.errors.js';
import { IdempotencyRepository } from './idempotency.repository.js';
import type { IdempotentCall } from './idempotent-call.js';

export interface IdempotencyOptions<T> {
  call?: IdempotentCall;
  /** Removes secrets that are shown only once from the answer to be stored. */
  redact?: (answer: T) => T;
}

const KEEP_MS = DAY_MS;

/**
 * Answers a repeated call with the answer to the first call, which is stored in the same transaction as the effect of
 * the call.
 */
@Injectable()
export class IdempotencyService {
  constructor(
    private readonly answers: IdempotencyRepository,
    private readonly clock: Clock,
  ) {}

  /**
   * Runs a call once; without a `call`, only runs `work`.
   * @returns the answer of `work`, or the stored answer to the first call.
   * @throws IdempotencyKeyRunning while the first call is under way; IdempotencyKeyReused if the key was used for
   * another route or body within 24 h.
   */
  async once<T extends object>(
    transaction: Transaction,
    accountId: string,
    { call, redact }: IdempotencyOptions<T>,
    work: () => Promise<T>,
  ): Promise<T> {
    if (!call) return work();
    const now = this.clock.now();
    if (!(await this.answers.tryLock(transaction, accountId, call.key))) {
      throw new IdempotencyKeyRunning();
    }
    await this.answers.deleteOlder(transaction, accountId, new Date(now.getTime() - KEEP_MS));
    const kept = await this.answers.find(transaction, accountId, call.key);
    if (kept) {
      const isSame = kept.route === call.route && kept.bodyHash.equals(call.bodyHash);
      if (!isSame) throw new IdempotencyKeyReused();
      return kept.answer as T;
    }
    const answer = await work();
    await this.answers.insert(transaction, {
      accountId,
      ...call,
      answer: redact ? redact(answer) : answer,
      createdAt: now,
    });
    return answer;
  }

  async forget(transaction: Transaction, accountId: string): Promise<void> {
    await this.answers.deleteAll(transaction, accountId);
  }
}

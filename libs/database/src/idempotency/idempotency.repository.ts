import { Injectable } from '@nestjs/common';
import { LessThan } from 'typeorm';
import type { Transaction } from '../transaction.js';
import { KeptAnswer } from './kept-answer.entity.js';

@Injectable()
export class IdempotencyRepository {
  /** Locks a key until the end of this transaction. @returns false while another transaction uses the same key. */
  async tryLock(transaction: Transaction, accountId: string, key: string): Promise<boolean> {
    const [{ locked }] = await transaction.query<{ locked: boolean }>(
      `select pg_try_advisory_xact_lock(hashtextextended('idempotency ' || $1 || ' ' || $2, 0)) as locked`,
      [accountId, key],
    );
    return locked;
  }

  async deleteOlder(transaction: Transaction, accountId: string, than: Date): Promise<void> {
    await transaction.manager.delete(KeptAnswer, { accountId, createdAt: LessThan(than) });
  }

  async find(transaction: Transaction, accountId: string, key: string): Promise<KeptAnswer | null> {
    return transaction.manager.findOneBy(KeptAnswer, { accountId, key });
  }

  async insert(transaction: Transaction, kept: KeptAnswer): Promise<void> {
    await transaction.manager.insert(KeptAnswer, kept);
  }

  async deleteAll(transaction: Transaction, accountId: string): Promise<void> {
    await transaction.manager.delete(KeptAnswer, { accountId });
  }
}

import { Injectable } from '@nestjs/common';
import type { Transaction } from '../transaction.js';
import type { IdempotentCall } from './idempotent-call.js';

export interface KeptAnswer {
  route: string;
  bodyHash: Buffer;
  answer: object;
}

@Injectable()
export class IdempotencyRepository {
  /** False while another transaction works under the same key. Freed when this one ends. */
  async tryLock(transaction: Transaction, accountId: string, key: string): Promise<boolean> {
    const [{ locked }] = await transaction.query<{ locked: boolean }>(
      `select pg_try_advisory_xact_lock(hashtextextended('idempotency ' || $1 || ' ' || $2, 0)) as locked`,
      [accountId, key],
    );
    return locked;
  }

  async deleteOlder(transaction: Transaction, accountId: string, than: Date): Promise<void> {
    await transaction.query('delete from idempotency where account_id = $1 and created_at < $2', [
      accountId,
      than,
    ]);
  }

  async find(transaction: Transaction, accountId: string, key: string): Promise<KeptAnswer | null> {
    const [row] = await transaction.query<KeptAnswer>(
      `select route, body_hash as "bodyHash", answer from idempotency
       where account_id = $1 and key = $2`,
      [accountId, key],
    );
    return row ?? null;
  }

  async insert(
    transaction: Transaction,
    accountId: string,
    call: IdempotentCall,
    kept: { answer: object; createdAt: Date },
  ): Promise<void> {
    await transaction.query(
      `insert into idempotency (account_id, key, route, body_hash, answer, created_at)
       values ($1, $2, $3, $4, $5, $6)`,
      [accountId, call.key, call.route, call.bodyHash, JSON.stringify(kept.answer), kept.createdAt],
    );
  }

  async deleteAll(transaction: Transaction, accountId: string): Promise<void> {
    await transaction.query('delete from idempotency where account_id = $1', [accountId]);
  }
}

import { Injectable } from '@nestjs/common';
import type { Database, Transaction } from '#libs/database';
import type { Webhook } from './webhook.js';

type Runner = Pick<Database, 'query'> | Pick<Transaction, 'query'>;

const COLUMNS = `id, account_id as "accountId", url, events, state, created_at as "createdAt",
  failing_since as "failingSince", previous_until as "previousUntil"`;

@Injectable()
export class WebhooksRepository {
  /**
   * Makes the account's other new webhooks wait until the transaction ends. @returns the number of the account's
   * webhooks.
   */
  async countLocked(transaction: Transaction, accountId: string): Promise<number> {
    await transaction.query(
      `select pg_advisory_xact_lock(hashtextextended('webhooks ' || $1, 0))`,
      [accountId],
    );
    const [row] = await transaction.query<{ count: number }>(
      'select count(*)::int as count from webhooks where account_id = $1',
      [accountId],
    );
    return row.count;
  }

  async insert(transaction: Transaction, webhook: Webhook, secret: Buffer): Promise<void> {
    const { id, accountId, url, events, createdAt } = webhook;
    await transaction.query(
      `insert into webhooks (id, account_id, url, events, secret, created_at) values ($1, $2, $3, $4, $5, $6)`,
      [id, accountId, url, events, secret, createdAt],
    );
  }

  async find(runner: Runner, accountId: string, id: string): Promise<Webhook | undefined> {
    const [webhook] = await runner.query<Webhook>(
      `select ${COLUMNS} from webhooks where account_id = $1 and id = $2`,
      [accountId, id],
    );
    return webhook;
  }

  /**
   * Finds a webhook and locks its row until the transaction ends; returns undefined if the account
   * has no such webhook.
   */
  async lock(
    transaction: Transaction,
    accountId: string,
    id: string,
  ): Promise<Webhook | undefined> {
    const [webhook] = await transaction.query<Webhook>(
      `select ${COLUMNS} from webhooks where account_id = $1 and id = $2 for no key update`,
      [accountId, id],
    );
    return webhook;
  }

  async list(
    runner: Runner,
    accountId: string,
    { limit, after }: { limit: number; after?: string },
  ): Promise<Webhook[]> {
    return runner.query<Webhook>(
      `select ${COLUMNS} from webhooks where account_id = $1 and ($3::uuid is null or id < $3)
       order by id desc limit $2`,
      [accountId, limit, after ?? null],
    );
  }

  async update(
    transaction: Transaction,
    { accountId, id, url, events, state, failingSince }: Webhook,
  ): Promise<void> {
    await transaction.query(
      `update webhooks set url = $3, events = $4, state = $5, failing_since = $6 where account_id = $1 and id = $2`,
      [accountId, id, url, events, state, failingSince],
    );
  }

  async rotate(
    transaction: Transaction,
    { accountId, id }: Pick<Webhook, 'accountId' | 'id'>,
    { secret, previousUntil }: { secret: Buffer; previousUntil: Date },
  ): Promise<void> {
    await transaction.query(
      `update webhooks set previous_secret = secret, previous_until = $4, secret = $3
       where account_id = $1 and id = $2`,
      [accountId, id, secret, previousUntil],
    );
  }

  async delete(transaction: Transaction, accountId: string, id: string): Promise<void> {
    await transaction.query('delete from webhooks where account_id = $1 and id = $2', [
      accountId,
      id,
    ]);
  }

  async deleteOfAccount(transaction: Transaction, accountId: string): Promise<void> {
    await transaction.query('delete from webhooks where account_id = $1', [accountId]);
  }
}

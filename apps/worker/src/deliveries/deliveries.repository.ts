import { Injectable } from '@nestjs/common';
import { WEBHOOK_TEST_EVENT } from '#libs/contracts';
import type { Database, Transaction } from '#libs/database';
import { mayBeTold } from '../accounts/may-be-told.js';
import type { AddressedDelivery, Delivery } from './delivery.js';
import type { TryOutcome } from './try-outcome.js';

type Runner = Pick<Database, 'query'> | Pick<Transaction, 'query'>;

const COLUMNS = `d.id, d.webhook_id as "webhookId", d.account_id as "accountId", d.type, d.body, d.state, d.tries,
  d.created_at as "createdAt", d.last_try_at as "lastTryAt", d.response_status as "responseStatus", d.fault`;

type NewDelivery = Pick<Delivery, 'id' | 'webhookId' | 'accountId' | 'type' | 'body'> & {
  eventId: string;
  createdAt: Date;
};

@Injectable()
export class DeliveriesRepository {
  /**
   * Lists the active webhooks that subscribe to a type; none if the account is deleted or suspended. They cannot be
   * removed until the transaction ends.
   */
  async listListening(
    transaction: Transaction,
    accountId: string,
    type: string,
  ): Promise<string[]> {
    const rows = await transaction.query<{ id: string }>(
      `select id from webhooks w where account_id = $1 and state = 'active' and $2 = any(events)
         and ${mayBeTold('w')}
       order by id for key share of w`,
      [accountId, type],
    );
    return rows.map(({ id }) => id);
  }

  async listAccountsListening(
    runner: Runner,
    type: string,
    { after, limit }: { after?: string; limit: number },
  ): Promise<string[]> {
    const rows = await runner.query<{ accountId: string }>(
      `select distinct account_id as "accountId" from webhooks w
       where state = 'active' and $1 = any(events) and ($2::uuid is null or account_id > $2)
         and ${mayBeTold('w')} order by account_id limit $3`,
      [type, after ?? null, limit],
    );
    return rows.map(({ accountId }) => accountId);
  }

  /** @returns false if this event has already been added for this webhook. */
  async insert(transaction: Transaction, delivery: NewDelivery): Promise<boolean> {
    const { id, webhookId, accountId, eventId, type, body, createdAt } = delivery;
    const rows = await transaction.query(
      `insert into webhook_deliveries (id, webhook_id, account_id, event_id, type, body, created_at)
       values ($1, $2, $3, $4, $5, $6, $7) on conflict (webhook_id, event_id) do nothing returning id`,
      [id, webhookId, accountId, eventId, type, body, createdAt],
    );
    return rows.length === 1;
  }

  /**
   * Makes other tests of a webhook, and its removal, wait until the transaction ends. @returns false if the account has
   * no such webhook.
   */
  async lockWebhook(
    transaction: Transaction,
    { accountId, webhookId }: Pick<Delivery, 'accountId' | 'webhookId'>,
  ): Promise<boolean> {
    const rows = await transaction.query(
      'select from webhooks where account_id = $1 and id = $2 for no key update',
      [accountId, webhookId],
    );
    return rows.length === 1;
  }

  /**
   * Returns the time of the newest test of a webhook after `since`, not counting the `skipped` newest ones; undefined
   * if there is none.
   */
  async testBefore(
    transaction: Transaction,
    { accountId, webhookId }: Pick<Delivery, 'accountId' | 'webhookId'>,
    { since, skipped }: { since: Date; skipped: number },
  ): Promise<Date | undefined> {
    const [test] = await transaction.query<{ at: Date }>(
      `select created_at as at from webhook_deliveries where account_id = $1 and webhook_id = $2 and type = $3
         and created_at > $4
       order by created_at desc offset $5 limit 1`,
      [accountId, webhookId, WEBHOOK_TEST_EVENT, since, skipped],
    );
    return test?.at;
  }

  async find(
    runner: Runner,
    { accountId, webhookId }: Pick<Delivery, 'accountId' | 'webhookId'>,
    deliveryId: string,
  ): Promise<Delivery | undefined> {
    const [delivery] = await runner.query<Delivery>(
      `select ${COLUMNS} from webhook_deliveries d where d.account_id = $1 and d.webhook_id = $2 and d.id = $3`,
      [accountId, webhookId, deliveryId],
    );
    return delivery;
  }

  async findAddressed(runner: Runner, id: string): Promise<AddressedDelivery | undefined> {
    const [delivery] = await runner.query<AddressedDelivery>(
      `select ${COLUMNS}, w.url, w.state as "webhookState", w.failing_since is not null as "isFailing", w.secret,
         w.previous_secret as "previousSecret", w.previous_until as "previousUntil",
         ${mayBeTold('d')} as "mayBeSent"
       from webhook_deliveries d join webhooks w on w.id = d.webhook_id where d.id = $1`,
      [id],
    );
    return delivery;
  }

  async list(
    runner: Runner,
    { accountId, webhookId }: Pick<Delivery, 'accountId' | 'webhookId'>,
    { limit, after }: { limit: number; after?: string },
  ): Promise<Delivery[]> {
    return runner.query<Delivery>(
      `select ${COLUMNS} from webhook_deliveries d
       where d.account_id = $1 and d.webhook_id = $2 and ($4::uuid is null or d.id < $4)
       order by d.id desc limit $3`,
      [accountId, webhookId, limit, after ?? null],
    );
  }

  async setPending(transaction: Transaction, accountId: string, id: string): Promise<void> {
    await transaction.query(
      `update webhook_deliveries set state = 'pending', tries = 0 where account_id = $1 and id = $2`,
      [accountId, id],
    );
  }

  /**
   * Stores the outcome of an attempt, and since when the webhook has been failing.
   * @returns false if the delivery was started again during the attempt; the delivery then stays unchanged.
   */
  async putTry(
    transaction: Transaction,
    { id, webhookId, tries }: Delivery,
    { responseStatus, fault, state, at }: TryOutcome & { state: Delivery['state']; at: Date },
  ): Promise<boolean> {
    // The webhook's row is changed first, as when a webhook is removed with its deliveries; otherwise, the two could
    // deadlock.
    await transaction.query(
      `update webhooks set failing_since = case when $2 then coalesce(failing_since, $3) end
       where id = $1 and ($2 or failing_since is not null)`,
      [webhookId, fault !== undefined, at],
    );
    const count = await transaction.execute(
      `update webhook_deliveries set state = $2, tries = tries + 1, last_try_at = $3, response_status = $4, fault = $5
       where id = $1 and tries = $6`,
      [id, state, at, responseStatus ?? null, fault ?? null, tries],
    );
    return count === 1;
  }

  async setFailed(
    transaction: Transaction,
    { accountId, id }: Pick<Delivery, 'accountId' | 'id'>,
    fault: string,
  ): Promise<void> {
    await transaction.query(
      `update webhook_deliveries set state = 'failed', fault = $3 where account_id = $1 and id = $2`,
      [accountId, id, fault],
    );
  }

  /** Whether the delivery's webhook has accepted any event since the delivery was created. */
  async hasArrivedSince(runner: Runner, { webhookId, createdAt }: Delivery): Promise<boolean> {
    const rows = await runner.query(
      `select from webhook_deliveries where webhook_id = $1 and state = 'delivered' and last_try_at >= $2 limit 1`,
      [webhookId, createdAt],
    );
    return rows.length > 0;
  }

  /** @returns false if the webhook was no longer active. */
  async disable(
    transaction: Transaction,
    { accountId, webhookId }: Pick<Delivery, 'accountId' | 'webhookId'>,
  ): Promise<boolean> {
    const rows = await transaction.query(
      `update webhooks set state = 'disabled'
       where account_id = $1 and id = $2 and state = 'active' returning id`,
      [accountId, webhookId],
    );
    return rows.length === 1;
  }

  async deleteBefore(runner: Runner, before: Date, limit: number): Promise<number> {
    const rows = await runner.query(
      `delete from webhook_deliveries where id in (
         select id from webhook_deliveries where created_at < $1 order by created_at limit $2) returning id`,
      [before, limit],
    );
    return rows.length;
  }
}

import { Injectable } from '@nestjs/common';
import type { SubscriptionLineName } from '#libs/contracts';
import type { Transaction } from '#libs/database';
import { MINUTE_MS } from '#libs/platform';
import type { ProcessorName } from '../processors/payment-processor.js';
import { Subscription } from './subscription.entity.js';

/** The time limit of a plan change: its calls to the processor take up to ten seconds each. */
const CHANGE_MS = 5 * MINUTE_MS;

/** The columns needed to decide about a subscription, so that the whole row need not be read. */
interface KnownSubscription {
  accountId: string;
  isCurrent: boolean;
  isDuplicate: boolean;
}

@Injectable()
export class SubscriptionsRepository {
  async insert(transaction: Transaction, subscription: Subscription): Promise<void> {
    await transaction.manager.insert(Subscription, subscription);
  }

  async update(
    transaction: Transaction,
    { accountId, id }: Subscription,
    changes: Partial<Subscription>,
  ): Promise<void> {
    await transaction.manager.update(Subscription, { accountId, id }, changes);
  }

  /**
   * Locks a subscription until the transaction ends, which may be idle for longer than others: it waits for several
   * calls to a processor. @returns false while another transaction has the lock.
   */
  async tryLock(transaction: Transaction, accountId: string, id: string): Promise<boolean> {
    const [{ locked }] = await transaction.query<{ locked: boolean }>(
      `select pg_try_advisory_xact_lock(hashtextextended('plan ' || $1 || ' ' || $2, 0)) as locked,
         set_config('idle_in_transaction_session_timeout', $3, true)`,
      [accountId, id, `${CHANGE_MS}ms`],
    );
    return locked;
  }

  /**
   * Lets one transaction at a time decide about an account's subscriptions. Whether a subscription is the current one
   * of its line, and what its bills paid for, depends on rows that another transaction may be writing. Call this before
   * reading those rows.
   */
  async lock(transaction: Transaction, accountId: string): Promise<void> {
    await transaction.query(
      `select pg_advisory_xact_lock(hashtextextended('subscriptions ' || $1, 0))`,
      [accountId],
    );
  }

  /**
   * Locks the account's subscriptions, then reads the one with this id; returns null if it is
   * unknown.
   */
  async lockByExternalId(
    transaction: Transaction,
    processor: ProcessorName,
    externalId: string,
  ): Promise<Subscription | null> {
    const known = await this.findKnown(transaction, processor, externalId);
    if (!known) return null;
    await this.lock(transaction, known.accountId);
    return this.findByExternalId(transaction, processor, externalId);
  }

  /**
   * Finds a subscription by the processor's id, with only the columns needed; returns undefined if
   * it is unknown. Every renewal runs this query several times, and reading the whole row costs
   * five times as much.
   */
  async findKnown(
    transaction: Transaction,
    processor: ProcessorName,
    externalId: string,
  ): Promise<KnownSubscription | undefined> {
    const [known] = await transaction.query<KnownSubscription>(
      `select account_id as "accountId", is_current as "isCurrent", is_duplicate as "isDuplicate"
       from subscriptions where processor = $1 and external_id = $2`,
      [processor, externalId],
    );
    return known;
  }

  async isHeld(
    transaction: Transaction,
    processor: ProcessorName,
    billId: string,
  ): Promise<boolean> {
    const held = await transaction.query(
      'select from subscriptions where processor = $1 and $2 = any(held_bill_ids) limit 1',
      [processor, billId],
    );
    return held.length > 0;
  }

  async findByExternalId(
    transaction: Transaction,
    processor: ProcessorName,
    externalId: string,
  ): Promise<Subscription | null> {
    return transaction.manager.findOneBy(Subscription, { processor, externalId });
  }

  async find(
    transaction: Transaction,
    accountId: string,
    id: string,
  ): Promise<Subscription | null> {
    return transaction.manager.findOneBy(Subscription, { accountId, id });
  }

  async findCurrent(
    transaction: Transaction,
    accountId: string,
    line: SubscriptionLineName,
  ): Promise<Subscription | null> {
    return transaction.manager.findOneBy(Subscription, { accountId, line, isCurrent: true });
  }

  /**
   * Finds the subscription that a payment paid for; null if there is none, or if the payment is
   * refunded because its change came after its period.
   */
  async findPaidBy(
    transaction: Transaction,
    accountId: string,
    { paymentId, now }: { paymentId: string; now: Date },
  ): Promise<Subscription | null> {
    return transaction.manager
      .createQueryBuilder(Subscription, 'subscription')
      .where('subscription.accountId = :accountId', { accountId })
      .andWhere(
        `subscription.id in (select l.subscription_id from payment_lines l join payments p on p.id = l.payment_id
           where p.id = :paymentId and (p.is_announced or not l.is_change or l.period_end > :now))`,
        { paymentId, now },
      )
      .getOne();
  }

  async list(transaction: Transaction, accountId: string): Promise<Subscription[]> {
    return transaction.manager
      .createQueryBuilder(Subscription, 'subscription')
      .where('subscription.accountId = :accountId', { accountId })
      .orderBy('subscription.id', 'DESC')
      .getMany();
  }
}

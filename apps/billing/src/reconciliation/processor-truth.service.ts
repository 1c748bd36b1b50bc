import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database';
import type { Payment } from '../payment-records/payment.entity.js';
import { PaymentProcessors } from '../processors/payment-processors.js';
import { SubscriptionsService } from '../subscriptions/subscriptions.service.js';
import type { Subscription } from '../subscriptions/subscription.entity.js';
import { SyncService } from '../processor-sync/sync.service.js';
import { type Comparisons, NotAnswered } from './comparisons.js';
import type { Finding } from './finding.js';
import { ProcessorMoneyService } from './processor-money.service.js';

/** The columns whose differences are reported. The processor's values are authoritative. */
const FOLLOWING = ['state', 'sku', 'quantity', 'periodStart', 'periodEnd', 'cancelAt'] as const;

/** Checks whether our rows agree with the processors (I14). */
@Injectable()
export class ProcessorTruthService {
  constructor(
    private readonly database: Database,
    private readonly processors: PaymentProcessors,
    private readonly subscriptions: SubscriptionsService,
    private readonly syncing: SyncService,
    private readonly money: ProcessorMoneyService,
  ) {}

  /** Fetches and finds objects that the processors list for a period but that we have no row for. */
  async ofListed(since: Date, until: Date, comparisons: Comparisons): Promise<void> {
    await this.money.findUnknown(since, until, comparisons);
  }

  /** @throws NotAnswered. */
  async ofPayment(payment: Payment): Promise<Finding | undefined> {
    const { accountId, externalId: id, amountMicros, currency } = payment;
    const fetched = await this.processors.find(payment.processor)?.fetch({ kind: 'payment', id });
    const found = { kind: 'processor', accountId, subject: `payment ${payment.id}` } as const;
    if (fetched?.outcome !== 'done') {
      return { ...found, detail: notFetched(fetched?.outcome ?? 'refused'), isHealed: false };
    }
    const { value } = fetched;
    if (value.kind !== 'payment') return undefined;
    const theirs = `${value.state} ${value.amountMicros} ${value.currency}`;
    if (theirs === `succeeded ${amountMicros} ${currency}`) return undefined;
    return { ...found, detail: `the processor has ${theirs}`, isHealed: false };
  }

  /**
   * Stores the processor's state. A row that had to change is a healed finding; a state that cannot be fetched is a
   * finding that is not healed.
   * @returns undefined if the row was correct. @throws NotAnswered.
   */
  async ofSubscription(row: Subscription): Promise<Finding | undefined> {
    const { accountId, processor, externalId: id } = row;
    const result = await this.syncing.sync({ processor, kind: 'subscription', id });
    const found = { kind: 'processor', accountId, subject: `subscription ${row.id}` } as const;
    if (result !== 'synced') {
      return { ...found, detail: notFetched(result), isHealed: false };
    }
    const now = await this.database.transaction((transaction) =>
      this.subscriptions.find(transaction, accountId, row.id),
    );
    const differing = FOLLOWING.filter((name) => String(now?.[name]) !== String(row[name]));
    if (differing.length === 0) return undefined;
    return { ...found, detail: `${differing.join(', ')} was out of date`, isHealed: true };
  }
}

/** @throws NotAnswered if the processor gave no answer. */
function notFetched(outcome: string): string {
  const detail = `the processor says ${outcome}`;
  if (outcome === 'unknown') throw new NotAnswered(detail);
  return detail;
}

import { Injectable } from '@nestjs/common';
import type { ReconciliationAnswer } from '#libs/contracts';
import { MaintenanceDatabase } from '#libs/database';
import { newId, FIRST_ID } from '#libs/platform';
import { StoredPaymentLine } from '../payment-records/payment-line.entity.js';
import { Payment } from '../payment-records/payment.entity.js';
import { Subscription } from '../subscriptions/subscription.entity.js';
import type { ProcessorName, ProcessorRef } from '../processors/payment-processor.js';
import type { ComparedLine, Finding } from './finding.js';

type Run = Pick<ReconciliationAnswer, 'lines' | 'payments' | 'subscriptions'> & {
  startedAt: Date;
  endedAt: Date;
};

const PAGE_ROWS = 500;

@Injectable()
export class ReconciliationMaintenanceRepository {
  constructor(private readonly maintenance: MaintenanceDatabase) {}

  /**
   * Lists the next page, by id, of the lines of payments that were announced, and confirmed before `before`. Each line
   * has its payment's reversed amounts, and says whether a reversal has changed since `before`.
   */
  async listLines(before: Date, after = FIRST_ID): Promise<ComparedLine[]> {
    const lines = await this.maintenance.transaction((transaction) =>
      transaction.manager
        .createQueryBuilder(StoredPaymentLine, 'line')
        .innerJoin(Payment, 'payment', 'payment.id = line.paymentId')
        .where('line.id > :after and payment.isAnnounced', { after })
        .andWhere('payment.confirmedAt < :before', { before })
        .orderBy('line.id')
        .limit(PAGE_ROWS)
        .getMany(),
    );
    const taken = await this.maintenance.query<{ id: string; micros: string; isChanging: boolean }>(
      `select payment_id as id, coalesce(sum(amount_micros) filter (where state = 'final'), 0)::text as micros,
         max(updated_at) >= $2 as "isChanging"
       from reversals where payment_id = any($1) group by payment_id`,
      [lines.map(({ paymentId }) => paymentId), before],
    );
    const byPayment = new Map(taken.map(({ id, ...reversed }) => [id, reversed]));
    return lines.map((line) => {
      const { micros = '0', isChanging = false } = byPayment.get(line.paymentId) ?? {};
      return { ...line, reversedMicros: BigInt(micros), isChanging };
    });
  }

  /** Lists the next page of payments greater than zero that were confirmed since `since`, by id. */
  async listPayments(since: Date, after = FIRST_ID): Promise<Payment[]> {
    return this.maintenance.transaction((transaction) =>
      transaction.manager
        .createQueryBuilder(Payment, 'payment')
        .where('payment.id > :after and payment.confirmedAt >= :since', { after, since })
        .andWhere('payment.amountMicros > 0')
        .orderBy('payment.id')
        .limit(PAGE_ROWS)
        .getMany(),
    );
  }

  async listRunning(after = FIRST_ID): Promise<Subscription[]> {
    return this.maintenance.transaction((transaction) =>
      transaction.manager
        .createQueryBuilder(Subscription, 'subscription')
        .where('subscription.id > :after', { after })
        .andWhere(`subscription.state not in ('cancelled', 'expired')`)
        .orderBy('subscription.id')
        .limit(PAGE_ROWS)
        .getMany(),
    );
  }

  /** Lists the objects in `refs` that we have no row for, in the same order. */
  async listUnknown(
    processor: ProcessorName,
    refs: readonly ProcessorRef[],
  ): Promise<ProcessorRef[]> {
    if (refs.length === 0) return [];
    const known = await this.maintenance.query<{ id: string }>(
      `select external_id as id from payments where processor = $1 and external_id = any($2)
       union all select bill_id from payments where processor = $1 and bill_id = any($2)
       union all select external_id from reversals where processor = $1 and external_id = any($2)`,
      [processor, refs.map(({ id }) => id)],
    );
    const ids = new Set(known.map(({ id }) => id));
    return refs.filter(({ id }) => !ids.has(id));
  }

  async insertRun(run: Run, findings: readonly Finding[]): Promise<string> {
    const id = newId();
    const { startedAt, endedAt, lines, payments, subscriptions } = run;
    await this.maintenance.transaction(async (transaction) => {
      await transaction.query(
        `insert into reconciliation_runs (id, started_at, ended_at, lines, payments, subscriptions)
         values ($1, $2, $3, $4, $5, $6)`,
        [id, startedAt, endedAt, lines, payments, subscriptions],
      );
      for (const { kind, accountId, subject, detail, isHealed } of findings) {
        await transaction.query(
          `insert into reconciliation_findings (id, run_id, kind, account_id, subject, detail, is_healed)
           values ($1, $2, $3, $4, $5, $6, $7)`,
          [newId(), id, kind, accountId, subject, detail, isHealed],
        );
      }
    });
    return id;
  }

  /** Deletes runs that began before a time, with their findings. */
  async deleteBefore(before: Date): Promise<void> {
    await this.maintenance.transaction(async (transaction) => {
      await transaction.query(
        `delete from reconciliation_findings where run_id in
           (select id from reconciliation_runs where started_at < $1)`,
        [before],
      );
      await transaction.query('delete from reconciliation_runs where started_at < $1', [before]);
    });
  }
}

import { Injectable } from '@nestjs/common';
import { EntitlementClient, type ReconciliationAnswer } from '#libs/contracts';
import { Database } from '#libs/database';
import { Clock, DAY_MS, MINUTE_MS } from '#libs/platform';
import { PaymentsService } from '../payments/payments.service.js';
import type { Payment } from '../payment-records/payment.entity.js';
import type { Subscription } from '../subscriptions/subscription.entity.js';
import { Comparisons } from './comparisons.js';
import { type ComparedLine, type Finding, faultOfLine } from './finding.js';
import { ProcessorTruthService } from './processor-truth.service.js';
import { ReconciliationMaintenanceRepository } from './reconciliation.repository.js';

/** The age from which lines are compared. Newer lines may not have arrived at entitlement yet. */
const LINE_AGE_MS = 10 * MINUTE_MS;
const PAYMENT_AGE_MS = 8 * DAY_MS;
/** How long the results are kept: longer than a business year. */
const KEPT_MS = 400 * DAY_MS;
/** The result for a line whose event was published again. The next run checks whether the event has arrived. */
const REPLAYED = 'it was announced again';

@Injectable()
export class ReconciliationService {
  constructor(
    private readonly database: Database,
    private readonly repository: ReconciliationMaintenanceRepository,
    private readonly entitlement: EntitlementClient,
    private readonly payments: PaymentsService,
    private readonly truth: ProcessorTruthService,
    private readonly clock: Clock,
  ) {}

  /**
   * Runs the comparison. @throws ServiceUnavailable while entitlement is down, because half a comparison is useless.
   */
  async run(): Promise<ReconciliationAnswer> {
    const startedAt = this.clock.now();
    const findings: Finding[] = [];
    const lines = await this.compareLines(startedAt, findings);
    const since = new Date(startedAt.getTime() - PAYMENT_AGE_MS);
    const comparisons = new Comparisons();
    const payments = await pages(
      (after) => this.repository.listPayments(since, after),
      (payment: Payment) =>
        comparisons.make({ accountId: payment.accountId, subject: `payment ${payment.id}` }, () =>
          this.truth.ofPayment(payment),
        ),
    );
    const subscriptions = await pages(
      (after) => this.repository.listRunning(after),
      (row: Subscription) =>
        comparisons.make({ accountId: row.accountId, subject: `subscription ${row.id}` }, () =>
          this.truth.ofSubscription(row),
        ),
    );
    await this.truth.ofListed(since, startedAt, comparisons);
    findings.push(...(await comparisons.finish()));
    const endedAt = this.clock.now();
    const counts = { lines, payments, subscriptions };
    const runId = await this.repository.insertRun({ startedAt, endedAt, ...counts }, findings);
    await this.repository.deleteBefore(new Date(startedAt.getTime() - KEPT_MS));
    return { runId, ...counts, findings };
  }

  private async compareLines(startedAt: Date, findings: Finding[]): Promise<number> {
    const before = new Date(startedAt.getTime() - LINE_AGE_MS);
    let compared = 0;
    for (let after: string | undefined; ;) {
      const lines = await this.repository.listLines(before, after);
      if (lines.length === 0) return compared;
      const sums = await this.entitlement.lineSums(lines.map(({ id }) => id));
      const known = new Map(sums.map((sum) => [sum.lineId, sum]));
      for (const line of lines) {
        const fault = faultOfLine(line, known.get(line.id));
        if (fault === undefined) continue;
        const isMissing = !known.has(line.id);
        if (isMissing) await this.replay(line);
        findings.push({
          kind: 'fulfilment',
          accountId: line.accountId,
          subject: `line ${line.id}`,
          detail: isMissing ? `${fault}; ${REPLAYED}` : fault,
          isHealed: false,
        });
      }
      compared += lines.length;
      after = lines.at(-1)?.id;
    }
  }

  /** Publishes the line's payment again unchanged, because the stored rows are authoritative. */
  private async replay({ accountId, paymentId }: ComparedLine): Promise<void> {
    await this.database.transaction(async (transaction) => {
      const payment = await this.payments.findOwn(transaction, accountId, paymentId);
      if (payment) await this.payments.announceAgain(transaction, payment);
    });
  }
}

/** Processes the rows page by page, in the order of their ids. @returns the number of rows. */
async function pages<T extends { id: string }>(
  list: (after?: string) => Promise<T[]>,
  work: (row: T) => Promise<void>,
): Promise<number> {
  let count = 0;
  for (let after: string | undefined; ;) {
    const rows = await list(after);
    for (const row of rows) await work(row);
    count += rows.length;
    after = rows.at(-1)?.id;
    if (after === undefined) return count;
  }
}

import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database';
import { Clock, HOUR_MS, Logger, crashPoint } from '#libs/platform';
import type { Payment } from '../payment-records/payment.entity.js';
import type { Reversal } from '../payment-records/reversal.entity.js';
import { ReversalsService } from '../payments/reversals.service.js';
import type { CallResult, RefundSnapshot } from '../processors/payment-processor.js';
import { PaymentProcessors } from '../processors/payment-processors.js';
import { SyncService } from '../processor-sync/sync.service.js';

/** How long before a processor forgets an idempotency key we stop relying on it. */
const RETENTION_MARGIN_MS = HOUR_MS;

/** The calls to processors that refund. A row stands before each, so none is ever forgotten or made again. */
@Injectable()
export class RefundCallsService {
  constructor(
    private readonly database: Database,
    private readonly reversals: ReversalsService,
    private readonly processors: PaymentProcessors,
    private readonly syncing: SyncService,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /**
   * Brings a refund that was begun to its end at the processor: the same call with the same key as long
   * as that gives the same answer, afterwards a search by our reference. `unknown` is tried again.
   */
  async settle(payment: Payment, begun: Reversal): Promise<CallResult<RefundSnapshot | null>> {
    const outcome = await this.ask(payment, begun);
    crashPoint('refund.after-call');
    if (outcome.outcome === 'unknown') return outcome;
    if (outcome.outcome === 'done' && outcome.value) {
      const { processor } = payment;
      await this.syncing.sync({ processor, kind: 'refund', id: outcome.value.id });
      return outcome;
    }
    const { id: refundId, paymentId } = begun;
    this.logger.error('a refund was not made', { refundId, paymentId, ...outcome });
    await this.database.transaction((transaction) =>
      this.reversals.giveUp(transaction, payment, refundId),
    );
    return outcome;
  }

  /**
   * An answer that we cannot read is no refusal: the refund may have been made. It stays asked for until a fetch or
   * a repeat of the call tells.
   */
  private async ask(payment: Payment, begun: Reversal): Promise<CallResult<RefundSnapshot | null>> {
    const outcome = await this.call(payment, begun);
    const isUnfit = outcome.outcome === 'refused' && outcome.code === 'unfit_object';
    return isUnfit ? { outcome: 'unknown', cause: outcome } : outcome;
  }

  private call(
    { processor: name, externalId: paymentId }: Payment,
    { id: refundId, amountMicros, createdAt }: Reversal,
  ): Promise<CallResult<RefundSnapshot | null>> {
    const processor = this.processors.get(name);
    const ageMs = this.clock.now().getTime() - createdAt.getTime();
    return ageMs < processor.capabilities.idempotencyMs - RETENTION_MARGIN_MS
      ? processor.refund({ refundId, paymentId, amountMicros })
      : processor.findRefund(refundId, paymentId);
  }
}

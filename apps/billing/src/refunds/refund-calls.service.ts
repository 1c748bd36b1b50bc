import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database';
import { Clock, HOUR_MS, Logger, crashPoint } from '#libs/platform';
import type { Payment } from '../payment-records/payment.entity.js';
import type { Reversal } from '../payment-records/reversal.entity.js';
import { ReversalsService } from '../payments/reversals.service.js';
import type { CallResult, RefundSnapshot } from '../processors/payment-processor.js';
import { PaymentProcessors } from '../processors/payment-processors.js';
import { SyncService } from '../processor-sync/sync.service.js';

/** The safety margin before a processor forgets an idempotency key; within it, the key is no longer used. */
const RETENTION_MARGIN_MS = HOUR_MS;

/** Calls processors to refund. A row is written before each call, so no refund is lost or made twice. */
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
   * Completes a started refund at the processor: by the same call with the same key while the
   * processor remembers the key, afterwards by a search for our reference. If the refund was not
   * made, the reversal is given up. After an unknown outcome, `SettleRefundsJob` tries again.
   * @returns the outcome; the value is null if the search found no refund.
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
   * Requests the refund. An unreadable answer is not a refusal, because the refund may have been made: it stays
   * requested until a fetch or a repeat of the call shows its state.
   */
  private async ask(payment: Payment, begun: Reversal): Promise<CallResult<RefundSnapshot | null>> {
    const outcome = await this.call(payment, begun);
    const isUnfit = outcome.outcome === 'refused' && outcome.code === 'unfit_object';
    return isUnfit ? { outcome: 'unknown', cause: outcome } : outcome;
  }

  /**
   * Returns the time from which a refund may be dismissed that the processor has not confirmed; undefined once it may
   * be. Until then, the processor is likely to answer the repeated call.
   */
  dismissibleFrom({ processor: name }: Payment, begun: Reversal): Date | undefined {
    const { idempotencyMs = 0 } = this.processors.find(name)?.capabilities ?? {};
    const from = afterBeginning(begun, idempotencyMs);
    return this.clock.now() < from ? from : undefined;
  }

  private call(payment: Payment, begun: Reversal): Promise<CallResult<RefundSnapshot | null>> {
    const { processor: name, externalId: paymentId } = payment;
    const { id: refundId, amountMicros } = begun;
    const processor = this.processors.get(name);
    const isKeyKnown =
      this.clock.now() < afterBeginning(begun, processor.capabilities.refundIdempotencyMs);
    return isKeyKnown
      ? processor.refund({ refundId, paymentId, amountMicros })
      : processor.findRefund(refundId, paymentId);
  }
}

const afterBeginning = ({ createdAt }: Reversal, keyMs: number) =>
  new Date(createdAt.getTime() + keyMs - RETENTION_MARGIN_MS);

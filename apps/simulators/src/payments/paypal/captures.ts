import { type ApiFaults, refusesRefund } from '../api-faults.js';
import {
  type Capture,
  type Dispute,
  type Money,
  type PurchaseUnit,
  type Refund,
  toCents,
} from './paypal-objects.js';
import { PaypalRefusal } from './paypal-refusal.js';
import type { PaypalWorld } from './paypal-world.js';

export class Captures {
  firstStatus: Refund['status'] = 'COMPLETED';
  private readonly refunds = new Map<string, Refund[]>();

  constructor(
    private readonly world: PaypalWorld,
    private readonly faults: ApiFaults,
  ) {}

  /** `POST /v2/payments/captures/{id}/refund`. */
  refund(id: string, { amount, custom_id }: { amount?: Money; custom_id?: string }): Refund {
    const { world } = this;
    const capture = world.get('capture', id);
    if (!['COMPLETED', 'PARTIALLY_REFUNDED'].includes(capture.status)) {
      const issue = capture.status === 'REFUNDED' ? 'CAPTURE_FULLY_REFUNDED' : 'CAPTURE_STATUS';
      throw PaypalRefusal.unprocessable(issue, 'The capture cannot be refunded.');
    }
    if (refusesRefund(this.faults)) {
      const message = 'The balance of your PayPal account is too low for this refund.';
      throw PaypalRefusal.unprocessable('REFUND_FAILED_INSUFFICIENT_FUNDS', message);
    }
    const wanted = amount ?? capture.amount;
    if (toCents(wanted) <= 0) throw PaypalRefusal.zero();
    if (toCents(wanted) + this.refundedOf(id) > toCents(capture.amount)) {
      const message = 'The refund amount must be less than or equal to the capture amount.';
      throw PaypalRefusal.unprocessable('REFUND_AMOUNT_EXCEEDED', message);
    }
    const refundId = world.newId();
    const refund = world.put('refund', refundId, {
      id: refundId,
      status: this.firstStatus,
      amount: wanted,
      custom_id,
      create_time: world.now,
      update_time: world.now,
      links: [
        world.link('self', `/v2/payments/refunds/${refundId}`),
        world.link('up', `/v2/payments/captures/${id}`),
      ],
    });
    this.refunds.set(id, [...(this.refunds.get(id) ?? []), refund]);
    this.showIn(capture);
    this.orderOf(capture)?.payments?.refunds.push(refund);
    const isOfOrder = capture.supplementary_data.related_ids.order_id !== undefined;
    world.emit(`PAYMENT.${isOfOrder ? 'CAPTURE' : 'SALE'}.REFUNDED`, 'refund', refund);
    return refund;
  }

  /** Fails a refund, as when the customer's bank returns the money days later. */
  failRefund(id: string): void {
    const refund = this.world.get('refund', id);
    refund.status = 'FAILED';
    refund.update_time = this.world.now;
    for (const [captureId, refunds] of this.refunds) {
      if (refunds.includes(refund)) this.showIn(this.world.get('capture', captureId));
    }
    this.world.emit('PAYMENT.REFUND.FAILED', 'refund', refund);
  }

  /** Opens a dispute as the customer would; PayPal holds the money from then on. */
  dispute(captureId: string): Dispute {
    const { world } = this;
    const { amount } = world.get('capture', captureId);
    const id = `PP-D-${world.newId()}`;
    const dispute = world.put('dispute', id, {
      dispute_id: id,
      create_time: world.now,
      update_time: world.now,
      disputed_transactions: [{ seller_transaction_id: captureId, gross_amount: amount }],
      reason: 'MERCHANDISE_OR_SERVICE_NOT_RECEIVED',
      status: 'OPEN',
      dispute_amount: amount,
      dispute_life_cycle_stage: 'INQUIRY',
      links: [world.link('self', `/v1/customer/disputes/${id}`)],
    });
    world.emit('CUSTOMER.DISPUTE.CREATED', 'dispute', dispute);
    return dispute;
  }

  /** Decides a dispute as PayPal would; an appeal may reverse the decision. */
  decideDispute(id: string, decision: 'won' | 'lost'): void {
    const dispute = this.world.get('dispute', id);
    const isWon = decision === 'won';
    dispute.status = 'RESOLVED';
    dispute.dispute_outcome = {
      outcome_code: isWon ? 'RESOLVED_SELLER_FAVOUR' : 'RESOLVED_BUYER_FAVOUR',
    };
    dispute.update_time = this.world.now;
    this.world.emit('CUSTOMER.DISPUTE.RESOLVED', 'dispute', dispute);
  }

  /** `GET /v1/customer/disputes`: newest first, with the URL of the next page, if there is one. */
  listDisputes(query: URLSearchParams): object {
    const boundOf = (name: string, otherwise: number) =>
      query.has(name) ? Date.parse(query.get(name)!) : otherwise;
    const after = boundOf('update_time_after', 0);
    const before = boundOf('update_time_before', Number.POSITIVE_INFINITY);
    const transaction = query.get('disputed_transaction_id');
    const found = this.world
      .all('dispute')
      .filter(({ update_time, disputed_transactions: disputed }) => {
        const at = Date.parse(update_time);
        const isOf = disputed.some(({ seller_transaction_id: id }) => id === transaction);
        return at >= after && at <= before && (transaction === null || isOf);
      })
      .reverse();
    const size = Number(query.get('page_size') ?? 10);
    const start = Number(query.get('next_page_token') ?? 0);
    const items = found.slice(start, start + size);
    const next = new URLSearchParams(query);
    next.set('next_page_token', String(start + size));
    const hasMore = start + size < found.length;
    const links = hasMore ? [this.world.link('next', `/v1/customer/disputes?${next}`)] : [];
    return { items, links };
  }

  /**
   * `GET /v1/reporting/transactions`: the transactions that moved money, first captures, then refunds.
   * @param isSale whether a capture pays for a subscription.
   */
  report(query: URLSearchParams, isSale: (captureId: string) => boolean): object {
    const [from, to] = ['start_date', 'end_date'].map((name) => Date.parse(query.get(name) ?? ''));
    const [size, page] = [Number(query.get('page_size') ?? 100), Number(query.get('page') ?? 1)];
    const captures = this.world
      .all('capture')
      .filter(({ status }) => /COMPLETED|REFUNDED/.test(status))
      .map((capture) => ({ ...capture, code: isSale(capture.id) ? 'T0002' : 'T0006' }));
    const refunds = this.world
      .all('refund')
      .filter(({ status }) => status === 'COMPLETED')
      .map((refund) => ({ ...refund, code: 'T1107' }));
    const all = [...captures, ...refunds].filter(
      ({ create_time: time }) => Date.parse(time) >= from && Date.parse(time) <= to,
    );
    const details = all.map(({ id, code, amount, create_time: time }) => {
      const info = { transaction_event_code: code, transaction_initiation_date: time };
      const money = { transaction_status: 'S', transaction_amount: amount };
      return { transaction_info: { transaction_id: id, ...info, ...money } };
    });
    return {
      transaction_details: details.slice((page - 1) * size, page * size),
      page,
      total_items: details.length,
      total_pages: Math.max(1, Math.ceil(details.length / size)),
    };
  }

  private refundedOf(captureId: string): number {
    const refunds = this.refunds.get(captureId) ?? [];
    const standing = refunds.filter(({ status }) => status !== 'FAILED');
    return standing.reduce((sum, { amount }) => sum + toCents(amount), 0);
  }

  private showIn(capture: Capture): void {
    const refunded = this.refundedOf(capture.id);
    const isWhole = refunded >= toCents(capture.amount);
    if (isWhole) capture.status = 'REFUNDED';
    else capture.status = refunded > 0 ? 'PARTIALLY_REFUNDED' : 'COMPLETED';
    capture.update_time = this.world.now;
  }

  private orderOf(capture: Capture): PurchaseUnit | undefined {
    const { order_id: id } = capture.supplementary_data.related_ids;
    return id === undefined ? undefined : this.world.get('order', id).purchase_units[0];
  }
}

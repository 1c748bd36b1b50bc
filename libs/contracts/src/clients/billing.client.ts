import { HOUR_MS } from '#libs/platform';
import type { PaymentLineKind } from '../events/billing/payment-line.js';
import type { ReversalScope } from '../events/billing/payment-reversed.js';
import type { AccountMatch } from './account-desk.client.js';
import { type TimelineEntry, type TimelineQuestion, timelinePath } from './timeline.js';
import type {
  PlanChangeAnswer,
  SubscriptionAnswer,
} from '../operations/billing/subscription-answer.js';
import type { ServiceHttp } from './service-http.js';

const RECONCILE_LIMIT_MS = HOUR_MS;

export interface RefundOrder {
  /** The refund's id, which the caller chooses; a repetition with the same id refunds nothing more. */
  refundId: string;
  paymentId: string;
  /** `remaining` refunds the time from `from` on; the time before `from` remains paid. */
  scope: ReversalScope;
  /**
   * Only for a `whole` refund: the part to refund in millionths, as a decimal string. If absent, everything not yet
   * refunded.
   */
  amountMicros?: string;
  /** RFC 3339, only for a `remaining` refund; by default, now. */
  from?: string;
  reason: string;
}

export interface RefundAnswer {
  refundId: string;
  paymentId: string;
  /** `requested`: the processor has received the request; `final`: the refund was made; `undone`: the refund failed. */
  state: 'requested' | 'final' | 'undone';
  scope: ReversalScope;
  /** Millionths, decimal string. */
  amountMicros: string;
  /**
   * Credits of packages that the refund revokes, as a decimal string. Entitlement decides which credits of a plan are
   * revoked.
   */
  credits: string;
  /** RFC 3339. */
  from?: string;
  /**
   * The effect on the paid plan; absent for packages. `ends`: the plan and its credits end at `from`, or at the start
   * of the period. `set_back`: an upgrade and its credits are reverted. `stays`: the plan continues and loses some of
   * its credits.
   */
  plan?: 'ends' | 'set_back' | 'stays';
  /** When a failed refund is retried, RFC 3339. */
  retryAt?: string;
}

export interface PaymentAnswer {
  paymentId: string;
  processor: string;
  externalId: string;
  amountMicros: string;
  currency: string;
  /** RFC 3339. */
  confirmedAt: string;
  lines: { lineId: string; kind: PaymentLineKind; sku: string; quantity: number }[];
  reversals: (RefundAnswer & { cause: 'refund' | 'dispute' })[];
}

/** The kinds of work that billing cannot finish on its own; also the label of `dds_billing_set_aside`. */
export type SetAsideKind =
  'orders' | 'subscriptions' | 'objects' | 'refunds' | 'unreturned' | 'unclaimed';

export interface SetAsideMoney {
  kind: SetAsideKind;
  /** Our id; for `objects` and `unclaimed`, the processor, and the kind and id there. */
  id: string;
  /** Null for a processor's object. */
  accountId: string | null;
  /** RFC 3339; null for an object that was never imported. */
  since: string | null;
  reason: string | null;
}

export interface ReconciliationAnswer {
  runId: string;
  lines: number;
  payments: number;
  subscriptions: number;
  findings: {
    /** `fulfilment`: compared with entitlement. `processor`: compared with the processor. */
    kind: 'fulfilment' | 'processor';
    /** Null for objects that only a processor has. */
    accountId: string | null;
    subject: string;
    detail: string;
    isHealed: boolean;
  }[];
}

export interface ReplayAnswer {
  processor: string;
  kind: string;
  externalId: string;
  /** `unknown`: the processor gave no answer. `refused`, `foreign`: the object is not ours. */
  result: 'synced' | 'unknown' | 'refused' | 'foreign';
}

export class BillingClient {
  constructor(private readonly http: ServiceHttp) {}

  /** Finds accounts by invoice number, one of our ids or a processor's id. */
  async find(text: string): Promise<AccountMatch[]> {
    return this.http.call('POST', '/internal/operator/accounts/matches', { body: { text } });
  }

  /** Returns the payments of an account, newest first, at most 500. */
  async payments(accountId: string): Promise<{ payments: PaymentAnswer[] }> {
    return this.http.call('GET', '/internal/operator/payments', { accountId });
  }

  /** Returns all subscriptions of an account, including ended ones. */
  async subscriptions(accountId: string): Promise<SubscriptionAnswer[]> {
    return this.http.call('GET', '/internal/operator/subscriptions', { accountId });
  }

  /** Cancels a subscription at the end of its period, as the customer can. @throws Problem 404, 409, 422, 503. */
  async cancelSubscription(accountId: string, id: string): Promise<PlanChangeAnswer> {
    return this.http.call('POST', `/internal/operator/subscriptions/${id}/cancel`, { accountId });
  }

  /** Sends the e-mail about an invoice or credit note again. @throws Problem 404, 503. */
  async resendReceipt(accountId: string, number: string): Promise<{ number: string }> {
    const body = { number };
    return this.http.call('POST', '/internal/operator/receipts', { accountId, body });
  }

  /** Lists the cases that wait for an operator, oldest first; at most 200. */
  async setAside(): Promise<SetAsideMoney[]> {
    return this.http.call('GET', '/internal/operator/set-aside');
  }

  /** Handles a callback again. @param callbackId our id or the processor's. @throws Problem 404. */
  async replayCallback(callbackId: string): Promise<ReplayAnswer> {
    return this.http.call('POST', '/internal/callbacks/replay', { body: { callbackId } });
  }

  async timeline(accountId: string, question: TimelineQuestion): Promise<TimelineEntry[]> {
    return this.http.call('GET', timelinePath(question), { accountId });
  }

  /** Compares all payments with the processors' records, which can take many minutes. */
  async reconcile(): Promise<ReconciliationAnswer> {
    const call = { timeoutMs: RECONCILE_LIMIT_MS };
    return this.http.call('POST', '/internal/operator/reconciliations', call);
  }

  async refund(accountId: string, body: RefundOrder): Promise<RefundAnswer> {
    return this.http.call('POST', '/internal/operator/refunds', { accountId, body });
  }

  /** Retries a failed refund now, as a separate refund. @throws Problem 404, 409, 422, 503. */
  async retryRefund(accountId: string, refundId: string): Promise<RefundAnswer> {
    return this.http.call('POST', `/internal/operator/refunds/${refundId}/retry`, { accountId });
  }

  /** Dismisses a failed refund, so that it is not retried. @throws Problem 404, 409. */
  async dismissRefund(accountId: string, refundId: string): Promise<RefundAnswer> {
    return this.http.call('POST', `/internal/operator/refunds/${refundId}/dismiss`, { accountId });
  }
}

import type { DeliveryState, WebhookDelivery, WebhookState } from '#libs/contracts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '#libs/platform';
import { faultText } from './fault-text.js';

export interface Delivery {
  id: string;
  webhookId: string;
  accountId: string;
  type: string;
  body: string;
  state: DeliveryState;
  tries: number;
  createdAt: Date;
  lastTryAt: Date | null;
  responseStatus: number | null;
  fault: string | null;
}

export interface AddressedDelivery extends Delivery {
  url: string;
  webhookState: WebhookState;
  isFailing: boolean;
  secret: Buffer;
  previousSecret: Buffer | null;
  previousUntil: Date | null;
  /** False while the account is deleted or suspended. */
  mayBeSent: boolean;
}

/** The pauses after failed attempts, about three days in total. */
export const RETRY_PAUSES_MS: readonly number[] = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  ...[2, 5, 10, 14, 20, 20].map((hours) => hours * HOUR_MS),
];

export function deliveryAnswer(delivery: Delivery): WebhookDelivery {
  const { id, type, state, tries, createdAt, lastTryAt, responseStatus, fault } = delivery;
  return {
    id,
    type,
    state,
    tries,
    created_at: createdAt.toISOString(),
    last_try_at: lastTryAt?.toISOString() ?? null,
    next_try_at: nextTryAt(delivery)?.toISOString() ?? null,
    response_status: responseStatus,
    fault,
    fault_detail: fault === null ? null : faultText(fault),
  };
}

function nextTryAt({ state, tries, lastTryAt }: Delivery): Date | undefined {
  if (state !== 'pending' || tries === 0 || lastTryAt === null) return undefined;
  return new Date(lastTryAt.getTime() + (RETRY_PAUSES_MS.at(tries - 1) ?? 0));
}

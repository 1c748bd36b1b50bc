import { isId } from '#libs/platform';

/**
 * Our data on an order at PayPal, in `custom_id` (at most 127 of `A–Z a–z 0–9 - _ . ,`). PayPal can neither close an
 * order nor end it at a given time, so we record the closing and the end there.
 */
export interface OrderReference {
  orderId: string;
  /** When the offer ends; null once the order has been closed. */
  until: Date | null;
}

const CLOSED = 'closed';

export function toCustomId({ orderId, until }: OrderReference): string {
  return `${orderId},${until ? Math.floor(until.getTime() / 1000) : CLOSED}`;
}

/** Parses our data on an order. Returns undefined for data that we did not write. */
export function toOrderReference(customId: unknown): OrderReference | undefined {
  const [, orderId, end = ''] = /^([\w-]{1,64}),(closed|\d{1,12})$/.exec(String(customId)) ?? [];
  if (!isId(orderId)) return undefined;
  return { orderId, until: end === CLOSED ? null : new Date(Number(end) * 1000) };
}

import type { Stripe } from 'stripe';
import type { ProcessorRef } from '../payment-processor.js';
import { UnfitObject } from '../unfit-object.js';

const PAGE = 100;
/**
 * The maximum number of listed objects. The SDK reads at most 10,000, and the 10,000th shows that
 * there are too many.
 */
const LISTED_MAX = 9_999;

/**
 * Lists the money movements at Stripe in a period, bills first because their payments belong to them.
 * @throws UnfitObject if there are too many.
 */
export async function listStripeMoney(
  stripe: Stripe,
  start: Date,
  end: Date,
): Promise<ProcessorRef[]> {
  const created = { gte: secondsOf(start), lt: secondsOf(end) };
  const asked = { created, limit: PAGE };
  const limit = { limit: LISTED_MAX + 1 };
  const bills = await stripe.invoices.list({ ...asked, status: 'paid' }).autoPagingToArray(limit);
  const payments = await stripe.paymentIntents.list(asked).autoPagingToArray(limit);
  const refunds = await stripe.refunds.list(asked).autoPagingToArray(limit);
  const disputes = await stripe.disputes.list(asked).autoPagingToArray(limit);
  if ([bills, payments, refunds, disputes].some(({ length }) => length > LISTED_MAX)) {
    throw new UnfitObject(`more than ${LISTED_MAX} objects in one stretch of time`);
  }
  const refs = (kind: ProcessorRef['kind'], all: readonly { id: string }[]) =>
    all.map(({ id }) => ({ kind, id }));
  return [
    ...refs(
      'bill',
      bills.filter(({ parent }) => parent?.subscription_details),
    ),
    ...refs(
      'payment',
      payments.filter(({ status }) => status === 'succeeded'),
    ),
    ...refs(
      'refund',
      refunds.filter(({ status }) => status === 'succeeded'),
    ),
    ...refs('dispute', disputes),
  ];
}

const secondsOf = (time: Date) => Math.floor(time.getTime() / 1000);

import type { ProcessorRef } from '../payment-processor.js';
import { UnfitObject } from '../unfit-object.js';
import type { PaypalClient } from './paypal-client.js';
import { PaypalRefusal } from './paypal-connection.js';
import { idOf } from './paypal-objects.js';
import { isDecided } from './paypal-result.js';

const PAGES_MAX = 20;
/**
 * The kind of a transaction, by its code; the first match counts. Transactions of other kinds, such as fees and what
 * PayPal holds back during a dispute (`T1110`, `T1111`), are neither payments nor refunds.
 */
const KINDS: readonly [code: RegExp, kind: ProcessorRef['kind']][] = [
  [/^T0002$/, 'bill'],
  [/^T00\d\d$/, 'payment'],
  [/^T110[67]$/, 'refund'],
];

/**
 * Lists the disputes that last changed in a period, and PayPal's money movements in it. Disputes come first, because a
 * refund may be their money.
 * @throws UnfitObject if there are too many.
 */
export async function listPaypalMoney(
  client: PaypalClient,
  start: Date,
  end: Date,
): Promise<ProcessorRef[]> {
  const refs = await listDisputes(client, start, end);
  for (let page = 1, pages = 1; page <= pages; page += 1) {
    if (page > PAGES_MAX) throw new UnfitObject(`more than ${PAGES_MAX} pages of transactions`);
    const answer = await client.listTransactions(start, end, page);
    pages = answer.total_pages ?? 1;
    for (const { transaction_info: info } of answer.transaction_details ?? []) {
      const code = info?.transaction_event_code ?? '';
      const [, kind] = KINDS.find(([pattern]) => pattern.test(code)) ?? [];
      // A payment with a negative amount was made by the operator.
      const isOwn = kind !== 'refund' && info?.transaction_amount?.value?.startsWith('-');
      if (kind && !isOwn && info?.transaction_status === 'S') {
        refs.push({ kind, id: idOf(info.transaction_id) });
      }
    }
  }
  return refs;
}

/** Finds the latest dispute of a payment; undefined if there is none, or if the app may not read disputes. */
export async function latestDispute(
  client: PaypalClient,
  paymentId: string,
): Promise<string | undefined> {
  try {
    const { items: [latest] = [] } = await client.listDisputesOf(paymentId);
    return latest && idOf(latest.dispute_id);
  } catch (error) {
    if (error instanceof PaypalRefusal && isDecided(error)) return undefined;
    throw error;
  }
}

async function listDisputes(client: PaypalClient, start: Date, end: Date): Promise<ProcessorRef[]> {
  const refs: ProcessorRef[] = [];
  let link: string | undefined;
  for (let page = 1; page === 1 || link !== undefined; page += 1) {
    if (page > PAGES_MAX) throw new UnfitObject(`more than ${PAGES_MAX} pages of disputes`);
    const { items = [], links } = await client.listDisputes(start, end, link);
    for (const { dispute_id: id } of items) refs.push({ kind: 'dispute', id: idOf(id) });
    link = links?.find(({ rel }) => rel === 'next')?.href;
  }
  return refs;
}

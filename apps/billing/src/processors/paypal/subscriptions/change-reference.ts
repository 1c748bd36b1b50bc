import { SECOND_MS } from '#libs/platform';
import type { BilledPlan } from '../../payment-processor.js';
import { isPaypalId } from '../paypal-objects.js';

/** Our data on an order at PayPal that pays for the rest of a period on a higher plan. */
export interface ChangeReference {
  subscriptionId: string;
  old: BilledPlan;
  wanted: BilledPlan;
  /** The time from which the price difference is charged, in whole seconds. */
  from: Date;
}

const PLAN = '([\\w-]{1,40}),(\\d{1,4}),([\\w.-]{1,20})(?:\\+(\\d{1,6}))?';
const CHANGE = new RegExp(`^change,([\\w-]{1,30}),${PLAN},${PLAN},(\\d{1,12})$`);

export function toChangeId({ subscriptionId, old, wanted, from }: ChangeReference): string {
  const seconds = Math.floor(from.getTime() / SECOND_MS);
  return ['change', subscriptionId, planText(old), planText(wanted), seconds].join(',');
}

/** Parses our data on an order; undefined for data that we did not write, and for orders that pay for no change. */
export function toChangeReference(customId: unknown): ChangeReference | undefined {
  const found = CHANGE.exec(String(customId));
  if (!found || !isPaypalId(found[1])) return undefined;
  return {
    subscriptionId: found[1],
    old: planOf(found.slice(2, 6)),
    wanted: planOf(found.slice(6, 10)),
    from: new Date(Number(found[10]) * SECOND_MS),
  };
}

/** Prefix of the id of a change's bill. Without the prefix, the id of the order would look like a payment's id. */
const BILL_PREFIX = 'change-';

export const toChangeBillId = (orderId: string) => `${BILL_PREFIX}${orderId}`;

/** Returns the order behind the bill of a change; undefined for the id of another bill. */
export const changeOrderOf = (billId: string) =>
  billId.startsWith(BILL_PREFIX) ? billId.slice(BILL_PREFIX.length) : undefined;

const planText = ({ sku, quantity, catalogueVersion, taxPpm }: BilledPlan) =>
  [sku, quantity, `${catalogueVersion}${taxPpm === 0 ? '' : `+${taxPpm}`}`].join(',');

const planOf = ([sku = '', quantity, catalogueVersion = '', rate = '0']: string[]): BilledPlan => ({
  sku,
  quantity: Number(quantity),
  catalogueVersion,
  taxPpm: Number(rate),
});

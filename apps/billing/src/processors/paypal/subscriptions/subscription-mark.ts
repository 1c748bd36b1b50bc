import { SECOND_MS, isId } from '#libs/platform';
import type { BilledPlan } from '../../payment-processor.js';

/**
 * Our data on a subscription at PayPal, in `custom_id` (at most 127 characters). PayPal has no schedules: a changed
 * subscription shows the new plan from its approval on, and a suspended subscription was either cancelled by its
 * customer or not paid. Therefore `custom_id` records the plan in force and its end.
 */
export interface SubscriptionMark {
  orderId: string;
  /** Whether the customer cancelled. The subscription is then suspended and ends at `until`. */
  isEnding: boolean;
  /**
   * Whether the customer is undoing the cancellation. The subscription then stays active, or is suspended again if
   * PayPal does not bill its next period.
   */
  isUndoing: boolean;
  /** Before the customer's approval, the time when the offer ends; afterwards, the time when `running` ends. */
  until: Date;
  /** The time from which periods are counted; null for the subscription's own start. */
  anchor: Date | null;
  /** The plan in force until `until`, even if PayPal will bill another plan. */
  running: BilledPlan;
  /** The id of the order that pays for the plan shown by PayPal, so that the plan takes effect at once. */
  changeOrderId: string | null;
  /**
   * The tax rate of the price that PayPal bills in place of the plan's price; null if PayPal bills the plan's price.
   */
  taxPpm: number | null;
}

const NONE = '-';
const ENDING = 'e';
const UNDOING = 'u';
/** The base for writing seconds. It is high because `custom_id` has few characters to spare. */
const RADIX = 36;
const MARK =
  /^([\w-]{36}),(e|u|-),([0-9a-z]{1,8}),([0-9a-z]{1,8}|-),([\w-]{1,40}):(\d{1,4}):([\w.-]{1,20})(?:\+(\d{1,6}))?,(\w{1,20}|-)(?:,(\d{1,6}))?$/;

export function toCustomId(mark: SubscriptionMark): string {
  const { sku, quantity, catalogueVersion, taxPpm } = mark.running;
  return [
    mark.orderId,
    mark.isUndoing ? UNDOING : mark.isEnding ? ENDING : NONE,
    secondsOf(mark.until),
    mark.anchor ? secondsOf(mark.anchor) : NONE,
    `${sku}:${quantity}:${catalogueVersion}${taxPpm === 0 ? '' : `+${taxPpm}`}`,
    mark.changeOrderId ?? NONE,
    ...(mark.taxPpm === null ? [] : [mark.taxPpm]),
  ].join(',');
}

/** Parses our data on a subscription; undefined for data that we did not write. */
export function toSubscriptionMark(customId: unknown): SubscriptionMark | undefined {
  const found = MARK.exec(String(customId));
  if (!found || !isId(found[1])) return undefined;
  const [, orderId, ending, until, anchor = NONE, sku = '', quantity] = found;
  const [catalogueVersion = '', rate = '0', changeOrderId = NONE, next] = found.slice(7);
  return {
    orderId,
    isEnding: ending !== NONE,
    isUndoing: ending === UNDOING,
    until: timeOf(until),
    anchor: anchor === NONE ? null : timeOf(anchor),
    running: { sku, quantity: Number(quantity), catalogueVersion, taxPpm: Number(rate) },
    changeOrderId: changeOrderId === NONE ? null : changeOrderId,
    taxPpm: next === undefined ? null : Number(next),
  };
}

const secondsOf = (time: Date) => Math.floor(time.getTime() / SECOND_MS).toString(RADIX);
const timeOf = (seconds: string) => new Date(Number.parseInt(seconds, RADIX) * SECOND_MS);

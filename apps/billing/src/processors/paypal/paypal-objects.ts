import type { Micros } from '#libs/platform';
import { UnfitObject } from '../unfit-object.js';

/**
 * The parts of PayPal's objects that we read (github.com/paypal/paypal-rest-api-specifications). Every member may be
 * missing, so the functions below check those that we need.
 */
export interface PaypalMoney {
  currency_code?: string;
  /** Decimal, `54.00`. */
  value?: string;
}

export interface PaypalLink {
  rel?: string;
  href?: string;
}

export interface PaypalCapture {
  id?: string;
  status?: string;
  status_details?: { reason?: string };
  amount?: PaypalMoney;
  custom_id?: string;
  create_time?: string;
  update_time?: string;
  supplementary_data?: { related_ids?: { order_id?: string } };
  links?: PaypalLink[];
}

export interface PaypalRefund {
  id?: string;
  status?: string;
  amount?: PaypalMoney;
  custom_id?: string;
  create_time?: string;
  links?: PaypalLink[];
}

export interface PaypalOrder {
  id?: string;
  status?: string;
  create_time?: string;
  purchase_units?: {
    custom_id?: string;
    amount?: PaypalMoney;
    payments?: { captures?: PaypalCapture[]; refunds?: PaypalRefund[] };
  }[];
  links?: PaypalLink[];
}

export interface PaypalDispute {
  dispute_id?: string;
  status?: string;
  dispute_amount?: PaypalMoney;
  dispute_outcome?: { outcome_code?: string; amount_refunded?: PaypalMoney };
  disputed_transactions?: { seller_transaction_id?: string }[];
}

/** A webhook event. `resource` is the object that changed; the event's type names the object's kind. */
export interface PaypalEvent {
  id?: string;
  event_type?: string;
  create_time?: string;
  resource_type?: string;
  resource?: {
    id?: string;
    dispute_id?: string;
    order_id?: string;
    custom_id?: string;
    billing_agreement_id?: string;
    purchase_units?: { custom_id?: string }[];
    supplementary_data?: { related_ids?: { order_id?: string } };
  };
}

export interface PaypalEventList {
  events?: PaypalEvent[];
  links?: PaypalLink[];
}

const CENT_MICROS = 10_000n;
const ID = /^[\w-]{1,64}$/;

/** Formats an amount in a currency with two decimals. @throws for an amount that is negative or not whole cents. */
export function toMoney(micros: Micros, currency: string): Required<PaypalMoney> {
  if (micros % CENT_MICROS !== 0n || micros < 0n) throw new Error(`${micros} is not an amount`);
  const cents = String(micros / CENT_MICROS).padStart(3, '0');
  return { currency_code: currency, value: `${cents.slice(0, -2)}.${cents.slice(-2)}` };
}

/** @throws UnfitObject unless the value is an amount with at most two decimals. */
export function microsOf({ value }: PaypalMoney = {}): Micros {
  const [, whole, cents = ''] = /^(\d{1,12})(?:\.(\d{1,2}))?$/.exec(value ?? '') ?? [];
  if (whole === undefined)
    throw new UnfitObject(`"${String(value).slice(0, 40)}" is not an amount`);
  return BigInt(whole + cents.padEnd(2, '0')) * CENT_MICROS;
}

/** @throws UnfitObject unless the value is a currency code (ISO 4217). */
export function currencyOf({ currency_code: code }: PaypalMoney = {}): string {
  if (typeof code === 'string' && /^[A-Z]{3}$/.test(code)) return code;
  throw new UnfitObject(`"${String(code).slice(0, 40)}" is not a currency`);
}

/** @throws UnfitObject if the id is missing or malformed. */
export function idOf(id: string | undefined): string {
  if (isPaypalId(id)) return id;
  throw new UnfitObject(`"${String(id).slice(0, 80)}" is not an id`);
}

export const isPaypalId = (id: unknown): id is string => typeof id === 'string' && ID.test(id);

/** @throws UnfitObject unless the text is a time (RFC 3339). */
export function timeOf(text: string | undefined): Date {
  const time = new Date(typeof text === 'string' ? text : Number.NaN);
  if (!Number.isNaN(time.getTime())) return time;
  throw new UnfitObject(`"${String(text).slice(0, 40)}" is not a time`);
}

export const linkOf = (links: PaypalLink[] | undefined, rel: string): string | undefined =>
  Array.isArray(links) ? links.find((link) => link.rel === rel)?.href : undefined;

export const linkedId = (links: PaypalLink[] | undefined, rel: string): string =>
  idOf(linkOf(links, rel)?.split('/').at(-1));

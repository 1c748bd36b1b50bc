import type { TaxAnswer } from '#libs/contracts';
import { shareOfMoney } from '#libs/platform';
import { type Markup, html } from '#libs/public-http';
import { money } from '../amounts.js';
import { type PageVisit, isRefused } from '../pages/page-visit.js';

const WHOLE_PPM = 1_000_000n;
const PERCENT_PPM = 10_000;

/**
 * Returns the rate of the tax on the visitor's orders; undefined if billing rejects the call. @throws the errors of
 * `PageVisit.billing`.
 */
export async function addedTax(visit: PageVisit): Promise<TaxAnswer | undefined> {
  const answer = await visit.billing({ method: 'GET', path: '/tax' });
  return isRefused(answer) ? undefined : (answer.body as TaxAnswer);
}

export const TAX_RULE =
  'Tax depends on your billing details at the time of each payment, and the order shows it before you pay.';

/** Returns the rule about tax, and the tax on the visitor's orders. */
export const taxSentence = (tax: TaxAnswer | undefined): Markup => html`${TAX_RULE} ${taxOf(tax)}`;

function taxOf(tax: TaxAnswer | undefined): Markup {
  if (!tax) return html`Prices are without tax.`;
  const { tax_ppm: ppm, is_reverse_charge: isReverseCharge } = tax;
  const details = html`<a href="/billing-details">billing details</a>`;
  if (ppm === null) return html`Prices are without tax: fill in your ${details} first.`;
  if (ppm > 0) return html`According to your ${details}, ${percent(ppm)} tax is added.`;
  return isReverseCharge
    ? html`According to your ${details}, no tax is added: as a business, you owe it yourself
      (reverse charge).`
    : html`At present, no tax is added.`;
}

/** Returns the price of a future order. If a tax is added, the total comes first, then its parts. */
export function priceWords(netMicros: number, tax: TaxAnswer | undefined): string {
  const net = money(String(netMicros));
  if (!tax?.tax_ppm) return net;
  const added = shareOfMoney(BigInt(netMicros), BigInt(tax.tax_ppm), WHOLE_PPM);
  const total = money(String(BigInt(netMicros) + added));
  return `${total} (${net} and ${money(String(added))} tax)`;
}

const percent = (ppm: number) => `${ppm / PERCENT_PPM} %`;

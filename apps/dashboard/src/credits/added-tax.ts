import type { TaxAnswer } from '#libs/contracts';
import { shareOfMoney } from '#libs/platform';
import { type Markup, html } from '#libs/public-http';
import { money } from '../amounts.js';
import { type PageVisit, isRefused } from '../pages/page-visit.js';

const WHOLE_PPM = 1_000_000n;
const PERCENT_PPM = 10_000;

/** The tax on an order by this visitor; undefined if it cannot be determined. */
export async function addedTax(visit: PageVisit): Promise<TaxAnswer | undefined> {
  const answer = await visit.billing({ method: 'GET', path: '/tax' });
  return isRefused(answer) ? undefined : (answer.body as TaxAnswer);
}

/** A sentence about the tax added to the prices of a page. */
export function taxSentence(tax: TaxAnswer | undefined): Markup {
  if (!tax) return html`Prices are without tax. The order shows the tax before you pay.`;
  const { tax_ppm: ppm, is_reverse_charge: isReverseCharge } = tax;
  const details = html`<a href="/billing-details">billing details</a>`;
  if (ppm === null) return html`Tax depends on your country: fill in your ${details} first.`;
  if (ppm > 0) return html`According to your ${details}, ${percent(ppm)} tax is added.`;
  return isReverseCharge
    ? html`According to your ${details}, no tax is added: as a business, you owe it yourself
      (reverse charge).`
    : html`No tax is added.`;
}

/** A price with the tax that an order will have: the total first, then its parts. */
export function priceWords(netMicros: number, tax: TaxAnswer | undefined): string {
  const net = money(String(netMicros));
  if (!tax?.tax_ppm) return net;
  const added = shareOfMoney(BigInt(netMicros), BigInt(tax.tax_ppm), WHOLE_PPM);
  const total = money(String(BigInt(netMicros) + added));
  return `${total} (${net} and ${money(String(added))} tax)`;
}

const percent = (ppm: number) => `${ppm / PERCENT_PPM} %`;

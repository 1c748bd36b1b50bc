import { randomUUID } from 'node:crypto';
import type { OrderAnswer, TaxAnswer } from '#libs/contracts';
import { counted } from '#libs/platform';
import { type Markup, html } from '#libs/public-http';
import { grouped, money } from '../amounts.js';
import { type Notice, type PageContext, form, hidden, page } from '../pages/layout.js';
import { PACKAGES_SOLD } from './calculation.js';
import { priceWords, taxSentence } from './added-tax.js';
import { orderText, orderWords } from './order-page.js';
import { type ProcessorChoice, processorSection } from './processor-choice.js';

/** The contents of `/credits`. Data that could not be read is undefined. */
export interface CreditsFacts {
  orders?: OrderAnswer[];
  /** The cursor of the older orders, if there are any. */
  olderCursor?: string;
  processors: ProcessorChoice;
  spendable?: number;
  ending?: string;
  tax?: TaxAnswer;
  /** The size of the preselected package. */
  credits?: number;
  /** The number of credits that the visitor entered. */
  wanted?: number;
}

const MICROS = 1_000_000;

export function creditsPage(context: PageContext, facts: CreditsFacts, notice?: Notice): Markup {
  return page(context, {
    title: 'Credits',
    notice,
    body: html`<section>
        <h2>Buy a package</h2>
        <p class="quiet">Credits of a package never expire. ${taxSentence(facts.tax)}</p>
        ${facts.spendable !== undefined ? html`<p>You have ${counted(facts.spendable, 'credit')}${facts.ending ? `; ${facts.ending}` : ''}. <a href="/ledger">Ledger</a></p>` : undefined}
        ${processorSection(facts.processors, (processor) => creditsPath(processor, facts))}
        ${amountForm(facts)} ${form(context, '/credits', packageFields(facts))}
      </section>
      <section>
        <h2>Or subscribe</h2>
        <p>
          A plan brings credits every month, at a lower price per credit. The rate-limit add-on
          allows more requests a minute.
        </p>
        <p class="actions"><a class="button" href="/plans">See the plans</a></p>
      </section>
      ${facts.orders && orderSection(facts.orders, facts.olderCursor)}`,
  });
}

/** Returns the page that links to the processor's page, where a customer pays or changes payment details. */
export function leavePage(context: PageContext, url: string): Markup {
  return page(context, {
    title: 'At the processor',
    body: html`<section>
      <p>You enter your payment details on the payment processor’s own page. We never see them.</p>
      <p class="actions"><a class="button" href="${url}">Go to the processor’s page</a></p>
    </section>`,
  });
}

function packageFields({ processors: { chosen }, credits: wanted, tax }: CreditsFacts): Markup {
  // A form that is sent twice creates only one order.
  return html`${hidden('idempotency_key', randomUUID())}${hidden('processor', chosen)}
    <div class="field">
      <label for="credits" id="credits-label">Package</label>
      <select id="credits" name="credits" data-slider>
        ${PACKAGES_SOLD.map(
          ({ credits, micros }) =>
            html`<option value="${credits}" ${credits === wanted ? html`selected` : undefined}>
              ${grouped(credits)} credits for ${priceWords(micros, tax)},
              ${eachWords(micros, credits)}
            </option>`,
        )}
      </select>
    </div>
    <button>Order the package</button>`;
}

const eachWords = (micros: number, credits: number) =>
  `$${(micros / credits / MICROS).toFixed(4)} each`;

/** Returns the URL of the page with another processor, and with the package that is selected now. */
function creditsPath(processor: string, { wanted, credits }: CreditsFacts): string {
  const amount = wanted ?? credits;
  const query = new URLSearchParams({ processor });
  if (amount !== undefined) query.set('amount', String(amount));
  return `/credits?${query}`;
}

function amountForm({ wanted, processors }: CreditsFacts): Markup {
  return html`<form method="get" action="/credits" class="filters inline">
    ${hidden('processor', processors.chosen)}
    <div class="field">
      <label for="amount">How many credits</label>
      <input
        id="amount"
        name="amount"
        type="number"
        value="${wanted ?? ''}"
        min="${PACKAGES_SOLD[0].credits}"
        max="${PACKAGES_SOLD.at(-1)!.credits}"
        step="any"
      />
    </div>
    <button class="plain">Find the package</button>
  </form>`;
}

/** Returns the size of the smallest package with at least this many credits; undefined if none is that large. */
export const packageFor = (credits: number): number | undefined =>
  PACKAGES_SOLD.find((one) => one.credits >= credits)?.credits;

function orderSection(orders: OrderAnswer[], olderCursor?: string): Markup {
  if (orders.length === 0) return html``;
  return html`<section>
    <h2>Orders</h2>
    <table>
      <thead>
        <tr>
          <th>When (UTC)</th>
          <th>What</th>
          <th>State</th>
          <th class="number">Price</th>
        </tr>
      </thead>
      <tbody>
        ${orders.map(
          (order) =>
            html`<tr>
              <td>${order.created_at.slice(0, 16).replace('T', ' ')}</td>
              <td><a href="/credits/orders/${order.id}">${orderText(order)}</a></td>
              <td>${orderWords(order)}</td>
              <td class="number">${money(order.amount_micros, order.currency)}</td>
            </tr>`,
        )}
      </tbody>
    </table>
    ${olderCursor && html`<p><a href="/credits?cursor=${encodeURIComponent(olderCursor)}">Older orders</a></p>`}
  </section>`;
}

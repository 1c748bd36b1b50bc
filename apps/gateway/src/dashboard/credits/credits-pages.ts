import { randomUUID } from 'node:crypto';
import {
  type OrderAnswer,
  type SubscriptionAnswer,
  TIERS,
  packagePriceMicros,
} from '#libs/contracts';
import { type Notice, type PageContext, form, hidden, page } from '../pages/layout.js';
import { type Markup, html } from '../pages/markup.js';

/** What `/credits` shows. Undefined parts could not be read just now. */
export interface CreditsFacts {
  subscriptions?: SubscriptionAnswer[];
  orders?: OrderAnswer[];
  /** Credits to spend. */
  spendable?: number;
}

const CENT_MICROS = 10_000;
/** Between the tiers, too: more choices than these are made by the API. */
const STEPS = TIERS.flatMap(({ credits }, index) => {
  const next = TIERS[index + 1];
  if (next === undefined) return [credits];
  const grain = next.credits > 100_000 ? 10_000 : 1_000;
  return [credits, Math.round((credits + next.credits) / 2 / grain) * grain];
}).filter((credits) => packagePriceMicros(credits) !== undefined);

export function creditsPage(context: PageContext, facts: CreditsFacts, notice?: Notice): Markup {
  return page(context, {
    title: 'Credits',
    notice,
    body: html`<section>
        <h2>Buy a package</h2>
        ${facts.spendable !== undefined ? html`<p>${grouped(facts.spendable)} credits to spend now.</p>` : undefined}
        ${form(context, '/credits', packageFields())}
      </section>
      ${facts.subscriptions && subscriptionSection(context, facts.subscriptions)}
      ${facts.orders && orderSection(facts.orders)}`,
  });
}

/** Between our page and the processor's: a link, for the policy of this origin lets no form lead elsewhere. */
export function orderPage(context: PageContext, order: OrderAnswer, notice?: Notice): Markup {
  const { state, redirect_url: url } = order;
  const pay = url
    ? html`<p class="actions"><a class="button" href="${url}">Pay on the processor’s page</a></p>`
    : undefined;
  return page(context, {
    title: 'Your order',
    notice,
    body: html`<section>
      <h2>${linesText(order)}</h2>
      <p class="figure"><strong>${money(order.amount_micros, order.currency)}</strong></p>
      <p class="quiet"><span>${STATE_TEXTS[state]}</span></p>
      ${pay}
      <p><a href="/credits">Credits and orders</a></p>
    </section>`,
  });
}

/** Where a customer pays or changes payment details. */
export function leavePage(context: PageContext, url: string): Markup {
  return page(context, {
    title: 'At the processor',
    body: html`<section>
      <p>The payment processor’s own page asks for payment details. They never come here.</p>
      <p class="actions"><a class="button" href="${url}">Go to the processor’s page</a></p>
    </section>`,
  });
}

function packageFields(): Markup {
  // The same form sent twice is one order.
  return html`${hidden('idempotency_key', randomUUID())}
    <div class="field">
      <label for="credits">Credits</label>
      <select id="credits" name="credits">
        ${STEPS.map(
          (credits) =>
            html`<option value="${credits}">
              ${grouped(credits)} credits for ${money(String(packagePriceMicros(credits)), 'USD')}
            </option>`,
        )}
      </select>
    </div>
    <button>Order the package</button>`;
}

function subscriptionSection(context: PageContext, owned: SubscriptionAnswer[]): Markup {
  if (owned.length === 0) return html``;
  return html`<section>
    <h2>Subscriptions</h2>
    <ul class="rows">
      ${owned.map((one) => subscriptionRow(context, one))}
    </ul>
  </section>`;
}

function subscriptionRow(context: PageContext, owned: SubscriptionAnswer): Markup {
  const { id, sku, quantity, state, period_end, cancel_at, pending_change, is_current } = owned;
  const ends = cancel_at ? `ends ${day(cancel_at)}` : `runs until ${day(period_end)}`;
  const next = pending_change ? html` <span>then ${pending_change.sku}</span>` : undefined;
  const canUndo = cancel_at !== null || pending_change !== null;
  const step = (path: string, word: string) =>
    form(
      context,
      `/subscriptions/${id}/${path}`,
      html`<button class="plain small" aria-label="${word} ${sku}">${word}</button>`,
    );
  return html`<li>
    <div>
      <strong>${sku}</strong>${quantity > 1 ? ` × ${quantity}` : ''}
      <p class="quiet"><span>${state.replaceAll('_', ' ')}</span> <span>${ends}</span>${next}</p>
    </div>
    ${is_current ? html`<div class="actions">${canUndo ? step('undo', 'Undo') : step('cancel', 'Cancel')}${step('payment-details', 'Payment details')}</div>` : undefined}
  </li>`;
}

function orderSection(orders: OrderAnswer[]): Markup {
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
              <td><a href="/credits/orders/${order.id}">${linesText(order)}</a></td>
              <td>${order.state.replaceAll('_', ' ')}</td>
              <td class="number">${money(order.amount_micros, order.currency)}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </section>`;
}

const STATE_TEXTS: Readonly<Record<OrderAnswer['state'], string>> = {
  created: 'The processor has not answered yet. Load the page again in a moment.',
  redirected: 'Waits for the payment.',
  processing: 'The payment is under way; this can take days. Credits come with the money.',
  paid: 'Paid: the credits are in the account.',
  expired: 'The page to pay on has expired. Nothing was charged.',
  failed: 'The payment failed. Nothing was charged.',
  cancelled: 'Cancelled. Nothing was charged.',
  partially_refunded: 'Refunded in part.',
  refunded: 'Refunded.',
  disputed: 'The payment is disputed.',
};

function linesText({ lines }: OrderAnswer): string {
  return lines
    .map(({ credits, sku }) => (credits === null ? sku : `${grouped(Number(credits))} credits`))
    .join(', ');
}

/** @param micros millionths of the currency unit, decimal. */
function money(micros: string, currency: string): string {
  const amount = Number(BigInt(micros) / BigInt(CENT_MICROS)) / 100;
  return amount.toLocaleString('en-US', { style: 'currency', currency });
}

const grouped = (credits: number) => credits.toLocaleString('en-US');
const day = (time: string) => time.slice(0, 10);

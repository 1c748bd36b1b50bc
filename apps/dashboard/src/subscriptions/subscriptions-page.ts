import {
  type BalanceAnswer,
  type SubscriptionAnswer,
  type SubscriptionState,
  type UnpaidChangeAnswer,
  planOfSku,
} from '#libs/contracts';
import { counted } from '#libs/platform';
import { type Markup, html } from '#libs/public-http';
import { day, minuteText, money } from '../amounts.js';
import { PLAN_CREDITS_RULE, grantsTable } from '../credits/grants-table.js';
import { type Notice, type PageContext, form, page } from '../pages/layout.js';
import { confirmationPage } from '../pages/confirmation-page.js';

/** The contents of `/subscriptions`. Data that could not be read is undefined. */
export interface OwnedFacts {
  balance?: BalanceAnswer;
  subscriptions?: SubscriptionAnswer[];
}

export function subscriptionsPage(
  context: PageContext,
  { balance, subscriptions }: OwnedFacts,
  notice?: Notice,
): Markup {
  return page(context, {
    title: 'Subscriptions',
    notice,
    body: html`${subscriptions && planSection(context, subscriptions, balance)}
      ${creditSection(balance)}
      <p class="actions">
        <a class="button" href="/plans">See all plans</a>
        <a class="button plain" href="/credits">Buy credits</a>
      </p>`,
  });
}

export function cancelPage(context: PageContext, owned: SubscriptionAnswer): Markup {
  const end = day(lastEndOf(owned));
  const isOver = endsAtOnce(owned);
  return confirmationPage(context, {
    title: 'Cancel this subscription?',
    body: html`<p><strong>${nameOf(owned)}</strong> ${priceOf(owned)}</p>
      <ul>
        <li>${chargeWords(owned)} Earlier payments are not refunded.</li>
        ${owned.pending_change ? html`<li>The change to ${nameOf(owned.pending_change)} does not take place.</li>` : undefined}
        <li>
          It works until ${isOver ? 'the paid period is over' : `${end} (UTC)`} and then ends.
        </li>
        ${owned.line === 'api' ? html`<li>${PLAN_CREDITS_RULE} ${creditsEnd(owned)} Credits of packages stay.</li>` : undefined}
        ${isOver ? undefined : html`<li>Until then, you can undo the cancellation under Subscriptions.</li>`}
      </ul>
      <div class="field">
        <label for="reason">Why are you cancelling? (optional)</label>
        <textarea id="reason" name="reason" rows="3" maxlength="500"></textarea>
        <small>Our staff read it.</small>
      </div>`,
    action: `/subscriptions/${owned.id}/cancel`,
    button: 'Cancel the subscription',
    isDanger: true,
    back: { href: '/subscriptions', text: 'Keep it' },
  });
}

/** Whether a period has begun but its payment has not arrived. Stripe charges after an hour. */
const isChargedLater = ({ state, paid_through: paid, period_end: end }: SubscriptionAnswer) =>
  state === 'active' && (paid === null || paid < end);

/**
 * Whether a cancellation ends the plan at once. After a cancellation, PayPal no longer charges for the current period.
 */
const endsAtOnce = (owned: SubscriptionAnswer) =>
  owned.state === 'past_due' || (owned.processor === 'paypal' && isChargedLater(owned));

const chargeWords = (owned: SubscriptionAnswer) =>
  isChargedLater(owned) && !endsAtOnce(owned)
    ? `The period that began on ${day(owned.period_start)} (UTC) is still charged, then no other.`
    : 'You are not charged again.';

/**
 * Returns a sentence that says when a plan's credits expire after its cancellation: those of each month expire at the
 * end of that month.
 */
function creditsEnd(owned: SubscriptionAnswer): string {
  const { interval } = owned;
  if (endsAtOnce(owned)) return 'Its unused credits expire when the paid period is over.';
  const lost = `${day(lastEndOf(owned))} (UTC).`;
  return interval === 'year'
    ? `Its credits still come every month and expire with that month, the last ones on ${lost}`
    : `Its unused credits expire on ${lost}`;
}

/**
 * Returns when the last period would end if the plan were cancelled now. PayPal may have billed the next period early.
 */
function lastEndOf({ period_end: end, paid_through: paid }: SubscriptionAnswer): string {
  return paid !== null && paid > end ? paid : end;
}

export type Ordered = Pick<SubscriptionAnswer, 'sku' | 'quantity'>;

const STATE_WORDS: Readonly<Record<SubscriptionState, string>> = {
  incomplete: 'waiting for the first payment',
  trialing: 'on trial',
  active: 'active',
  past_due: 'payment failed',
  unpaid: 'not paid',
  paused: 'paused',
  cancelled: 'cancelled',
  expired: 'never paid',
};

/** Whether the first payment has not arrived. Until then, the plan gives no rights. */
export const isBeforePayment = ({ state, paid_through: paid }: SubscriptionAnswer) =>
  state === 'active' && paid === null;

const stateWords = (owned: SubscriptionAnswer) =>
  STATE_WORDS[isBeforePayment(owned) ? 'incomplete' : owned.state];

function planSection(
  context: PageContext,
  owned: SubscriptionAnswer[],
  balance?: BalanceAnswer,
): Markup {
  return html`<section>
    <h2>Plans</h2>
    ${
      owned.length === 0
        ? html`<p>No plan yet.</p>`
        : html`<ul class="rows">
            ${owned.map((one) => row(context, one, areCreditsMissing(one, balance)))}
          </ul>`
    }
  </section>`;
}

/** Whether a paid plan has not granted anything yet. Credits follow the payment within moments. */
function areCreditsMissing(owned: SubscriptionAnswer, balance?: BalanceAnswer): boolean {
  const { state, is_current: isCurrent, sku } = owned;
  const brings = (planOfSku(sku)?.monthlyCredits ?? 0) > 0;
  const isPaid = state === 'active' && !isChargedLater(owned);
  if (!balance || !brings || !isCurrent || !isPaid) return false;
  return !balance.grants.some((grant) => grant.sku === sku);
}

function row(context: PageContext, owned: SubscriptionAnswer, isWaiting: boolean): Markup {
  const { state, is_current, pending_change: pending } = owned;
  const dates = datesOf(owned);
  const next = pending && html` <span>then ${nameOf(pending)}</span>`;
  return html`<li>
    <div>
      <strong>${nameOf(owned)}</strong> ${priceOf(owned)}
      <p class="quiet">
        <span>${stateWords(owned)}</span>
        ${dates === '' ? undefined : html`<span>${dates}</span>`}${next ?? undefined}
      </p>
      ${taxText(owned)}
      ${isWaiting ? html`<p>The plan is paid and its credits are on their way. Load this page again in a moment.</p>` : undefined}
      ${state === 'past_due' ? html`<p>${refusal(owned)}; ${priceOf(owned)} is due. ${paysHere(owned) ? 'Pay it with this or another card.' : 'Please change the payment details.'} ${afterFailure(owned)}</p>` : undefined}
      ${owned.is_current && owned.unpaid_change ? unpaidSection(context, owned, owned.unpaid_change) : undefined}
    </div>
    ${is_current ? actions(context, owned) : undefined}
  </li>`;
}

function unpaidSection(
  context: PageContext,
  owned: SubscriptionAnswer,
  { sku, quantity, pay_url: url, due_micros }: UnpaidChangeAnswer,
): Markup {
  const amount = money(due_micros, owned.currency);
  const again = new URLSearchParams({ sku, quantity: String(quantity) });
  const page = url ?? `/subscriptions/${owned.id}/change?${again}`;
  const name = nameOf({ sku, quantity });
  return html`<p>${unpaidWords(owned)} ${nameOf(owned)} stays as it is until then.</p>
    <div class="actions">
      <a class="button small" href="${page}" aria-label="Pay ${amount}: ${name}">Pay ${amount}</a>
      ${form(
        context,
        `/subscriptions/${owned.id}/drop`,
        html`<button class="plain small" aria-label="Drop the change: ${name}">
          Drop the change
        </button>`,
      )}
    </div>`;
}

const afterFailure = ({ paid_through: paidThrough }: SubscriptionAnswer) =>
  paidThrough === null
    ? 'The plan begins once it is paid.'
    : 'Everything keeps working for 7 days after the paid period.';

/** Whether the button for the payment details leads to the page on which an overdue plan is paid. */
const paysHere = ({ state, processor }: SubscriptionAnswer) =>
  state === 'past_due' && processor === 'stripe';

const refusal = ({ processor }: SubscriptionAnswer) =>
  processor === 'paypal' ? 'PayPal declined the payment' : 'Your card was declined';

function unpaidWords(owned: SubscriptionAnswer): string {
  const { unpaid_change: unpaid, currency } = owned;
  if (!unpaid) return '';
  const open = `${money(unpaid.due_micros, currency)} is due for the change to ${nameOf(unpaid)}`;
  const end = `Pay it by ${minuteText(unpaid.until)}, or drop the change.`;
  return unpaid.is_declined ? `${refusal(owned)}; ${open}. ${end}` : `${open}. ${end}`;
}

/**
 * Returns a notice with the new state of a subscription that has just been changed. The state is read from the
 * subscription, not from the URL.
 */
export function standingNotice(owned: SubscriptionAnswer): Notice {
  const { unpaid_change: unpaid, cancel_at: cancelAt, pending_change: pending, state } = owned;
  const name = nameOf(owned);
  if (unpaid) return { kind: unpaid.is_declined ? 'fault' : 'note', text: unpaidWords(owned) };
  if (cancelAt !== null) {
    return { kind: 'done', text: `${name} is cancelled: it works until ${day(cancelAt)} (UTC).` };
  }
  if (pending) {
    const text = `${name} stays until ${day(pending.at)} (UTC); then ${nameOf(pending)} begins.`;
    return { kind: 'done', text };
  }
  if (state !== 'active') return { kind: 'note', text: `${name}: ${STATE_WORDS[state]}.` };
  const text = `You have ${name} for ${priceOf(owned)}. It renews on ${day(owned.period_end)} (UTC).`;
  return { kind: 'done', text };
}

function actions(context: PageContext, owned: SubscriptionAnswer): Markup {
  const name = nameOf(owned);
  const step = (path: string, word: string) =>
    form(
      context,
      `/subscriptions/${owned.id}/${path}`,
      html`<button class="plain small" aria-label="${word}: ${name}">${word}</button>`,
    );
  const link = (path: string, word: string) =>
    html`<a class="button plain small" href="${path}" aria-label="${word}: ${name}">${word}</a>`;
  const plans = owned.interval === 'year' ? '/plans?interval=year' : '/plans';
  return html`<div class="actions">
    ${owned.cancel_at === null ? link(plans, 'Change plan') : step('undo', 'Undo the cancellation')}
    ${owned.cancel_at === null && owned.pending_change ? step('undo', 'Undo') : undefined}
    ${owned.cancel_at === null ? link(`/subscriptions/${owned.id}/cancel`, 'Cancel') : undefined}
    ${step('payment-details', paysHere(owned) ? 'Pay' : 'Payment details')}
  </div>`;
}

function creditSection(balance: BalanceAnswer | undefined): Markup {
  return html`<section>
    <h2>Credits</h2>
    ${
      balance
        ? html`<p>${counted(balance.spendable + balance.reserved, 'credit')} to spend.</p>
            ${grantsTable(balance)}`
        : html`<p>Packages cannot be read right now. Load the page again in a moment.</p>`
    }
  </section>`;
}

function datesOf(owned: SubscriptionAnswer): string {
  const { state, cancel_at, period_end, paid_through } = owned;
  if (state === 'cancelled' || state === 'expired') {
    // The period of a refunded subscription has ended early.
    const [end] = [cancel_at ?? period_end, paid_through ?? period_end].toSorted();
    // At PayPal, a cancelled subscription ends at once, but works until the end of the paid time.
    return `${paid_through === null ? 'ended' : 'paid until'} ${day(end)}`;
  }
  if (cancel_at !== null) return `ends ${day(cancel_at)}`;
  if (state === 'past_due' && paid_through !== null) return `paid until ${day(paid_through)}`;
  // A plan that is not paid yet, or no longer paid, has no renewal to name.
  const isRenewed = state === 'trialing' || (state === 'active' && !isBeforePayment(owned));
  return isRenewed ? `renews ${day(period_end)}` : '';
}

/** Returns a plan and its units in readable form. */
export function nameOf({ sku, quantity }: Ordered): string {
  const name = planOfSku(sku)?.name ?? sku;
  const text = sku.endsWith('-year') ? `${name}, yearly` : name;
  return quantity > 1 ? `${text} × ${quantity}` : text;
}

function priceOf({ amount_micros: micros, currency, interval }: SubscriptionAnswer): string {
  return `${money(micros, currency)} a ${interval}`;
}

/** Returns the tax within a price, if any. Prices of subscriptions include tax, as the processor charges them. */
export function taxText({
  tax_micros: tax,
  currency,
}: Pick<SubscriptionAnswer, 'tax_micros' | 'currency'>) {
  return tax === '0' ? undefined : html`<p class="quiet">${money(tax, currency)} of it is tax.</p>`;
}

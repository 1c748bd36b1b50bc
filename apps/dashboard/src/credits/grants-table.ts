import { type BalanceAnswer, type CreditSource, planOfSku } from '#libs/contracts';
import { type Markup, html } from '#libs/public-http';
import { day, grouped } from '../amounts.js';

/** The rule about when a plan's credits expire. Every page uses this text. */
export const PLAN_CREDITS_RULE =
  'Credits of a plan come every month. They expire when the next ones arrive, at the latest 7 days after the end of their month; if the plan is cancelled, at the end of their month.';

/**
 * Returns a table of an account's grants, in the order in which their credits are used; a sentence if there are none.
 */
export function grantsTable({ grants }: BalanceAnswer): Markup {
  if (grants.length === 0) return html`<p class="quiet">No credits yet.</p>`;
  return html`<table class="stacked">
      <thead>
        <tr>
          <th>From</th>
          <th class="number">Granted</th>
          <th class="number">Left</th>
          <th>Until</th>
        </tr>
      </thead>
      <tbody>
        ${grants.toSorted(inOrderOfUse).map(
          (grant) =>
            html`<tr>
              <td data-label="From"><div>${grantWords(grant)}</div></td>
              <td data-label="Granted" class="number">${grouped(grant.granted)}</td>
              <td data-label="Left" class="number">${grouped(grant.available + grant.reserved)}</td>
              <td data-label="Until"><div>${untilOf(grant)}</div></td>
            </tr>`,
        )}
      </tbody>
    </table>
    <p class="quiet">
      Credits are used from the top of this list to the bottom: trial credits and returned credits
      first, then credits from support, plans and packages. Within each kind, the credits that
      expire first are used first. ${PLAN_CREDITS_RULE}
    </p>`;
}

/** The priorities that determine which credits are used first. */
const PRIORITIES: Readonly<Record<CreditSource, number>> = {
  trial: 1,
  release: 1,
  operator: 2,
  subscription: 3,
  package: 4,
};

type Shown = BalanceAnswer['grants'][number];

function inOrderOfUse(a: Shown, b: Shown): number {
  const [left, right] = [a, b].map(({ available, reserved }) => available + reserved > 0);
  if (!left || !right) return Number(right) - Number(left) || compare(b.granted_at, a.granted_at);
  return (
    PRIORITIES[a.source_type] - PRIORITIES[b.source_type] ||
    compare(a.expires_at ?? LATEST, b.expires_at ?? LATEST) ||
    compare(a.granted_at, b.granted_at)
  );
}

/** A string that sorts after every time. */
const LATEST = '~';
const compare = (a: string, b: string) => (a === b ? 0 : a < b ? -1 : 1);

/** The number of final characters of an order's id that are shown: enough to distinguish an account's orders. */
const ORDER_DIGITS = 6;

export const orderNumber = (id: string) => id.slice(-ORDER_DIGITS).toUpperCase();

function grantWords({ source_type: type, granted_at: at, order_id: id, sku }: Shown): Markup {
  const plan = type === 'subscription' && sku !== null ? planOfSku(sku)?.name : undefined;
  const order =
    id === null ? undefined : html`, <a href="/credits/orders/${id}">order ${orderNumber(id)}</a>`;
  return html`${plan ?? sourceName(type)}, <span class="date">${day(at)}</span>${order}`;
}

/** Returns a phrase that says how many credits expire first, and when; undefined if none expire. */
export function firstToEnd({ grants }: BalanceAnswer): string | undefined {
  const ending = grants.flatMap(({ expires_at: end, available, reserved }) =>
    end !== null && available + reserved > 0 ? [{ end, left: available + reserved }] : [],
  );
  if (ending.length === 0) return undefined;
  const [first] = ending.map(({ end }) => day(end)).toSorted();
  const left = ending.reduce((sum, one) => sum + (day(one.end) === first ? one.left : 0), 0);
  return `${grouped(left)} of them ${left === 1 ? 'expires' : 'expire'} by ${first}`;
}

function untilOf({ source_type: type, expires_at: end }: BalanceAnswer['grants'][number]): Markup {
  if (end === null) return html`never expires`;
  return html`<span class="date">${day(end)}</span
    >${type === 'subscription' ? ' at the latest' : ''}`;
}

const SOURCE_NAMES: Readonly<Record<CreditSource, string>> = {
  trial: 'Trial',
  package: 'Package',
  subscription: 'Plan',
  release: 'Returned',
  operator: 'From support',
};

export const sourceName = (type: string) =>
  (SOURCE_NAMES as Readonly<Record<string, string>>)[type] ?? type.replaceAll('_', ' ');

import type {
  Allowance,
  BalanceAnswer,
  KeyAnswer,
  MonitorAnswer,
  MonitorKind,
  PaceAnswer,
  SubscriptionAnswer,
  SubscriptionState,
} from '#libs/contracts';
import { type Markup, html } from '#libs/public-http';
import { day, grouped } from '../amounts.js';
import { isBeforePayment, nameOf } from '../subscriptions/subscriptions-page.js';

/** The contents of the card. Data that could not be read is undefined. */
export interface PlanFacts {
  balance?: BalanceAnswer;
  allowance?: Allowance;
  pace?: PaceAnswer;
  subscriptions?: SubscriptionAnswer[];
  keys?: readonly KeyAnswer[];
  monitors?: readonly MonitorAnswer[];
  now: Date;
}

const CLASSES = [
  ['live', 'Live requests'],
  ['bulk', 'Bulk requests'],
  ['heavy', 'Searches'],
] as const;

const MONITORS = [
  ['domain', 'Domain monitors'],
  ['brand', 'Brand monitors'],
  ['registrant', 'Registrant monitors'],
] as const;

const CURRENT: ReadonlySet<SubscriptionState> = new Set(['active', 'trialing', 'past_due']);

export function planCard(facts: PlanFacts): Markup {
  const { allowance } = facts;
  return html`<section>
    <h2>Plan and limits</h2>
    <p>${planWords(facts)}</p>
    ${facts.subscriptions?.filter(isOverdue).map(overdueNotice)}
    ${allowance ? limitTable(allowance, facts) : html`<p>Limits cannot be read right now.</p>`}
    <p class="quiet">
      For requests, “Used” counts the last 60 seconds, and “Busiest” the busiest minute of the last
      hour. Both include requests with test keys, which have separate limits.
      <a href="/plans">Plans and the rate-limit add-on</a>
    </p>
  </section>`;
}

export function lowCredits(balance: BalanceAnswer | undefined): string | undefined {
  if (!balance) return undefined;
  // Frozen credits return later, and the page says so.
  if (balance.frozen > 0) return undefined;
  const left = balance.spendable + balance.reserved;
  if (left === 0)
    return 'You have no credits left. Requests that cost credits are refused until you buy some.';
  if (left > (balance.low_at ?? 0)) return undefined;
  return `Your credits are running out: ${grouped(left)} ${left === 1 ? 'is' : 'are'} left.`;
}

function planWords({ subscriptions, balance, now }: PlanFacts): string {
  if (subscriptions === undefined) return 'Plans cannot be read right now.';
  const working = subscriptions.flatMap((one) => workingName(one, now) ?? []);
  if (working.length > 0) return working.join(', ');
  const isPaid = balance?.grants.some(({ source_type: type }) => type === 'package');
  return isPaid ? 'Credits from packages, no subscription' : 'Trial, no subscription';
}

const isOverdue = ({ state }: SubscriptionAnswer) => state === 'past_due';

const overdueNotice = (owned: SubscriptionAnswer) =>
  html`<p class="notice fault">
    The payment for ${nameOf(owned)} failed.
    <a href="/subscriptions">How to pay, and how long it keeps working</a>
  </p>`;

/**
 * Returns the name of a plan that works or waits for its first payment. A plan that was cancelled at PayPal works until
 * the end of the paid time.
 */
function workingName(owned: SubscriptionAnswer, now: Date): string | undefined {
  const { state, paid_through: paid } = owned;
  if (isBeforePayment(owned)) return `${nameOf(owned)} (waiting for the first payment)`;
  if (CURRENT.has(state)) return nameOf(owned);
  return paid !== null && new Date(paid) > now ? `${nameOf(owned)} until ${day(paid)}` : undefined;
}

function limitTable({ limits, keys: keysMax, monitors }: Allowance, facts: PlanFacts): Markup {
  const { pace, keys } = facts;
  // Live keys are numbered from the oldest to the newest, so the newest one's number is their count.
  const used = keys && Math.max(0, ...keys.map(({ rank }) => rank ?? 0));
  return html`<table class="stacked">
    <thead>
      <tr>
        <th>Limit</th>
        <th class="number">Allowed</th>
        <th class="number">Used</th>
        <th class="number">Left</th>
        <th class="number">Busiest</th>
      </tr>
    </thead>
    <tbody>
      ${CLASSES.map(([name, words]) => {
        const { last_minute: last, busiest_minute: most } = pace?.[name] ?? {};
        return limitRow(`${words} a minute`, limits[name], last, most);
      })}
      ${limitRow('Live keys', keysMax, used)}
      ${MONITORS.map(([name, words]) => limitRow(words, monitors[name], activeOf(name, facts)))}
    </tbody>
  </table>`;
}

const activeOf = (wanted: MonitorKind, { monitors }: PlanFacts) =>
  monitors?.filter(({ kind, state }) => kind === wanted && state === 'active').length;

function limitRow(words: string, allowed: number, used?: number, most?: number): Markup {
  const cell = (label: string, value?: number) =>
    html`<td data-label="${label}" class="number">
      ${value === undefined ? '–' : grouped(value)}
    </td>`;
  return html`<tr>
    <td data-label="Limit">${words}</td>
    ${cell('Allowed', allowed)} ${cell('Used', used)}
    ${cell('Left', used === undefined ? undefined : Math.max(0, allowed - used))}
    ${cell('Busiest', most)}
  </tr>`;
}

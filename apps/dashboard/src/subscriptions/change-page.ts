import { randomUUID } from 'node:crypto';
import {
  type BalanceAnswer,
  DATASET_NAMES,
  type PlanDataset,
  type PlanPreviewAnswer,
  type SubscriptionAnswer,
  type SubscriptionPlan,
  planOfSku,
  rightsOf,
} from '#libs/contracts';
import { counted } from '#libs/platform';
import { type Markup, html } from '#libs/public-http';
import { day, grouped, money } from '../amounts.js';
import { type Notice, type PageContext, form, hidden, page } from '../pages/layout.js';
import { type Ordered, nameOf, taxText } from './subscriptions-page.js';

export interface PreviewedChange {
  owned: SubscriptionAnswer;
  to: Ordered;
  preview: PlanPreviewAnswer;
  /** The credits; undefined if entitlement is unavailable. */
  balance?: BalanceAnswer;
}

export function changePage(context: PageContext, change: PreviewedChange, notice?: Notice): Markup {
  const { owned, to, preview } = change;
  const isNow = preview.effect === 'now';
  const fields = html`${hidden('sku', to.sku)}${hidden('quantity', String(to.quantity))}
    ${hidden('from', preview.from)}${hidden('idempotency_key', randomUUID())}<button>
      ${isNow ? 'Pay and change' : 'Change'}
    </button>`;
  const lost = lostWith(change);
  return page(context, {
    title: 'Change the plan',
    notice,
    body: html`<section>
      <h2>${nameOf(owned)} → ${nameOf(to)}</h2>
      <p class="figure"><strong>${money(preview.due_micros, preview.currency)}</strong> due now</p>
      ${taxText(preview)}
      <p>${whenWords(preview)}</p>
      ${comparison(change)} ${creditWords(change)}
      ${
        lost.length > 0
          ? html`<h3>What you lose</h3>
              <ul>
                ${lost.map((line) => html`<li>${line}</li>`)}
              </ul>`
          : undefined
      }
      ${form(context, `/subscriptions/${owned.id}/change`, fields)}
      <p><a href="/subscriptions">Leave it as it is</a></p>
    </section>`,
  });
}

function whenWords({ effect, from, renews_at: renewsAt }: PlanPreviewAnswer): string {
  if (effect === 'period_end') {
    return `Nothing is charged now. The new plan begins on ${day(from)} (UTC), and until then you can undo this.`;
  }
  return `The new plan works as soon as this is paid. You pay for the rest of the current period, less the unused part of the old plan. It renews on ${day(renewsAt)} (UTC).`;
}

type Row = readonly [name: string, before: string, after: string];

function comparison({ owned, to, preview }: PreviewedChange): Markup {
  const { effect, from, renews_at: renewsAt } = preview;
  const begins = effect === 'now' ? 'once it is paid' : `from ${day(from)}`;
  const price: Row = [
    `Price, from ${day(renewsAt)}`,
    `${money(owned.amount_micros, owned.currency)} a ${owned.interval}`,
    `${money(preview.renewal_micros, preview.currency)} a ${planOfSku(to.sku)?.interval ?? owned.interval}`,
  ];
  const rows = [price, ...rightsRows(owned, to), ...filesRows(owned, to)];
  return html`<table class="stacked">
    <thead>
      <tr>
        <th>What</th>
        <th class="number">Now</th>
        <th class="number">Then, ${begins}</th>
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        ([name, before, after]) =>
          html`<tr>
            <td data-label="What">${name}</td>
            <td data-label="Now" class="number">${before}</td>
            <td data-label="Then" class="number">${after}</td>
          </tr>`,
      )}
    </tbody>
  </table>`;
}

function rightsRows(owned: Ordered, to: Ordered): Row[] {
  const [before, after] = [owned, to].map(figuresOf);
  return Object.keys(before).flatMap((name): Row[] => {
    const [old, fresh] = [before[name], after[name]];
    return old === 0 && fresh === 0 ? [] : [[name, grouped(old), grouped(fresh)]];
  });
}

function filesRows(owned: Ordered, to: Ordered): Row[] {
  const [before, after] = [owned, to].map((plan) => filesOf(plan).join(', '));
  return before === '' && after === '' ? [] : [['Files of', before, after]];
}

/** Returns the names of the datasets whose files a plan includes. */
const filesOf = ({ sku }: Ordered) =>
  (planOfSku(sku)?.rights.datasets ?? []).map((name) => DATASET_NAMES[name as PlanDataset]);

function figuresOf({ sku, quantity }: Ordered): Record<string, number> {
  const plan = planOfSku(sku);
  const rights = plan && rightsOf(plan, quantity);
  return {
    'Credits a month': creditsOf(plan, quantity),
    'Live requests a minute': rights?.limits.live ?? 0,
    'Bulk requests a minute': rights?.limits.bulk ?? 0,
    'Searches a minute': rights?.limits.heavy ?? 0,
    Keys: rights?.keys ?? 0,
    'Monitors of domains': rights?.monitors.domain ?? 0,
    'Monitors of brands': rights?.monitors.brand ?? 0,
    'Monitors of registrants': rights?.monitors.registrant ?? 0,
  };
}

const creditsOf = (plan: SubscriptionPlan | undefined, quantity: number) =>
  (plan?.monthlyCredits ?? 0) * quantity;

function creditWords({ owned, preview, balance }: PreviewedChange): Markup | undefined {
  if (owned.line !== 'api' || !balance) return undefined;
  const left = balance.spendable + balance.reserved;
  const { credits_now: added, effect, renews_at: renewsAt } = preview;
  if (effect === 'period_end') {
    return html`<p>
      You have ${counted(left, 'credit')}. The change adds none before ${day(renewsAt)}.
    </p>`;
  }
  const repaid = Math.min(balance.debt, added);
  return html`<p>
    You have ${counted(left, 'credit')}. The change adds ${grouped(added)} at once for the rest of
    the current
    month${repaid > 0 ? `, which first repay the ${grouped(balance.debt)} that you owe after a refund` : ''}.
    You then have ${grouped(left + added - repaid)}.
  </p>`;
}

function lostWith({ owned, to, preview, balance }: PreviewedChange): string[] {
  const lost: string[] = [];
  const { drops_change: dropped, effect, from } = preview;
  if (dropped) lost.push(`The change to ${nameOf(dropped)} on ${day(dropped.at)} is cancelled.`);
  const kept = filesOf(to);
  const files = filesOf(owned).filter((name) => !kept.includes(name));
  if (files.length > 0) lost.push(`Files of ${files.join(', ')} are no longer included.`);
  if (effect === 'now') return lost;
  const ofPlan = (balance?.grants ?? []).filter(({ source_type: type }) => type === 'subscription');
  const left = ofPlan.reduce((sum, { available, reserved }) => sum + available + reserved, 0);
  if (owned.line === 'api') {
    lost.push(
      left > 0
        ? `The plan has ${counted(left, 'credit')} now. Credits that are left on ${day(from)} expire when the new ones arrive. Credits of packages stay.`
        : `The plan’s credits that are left on ${day(from)} expire when the new ones arrive. Credits of packages stay.`,
    );
  }
  const [before, after] = [owned, to].map(figuresOf);
  if (after.Keys < before.Keys) {
    lost.push(
      `The plan allows ${after.Keys} live keys: the oldest continue to work, and the others are paused, unless a package allows more.`,
    );
  }
  const monitors = Object.keys(before).filter((name) => name.startsWith('Monitors'));
  if (monitors.some((name) => after[name] < before[name])) {
    lost.push(
      'Monitors beyond the limit of the plan are paused, not deleted, unless a package allows more.',
    );
  }
  return lost;
}

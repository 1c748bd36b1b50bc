import { randomUUID } from 'node:crypto';
import {
  type BillingInterval,
  DATASET_NAMES,
  type PlanDataset,
  type SubscriptionAnswer,
  type SubscriptionLineName,
  type SubscriptionPlan,
  type TaxAnswer,
  offeredPlans,
} from '#libs/contracts';
import { counted } from '#libs/platform';
import { type Markup, html } from '#libs/public-http';
import { day, grouped } from '../amounts.js';
import { priceWords, taxSentence } from '../credits/added-tax.js';
import { type ProcessorChoice, processorSection } from '../credits/processor-choice.js';
import { PLAN_CREDITS_RULE } from '../credits/grants-table.js';
import { choice } from '../choice.js';
import { type Notice, type PageContext, form, hidden, page } from '../pages/layout.js';

export interface PlansFacts {
  interval: BillingInterval;
  /** The subscriptions; undefined if billing refuses to list them. */
  owned?: SubscriptionAnswer[];
  processors: ProcessorChoice;
  tax?: TaxAnswer;
}

const EACH: Readonly<Record<BillingInterval, string>> = { month: 'a month', year: 'a year' };

export function plansPage(context: PageContext, facts: PlansFacts, notice?: Notice): Markup {
  const { interval } = facts;
  const { chosen } = facts.processors;
  const address = (every: BillingInterval, processor = chosen) =>
    `/plans?interval=${every}&processor=${processor}`;
  const options = [
    { text: 'Monthly', href: address('month'), isCurrent: interval === 'month' },
    { text: 'Yearly, 17 % less', href: address('year'), isCurrent: interval === 'year' },
  ];
  return page(context, {
    title: 'Plans',
    notice,
    body: html`${choice('How often you pay', options)}
      ${processorSection(facts.processors, (name) => address(interval, name))}
      <section>
        <h2>API plans</h2>
        <p class="quiet">
          ${PLAN_CREDITS_RULE} A yearly plan brings them every month as well. Credits of a
          <a href="/credits">package</a> never expire.
        </p>
        ${rows(context, 'api', facts)}
      </section>
      <section>
        <h2>Domainer plans</h2>
        <p class="quiet">
          Download <a href="/files">database files</a> every day, and full files once a week. Each
          plan opens the files of its data for the last 90 days.
        </p>
        ${rows(context, 'domainer', facts)}
      </section>
      <section>
        <h2>Rate-limit add-on</h2>
        <p class="quiet">
          It allows more requests a minute than your package or plan, as soon as it is paid.
        </p>
        ${rows(context, 'rate_limit', facts)}
      </section>
      <p class="quiet">${taxSentence(facts.tax)}</p>`,
  });
}

function rows(context: PageContext, line: SubscriptionLineName, facts: PlansFacts): Markup {
  const plans = offeredPlans().filter(
    (plan) => plan.line === line && plan.interval === facts.interval,
  );
  const current = facts.owned?.find((one) => one.line === line && one.is_current);
  return html`${current?.cancel_at ? undoFirst(context, current) : undefined}
    <ul class="rows">
      ${plans.map(
        (plan) =>
          html`<li>
            <div>
              <strong>${plan.name}</strong> ${priceWords(plan.unitMicros, facts.tax)}
              ${EACH[plan.interval]}
              <p class="quiet">${rightsOf(plan)}</p>
            </div>
            ${actionOf(context, plan, facts, current)}
          </li>`,
      )}
    </ul>`;
}

function actionOf(
  context: PageContext,
  plan: SubscriptionPlan,
  { processors }: PlansFacts,
  current: SubscriptionAnswer | undefined,
): Markup {
  if (current?.cancel_at) return html``;
  return current ? changeTo(plan, current) : subscribeTo(context, plan, processors);
}

function subscribeTo(
  context: PageContext,
  plan: SubscriptionPlan,
  { chosen }: ProcessorChoice,
): Markup {
  // If the form is sent twice, only one order is created.
  const fields = html`${hidden('idempotency_key', randomUUID())}${hidden('processor', chosen)}
    ${hidden('sku', plan.sku)} ${units(plan, 1)}<button aria-label="Subscribe to ${plan.name}">
      Subscribe
    </button>`;
  return form(context, '/plans', fields);
}

/** Returns the offer to undo a cancellation. A cancelled subscription cannot be changed before that. */
function undoFirst(
  context: PageContext,
  { id, period_end: end, cancel_at }: SubscriptionAnswer,
): Markup {
  return html`<p>
      Your plan is cancelled and ends on ${day(cancel_at ?? end)} (UTC). To change it, undo the
      cancellation first.
    </p>
    ${form(context, `/subscriptions/${id}/undo`, html`<button class="plain">Undo the cancellation</button>`)}`;
}

/** Returns a form that leads to the cost of the change; for the current plan without units, only a note. */
function changeTo(plan: SubscriptionPlan, current: SubscriptionAnswer): Markup {
  const isSame = plan.sku === current.sku;
  if (isSame && plan.unitsMax === 1) return html`<p class="quiet">Your plan</p>`;
  return html`<form method="get" action="/subscriptions/${current.id}/change">
    ${hidden('sku', plan.sku)}${units(plan, current.quantity)}
    <button class="plain" aria-label="Change to ${plan.name}">Change</button>
  </form>`;
}

function units({ sku, unitsMax, name }: SubscriptionPlan, value: number): Markup {
  if (unitsMax === 1) return html``;
  return html`<div class="field">
    <label for="units-${sku}">Units of the ${name}</label>
    <input
      id="units-${sku}"
      name="quantity"
      type="number"
      min="1"
      max="${unitsMax}"
      value="${value}"
      required
    />
  </div>`;
}

export function rightsOf({ line, monthlyCredits, rights }: SubscriptionPlan): Markup {
  const { limits, monitors, keys, datasets } = rights;
  if (line === 'domainer') {
    return html`<span
      >${datasets.map((name) => DATASET_NAMES[name as PlanDataset]).join(', ')}</span
    >`;
  }
  const perMinute = `${grouped(limits.live)} live, ${limits.bulk} bulk and ${limits.heavy} search requests a minute`;
  if (line === 'rate_limit') return html`<span>Each unit adds ${perMinute}.</span>`;
  return html`<span>${grouped(monthlyCredits)} credits a month</span> <span>${perMinute}</span>
    <span
      >monitors: ${counted(monitors.domain, 'domain')}, ${counted(monitors.brand, 'brand')},
      ${counted(monitors.registrant, 'registrant')}</span
    >
    <span>${keys} keys</span>`;
}

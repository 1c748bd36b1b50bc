import {
  RATE_LIMIT_UNIT,
  type SubscriptionPlan,
  TIERS,
  TRIAL_CREDITS,
  TRIAL_RIGHTS,
  type Tier,
  endpointOf,
  offeredPlans,
  planOfSku,
} from '#libs/contracts';
import { counted } from '#libs/platform';
import { type Markup, html } from '#libs/public-http';
import { grouped, money } from '../amounts.js';
import { TAX_RULE } from '../credits/added-tax.js';
import { PLAN_CREDITS_RULE } from '../credits/grants-table.js';
import { type Notice, type PageContext, field, page } from '../pages/layout.js';
import { selectField } from '../pages/select-field.js';
import { rightsOf } from '../plans/plans-page.js';
import { priceWords } from '../searches/search.js';
import {
  CHARGED_LATER,
  type Calculation,
  PRICED_OPERATIONS,
  type SoldPackage,
  type Way,
} from '../credits/calculation.js';

export const COUNT_MAX = 100_000_000;

export interface AskedPrice {
  operation: string;
  count: number;
}

export function pricesPage(
  context: PageContext,
  asked: AskedPrice,
  { apiUrl, found, notice }: { apiUrl: string; found?: Calculation; notice?: Notice },
): Markup {
  const { limits, keys } = TRIAL_RIGHTS;
  return page(context, {
    title: 'Prices',
    notice,
    body: html`<p class="lead">
        You pay only for answers. Refused requests, timeouts, throttled registries and empty
        searches cost nothing. Your first account starts with ${grouped(TRIAL_CREDITS)} credits,
        ${limits.live} live requests a minute and ${keys} key. You need no card.
      </p>
      ${calculator(asked, found)} ${sectionsOf(apiUrl)}`,
  });
}

/** The sections below the calculator, by the origin of the API. */
const sections = new Map<string, Markup>();

/** Returns the sections below the calculator. Rendering them takes 5 ms, so they are rendered once (S104). */
function sectionsOf(apiUrl: string): Markup {
  const known = sections.get(apiUrl) ?? renderSections(apiUrl);
  sections.set(apiUrl, known);
  return known;
}

const renderSections = (apiUrl: string) =>
  html`<section>
      <h2>Packages and API plans</h2>
      <p class="quiet">
        Credits of a package never expire. ${PLAN_CREDITS_RULE} Trial credits are used first, then
        credits of a plan, then credits of packages. You can also buy packages of other sizes, in
        steps of 1,000 credits, or of 10,000 above 100,000.
      </p>
      ${tierTable()}
      <p class="quiet">
        Requests a minute: live / bulk / searches. Monitors: domains / brands / registrants.
      </p>
    </section>
    <section>
      <h2>Domainer plans</h2>
      <p class="quiet">
        Download database files every day and full files once a week, for the last 90 days. A
        <a href="${apiUrl}/v2.0/files/sample">sample</a> is public: up to 10,000 new names as CSV.
      </p>
      ${domainerTable()}
    </section>
    <section>
      <h2>Rate-limit add-on</h2>
      <p>
        ${money(String(RATE_LIMIT_UNIT.monthlyMicros))} a month or
        ${money(String(RATE_LIMIT_UNIT.yearlyMicros))} a year for each unit, up to
        ${RATE_LIMIT_UNIT.unitsMax}. A unit adds ${perMinute(RATE_LIMIT_UNIT.limits)} requests a
        minute on top of a package or plan.
      </p>
    </section>
    <section>
      <h2>What each operation costs</h2>
      ${operationTable()}
    </section>
    <p class="quiet">Prices are in US dollars and without tax. ${TAX_RULE}</p>`;

function calculator({ operation, count }: AskedPrice, found: Calculation | undefined): Markup {
  const options = PRICED_OPERATIONS.map(
    ({ name, summary }) => [name, `${name}: ${summary}`] as const,
  );
  return html`<section>
    <h2>Calculator</h2>
    <form method="get" action="/prices" class="filters">
      ${selectField('operation', { label: 'Operation', options, chosen: operation })}
      ${field({ name: 'count', label: 'Answers', type: 'number', value: String(count) })}
      <button>Calculate</button>
    </form>
    ${found && calculated(found)}
  </section>`;
}

function calculated({ operation, count, credits, once, yearly }: Calculation): Markup {
  return html`<p role="status">
      ${grouped(count)} × <code>${operation.name}</code> cost at most
      <strong>${counted(credits, 'credit')}</strong>. ${priceWords(operation)}
    </p>
    <h3>Once</h3>
    ${ways(once, 'in total')}
    <h3>Every month, for a year</h3>
    ${ways(yearly, 'a year')}
    <p class="quiet">The cheapest comes first. Prices are without tax. ${TAX_RULE}</p>`;
}

const ways = (cheapestFirst: readonly Way[], period: string) =>
  html`<ul>
    ${cheapestFirst.map(
      (way) =>
        html`<li><strong>${money(String(way.micros))}</strong> ${period}: ${wayWords(way)}.</li>`,
    )}
  </ul>`;

function wayWords({ plan, packages }: Way): string {
  const parts = plan
    ? [`${plan.name} for ${money(String(plan.unitMicros))} a ${plan.interval}`]
    : [];
  const sizes = new Map<SoldPackage, number>();
  for (const sold of packages) sizes.set(sold, (sizes.get(sold) ?? 0) + 1);
  for (const [sold, times] of sizes) {
    const many = times === 1 ? 'a package' : `${grouped(times)} packages`;
    const each = times === 1 ? '' : ' each';
    parts.push(
      `${many} of ${grouped(sold.credits)} credits for ${money(String(sold.micros))}${each}`,
    );
  }
  return parts.join(' and ');
}

function tierTable(): Markup {
  return html`<table class="stacked">
    <thead>
      <tr>
        <th>Credits</th>
        <th class="number">Package</th>
        <th class="number">A month</th>
        <th class="number">A year</th>
        <th class="number">Requests a minute</th>
        <th class="number">Monitors</th>
        <th class="number">Keys</th>
      </tr>
    </thead>
    <tbody>
      ${TIERS.map(tierRow)}
    </tbody>
  </table>`;
}

function tierRow({ name, credits, packageMicros, limits, monitors, keys }: Tier): Markup {
  return html`<tr>
    <td data-label="Credits">${grouped(credits)}</td>
    <td data-label="Package" class="number">${money(String(packageMicros))}</td>
    <td data-label="A month" class="number">${priceOf(planOfSku(`api-${name}-month`))}</td>
    <td data-label="A year" class="number">${priceOf(planOfSku(`api-${name}-year`))}</td>
    <td data-label="A minute" class="number">${perMinute(limits)}</td>
    <td data-label="Monitors" class="number">
      ${[monitors.domain, monitors.brand, monitors.registrant].map(grouped).join(' / ')}
    </td>
    <td data-label="Keys" class="number">${keys}</td>
  </tr>`;
}

const priceOf = (plan: SubscriptionPlan | undefined) =>
  plan?.isOffered ? money(String(plan.unitMicros)) : '–';

function domainerTable(): Markup {
  const monthly = offeredPlans().filter(
    ({ line, interval }) => line === 'domainer' && interval === 'month',
  );
  const yearly = new Map(
    offeredPlans()
      .filter(({ interval }) => interval === 'year')
      .map((one) => [one.name, one]),
  );
  return html`<table class="stacked">
    <thead>
      <tr>
        <th>Plan</th>
        <th>Files</th>
        <th class="number">A month</th>
        <th class="number">A year</th>
      </tr>
    </thead>
    <tbody>
      ${monthly.map(
        (plan) =>
          html`<tr>
            <td data-label="Plan">${plan.name}</td>
            <td data-label="Files">${rightsOf(plan)}</td>
            <td data-label="A month" class="number">${money(String(plan.unitMicros))}</td>
            <td data-label="A year" class="number">${priceOf(yearly.get(plan.name))}</td>
          </tr>`,
      )}
    </tbody>
  </table>`;
}

function operationTable(): Markup {
  return html`<table class="stacked">
    <thead>
      <tr>
        <th>Operation</th>
        <th>Answers</th>
        <th>Price</th>
      </tr>
    </thead>
    <tbody>
      ${[...PRICED_OPERATIONS, ...CHARGED_LATER].map(
        (operation) =>
          html`<tr>
            <td data-label="Operation">
              <code class="path">${endpointOf(operation)}</code>
            </td>
            <td data-label="Answers">${operation.summary}</td>
            <td data-label="Price">${withCode(priceWords(operation))}</td>
          </tr>`,
      )}
    </tbody>
  </table>`;
}

/** Converts text in which backticks mark API names to HTML. */
const withCode = (text: string) =>
  text
    .split('`')
    .map((part, place) => (place % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));

const perMinute = ({ live, bulk, heavy }: Tier['limits']) =>
  [live, bulk, heavy].map(grouped).join(' / ');

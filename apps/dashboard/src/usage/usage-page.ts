import { counted } from '#libs/platform';
import { type Markup, html } from '#libs/public-http';
import { grouped } from '../amounts.js';
import { choice } from '../choice.js';
import { type Notice, type PageContext, page } from '../pages/layout.js';
import { shownText } from '../pages/shown-text.js';
import { type Paces, paceSeries, paceWords } from './paces.js';
import { stackedChart } from './stacked-chart.js';
import { type Figure, type UsedOnDay, seriesOf, sumOf } from './usage-series.js';
import { operationLink } from './work.js';

export type UsedBy = 'operation' | 'key';

export interface UsageAsked {
  by: UsedBy;
  from?: string;
  to?: string;
}

export interface UsageShown {
  from: string;
  to: string;
  days: UsedOnDay[];
  /** The response times; undefined if they cannot be read. */
  paces?: Paces;
}

const TITLES: Readonly<Record<Figure, string>> = {
  requests: 'Requests a day',
  credits: 'Credits a day',
  failed: 'Refused and failed requests a day',
};
const HEADINGS: Readonly<Record<UsedBy, string>> = { operation: 'Operation', key: 'Key' };

/** @param used undefined if the usage cannot be read. */
export function usagePage(
  context: PageContext,
  asked: UsageAsked,
  used: UsageShown | undefined,
  notice: Notice = AWAY,
): Markup {
  return page(context, {
    title: 'Usage',
    notice: used ? undefined : notice,
    body: html`${rangeSection(asked, used)}
    ${used && html`${totalsSection(asked, used)}${used.paces && pacesSection(used, used.paces)}${daysSection(asked, used.days)}`}`,
  });
}

const AWAY: Notice = {
  kind: 'fault',
  text: 'Usage cannot be read right now. Load the page again in a moment.',
};

/** Returns the URL of the page, or of the same data as a table for spreadsheets. */
function pathOf({ by, from, to }: UsageAsked, path = '/usage'): string {
  const query = new URLSearchParams({ by, ...(from && { from }), ...(to && { to }) });
  return `${path}?${query}`;
}

function rangeSection(asked: UsageAsked, used?: UsageShown): Markup {
  const { by } = asked;
  const options = (['operation', 'key'] as const).map((one) => ({
    text: HEADINGS[one],
    href: pathOf({ ...asked, by: one }),
    isCurrent: by === one,
  }));
  const dayField = (name: 'from' | 'to', label: string) =>
    html`<div class="field">
      <label for="${name}">${label}</label>
      <input id="${name}" name="${name}" type="date" value="${asked[name] ?? used?.[name] ?? ''}" />
    </div>`;
  return html`${choice('By', options)}
    <section>
      <h2>Which days (UTC)</h2>
      <form method="get" action="/usage" class="filters">
        <input type="hidden" name="by" value="${by}" />
        ${dayField('from', 'First day')} ${dayField('to', 'Last day')}
        <button>Show</button>
      </form>
      <p class="quiet">
        Up to 366 days.
        <a href="${pathOf(asked, '/usage.csv')}">Download as CSV</a>
      </p>
    </section>`;
}

function totalsSection({ by }: UsageAsked, { from, to, days }: UsageShown): Markup {
  const charts = (['requests', 'credits', 'failed'] as const).filter(
    (figure) => figure === 'requests' || sumOf(days, figure) > 0,
  );
  const requests = sumOf(days, 'requests');
  return html`<section>
    <h2>${from} to ${to} (UTC), by ${by}</h2>
    <p class="figure">
      <strong>${grouped(requests)}</strong> ${requests === 1 ? 'request' : 'requests'}
    </p>
    <p class="quiet">
      <span>${counted(sumOf(days, 'credits'), 'credit')}, including jobs and monitors</span>
      <span>${grouped(sumOf(days, 'failed'))} refused or failed at no cost</span>
      <span>including requests with test keys</span>
    </p>
    ${charts.map((figure) => stackedChart(TITLES[figure], { from, to }, seriesOf(days, figure)))}
  </section>`;
}

function pacesSection(days: UsageShown, paces: Paces): Markup {
  if (paceWords(paces) === '') return html``;
  const { names, byDay } = paces;
  return html`<section>
    <h2>Response times</h2>
    <p>${paceWords(paces)}</p>
    ${stackedChart('Answers a day', days, paceSeries(paces))}
    <details>
      <summary>By day, as a table</summary>
      <table class="stacked">
        <thead>
          <tr>
            <th>Day</th>
            ${names.map((name) => html`<th class="number">${name}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${[...byDay].toReversed().map(
            ([date, counts]) =>
              html`<tr>
                <td data-label="Day" class="date">${date}</td>
                ${counts.map((count, place) => html`<td data-label="${names[place]}" class="number">${grouped(count)}</td>`)}
              </tr>`,
          )}
        </tbody>
      </table>
    </details>
  </section>`;
}

function daysSection({ by }: UsageAsked, days: readonly UsedOnDay[]): Markup {
  if (days.length === 0) return html`<p>No requests and no charges on these days.</p>`;
  return html`<section>
    <h2>By ${by}</h2>
    ${totalsTable(by, days)}
    <details>
      <summary>By day and ${by}, as a table</summary>
      ${daysTable(by, days)}
    </details>
  </section>`;
}

function totalsTable(by: UsedBy, days: readonly UsedOnDay[]): Markup {
  const totals = Map.groupBy(days, ({ name }) => name);
  const cell = (label: string, of: readonly UsedOnDay[], figure: Figure) =>
    html`<td data-label="${label}" class="number">${grouped(sumOf(of, figure))}</td>`;
  return html`<table class="stacked">
    <thead>
      <tr>
        <th>${HEADINGS[by]}</th>
        <th class="number">Requests</th>
        <th class="number">Failed</th>
        <th class="number">Credits</th>
      </tr>
    </thead>
    <tbody>
      ${[...totals].map(
        ([name, of]) =>
          html`<tr>
            <td data-label="${HEADINGS[by]}">${shownText(name)}</td>
            ${cell('Requests', of, 'requests')} ${cell('Failed', of, 'failed')}
            ${cell('Credits', of, 'credits')}
          </tr>`,
      )}
    </tbody>
  </table>`;
}

function daysTable(by: UsedBy, days: readonly UsedOnDay[]): Markup {
  return html`<table class="stacked">
    <thead>
      <tr>
        <th>Day</th>
        <th>${HEADINGS[by]}</th>
        <th class="number">Requests</th>
        <th class="number">Failed</th>
        <th class="number">Credits</th>
      </tr>
    </thead>
    <tbody>
      ${days.toReversed().map(
        (day) =>
          html`<tr>
            <td data-label="Day" class="date">${day.date}</td>
            <td data-label="${HEADINGS[by]}">${nameCell(by, day)}</td>
            <td data-label="Requests" class="number">${grouped(day.requests)}</td>
            <td data-label="Failed" class="number">${grouped(day.failed)}</td>
            <td data-label="Credits" class="number">${grouped(day.credits)}</td>
          </tr>`,
      )}
    </tbody>
  </table>`;
}

function nameCell(by: UsedBy, { date, name, credits }: UsedOnDay): Markup {
  return by === 'key' ? html`${shownText(name)}` : operationLink(date, name, credits);
}

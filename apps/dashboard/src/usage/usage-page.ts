import type { UsageAnswer, UsageDay } from '#libs/contracts';
import { grouped } from '../amounts.js';
import { type PageContext, page } from '../pages/layout.js';
import { type Markup, html } from '../pages/markup.js';
import { requestsPath } from '../requests/requests-page.js';
import { usageChart } from './usage-chart.js';

/** @param used undefined when it cannot be read just now. */
export function usagePage(context: PageContext, used: UsageAnswer | undefined): Markup {
  return page(context, {
    title: 'Usage',
    notice: used ? undefined : AWAY,
    body: used ? html`${totalsSection(used)}${daysSection(used.days)}` : html``,
  });
}

const AWAY = {
  kind: 'fault',
  text: 'Usage cannot be read right now. Load the page again in a moment.',
} as const;

function totalsSection(used: UsageAnswer): Markup {
  const { from, to, totals } = used;
  return html`<section>
    <h2>${from} to ${to} (UTC)</h2>
    <p class="figure"><strong>${grouped(totals.requests)}</strong> requests</p>
    <p class="quiet">
      <span>${grouped(totals.credits)} credits</span>
      <span>refused requests and those of test keys are counted, and cost nothing</span>
    </p>
    ${usageChart(used)}
  </section>`;
}

function daysSection(days: readonly UsageDay[]): Markup {
  if (days.length === 0) return html`<p>No request in these days.</p>`;
  return html`<section>
    <h2>By day and operation</h2>
    <table class="stacked">
      <thead>
        <tr>
          <th>Day</th>
          <th>Operation</th>
          <th class="number">Requests</th>
          <th class="number">Credits</th>
        </tr>
      </thead>
      <tbody>
        ${days.toReversed().map(
          ({ date, operation, requests, credits }) =>
            html`<tr>
              <td data-label="Day" class="date">${date}</td>
              <td data-label="Operation">
                <a href="${requestsPath({ day: date, operation })}">${operation}</a>
              </td>
              <td data-label="Requests" class="number">${grouped(requests)}</td>
              <td data-label="Credits" class="number">${grouped(credits)}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </section>`;
}

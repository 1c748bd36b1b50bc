import type { CreditsOverview } from '#libs/contracts';
import { DAY_MS } from '#libs/platform';
import { type Markup, html } from '#libs/public-http';
import { grouped } from '../amounts.js';
import { barChart } from '../usage/usage-chart.js';

const DAYS = 30;

/** The credits of an account at the end of each day (UTC), oldest first. */
export interface CreditHistory {
  from: string;
  to: string;
  byDay: ReadonlyMap<string, number>;
}

/**
 * Calculates the history backwards from the current balance.
 * @param changes the changes by day. If they are incomplete, the history begins later.
 */
export function creditHistory(
  { balance, changes: { days, is_whole: isWhole } }: Pick<CreditsOverview, 'balance' | 'changes'>,
  now: Date,
): CreditHistory {
  const { spendable, reserved, pending, frozen, debt } = balance;
  const changes = new Map(days.map(({ day, amount }) => [day, amount]));
  const oldest = isWhole ? '' : (days.at(-1)?.day ?? '');
  const to = dayOf(now.getTime());
  const byDay: [string, number][] = [];
  let left = spendable + reserved + pending + frozen - debt;
  for (let place = 0; place < DAYS; place++) {
    const day = dayOf(now.getTime() - place * DAY_MS);
    // Some lines of the oldest day may be missing, so the balance at the end of the previous day is unknown.
    if (day < oldest) break;
    // Usage that has not been booked yet is already subtracted from the current balance.
    byDay.unshift([day, place === 0 ? left - pending : left]);
    left -= changes.get(day) ?? 0;
  }
  return { from: byDay[0][0], to, byDay: new Map(byDay) };
}

export function historySection(history: CreditHistory): Markup {
  const { byDay } = history;
  return html`<section>
    <h2>Credits over time</h2>
    ${barChart('Credits at the end of the day', history, byDay)}
    <details>
      <summary>By day, as a table</summary>
      <table>
        <thead>
          <tr>
            <th>Day (UTC)</th>
            <th class="number">Credits</th>
          </tr>
        </thead>
        <tbody>
          ${[...byDay].toReversed().map(
            ([day, credits]) =>
              html`<tr>
                <td class="date">${day}</td>
                <td class="number">${grouped(credits)}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </details>
    <p class="quiet"><a href="/credits.csv">Download as CSV</a></p>
  </section>`;
}

const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

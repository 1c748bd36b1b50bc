import type { BalanceAnswer, CreditSource } from '#libs/contracts';
import { day, grouped } from '../amounts.js';
import { type Markup, html } from '../pages/markup.js';

/** Where an account's credits came from, what is left of each source, until when, and what goes first. */
export function grantsTable({ grants }: BalanceAnswer): Markup {
  if (grants.length === 0) return html`<p class="quiet">No credits yet.</p>`;
  return html`<table>
      <thead>
        <tr>
          <th>From</th>
          <th class="number">Granted</th>
          <th class="number">Left</th>
          <th>Until</th>
        </tr>
      </thead>
      <tbody>
        ${grants.map(
          (grant) =>
            html`<tr>
              <td>${sourceName(grant.source_type)}</td>
              <td class="number">${grouped(grant.granted)}</td>
              <td class="number">${grouped(grant.available + grant.reserved)}</td>
              <td>${untilOf(grant)}</td>
            </tr>`,
        )}
      </tbody>
    </table>
    <p class="quiet">
      Credits are used in this order: trial and returned credits, credits from our support, plan,
      packages; within each, those that end first. A plan’s credits end when its next ones arrive;
      what is left then is lost.
    </p>`;
}

/** Of the credits that are left, those that end first, and when; undefined while all of them last. */
export function firstToEnd({ grants }: BalanceAnswer): string | undefined {
  const ending = grants.flatMap(({ expires_at: end, available, reserved }) =>
    end !== null && available + reserved > 0 ? [{ end, left: available + reserved }] : [],
  );
  if (ending.length === 0) return undefined;
  const [first] = ending.map(({ end }) => day(end)).toSorted();
  const left = ending.reduce((sum, one) => sum + (day(one.end) === first ? one.left : 0), 0);
  return `${grouped(left)} of them until ${first} at the latest`;
}

/** Until when credits last, in UTC. */
function untilOf({ source_type: type, expires_at: end }: BalanceAnswer['grants'][number]): Markup {
  if (end === null) return html`never expires`;
  return html`<span class="date">${day(end)}</span
    >${type === 'subscription' ? ' at the latest' : ''}`;
}

const SOURCE_NAMES: Readonly<Record<CreditSource, string>> = {
  trial: 'Trial',
  package: 'Package',
  subscription: 'Plan',
  release: 'Given back',
  operator: 'From our support',
};

/** A source's name for people. */
export const sourceName = (type: string) =>
  (SOURCE_NAMES as Readonly<Record<string, string>>)[type] ?? type.replaceAll('_', ' ');

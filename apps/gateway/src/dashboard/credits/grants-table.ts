import type { BalanceAnswer } from '#libs/contracts';
import { day, grouped } from '../amounts.js';
import { type Markup, html } from '../pages/markup.js';

/** Where an account's credits came from, and what is left of each source. */
export function grantsTable({ grants }: BalanceAnswer): Markup {
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
            <td>${grant.expires_at ? day(grant.expires_at) : 'never expires'}</td>
          </tr>`,
      )}
    </tbody>
  </table>`;
}

/** A source's name for people. */
export const sourceName = (type: string) => type.replaceAll('_', ' ');
